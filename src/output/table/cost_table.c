/* The table of `cost`: what each operator of a program computes and moves. */
#include "output/table/cost_table.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "output/table/cost_fields.h"
#include "views/cost_headline.h"

/* What the cells of a row are of. */
struct line {
    struct ets_table *table;
    struct ets_arena *arena;
    const struct ets_cost_lines *lines;
    const struct ets_cost_line *of;
    const struct ets_cost_table_options *options;
    double unit; /* that people see flops in */
};

enum shown_in { IN_ALL, IN_STEPS, IN_GROUPS };

struct field {
    struct ets_column column;
    void (*put)(const struct line *line);
    enum shown_in shown_in;
};

static void put_method(const struct line *line)
{
    ets_table_put_string(line->table, line->lines->method);
}

static void put_instruction(const struct line *line)
{
    if (line->of->unit != ETS_NO_INDEX) ets_table_put_nothing(line->table);
    else ets_table_put_integer(line->table, line->of->step->instruction);
}

static void put_places(const struct line *line, enum ets_place_kind kind,
                       const struct ets_numbers *list)
{
    struct ets_text *names = ets_arena_alloc_array(line->arena, list->count, sizeof *names);
    for (uint32_t i = 0; names != NULL && i < list->count; i++) {
        names[i] = ets_places_name(line->lines->places, kind, list->items[i]);
    }
    if (names == NULL) ets_table_put_nothing(line->table);
    else ets_table_put_list(line->table, names, list->count);
}

static void put_name(const struct line *line)
{
    const bool is_list = line->options->lines.group_by == ETS_COST_BY_MODULE;
    if (!is_list) ets_table_put_text(line->table, line->of->name);
    else if (line->of->group.count == 0) ets_table_put_list(line->table, &line->of->name, 1);
    else put_places(line, ETS_PLACE_MODULE, &line->of->group);
}

static void put_kind(const struct line *line)
{
    const bool is_call = line->of->step->kind == ETS_INSTRUCTION_DELEGATE_CALL;
    ets_table_put_string(line->table, line->of->unit != ETS_NO_INDEX ? "inside"
                                      : is_call                      ? "delegate"
                                                                     : "kernel");
}

static void put_calls(const struct line *line)
{
    ets_table_put_integer(line->table, line->of->calls);
}

/* Of the method's flops; nothing of what is not part of its total, or where the total is not known.
 */
static void put_share(const struct line *line)
{
    const struct ets_cost *whole = &line->lines->total->total.cost;
    const double share = (double)ets_cost_flops(&line->of->cost) / (double)ets_cost_flops(whole);
    const bool is_known = ets_cost_state(&line->of->cost) != ETS_COST_UNKNOWN &&
                          ets_cost_state(&line->of->cost) != ETS_COST_NONE;
    if (!line->of->is_taken || !is_known || whole->unknown > 0 || !isfinite(share))
        ets_table_put_nothing(line->table);
    else ets_table_put_bounds(line->table, share, share);
}

static void put_taken(const struct line *line)
{
    ets_table_put_integer(line->table, line->of->is_taken);
}

static void put_sources(const struct line *line)
{
    put_places(line, ETS_PLACE_LINE, &line->of->lines);
}

static void put_modules(const struct line *line)
{
    put_places(line, ETS_PLACE_MODULE, &line->of->modules);
}

static void put_costs(const struct line *line)
{
    const struct ets_cost_cells cells = {.table = line->table,
                                         .cost = &line->of->cost,
                                         .lower_ns = NAN,
                                         .upper_ns = NAN,
                                         .unit = line->unit};
    ets_cost_fields_put(&cells, 0);
}

static void put_depth(const struct line *line)
{
    ets_table_put_integer(line->table, line->of->unit != ETS_NO_INDEX);
}

/* clang-format off */
static const struct field fields[] = {
    {{.name = "method", .machine_only = 1}, put_method, IN_ALL},
    {{.name = "instruction", .title = "#", .kind = ETS_COLUMN_INTEGER, .is_ordinal = 1}, put_instruction, IN_STEPS},
    {{.name = "operator", .least_width = 24, .cut_in_middle = 1, .counts_repeats = 1}, put_name, IN_ALL},
    {{.name = "kind", .machine_only = 1}, put_kind, IN_STEPS},
    {{.name = "operators", .kind = ETS_COLUMN_INTEGER}, put_calls, IN_GROUPS},
    {{.name = "share", .kind = ETS_COLUMN_SHARE}, put_share, IN_ALL},
    {{.name = NULL}, put_costs, IN_ALL},
    {{.name = "taken", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_taken, IN_STEPS},
    {{.name = "source", .kind = ETS_COLUMN_LIST, .least_width = 14, .cut_at_start = 1, .first_of_list = 1, .blank_as_parent = 1}, put_sources, IN_STEPS},
    {{.name = "module", .kind = ETS_COLUMN_LIST, .priority = 3, .least_width = 10, .cut_at_start = 1, .first_of_list = 1, .blank_as_parent = 1}, put_modules, IN_STEPS},
    {{.name = "depth", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_depth, IN_STEPS},
};
/* clang-format on */

enum { FIELDS = sizeof fields / sizeof *fields };

static bool is_shown(const struct field *field, const struct ets_cost_table_options *options)
{
    const bool is_grouped = options->lines.group_by != ETS_COST_BY_NONE;
    return field->shown_in == IN_ALL || (field->shown_in == IN_GROUPS) == is_grouped;
}

/* Returns what people see flops in. */
static double add_columns(struct ets_table *table, const struct ets_cost_table_options *options,
                          uint64_t largest)
{
    double unit = 1;
    for (size_t i = 0; i < FIELDS; i++) {
        struct ets_column column = fields[i].column;
        if (!is_shown(&fields[i], options)) continue;
        if (fields[i].put == put_costs) {
            unit = ets_cost_fields_add(table, largest, 0);
            continue;
        }
        if (fields[i].put == put_name && options->lines.group_by == ETS_COST_BY_MODULE) {
            column.name = "module";
            column.kind = ETS_COLUMN_LIST;
            column.first_of_list = 1;
        }
        ets_table_add_column(table, &column);
    }
    return unit;
}

static bool add_method(struct line line, const struct ets_delegation *delegation,
                       const struct ets_step_costs *costs, uint32_t first)
{
    char text[1024];
    struct ets_cost_lines lines;
    const uint32_t top = line.options->top;
    if (!ets_cost_lines_collect(line.arena, delegation, costs, first, &line.options->lines,
                                &lines)) {
        return false;
    }
    line.lines = &lines;
    const size_t size = ets_cost_lines_headline(&lines, text, sizeof text);
    ets_table_add_section(line.table, (struct ets_text){text, size});
    for (uint32_t i = 0; i < lines.count && (top == 0 || i < top); i++) {
        line.of = &lines.items[i];
        const bool is_inside =
            line.of->unit != ETS_NO_INDEX && line.options->lines.sort == ETS_COST_SORT_ORDER;
        ets_table_add_row(line.table, is_inside);
        for (size_t f = 0; f < FIELDS; f++) {
            if (is_shown(&fields[f], line.options)) fields[f].put(&line);
        }
    }
    return true;
}

/* Of several methods: how many there are, and the one with the most work. */
static void lead_with_largest(struct ets_table *table, const struct ets_delegation *delegation,
                              const struct ets_step_costs *costs)
{
    char text[1024];
    struct ets_text_builder out = {text, sizeof text, 0};
    const struct ets_total_cost *largest = NULL;
    const char *name = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < ets_delegation_count(delegation); i++) {
        const struct ets_delegation_step *step = ets_delegation_step_at(delegation, i);
        const struct ets_total_cost *total = &costs->methods[step->method].total;
        if (step->instruction != 0) continue;
        count++;
        if (largest != NULL && ets_cost_flops(&total->cost) <= ets_cost_flops(&largest->cost)) {
            continue;
        }
        largest = total;
        name = step->method_name;
    }
    if (count < 2) return;
    ets_add_plain_text(&out, "%u methods; most work is in %s: ", count, name);
    const size_t size = ets_cost_headline(largest, "a run", text + out.used, out.room - out.used);
    if (size == 0) return;
    out.used += size;
    ets_table_add_lead(table, ets_built_text(&out));
}

static uint64_t largest_of(const struct ets_program *program, const struct ets_step_costs *costs)
{
    uint64_t largest = 0;
    for (uint32_t m = 0; m < program->method_count; m++) {
        const uint64_t flops = ets_cost_flops(&costs->methods[m].total.cost);
        if (flops > largest) largest = flops;
    }
    return largest;
}

enum ets_status ets_cost_table_fill(struct ets_table *table, const struct ets_program *program,
                                    struct ets_etrecord *record,
                                    const struct ets_delegation *delegation,
                                    const struct ets_cost_table_options *options,
                                    struct ets_error *error)
{
    struct ets_arena arena, lines_arena;
    struct ets_step_costs costs;
    ets_arena_init(&arena, ets_table_allocator(table), 0);
    ets_arena_init(&lines_arena, ets_table_allocator(table), 0);
    enum ets_status status =
        ets_step_costs_find(&arena, program, record, delegation, &costs, error);
    if (status == ETS_OK) {
        struct line line = {.table = table, .arena = &lines_arena, .options = options};
        line.unit = add_columns(table, options, largest_of(program, &costs));
        lead_with_largest(table, delegation, &costs);
        for (uint32_t i = 0; i < ets_delegation_count(delegation); i++) {
            if (ets_delegation_step_at(delegation, i)->instruction != 0) continue;
            if (!add_method(line, delegation, &costs, i)) {
                status = ets_fail_memory(error, "the table of costs");
                break;
            }
            ets_arena_reset(&lines_arena);
        }
    }
    ets_arena_reset(&lines_arena);
    ets_arena_reset(&arena);
    return status;
}
