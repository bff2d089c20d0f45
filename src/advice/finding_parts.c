/* Collects what a finding is about: instructions, source lines, and the time of their rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advice/finding_rules.h"
#include "base/text.h"
#include "views/sentence_numbers.h"

/* Instructions that evidence names; the rest are counted. */
enum { MOST_NAMED = 6 };
/* Source lines of a finding that are kept. */
enum { MOST_FRAMES = 256 };
/* Of fewer runs the slowest makes p90 and mid; then only shares are told. */
enum { RUNS_FOR_P90 = 8 };

struct ets_text ets_kernel_short_name(struct ets_text name)
{
    for (size_t i = 0; i + 1 < name.size; i++) {
        if (name.data[i] == ':' && name.data[i + 1] == ':') {
            return (struct ets_text){name.data + i + 2, name.size - i - 2};
        }
    }
    return name;
}

void ets_parts_begin(struct ets_finder *finder)
{
    finder->parts = (struct ets_finding_parts){.is_timed = true};
}

static bool add_number(struct ets_arena *arena, uint32_t **items, uint32_t *count, uint32_t *room,
                       uint32_t number)
{
    uint32_t *grown = ets_arena_grow(arena, *items, *count, room, sizeof **items);
    if (grown == NULL) return false;
    *items = grown;
    grown[(*count)++] = number;
    return true;
}

static bool add_frame(struct ets_arena *arena, struct ets_finding_parts *parts,
                      const struct ets_graph_frame *frame)
{
    if (frame == NULL || parts->frame_count == MOST_FRAMES) return true;
    for (uint32_t i = 0; i < parts->frame_count; i++) {
        if (ets_text_equal(parts->frames[i]->place, frame->place)) return true;
    }
    const struct ets_graph_frame **frames = ets_arena_grow(arena, parts->frames, parts->frame_count,
                                                           &parts->frame_room, sizeof *frames);
    if (frames == NULL) return false;
    parts->frames = frames;
    frames[parts->frame_count++] = frame;
    return true;
}

bool ets_parts_add_node(struct ets_finder *finder, const struct ets_graph_node *node)
{
    struct ets_finding_parts *parts = &finder->parts;
    if (parts->module.data == NULL && node->module_count > 0) {
        parts->module = node->modules[node->module_count - 1].path;
    }
    return add_frame(finder->arena, parts, ets_graph_user_frame(node));
}

static int by_number(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

bool ets_parts_add_row(struct ets_finder *finder, uint32_t row)
{
    struct ets_finding_parts *parts = &finder->parts;
    return add_number(finder->arena, &parts->rows, &parts->row_count, &parts->row_room, row);
}

/* In any order, and more than once; ets_parts_prove sorts them. */
static bool add_instruction(struct ets_finder *finder, uint32_t instruction)
{
    struct ets_finding_parts *parts = &finder->parts;
    const uint32_t count = parts->instruction_count;
    if (count > 0 && parts->instructions[count - 1] == instruction) return true;
    return add_number(finder->arena, &parts->instructions, &parts->instruction_count,
                      &parts->instruction_room, instruction);
}

bool ets_parts_add_call(struct ets_finder *finder, uint32_t instruction)
{
    finder->parts.calls++;
    finder->parts.is_timed = false;
    return add_instruction(finder, instruction);
}

/* The time between operators that goes with a line: its part of what no operator takes. */
static double beside_of(const struct ets_finder *finder, const struct ets_delegate_line *line)
{
    if (line->unit == ETS_NO_INDEX) return finder->method.between;
    const struct ets_delegate_line *call = ets_method_line(finder, line->step->instruction);
    double rest = call->p50;
    for (uint32_t i = 1; i <= call->step->unit_count; i++) rest -= call[i].p50;
    return rest > 0 ? rest / call->step->unit_count : 0;
}

static bool add_times(struct ets_finder *finder, const struct ets_delegate_line *line)
{
    struct ets_finding_parts *parts = &finder->parts;
    struct ets_statistics times;
    if (line->row == ETS_NO_INDEX || isnan(line->p50)) {
        parts->is_timed = false;
        return true;
    }
    if (ets_inspection_row_statistics(finder->subject->inspection, line->row, ETS_NO_INDEX, &times,
                                      NULL) != ETS_OK) {
        return false;
    }
    parts->ticks.lower += line->middle;
    parts->ticks.upper += line->middle + line->resolution;
    parts->removed.lower += times.min;
    parts->removed.upper += line->resolution + fmax(times.p90, line->middle);
    parts->has_few_runs = times.count < RUNS_FOR_P90;
    parts->beside += beside_of(finder, line);
    parts->middle += line->middle;
    return ets_parts_add_row(finder, line->row);
}

bool ets_parts_add(struct ets_finder *finder, const struct ets_delegate_line *line)
{
    const uint32_t instruction = line->step->instruction;
    const struct ets_graph_node *kernel = ets_kernel_node(finder, instruction);
    size_t count;
    const struct ets_row_node *nodes = ets_delegate_line_nodes(line, &count);
    if (!add_times(finder, line) || !add_instruction(finder, instruction)) return false;
    finder->parts.calls++;
    if (kernel != NULL && line->unit == ETS_NO_INDEX) return ets_parts_add_node(finder, kernel);
    for (size_t i = 0; i < count; i++) {
        if (!ets_parts_add_node(finder, nodes[i].node)) return false;
    }
    return true;
}

static bool has_share(const struct ets_finder *finder)
{
    return finder->parts.is_timed && finder->parts.calls > 0 && finder->method.lines.whole > 0;
}

static struct ets_span share_of(const struct ets_finder *finder)
{
    const struct ets_finding_parts *parts = &finder->parts;
    const double whole = finder->method.lines.whole;
    const double more = parts->ticks.upper - parts->ticks.lower;
    return (struct ets_span){parts->middle / whole, (parts->middle + more) / whole};
}

bool ets_parts_are_large(const struct ets_finder *finder)
{
    if (finder->parts.calls == 0) return false;
    return !has_share(finder) || share_of(finder).lower >= ETS_ADVICE_LEAST_SHARE;
}

void ets_parts_say_share(struct ets_finder *finder)
{
    if (!has_share(finder)) return;
    ets_find_say(finder, ", ");
    ets_add_share(&finder->line, share_of(finder));
    ets_find_say(finder, " of a run");
}

static void sort_instructions(struct ets_finding_parts *parts)
{
    uint32_t count = 0;
    if (parts->instruction_count < 2) return;
    qsort(parts->instructions, parts->instruction_count, sizeof *parts->instructions, by_number);
    for (uint32_t i = 0; i < parts->instruction_count; i++) {
        if (count > 0 && parts->instructions[count - 1] == parts->instructions[i]) continue;
        parts->instructions[count++] = parts->instructions[i];
    }
    parts->instruction_count = count;
}

void ets_parts_prove(struct ets_finder *finder)
{
    struct ets_finding_parts *parts = &finder->parts;
    sort_instructions(parts);
    const uint32_t named =
        parts->instruction_count > MOST_NAMED ? MOST_NAMED - 1 : parts->instruction_count;
    ets_find_prove(finder, "instruction%s ", parts->instruction_count == 1 ? "" : "s");
    for (uint32_t i = 0; i < named; i++) {
        ets_find_prove(finder, "%s%u",
                       i == 0                                                ? ""
                       : i + 1 == named && named == parts->instruction_count ? " and "
                                                                             : ", ",
                       parts->instructions[i]);
    }
    if (named < parts->instruction_count) {
        ets_find_prove(finder, " and %u more", parts->instruction_count - named);
    }
    if (!has_share(finder) || parts->has_few_runs) return;
    ets_find_prove(finder, ": ");
    ets_add_time(&finder->evidence, parts->ticks, finder->blocks.tick_ns);
    ets_find_prove(finder, " of a run (mid)");
}

/* What goes away of a run; of few runs the share of the median one. */
static struct ets_span removed_of(const struct ets_finder *finder)
{
    const struct ets_finding_parts *parts = &finder->parts;
    struct ets_span removed = parts->removed;
    for (uint32_t i = 0; parts->has_few_runs && i < finder->blocks.count; i++) {
        const struct ets_timed_block *block = &finder->blocks.items[i];
        if (block->block != finder->method.section->block) continue;
        removed.upper = share_of(finder).upper * block->times.statistics.p50;
        removed.lower = fmin(removed.lower, removed.upper);
    }
    return removed;
}

void ets_saving_add(struct ets_finding *finding, double ticks)
{
    if (!(ticks > 0)) return;
    finding->saving.ticks.upper += ticks;
    finding->saving.beside += ticks;
}

struct ets_finding ets_finding_of_parts(struct ets_finder *finder, const char *kind,
                                        enum ets_saving_basis basis, enum ets_check check)
{
    const struct ets_finding_parts *parts = &finder->parts;
    const struct ets_finding_method *method = &finder->method;
    const char *name =
        ets_delegation_step_at(finder->delegation, method->section->first_step)->method_name;
    struct ets_finding finding = ets_finding_of(kind, ETS_SEVERITY_NOTE, "operators");
    finding.block = method->section->block;
    const char *copy = ets_arena_copy_text(finder->arena, name, strlen(name));
    if (copy != NULL) finding.method = (struct ets_text){copy, strlen(name)};
    finding.confidence = ETS_CONFIDENCE_MEDIUM;
    finding.check = check;
    finding.module = parts->module;
    finding.frames = parts->frames;
    finding.frame_count = parts->frame_count;
    finding.instructions = parts->instructions;
    finding.instruction_count = parts->instruction_count;
    finding.rows = parts->rows;
    finding.row_count = parts->row_count;
    if (parts->row_count == 1) finding.row = parts->rows[0];
    if (parts->frame_count > 0) finding.place = parts->frames[0]->place;
    finding.saving.basis = basis;
    for (uint32_t i = 0; basis == ETS_SAVING_REMOVED && i < parts->instruction_count; i++) {
        method->is_told[parts->instructions[i]] = 1;
    }
    if (!has_share(finder)) return finding;
    finding.share = share_of(finder);
    finding.cost =
        parts->middle * ets_inspection_block(finder->subject->inspection, finding.block)->run_count;
    struct ets_span removed = removed_of(finder);
    finding.saving.beside = parts->beside;
    removed.upper += parts->beside;
    removed.lower = fmax(0, removed.lower - parts->beside);
    if (basis == ETS_SAVING_BOUND) finding.saving.ticks = (struct ets_span){0, removed.upper};
    if (basis == ETS_SAVING_REMOVED) finding.saving.ticks = removed;
    return finding;
}
