/* What several traces say together, as a table. */
#ifndef ETSCOPE_OUTPUT_TABLE_POOL_TABLE_H
#define ETSCOPE_OUTPUT_TABLE_POOL_TABLE_H

#include "etscope/experimental/pool.h"
#include "output/table/table.h"

struct ets_pool_table_options {
    const char *const *files; /* [inspections of the pool] their names, for people */
    int by_time;              /* 1: the largest median first; 0: as executed */
    uint32_t top;             /* lines of each block, besides those of the runtime; 0: all */
};

/*
 * What the traces of a pool say together: quantiles over all runs of all files, and how far the
 * files' own medians lie apart. Status: NO_MEMORY.
 */
ETS_API enum ets_status ets_pool_table_fill(struct ets_table *table, const struct ets_pool *pool,
                                            const struct ets_pool_table_options *options,
                                            struct ets_error *error);

#endif
