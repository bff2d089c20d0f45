/* The table of captured values and their values of the reference. */
#include "base/error.h"
#include "base/text.h"
#include "etscope/experimental/captured_values.h"
#include "gap/gap_details.h"
#include "host/text_builder.h"
#include "output/table/gap_table.h"
#include "views/operator_lines.h"

/* What the cells of a row are of: a captured value, or a node of which nothing was captured. */
struct line {
    struct ets_table *table;
    const struct ets_inspection *inspection;
    const struct ets_gap_value *value;   /* NULL: `hidden` */
    const struct ets_gap_hidden *hidden; /* NULL: `value` */
    struct ets_text source, module;      /* size 0: none */
};

struct field {
    struct ets_column column;
    void (*put)(const struct line *line);
};

static void put_text(const struct line *line, struct ets_text text)
{
    if (text.size > 0) ets_table_put_text(line->table, text);
    else ets_table_put_nothing(line->table);
}

static void put_name(const struct line *line, const struct ets_graph_node *node)
{
    if (node != NULL) put_text(line, node->name);
    else ets_table_put_nothing(line->table);
}

static void put_integer(const struct line *line, int64_t value, bool is_there)
{
    if (is_there) ets_table_put_integer(line->table, value);
    else ets_table_put_nothing(line->table);
}

static void put_instruction(const struct line *line)
{
    if (line->value == NULL) {
        put_integer(line, line->hidden->instruction, line->hidden->instruction >= 0);
        return;
    }
    const struct ets_captured_value *captured = &line->value->captured;
    put_integer(line, captured->instruction, captured->chain >= 0);
}

static void put_operator(const struct line *line)
{
    char room[160];
    struct ets_text_builder text = {room, sizeof room, 0};
    const struct ets_gap_value *value = line->value;
    if (value == NULL) {
        ets_table_put_string(line->table, line->hidden->backend);
        return;
    }
    const struct ets_text name = ets_captured_value_operator(line->inspection, &value->captured);
    if (value->backend == NULL || !ets_text_is(name, "DELEGATE_CALL")) {
        put_text(line, name);
        return;
    }
    ets_add_text(&text, "%s %s", value->backend, value->is_argument ? "input" : "output");
    put_text(line, ets_built_text(&text));
}

static void put_match(const struct line *line)
{
    const struct ets_gap_value *value = line->value;
    ets_table_put_string(line->table, value == NULL        ? "not captured"
                                      : value->is_argument ? "input"
                                                           : ets_gap_match_name(value->match));
}

static void put_node(const struct line *line)
{
    put_name(line, line->value != NULL ? line->value->node : line->hidden->node);
}

static void put_reason(const struct line *line)
{
    ets_table_put_string(line->table,
                         line->value != NULL ? line->value->reason : line->hidden->reason);
}

static void put_source(const struct line *line)
{
    put_text(line, line->source);
}

static void put_module(const struct line *line)
{
    put_text(line, line->module);
}

/* Of a captured value alone. */

static void put_index(const struct line *line)
{
    const struct ets_gap_value *value = line->value;
    put_integer(line, value != NULL ? (int64_t)value->captured.index : 0, value != NULL);
}

static void put_item(const struct line *line)
{
    const struct ets_gap_value *value = line->value;
    put_integer(line, value != NULL ? (int64_t)value->captured.item : 0,
                value != NULL && value->captured.item_count > 0);
}

static void put_occurrence(const struct line *line)
{
    const struct ets_gap_value *value = line->value;
    put_integer(line, value != NULL ? (int64_t)value->occurrence : 0, value != NULL);
}

static void put_shape(const struct line *line)
{
    if (line->value == NULL) {
        ets_table_put_nothing(line->table);
        return;
    }
    const struct ets_captured_value *captured = &line->value->captured;
    ets_table_put_integers(line->table, captured->tensor.sizes,
                           captured->has_tensor ? captured->tensor.rank : 0);
}

static void put_handles(const struct line *line)
{
    if (line->value == NULL) ets_table_put_nothing(line->table);
    else ets_table_put_integers(line->table, line->value->handles, line->value->handle_count);
}

static void put_output(const struct line *line)
{
    const struct ets_gap_value *value = line->value;
    put_integer(line, value != NULL ? (int64_t)value->output : 0,
                value != NULL && value->node != NULL);
}

static void put_view(const struct line *line)
{
    const struct ets_gap_value *value = line->value;
    put_integer(line, value != NULL ? (int64_t)value->is_view : 0, value != NULL);
}

static void put_inferred(const struct line *line)
{
    const struct ets_gap_value *value = line->value;
    put_integer(line, value != NULL ? (int64_t)value->is_inferred : 0, value != NULL);
}

static void put_edge_node(const struct line *line)
{
    put_name(line, line->value != NULL ? line->value->edge_node : NULL);
}

static void put_event(const struct line *line)
{
    const struct ets_gap_value *value = line->value;
    put_integer(line, value != NULL ? (int64_t)value->captured.event : 0,
                value != NULL && value->captured.event != ETS_NO_INDEX);
}

static const struct field fields[] = {
    {{.name = "instruction", .title = "#", .kind = ETS_COLUMN_INTEGER}, put_instruction},
    {{.name = "runtime_op", .title = "captured", .least_width = 16, .cut_in_middle = 1},
     put_operator},
    {{.name = "index", .kind = ETS_COLUMN_INTEGER, .priority = 4}, put_index},
    {{.name = "item", .kind = ETS_COLUMN_INTEGER, .priority = 5}, put_item},
    {{.name = "occurrence", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_occurrence},
    {{.name = "shape", .kind = ETS_COLUMN_NUMBERS, .priority = 2, .least_width = 8}, put_shape},
    {{.name = "match"}, put_match},
    {{.name = "runtime_debug_handle",
      .title = "handles",
      .kind = ETS_COLUMN_NUMBERS,
      .priority = 3,
      .least_width = 7,
      .first_of_list = 1},
     put_handles},
    {{.name = "aot_op", .title = "reference", .least_width = 12, .cut_in_middle = 1}, put_node},
    {{.name = "output", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_output},
    {{.name = "reason", .title = "why", .least_width = 20}, put_reason},
    {{.name = "view", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_view},
    {{.name = "inferred", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_inferred},
    {{.name = "edge_op", .machine_only = 1}, put_edge_node},
    {{.name = "event", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_event},
    {{.name = "source", .priority = 1, .least_width = 14, .cut_at_start = 1}, put_source},
    {{.name = "module", .machine_only = 1}, put_module},
};

enum { FIELDS = sizeof fields / sizeof *fields };

/* Where a node comes from. */
static bool find_place(struct line *line, struct ets_arena *arena,
                       const struct ets_graph_node *node)
{
    struct ets_text_list sources, modules;
    const struct ets_row_node row_node = {node, -1};
    if (!ets_operator_node_places(arena, &row_node, node != NULL, &sources, &modules)) {
        return false;
    }
    if (sources.count > 0) line->source = sources.items[0];
    if (modules.count > 0) line->module = modules.items[0];
    return true;
}

static bool put_line(struct line line, struct ets_arena *arena)
{
    const struct ets_gap_value *value = line.value;
    const struct ets_graph_node *node = value == NULL         ? line.hidden->node
                                        : value->node != NULL ? value->node
                                                              : value->edge_node;
    const bool is_placed = find_place(&line, arena, node);
    ets_table_add_row(line.table, 0);
    if (value == NULL) ets_table_quiet_row(line.table);
    for (size_t i = 0; i < FIELDS; i++) fields[i].put(&line);
    ets_arena_reset(arena);
    return is_placed;
}

enum ets_status ets_alignment_table_fill(struct ets_table *table,
                                         const struct ets_inspection *inspection,
                                         const struct ets_gap_report *report,
                                         struct ets_error *error)
{
    struct ets_arena arena; /* of one row's texts */
    bool ok = true;
    ets_arena_init(&arena, ets_table_allocator(table), 0);
    ets_table_add_columns(table, &fields[0].column, sizeof *fields, FIELDS, 1);
    for (uint32_t i = 0; ok && i < ets_gap_value_count(report); i++) {
        ok = put_line(
            (struct line){
                .table = table, .inspection = inspection, .value = ets_gap_value(report, i)},
            &arena);
    }
    for (uint32_t i = 0; ok && i < ets_gap_hidden_count(report); i++) {
        ok = put_line((struct line){.table = table, .hidden = ets_gap_hidden(report, i)}, &arena);
    }
    return ok ? ETS_OK : ets_fail_memory(error, "the table of captured values");
}
