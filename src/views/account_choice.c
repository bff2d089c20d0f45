/* Chooses lines of the tree of times, with the lines that enclose them. */
#include <math.h>
#include <stdlib.h>

#include "inspect/accounting/accounting.h"
#include "inspect/patterns.h"
#include "views/account_lines.h"

struct candidate {
    double ticks;
    uint32_t line;
};

static int compare_candidates(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    if (a->ticks != b->ticks) return a->ticks < b->ticks ? 1 : -1;
    return (a->line > b->line) - (a->line < b->line);
}

/* Lines of rows that match, and all that lies in them. */
static void keep_matches(const struct ets_account_lines *lines,
                         const struct ets_inspection *inspection,
                         const struct ets_row_filter *filter, bool *is_kept)
{
    uint32_t inside = UINT32_MAX; /* depth of the match at hand */
    for (uint32_t i = 0; i < lines->count; i++) {
        const struct ets_account_line *line = &lines->items[i];
        const bool is_row = line->node != NULL && line->node->kind == ETS_ACCOUNT_ROW;
        if (inside != UINT32_MAX && line->depth <= inside) inside = UINT32_MAX;
        const bool matches =
            is_row && ets_row_filter_matches(filter, inspection, line->node->row) != 0;
        is_kept[i] = matches || inside != UINT32_MAX;
        if (matches && inside == UINT32_MAX) inside = line->depth;
    }
}

/* Of those that are kept the `top` that took most themselves. */
static bool keep_top(struct ets_arena *arena, const struct ets_account_lines *lines, uint32_t top,
                     bool *is_kept)
{
    struct candidate *candidates = ets_arena_alloc_array(arena, lines->count, sizeof *candidates);
    uint32_t count = 0;
    if (candidates == NULL) return false;
    for (uint32_t i = 0; i < lines->count; i++) {
        const struct ets_account_line *line = &lines->items[i];
        /* What a row with others in it took itself stands as a line behind them. */
        const bool is_leaf = line->node == NULL || (line->node->is_added && line->node->is_leaf);
        if (is_kept[i] && is_leaf && isfinite(line->self.statistics.p50)) {
            candidates[count++] = (struct candidate){line->self.statistics.p50, i};
        }
        is_kept[i] = false;
    }
    if (count > 0) qsort(candidates, count, sizeof *candidates, compare_candidates);
    for (uint32_t i = 0; i < count && i < top; i++) is_kept[candidates[i].line] = true;
    return true;
}

static void keep_holders(const struct ets_account_lines *lines, bool *is_kept)
{
    uint32_t depth = 0; /* of what was kept last, whose holder is the next less deep line before */
    for (uint32_t i = lines->count; i-- > 0;) {
        if (lines->items[i].depth < depth) is_kept[i] = true;
        if (is_kept[i]) depth = lines->items[i].depth;
    }
}

const bool *ets_account_lines_choose(struct ets_arena *arena,
                                     const struct ets_inspection *inspection,
                                     const struct ets_account_options *options,
                                     const struct ets_account_lines *lines)
{
    bool *is_kept = ets_arena_alloc_array(arena, lines->count, sizeof *is_kept);
    if (is_kept == NULL) return NULL;
    for (uint32_t i = 0; i < lines->count; i++) is_kept[i] = true;
    if (!ets_row_filter_is_empty(&options->filter)) {
        keep_matches(lines, inspection, &options->filter, is_kept);
    }
    if (options->top > 0 && !keep_top(arena, lines, options->top, is_kept)) return NULL;
    keep_holders(lines, is_kept);
    return is_kept;
}
