/* What differs between two programs as a table. */
#ifndef ETSCOPE_OUTPUT_TABLE_PROGRAM_DIFFERENCE_TABLE_H
#define ETSCOPE_OUTPUT_TABLE_PROGRAM_DIFFERENCE_TABLE_H

#include "output/table/table.h"
#include "views/program_changes.h"

struct ets_program_difference_table_options {
    bool is_brief; /* the headline alone */
    uint32_t top;  /* lines of each part of each method; 0: all */
};

/* Adds columns, the headline as a section, a section for each method, and rows to an empty table,
 * which keeps a lack of memory to itself until it is written. */
ETS_API void ets_program_difference_table_fill(
    struct ets_table *table, const struct ets_program_changes *view,
    const struct ets_program_difference_table_options *options);

#endif
