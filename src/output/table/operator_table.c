/*
 * The table of `inspect`: operators, or groups of them, with their times and places in the source.
 */
#include <math.h>

#include "base/error.h"
#include "inspect/patterns.h"
#include "inspect/time_details.h"
#include "output/table/cost_fields.h"
#include "output/table/entity_table.h"
#include "output/table/operator_table.h"
#include "output/table/roof_fields.h"
#include "output/table/table.h"
#include "views/block_heading.h"
#include "views/cost_headline.h"
#include "views/first_use.h"
#include "views/layer_times.h"
#include "views/operator_lines.h"
#include "views/part_times.h"
#include "views/phase_text.h"
#include "views/token_growth.h"
#include "views/token_reads.h"

/* Allocation events of a block's runs, and their bytes together. */
struct allocations {
    uint64_t count, bytes;
};

/* The table that is being filled, and what the cells of a line are of. */
struct filler {
    struct ets_table *table;
    const struct ets_inspection *inspection;
    struct ets_operator_options *options; /* a copy, with what the table finds */
    struct ets_entity_view view;
    struct ets_arena *arena;         /* of one block's lines */
    double tick_ns;                  /* 0: the clock has no unit */
    struct allocations *allocations; /* [block] */
    /* At hand: */
    const struct ets_block *block;
    struct ets_chosen_runs runs;
    struct ets_places *places;
    const struct ets_operator_line *line;
    bool has_stages;              /* blocks of one method differ in it */
    struct ets_headroom headroom; /* of the block; with a machine */
    double flops_unit;            /* with costs: what people see flops in */
};

/* How people see the columns; priorities say what a narrow table drops. */
/* clang-format off */
static const struct ets_column arranged[] = {
    {.name = "block", .machine_only = 1},
    {.name = "block_index", .machine_only = 1},
    {.name = "method", .machine_only = 1},
    {.name = "runs", .machine_only = 1},
    {.name = "instruction", .title = "#", .priority = 1},
    {.name = "operator", .least_width = 32, .cut_in_middle = 1},
    {.name = "event", .machine_only = 1, .least_width = 20},
    {.name = "kernel", .machine_only = 1, .least_width = 20},
    {.name = "calls", .priority = 3, .dull_at_one = 1},
    {.name = "avg", .shares_unit = 1, .priority = 4},
    {.name = "p50", .shares_unit = 1, .priority = 2},
    {.name = "mid", .shares_unit = 1},
    {.name = "min", .shares_unit = 2, .priority = 7},
    {.name = "max", .shares_unit = 2, .priority = 5},
    {.name = "p10", .shares_unit = 2, .priority = 12},
    {.name = "p90", .shares_unit = 2, .priority = 11},
    {.name = "p99", .shares_unit = 2, .machine_only = 1},
    {.name = "ci_low", .shares_unit = 2, .machine_only = 1},
    {.name = "ci_high", .shares_unit = 2, .machine_only = 1},
    {.name = "sd", .shares_unit = 2, .machine_only = 1},
    {.name = "total", .priority = 10},
    {.name = "self", .shares_unit = 1},
    {.name = "self_mid", .machine_only = 1},
    {.name = "self_share", .title = "self share", .priority = 6},
    {.name = "resolution", .machine_only = 1},
    {.name = "source", .least_width = 14, .cut_at_start = 1, .first_of_list = 1},
    {.name = "module", .priority = 8, .least_width = 10, .cut_at_start = 1, .first_of_list = 1},
    {.name = "node", .priority = 2, .least_width = 10, .cut_at_start = 1},
    {.name = "backend", .priority = 9},
    {.name = "op_types", .priority = 13, .least_width = 20, .first_of_list = 1},
    {.name = "debug_handles", .kind = ETS_COLUMN_LIST, .machine_only = 1},
    {.name = "tie", .machine_only = 1},
    {.name = "delegate_nodes", .machine_only = 1},
    {.name = "metadata", .priority = 14, .least_width = 10, .first_of_list = 1},
    {.name = "inferred", .machine_only = 1},
    {.name = "depth", .machine_only = 1},
    {.name = NULL},
};
/* clang-format on */

/* What groups are of stands where operators stand. */
#define GROUPS(of, ...)                                                                    \
    {                                                                                      \
        .name = of, .least_width = 32, .cut_in_middle = 1, .first_of_list = 1, __VA_ARGS__ \
    }
static const struct ets_column arranged_groups[] = {
    GROUPS("operator"),
    GROUPS("module"),
    GROUPS("source", .cut_at_start = 1),
    GROUPS("backend"),
    GROUPS("file", .cut_at_start = 1),
    GROUPS("debug_handle"),
    GROUPS("category"),
    GROUPS("part"),
    GROUPS("layer"),
    {.name = NULL},
};

/* Where it says what the average says. */
static const struct ets_column arranged_mid[] = {
    {.name = "mid", .shares_unit = 1, .machine_only = 1},
    {.name = NULL},
};

static struct ets_entity_view view_of(const struct filler *f)
{
    const bool is_grouped = f->options->group_by != ETS_GROUP_NONE;
    return (struct ets_entity_view){
        .entity = &ets_operators_entity,
        .arranged = {arranged, is_grouped ? arranged_groups : NULL,
                     ets_middle_is_told(f->inspection) ? NULL : arranged_mid},
        .kind = f->options->group_by,
        .has_unit = f->tick_ns > 0};
}

/* Behind it stand the columns of costs and roofs. */
static const char last_of_times[] = "resolution";

/* The columns of costs stand behind those of times. */
static void add_cost_columns(struct filler *f)
{
    uint64_t largest = 0;
    for (uint32_t b = 0; b < ets_inspection_block_count(f->inspection); b++) {
        const uint64_t flops = ets_cost_flops(&f->options->costs->blocks[b].cost);
        if (flops > largest) largest = flops;
    }
    f->flops_unit = ets_cost_fields_add(f->table, largest, f->tick_ns > 0);
}

static void add_columns(struct filler *f)
{
    for (uint32_t b = 0; b < ets_inspection_block_count(f->inspection); b++) {
        const bool has_stage = ets_inspection_block(f->inspection, b)->stage != ETS_STAGE_NONE;
        f->has_stages = f->has_stages || has_stage;
    }
    const struct ets_entity_column *rest =
        ets_entity_table_begin(f->table, &f->view, NULL, last_of_times);
    if (f->options->costs != NULL) add_cost_columns(f);
    if (f->options->machine != NULL && f->tick_ns > 0) ets_roof_fields_add(f->table);
    (void)ets_entity_table_begin(f->table, &f->view, rest, NULL);
    if (!f->has_stages) return;
    ets_table_add_column(f->table, &(struct ets_column){.name = "stage", .machine_only = 1});
}

/* What the line did, and how fast: by the time that shares are of. */
static void put_cost(const struct filler *f)
{
    const struct ets_operator_line *line = f->line;
    const struct ets_span time = ets_span_of(line->times.middle, line->error, 1);
    const bool is_timed = f->tick_ns > 0 && !line->has_own_clock && !line->is_estimate;
    const struct ets_cost_cells cells = {.table = f->table,
                                         .cost = &line->cost,
                                         .lower_ns = is_timed ? time.lower * f->tick_ns : NAN,
                                         .upper_ns = is_timed ? time.upper * f->tick_ns : NAN,
                                         .unit = f->flops_unit};
    ets_cost_fields_put(&cells, f->tick_ns > 0);
}

/* What the machine's roof says of the line, and what the line would take there. */
static void put_roof(const struct filler *f)
{
    const struct ets_operator_line *line = f->line;
    const struct ets_span time = ets_span_of(line->times.middle, line->error, 1);
    const double tick_ns = line->has_own_clock || line->is_estimate ? NAN : f->tick_ns;
    ets_roof_fields_put_row(f->table, f->options->headroom, line->row, time.lower * tick_ns,
                            time.upper * tick_ns, line->saved * tick_ns);
}

static void put_line(struct filler *f, const struct ets_operator_line *line)
{
    const struct ets_operator_shown shown = {.inspection = f->inspection,
                                             .block = f->block,
                                             .runs = &f->runs,
                                             .places = f->places,
                                             .line = line,
                                             .group_by = f->options->group_by,
                                             .tick = f->tick_ns == 0 ? 1 : f->tick_ns};
    const bool is_row = line->row != ETS_NO_INDEX;
    const struct ets_entity_row row = {
        .item = is_row ? ets_inspection_row(f->inspection, line->row) : NULL,
        .shown = &shown,
        .scratch = f->arena};
    f->line = line;
    ets_table_add_row(f->table, line->depth);
    const struct ets_entity_column *rest =
        ets_entity_table_put(f->table, &f->view, &row, NULL, last_of_times);
    if (f->options->costs != NULL) put_cost(f);
    if (f->options->headroom != NULL) put_roof(f);
    (void)ets_entity_table_put(f->table, &f->view, &row, rest, NULL);
    if (f->has_stages) ets_table_put_string(f->table, ets_run_stage_name(f->block->stage));
}

/* What is asked of every block, from one pass over all runs and events. */
static bool survey(struct filler *f, struct ets_arena *arena)
{
    const struct ets_event_table *events = ets_inspection_events(f->inspection);
    const uint32_t blocks = ets_inspection_block_count(f->inspection);
    f->allocations = ets_arena_alloc_array(arena, blocks, sizeof *f->allocations);
    if (f->allocations == NULL) return false;
    for (uint32_t i = 0; i < events->count; i++) {
        if (events->kind[i] != ETS_EVENT_ALLOCATION) continue;
        struct allocations *a =
            &f->allocations[ets_inspection_run(f->inspection, events->run[i])->block];
        a->count++;
        a->bytes += events->end[i];
    }
    return true;
}

/* Holds the block against the machine's roof, for its lines. */
static bool find_headroom(struct filler *f, uint32_t block)
{
    const struct ets_headroom_options options = {f->options->machine, f->options->threads,
                                                 f->tick_ns};
    if (options.machine == NULL || f->tick_ns <= 0) return true;
    f->options->headroom = &f->headroom;
    return ets_headroom_find(f->arena, f->inspection, f->options->costs, &options, &f->runs, block,
                             &f->headroom);
}

/* What it reads for each token. */
static bool add_token_reads(const struct filler *f, uint32_t block)
{
    char room[512];
    struct ets_text_builder text = {room, sizeof room, 0};
    const struct ets_token_reads_question question = {
        f->options->costs,  block, f->runs.whole * f->tick_ns, f->tick_ns, f->options->machine,
        f->options->threads};
    struct ets_token_reads reads;
    if (!ets_token_reads_find(f->arena, f->inspection, &question, &reads)) return false;
    ets_add_token_reads(&text, &reads);
    if (text.used > 0) ets_table_add_headline(f->table, ets_built_text(&text));
    return true;
}

/* What a run of the block computes, before the block itself. */
static bool add_cost(const struct filler *f, uint32_t block)
{
    char text[ETS_COST_HEADLINE];
    if (f->options->costs == NULL) return true;
    const size_t size =
        ets_cost_headline(&f->options->costs->blocks[block], "a run", text, sizeof text);
    if (size > 0) ets_table_add_headline(f->table, (struct ets_text){text, size});
    return add_token_reads(f, block);
}

static void add_heading(struct filler *f, const struct ets_block *block,
                        const struct allocations *allocations)
{
    char text[512];
    size_t used =
        ets_block_heading(f->inspection, block, ets_table_words(f->table), text, sizeof text);
    if (allocations->count > 0) {
        used += ets_print_text(text + used, sizeof text - used, ", %llu allocations of %llu bytes",
                               (unsigned long long)allocations->count,
                               (unsigned long long)allocations->bytes);
    }
    used += ets_chosen_runs_print(&f->runs, block->run_count, f->options->run, text + used,
                                  sizeof text - used);
    used += ets_print_share_of(f->runs.count, text + used, sizeof text - used);
    ets_table_add_section(f->table, (struct ets_text){text, used});
}

/* What of the block's runs is warm-up, drift, or out of line. */
static bool add_phases(const struct filler *f, uint32_t index)
{
    char text[512];
    const struct ets_block *block = ets_inspection_block(f->inspection, index);
    const uint32_t whole = ets_inspection_total_row(f->inspection, index), count = block->run_count;
    if (whole == ETS_NO_INDEX || count < 2 || f->options->run != ETS_NO_INDEX) return true;
    uint32_t *runs = ets_arena_alloc_array(f->arena, count, sizeof *runs);
    double *ticks = ets_arena_alloc_array(f->arena, count, sizeof *ticks);
    int64_t *took = ets_arena_alloc_array(f->arena, count, sizeof *took);
    struct ets_run_phases phases;
    if (runs == NULL || ticks == NULL || took == NULL) return false;
    ets_inspection_row_ticks(f->inspection, whole, ETS_NO_INDEX, ticks);
    for (uint32_t run = block->first_run, i = 0; i < count; run++) {
        if (ets_inspection_run(f->inspection, run)->block != index) continue;
        took[i] = ticks[i] < 9e18 ? (int64_t)ticks[i] : INT64_MAX;
        runs[i++] = run;
    }
    if (ets_run_phases_find(took, count, NULL, &phases, NULL) != ETS_OK) return false;
    size_t size = ets_run_phases_print(&phases, runs, took, block->stage, text, sizeof text);
    if (phases.warm_up > 0 && !f->options->steady)
        size += ets_advise_with(ets_table_words(f->table), ETS_ADVICE_STEADY, text + size,
                                sizeof text - size);
    if (size > 0) ets_table_add_note(f->table, (struct ets_text){text, size});
    return true;
}

/* Answers of stages are told apart: "decode: ". */
static void begin_answer(const struct filler *f, struct ets_text_builder *text)
{
    const char *stage = ets_run_stage_name(f->block->stage);
    if (stage != NULL) ets_add_text(text, "%s: ", stage);
}

/* Which layer differs from the others. */
static bool add_layers(const struct filler *f, const struct ets_operator_lines *lines)
{
    char room[512];
    struct ets_text_builder text = {room, sizeof room, 0};
    struct ets_layer_times layers;
    if (f->options->group_by != ETS_GROUP_LAYER) return true;
    if (!ets_layer_times_find(f->arena, lines, &layers)) return false;
    begin_answer(f, &text);
    const size_t size = ets_layer_times_print(&layers, f->runs.count, f->tick_ns, room + text.used,
                                              sizeof room - text.used);
    text.used += size;
    if (size > 0) ets_table_add_headline(f->table, ets_built_text(&text));
    return true;
}

/* What took the prompt's time and is not the prompt's. */
static bool add_first_use(const struct filler *f, uint32_t index)
{
    char room[512];
    struct ets_text_builder text = {room, sizeof room, 0};
    if (!ets_add_first_use(f->arena, f->inspection, index, f->tick_ns, &text)) return false;
    if (text.used > 0) ets_table_add_note(f->table, ets_built_text(&text));
    return true;
}

/* What parts take together. */
static void add_parts(const struct filler *f, const struct ets_operator_lines *lines)
{
    char room[512];
    struct ets_text_builder text = {room, sizeof room, 0};
    char answer[448];
    struct ets_text_builder sums = {answer, sizeof answer, 0};
    if (f->options->group_by != ETS_GROUP_PART) return;
    ets_add_part_sums(lines, f->runs.whole, f->tick_ns, &sums);
    begin_answer(f, &text);
    ets_add_text(&text, "%.*s", ETS_TEXT(ets_built_text(&sums)));
    if (sums.used > 0) ets_table_add_headline(f->table, ets_built_text(&text));
}

/* How tokens become slower, of all runs of decode. */
static bool add_growth(const struct filler *f, uint32_t index)
{
    char room[256];
    struct ets_text_builder text = {room, sizeof room, 0};
    if (f->options->run != ETS_NO_INDEX) return true;
    if (!ets_add_token_growth(f->arena, f->inspection, index, f->tick_ns, &text)) return false;
    if (text.used > 0) ets_table_add_note(f->table, ets_built_text(&text));
    return true;
}

/* Lines of the framework, such as Method::execute, are not among the first N. */
static bool is_frame(const struct filler *f, const struct ets_operator_line *line)
{
    return line->row != ETS_NO_INDEX && ets_inspection_row(f->inspection, line->row)->chain == -1;
}

static bool fill_block(struct filler *f, uint32_t index)
{
    struct ets_operator_lines lines = {.count = 0};
    f->block = ets_inspection_block(f->inspection, index);
    if (!ets_chosen_runs_find(f->arena, f->inspection, index, f->options->run, f->options->steady,
                              &f->runs)) {
        return false;
    }
    if (!find_headroom(f, index)) return false;
    const bool ok = f->options->group_by == ETS_GROUP_NONE
                        ? ets_operator_lines_by_row(f->arena, f->inspection, f->options, &f->runs,
                                                    index, &lines)
                        : ets_operator_lines_by_group(f->arena, f->inspection, f->options, &f->runs,
                                                      index, &lines);
    if (!ok) return false;
    f->places = lines.places;
    const bool is_whole =
        f->options->group_by == ETS_GROUP_NONE && ets_row_filter_is_empty(&f->options->filter);
    if (lines.count == 0 && !is_whole) return true; /* only loads, or nothing that matches */
    if (!ets_operator_lines_sort(f->arena, f->options->sort, &lines)) return false;
    add_parts(f, &lines);
    if (!add_layers(f, &lines)) return false;
    if (f->options->headroom != NULL &&
        !ets_roof_sentence_add(f->table, f->arena, f->inspection, &f->headroom, &f->runs, index,
                               f->tick_ns)) {
        return false;
    }
    if (!add_cost(f, index)) return false;
    add_heading(f, f->block, &f->allocations[index]);
    uint32_t left = f->options->top > 0 ? f->options->top : lines.count;
    for (uint32_t i = 0; i < lines.count && left > 0; i++) {
        left -= f->options->top > 0 && is_frame(f, &lines.items[i]) ? 0 : 1;
        put_line(f, &lines.items[i]);
    }
    char note[512];
    const size_t size = ets_repeated_line_print(&lines.crowded, ets_table_words(f->table),
                                                ETS_ADVICE_MODULES, note, sizeof note);
    if (size > 0) ets_table_add_note(f->table, (struct ets_text){note, size});
    return add_first_use(f, index) && add_growth(f, index) && add_phases(f, index);
}

enum ets_status ets_operator_table_fill(struct ets_table *table,
                                        const struct ets_inspection *inspection,
                                        const struct ets_operator_options *options,
                                        struct ets_error *error)
{
    struct ets_arena arena, survey_arena;
    ets_arena_init(&arena, ets_table_allocator(table), 0);
    ets_arena_init(&survey_arena, ets_table_allocator(table), 0);
    struct ets_operator_options with_costs = *options;
    struct ets_costs costs;
    struct filler f = {
        .table = table, .inspection = inspection, .options = &with_costs, .arena = &arena};
    if (options->has_costs) {
        const enum ets_status status =
            ets_run_costs_find(&survey_arena, inspection, options->run, &costs, error);
        if (status != ETS_OK) {
            ets_arena_reset(&survey_arena);
            return status;
        }
        with_costs.costs = &costs;
    }
    const enum ets_time_unit tick_unit = ets_inspection_tick_unit(inspection, NULL);
    if (tick_unit != ETS_UNIT_CYCLES) f.tick_ns = 1e9 / ets_time_unit_per_second(tick_unit);
    f.view = view_of(&f);
    add_columns(&f);
    bool ok = survey(&f, &survey_arena);
    for (uint32_t b = 0; ok && b < ets_inspection_block_count(inspection); b++) {
        const bool has_run = options->run == ETS_NO_INDEX ||
                             ets_inspection_run(inspection, options->run)->block == b;
        if (!has_run || (options->block != ETS_NO_INDEX && options->block != b)) continue;
        if (!ets_row_filter_has_block(&options->filter, ets_inspection_block(inspection, b)))
            continue;
        ok = fill_block(&f, b);
        ets_arena_reset(&arena);
    }
    ets_arena_reset(&survey_arena);
    return ok ? ETS_OK : ets_fail_memory(error, "the table of operators");
}
