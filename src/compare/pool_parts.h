/* The pool while it is being built, as the files of this folder share it. */
#ifndef ETSCOPE_COMPARE_POOL_PARTS_H
#define ETSCOPE_COMPARE_POOL_PARTS_H

#include "base/arena.h"
#include "base/error.h"
#include "base/key_table.h"
#include "base/strings.h"
#include "base/text.h"
#include "etscope/pool.h"

struct ets_pool {
    struct ets_arena arena;
    const struct ets_inspection *const *inspections;
    uint32_t inspection_count;
    int steady;
    enum ets_time_unit unit;
    struct ets_pool_block *blocks;
    uint32_t block_count;
};

static inline enum ets_status ets_fail_pool(struct ets_error *error)
{
    return ets_fail(error, ETS_NO_MEMORY, ETS_NO_OFFSET, "no memory to put the traces together");
}

/* pool_operators.c: the operators of a block whose parts are known, without their times. */
enum ets_status ets_pool_list_operators(struct ets_pool *pool, struct ets_pool_block *block,
                                        struct ets_error *error);

/* pool_times.c: their times. `run_number[inspection][run]`: of a run within its block. */
enum ets_status ets_pool_add_times(struct ets_pool *pool, struct ets_pool_block *block,
                                   const uint32_t *const *run_number, struct ets_error *error);

#endif
