/* The table of what was captured beside what the reference has. */
#include <string.h>

#include "base/text.h"
#include "etscope/experimental/captured_values.h"
#include "etscope/experimental/gap.h"
#include "etscope/inspect.h"
#include "gap/gap_details.h"
#include "output/table/gap_table.h"
#include "output/table/table.h"
#include "output/table/table_cells.h"
#include "views/operator_lines.h"

enum cell {
    CELL_INSTRUCTION,
    CELL_OPERATOR,
    CELL_INDEX,
    CELL_ITEM,
    CELL_OCCURRENCE,
    CELL_SHAPE,
    CELL_MATCH,
    CELL_HANDLES,
    CELL_NODE,
    CELL_OUTPUT,
    CELL_REASON,
    CELL_VIEW,
    CELL_INFERRED,
    CELL_EDGE_NODE,
    CELL_EVENT,
    CELL_SOURCE,
    CELL_MODULE,
    CELL_COUNT
};

static const struct ets_column columns[CELL_COUNT] = {
    [CELL_INSTRUCTION] = {.name = "instruction", .title = "#", .kind = ETS_COLUMN_INTEGER},
    [CELL_OPERATOR] = {.name = "runtime_op",
                       .title = "captured",
                       .least_width = 16,
                       .cut_in_middle = 1},
    [CELL_INDEX] = {.name = "index", .kind = ETS_COLUMN_INTEGER, .priority = 4},
    [CELL_ITEM] = {.name = "item", .kind = ETS_COLUMN_INTEGER, .priority = 5},
    [CELL_OCCURRENCE] = {.name = "occurrence", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},
    [CELL_SHAPE] = {.name = "shape", .kind = ETS_COLUMN_NUMBERS, .priority = 2, .least_width = 8},
    [CELL_MATCH] = {.name = "match"},
    [CELL_HANDLES] = {.name = "runtime_debug_handle",
                      .title = "handles",
                      .kind = ETS_COLUMN_NUMBERS,
                      .priority = 3,
                      .least_width = 7,
                      .first_of_list = 1},
    [CELL_NODE] = {.name = "aot_op", .title = "reference", .least_width = 12, .cut_in_middle = 1},
    [CELL_OUTPUT] = {.name = "output", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},
    [CELL_REASON] = {.name = "reason", .title = "why", .least_width = 20},
    [CELL_VIEW] = {.name = "view", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},
    [CELL_INFERRED] = {.name = "inferred", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},
    [CELL_EDGE_NODE] = {.name = "edge_op", .machine_only = 1},
    [CELL_EVENT] = {.name = "event", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},
    [CELL_SOURCE] = {.name = "source", .priority = 1, .least_width = 14, .cut_at_start = 1},
    [CELL_MODULE] = {.name = "module", .machine_only = 1},
};

struct filler {
    struct ets_table *table;
    const struct ets_inspection *inspection;
    struct ets_arena arena; /* of one row's texts */
};

static void put_text(const struct filler *f, struct ets_text text)
{
    if (text.size > 0) ets_table_put_text(f->table, text);
    else ets_table_put_nothing(f->table);
}

/* Where a node comes from. */
static bool put_place(struct filler *f, enum cell cell, const struct ets_graph_node *node)
{
    struct ets_text_list sources, modules;
    const struct ets_row_node row_node = {node, -1};
    if (!ets_operator_node_places(&f->arena, &row_node, node != NULL, &sources, &modules)) {
        return false;
    }
    const struct ets_text_list *list = cell == CELL_SOURCE ? &sources : &modules;
    put_text(f, list->count > 0 ? list->items[0] : (struct ets_text){NULL, 0});
    return true;
}

static void put_runtime_op(struct filler *f, const struct ets_gap_value *value)
{
    const struct ets_text name = ets_captured_value_operator(f->inspection, &value->captured);
    char text[160];
    if (value->backend == NULL || !ets_text_is(name, "DELEGATE_CALL")) {
        put_text(f, name);
        return;
    }
    const size_t used = ets_print_text(text, sizeof text, "%s %s", value->backend,
                                       value->is_argument ? "input" : "output");
    put_text(f, (struct ets_text){text, used});
}

static void put_integer(const struct filler *f, int64_t value, bool is_there)
{
    if (is_there) ets_table_put_integer(f->table, value);
    else ets_table_put_nothing(f->table);
}

static bool put_cell(struct filler *f, enum cell cell, const struct ets_gap_value *value)
{
    const struct ets_captured_value *captured = &value->captured;
    switch (cell) {
    case CELL_INSTRUCTION: put_integer(f, captured->instruction, captured->chain >= 0); break;
    case CELL_OPERATOR: put_runtime_op(f, value); break;
    case CELL_INDEX: ets_table_put_integer(f->table, captured->index); break;
    case CELL_ITEM: put_integer(f, captured->item, captured->item_count > 0); break;
    case CELL_OCCURRENCE: ets_table_put_integer(f->table, value->occurrence); break;
    case CELL_SHAPE:
        ets_table_put_integers(f->table, captured->tensor.sizes,
                               captured->has_tensor ? captured->tensor.rank : 0);
        break;
    case CELL_MATCH:
        ets_table_put_string(f->table,
                             value->is_argument ? "input" : ets_gap_match_name(value->match));
        break;
    case CELL_HANDLES: ets_table_put_integers(f->table, value->handles, value->handle_count); break;
    case CELL_NODE:
        put_text(f, value->node == NULL ? (struct ets_text){NULL, 0} : value->node->name);
        break;
    case CELL_OUTPUT: put_integer(f, value->output, value->node != NULL); break;
    case CELL_REASON: ets_table_put_string(f->table, value->reason); break;
    case CELL_VIEW: ets_table_put_integer(f->table, value->is_view); break;
    case CELL_INFERRED: ets_table_put_integer(f->table, value->is_inferred); break;
    case CELL_EDGE_NODE:
        put_text(f, value->edge_node == NULL ? (struct ets_text){NULL, 0} : value->edge_node->name);
        break;
    case CELL_EVENT: put_integer(f, captured->event, captured->event != ETS_NO_INDEX); break;
    case CELL_SOURCE:
    case CELL_MODULE:
        return put_place(f, cell, value->node != NULL ? value->node : value->edge_node);
    case CELL_COUNT: break;
    }
    return true;
}

static bool put_hidden_cell(struct filler *f, enum cell cell, const struct ets_gap_hidden *hidden)
{
    switch (cell) {
    case CELL_INSTRUCTION: put_integer(f, hidden->instruction, hidden->instruction >= 0); break;
    case CELL_OPERATOR: ets_table_put_string(f->table, hidden->backend); break;
    case CELL_MATCH: ets_table_put_string(f->table, "not captured"); break;
    case CELL_NODE: put_text(f, hidden->node->name); break;
    case CELL_REASON: ets_table_put_string(f->table, hidden->reason); break;
    case CELL_SOURCE:
    case CELL_MODULE: return put_place(f, cell, hidden->node);
    default: ets_table_put_nothing(f->table);
    }
    return true;
}

static bool fill(struct filler *f, const struct ets_gap_report *report)
{
    for (int i = 0; i < CELL_COUNT; i++) ets_table_add_column(f->table, &columns[i]);
    for (uint32_t i = 0; i < ets_gap_value_count(report); i++) {
        ets_table_add_row(f->table, 0);
        for (int k = 0; k < CELL_COUNT; k++) {
            if (!put_cell(f, (enum cell)k, ets_gap_value(report, i))) return false;
        }
        ets_arena_reset(&f->arena);
    }
    for (uint32_t i = 0; i < ets_gap_hidden_count(report); i++) {
        ets_table_add_row(f->table, 0);
        ets_table_quiet_row(f->table);
        for (int k = 0; k < CELL_COUNT; k++) {
            if (!put_hidden_cell(f, (enum cell)k, ets_gap_hidden(report, i))) return false;
        }
        ets_arena_reset(&f->arena);
    }
    return true;
}

enum ets_status ets_alignment_table_fill(struct ets_table *table,
                                         const struct ets_inspection *inspection,
                                         const struct ets_gap_report *report,
                                         struct ets_error *error)
{
    struct filler f = {.table = table, .inspection = inspection};
    ets_arena_init(&f.arena, NULL, 0);
    const bool is_filled = fill(&f, report);
    ets_arena_reset(&f.arena);
    if (is_filled) return ETS_OK;
    return ets_fail(error, ETS_NO_MEMORY, ETS_NO_OFFSET, "no memory for the table");
}
