/* Costs as plain rows that own all they name. */
#include "views/cost_reader.h"

#include <string.h>

#include "base/error.h"
#include "cost/row_costs.h"
#include "etscope/experimental/row_filter.h"
#include "views/cost_headline.h"
#include "views/cost_lines.h"
#include "views/operator_rows.h"

struct ets_cost_reader {
    struct ets_arena arena;
    struct ets_delegation *delegation;
    struct ets_cost_row *rows;
    uint32_t count, capacity;
    char *headline;
    size_t headline_size;
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

static enum ets_status read_inspection(struct ets_cost_reader *reader,
                                       const struct ets_inspection *inspection,
                                       struct ets_error *error)
{
    struct ets_costs costs;
    char text[ETS_COST_HEADLINE];
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
        if (!add_headline(reader, text, size)) return fail_memory(error);
    }
    return ETS_OK;
}

enum ets_status ets_cost_reader_inspection(const struct ets_inspection *inspection,
                                           struct ets_cost_reader **reader_out,
                                           struct ets_error *error)
{
    struct ets_cost_reader *reader = new_reader();
    if (reader == NULL) return fail_memory(error);
    const enum ets_status status = read_inspection(reader, inspection, error);
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

const char *ets_cost_reader_headline(const struct ets_cost_reader *reader)
{
    return reader->headline != NULL ? reader->headline : "";
}
