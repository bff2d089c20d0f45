/* Describes a row of a gap report: names, source line, module and numbers. */
#include "views/gap_lines.h"

#include "base/error.h"
#include "base/text.h"
#include "etscope/experimental/captured_values.h"
#include "etscope/experimental/gap.h"
#include "etscope/inspect.h"
#include "host/number.h"
#include "views/operator_lines.h"

struct ets_text ets_gap_number(char *text, size_t room, double value)
{
    if (room < ETS_NUMBER_CHARS) return (struct ets_text){NULL, 0};
    return (struct ets_text){text, ets_print_double(text, value)};
}

static struct ets_text text_of(const char *string)
{
    return (struct ets_text){string, string == NULL ? 0 : strlen(string)};
}

/* Names and traces of the nodes, the row's own first. */
static bool name_nodes(struct gap_line *line, struct ets_arena *arena,
                       const struct ets_graph_node *own, const struct ets_graph_node **nodes,
                       uint32_t count)
{
    line->names = ets_arena_alloc_array(arena, (size_t)count + 1, sizeof *line->names);
    line->ops = ets_arena_alloc_array(arena, count, sizeof *line->ops);
    line->traces = ets_arena_alloc_array(arena, count, sizeof *line->traces);
    if (line->names == NULL || line->ops == NULL || line->traces == NULL) return false;
    line->names[line->name_count++] = own->name;
    for (uint32_t i = 0; i < count; i++) {
        if (nodes[i] != own) line->names[line->name_count++] = nodes[i]->name;
        line->ops[line->op_count++] = nodes[i]->name;
        if (nodes[i]->stack_trace.size > 0) {
            line->traces[line->trace_count++] = nodes[i]->stack_trace;
        }
    }
    return true;
}

/* The node whose line and module the value has: `own`, or the last before it that has a line. */
static const struct ets_graph_node *find_placed(const struct ets_graph_node *own,
                                                const struct ets_graph_node *const *nodes,
                                                uint32_t count)
{
    if (ets_graph_user_frame(own) != NULL) return own;
    for (uint32_t i = count; i-- > 0;) {
        if (ets_graph_user_frame(nodes[i]) != NULL) return nodes[i];
    }
    return own;
}

static bool find_place(struct gap_line *line, struct ets_arena *arena,
                       const struct ets_graph_node *node)
{
    struct ets_text_list sources, modules;
    const struct ets_row_node row_node = {node, -1};
    if (!ets_operator_node_places(arena, &row_node, 1, &sources, &modules)) return false;
    if (sources.count > 0) line->source = sources.items[0];
    if (modules.count > 0) line->module = modules.items[0];
    return true;
}

static void name_capture(struct gap_line *line, const struct ets_inspection *inspection,
                         const struct ets_gap_value *value)
{
    const struct ets_captured_value *captured = &value->captured;
    line->captured = ets_captured_value_operator(inspection, captured);
    if (captured->row != ETS_NO_INDEX) {
        line->event = ets_inspection_row(inspection, captured->row)->name;
    }
    if (value->backend != NULL && ets_text_is(line->captured, "DELEGATE_CALL")) {
        line->captured = text_of(value->backend);
    }
    if (value->is_computed) line->captured = text_of("(computed)");
}

enum ets_status ets_gap_line_make(struct gap_line *line, struct ets_arena *arena,
                                  const struct ets_inspection *inspection,
                                  const struct ets_gap_report *report, uint32_t row,
                                  struct ets_error *error)
{
    const struct ets_gap_row *gap = ets_gap_row(report, row);
    const struct ets_graph_node **nodes;
    uint32_t node_count, row_count, *rows;
    *line = (struct gap_line){.name_count = 0};
    ETS_TRY(ets_gap_region(report, row, NULL, 0, &node_count, NULL, 0, &row_count, error));
    nodes = ets_arena_alloc_array(arena, node_count, sizeof *nodes);
    rows = ets_arena_alloc_array(arena, row_count, sizeof *rows);
    line->ancestors = ets_arena_alloc_array(arena, row_count, sizeof *line->ancestors);
    if (nodes == NULL || rows == NULL || line->ancestors == NULL) {
        return ets_fail(error, ETS_NO_MEMORY, ETS_NO_OFFSET, "no memory for the table");
    }
    ETS_TRY(ets_gap_region(report, row, nodes, node_count, &node_count, rows, row_count, &row_count,
                           error));
    for (uint32_t i = 0; i < row_count; i++) {
        line->ancestors[line->ancestor_count++] = ets_gap_row(report, rows[i])->value->node->name;
    }
    line->placed = find_placed(gap->value->node, nodes, node_count);
    if (inspection != NULL) name_capture(line, inspection, gap->value);
    if (!name_nodes(line, arena, gap->value->node, nodes, node_count) ||
        !find_place(line, arena, line->placed)) {
        return ets_fail(error, ETS_NO_MEMORY, ETS_NO_OFFSET, "no memory for the table");
    }
    return ETS_OK;
}
