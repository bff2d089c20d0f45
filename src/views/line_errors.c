/* Collects the values of a gap report that belong to source lines, and compares their errors. */
#include "views/line_errors.h"
#include "inspect/patterns.h"

#include <math.h>

#include "views/gap_lines.h"

/* A value that no row made (an output, one that was computed) can only be told by its line. */
static bool is_left(const struct ets_inspection *inspection, const struct ets_row_filter *filter,
                    const struct ets_gap_value *value)
{
    const struct ets_graph_frame *frame = ets_graph_user_frame(value->node);
    if (ets_row_filter_is_empty(filter)) return true;
    if (value->captured.row != ETS_NO_INDEX) {
        return ets_row_filter_matches(filter, inspection, value->captured.row) != 0;
    }
    if (filter->source == NULL || filter->name != NULL || filter->module != NULL ||
        filter->backend != NULL || filter->handle_count > 0 || frame == NULL) {
        return false;
    }
    return ets_path_ends_with(frame->file, filter->source) &&
           (filter->source_line == 0 || filter->source_line == frame->line);
}

bool ets_line_errors_collect(struct ets_arena *arena, const struct ets_inspection *inspection,
                             const struct ets_gap_report *report, uint32_t block,
                             const struct ets_row_filter *filter,
                             struct ets_line_errors *errors_out)
{
    *errors_out = (struct ets_line_errors){.count = 0};
    if (report == NULL || ets_inspection_run(inspection, ets_gap_run(report))->block != block) {
        return true;
    }
    const uint32_t count = ets_gap_row_count(report);
    errors_out->items = ets_arena_alloc_array(arena, count, sizeof *errors_out->items);
    if (errors_out->items == NULL) return false;
    for (uint32_t i = 0; i < count; i++) {
        struct ets_line_error *error = &errors_out->items[errors_out->count];
        *error = (struct ets_line_error){.row = ets_gap_row(report, i)};
        if (!error->row->has_total && !error->row->has_own) continue;
        if (!is_left(inspection, filter, error->row->value)) continue;
        struct ets_gap_nodes nodes;
        if (ets_gap_nodes_find(arena, report, i, &nodes, NULL) != ETS_OK) return false;
        error->nodes = nodes.items;
        error->node_count = nodes.count;
        error->names = nodes.names;
        errors_out->count++;
    }
    return true;
}

static int rank_of(const struct ets_gap_row *row)
{
    static const int ranks[] = {
        [ETS_GAP_UNKNOWN] = 0,   [ETS_GAP_AGREES] = 1, [ETS_GAP_INEXACT] = 2,
        [ETS_GAP_INHERITED] = 3, [ETS_GAP_OFF] = 4,    [ETS_GAP_HARMLESS] = 5,
        [ETS_GAP_SUSPECT] = 6,   [ETS_GAP_GUILTY] = 7,
    };
    return ranks[row->finding];
}

bool ets_line_error_is_worse(const struct ets_line_error *error, const struct ets_line_error *than)
{
    if (than == NULL) return true;
    const struct ets_gap_row *l = error->row, *r = than->row;
    if (rank_of(l) != rank_of(r)) return rank_of(l) > rank_of(r);
    const double left = l->has_own ? l->own_error : -1, right = r->has_own ? r->own_error : -1;
    if (left != right) return left > right;
    return l->has_total && r->has_total &&
           ets_comparison_relative_rms(&l->total) > ets_comparison_relative_rms(&r->total);
}
