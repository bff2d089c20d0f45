/*
 * The blocks of a trace that executed a method, with the time of their runs. Those whose operators
 * are recorded come first, and of these the longest.
 *
 *     struct ets_timed_blocks blocks;
 *     if (!ets_timed_blocks_find(&arena, inspection, ETS_NO_INDEX, ETS_NO_INDEX, 0, &blocks)) {
 *         return no_memory;
 *     }
 *     for (uint32_t i = 0; i < blocks.count; i++) show(blocks.items[i].times.statistics.p50);
 *
 * Times are ticks of the trace. All memory is the arena's.
 */
#ifndef ETSCOPE_VIEWS_TIMED_BLOCKS_H
#define ETSCOPE_VIEWS_TIMED_BLOCKS_H

#include "host/text_builder.h"
#include "views/operator_lines.h"

struct ets_timed_block {
    uint32_t block;
    bool has_operators; /* recorded ones */
    struct ets_chosen_runs runs;
    struct ets_chosen_times times; /* of the whole execution */
};

struct ets_timed_blocks {
    const struct ets_inspection *inspection;
    double tick_ns;           /* 0: cycles */
    const uint64_t *captured; /* [block of the inspection] events with captured tensors */
    struct ets_timed_block *items;
    uint32_t count;
};

/*
 * `block`, `run`: only this one; ETS_NO_INDEX: all. `steady`: without warm-up. Returns false if
 * memory runs out, as all functions here.
 */
bool ets_timed_blocks_find(struct ets_arena *arena, const struct ets_inspection *inspection,
                           uint32_t block, uint32_t run, int steady,
                           struct ets_timed_blocks *blocks_out);

/* The work of a block in groups, longest first; `backend` NULL: of all backends. */
bool ets_timed_block_group(struct ets_arena *arena, const struct ets_timed_blocks *blocks,
                           const struct ets_timed_block *block, enum ets_group_by by,
                           const char *backend, struct ets_operator_lines *lines_out);

/* What share of a run a line takes. */
struct ets_span ets_timed_block_share(const struct ets_timed_block *block,
                                      const struct ets_operator_line *line);

/* "forward", "Execute", and of branches "forward (block 3)". */
void ets_add_timed_block_name(struct ets_text_builder *text, const struct ets_timed_blocks *blocks,
                              const struct ets_timed_block *block);

/* Whether another block of the method or name ran, as with branches. */
bool ets_timed_block_has_twin(const struct ets_timed_blocks *blocks,
                              const struct ets_timed_block *block);

/* Whether a line is the rest of a run: the time between operators, or all of it. */
bool ets_line_is_between(const struct ets_operator_line *line);

#endif
