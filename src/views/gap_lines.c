/* Describes a row of a gap report: names, source line, module and numbers. */
#include "views/gap_lines.h"

#include "base/error.h"
#include "base/text.h"
#include "etscope/experimental/captured_values.h"
#include "etscope/inspect.h"
#include "host/text_builder.h"
#include "operators/operator_traits.h"

bool ets_gap_computes(const struct ets_graph_node *node)
{
    static const uint32_t traits = ETS_OPERATOR_VIEW | ETS_OPERATOR_PERMUTE | ETS_OPERATOR_PART |
                                   ETS_OPERATOR_SIZE | ETS_OPERATOR_QUANTIZATION;
    return !ets_operator_is(node->op, traits) &&
           !ets_text_contains(node->op, "access_subclass_inner_tensor") &&
           !ets_text_starts_with(node->op, "_operator.");
}

/* What is computed in one with the convolution or product before it. */
static bool is_fused_behind(const struct ets_graph_node *node)
{
    const struct ets_text name = ets_operator_base_name(node->op);
    return ets_operator_is(node->op, ETS_OPERATOR_IN_PLACE) || ets_text_starts_with(name, "relu") ||
           ets_text_contains(name, "batch_norm");
}

/*
 * The node that a row is named after: the value's own, if it computes; else what the conversion or
 * view behind it is of: the last operator, or the convolution before its activation.
 */
static const struct ets_graph_node *find_named(const struct ets_graph_node *own,
                                               const struct ets_gap_nodes *nodes)
{
    const uint32_t operators = ETS_OPERATOR_MULTIPLICATION | ETS_OPERATOR_PAIRWISE;
    const struct ets_graph_node *last = NULL, *moved = own;
    if (ets_gap_computes(own)) return own;
    for (uint32_t i = nodes->count; i-- > 0;) {
        const struct ets_graph_node *node = nodes->items[i];
        if (!ets_gap_computes(node)) {
            const bool is_view = !ets_operator_is(node->op, ETS_OPERATOR_QUANTIZATION);
            if (is_view && ets_operator_is(moved->op, ETS_OPERATOR_QUANTIZATION)) moved = node;
            continue;
        }
        if (last == NULL) last = node;
        if (ets_operator_is(node->op, operators)) return node;
        if (!is_fused_behind(node)) break;
    }
    return last != NULL ? last : moved;
}

enum ets_status ets_gap_nodes_find(struct ets_arena *arena, const struct ets_gap_report *report,
                                   uint32_t row, struct ets_gap_nodes *nodes_out,
                                   struct ets_error *error)
{
    const struct ets_graph_node *own = ets_gap_row(report, row)->value->node;
    struct ets_gap_nodes nodes = {.count = 0};
    ETS_TRY(ets_gap_region(report, row, NULL, 0, &nodes.count, NULL, 0, &nodes.row_count, error));
    struct ets_text *names = ets_arena_alloc_array(arena, (size_t)nodes.count + 1, sizeof *names);
    nodes.items = ets_arena_alloc_array(arena, nodes.count, sizeof *nodes.items);
    nodes.rows = ets_arena_alloc_array(arena, nodes.row_count, sizeof *nodes.rows);
    if (names == NULL || nodes.items == NULL || nodes.rows == NULL) {
        return ets_fail_memory(error, "the nodes of a value");
    }
    ETS_TRY(ets_gap_region(report, row, nodes.items, nodes.count, &nodes.count, nodes.rows,
                           nodes.row_count, &nodes.row_count, error));
    nodes.names.items = names;
    nodes.named = find_named(own, &nodes);
    names[nodes.names.count++] = nodes.named->name;
    for (uint32_t i = 0; i < nodes.count; i++) {
        if (nodes.items[i] != nodes.named) names[nodes.names.count++] = nodes.items[i]->name;
    }
    *nodes_out = nodes;
    return ETS_OK;
}

static bool list_nodes(struct ets_gap_line *line, struct ets_arena *arena,
                       const struct ets_gap_report *report)
{
    const struct ets_gap_nodes *nodes = &line->nodes;
    const size_t bytes = sizeof(struct ets_text);
    line->ops.items = ets_arena_alloc_array(arena, nodes->count, bytes);
    line->traces.items = ets_arena_alloc_array(arena, nodes->count, bytes);
    line->ancestors.items = ets_arena_alloc_array(arena, nodes->row_count, bytes);
    if (line->ops.items == NULL || line->traces.items == NULL || line->ancestors.items == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < nodes->count; i++) {
        line->ops.items[line->ops.count++] = nodes->items[i]->name;
        if (nodes->items[i]->stack_trace.size > 0) {
            line->traces.items[line->traces.count++] = nodes->items[i]->stack_trace;
        }
    }
    for (uint32_t i = 0; i < nodes->row_count; i++) {
        line->ancestors.items[line->ancestors.count++] =
            ets_gap_row(report, nodes->rows[i])->value->node->name;
    }
    return true;
}

/* The node whose line and module the value has: what the row is named after, or the last before it
 * that has a line. */
static const struct ets_graph_node *find_placed(const struct ets_gap_nodes *nodes)
{
    if (ets_graph_user_frame(nodes->named) != NULL) return nodes->named;
    for (uint32_t i = nodes->count; i-- > 0;) {
        if (ets_graph_user_frame(nodes->items[i]) != NULL) return nodes->items[i];
    }
    return nodes->named;
}

static bool find_place(struct ets_gap_line *line, struct ets_arena *arena,
                       const struct ets_graph_node *node)
{
    struct ets_text_list sources, modules;
    const struct ets_row_node row_node = {node, -1};
    if (!ets_operator_node_places(arena, &row_node, 1, &sources, &modules)) return false;
    if (sources.count > 0) line->source = sources.items[0];
    if (modules.count > 0) line->module = modules.items[0];
    return true;
}

/* "c1, c2, c3 +2": of a delegate's partition all modules, as none of them is known to be meant. */
static bool join_modules(struct ets_gap_line *line, struct ets_arena *arena)
{
    enum { MOST = 3, ROOM = 200 };
    struct ets_text seen[MOST];
    uint32_t count = 0, more = 0;
    char text[ROOM];
    struct ets_text_builder out = {text, sizeof text, 0};
    text[0] = '\0';
    for (uint32_t i = 0; i < line->nodes.count; i++) {
        const struct ets_text path = ets_graph_module_path(line->nodes.items[i]);
        bool is_new = path.size > 0;
        for (uint32_t k = 0; k < count; k++) is_new = is_new && !ets_text_equal(seen[k], path);
        if (!is_new) continue;
        if (count == MOST) {
            more++;
            continue;
        }
        ets_add_plain_text(&out, "%s%.*s", count > 0 ? ", " : "", ETS_TEXT(path));
        seen[count++] = path;
    }
    if (count <= 1) return true;
    if (more > 0) ets_add_plain_text(&out, " and more");
    const size_t size = out.used < ROOM ? out.used : ROOM - 1;
    const char *copy = ets_arena_copy_text(arena, text, size);
    line->module = (struct ets_text){copy, copy == NULL ? 0 : size};
    return copy != NULL;
}

static void name_capture(struct ets_gap_line *line, const struct ets_inspection *inspection,
                         const struct ets_gap_value *value)
{
    const struct ets_captured_value *captured = &value->captured;
    line->captured = ets_captured_value_operator(inspection, captured);
    if (captured->row != ETS_NO_INDEX) {
        line->event = ets_inspection_row(inspection, captured->row)->name;
    }
    if (value->backend != NULL && ets_text_is(line->captured, "DELEGATE_CALL")) {
        line->captured = ets_text_of(value->backend);
    }
    if (value->is_computed) line->captured = ets_text_of("(computed)");
}

enum ets_status ets_gap_line_make(struct ets_gap_line *line, struct ets_arena *arena,
                                  const struct ets_inspection *inspection,
                                  const struct ets_gap_report *report, uint32_t row,
                                  struct ets_error *error)
{
    *line = (struct ets_gap_line){.of = ets_gap_row(report, row)};
    const struct ets_gap_value *value = line->of->value;
    ETS_TRY(ets_gap_nodes_find(arena, report, row, &line->nodes, error));
    line->placed = find_placed(&line->nodes);
    if (inspection != NULL) name_capture(line, inspection, value);
    const bool is_partition = value->backend != NULL && !value->is_computed;
    if (!list_nodes(line, arena, report) || !find_place(line, arena, line->placed) ||
        (is_partition && !join_modules(line, arena))) {
        return ets_fail_memory(error, "the line of a value");
    }
    return ETS_OK;
}
