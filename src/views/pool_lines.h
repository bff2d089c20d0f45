/*
 * The operators of a pool's block, with quantiles over all runs of all files, and how far the
 * medians of the files differ.
 *
 *     const struct ets_pool_line_options options = {.by_time = true, .top = 10};
 *     struct ets_pool_lines lines;
 *     if (!ets_pool_lines_collect(&arena, ets_pool_block(pool, b), &options, &lines)) return false;
 *     for (uint32_t i = 0; i < lines.count; i++) show(&lines.items[i]);
 *
 * Times are in the unit of the pool. Everything is in the arena; the block is borrowed.
 */
#ifndef ETSCOPE_VIEWS_POOL_LINES_H
#define ETSCOPE_VIEWS_POOL_LINES_H

#include <stdbool.h>

#include "etscope/experimental/pool.h"
#include "host/arena.h"

struct ets_pool_line_options {
    bool by_time; /* frames, then largest median first; false: in order of execution */
    uint32_t top; /* number of lines other than frames, which are always kept; 0: all */
};

/* One operator over all files. */
struct ets_pool_line {
    uint32_t index; /* in the block's operators */
    const struct ets_pool_operator *op;
    struct ets_statistics times; /* over all runs; true times are up to op->resolution longer */
    double middle;               /* `mid` of chosen_runs.h, which shares are of */
    double file_min, file_max;   /* of the files' medians */
};

struct ets_pool_lines {
    struct ets_pool_line *items;
    uint32_t count;
    double whole; /* of a run, as `middle`; NaN: no operator encloses all */
};

/* Returns false if memory runs out. */
bool ets_pool_lines_collect(struct ets_arena *arena, const struct ets_pool_block *block,
                            const struct ets_pool_line_options *options,
                            struct ets_pool_lines *lines_out);

/* Which blocks of a pool have operators, and which are of one name, method and stage. */
struct ets_pool_kinds {
    bool *has;       /* [block] */
    uint32_t *group; /* [block] */
    uint8_t *found;  /* [group] */
};

/* Goes over the pool once. Returns false if memory runs out. */
bool ets_pool_kinds_find(struct ets_arena *arena, const struct ets_pool *pool,
                         struct ets_pool_kinds *kinds_out);

/*
 * " with operators" or " without operators" if the pool has runs of the block's name and method of
 * both kinds: a tracer may record operators in some executions only. Else "".
 */
const char *ets_pool_block_kind(const struct ets_pool_kinds *kinds, uint32_t block);

#endif
