/* The table of several traces of one program. */
#ifndef ETSCOPE_OUTPUT_TABLE_POOL_TABLE_H
#define ETSCOPE_OUTPUT_TABLE_POOL_TABLE_H

#include "etscope/experimental/pool.h"
#include "output/table/table.h"

struct ets_pool_table_options {
    const char *const *files; /* [inspections of the pool] their names, for people */
    int by_time;              /* 1: largest median first; 0: in order of execution */
    uint32_t top;             /* rows of each block, in addition to those of the runtime; 0: all */
};

/*
 * Adds the operators of a pool: quantiles over all runs of all files, and how far the medians of
 * the files differ. Status: NO_MEMORY.
 */
ETS_API enum ets_status ets_pool_table_fill(struct ets_table *table, const struct ets_pool *pool,
                                            const struct ets_pool_table_options *options,
                                            struct ets_error *error);

#endif
