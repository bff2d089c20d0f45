/* Costs as plain rows that own all they name. */
#include "views/cost_reader.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "cost/row_costs.h"
#include "etscope/experimental/row_filter.h"
#include "inspect/time_details.h"
#include "views/cost_headline.h"
#include "views/cost_lines.h"
#include "views/headroom_sentence.h"
#include "views/operator_rows.h"
#include "views/roof_lines.h"
#include "views/token_reads.h"

struct ets_cost_reader {
    struct ets_arena arena;
    struct ets_delegation *delegation;
    struct ets_cost_row *rows;
    uint32_t count, capacity;
    char *headline;
    size_t headline_size;
    struct ets_cost_roof roofs[ETS_ROOF_LINES];
    uint32_t roof_count;
};

static struct ets_cost_row *add_row(struct ets_cost_reader *reader, const struct ets_cost *cost)
{
    struct ets_cost_row *rows = ets_arena_grow(&reader->arena, reader->rows, reader->count,
                                               &reader->capacity, sizeof *rows);
    if (rows == NULL) return NULL;
    reader->rows = rows;
    struct ets_cost_row *row = &rows[reader->count++];
    *row = (struct ets_cost_row){
        .instruction = -1,
        .unit = ETS_NO_INDEX,
        .row = ETS_NO_INDEX,
        .is_taken = 1,
        .state = ets_cost_state_name(cost),
        .reason = ets_cost_reason_name(cost->reason),
        .arithmetic =
            cost->arithmetic == ETS_ARITHMETIC_NONE ? NULL : ets_arithmetic_name(cost->arithmetic),
        .has_numbers = cost->operators > 0,
        .flops = ets_cost_flops(cost),
        .macs = cost->macs,
        .ops = cost->ops,
        .special_ops = cost->special,
        .read_bytes = cost->bytes_read,
        .weight_bytes = cost->weight_bytes,
        .written_bytes = cost->bytes_written,
        .not_counted = cost->unknown,
        .folded = cost->folded,
        .bound_ns = NAN,
        .of_roof = NAN,
        .of_roof_upper = NAN,
        .saved_ns = NAN,
    };
    return row;
}

static bool add_headline(struct ets_cost_reader *reader, const char *text, size_t size)
{
    const size_t before = reader->headline_size, between = before > 0 && size > 0;
    char *headline = ets_arena_alloc(&reader->arena, before + between + size + 1);
    if (headline == NULL) return false;
    if (before > 0) memcpy(headline, reader->headline, before);
    if (between) headline[before] = '\n';
    memcpy(headline + before + between, text, size);
    reader->headline = headline;
    reader->headline_size = before + between + size;
    return true;
}

static bool name_places(struct ets_cost_reader *reader, const struct ets_cost_lines *lines,
                        enum ets_place_kind kind, const struct ets_numbers *list,
                        const struct ets_text **names_out, size_t *count_out)
{
    struct ets_text *names = ets_arena_alloc_array(&reader->arena, list->count, sizeof *names);
    for (uint32_t i = 0; names != NULL && i < list->count; i++) {
        names[i] = ets_places_name(lines->places, kind, list->items[i]);
    }
    *names_out = names;
    *count_out = list->count;
    return names != NULL;
}

static bool add_method(struct ets_cost_reader *reader, const struct ets_step_costs *costs,
                       uint32_t first)
{
    char text[1024];
    struct ets_cost_lines lines;
    const struct ets_cost_view_options options = {.group_by = ETS_COST_BY_NONE};
    if (!ets_cost_lines_collect(&reader->arena, reader->delegation, costs, first, &options,
                                &lines)) {
        return false;
    }
    for (uint32_t i = 0; i < lines.count; i++) {
        const struct ets_cost_line *line = &lines.items[i];
        struct ets_cost_row *row = add_row(reader, &line->cost);
        if (row == NULL) return false;
        row->name = line->name;
        row->method = lines.method;
        row->instruction = line->step->instruction;
        row->unit = line->unit;
        row->is_taken = line->is_taken;
        if (!name_places(reader, &lines, ETS_PLACE_LINE, &line->lines, &row->sources,
                         &row->source_count) ||
            !name_places(reader, &lines, ETS_PLACE_MODULE, &line->modules, &row->modules,
                         &row->module_count)) {
            return false;
        }
    }
    return add_headline(reader, text, ets_cost_lines_headline(&lines, text, sizeof text));
}

static enum ets_status fail_memory(struct ets_error *error)
{
    return ets_fail_memory(error, "the costs of operators");
}

static struct ets_cost_reader *new_reader(void)
{
    struct ets_arena arena;
    ets_arena_init(&arena, NULL, 0);
    struct ets_cost_reader *reader = ets_arena_alloc(&arena, sizeof *reader);
    if (reader != NULL) reader->arena = arena;
    return reader;
}

static enum ets_status read_program(struct ets_cost_reader *reader,
                                    const struct ets_program *program, struct ets_etrecord *record,
                                    const char *method, struct ets_error *error)
{
    struct ets_step_costs costs;
    const struct ets_delegation_options options = {
        .program = program, .record = record, .method = method};
    ETS_TRY(ets_delegation_open(&options, &reader->delegation, error));
    ETS_TRY(
        ets_step_costs_find(&reader->arena, program, record, reader->delegation, &costs, error));
    for (uint32_t i = 0; i < ets_delegation_count(reader->delegation); i++) {
        if (ets_delegation_step_at(reader->delegation, i)->instruction != 0) continue;
        if (!add_method(reader, &costs, i)) return fail_memory(error);
    }
    return add_headline(reader, "", 0) ? ETS_OK : fail_memory(error);
}

enum ets_status ets_cost_reader_program(const struct ets_program *program,
                                        struct ets_etrecord *record, const char *method,
                                        struct ets_cost_reader **reader_out,
                                        struct ets_error *error)
{
    struct ets_cost_reader *reader = new_reader();
    if (reader == NULL) return fail_memory(error);
    const enum ets_status status = read_program(reader, program, record, method, error);
    if (status == ETS_OK) *reader_out = reader;
    else ets_cost_reader_close(reader);
    return status;
}

/* The rows of an inspection that are held against a machine. */
struct held {
    struct ets_machine machine;
    struct ets_headroom_options options; /* machine NULL: none */
};

static enum ets_status open_machine(struct ets_cost_reader *reader,
                                    const struct ets_inspection *inspection,
                                    const struct ets_cost_machine *of, struct held *held,
                                    struct ets_error *error)
{
    const enum ets_time_unit unit = ets_inspection_tick_unit(inspection, NULL);
    ETS_TRY(ets_machine_read(of->file, &reader->arena, &held->machine, error));
    const uint32_t most = ets_machine_most_threads(&held->machine);
    const uint32_t threads = of->threads > 0 ? of->threads : most;
    if (most == 0) {
        return ets_fail(error, ETS_NOT_FOUND, ETS_NO_OFFSET, "holds no roof that etscope knows");
    }
    if (!ets_machine_has_threads(&held->machine, threads)) {
        return ets_fail(error, ETS_NOT_FOUND, ETS_NO_OFFSET,
                        "was not measured with %u threads: the most are %u", threads, most);
    }
    reader->roof_count = ets_roof_lines_list(&held->machine, threads, reader->roofs);
    held->options = (struct ets_headroom_options){.machine = &held->machine, .threads = threads};
    if (unit != ETS_UNIT_CYCLES) held->options.tick_ns = 1e9 / ets_time_unit_per_second(unit);
    return ETS_OK;
}

static void put_roof(struct ets_cost_row *row, const struct ets_row_headroom *found, double tick_ns)
{
    const struct ets_roof_answer *roof = &found->roof;
    if (tick_ns > 0) row->saved_ns = found->saved * tick_ns;
    if (roof->verdict == ETS_ROOF_VERDICT_NONE) return;
    row->verdict = ets_roof_verdict_name(roof->verdict);
    row->verdict_reason = ets_roof_reason_name(roof->reason);
    row->of_roof = roof->least_share;
    row->of_roof_upper = roof->most_share;
    row->bound_ns = roof->bound_ns;
    if (isnan(roof->bound_ns)) return;
    row->roof = ets_roof_kind_name(roof->binding);
    row->level = ets_memory_level_name(roof->level);
}

/* What the machine says of a block's rows, and in a sentence. */
static bool hold_block(struct ets_cost_reader *reader, const struct ets_inspection *inspection,
                       const struct ets_costs *costs, const struct held *held, uint32_t b)
{
    struct ets_chosen_runs runs;
    struct ets_headroom headroom;
    char room[ETS_HEADROOM_SENTENCE] = "";
    struct ets_text_builder text = {room, sizeof room, 0};
    const struct ets_block *block = ets_inspection_block(inspection, b);
    const double tick_ns = held->options.tick_ns;
    if (held->options.machine == NULL) return true;
    if (!ets_chosen_runs_find(&reader->arena, inspection, b, ETS_NO_INDEX, 0, &runs) ||
        !ets_headroom_find(&reader->arena, inspection, costs, &held->options, &runs, b,
                           &headroom)) {
        return false;
    }
    for (uint32_t i = 0; i < block->row_count && ets_headroom_has_operators(&headroom); i++) {
        put_roof(&reader->rows[block->first_row + i], &headroom.rows[i], tick_ns);
    }
    if (tick_ns <= 0) return true;
    return ets_headroom_sentence(&reader->arena, inspection, &headroom, &runs, b, tick_ns, &text) &&
           add_headline(reader, room, text.used);
}

/* What a stage of a generation reads. */
static bool add_token_reads(struct ets_cost_reader *reader, const struct ets_inspection *inspection,
                            const struct ets_costs *costs, const struct held *held, uint32_t b)
{
    char room[512];
    struct ets_text_builder text = {room, sizeof room, 0};
    struct ets_chosen_runs runs;
    struct ets_token_reads reads;
    const enum ets_time_unit unit = ets_inspection_tick_unit(inspection, NULL);
    const double tick_ns = unit == ETS_UNIT_CYCLES ? 0 : 1e9 / ets_time_unit_per_second(unit);
    if (costs->tokens[b].group_count == 0) return true;
    if (!ets_chosen_runs_find(&reader->arena, inspection, b, ETS_NO_INDEX, 0, &runs)) return false;
    const struct ets_token_reads_question question = {
        costs, b, runs.whole * tick_ns, tick_ns, held->options.machine, held->options.threads};
    if (!ets_token_reads_find(&reader->arena, inspection, &question, &reads)) return false;
    ets_add_token_reads(&text, &reads);
    return add_headline(reader, room, text.used);
}

static enum ets_status read_inspection(struct ets_cost_reader *reader,
                                       const struct ets_inspection *inspection,
                                       const struct ets_cost_machine *machine,
                                       struct ets_error *error)
{
    struct ets_costs costs;
    struct held held = {.options.machine = NULL};
    char text[ETS_COST_HEADLINE];
    if (machine != NULL) ETS_TRY(open_machine(reader, inspection, machine, &held, error));
    ETS_TRY(ets_row_costs_find(&reader->arena, inspection, &costs, error));
    for (uint32_t i = 0; i < ets_inspection_row_count(inspection); i++) {
        const struct ets_row *of = ets_inspection_row(inspection, i);
        struct ets_cost_row *row = add_row(reader, &costs.rows[i]);
        if (row == NULL) return fail_memory(error);
        row->name = ets_row_operator(of);
        row->instruction = of->instruction;
        row->row = i;
    }
    for (uint32_t b = 0; b < ets_inspection_block_count(inspection); b++) {
        const size_t size = ets_cost_headline(&costs.blocks[b], "a run", text, sizeof text);
        if (!hold_block(reader, inspection, &costs, &held, b) ||
            !add_headline(reader, text, size) ||
            !add_token_reads(reader, inspection, &costs, &held, b)) {
            return fail_memory(error);
        }
    }
    return ETS_OK;
}

enum ets_status ets_cost_reader_inspection(const struct ets_inspection *inspection,
                                           const struct ets_cost_machine *machine,
                                           struct ets_cost_reader **reader_out,
                                           struct ets_error *error)
{
    struct ets_cost_reader *reader = new_reader();
    if (reader == NULL) return fail_memory(error);
    const enum ets_status status = read_inspection(reader, inspection, machine, error);
    if (status == ETS_OK) *reader_out = reader;
    else ets_cost_reader_close(reader);
    return status;
}

void ets_cost_reader_close(struct ets_cost_reader *reader)
{
    if (reader == NULL) return;
    struct ets_arena arena = reader->arena; /* holds the object itself */
    ets_delegation_close(reader->delegation);
    ets_arena_reset(&arena);
}

uint32_t ets_cost_reader_count(const struct ets_cost_reader *reader)
{
    return reader->count;
}

const struct ets_cost_row *ets_cost_reader_row(const struct ets_cost_reader *reader, uint32_t index)
{
    return &reader->rows[index];
}

const struct ets_cost_roof *ets_cost_reader_roofs(const struct ets_cost_reader *reader,
                                                  uint32_t *count_out)
{
    *count_out = reader->roof_count;
    return reader->roofs;
}

const char *ets_cost_reader_headline(const struct ets_cost_reader *reader)
{
    return reader->headline != NULL ? reader->headline : "";
}
