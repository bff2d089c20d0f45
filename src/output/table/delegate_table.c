/* The table of `delegates`: instructions, and the operators inside each delegate call. */
#include "output/table/delegate_table.h"

#include "output/table/cost_fields.h"
#include "output/table/roof_fields.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "cost/step_costs.h"
#include "format/program_names.h"
#include "host/text_builder.h"
#include "inspect/time_details.h"
#include "partition/partitioners.h"
#include "partition/undelegated_kernels.h"
#include "views/chosen_runs.h"
#include "views/delegate_lines.h"
#include "views/operator_lines.h"

/* What the cells of a row are of. */
struct line {
    struct ets_table *table;
    const struct ets_delegate_section *section;
    const struct ets_delegate_lines *lines;
    const struct ets_delegate_line *of;
    const struct ets_delegation_step *step;
    const struct ets_delegate_unit *unit; /* NULL: the row is of the instruction */
    double tick;                          /* nanoseconds, or 1 where the clock has no unit */
    struct ets_text name;
    struct ets_text_list payload_nodes, sources, modules, ops;
    const struct ets_delegation *delegations;
    const struct ets_step_costs *costs; /* NULL: none */
    const struct ets_outside *outsides; /* [step] why it is outside of delegates */
    bool has_rates;
    double flops_unit;                 /* that people see flops in */
    const struct ets_machine *machine; /* NULL: none */
    uint32_t threads;
    struct ets_costs row_costs;          /* of the trace; with a machine */
    const struct ets_headroom *headroom; /* of the section's block; NULL: it has none */
};

struct field {
    struct ets_column column;
    void (*put)(const struct line *line);
};

static void put_method(const struct line *line)
{
    ets_table_put_string(line->table, line->step->method_name);
}

static void put_number(const struct line *line, uint32_t number)
{
    if (number == ETS_NO_INDEX) ets_table_put_nothing(line->table);
    else ets_table_put_integer(line->table, number);
}

static void put_block(const struct line *line)
{
    put_number(line, line->section->block);
}

static void put_partition(const struct line *line)
{
    put_number(line, line->step->partition);
}

static void put_instruction(const struct line *line)
{
    ets_table_put_integer(line->table, line->step->instruction);
}

static void put_name(const struct line *line)
{
    ets_table_put_text(line->table, line->name);
}

static const char *kind_name(const struct line *line)
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

static void put_kind(const struct line *line)
{
    ets_table_put_string(line->table, kind_name(line));
}

static void put_event(const struct line *line)
{
    if (line->unit == NULL) ets_table_put_nothing(line->table);
    else ets_table_put_text(line->table, line->unit->event);
}

static void put_tie(const struct line *line)
{
    ets_table_put_string(line->table, line->unit == NULL ? NULL : ets_tie_name(line->unit->tie));
}

static void put_list(const struct line *line, const struct ets_text_list *list)
{
    ets_table_put_list(line->table, list->items, list->count);
}

static void put_payload_nodes(const struct line *line)
{
    put_list(line, &line->payload_nodes);
}

/* Only what calls something takes and gives tensors. */
static bool has_border(const struct line *line)
{
    return line->unit == NULL && (line->step->kind == ETS_INSTRUCTION_DELEGATE_CALL ||
                                  line->step->kind == ETS_INSTRUCTION_KERNEL_CALL);
}

static void put_border(const struct line *line, uint64_t value)
{
    if (!has_border(line)) ets_table_put_nothing(line->table);
    else ets_table_put_count(line->table, value);
}

static void put_inputs(const struct line *line)
{
    put_border(line, line->step->input_count);
}

static void put_input_bytes(const struct line *line)
{
    put_border(line, line->step->input_bytes);
}

static void put_outputs(const struct line *line)
{
    put_border(line, line->step->output_count);
}

static void put_output_bytes(const struct line *line)
{
    put_border(line, line->step->output_bytes);
}

static void put_bytes_are(const struct line *line)
{
    const char *words = line->step->is_upper_bound ? "at most" : "exact";
    ets_table_put_string(line->table, has_border(line) ? words : NULL);
}

static void put_ticks(const struct line *line, double ticks, double scale)
{
    if (isnan(ticks * scale)) ets_table_put_nothing(line->table);
    else ets_table_put_bounds(line->table, ticks * scale, (ticks + line->of->resolution) * scale);
}

static void put_middle(const struct line *line)
{
    put_ticks(line, line->of->middle, line->tick);
}

static void put_p50(const struct line *line)
{
    put_ticks(line, line->of->p50, line->tick);
}

static void put_share(const struct line *line)
{
    put_ticks(line, line->of->middle, 1 / line->lines->whole);
}

/* Steps are the instructions. */
static uint32_t step_of(const struct line *line)
{
    return line->section->first_step + line->step->instruction;
}

/* The work of a line in one run: as often as the trace says that it ran. */
static void put_cost(const struct line *line)
{
    const uint32_t step = step_of(line);
    struct ets_cost cost = line->unit == NULL ? line->costs->steps[step].cost
                                              : line->costs->units[step][line->of->unit];
    const uint32_t row = line->of->row;
    const bool is_timed = line->has_rates && row != ETS_NO_INDEX && !isnan(line->of->middle);
    if (row != ETS_NO_INDEX) {
        ets_cost_multiply(&cost, ets_inspection_row(line->section->inspection, row)->calls_per_run);
    }
    const struct ets_cost_cells cells = {
        .table = line->table,
        .cost = &cost,
        .lower_ns = is_timed ? line->of->middle * line->tick : NAN,
        .upper_ns = is_timed ? (line->of->middle + line->of->resolution) * line->tick : NAN,
        .unit = line->flops_unit,
    };
    ets_cost_fields_put(&cells, line->has_rates);
}

/* The row that is judged: of an OPERATOR_CALL the kernel's, which is just before it. */
static uint32_t find_judged(const struct line *line)
{
    const uint32_t row = line->headroom != NULL ? line->of->row : ETS_NO_INDEX;
    if (row == ETS_NO_INDEX || line->step->kind != ETS_INSTRUCTION_KERNEL_CALL) return row;
    if (row == line->headroom->first_row) return row;
    const bool is_inside = ets_inspection_row(line->section->inspection, row - 1)->parent == row;
    return is_inside ? row - 1 : row;
}

/* What the machine's roof says of the line, where the trace has it. */
static void put_roof(const struct line *line)
{
    static const struct ets_headroom nothing = {.first_row = 0};
    const uint32_t row = find_judged(line);
    const struct ets_headroom *headroom = row != ETS_NO_INDEX ? line->headroom : &nothing;
    const double saved =
        row != ETS_NO_INDEX ? headroom->rows[row - headroom->first_row].saved : NAN;
    ets_roof_fields_put_row(line->table, headroom, row, line->of->middle * line->tick,
                            (line->of->middle + line->of->resolution) * line->tick,
                            saved * line->tick);
}

static void put_sources(const struct line *line)
{
    put_list(line, &line->sources);
}

static void put_modules(const struct line *line)
{
    put_list(line, &line->modules);
}

static void put_ops(const struct line *line)
{
    put_list(line, &line->ops);
}

static void put_handles(const struct line *line)
{
    if (line->unit != NULL) {
        ets_table_put_integers(line->table, line->unit->handles, line->unit->handle_count);
    } else {
        ets_table_put_integers(line->table, line->step->handles, line->step->handle_count);
    }
}

static void put_reason(const struct line *line)
{
    ets_table_put_string(line->table, line->unit == NULL ? line->step->reason : NULL);
}

static const struct ets_outside *outside_of(const struct line *line)
{
    static const struct ets_outside nothing = {.kind = ETS_OUTSIDE_UNKNOWN};
    return line->unit == NULL ? &line->outsides[step_of(line)] : &nothing;
}

static void put_why_out(const struct line *line)
{
    ets_table_put_text(line->table, outside_of(line)->reason);
}

static void put_why_out_kind(const struct line *line)
{
    ets_table_put_string(line->table, ets_outside_kind_name(outside_of(line)->kind));
}

static void put_why_out_rule(const struct line *line)
{
    ets_table_put_string(line->table, outside_of(line)->rule);
}

static void put_remedy(const struct line *line)
{
    ets_table_put_string(line->table, outside_of(line)->remedy);
}

static void put_why_out_by(const struct line *line)
{
    const struct ets_outside *outside = outside_of(line);
    ets_table_put_string(line->table,
                         outside->reason.data == NULL ? NULL : outside->asked->items[0]->release);
}

static void put_depth(const struct line *line)
{
    ets_table_put_integer(line->table, line->unit != NULL);
}

static const struct field fields[] = {
    {{.name = "method", .machine_only = 1}, put_method},
    {{.name = "block_index", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_block},
    {{.name = "partition", .title = "part", .kind = ETS_COLUMN_INTEGER, .blank_as_parent = 1},
     put_partition},
    {{.name = "instruction", .title = "#", .kind = ETS_COLUMN_INTEGER, .is_ordinal = 1},
     put_instruction},
    {{.name = "operator", .least_width = 26, .cut_in_middle = 1, .counts_repeats = 1}, put_name},
    {{.name = "kind", .priority = 3}, put_kind},
    {{.name = "event", .machine_only = 1}, put_event},
    {{.name = "tie", .machine_only = 1}, put_tie},
    {{.name = "delegate_nodes", .kind = ETS_COLUMN_LIST, .machine_only = 1}, put_payload_nodes},
    {{.name = "inputs", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_inputs},
    {{.name = "input", .title = "in", .kind = ETS_COLUMN_BYTES, .priority = 2}, put_input_bytes},
    {{.name = "outputs", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_outputs},
    {{.name = "output", .title = "out", .kind = ETS_COLUMN_BYTES, .priority = 2}, put_output_bytes},
    {{.name = "bytes_are", .title = "size known", .priority = 5}, put_bytes_are},
    {{.name = "mid", .kind = ETS_COLUMN_TIME, .has_bounds = 1}, put_middle},
    {{.name = "p50", .kind = ETS_COLUMN_TIME, .has_bounds = 1, .machine_only = 1}, put_p50},
    {{.name = "share", .kind = ETS_COLUMN_SHARE, .has_bounds = 1}, put_share},
    {{.name = "source",
      .kind = ETS_COLUMN_LIST,
      .priority = 1,
      .least_width = 14,
      .cut_at_start = 1,
      .first_of_list = 1,
      .blank_as_parent = 1},
     put_sources},
    {{.name = "module",
      .kind = ETS_COLUMN_LIST,
      .priority = 3,
      .least_width = 10,
      .cut_at_start = 1,
      .first_of_list = 1,
      .blank_as_parent = 1},
     put_modules},
    {{.name = "op_types",
      .kind = ETS_COLUMN_LIST,
      .priority = 4,
      .least_width = 20,
      .first_of_list = 1},
     put_ops},
    {{.name = "why_out", .title = "why out", .priority = 2, .least_width = 20}, put_why_out},
    {{.name = "why_out_kind", .machine_only = 1}, put_why_out_kind},
    {{.name = "why_out_rule", .machine_only = 1}, put_why_out_rule},
    {{.name = "remedy", .machine_only = 1}, put_remedy},
    {{.name = "why_out_by", .machine_only = 1}, put_why_out_by},
    {{.name = "debug_handles", .kind = ETS_COLUMN_LIST, .machine_only = 1}, put_handles},
    {{.name = "reason", .machine_only = 1}, put_reason},
    {{.name = "depth", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_depth},
};

enum { FIELDS = sizeof fields / sizeof *fields };

static bool is_of_trace(const struct field *field)
{
    return field->put == put_block || field->put == put_middle || field->put == put_p50 ||
           field->put == put_share;
}

/* The fields that are shown; returns how many. */
static size_t choose_fields(bool has_trace, struct field *shown)
{
    size_t count = 0;
    for (size_t i = 0; i < FIELDS; i++) {
        if (has_trace || !is_of_trace(&fields[i])) shown[count++] = fields[i];
    }
    return count;
}

/* "Conv2d", "Clamp": what the delegate's payload calls the nodes. */
static bool list_payload_nodes(struct ets_arena *arena, const struct ets_delegate_unit *unit,
                               struct ets_text_list *list)
{
    *list = (struct ets_text_list){NULL, unit == NULL ? 0 : unit->payload_node_count};
    list->items = ets_arena_alloc_array(arena, list->count, sizeof *list->items);
    for (size_t i = 0; list->items != NULL && i < list->count; i++) {
        const char *type = unit->payload_nodes[i].type;
        list->items[i] = (struct ets_text){type, strlen(type)};
    }
    return list->items != NULL;
}

static struct ets_text step_name(const struct ets_delegation_step *step)
{
    if (step->name.data != NULL) return step->name;
    const char *kind = ets_instruction_kind_name(step->kind);
    return (struct ets_text){kind, kind == NULL ? 0 : strlen(kind)};
}

/* Names and places of a line. Returns false if memory runs out. */
static bool describe(struct ets_arena *arena, struct line *line)
{
    size_t count;
    const struct ets_row_node *nodes = ets_delegate_line_nodes(line->of, &count);
    line->step = line->of->step;
    line->unit = ets_delegate_line_unit(line->of);
    line->ops =
        (struct ets_text_list){ets_arena_alloc_array(arena, count, sizeof(struct ets_text)), count};
    if (line->ops.items == NULL ||
        !ets_operator_node_places(arena, nodes, count, &line->sources, &line->modules) ||
        !list_payload_nodes(arena, line->unit, &line->payload_nodes)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) line->ops.items[i] = nodes[i].node->op;
    line->name = step_name(line->step);
    return line->unit == NULL || ets_delegate_unit_name(arena, line->unit, &line->name);
}

static const char *method_of(const struct ets_delegate_section *section)
{
    return ets_delegation_step_at(section->delegations, section->first_step)->method_name;
}

/* What several methods hold, or one. */
struct counts {
    uint32_t partitions, unread, inside, outside;
};

static struct counts counts_of(const struct ets_delegate_lines *lines)
{
    return (struct counts){lines->partition_count, lines->unread_count, lines->inside_count,
                           lines->outside_count};
}

/* "1 partition with 20 operators, 0 outside"; "2 partitions with at least 20 operators (1 was not
 * read), 0 outside"; "1 partition, which was not read, 2 outside" */
static void add_counts(struct ets_text_builder *text, const struct counts *counts)
{
    const char *inside = counts->inside == 1 ? "" : "s";
    ets_add_text(text, "%u partition%s", counts->partitions, counts->partitions == 1 ? "" : "s");
    if (counts->unread == 0) {
        ets_add_text(text, " with %u operator%s", counts->inside, inside);
    } else if (counts->unread == counts->partitions) {
        ets_add_text(text, ", which %s not read", counts->unread == 1 ? "was" : "were");
    } else {
        ets_add_text(text, " with at least %u operator%s (%u %s not read)", counts->inside, inside,
                     counts->unread, counts->unread == 1 ? "was" : "were");
    }
    ets_add_text(text, ", %u outside", counts->outside);
}

/* Of several methods: how many there are, and what is in all of them. */
static bool lead_with_all(struct ets_arena *arena, struct ets_table *table,
                          const struct ets_delegate_sections *sections)
{
    char text[256];
    struct ets_text_builder out = {text, sizeof text, 0};
    struct counts all = {0, 0, 0, 0};
    uint32_t methods = 0;
    for (uint32_t i = 0; i < sections->count; i++) {
        struct ets_delegate_lines lines;
        const struct ets_delegate_section *section = &sections->items[i];
        if (i > 0 && section->first_step == section[-1].first_step) continue; /* the next block */
        if (!ets_delegate_lines_collect(arena, section, false, &lines)) return false;
        methods++;
        all.partitions += lines.partition_count;
        all.unread += lines.unread_count;
        all.inside += lines.inside_count;
        all.outside += lines.outside_count;
        ets_arena_reset(arena);
    }
    if (methods < 2) return true;
    ets_add_text(&out, "%u methods: ", methods);
    add_counts(&out, &all);
    ets_table_add_lead(table, ets_built_text(&out));
    return true;
}

static void add_heading(const struct line *line)
{
    char text[256];
    struct ets_text_builder heading = {text, sizeof text, 0};
    const struct ets_delegate_section *section = line->section;
    const struct ets_delegate_lines *lines = line->lines;
    ets_add_text(&heading, "%s - ", method_of(section));
    const struct counts counts = counts_of(lines);
    add_counts(&heading, &counts);
    if (section->block != ETS_NO_INDEX) {
        const uint32_t runs = ets_inspection_block(section->inspection, section->block)->run_count;
        ets_add_text(&heading, " - %u run%s", runs, runs == 1 ? "" : "s");
        heading.used += ets_print_share_of(runs, text + heading.used, sizeof text - heading.used);
        if (lines->partition_count > 0 && !isnan(lines->delegated_share)) {
            ets_add_text(&heading, ", %u %% of the time delegated",
                         (unsigned)(100 * lines->delegated_share + 0.5));
        }
    } else if (section->inspection != NULL) {
        ets_add_text(&heading, " - not in the trace");
    }
    ets_table_add_section(line->table, ets_built_text(&heading));
}

/* Holds the section's block against the machine's roof, and says how far it is. */
static bool find_headroom(struct ets_arena *arena, struct line *line,
                          struct ets_headroom *headroom_out)
{
    struct ets_chosen_runs runs;
    const uint32_t block = line->section->block;
    const struct ets_inspection *inspection = line->section->inspection;
    const struct ets_headroom_options options = {line->machine, line->threads, line->tick};
    if (line->machine == NULL || block == ETS_NO_INDEX) return true;
    line->headroom = headroom_out;
    return ets_chosen_runs_find(arena, inspection, block, ETS_NO_INDEX, 0, &runs) &&
           ets_headroom_find(arena, inspection, &line->row_costs, &options, &runs, block,
                             headroom_out) &&
           ets_roof_sentence_add(line->table, arena, inspection, headroom_out, &runs, block,
                                 line->tick);
}

/* Whose rules the column is by: no file has what the partitioners themselves said. */
static void add_note(const struct line *line)
{
    char text[512];
    struct ets_text_builder note = {text, sizeof text, 0};
    struct ets_asked asked = {.count = 0};
    for (uint32_t i = 0; i < ets_delegation_count(line->delegations); i++) {
        const struct ets_outside *outside = &line->outsides[i];
        if (outside->reason.data != NULL) ets_ask_partitioners(&asked, outside->asked);
    }
    if (asked.count == 0) return;
    ets_add_text(&note, "why out: by ");
    ets_say_asked(&note, &asked, "; by ");
    ets_table_add_note(line->table, ets_built_text(&note));
}

static bool add_section(struct ets_arena *arena, const struct field *shown, size_t shown_count,
                        struct line line, bool calls_only)
{
    struct ets_headroom headroom;
    struct ets_delegate_lines lines;
    if (!ets_delegate_lines_collect(arena, line.section, calls_only, &lines)) return false;
    line.lines = &lines;
    if (!find_headroom(arena, &line, &headroom)) return false;
    add_heading(&line);
    for (uint32_t i = 0; i < lines.count; i++) {
        line.of = &lines.items[i];
        if (!describe(arena, &line)) return false;
        ets_table_add_row(line.table, line.unit != NULL);
        for (size_t k = 0; k < shown_count; k++) {
            if (shown[k].put == put_sources && line.costs != NULL) put_cost(&line);
            if (shown[k].put == put_sources && line.machine != NULL) put_roof(&line);
            shown[k].put(&line);
        }
    }
    return true;
}

/* The columns of costs stand before the source. */
static void add_columns(struct line *line, const struct field *shown, size_t count, bool has_unit)
{
    for (size_t i = 0; i < count; i++) {
        if (shown[i].put == put_sources && line->costs != NULL) {
            uint64_t largest = 0;
            for (uint32_t s = 0; s < ets_delegation_count(line->delegations); s++) {
                const uint64_t flops = ets_cost_flops(&line->costs->steps[s].cost);
                if (flops > largest) largest = flops;
            }
            line->flops_unit = ets_cost_fields_add(line->table, largest, line->has_rates);
            if (line->machine != NULL) ets_roof_fields_add(line->table);
        }
        ets_table_add_columns(line->table, &shown[i].column, sizeof *shown, 1, has_unit);
    }
}

/* The work of the program, and for the machine's roofs that of the trace's rows. */
static enum ets_status find_costs(struct ets_arena *arena,
                                  const struct ets_delegate_table_options *options,
                                  struct line *line, struct ets_step_costs *costs,
                                  struct ets_error *error)
{
    ETS_TRY(ets_step_costs_find(arena, options->program, options->record, line->delegations, costs,
                                error));
    line->costs = costs;
    if (options->machine == NULL || !line->has_rates) return ETS_OK;
    line->machine = options->machine;
    line->threads = options->threads;
    return ets_row_costs_find(arena, options->inspection, &line->row_costs, error);
}

enum ets_status ets_delegate_table_fill(struct ets_table *table,
                                        const struct ets_delegation *delegations,
                                        const struct ets_delegate_table_options *options,
                                        struct ets_error *error)
{
    struct ets_arena arena, section_arena;
    struct ets_delegate_sections sections;
    struct field shown[FIELDS];
    const bool has_unit = options->tick_unit != ETS_UNIT_CYCLES;
    const size_t shown_count = choose_fields(options->inspection != NULL, shown);
    struct ets_step_costs costs;
    struct line line = {.table = table, .tick = 1, .delegations = delegations};
    if (has_unit) line.tick = 1e9 / ets_time_unit_per_second(options->tick_unit);
    line.has_rates = options->inspection != NULL && has_unit;
    ets_arena_init(&arena, ets_table_allocator(table), 0);
    ets_arena_init(&section_arena, ets_table_allocator(table), 0);
    enum ets_status status =
        ets_undelegated_kernels_find(&arena, options->record, delegations, &line.outsides, error);
    if (status == ETS_OK && options->program != NULL) {
        status = find_costs(&arena, options, &line, &costs, error);
    }
    if (status != ETS_OK) {
        ets_arena_reset(&arena);
        return status;
    }
    add_columns(&line, shown, shown_count, has_unit);
    bool ok = ets_delegate_sections_find(&arena, delegations, options->inspection, &sections) &&
              lead_with_all(&section_arena, table, &sections);
    for (uint32_t i = 0; ok && i < sections.count; i++) {
        line.section = &sections.items[i];
        ok = add_section(&section_arena, shown, shown_count, line, options->calls_only);
        ets_arena_reset(&section_arena);
    }
    if (ok) add_note(&line);
    ets_arena_reset(&arena);
    return ok ? ETS_OK : ets_fail_memory(error, "the table of delegates");
}
