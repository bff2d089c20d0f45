/* The difference under construction, shared by the files of this folder. */
#ifndef ETSCOPE_COMPARE_DIFFERENCE_PARTS_H
#define ETSCOPE_COMPARE_DIFFERENCE_PARTS_H

#include "compare/matching.h"
#include "compare/pool_parts.h"

struct ets_difference {
    struct ets_arena arena;
    struct ets_difference_options options;
    enum ets_time_unit unit;
    struct ets_difference_block *blocks;
    uint32_t block_count;
    struct ets_difference_line *lines;
    uint32_t line_count;
    struct ets_agreement agreement;
};

static inline enum ets_status ets_fail_difference(struct ets_error *error)
{
    return ets_fail(error, ETS_NO_MEMORY, ETS_NO_OFFSET, "no memory to compare the traces");
}

/* block_pairs.c: matches the blocks of two pools. */
struct ets_block_pair {
    const struct ets_pool_block *before, *after; /* one may be NULL */
    const uint32_t *before_names, *after_names;  /* [operator] numbers of their names */
};
struct ets_block_pairs {
    struct ets_block_pair *items;
    uint32_t count;
};
bool ets_block_pairs_find(struct ets_arena *arena, const struct ets_pool *before,
                          const struct ets_pool *after, struct ets_block_pairs *pairs_out);

/* difference_lines.c: appends the lines of a pair. */
enum ets_status ets_difference_add_lines(struct ets_difference *difference,
                                         const struct ets_match *match,
                                         struct ets_difference_block *block,
                                         struct ets_error *error);

/* judge.c: tests and verdicts of all lines. */
/* Whether each side is the sum of several readings of a coarse clock, whose errors add up. */
bool ets_difference_is_coarse(const struct ets_difference_line *line);
/* Whether line `index` is the execution of a method. */
bool ets_difference_is_whole(const struct ets_difference *difference, uint32_t index);
enum ets_status ets_difference_judge(struct ets_difference *difference, struct ets_error *error);

#endif
