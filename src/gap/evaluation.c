/*
 * Evaluates the reference and compares it with the device. The first evaluation is unchanged and
 * gives total errors. The second replaces computed values by captured ones and gives each node's
 * own error. Further ones show what part of the outputs' error the largest of these make: shares.c.
 */
#include <math.h>
#include <string.h>

#include "etscope/experimental/comparators.h"
#include "gap/channels.h"
#include "gap/counterparts.h"
#include "gap/gap_details.h"
#include "gap/gap_parts.h"
#include "gap/largest.h"
#include "gap/overflow.h"
#include "gap/saturation.h"
#include "gap/shares.h"
#include "gap/weight_steps.h"
#include "numerics/tensor_statistics_sums.h"
#include "numerics/value_picture.h"
#include "reference/reference.h"

enum pass { PASS_TOTAL, PASS_OWN, PASS_BITS };

struct comparer {
    struct ets_gap_report *report;
    enum pass pass;
    uint32_t fitting, unfitting; /* captured values with and without the reference's shape */
    uint32_t first_unfitting;    /* its row's number */
    const struct ets_gap_evaluation *how;
    struct gap_weight_steps steps;      /* likewise */
    struct gap_saturations saturations; /* of the program; count 0: none, or of another model */
    uint64_t seen, to_see; /* values of all passes: computed, and about how many there will be */
};

static size_t print_shape(char *text, size_t room, const struct ets_tensor *tensor)
{
    size_t used = ets_print_text(text, room, "[");
    for (uint32_t i = 0; i < tensor->rank; i++) {
        used += ets_print_text(text + used, room - used, "%s%lld", i > 0 ? ", " : "",
                               (long long)tensor->sizes[i]);
    }
    return used + ets_print_text(text + used, room - used, "]");
}

enum ets_status ets_gap_tell_shapes(struct ets_gap_report *report, struct ets_gap_row *row,
                                    const struct ets_tensor *reference, struct ets_error *error)
{
    char captured[160], expected[160], text[400];
    print_shape(captured, sizeof captured, &row->value->captured.tensor);
    print_shape(expected, sizeof expected, reference);
    const size_t used = ets_print_text(text, sizeof text, "captured as %s, but %s in the reference",
                                       captured, expected);
    row->reason = ets_arena_copy_text(&report->arena, text, used);
    return row->reason == NULL ? gap_fail_memory(error) : ETS_OK;
}

/* 1 or 0; -1: these types cannot be compared. */
static int has_same_bits(const struct ets_tensor *reference, const struct ets_tensor *device)
{
    static const struct ets_tolerance none = {.relative = 0};
    struct ets_closeness closeness;
    if (reference->scalar_type != device->scalar_type) return 0;
    if (ets_closeness_of(reference, device, &none, &closeness, NULL) != ETS_OK) return -1;
    return closeness.outside_count == 0;
}

/* Runs the caller's comparators on a pair. */
static enum ets_status compare_by_callers(struct ets_gap_report *report, struct ets_gap_row *row,
                                          const struct ets_tensor *reference,
                                          const struct ets_tensor *device, struct ets_error *error)
{
    const uint32_t count = report->options.comparator_count;
    if (count == 0) return ETS_OK;
    double *compared = ets_arena_alloc_array(&report->arena, count, sizeof *compared);
    if (compared == NULL) return gap_fail_memory(error);
    row->compared = compared;
    for (uint32_t i = 0; i < count; i++) {
        const struct ets_comparator *comparator = report->options.comparators[i];
        struct ets_error refusal = {.message = ""};
        compared[i] = NAN;
        const enum ets_status status =
            comparator->compare(reference, device, &compared[i], &refusal);
        if (status == ETS_OK) continue;
        compared[i] = NAN;
        if (report->refusals[i] != NULL) continue;
        refusal.message[sizeof refusal.message - 1] = '\0';
        const char *reason = refusal.message[0] != '\0' ? refusal.message : ets_status_name(status);
        report->refusals[i] = ets_arena_copy_text(&report->arena, reason, strlen(reason));
        if (report->refusals[i] == NULL) return gap_fail_memory(error);
    }
    return ETS_OK;
}

/* Which of the rows with pictures is nearest to its reference. */
static uint32_t find_nearest(const struct ets_gap_report *report)
{
    uint32_t nearest = 0;
    double least = INFINITY;
    for (uint32_t i = 0; i < report->picture_count; i++) {
        const double error = ets_comparison_relative_rms(&report->pictured[i]->total);
        if (!(error < least)) continue;
        nearest = i;
        least = error;
    }
    return nearest;
}

/* Where a picture of the row has a place; NULL: all that are kept are of larger errors. */
static struct ets_gap_row **find_place(const struct ets_gap_report *report,
                                       const struct ets_gap_row *row)
{
    if (report->picture_count < report->options.pictures) {
        return &report->pictured[report->picture_count];
    }
    struct ets_gap_row **place = &report->pictured[find_nearest(report)];
    const double least = ets_comparison_relative_rms(&(*place)->total);
    return least < ets_comparison_relative_rms(&row->total) ? place : NULL;
}

/* Keeps a picture of the pair, those farthest apart if there are too many. */
static enum ets_status keep_picture(struct ets_gap_report *report, struct ets_gap_row *row,
                                    const struct ets_tensor *reference,
                                    const struct ets_tensor *device, struct ets_error *error)
{
    struct ets_value_picture drawn;
    if (report->options.pictures == 0 || row->picture != NULL) return ETS_OK;
    struct ets_gap_row **place = find_place(report, row);
    if (place == NULL) return ETS_OK;
    if (ets_value_picture_of(reference, device, &drawn, NULL) != ETS_OK) return ETS_OK; /* none */
    if (*place != NULL) {
        row->picture = (*place)->picture;
        (*place)->picture = NULL;
    } else {
        row->picture = ets_arena_alloc(&report->arena, sizeof drawn);
        if (row->picture == NULL) return gap_fail_memory(error);
        report->picture_count++;
    }
    *row->picture = drawn;
    *place = row;
    return ETS_OK;
}

enum ets_status ets_gap_compare_total(struct ets_gap_report *report, struct ets_gap_row *row,
                                      const struct ets_tensor *reference,
                                      const struct ets_tensor *device, struct ets_error *error)
{
    if (ets_comparison_of(reference, device, &row->total, NULL) != ETS_OK ||
        ets_tensor_statistics_of(reference, ETS_TENSOR_STATISTICS_FIRST_LIMIT, &row->reference) !=
            ETS_OK ||
        ets_tensor_statistics_of(device, ETS_TENSOR_STATISTICS_FIRST_LIMIT, &row->device) !=
            ETS_OK) {
        row->reason = "these types cannot be compared";
        return ETS_OK;
    }
    row->has_total = 1;
    row->has_ulps = ets_ulps_of(reference, device, &row->ulps, NULL) == ETS_OK;
    ETS_TRY(keep_picture(report, row, reference, device, error));
    return compare_by_callers(report, row, reference, device, error);
}

/* Of what is more than float32's rounding: which channel has most of the error, and how much each
 * is off by its own size. */
static enum ets_status find_channel(const struct comparer *c, struct ets_gap_row *row,
                                    const struct ets_tensor *reference,
                                    const struct ets_tensor *device, struct ets_error *error)
{
    struct ets_arena arena;
    if (row->has_own) {
        ETS_TRY(ets_gap_channel_errors(&c->report->arena, row->value->node, reference, device,
                                       &row->own_channels, error));
    }
    if (!row->has_own || !(ets_comparison_relative_rms(&row->own) > 1e-5)) return ETS_OK;
    ets_arena_init(&arena, c->report->options.allocator, 0);
    const enum ets_status status =
        ets_gap_channel_find(&arena, reference, device, &row->channel, error);
    ets_arena_reset(&arena);
    return status;
}

/* Compares the reference's value with the captured one, for the current pass. */
static enum ets_status compare(struct comparer *c, uint32_t number,
                               const struct ets_tensor *reference, const struct ets_tensor *device,
                               struct ets_error *error)
{
    struct ets_gap_row *row = &c->report->rows[number];
    if (c->pass == PASS_TOTAL) {
        if (c->report->is_output[number]) row->largest = ets_gap_largest_of(reference, device);
        ETS_TRY(ets_gap_channel_errors(&c->report->arena, row->value->node, reference, device,
                                       &row->total_channels, error));
        return ets_gap_compare_total(c->report, row, reference, device, error);
    }
    if (c->pass == PASS_BITS) {
        row->same_bits = has_same_bits(reference, device);
        return ETS_OK;
    }
    if (c->report->is_excluded[number]) return ETS_OK;
    row->rounding = NAN;
    row->has_own = ets_comparison_of(reference, device, &row->own, NULL) == ETS_OK;
    if (row->has_own && !c->report->verdict.in_double) {
        row->same_bits = row->own.unequal_count == 0;
    }
    struct ets_tensor_statistics computed;
    if (row->has_own && ets_tensor_sums_of(reference, &computed) == ETS_OK) {
        row->own_correlation = ets_gap_correlation(&row->own, &computed, &row->device);
    }
    ETS_TRY(find_channel(c, row, reference, device, error));
    return ets_gap_note_rounding(c->report, row, reference, (int)device->scalar_type, error);
}

/* Handles the first computation of a row's value. */
static void note_row(struct ets_gap_report *report, uint32_t number)
{
    if (report->place_in_order[number] != GAP_NONE) return;
    report->place_in_order[number] = report->row_count;
    report->order[report->row_count++] = number;
}

static enum ets_status keep_reason(struct ets_gap_report *report, struct ets_gap_row *row,
                                   const char *reason, struct ets_error *error)
{
    if (reason == NULL) reason = "the reference cannot compute it";
    row->reason = ets_arena_copy_text(&report->arena, reason, strlen(reason));
    return row->reason == NULL ? gap_fail_memory(error) : ETS_OK;
}

static void tell_progress(struct comparer *c)
{
    c->seen++;
    if (c->how->progress != NULL) c->how->progress(c->how->progress_context, c->seen, c->to_see);
}

/* The statistics of the reference's value, if its row has them. */
static const struct ets_tensor_statistics *known_statistics(
    const struct comparer *c, const struct ets_reference_result *result)
{
    const uint32_t number = ets_gap_row_of(c->report, result);
    const struct ets_gap_row *row = number != GAP_NONE ? &c->report->rows[number] : NULL;
    return row != NULL && row->has_total ? &row->reference : NULL;
}

/* What the scales of the program's own graph cut off, and what its types cannot hold. */
static void see_activation(struct comparer *c, const struct ets_reference_result *result)
{
    const uint32_t node = ets_gap_graph_number(c->report->reference, result->node);
    struct ets_tensor value;
    uint8_t room[ETS_NUMBER_BYTES];
    if (node == GAP_NONE) return;
    if (!ets_tensor_of_value(&result->value, ETS_SCALAR_LONG, room, &value)) return;
    if (c->report->verdict.in_double) {
        ets_gap_overflow_see(&c->report->verdict.overflow, c->report->reference, node,
                             result->output, &value, known_statistics(c, result));
    }
    if (result->output == 0) ets_gap_saturations_see(&c->saturations, node, &value);
}

/* The weights of the program's own graph. */
static enum ets_status see_weight(struct comparer *c, const struct ets_reference_result *result,
                                  struct ets_error *error)
{
    const uint32_t node = ets_gap_graph_number(c->report->reference, result->node);
    if (c->steps.arena == NULL || node == GAP_NONE || result->value.kind != ETS_VALUE_TENSOR) {
        return ETS_OK;
    }
    return ets_gap_weight_steps_see(&c->steps, c->report->reference, node, &result->value.as.tensor,
                                    error);
}

/* Where weights have too few steps, what scales cut off behind them arrives wrong there. */
static void judge_scales(struct comparer *c)
{
    struct ets_gap_conclusion *verdict = &c->report->verdict;
    const uint32_t cause = ets_gap_weight_steps_cause(&c->steps);
    ets_gap_saturations_judge(&c->saturations, verdict);
    verdict->coarse = NULL;
    if (cause == GAP_NONE) return;
    verdict->weight = &c->steps.items[cause];
    verdict->coarse = ets_gap_weight_steps_user(&c->steps, c->report->reference, cause);
    const bool is_input = verdict->saturation != NULL && verdict->saturation->node == NULL;
    if (!is_input) verdict->saturation = NULL;
}

/* Compares a value with the captured one, if there is one, and replaces it. */
static enum ets_status see_row(struct comparer *c, const struct ets_reference_result *result,
                               struct ets_value *replacement_out, struct ets_error *error)
{
    const uint32_t number = ets_gap_row_of(c->report, result);
    if (number == GAP_NONE) return ETS_OK;
    struct ets_gap_row *row = &c->report->rows[number];
    const struct ets_captured_value *captured = &row->value->captured;
    struct ets_tensor reference, device;
    uint8_t room[ETS_NUMBER_BYTES];
    if (c->pass == PASS_TOTAL) note_row(c->report, number);
    if (captured->status != ETS_OK) return ETS_OK;
    const bool is_computed = ets_tensor_of_value(&result->value, ETS_SCALAR_LONG, room, &reference);
    if (is_computed) {
        if (!ets_gap_reshape(&captured->tensor, &reference, &device)) {
            if (c->pass != PASS_TOTAL) return ETS_OK;
            if (c->unfitting++ == 0) c->first_unfitting = number;
            return ets_gap_tell_shapes(c->report, row, &reference, error);
        }
        c->fitting++;
        ETS_TRY(compare(c, number, &reference, &device, error));
    } else if (row->reason == NULL) {
        ETS_TRY(keep_reason(c->report, row, result->reason, error));
    }
    if (c->pass != PASS_TOTAL) ets_gap_replace(c->report, number, result, replacement_out);
    ets_gap_take_random(c->report, result, replacement_out);
    return ETS_OK;
}

static enum ets_status observe(void *context, const struct ets_reference_result *result,
                               struct ets_value *replacement_out, struct ets_error *error)
{
    struct comparer *c = context;
    tell_progress(c);
    if (c->pass == PASS_TOTAL) ETS_TRY(see_weight(c, result, error));
    ETS_TRY(see_row(c, result, replacement_out, error));
    if (c->pass == PASS_TOTAL) see_activation(c, result);
    return ETS_OK;
}

/* Marks rows that the evaluation did not reach. */
static void add_unreached(struct ets_gap_report *report)
{
    for (uint32_t i = 0; i < report->compared.count; i++) {
        if (report->place_in_order[i] != GAP_NONE) continue;
        if (report->rows[i].reason == NULL) {
            report->rows[i].reason = "the reference did not reach it";
        }
        note_row(report, i);
    }
}

static const enum ets_gap_route ROUTES[] = {
    [ETS_ROUTE_KERNEL] = ETS_GAP_BY_KERNEL,
    [ETS_ROUTE_EXPRESSION] = ETS_GAP_BY_EXPRESSION,
    [ETS_ROUTE_FALLBACK] = ETS_GAP_BY_EDGE,
    [ETS_ROUTE_UNCOVERED] = ETS_GAP_BY_NOTHING,
};

/* Sets how each node is computed; the reference lists them in the same order. */
static enum ets_status note_routes(struct ets_gap_report *report,
                                   const struct ets_reference *reference, struct ets_error *error)
{
    const uint32_t count = ets_reference_node_count(reference);
    struct ets_gap_conclusion *verdict = &report->verdict;
    verdict->uncovered = verdict->fallbacks = verdict->single = 0;
    verdict->uncovered_reason = verdict->fallback_reason = NULL;
    for (uint32_t i = 0; i < count; i++) {
        const struct ets_reference_node *node = ets_reference_node(reference, i);
        verdict->uncovered += node->route == ETS_ROUTE_UNCOVERED;
        verdict->fallbacks += node->route == ETS_ROUTE_FALLBACK;
        const char **kept = node->route == ETS_ROUTE_FALLBACK ? &verdict->fallback_reason
                                                              : &verdict->uncovered_reason;
        if (node->reason == NULL || *kept != NULL) continue;
        *kept = ets_arena_copy_text(&report->arena, node->reason, strlen(node->reason));
        if (*kept == NULL) {
            return ets_fail_memory(error, "the report of the gap");
        }
    }
    for (uint32_t i = 0; i < report->compared.count; i++) {
        const uint64_t node = *ets_key_table_key(&report->compared, i);
        if (node < count)
            report->rows[i].route = ROUTES[ets_reference_node(reference, (uint32_t)node)->route];
    }
    return ETS_OK;
}

/* Counts nodes computed in their own types, among those that a run reached. */
static void note_single(struct ets_gap_report *report, const struct ets_reference *reference)
{
    for (uint32_t i = 0; i < ets_reference_node_count(reference); i++) {
        report->verdict.single += ets_reference_node(reference, i)->is_single;
    }
}

enum ets_status ets_gap_evaluation_open(const struct ets_gap_report *report,
                                        const struct ets_gap_evaluation *evaluation,
                                        struct gap_evaluation *out, struct ets_error *error)
{
    const bool has_fallback = report->reference != &report->edge;
    const struct ets_reference_options options = {
        .engine = evaluation->engine,
        .record = report->options.record,
        .graph = report->reference->graph,
        .fallback = has_fallback ? report->edge.graph : NULL,
        .use_double = evaluation->use_double,
        .allocator = report->options.allocator,
        .memory_limit = evaluation->memory_limit,
        .start = report->state};
    *out = (struct gap_evaluation){NULL, evaluation->inputs, evaluation->input_count};
    if (evaluation->inputs == NULL) {
        ETS_TRY(ets_gap_record_inputs(report, &out->inputs, &out->input_count, error));
    }
    return ets_reference_open(&options, &out->reference, error);
}

/* Fails if most captured values have another shape: the model ran on other inputs. */
static enum ets_status check_shapes(const struct comparer *c, struct ets_error *error)
{
    if (c->fitting >= c->unfitting) return ETS_OK;
    const struct ets_gap_row *row = &c->report->rows[c->first_unfitting];
    return ets_fail(error, ETS_MISMATCH, ETS_NO_OFFSET,
                    "the run had different inputs than the reference: %.*s was %s",
                    ETS_TEXT(row->value->node->name), row->reason);
}

/* Finds values that the runtime's kernels compute identically from the device's values. */
static enum ets_status compare_bits(struct comparer *c, const struct ets_gap_evaluation *evaluation,
                                    struct ets_error *error)
{
    struct ets_gap_evaluation in_own_types = *evaluation;
    struct gap_evaluation e;
    in_own_types.use_double = 0;
    c->pass = PASS_BITS;
    ETS_TRY(ets_gap_evaluation_open(c->report, &in_own_types, &e, error));
    const enum ets_status status =
        ets_reference_run(e.reference, e.inputs, e.input_count, observe, c, error);
    ets_reference_close(e.reference);
    return status;
}

static void count_bits(struct ets_gap_report *report)
{
    struct ets_gap_conclusion *verdict = &report->verdict;
    verdict->bits_known = verdict->same_bits = 0;
    for (uint32_t i = 0; i < report->compared.count; i++) {
        verdict->bits_known += report->rows[i].same_bits >= 0;
        verdict->same_bits += report->rows[i].same_bits == 1;
    }
}

/*
 * Evaluates from captured values. Where a value that was paired by order is off, the pairing is in
 * doubt, so what is computed from it is judged again from the values before it.
 */
static enum ets_status judge_own_errors(struct comparer *c, const struct gap_evaluation *e,
                                        const struct ets_gap_evaluation *evaluation, bool has_bits,
                                        struct ets_error *error)
{
    enum { MOST_TIMES = 8 };
    for (int i = 0; i < MOST_TIMES; i++) {
        c->pass = PASS_OWN;
        ETS_TRY(ets_reference_run(e->reference, e->inputs, e->input_count, observe, c, error));
        if (has_bits) ETS_TRY(compare_bits(c, evaluation, error));
        count_bits(c->report);
        ETS_TRY(ets_gap_judge(c->report, error));
        if (!ets_gap_exclude_doubtful(c->report)) break;
    }
    note_single(c->report, e->reference);
    return ETS_OK;
}

static enum ets_status run_passes(struct comparer *c, const struct gap_evaluation *e,
                                  const struct ets_gap_evaluation *evaluation,
                                  struct ets_error *error)
{
    const bool has_bits =
        c->report->verdict.against == ETS_GAP_AGAINST_RECORD && evaluation->use_double;
    const uint64_t passes = has_bits ? 3 : 2;
    c->to_see = passes * ets_reference_node_count(e->reference);
    ETS_TRY(ets_reference_run(e->reference, e->inputs, e->input_count, observe, c, error));
    c->to_see = passes * c->seen; /* loops and lists are known now */
    add_unreached(c->report);
    ETS_TRY(check_shapes(c, error));
    ETS_TRY(judge_own_errors(c, e, evaluation, has_bits, error));
    ETS_TRY(ets_gap_shares_measure(c->report, e, evaluation, error));
    ets_gap_conclude(c->report);
    return ETS_OK;
}

enum ets_status ets_gap_evaluate_run(struct ets_gap_report *report,
                                     const struct ets_gap_evaluation *evaluation,
                                     struct ets_error *error)
{
    struct gap_evaluation e;
    struct ets_arena arena;
    ets_arena_init(&arena, report->options.allocator, 0);
    report->verdict.in_double = evaluation->use_double != 0;
    report->verdict.overflow = (struct ets_gap_overflow){.node = NULL};
    enum ets_status status = ets_gap_make_rows(report, error);
    if (status == ETS_OK) status = ets_gap_find_kept_inputs(report, evaluation, error);
    if (status == ETS_OK) status = ets_gap_find_changed(report, error);
    if (status == ETS_OK) status = ets_gap_follow_state(report, evaluation, error);
    if (status == ETS_OK) status = ets_gap_outputs_find(report, error);
    if (status == ETS_OK) {
        status = ets_gap_evaluation_open(report, evaluation, &e, error);
        if (status == ETS_OK) {
            struct comparer c = {.report = report, .how = evaluation};
            status = note_routes(report, e.reference, error);
            if (status == ETS_OK && report->verdict.against == ETS_GAP_AGAINST_RECORD) {
                c.steps.arena = &report->arena;
                status = ets_gap_saturations_find(&c.saturations, &report->arena, report->reference,
                                                  error);
                ets_gap_saturations_see_inputs(&c.saturations, e.inputs, e.input_count);
            }
            if (report->verdict.against == ETS_GAP_AGAINST_RECORD) ets_gap_check_inputs(report, &e);
            if (status == ETS_OK) status = run_passes(&c, &e, evaluation, error);
            if (report->verdict.against == ETS_GAP_AGAINST_RECORD) {
                judge_scales(&c);
                for (uint32_t i = 0; i < report->row_count; i++) {
                    const struct ets_graph_node *node = report->rows[i].value->node;
                    report->rows[i].saturation = ets_gap_saturation_of(
                        &c.saturations, ets_gap_graph_number(report->reference, node));
                }
            }
            ets_reference_close(e.reference);
        }
    }
    ets_arena_reset(&arena);
    return status;
}

enum ets_status ets_gap_evaluate(struct ets_gap_report *report,
                                 const struct ets_gap_evaluation *evaluation,
                                 struct ets_error *error)
{
    ets_gap_close(report->twin);
    report->twin = NULL;
    report->verdict.against = ETS_GAP_AGAINST_RECORD;
    report->verdict.is_quantized = ets_gap_graph_quantizes(report->reference);
    report->verdict.mismatch = ETS_GAP_MATCHES;
    return ets_gap_evaluate_run(report, evaluation, error);
}
