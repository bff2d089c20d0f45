#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "format/program_names.h"
#include "inspect/row_times.h"
#include "output/table/delegate_table.h"
#include "views/operator_lines.h"

enum cell {
    CELL_METHOD,
    CELL_BLOCK_INDEX,
    CELL_PARTITION,
    CELL_INSTRUCTION,
    CELL_NAME,
    CELL_KIND,
    CELL_EVENT,
    CELL_TIE,
    CELL_NODES,
    CELL_INPUTS,
    CELL_INPUT_BYTES,
    CELL_OUTPUTS,
    CELL_OUTPUT_BYTES,
    CELL_BYTES_ARE,
    CELL_MID,
    CELL_P50,
    CELL_SHARE,
    CELL_SOURCE,
    CELL_MODULE,
    CELL_OPS,
    CELL_HANDLES,
    CELL_REASON,
    CELL_DEPTH,
    CELL_COUNT
};

static const struct ets_column columns[CELL_COUNT] = {
    [CELL_METHOD] = {.name = "method", .machine_only = 1},
    [CELL_BLOCK_INDEX] = {.name = "block_index", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},
    [CELL_PARTITION] = {.name = "partition", .title = "part", .kind = ETS_COLUMN_INTEGER},
    [CELL_INSTRUCTION] = {.name = "instruction",
                          .title = "#",
                          .kind = ETS_COLUMN_INTEGER,
                          .priority = 1},
    [CELL_NAME] = {.name = "operator", .least_width = 30, .cut_in_middle = 1},
    [CELL_KIND] = {.name = "kind", .priority = 2},
    [CELL_EVENT] = {.name = "event", .machine_only = 1},
    [CELL_TIE] = {.name = "tie", .machine_only = 1},
    [CELL_NODES] = {.name = "delegate_nodes", .kind = ETS_COLUMN_LIST, .machine_only = 1},
    [CELL_INPUTS] = {.name = "inputs", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},
    [CELL_INPUT_BYTES] = {.name = "input", .title = "in", .kind = ETS_COLUMN_BYTES},
    [CELL_OUTPUTS] = {.name = "outputs", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},
    [CELL_OUTPUT_BYTES] = {.name = "output", .title = "out", .kind = ETS_COLUMN_BYTES},
    [CELL_BYTES_ARE] = {.name = "bytes_are", .title = "bytes are", .priority = 5},
    [CELL_MID] = {.name = "mid", .kind = ETS_COLUMN_TIME, .has_bounds = 1},
    [CELL_P50] = {.name = "p50", .kind = ETS_COLUMN_TIME, .has_bounds = 1, .machine_only = 1},
    [CELL_SHARE] = {.name = "share", .kind = ETS_COLUMN_SHARE, .has_bounds = 1},
    [CELL_SOURCE] = {.name = "source",
                     .kind = ETS_COLUMN_LIST,
                     .least_width = 14,
                     .cut_at_start = 1,
                     .first_of_list = 1},
    [CELL_MODULE] = {.name = "module",
                     .kind = ETS_COLUMN_LIST,
                     .priority = 3,
                     .least_width = 10,
                     .first_of_list = 1},
    [CELL_OPS] = {.name = "op_types",
                  .kind = ETS_COLUMN_LIST,
                  .priority = 4,
                  .least_width = 20,
                  .first_of_list = 1},
    [CELL_HANDLES] = {.name = "debug_handles", .kind = ETS_COLUMN_LIST, .machine_only = 1},
    [CELL_REASON] = {.name = "reason", .machine_only = 1},
    [CELL_DEPTH] = {.name = "depth", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},
};

/* One line: an instruction, or what a delegate does inside of its call. */
struct line {
    const struct ets_delegation *step;
    const struct ets_delegate_unit *unit; /* NULL: the instruction itself */
    uint32_t row;                         /* of the inspection, or ETS_NO_INDEX */
};

struct filler {
    struct ets_table *table;
    const struct ets_delegations *delegations;
    const struct ets_delegate_table_options *options;
    struct ets_arena arena; /* of one section */
    const char *method;
    uint32_t first_step, end_step; /* of the method */
    uint32_t block;                /* ETS_NO_INDEX: no trace has run the method */
    uint32_t *row_of_step;         /* [step - first_step] */
    uint32_t *first_inside;        /* [step - first_step] its delegate's first event row */
    struct ets_chosen_runs runs;   /* of the block */
    double *per_run;               /* [run of the block] scratch; NULL: no run has a whole */
};

static bool is_timed(const struct filler *f)
{
    return f->options->inspection != NULL;
}

static void add_columns(const struct filler *f)
{
    const bool has_unit = f->options->tick_unit != ETS_UNIT_CYCLES;
    for (int i = 0; i < CELL_COUNT; i++) {
        struct ets_column column = columns[i];
        const bool is_of_trace =
            i == CELL_MID || i == CELL_P50 || i == CELL_SHARE || i == CELL_BLOCK_INDEX;
        if (is_of_trace && !is_timed(f)) continue;
        if (column.kind == ETS_COLUMN_TIME && !has_unit) column.kind = ETS_COLUMN_TICKS;
        ets_table_add_column(f->table, &column);
    }
}

static const char *kind_of(const struct line *line)
{
    if (line->unit != NULL) return "inside";
    switch (line->step->kind) {
    case ETS_INSTRUCTION_DELEGATE_CALL: return "delegate";
    case ETS_INSTRUCTION_KERNEL_CALL: return "kernel";
    case ETS_INSTRUCTION_MOVE_CALL: return "move";
    case ETS_INSTRUCTION_JUMP_FALSE_CALL: return "jump";
    case ETS_INSTRUCTION_FREE_CALL: return "free";
    default: return "unknown";
    }
}

/* "Conv2d + Clamp" of a payload's nodes; else the operator of the graph; else the event. */
static void put_unit_name(struct filler *f, const struct ets_delegate_unit *unit)
{
    size_t room = 1, used = 0;
    for (size_t i = 0; i < unit->payload_node_count; i++) {
        room += strlen(unit->payload_nodes[i].type) + 3;
    }
    char *text = ets_arena_alloc(&f->arena, room);
    if (text == NULL || unit->payload_node_count == 0) {
        ets_table_put_text(f->table, unit->event.size > 0 || unit->node_count == 0
                                         ? unit->event
                                         : unit->nodes[0].node->op);
        return;
    }
    for (size_t i = 0; i < unit->payload_node_count; i++) {
        used += ets_print_text(text + used, room - used, "%s%s", i > 0 ? " + " : "",
                               unit->payload_nodes[i].type);
    }
    ets_table_put_text(f->table, (struct ets_text){text, used});
}

static void put_payload_nodes(struct filler *f, const struct ets_delegate_unit *unit)
{
    const size_t count = unit == NULL ? 0 : unit->payload_node_count;
    struct ets_text *names = ets_arena_alloc_array(&f->arena, count, sizeof *names);
    for (size_t i = 0; names != NULL && i < count; i++) {
        names[i] =
            (struct ets_text){unit->payload_nodes[i].type, strlen(unit->payload_nodes[i].type)};
    }
    ets_table_put_list(f->table, names, names == NULL ? 0 : count);
}

static void put_ops(struct filler *f, const struct ets_row_node *nodes, size_t count)
{
    struct ets_text *ops = ets_arena_alloc_array(&f->arena, count, sizeof *ops);
    for (size_t i = 0; ops != NULL && i < count; i++) ops[i] = nodes[i].node->op;
    ets_table_put_list(f->table, ops, ops == NULL ? 0 : count);
}

static void put_border(const struct filler *f, enum cell cell, const struct line *line)
{
    const struct ets_delegation *step = line->step;
    const bool is_call =
        step->kind == ETS_INSTRUCTION_DELEGATE_CALL || step->kind == ETS_INSTRUCTION_KERNEL_CALL;
    if (line->unit != NULL || !is_call) {
        ets_table_put_nothing(f->table);
    } else if (cell == CELL_BYTES_ARE) {
        ets_table_put_string(f->table, step->is_upper_bound ? "at most" : "exact");
    } else {
        const uint64_t value = cell == CELL_INPUTS        ? step->input_count
                               : cell == CELL_INPUT_BYTES ? step->input_bytes
                               : cell == CELL_OUTPUTS     ? step->output_count
                                                          : step->output_bytes;
        ets_table_put_integer(f->table, value > INT64_MAX ? INT64_MAX : (int64_t)value);
    }
}

/* The times of a row; false: it has none. */
static bool measure(const struct filler *f, uint32_t row, struct ets_chosen_times *times_out)
{
    const struct ets_inspection *inspection = f->options->inspection;
    if (row == ETS_NO_INDEX || ets_row_has_own_clock(ets_inspection_row(inspection, row))) {
        return false;
    }
    ets_inspection_row_ticks(inspection, row, ETS_NO_INDEX, f->per_run);
    ets_chosen_runs_summarise(&f->runs, f->per_run, times_out);
    return true;
}

static void put_time(const struct filler *f, enum cell cell, const struct line *line)
{
    struct ets_chosen_times times;
    if (!measure(f, line->row, &times) || (cell == CELL_SHARE && isnan(f->runs.whole))) {
        ets_table_put_nothing(f->table);
        return;
    }
    const struct ets_row *row = ets_inspection_row(f->options->inspection, line->row);
    const double step = (double)row->quantum_ticks * row->calls_per_run;
    const double value = cell == CELL_P50 ? times.statistics.p50 : times.middle;
    const double scale = cell == CELL_SHARE ? 1 / f->runs.whole
                         : f->options->tick_unit == ETS_UNIT_CYCLES
                             ? 1
                             : 1e9 / ets_time_unit_per_second(f->options->tick_unit);
    ets_table_put_bounds(f->table, value * scale, (value + step) * scale);
}

static void put_cell(struct filler *f, enum cell cell, const struct line *line,
                     const struct ets_row_node *nodes, size_t node_count,
                     const struct ets_text_list *sources, const struct ets_text_list *modules)
{
    const struct ets_delegation *step = line->step;
    const struct ets_delegate_unit *unit = line->unit;
    switch (cell) {
    case CELL_METHOD: ets_table_put_string(f->table, f->method); break;
    case CELL_BLOCK_INDEX:
        if (f->block == ETS_NO_INDEX) ets_table_put_nothing(f->table);
        else ets_table_put_integer(f->table, f->block);
        break;
    case CELL_PARTITION:
        if (step->partition == ETS_NO_INDEX) ets_table_put_nothing(f->table);
        else ets_table_put_integer(f->table, step->partition);
        break;
    case CELL_KIND: ets_table_put_string(f->table, kind_of(line)); break;
    case CELL_INSTRUCTION: ets_table_put_integer(f->table, step->instruction); break;
    case CELL_NAME:
        if (unit != NULL) put_unit_name(f, unit);
        else if (step->name.data != NULL) ets_table_put_text(f->table, step->name);
        else ets_table_put_string(f->table, ets_instruction_kind_name(step->kind));
        break;
    case CELL_EVENT:
        ets_table_put_text(f->table, unit == NULL ? (struct ets_text){NULL, 0} : unit->event);
        break;
    case CELL_TIE:
        ets_table_put_string(f->table, unit == NULL ? NULL : ets_tie_name(unit->tie));
        break;
    case CELL_NODES: put_payload_nodes(f, unit); break;
    case CELL_INPUTS:
    case CELL_INPUT_BYTES:
    case CELL_OUTPUTS:
    case CELL_OUTPUT_BYTES:
    case CELL_BYTES_ARE: put_border(f, cell, line); break;
    case CELL_MID:
    case CELL_P50:
    case CELL_SHARE: put_time(f, cell, line); break;
    case CELL_SOURCE: ets_table_put_list(f->table, sources->items, sources->count); break;
    case CELL_MODULE: ets_table_put_list(f->table, modules->items, modules->count); break;
    case CELL_OPS: put_ops(f, nodes, node_count); break;
    case CELL_HANDLES:
        if (unit != NULL) ets_table_put_integers(f->table, unit->handles, unit->handle_count);
        else ets_table_put_integers(f->table, step->handles, step->handle_count);
        break;
    case CELL_REASON: ets_table_put_string(f->table, unit == NULL ? step->reason : NULL); break;
    case CELL_DEPTH: ets_table_put_integer(f->table, unit != NULL); break;
    case CELL_COUNT: break;
    }
}

static bool put_line(struct filler *f, const struct line *line)
{
    const struct ets_row_node *nodes = line->unit != NULL ? line->unit->nodes : line->step->nodes;
    const size_t count = line->unit != NULL ? line->unit->node_count : line->step->node_count;
    struct ets_text_list sources, modules;
    if (!ets_operator_node_places(&f->arena, nodes, count, &sources, &modules)) return false;
    ets_table_add_row(f->table, line->unit != NULL);
    for (int i = 0; i < CELL_COUNT; i++) {
        const bool is_of_trace =
            i == CELL_MID || i == CELL_P50 || i == CELL_SHARE || i == CELL_BLOCK_INDEX;
        if (is_of_trace && !is_timed(f)) continue;
        put_cell(f, (enum cell)i, line, nodes, count, &sources, &modules);
    }
    return true;
}

/* Which rows of the block are the method's instructions, and their delegates' events. */
static bool find_rows(struct filler *f)
{
    const uint32_t steps = f->end_step - f->first_step;
    f->row_of_step = ets_arena_alloc_array(&f->arena, steps, sizeof *f->row_of_step);
    f->first_inside = ets_arena_alloc_array(&f->arena, steps, sizeof *f->first_inside);
    if (f->row_of_step == NULL || f->first_inside == NULL) return false;
    for (uint32_t i = 0; i < steps; i++) f->row_of_step[i] = f->first_inside[i] = ETS_NO_INDEX;
    f->per_run = NULL;
    if (f->block == ETS_NO_INDEX) return true;
    const struct ets_inspection *inspection = f->options->inspection;
    const struct ets_block *block = ets_inspection_block(inspection, f->block);
    for (uint32_t i = block->first_row; i < block->first_row + block->row_count; i++) {
        const struct ets_row *row = ets_inspection_row(inspection, i);
        if (row->chain != 0 || row->instruction < 0 || (uint32_t)row->instruction >= steps) {
            continue;
        }
        if (row->is_delegated) {
            uint32_t *first = &f->first_inside[row->instruction];
            if (*first == ETS_NO_INDEX) *first = i;
        } else {
            f->row_of_step[row->instruction] = i; /* the outermost ends last */
        }
    }
    const uint32_t runs = ets_inspection_block(inspection, f->block)->run_count;
    f->per_run = ets_arena_alloc_array(&f->arena, runs, sizeof *f->per_run);
    return f->per_run != NULL &&
           ets_chosen_runs_find(&f->arena, inspection, f->block, ETS_NO_INDEX, 0, &f->runs);
}

/* The rows of a call's units, side by side; `rows_out` [unit_count]. */
static void find_unit_rows(const struct filler *f, const struct ets_delegation *step,
                           uint32_t *rows_out)
{
    for (uint32_t i = 0; i < step->unit_count; i++) rows_out[i] = ETS_NO_INDEX;
    const uint32_t first = f->first_inside[step->instruction];
    if (first == ETS_NO_INDEX) return;
    for (uint32_t i = first; i < ets_inspection_row_count(f->options->inspection); i++) {
        const struct ets_row *row = ets_inspection_row(f->options->inspection, i);
        if (!row->is_delegated || row->block != f->block || row->chain != 0 ||
            (uint32_t)row->instruction != step->instruction) {
            return;
        }
        if (row->unit < step->unit_count) rows_out[row->unit] = i;
    }
}

static void add_heading(struct filler *f)
{
    uint32_t partitions = 0, inside = 0, outside = 0;
    double share = 0;
    for (uint32_t i = f->first_step; i < f->end_step; i++) {
        const struct ets_delegation *step = ets_delegations_step(f->delegations, i);
        const bool is_call = step->kind == ETS_INSTRUCTION_DELEGATE_CALL;
        struct ets_chosen_times times;
        partitions += is_call;
        inside += step->unit_count;
        outside += step->kind == ETS_INSTRUCTION_KERNEL_CALL;
        const uint32_t row = f->row_of_step[i - f->first_step];
        if (is_call && measure(f, row, &times)) share += times.middle / f->runs.whole;
    }
    char text[256];
    size_t used = ets_print_text(
        text, sizeof text, "%s - %u partition%s with %u operator%s, %u outside", f->method,
        partitions, partitions == 1 ? "" : "s", inside, inside == 1 ? "" : "s", outside);
    if (f->block != ETS_NO_INDEX) {
        const uint32_t runs = ets_inspection_block(f->options->inspection, f->block)->run_count;
        used += ets_print_text(text + used, sizeof text - used, " - %u run%s", runs,
                               runs == 1 ? "" : "s");
        used += ets_print_share_of(runs, text + used, sizeof text - used);
        if (partitions > 0 && !isnan(share)) {
            used += ets_print_text(text + used, sizeof text - used, ", %u %% of the time delegated",
                                   (unsigned)(100 * share + 0.5));
        }
    } else if (is_timed(f)) {
        used += ets_print_text(text + used, sizeof text - used, " - not in the trace");
    }
    ets_table_add_section(f->table, (struct ets_text){text, used});
}

static bool add_section(struct filler *f, uint32_t block)
{
    bool ok = true;
    f->block = block;
    ets_arena_init(&f->arena, NULL, 0);
    ok = find_rows(f);
    if (ok) add_heading(f);
    for (uint32_t i = f->first_step; ok && i < f->end_step; i++) {
        const struct ets_delegation *step = ets_delegations_step(f->delegations, i);
        uint32_t *rows = ets_arena_alloc_array(&f->arena, step->unit_count, sizeof *rows);
        const struct line call = {step, NULL, f->row_of_step[i - f->first_step]};
        ok = rows != NULL && put_line(f, &call);
        if (ok) find_unit_rows(f, step, rows);
        const uint32_t shown = f->options->calls_only ? 0 : step->unit_count;
        for (uint32_t k = 0; ok && k < shown; k++) {
            const struct line inside = {step, &step->units[k], rows[k]};
            ok = put_line(f, &inside);
        }
    }
    ets_arena_reset(&f->arena);
    return ok;
}

/* A section for each block that ran the method, or one without times. */
static bool add_method(struct filler *f)
{
    const struct ets_inspection *inspection = f->options->inspection;
    bool ok = true, was_run = false;
    for (uint32_t i = 0; ok && is_timed(f) && i < ets_inspection_block_count(inspection); i++) {
        const struct ets_block *block = ets_inspection_block(inspection, i);
        if (block->method_state != ETS_METHOD_FOUND || strcmp(block->method, f->method) != 0) {
            continue;
        }
        ok = add_section(f, i);
        was_run = true;
    }
    return ok && (was_run || add_section(f, ETS_NO_INDEX));
}

enum ets_status ets_delegate_table_fill(struct ets_table *table,
                                        const struct ets_delegations *delegations,
                                        const struct ets_delegate_table_options *options,
                                        struct ets_error *error)
{
    struct filler f = {.table = table, .delegations = delegations, .options = options};
    bool ok = true;
    add_columns(&f);
    const uint32_t count = ets_delegations_count(delegations);
    for (f.first_step = 0; ok && f.first_step < count; f.first_step = f.end_step) {
        const uint32_t index = ets_delegations_step(delegations, f.first_step)->method;
        f.end_step = f.first_step + 1;
        while (f.end_step < count &&
               ets_delegations_step(delegations, f.end_step)->method == index) {
            f.end_step++;
        }
        f.method = ets_delegations_step(delegations, f.first_step)->method_name;
        ok = add_method(&f);
    }
    return ok ? ETS_OK
              : ets_fail(error, ETS_NO_MEMORY, ETS_NO_OFFSET, "no memory for the delegates' table");
}
