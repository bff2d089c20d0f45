/*
 * A compared value for display: its node and its place in the model.
 *
 *     struct ets_gap_line line;
 *     if (ets_gap_line_make(&line, &arena, inspection, report, row, &error) == ETS_OK) show(&line);
 *
 * Everything is in the arena or borrowed from the report and the inspection, which must live as
 * long. Statuses: NO_MEMORY.
 */
#ifndef ETSCOPE_VIEWS_GAP_LINES_H
#define ETSCOPE_VIEWS_GAP_LINES_H

#include <stdbool.h>

#include "etscope/experimental/gap.h"
#include "host/arena.h"
#include "views/operator_lines.h"

/*
 * The nodes that a row's own error covers: the value's node, and those between it and captured
 * values.
 */
struct ets_gap_nodes {
    const struct ets_graph_node **items; /* [count] in the graph's order */
    uint32_t count;
    const struct ets_graph_node *named; /* the node that the row is named after */
    struct ets_text_list names;         /* that node first */
    uint32_t *rows; /* [row_count] of the report: the captured values they start from */
    uint32_t row_count;
};

/* Whether a node is an operator that an error can come from: no view, size or conversion. */
bool ets_gap_computes(const struct ets_graph_node *node);

enum ets_status ets_gap_nodes_find(struct ets_arena *arena, const struct ets_gap_report *report,
                                   uint32_t row, struct ets_gap_nodes *nodes_out,
                                   struct ets_error *error);

struct ets_gap_line {
    const struct ets_gap_row *of;
    struct ets_gap_nodes nodes;
    struct ets_text_list ops, traces; /* of the nodes in the graph's order */
    struct ets_text_list ancestors;   /* of the rows that they start from */
    struct ets_text captured;         /* "addmm.out", "XnnpackBackend" */
    struct ets_text event;            /* as the trace names it */
    const struct ets_graph_node *
        placed; /* the node with source line and module: nodes that the quantizer added have none */
    struct ets_text source, module;
};

/* Without an inspection: no events. */
enum ets_status ets_gap_line_make(struct ets_gap_line *line, struct ets_arena *arena,
                                  const struct ets_inspection *inspection,
                                  const struct ets_gap_report *report, uint32_t row,
                                  struct ets_error *error);

#endif
