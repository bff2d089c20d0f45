/* Collects the operators of a pool's block with their times, in display order. */
#include "views/pool_lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "views/chosen_runs.h"

static void describe(const struct ets_pool_block *block, uint32_t index, const double *weights,
                     double *scratch, struct ets_pool_line *line)
{
    const struct ets_pool_operator *op = &block->operators[index];
    *line = (struct ets_pool_line){
        .index = index, .op = op, .file_min = HUGE_VAL, .file_max = -HUGE_VAL};
    for (uint32_t p = 0; p < block->part_count; p++) {
        const struct ets_pool_part *part = &block->parts[p];
        struct ets_statistics of_file;
        memcpy(scratch, op->per_run + part->first_run, part->run_count * sizeof *scratch);
        ets_statistics_compute(scratch, part->run_count, &of_file);
        line->file_min = fmin(line->file_min, of_file.p50);
        line->file_max = fmax(line->file_max, of_file.p50);
    }
    line->middle = ets_middle_mean(op->per_run, block->run_count, weights);
    memcpy(scratch, op->per_run, block->run_count * sizeof *scratch);
    ets_statistics_compute(scratch, block->run_count, &line->times);
}

/* Frames first, then the largest medians; ticks of other clocks behind all times. */
static int by_time(const void *left, const void *right)
{
    const struct ets_pool_line *a = left, *b = right;
    const bool a_frame = a->op->role == ETS_POOL_FRAME, b_frame = b->op->role == ETS_POOL_FRAME;
    if (a_frame != b_frame) return a_frame ? -1 : 1;
    if (a->op->has_own_clock != b->op->has_own_clock) return a->op->has_own_clock ? 1 : -1;
    if (!a_frame && a->times.p50 != b->times.p50) return a->times.p50 > b->times.p50 ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

/* How many lines there are up to the last of the `top` that are no frames. */
static uint32_t count_top(const struct ets_pool_line *lines, uint32_t count, uint32_t top)
{
    uint32_t left = top, shown = 0;
    if (top == 0) return count;
    for (; shown < count && left > 0; shown++) left -= lines[shown].op->role != ETS_POOL_FRAME;
    return shown;
}

bool ets_pool_lines_collect(struct ets_arena *arena, const struct ets_pool_block *block,
                            const struct ets_pool_line_options *options,
                            struct ets_pool_lines *lines_out)
{
    const uint32_t count = block->operator_count;
    const bool has_total = block->total != ETS_NO_INDEX;
    struct ets_pool_line *lines = ets_arena_alloc_array(arena, count, sizeof *lines);
    double *scratch = ets_arena_alloc_array(arena, block->run_count, sizeof *scratch);
    if (lines == NULL || scratch == NULL) return false;
    const double *weights = ets_middle_weights(
        arena, has_total ? block->operators[block->total].per_run : scratch, block->run_count);
    if (weights == NULL) return false;
    for (uint32_t i = 0; i < count; i++) describe(block, i, weights, scratch, &lines[i]);
    *lines_out = (struct ets_pool_lines){.items = lines, .whole = NAN};
    if (has_total) lines_out->whole = lines[block->total].middle;
    if (count > 0 && options->by_time) qsort(lines, count, sizeof *lines, by_time);
    lines_out->count = count_top(lines, count, options->top);
    return true;
}

static bool has_operators(const struct ets_pool_block *block)
{
    for (uint32_t i = 0; i < block->operator_count; i++) {
        const enum ets_pool_role role = block->operators[i].role;
        if (role == ETS_POOL_WORK || role == ETS_POOL_INNER) return true;
    }
    return false;
}

static bool is_alike(const struct ets_pool_block *left, const struct ets_pool_block *right)
{
    const bool has_method = left->method != NULL && right->method != NULL;
    if (!ets_text_same(left->name, right->name) || left->stage != right->stage) return false;
    return has_method ? strcmp(left->method, right->method) == 0 : left->method == right->method;
}

const char *ets_pool_block_kind(const struct ets_pool *pool, const struct ets_pool_block *block)
{
    const bool has = has_operators(block);
    for (uint32_t i = 0; i < ets_pool_block_count(pool); i++) {
        const struct ets_pool_block *other = ets_pool_block(pool, i);
        if (!is_alike(block, other) || has_operators(other) == has) continue;
        return has ? " with operators" : " without operators";
    }
    return "";
}
