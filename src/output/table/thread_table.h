/* The table of `profile --threads 1,2,4`: a row for each number of threads. */
#ifndef ETSCOPE_OUTPUT_TABLE_THREAD_TABLE_H
#define ETSCOPE_OUTPUT_TABLE_THREAD_TABLE_H

#include "output/table/table.h"
#include "views/thread_scaling.h"

/* `traces`: [count] the file of each; NULL: none is kept. */
void ets_thread_table_fill(struct ets_table *table, const struct ets_thread_line *lines,
                           const char *const *traces, uint32_t count);

#endif
