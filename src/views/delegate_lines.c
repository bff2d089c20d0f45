/* Instructions and delegates' operators of a method, joined with the rows of a block. */
#include "views/delegate_lines.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "host/text_builder.h"
#include "inspect/time_details.h"
#include "views/chosen_runs.h"

struct collector {
    const struct ets_delegate_section *section;
    struct ets_delegate_lines *lines;
    uint32_t *row_of_step;       /* [step - first_step] */
    uint32_t *first_inside;      /* [step - first_step] its delegate's first event row */
    struct ets_chosen_runs runs; /* of the block */
    double *per_run, *more;      /* [run of the block] scratch */
    uint32_t first_row;          /* of the block */
    uint32_t *next_of_unit;      /* [row - first_row] the row before of the same unit */
};

static const struct ets_delegation_step *step_of(const struct collector *c, uint32_t index)
{
    return ets_delegation_step_at(c->section->delegations, c->section->first_step + index);
}

static uint32_t count_steps(const struct collector *c)
{
    return c->section->end_step - c->section->first_step;
}

/* Which rows of the block are the method's instructions, and their delegates' events. */
static void find_rows(struct collector *c)
{
    const struct ets_inspection *inspection = c->section->inspection;
    const struct ets_block *block = ets_inspection_block(inspection, c->section->block);
    for (uint32_t i = block->first_row; i < block->first_row + block->row_count; i++) {
        const struct ets_row *row = ets_inspection_row(inspection, i);
        if (row->chain != 0 || row->instruction < 0 ||
            (uint32_t)row->instruction >= count_steps(c)) {
            continue;
        }
        if (row->is_delegated) {
            uint32_t *first = &c->first_inside[row->instruction];
            if (*first == ETS_NO_INDEX) *first = i;
        } else if (c->row_of_step[row->instruction] == ETS_NO_INDEX ||
                   !ets_text_is(row->name, "OPERATOR_CALL")) {
            /* the outermost ends last; the wrapper around a kernel is none of its time */
            c->row_of_step[row->instruction] = i;
        }
    }
}

static bool prepare(struct ets_arena *arena, struct collector *c, bool calls_only)
{
    const uint32_t steps = count_steps(c);
    size_t room = steps;
    c->row_of_step = ets_arena_alloc_array(arena, steps, sizeof *c->row_of_step);
    c->first_inside = ets_arena_alloc_array(arena, steps, sizeof *c->first_inside);
    if (c->row_of_step == NULL || c->first_inside == NULL) return false;
    for (uint32_t i = 0; i < steps; i++) {
        c->row_of_step[i] = c->first_inside[i] = ETS_NO_INDEX;
        if (!calls_only) room += step_of(c, i)->unit_count;
    }
    c->lines->items = ets_arena_alloc_array(arena, room, sizeof *c->lines->items);
    if (c->lines->items == NULL) return false;
    if (c->section->block == ETS_NO_INDEX) return true;
    find_rows(c);
    const struct ets_inspection *inspection = c->section->inspection;
    const uint32_t runs = ets_inspection_block(inspection, c->section->block)->run_count;
    const struct ets_block *block = ets_inspection_block(inspection, c->section->block);
    c->first_row = block->first_row;
    c->next_of_unit = ets_arena_alloc_array(arena, block->row_count, sizeof *c->next_of_unit);
    c->per_run = ets_arena_alloc_array(arena, runs, sizeof *c->per_run);
    c->more = ets_arena_alloc_array(arena, runs, sizeof *c->more);
    return c->per_run != NULL && c->more != NULL && c->next_of_unit != NULL &&
           ets_chosen_runs_find(arena, inspection, c->section->block, ETS_NO_INDEX, 0, &c->runs);
}

/* Adds what the other rows of the same unit took in each run of the block. */
static void add_others(struct collector *c, uint32_t row)
{
    const struct ets_inspection *inspection = c->section->inspection;
    for (; row != ETS_NO_INDEX; row = c->next_of_unit[row - c->first_row]) {
        const uint32_t count = ets_inspection_row_ticks(inspection, row, ETS_NO_INDEX, c->more);
        for (uint32_t i = 0; i < count; i++) c->per_run[i] += c->more[i];
    }
}

static void add_line(struct collector *c, const struct ets_delegation_step *step, uint32_t unit,
                     uint32_t index)
{
    struct ets_delegate_line *line = &c->lines->items[c->lines->count++];
    *line = (struct ets_delegate_line){
        .step = step, .unit = unit, .row = index, .middle = NAN, .p50 = NAN};
    if (index == ETS_NO_INDEX) return;
    struct ets_chosen_times times;
    const struct ets_row *row = ets_inspection_row(c->section->inspection, index);
    if (ets_row_is_untimed(row) || ets_row_is_estimate(row)) return;
    ets_inspection_row_ticks(c->section->inspection, index, ETS_NO_INDEX, c->per_run);
    if (unit != ETS_NO_INDEX) add_others(c, c->next_of_unit[index - c->first_row]);
    ets_chosen_runs_summarise(&c->runs, c->per_run, &times);
    line->middle = times.middle;
    line->p50 = times.statistics.p50;
    line->resolution = ets_row_clock_error(row).above;
}

/* The unit that an event is tied to, or the last one that has its node. */
static uint32_t unit_of(const struct ets_delegation_step *step, const struct ets_row *row)
{
    if (row->unit != ETS_NO_INDEX) return row->unit;
    if (row->payload_node_count != 1 || row->tie == ETS_TIE_CALL || row->handle_count != 1) {
        return ETS_NO_INDEX;
    }
    for (uint32_t i = step->unit_count; i-- > 0;) {
        const struct ets_delegate_unit *unit = &step->units[i];
        if (unit->handle_count == 1 && unit->handles[0] == row->handles[0]) return i;
    }
    return ETS_NO_INDEX;
}

/* A line for each unit of a call, whose rows stand side by side in the order of their events. */
static void add_units(struct collector *c, const struct ets_delegation_step *step, uint32_t first,
                      uint32_t *row_of_unit)
{
    const struct ets_inspection *inspection = c->section->inspection;
    for (uint32_t i = 0; i < step->unit_count; i++) row_of_unit[i] = ETS_NO_INDEX;
    for (uint32_t i = first; i != ETS_NO_INDEX && i < ets_inspection_row_count(inspection); i++) {
        const struct ets_row *row = ets_inspection_row(inspection, i);
        if (!row->is_delegated || row->block != c->section->block || row->chain != 0 ||
            (uint32_t)row->instruction != step->instruction) {
            break;
        }
        const uint32_t unit = unit_of(step, row);
        if (unit >= step->unit_count) continue;
        c->next_of_unit[i - c->first_row] = row_of_unit[unit];
        row_of_unit[unit] = i;
    }
    for (uint32_t i = 0; i < step->unit_count; i++) add_line(c, step, i, row_of_unit[i]);
}

static void count_step(struct ets_delegate_lines *lines, const struct ets_delegation_step *step,
                       double middle)
{
    lines->inside_count += step->unit_count;
    lines->unread_count +=
        step->partition != ETS_NO_INDEX && step->unit_count == 0 && step->reason != NULL;
    lines->outside_count += step->kind == ETS_INSTRUCTION_KERNEL_CALL;
    if (step->kind != ETS_INSTRUCTION_DELEGATE_CALL) return;
    lines->partition_count++;
    if (!isnan(middle)) lines->delegated_share += middle / lines->whole;
}

bool ets_delegate_lines_collect(struct ets_arena *arena, const struct ets_delegate_section *section,
                                bool calls_only, struct ets_delegate_lines *lines_out)
{
    struct collector c = {.section = section, .lines = lines_out, .runs = {.whole = NAN}};
    *lines_out = (struct ets_delegate_lines){.items = NULL};
    if (!prepare(arena, &c, calls_only)) return false;
    lines_out->whole = c.runs.whole;
    for (uint32_t i = 0; i < count_steps(&c); i++) {
        const struct ets_delegation_step *step = step_of(&c, i);
        const uint32_t call = lines_out->count;
        add_line(&c, step, ETS_NO_INDEX, c.row_of_step[i]);
        count_step(lines_out, step, lines_out->items[call].middle);
        if (calls_only || step->unit_count == 0) continue;
        uint32_t *rows = ets_arena_alloc_array(arena, step->unit_count, sizeof *rows);
        if (rows == NULL) return false;
        add_units(&c, step, c.first_inside[i], rows);
    }
    if (section->block == ETS_NO_INDEX) lines_out->delegated_share = NAN;
    return true;
}

/* Adds the sections of a method; counts them only where there are no `items` yet. */
static uint32_t add_sections(struct ets_delegate_section section,
                             struct ets_delegate_section *items)
{
    const char *method =
        ets_delegation_step_at(section.delegations, section.first_step)->method_name;
    const uint32_t blocks =
        section.inspection == NULL ? 0 : ets_inspection_block_count(section.inspection);
    uint32_t count = 0;
    for (uint32_t b = 0; b < blocks; b++) {
        const struct ets_block *block = ets_inspection_block(section.inspection, b);
        if (block->method_state != ETS_METHOD_FOUND || strcmp(block->method, method) != 0) continue;
        section.block = b;
        if (items != NULL) items[count] = section;
        count++;
    }
    if (count > 0) return count;
    section.block = ETS_NO_INDEX;
    if (items != NULL) items[0] = section;
    return 1;
}

static void add_all(struct ets_delegate_section section, struct ets_delegate_sections *sections)
{
    const uint32_t steps = ets_delegation_count(section.delegations);
    struct ets_delegate_section *items = sections->items;
    sections->count = 0;
    for (; section.first_step < steps; section.first_step = section.end_step) {
        const uint32_t method =
            ets_delegation_step_at(section.delegations, section.first_step)->method;
        section.end_step = section.first_step + 1;
        while (section.end_step < steps &&
               ets_delegation_step_at(section.delegations, section.end_step)->method == method) {
            section.end_step++;
        }
        sections->count += add_sections(section, items == NULL ? NULL : items + sections->count);
    }
}

bool ets_delegate_sections_find(struct ets_arena *arena, const struct ets_delegation *delegations,
                                const struct ets_inspection *inspection,
                                struct ets_delegate_sections *sections_out)
{
    const struct ets_delegate_section first = {.delegations = delegations,
                                               .inspection = inspection};
    *sections_out = (struct ets_delegate_sections){.items = NULL};
    add_all(first, sections_out);
    sections_out->items =
        ets_arena_alloc_array(arena, sections_out->count, sizeof *sections_out->items);
    if (sections_out->items == NULL) return false;
    add_all(first, sections_out);
    return true;
}

const struct ets_delegate_unit *ets_delegate_line_unit(const struct ets_delegate_line *line)
{
    return line->unit == ETS_NO_INDEX ? NULL : &line->step->units[line->unit];
}

const struct ets_row_node *ets_delegate_line_nodes(const struct ets_delegate_line *line,
                                                   size_t *count_out)
{
    const struct ets_delegate_unit *unit = ets_delegate_line_unit(line);
    *count_out = unit == NULL ? line->step->node_count : unit->node_count;
    return unit == NULL ? line->step->nodes : unit->nodes;
}

bool ets_delegate_unit_name(struct ets_arena *arena, const struct ets_delegate_unit *unit,
                            struct ets_text *name_out)
{
    const bool has_event = unit->event.size > 0 || unit->node_count == 0;
    *name_out = has_event ? unit->event : unit->nodes[0].node->op;
    if (unit->payload_node_count == 0) return true;
    size_t room = 1;
    for (size_t i = 0; i < unit->payload_node_count; i++) {
        room += strlen(unit->payload_nodes[i].type) + 3;
    }
    struct ets_text_builder name = {ets_arena_alloc(arena, room), room, 0};
    if (name.text == NULL) return false;
    for (size_t i = 0; i < unit->payload_node_count; i++) {
        ets_add_text(&name, "%s%s", i > 0 ? " + " : "", unit->payload_nodes[i].type);
    }
    *name_out = ets_built_text(&name);
    return true;
}
