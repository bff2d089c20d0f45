/* The tree of times as lines: which nodes have one, how deep it stands, and its numbers. */
#include "views/account_lines.h"
#include "inspect/accounting/accounting.h"
#include "inspect/time_details.h"

#include <math.h>

#include "base/error.h"
#include "base/text.h"
#include "views/operator_lines.h"

struct builder {
    struct ets_arena *arena;
    const struct ets_inspection *inspection;
    const struct ets_account_options *options;
    struct ets_account_lines *lines;
    double *values;   /* [run_count] scratch */
    uint8_t *is_left; /* [node] 1: a call around a kernel that reports itself */
    uint32_t *depth;  /* [node] as shown */
    double root;
    const double *weights; /* [range_count] */
};

/* What the calls directly inside of a node take beyond their kernels. */
struct calls {
    int64_t *ticks; /* [run_count]; NULL: none */
    double below, above;
};

static void compute(const struct builder *b, const int64_t *ticks, double below, double above,
                    struct ets_account_times *out)
{
    const struct ets_account_lines *lines = b->lines;
    out->total = 0;
    for (uint32_t i = 0; i < lines->range_count; i++) {
        const int64_t took = ticks[lines->range_first + i];
        b->values[i] = (double)took;
        out->total = (int64_t)((uint64_t)out->total + (uint64_t)took);
    }
    out->middle = ets_middle_mean(b->values, lines->range_count, b->weights);
    ets_statistics_compute(b->values, lines->range_count, &out->statistics);
    ets_spread_compute(b->values, lines->range_count, &out->spread);
    out->below = below;
    out->above = above;
}

static void add_line(struct builder *b, uint32_t index)
{
    struct ets_account_lines *lines = b->lines;
    const struct ets_account_node *node = ets_accounting_node(lines->accounting, index);
    struct ets_account_line *line = &lines->items[lines->count++];
    *line = (struct ets_account_line){
        .node = node,
        .row = ets_inspection_row(b->inspection, node->row),
        .depth = b->depth[index],
        .is_whole = lines->whole != NULL && node->ticks == lines->whole,
    };
    compute(b, node->ticks, node->below, node->above, &line->inclusive);
    compute(b, node->self, node->self_below, node->self_above, &line->self);
    if (node->parent == ETS_NO_INDEX) b->root = line->inclusive.middle;
    line->root = b->root;
}

/* Rests of the calls that are left out and lie directly inside of `parent`. */
static bool add_up_calls(const struct builder *b, uint32_t parent, uint32_t end,
                         struct calls *calls)
{
    const struct ets_account_lines *lines = b->lines;
    *calls = (struct calls){NULL, 0, 0};
    for (uint32_t i = parent + 1; i < end; i++) {
        const struct ets_account_node *node = ets_accounting_node(lines->accounting, i);
        if (!b->is_left[i] || node->parent != parent) continue;
        if (calls->ticks == NULL) {
            calls->ticks = ets_arena_alloc_array(b->arena, lines->run_count, sizeof(int64_t));
            if (calls->ticks == NULL) return false;
        }
        for (uint32_t r = 0; r < lines->run_count; r++) {
            calls->ticks[r] = (int64_t)((uint64_t)calls->ticks[r] + (uint64_t)node->self[r]);
        }
        calls->below += node->self_below;
        calls->above += node->self_above;
    }
    return true;
}

/* Before the rest of a node, which is its last: what the calls inside of it take for themselves. */
static bool add_calls(struct builder *b, uint32_t rest)
{
    const struct ets_account_node *node = ets_accounting_node(b->lines->accounting, rest);
    struct calls calls;
    if (!add_up_calls(b, node->parent, rest, &calls)) return false;
    if (calls.ticks == NULL) return true;
    struct ets_account_line *line = &b->lines->items[b->lines->count++];
    *line = (struct ets_account_line){.row = ets_inspection_row(b->inspection, node->row),
                                      .depth = b->depth[node->parent] + 1,
                                      .root = b->root};
    compute(b, calls.ticks, calls.below, calls.above, &line->inclusive);
    line->self = line->inclusive;
    return true;
}

static bool is_left_out(const struct builder *b, const struct ets_account_node *node)
{
    return node->kind == ETS_ACCOUNT_ROW && node->parent != ETS_NO_INDEX && !node->is_leaf &&
           !ets_operator_row_is_shown(b->inspection, b->options->all_events != 0, node->row);
}

static bool add_lines(struct builder *b)
{
    const uint32_t count = ets_accounting_node_count(b->lines->accounting);
    for (uint32_t i = 0; i < count; i++) {
        const struct ets_account_node *node = ets_accounting_node(b->lines->accounting, i);
        const bool has_parent = node->parent != ETS_NO_INDEX;
        const bool is_in_left = has_parent && b->is_left[node->parent];
        b->is_left[i] = is_left_out(b, node);
        if (has_parent) b->depth[i] = b->depth[node->parent] + (is_in_left ? 0 : 1);
        if (b->is_left[i]) continue;
        if (node->kind == ETS_ACCOUNT_ROW) {
            add_line(b, i);
        } else if (!is_in_left) { /* else it is part of the calls' line */
            if (!add_calls(b, i)) return false;
            add_line(b, i);
        }
    }
    return true;
}

static bool list_outliers(struct builder *b)
{
    struct ets_account_lines *lines = b->lines;
    uint32_t count = 0;
    int64_t *list = ets_arena_alloc_array(b->arena, lines->phases.outliers, sizeof *list);
    for (uint32_t i = 0; list != NULL && i < lines->phases.run_count; i++) {
        if (!ets_run_phases_is_outlier(&lines->phases, i, lines->whole[i])) continue;
        list[count++] = lines->runs[i];
    }
    lines->outliers = list;
    return list != NULL;
}

/* The whole execution, and by it which runs are steady. */
static enum ets_status find_phases(struct builder *b, uint32_t block, struct ets_error *error)
{
    struct ets_account_lines *lines = b->lines;
    const uint32_t total = ets_inspection_total_row(b->inspection, block);
    for (uint32_t i = 0; i < ets_accounting_node_count(lines->accounting); i++) {
        const struct ets_account_node *node = ets_accounting_node(lines->accounting, i);
        if (node->kind == ETS_ACCOUNT_ROW && node->row == total) lines->whole = node->ticks;
    }
    lines->range_count = lines->run_count;
    if (lines->whole != NULL) {
        ETS_TRY(ets_run_phases_find(lines->whole, lines->run_count, b->arena->allocator,
                                    &lines->phases, error));
        if (!list_outliers(b)) return ets_fail_memory(error, "the outliers of a block's runs");
        if (b->options->steady) {
            lines->range_first = lines->phases.warm_up;
            lines->range_count -= lines->range_first;
        }
    }
    for (uint32_t i = 0; b->options->run != ETS_NO_INDEX && i < lines->run_count; i++) {
        if (lines->runs[i] != b->options->run) continue;
        lines->range_first = i;
        lines->range_count = 1;
    }
    return ETS_OK;
}

static bool find_weights(struct builder *b, uint32_t block)
{
    const struct ets_account_lines *lines = b->lines;
    const uint32_t whole = ets_operator_whole_row(b->inspection, block);
    double *ticks = ets_arena_alloc_array(b->arena, lines->run_count, sizeof *ticks);
    if (ticks == NULL) return false;
    if (whole != ETS_NO_INDEX) ets_inspection_row_ticks(b->inspection, whole, ETS_NO_INDEX, ticks);
    b->weights = ets_middle_weights(b->arena, ticks + lines->range_first, lines->range_count);
    return b->weights != NULL;
}

static enum ets_status build(struct builder *b, uint32_t block, struct ets_error *error)
{
    struct ets_account_lines *lines = b->lines;
    const uint32_t nodes = ets_accounting_node_count(lines->accounting);
    lines->run_count = ets_accounting_runs(lines->accounting, &lines->runs);
    ETS_TRY(find_phases(b, block, error));
    const bool has_weights = find_weights(b, block);
    lines->items = ets_arena_alloc_array(b->arena, (size_t)nodes * 2, sizeof *lines->items);
    b->values = ets_arena_alloc_array(b->arena, lines->run_count, sizeof *b->values);
    b->is_left = ets_arena_alloc_array(b->arena, nodes, sizeof *b->is_left);
    b->depth = ets_arena_alloc_array(b->arena, nodes, sizeof *b->depth);
    if (lines->items == NULL || b->values == NULL || b->is_left == NULL || b->depth == NULL ||
        !has_weights || !add_lines(b)) {
        return ets_fail_memory(error, "the lines of the tree of times");
    }
    return ETS_OK;
}

enum ets_status ets_account_lines_open(struct ets_arena *arena,
                                       const struct ets_inspection *inspection,
                                       const struct ets_account_options *options, uint32_t block,
                                       struct ets_account_lines *lines_out, struct ets_error *error)
{
    *lines_out =
        (struct ets_account_lines){.stage = ets_inspection_block(inspection, block)->stage};
    struct builder b = {
        .arena = arena, .inspection = inspection, .options = options, .lines = lines_out};
    ETS_TRY(
        ets_accounting_open(inspection, block, arena->allocator, &lines_out->accounting, error));
    const enum ets_status status = build(&b, block, error);
    if (status != ETS_OK) ets_account_lines_close(lines_out);
    return status;
}

void ets_account_lines_close(struct ets_account_lines *lines)
{
    ets_accounting_close(lines->accounting);
    lines->accounting = NULL;
}
