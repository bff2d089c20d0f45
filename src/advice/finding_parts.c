/* Collects what a finding is about: instructions, source lines, and the time of their rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advice/finding_rules.h"
#include "base/text.h"
#include "operators/operator_traits.h"
#include "views/sentence_numbers.h"

/* Instructions that evidence names; the rest are counted. */
enum { MOST_NAMED = 6 };
/* Source lines, and modules, of a finding that are kept. */
enum { MOST_FRAMES = 256 };

struct ets_text ets_kernel_short_name(struct ets_text name)
{
    for (size_t i = 0; i + 1 < name.size; i++) {
        if (name.data[i] == ':' && name.data[i + 1] == ':') {
            return (struct ets_text){name.data + i + 2, name.size - i - 2};
        }
    }
    return name;
}

bool ets_kernel_is_deliberate(struct ets_text name)
{
    static const char *const common[] = {"aten::", "dim_order_ops::", "executorch_prim::"};
    const struct ets_text short_name = ets_kernel_short_name(name);
    if (short_name.size == name.size) return false;
    for (size_t i = 0; i < sizeof common / sizeof *common; i++) {
        if (ets_text_starts_with(name, common[i])) return false;
    }
    /* Steps around an operator, of any library; embedding_4bit and mixed_linear are fused. */
    return !ets_operator_is(name, ETS_OPERATOR_QUANTIZATION);
}

void ets_parts_begin(struct ets_finder *finder)
{
    finder->parts = (struct ets_finding_parts){.is_timed = true};
    finder->collection++;
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

static bool add_module(struct ets_arena *arena, struct ets_finding_parts *parts,
                       struct ets_text module)
{
    if (module.size == 0 || parts->module_count == MOST_FRAMES) return true;
    for (uint32_t i = 0; i < parts->module_count; i++) {
        if (ets_text_equal(parts->modules[i], module)) return true;
    }
    struct ets_text *modules = ets_arena_grow(arena, parts->modules, parts->module_count,
                                              &parts->module_room, sizeof *modules);
    if (modules == NULL) return false;
    parts->modules = modules;
    modules[parts->module_count++] = module;
    return true;
}

bool ets_read_handle_nodes(struct ets_finder *finder, struct ets_text method,
                           struct ets_handle_nodes *nodes_out)
{
    struct ets_error error;
    struct ets_etrecord *record = finder->subject->record;
    *nodes_out = (struct ets_handle_nodes){.count = 0};
    if (record == NULL || method.data == NULL) return true;
    const char *name = ets_record_method(record, method);
    if (name == NULL) return true;
    const enum ets_status status =
        ets_handle_nodes_read(finder->arena, record, name, nodes_out, &error);
    if (status != ETS_OK) *nodes_out = (struct ets_handle_nodes){.count = 0};
    return status != ETS_NO_MEMORY;
}

bool ets_parts_add_handle(struct ets_finder *finder, const struct ets_handle_nodes *nodes,
                          int64_t handle)
{
    const struct ets_graph_node *node = handle < 0 ? NULL : ets_handle_nodes_find(nodes, handle);
    return node == NULL || ets_parts_add_node(finder, node);
}

bool ets_parts_add_module(struct ets_finder *finder, struct ets_text module)
{
    return add_module(finder->arena, &finder->parts, module);
}

bool ets_parts_add_node(struct ets_finder *finder, const struct ets_graph_node *node)
{
    struct ets_finding_parts *parts = &finder->parts;
    if (!add_module(finder->arena, parts, ets_graph_module_path(node))) return false;
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

bool ets_parts_take_row(struct ets_finder *finder, uint32_t index)
{
    const struct ets_row *row = ets_inspection_row(finder->subject->inspection, index);
    for (size_t i = 0; i < row->node_count; i++) {
        if (!ets_parts_add_node(finder, row->nodes[i].node)) return false;
    }
    return ets_parts_add_row(finder, index);
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
    double rest = call->middle;
    for (uint32_t i = 1; i <= call->step->unit_count; i++) rest -= call[i].middle;
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
    parts->fastest += times.min;
    parts->beside += beside_of(finder, line);
    parts->has_few_runs = times.count < ETS_RUNS_FOR_MID;
    return ets_parts_add_row(finder, line->row);
}

/* Of an operator inside of a call: one tensor that the call reads or writes, twice. */
static void add_bytes(struct ets_finder *finder, const struct ets_delegate_line *line)
{
    const struct ets_delegation_step *step = line->step;
    const double bytes = (double)step->input_bytes + (double)step->output_bytes;
    const double tensors = (double)step->input_count + (double)step->output_count;
    if (line->unit == ETS_NO_INDEX) finder->parts.bytes += bytes;
    else if (tensors > 0) finder->parts.bytes += 2 * bytes / tensors;
}

static void add_join(struct ets_finder *finder, const struct ets_delegate_line *line)
{
    const struct ets_join *join = &finder->method.joins[line->step->instruction];
    if (line->unit != ETS_NO_INDEX || join->calls == 0) return;
    finder->parts.joined += join->calls;
    if (!isnan(join->ticks)) finder->parts.joined_ticks += join->ticks;
}

bool ets_parts_add(struct ets_finder *finder, const struct ets_delegate_line *line)
{
    const uint32_t instruction = line->step->instruction;
    const struct ets_graph_node *kernel = ets_kernel_node(finder, instruction);
    size_t count;
    const struct ets_row_node *nodes = ets_delegate_line_nodes(line, &count);
    if (line->unit == ETS_NO_INDEX) {
        if (finder->method.collected[instruction] == finder->collection) return true;
        finder->method.collected[instruction] = finder->collection;
    }
    if (!add_times(finder, line) || !add_instruction(finder, instruction)) return false;
    finder->parts.calls++;
    add_bytes(finder, line);
    add_join(finder, line);
    if (kernel != NULL && line->unit == ETS_NO_INDEX) return ets_parts_add_node(finder, kernel);
    for (size_t i = 0; i < count; i++) {
        if (!ets_parts_add_node(finder, nodes[i].node)) return false;
    }
    return true;
}

/* Whether its part of a run is known, if only for the order and what is too small. */
static bool has_share(const struct ets_finder *finder)
{
    return finder->parts.is_timed && finder->parts.calls > 0 && finder->method.lines.whole > 0;
}

bool ets_method_tells_time(const struct ets_finder *finder)
{
    return finder->method.lines.whole > 0 && !finder->method.is_captured;
}

double ets_method_of_median(const struct ets_finder *finder, double ticks)
{
    return ticks / finder->method.lines.whole * finder->method.median;
}

static bool tells_share(const struct ets_finder *finder)
{
    return has_share(finder) && ets_method_tells_time(finder);
}

static struct ets_span share_of(const struct ets_finder *finder)
{
    const struct ets_finding_parts *parts = &finder->parts;
    const double whole = finder->method.lines.whole;
    return (struct ets_span){parts->ticks.lower / whole, parts->ticks.upper / whole};
}

bool ets_parts_are_large(const struct ets_finder *finder)
{
    if (finder->parts.calls == 0) return false;
    const double joined = finder->parts.joined_ticks / finder->method.lines.whole;
    return !has_share(finder) || share_of(finder).lower + joined >= ETS_ADVICE_LEAST_SHARE;
}

void ets_parts_say_share(struct ets_finder *finder)
{
    const struct ets_finding_parts *parts = &finder->parts;
    if (tells_share(finder)) {
        ets_find_say(finder, ", ");
        ets_add_share(&finder->line, share_of(finder));
        ets_find_say(finder, " of a run");
    }
    if (parts->joined == 0) return;
    ets_find_say(finder, "%s and keep%s %u delegate call%s from joining the one%s before",
                 tells_share(finder) ? "," : "", parts->calls == 1 ? "s" : "", parts->joined,
                 parts->joined == 1 ? "" : "s", parts->joined == 1 ? "" : "s");
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
    ets_find_evidence(finder, "instruction%s ", parts->instruction_count == 1 ? "" : "s");
    for (uint32_t i = 0; i < named; i++) {
        ets_find_evidence(finder, "%s%u",
                          i == 0                                                ? ""
                          : i + 1 == named && named == parts->instruction_count ? " and "
                                                                                : ", ",
                          parts->instructions[i]);
    }
    if (named < parts->instruction_count) {
        ets_find_evidence(finder, " and %u more", parts->instruction_count - named);
    }
    if (!tells_share(finder) || parts->has_few_runs) return;
    ets_find_evidence(finder, ": ");
    const double tick_ns = finder->blocks.tick_ns, joined = parts->joined_ticks;
    const double scale =
        ets_shared_time_scale(parts->ticks.upper, joined > 0 ? joined : NAN, tick_ns);
    ets_add_time_in(&finder->evidence, parts->ticks, tick_ns, scale);
    ets_find_evidence(finder, " of a run (mid)");
    if (!(joined > 0)) return;
    ets_find_evidence(finder, "; overhead of the call%s behind: ", parts->joined == 1 ? "" : "s");
    ets_add_time_in(&finder->evidence, (struct ets_span){joined, joined}, tick_ns, scale);
}

/* At most the share of the median run that the lines and the calls behind take. */
static struct ets_saving saving_of(const struct ets_finder *finder, enum ets_saving_basis basis)
{
    const struct ets_finding_parts *parts = &finder->parts;
    struct ets_saving saving = {.basis = basis, .ticks = {NAN, NAN}};
    if (basis == ETS_SAVING_NONE || !tells_share(finder)) return saving;
    const double calls = parts->joined_ticks + parts->joined * finder->method.between;
    saving.beside = ets_method_of_median(finder, calls + parts->beside);
    saving.ticks.upper = ets_method_of_median(finder, parts->ticks.upper) + saving.beside;
    saving.part = saving.ticks.upper / finder->method.median;
    saving.ticks.lower = 0;
    if (basis == ETS_SAVING_REMOVED) {
        saving.ticks.lower = fmin(parts->fastest - parts->beside, saving.ticks.upper);
    }
    return saving;
}

void ets_saving_add(const struct ets_finder *finder, struct ets_finding *finding, double mid)
{
    const double more = ets_method_of_median(finder, mid);
    if (!(more > 0) || isnan(finding->saving.ticks.upper)) return;
    finding->saving.ticks.upper += more;
    finding->saving.others += more;
}

void ets_finding_place_parts(const struct ets_finder *finder, struct ets_finding *finding)
{
    const struct ets_finding_parts *parts = &finder->parts;
    finding->modules = parts->modules;
    finding->module_count = parts->module_count;
    finding->frames = parts->frames;
    finding->frame_count = parts->frame_count;
    if (parts->frame_count > 0) finding->place = parts->frames[0]->place;
}

void ets_finding_name_parts(const struct ets_finder *finder, struct ets_finding *finding)
{
    const struct ets_finding_parts *parts = &finder->parts;
    finding->instructions = parts->instructions;
    finding->instruction_count = parts->instruction_count;
    finding->rows = parts->rows;
    finding->row_count = parts->row_count;
    if (parts->row_count == 1) finding->row = parts->rows[0];
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
    ets_finding_place_parts(finder, &finding);
    ets_finding_name_parts(finder, &finding);
    finding.saving = saving_of(finder, basis);
    finding.bytes = parts->bytes;
    for (uint32_t i = 0; i < parts->instruction_count; i++) {
        method->is_named[parts->instructions[i]] = 1;
        if (basis == ETS_SAVING_REMOVED) method->is_told[parts->instructions[i]] = 1;
    }
    if (!has_share(finder)) return finding;
    finding.cost = (parts->ticks.lower + parts->joined_ticks) *
                   ets_inspection_block(finder->subject->inspection, finding.block)->run_count;
    if (tells_share(finder)) finding.share = share_of(finder);
    return finding;
}
