/*
 * Uses another record's graph as the reference: what a quantized program loses against its float
 * original. Compared values are the captured ones and, inside delegates, values that the program's
 * own graph computes from captured ones, so that each operator is visible.
 */
#include <math.h>

#include "gap/counterparts.h"
#include "gap/gap_parts.h"
#include "gap/saturation.h"
#include "gap/weight_match.h"
#include "gap/weight_steps.h"
#include "record/record_maps.h"
#include "reference/reference.h"
#include "reference/reference_value.h"
#include "reference/weights.h"
#include "verify/computing.h"

struct other {
    struct ets_gap_report *report; /* of the program that ran */
    struct ets_gap_report *twin;   /* its values against the other graph */
    struct gap_counterpart *pairs;
    uint32_t count;
    uint32_t *first_pair;          /* [own node] its first pair, */
    uint32_t *next_pair;           /* [pair] and those behind it; GAP_NONE at the end */
    struct gap_weights weights;    /* of the program that ran */
    struct gap_weight_steps steps; /* likewise */
    struct gap_saturations saturations;
};

/* The compared value of a node's output, from its first execution; NULL: none. */
static const struct ets_gap_value *captured_value(const struct ets_gap_report *report,
                                                  uint32_t node, uint32_t iteration,
                                                  uint32_t output)
{
    const uint64_t key[] = {node, output, iteration};
    const uint32_t at = ets_key_table_find(&report->compared, key);
    return at == ETS_KEY_NONE ? NULL : &report->values[report->compared_value[at]];
}

/* A contiguous copy in the twin's memory, converted to another type if requested. */
static enum ets_status keep_tensor(struct other *o, const struct ets_tensor *tensor,
                                   int32_t scalar_type, struct ets_tensor *kept,
                                   struct ets_error *error)
{
    *kept = *tensor;
    kept->scalar_type = scalar_type;
    ets_tensor_set_contiguous(kept);
    const uint64_t bytes = ets_tensor_count(tensor) * ets_scalar_type_bytes(scalar_type);
    void *data = ets_arena_alloc(&o->twin->arena, (size_t)bytes);
    if (data == NULL) return gap_fail_memory(error);
    kept->data = data;
    kept->data_bytes = (size_t)bytes;
    return ets_reference_tensor_copy(tensor, kept, error);
}

static enum ets_status add_value(struct other *o, uint32_t pair, const struct ets_gap_value *value,
                                 const struct ets_tensor *computed, struct ets_error *error)
{
    struct ets_gap_report *twin = o->twin;
    struct ets_gap_value *added = &twin->values[twin->value_count];
    const uint64_t key[] = {o->pairs[pair].other, 0, 0};
    const uint32_t known = twin->compared.count;
    *added = (struct ets_gap_value){.input = ETS_NO_INDEX};
    if (value != NULL) *added = *value;
    if (value == NULL) {
        added->captured =
            (struct ets_captured_value){.event = ETS_NO_INDEX, .row = ETS_NO_INDEX, .chain = -1};
        added->captured.has_tensor = 1;
        added->captured.offset = -1;
        added->is_computed = 1;
        ETS_TRY(keep_tensor(o, computed, computed->scalar_type, &added->captured.tensor, error));
    }
    added->node = twin->reference->nodes[o->pairs[pair].other];
    added->output = 0;
    added->is_view = 0;
    added->reason = NULL;
    const uint32_t at = ets_key_table_add(&twin->compared, key);
    if (at == ETS_KEY_NONE) return gap_fail_memory(error);
    if (at == known) twin->compared_value[at] = twin->value_count++;
    return ETS_OK;
}

/* Evaluates the program's own graph from the device's values. */
static enum ets_status observe(void *context, const struct ets_reference_result *result,
                               struct ets_value *replacement_out, struct ets_error *error)
{
    struct other *o = context;
    const uint32_t node = ets_gap_graph_number(o->report->reference, result->node);
    struct ets_tensor computed;
    uint8_t room[ETS_NUMBER_BYTES];
    if (node == GAP_NONE) return ETS_OK;
    if (result->value.kind == ETS_VALUE_TENSOR) {
        ETS_TRY(ets_gap_weights_see(&o->weights, o->report->reference, node,
                                    &result->value.as.tensor, error));
        ets_gap_saturations_see(&o->saturations, node, &result->value.as.tensor);
        ETS_TRY(ets_gap_weight_steps_see(&o->steps, o->report->reference, node,
                                         &result->value.as.tensor, error));
    }
    const struct ets_gap_value *value =
        captured_value(o->report, node, result->iteration, result->output);
    if (value != NULL && (value->captured.status != ETS_OK || value->is_view)) value = NULL;
    if (value != NULL && result->value.kind == ETS_VALUE_TENSOR) {
        replacement_out->kind = ETS_VALUE_TENSOR;
        replacement_out->as.tensor = value->captured.tensor;
    }
    if (result->output > 0 || result->iteration > 0) return ETS_OK;
    if (value == NULL && !ets_tensor_of_value(&result->value, ETS_SCALAR_LONG, room, &computed)) {
        return ETS_OK;
    }
    for (uint32_t i = o->first_pair[node]; i != GAP_NONE; i = o->next_pair[i]) {
        ETS_TRY(add_value(o, i, value, &computed, error));
    }
    return ETS_OK;
}

static enum ets_status index_pairs(struct other *o, struct ets_error *error)
{
    struct ets_arena *arena = &o->twin->arena;
    const uint32_t nodes = o->report->reference->node_count;
    o->first_pair = ets_arena_alloc_array(arena, nodes, sizeof(uint32_t));
    o->next_pair = ets_arena_alloc_array(arena, o->count, sizeof(uint32_t));
    o->twin->values = ets_arena_alloc_array(arena, o->count, sizeof *o->twin->values);
    o->twin->compared_value = ets_arena_alloc_array(arena, o->count, sizeof(uint32_t));
    if (o->first_pair == NULL || o->next_pair == NULL || o->twin->values == NULL ||
        o->twin->compared_value == NULL) {
        return gap_fail_memory(error);
    }
    ets_key_table_init(&o->twin->compared, arena, 3);
    for (uint32_t i = 0; i < nodes; i++) o->first_pair[i] = GAP_NONE;
    for (uint32_t i = o->count; i-- > 0;) {
        o->next_pair[i] = o->first_pair[o->pairs[i].own];
        o->first_pair[o->pairs[i].own] = i;
    }
    return ETS_OK;
}

/* The arithmetic by which a program is judged against another model, quantized or not. */
static enum ets_computes judged_as(const struct gap_graph *graph, bool is_other_quantized)
{
    enum ets_computes most = ETS_COMPUTES_EXACT;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const enum ets_computes computes = ets_gap_quantizes_to(graph->nodes[i]);
        if (computes > most) most = computes;
    }
    if (most == ETS_COMPUTES_EXACT && ets_gap_graph_quantizes(graph))
        return ETS_COMPUTES_STATIC_INT8;
    const bool is_rounded = most == ETS_COMPUTES_INT4 && !is_other_quantized;
    return is_rounded ? ETS_COMPUTES_INT4_OF_FLOAT : most;
}

/* Opens the other record's graphs as a separate report. */
static enum ets_status open_twin(struct ets_gap_report *report, struct ets_etrecord *record,
                                 struct ets_error *error)
{
    struct ets_arena arena;
    const struct ets_graph *aten, *edge;
    ets_arena_init(&arena, report->options.allocator, 0);
    struct ets_gap_report *twin = ets_arena_alloc(&arena, sizeof *twin);
    if (twin == NULL) return gap_fail_memory(error);
    twin->arena = arena;
    twin->options = report->options;
    twin->options.record = record;
    twin->method = report->method;
    twin->run = report->run;
    twin->block = report->block;
    twin->reference = &twin->other;
    twin->verdict.against = ETS_GAP_AGAINST_OTHER;
    ets_gap_close(report->twin);
    report->twin = twin;
    ETS_TRY(ets_etrecord_aten_graph(record, &aten, error));
    ETS_TRY(ets_etrecord_edge_graph(record, report->method, &edge, error));
    ETS_TRY(ets_gap_graph_build(&twin->other, &twin->arena, aten, error));
    twin->verdict.is_quantized = ets_gap_graph_quantizes(&twin->other);
    twin->quantized = judged_as(report->reference, twin->verdict.is_quantized);
    return ets_gap_graph_build(&twin->edge, &twin->arena, edge, error);
}

static enum ets_status collect_values(struct other *o, const struct ets_gap_evaluation *evaluation,
                                      struct ets_error *error)
{
    struct ets_gap_evaluation in_own_types = *evaluation; /* as the delegate computed them */
    struct gap_evaluation e;
    in_own_types.use_double = 0;
    ETS_TRY(ets_gap_evaluation_open(o->report, &in_own_types, &e, error));
    ets_gap_check_inputs(o->report, &e);
    ets_gap_saturations_see_inputs(&o->saturations, e.inputs, e.input_count);
    const enum ets_status status =
        ets_reference_run(e.reference, e.inputs, e.input_count, observe, o, error);
    ets_reference_close(e.reference);
    return status;
}

/* Checks that the program was made from this model. */
static enum ets_status judge_belonging(struct other *o, struct ets_etrecord *record,
                                       uint32_t unpaired, struct ets_error *error)
{
    struct gap_weights others = {.arena = &o->twin->arena};
    struct ets_gap_conclusion *verdict = &o->twin->verdict;
    ETS_TRY(ets_gap_weights_read(&o->weights, o->report->options.record,
                                 o->report->reference->graph, error));
    ETS_TRY(ets_gap_weights_read(&others, record, o->twin->other.graph, error));
    verdict->unpaired = unpaired;
    verdict->other_input = o->report->verdict.other_input;
    ets_gap_weights_judge(&o->weights, &others, o->count, verdict);
    return ETS_OK;
}

static bool is_float(int scalar_type)
{
    return ets_type_computes(scalar_type) != ETS_COMPUTES_EXACT;
}

/* Converts the run's inputs to the other graph's floating-point types, such as half to float. */
static enum ets_status convert_inputs(struct other *o, struct ets_gap_evaluation *evaluation,
                                      struct ets_error *error)
{
    const struct ets_graph *graph = o->twin->other.graph;
    struct ets_value *inputs =
        ets_arena_alloc_array(&o->twin->arena, evaluation->input_count, sizeof *inputs);
    size_t at = 0;
    if (inputs == NULL) return gap_fail_memory(error);
    for (size_t i = 0; i < evaluation->input_count; i++) inputs[i] = evaluation->inputs[i];
    for (uint32_t i = 0; i < graph->input_count && at < evaluation->input_count; i++) {
        if (!ets_reference_input_is_given(&graph->inputs[i])) continue;
        struct ets_value *input = &inputs[at++];
        const struct ets_graph_value *taken =
            ets_graph_find_value(graph, graph->inputs[i].argument.name);
        if (input->kind != ETS_VALUE_TENSOR || taken == NULL) continue;
        const int given = (int)input->as.tensor.scalar_type;
        if (given == taken->scalar_type || !is_float(given) || !is_float(taken->scalar_type)) {
            continue;
        }
        const struct ets_tensor tensor = input->as.tensor;
        ETS_TRY(keep_tensor(o, &tensor, taken->scalar_type, &input->as.tensor, error));
    }
    evaluation->inputs = inputs;
    return ETS_OK;
}

/* Whether the other model's numbers are beyond the scale: else they only arrive there wrong. */
static bool reaches_beyond(const struct ets_gap_row *row, const struct ets_gap_saturation *seen)
{
    const double step = (seen->highest - seen->lowest) / 255;
    return !row->has_total || row->reference.max > seen->highest + step / 2 ||
           row->reference.min < seen->lowest - step / 2;
}

/* Tells each row what the program cuts off of its value. */
static void find_saturations(struct other *o)
{
    for (uint32_t i = 0; i < o->count; i++) {
        const struct ets_gap_saturation *seen =
            ets_gap_saturation_of(&o->saturations, o->pairs[i].own);
        for (uint32_t k = 0; seen != NULL && k < o->twin->row_count; k++) {
            struct ets_gap_row *row = &o->twin->rows[k];
            const struct ets_graph_node *node = o->twin->reference->nodes[o->pairs[i].other];
            if (row->value->node != node || row->saturation != NULL) continue;
            if (reaches_beyond(row, seen)) row->saturation = seen;
            else ets_gap_saturations_clear(&o->saturations, seen);
        }
    }
}

/* Whether cutting off makes half of the squared own error of a row, or more. */
static bool makes_half(const struct ets_gap_saturation *seen, const struct ets_gap_row *row)
{
    return seen != NULL && 2 * seen->error * seen->error >= row->own_error * row->own_error;
}

struct taken {
    const struct other *other;
    const struct ets_gap_saturation *most; /* of which most is cut off; NULL: of none */
};

static void see_taken(void *context, uint32_t value)
{
    struct taken *taken = context;
    const struct gap_graph *own = taken->other->report->reference;
    const uint32_t maker = own->places[value].node;
    if (maker == GAP_NONE || !ets_gap_quantizes(own->nodes[maker])) return;
    const struct ets_gap_saturation *seen =
        ets_gap_saturation_of(&taken->other->saturations, maker);
    if (seen != NULL && (taken->most == NULL || seen->error > taken->most->error)) {
        taken->most = seen;
    }
}

/* Of the values that an operator takes quantized, that of which most is cut off; or NULL. */
static const struct ets_gap_saturation *find_taken(const struct other *o, uint32_t own)
{
    struct taken taken = {o, NULL};
    own = ets_gap_quantized_node(o->report->reference, own);
    if (own != GAP_NONE) ets_gap_graph_inputs(o->report->reference, own, see_taken, &taken);
    return taken.most;
}

/* The weight of the guilty operator, as the program has it, and the scale of its value, or of one
 * that it takes. */
static void explain_guilty(struct other *o)
{
    struct ets_gap_conclusion *verdict = &o->twin->verdict;
    ets_gap_saturations_judge(&o->saturations, verdict);
    const uint32_t cause = ets_gap_cause(verdict);
    if (cause == ETS_NO_INDEX) return;
    const struct ets_gap_row *row = &o->twin->rows[o->twin->order[cause]];
    const uint32_t node = ets_gap_graph_number(o->twin->reference, row->value->node);
    const struct ets_gap_saturation *taken = NULL;
    for (uint32_t i = 0; i < o->count; i++) {
        if (o->pairs[i].other != node || verdict->weight != NULL) continue;
        verdict->weight = ets_gap_weight_steps_of(&o->steps, o->report->reference, o->pairs[i].own);
        if (taken == NULL) taken = find_taken(o, o->pairs[i].own);
        if (verdict->coarse_scale.node != NULL) continue;
        const uint32_t own = ets_gap_quantized_node(o->report->reference, o->pairs[i].own);
        if (own == GAP_NONE) continue;
        ets_gap_saturations_find_coarse(&o->saturations, own, &verdict->coarse_scale);
    }
    if (makes_half(row->saturation, row)) {
        verdict->saturation = row->saturation;
        verdict->saturates_guilty = 1;
    } else if (taken != NULL && taken->node == NULL && makes_half(taken, row)) {
        /* An input of the model, which no row has; what others cut off is in their own errors. */
        verdict->saturation = taken;
        verdict->saturates_guilty = 2;
    }
}

enum ets_status ets_gap_evaluate_other(struct ets_gap_report *report, struct ets_etrecord *record,
                                       const struct ets_gap_evaluation *evaluation,
                                       struct ets_error *error)
{
    struct other o = {.report = report};
    struct ets_gap_evaluation of_twin = *evaluation;
    uint32_t unpaired, swapped[2];
    ETS_TRY(open_twin(report, record, error));
    o.twin = report->twin;
    o.weights.arena = o.steps.arena = &o.twin->arena;
    ETS_TRY(ets_gap_saturations_find(&o.saturations, &o.twin->arena, report->reference, error));
    ETS_TRY(ets_gap_counterparts_find(&o.twin->arena, report->reference, &o.twin->other, &o.pairs,
                                      &o.count, &unpaired, swapped, error));
    for (int i = 0; i < 2; i++) {
        o.twin->verdict.swapped[i] =
            swapped[i] == GAP_NONE ? NULL : o.twin->other.nodes[swapped[i]];
    }
    if (o.count == 0) {
        return ets_fail(error, ETS_MISMATCH, ETS_NO_OFFSET,
                        "the two records have no operator in common");
    }
    ETS_TRY(index_pairs(&o, error));
    ETS_TRY(collect_values(&o, evaluation, error));
    ETS_TRY(judge_belonging(&o, record, unpaired, error));
    if (of_twin.inputs == NULL) { /* use the program's inputs, not the other record's */
        ETS_TRY(ets_gap_record_inputs(report, &of_twin.inputs, &of_twin.input_count, error));
    }
    ETS_TRY(convert_inputs(&o, &of_twin, error));
    ETS_TRY(ets_gap_evaluate_run(o.twin, &of_twin, error));
    find_saturations(&o);
    explain_guilty(&o);
    return ETS_OK;
}
