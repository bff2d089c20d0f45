/*
 * The errors of a gap report, value by value, for the view of source lines.
 *
 *     struct ets_line_errors errors;
 *     if (!ets_line_errors_collect(&arena, inspection, report, block, &filter, &errors)) {
 *         return no_memory;
 *     }
 *     ets_source_lines_collect(&arena, &work, &runs, NULL, &errors, false, &lines);
 *
 * Nodes and names belong to the report and its ETRecord, lists to the arena.
 */
#ifndef ETSCOPE_VIEWS_LINE_ERRORS_H
#define ETSCOPE_VIEWS_LINE_ERRORS_H

#include "etscope/experimental/gap.h"
#include "etscope/experimental/row_filter.h"
#include "views/places.h"

/* A value that was compared. */
struct ets_line_error {
    const struct ets_gap_row *row;
    const struct ets_graph_node *const
        *nodes; /* [node_count] nodes that its own error covers, including the value's own */
    uint32_t node_count;
    struct ets_text_list names; /* of those, the value's own first */
};

struct ets_line_errors {
    struct ets_line_error *items;
    uint32_t count;
};

/*
 * Collects the values of `report` that were compared in `block` and that `filter` keeps. False: no
 * memory.
 */
bool ets_line_errors_collect(struct ets_arena *arena, const struct ets_inspection *inspection,
                             const struct ets_gap_report *report, uint32_t block,
                             const struct ets_row_filter *filter,
                             struct ets_line_errors *errors_out);

/*
 * Whether `error` matters more for a line than `than` (NULL: it does): guilty first, then standing
 * out, then larger.
 */
bool ets_line_error_is_worse(const struct ets_line_error *error, const struct ets_line_error *than);

#endif
