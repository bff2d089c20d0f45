/*
 * Follows the state of a model from run to run, by the method's edge program, which says what it
 * writes to buffers. A run before the compared one is computed from its
 * inputs, if the trace keeps them, with captured values in place of computed ones; the next starts
 * with the buffers that it leaves. A buffer is known if what a run wrote to it was captured, or
 * follows from captured values, or from the inputs without products and quantization: otherwise
 * the device's buffer may differ by more than rounding, and nobody is blamed for that.
 */
#include <string.h>

#include "base/text.h"
#include "gap/counterparts.h"
#include "gap/gap_parts.h"
#include "inspect/given_inputs.h"
#include "inspect/inspection.h"
#include "operators/operator_traits.h"
#include "reference/reference_state.h"

enum { MOST_RUNS = 4096 };

struct flow {
    struct ets_gap_report *report;
    const struct ets_gap_evaluation *evaluation;
    struct ets_reference_state *state;
    const struct ets_graph *graph; /* the method's edge program */
    bool *is_known;                /* [its input] */
    uint32_t run;                  /* that is followed */
    struct ets_gap_report *of_run; /* its captured values; NULL: none */
    bool *is_taken;                /* [of_run->compared.count] in place of the computed value */
    bool is_done;                  /* all were followed */
};

static enum ets_status give_up(struct flow *flow, struct ets_error *error, const char *format, ...)
    ETS_PRINTF(3, 4);

/* Says why the state is not known. */
static enum ets_status give_up(struct flow *flow, struct ets_error *error, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    ets_format_text(text, sizeof text, format, arguments);
    va_end(arguments);
    struct ets_gap_report *report = flow->report;
    report->verdict.state_reason = ets_arena_copy_text(&report->arena, text, strlen(text));
    return report->verdict.state_reason != NULL ? ETS_OK : gap_fail_memory(error);
}

static bool is_own(const struct ets_gap_report *report, const struct ets_run *run)
{
    const struct ets_text method = ets_gap_run_method(report, run);
    return method.data != NULL && report->method != NULL && ets_text_is(method, report->method);
}

/* Whether a graph changes a buffer of the reference. */
static bool changes_buffers(const struct ets_gap_report *report, const struct ets_graph *graph)
{
    const struct ets_graph *own = report->reference->graph;
    for (uint32_t i = 0; i < graph->output_count; i++) {
        const struct ets_graph_output *output = &graph->outputs[i];
        if (output->role != ETS_OUTPUT_BUFFER_MUTATION || output->target.data == NULL) continue;
        for (uint32_t k = 0; k < own->input_count; k++) {
            const struct ets_text name = own->inputs[k].source;
            if (own->inputs[k].role == ETS_INPUT_BUFFER && name.data != NULL &&
                ets_text_equal(name, output->target)) {
                return true;
            }
        }
    }
    return false;
}

/* Another method that ran before and changes buffers of these names; NULL: none. */
static const char *find_other_method(const struct ets_gap_report *report)
{
    struct ets_etrecord *record = report->options.record;
    const char *method;
    for (size_t i = 0; (method = ets_etrecord_method_name(record, i)) != NULL; i++) {
        const struct ets_graph *graph;
        if (report->method != NULL && strcmp(method, report->method) == 0) continue;
        if (!ets_gap_ran_before(report, method)) continue;
        if (ets_etrecord_edge_graph(record, method, &graph, NULL) != ETS_OK) return method;
        if (changes_buffers(report, graph)) return method;
    }
    return NULL;
}

/* Gives up where the trace does not tell all runs of the method, one after the other. */
static enum ets_status check_history(struct flow *flow, struct ets_error *error)
{
    const struct ets_gap_report *report = flow->report;
    const struct ets_inspection *inspection = report->options.inspection;
    const struct ets_run *compared = ets_inspection_run(inspection, report->run);
    const char *other = find_other_method(report);
    uint32_t earlier = 0;
    if (other != NULL) return give_up(flow, error, "method %s may have changed them, too", other);
    for (uint32_t i = 0; i < report->run; i++) {
        const struct ets_run *run = ets_inspection_run(inspection, i);
        if (!is_own(report, run)) continue;
        if (run->purpose == ETS_TRACE_LOAD) {
            if (earlier > 0) return give_up(flow, error, "the method was loaded again");
            continue;
        }
        if (run->thread != compared->thread) {
            return give_up(flow, error, "the method ran on several threads");
        }
        if (run->is_partial) return give_up(flow, error, "run %u is not whole", i);
        earlier++;
    }
    if (compared->method.data != NULL && compared->invocation != earlier) {
        return give_up(flow, error, "%u of %u earlier runs are not in the trace",
                       compared->invocation - earlier, compared->invocation);
    }
    if (earlier <= MOST_RUNS) return ETS_OK;
    return give_up(flow, error, "more than %d runs were before it", MOST_RUNS);
}

/*
 * Whether a captured value that was paired by order is near the computed one: another value of its
 * shape is not.
 */
static bool is_near(const struct ets_reference_result *result, const struct ets_tensor *captured)
{
    static const double FAR = 0.1;
    struct ets_tensor computed, device;
    struct ets_comparison comparison;
    int64_t room;
    return ets_gap_tensor_of(&result->value, &room, &computed) &&
           ets_gap_reshape(captured, &computed, &device) &&
           ets_comparison_of(&computed, &device, &comparison, NULL) == ETS_OK &&
           ets_comparison_relative_rms(&comparison) < FAR;
}

static enum ets_status put_captured(void *context, const struct ets_reference_result *result,
                                    struct ets_value *replacement_out, struct ets_error *error)
{
    const struct flow *flow = context;
    const struct ets_gap_report *report = flow->of_run;
    const uint32_t row = ets_gap_row_of(report, result);
    (void)error;
    if (row == GAP_NONE) return ETS_OK;
    const struct ets_gap_value *value = report->rows[row].value;
    if (value->is_by_order && !is_near(result, &value->captured.tensor)) return ETS_OK;
    ets_gap_replace(report, row, result, replacement_out);
    ets_gap_take_random(report, result, replacement_out);
    flow->is_taken[row] = replacement_out->kind != ETS_VALUE_NONE;
    return ETS_OK;
}

/* The place of what a run writes to a buffer; false: it writes nothing. */
static bool find_written(const struct gap_graph *flat, struct ets_text buffer,
                         struct gap_place *place_out)
{
    const struct ets_graph *graph = flat->graph;
    for (uint32_t i = 0; i < graph->output_count; i++) {
        const struct ets_graph_output *output = &graph->outputs[i];
        if (output->role != ETS_OUTPUT_BUFFER_MUTATION || output->target.data == NULL ||
            !ets_text_equal(output->target, buffer)) {
            continue;
        }
        const uint32_t value = ets_gap_graph_value(flat, 0, output->argument.name);
        *place_out = value != GAP_NONE ? flat->places[value] : (struct gap_place){GAP_NONE, 0};
        return true;
    }
    return false;
}

/* Whether the nodes between captured values and this one do not differ by more than rounding. */
static bool follows(const struct flow *flow, struct gap_place place)
{
    const uint32_t products = ETS_OPERATOR_PRODUCT | ETS_OPERATOR_CONVOLUTION;
    const struct ets_gap_report *report = flow->of_run;
    struct gap_region *region = report->region;
    ets_gap_region_of_node(region, report, place.node, 0);
    if (region->takes_state || region->budget == 0) return false;
    for (uint32_t i = 0; i < region->row_count; i++) {
        if (!flow->is_taken[region->rows[i]]) return false;
    }
    for (uint32_t i = 0; i < region->node_count; i++) {
        const struct ets_graph_node *node = report->reference->nodes[region->nodes[i]];
        if (ets_gap_quantizes(node)) return false;
        if ((ets_operator_traits(node->op) & products) != 0) return false;
    }
    return true;
}

/* Which buffers are known after a run with captured values. */
static void judge_buffers(struct flow *flow)
{
    const struct ets_gap_report *report = flow->of_run;
    const struct ets_graph *graph = report->reference->graph;
    for (uint32_t i = 0; i < graph->input_count; i++) {
        struct gap_place place;
        const struct ets_graph_input *input = &graph->inputs[i];
        if (input->role != ETS_INPUT_BUFFER) continue;
        if (!find_written(report->reference, input->source, &place))
            continue;                         /* it stays as it was */
        if (place.node == GAP_NONE) continue; /* it is written back as it was */
        const uint64_t key[] = {place.node, place.output, 0};
        const uint32_t row = ets_key_table_find(&report->compared, key);
        flow->is_known[i] = row != ETS_KEY_NONE ? flow->is_taken[row] : follows(flow, place);
    }
}

/* The inputs of a run, if the trace keeps them for it alone. */
static enum ets_status find_inputs(struct flow *flow, struct ets_arena *arena,
                                   const struct ets_value **inputs_out, size_t *count_out,
                                   struct ets_error *error)
{
    const struct ets_gap_report *report = flow->report;
    const struct ets_inspection *inspection = report->options.inspection;
    const struct ets_run *run = ets_inspection_run(inspection, flow->run);
    struct ets_value *given = NULL;
    static const struct ets_value none;
    *inputs_out = &none;
    *count_out = 0;
    if (ets_gap_input_count(report) == 0) return ETS_OK;
    ETS_TRY(ets_given_inputs_read(arena, inspection, report->method, run->bundled_input_index,
                                  &given, count_out, error));
    if (*count_out > 0) *inputs_out = given;
    else *count_out = ETS_REFERENCE_UNKNOWN_INPUTS;
    return ETS_OK;
}

/* Computes the run, with its captured values if it has some. */
static enum ets_status compute_run(struct flow *flow, struct ets_arena *arena,
                                   struct ets_error *error)
{
    const struct ets_value *inputs;
    size_t count;
    ETS_TRY(find_inputs(flow, arena, &inputs, &count, error));
    if (flow->of_run == NULL && count == ETS_REFERENCE_UNKNOWN_INPUTS) {
        return ets_fail(error, ETS_NOT_FOUND, ETS_NO_OFFSET,
                        "the trace keeps neither tensors nor inputs of run %u", flow->run);
    }
    const struct ets_gap_evaluation *how = flow->evaluation;
    const struct ets_reference_options options = {.engine = how->engine,
                                                  .record = flow->report->options.record,
                                                  .graph = flow->graph,
                                                  .use_double = how->use_double,
                                                  .allocator = flow->report->options.allocator,
                                                  .memory_limit = how->memory_limit,
                                                  .start = flow->state,
                                                  .end = flow->state};
    struct ets_reference *reference;
    ETS_TRY(ets_reference_open(&options, &reference, error));
    const enum ets_status status = ets_reference_run(
        reference, inputs, count, flow->of_run != NULL ? put_captured : NULL, flow, error);
    ets_reference_close(reference);
    return status;
}

/* Opens the captured values of a run: `flow->of_run`, or NULL: it has none. */
static enum ets_status open_run(struct flow *flow, struct ets_error *error)
{
    struct ets_gap_options options = flow->report->options;
    options.run = flow->run;
    options.comparator_count = options.pictures = 0;
    options.reference = "edge";
    flow->of_run = NULL;
    const enum ets_status status = ets_gap_open(&options, &flow->of_run, error);
    if (status == ETS_NOT_FOUND) return ETS_OK;
    ETS_TRY(status);
    struct ets_gap_report *report = flow->of_run;
    if (report->reference->graph != flow->graph) {
        return ets_fail(error, ETS_MISMATCH, ETS_NO_OFFSET, "run %u is of another graph",
                        flow->run);
    }
    ETS_TRY(ets_gap_make_rows(report, error));
    ETS_TRY(ets_gap_region_init(report, error));
    const uint32_t count = flow->graph->input_count;
    report->is_changed = ets_arena_alloc_array(&report->arena, count, sizeof(bool));
    flow->is_taken = ets_arena_alloc_array(&report->arena, report->compared.count, sizeof(bool));
    if (report->is_changed == NULL || flow->is_taken == NULL) return gap_fail_memory(error);
    for (uint32_t i = 0; i < report->compared.count; i++) flow->is_taken[i] = false;
    for (uint32_t i = 0; i < count; i++) report->is_changed[i] = !flow->is_known[i];
    return ETS_OK;
}

/* Without captured values, what a run writes is not known. */
static void forget_written(struct flow *flow)
{
    for (uint32_t i = 0; i < flow->graph->input_count; i++) {
        struct gap_place place;
        const struct ets_graph_input *input = &flow->graph->inputs[i];
        if (input->role != ETS_INPUT_BUFFER) continue;
        if (find_written(&flow->report->edge, input->source, &place)) flow->is_known[i] = false;
    }
}

/* Whether all that the earlier runs wrote to a buffer is known. */
static bool is_buffer_known(const struct flow *flow, struct ets_text name)
{
    for (uint32_t i = 0; i < flow->graph->input_count; i++) {
        const struct ets_graph_input *input = &flow->graph->inputs[i];
        if (input->role == ETS_INPUT_BUFFER && input->source.data != NULL &&
            ets_text_equal(input->source, name)) {
            return flow->is_known[i];
        }
    }
    return false;
}

static enum ets_status follow_run(struct flow *flow, struct ets_error *error)
{
    struct ets_arena arena;
    struct ets_error inner = {.status = ETS_OK};
    ets_arena_init(&arena, flow->report->options.allocator, 0);
    enum ets_status status = open_run(flow, &inner);
    if (status == ETS_OK) status = compute_run(flow, &arena, &inner);
    if (status == ETS_OK && flow->of_run != NULL) judge_buffers(flow);
    if (status == ETS_OK && flow->of_run == NULL) forget_written(flow);
    ets_gap_close(flow->of_run);
    ets_arena_reset(&arena);
    if (status == ETS_NO_MEMORY) {
        if (error != NULL) *error = inner;
        return status;
    }
    if (status != ETS_OK) return give_up(flow, error, "%s", inner.message);
    flow->report->verdict.followed_runs++;
    return ETS_OK;
}

/* Makes known buffers judge; those without numbers have the record's. */
static enum ets_status conclude(struct flow *flow, struct ets_error *error)
{
    struct ets_gap_report *report = flow->report;
    const struct ets_graph *graph = report->reference->graph;
    for (uint32_t i = 0; i < graph->input_count; i++) {
        if (!report->is_changed[i]) continue;
        const struct ets_text name = graph->inputs[i].source;
        const struct ets_reference_buffer *left = ets_reference_state_find(flow->state, name);
        if (left != NULL && left->reason == NULL && is_buffer_known(flow, name)) {
            report->is_changed[i] = false;
            continue;
        }
        if (report->verdict.state_reason == NULL) {
            ETS_TRY(give_up(flow, error, "what they left in %.*s is not known: %s", ETS_TEXT(name),
                            left == NULL || left->reason == NULL
                                ? "it was not captured, nor what it follows from"
                                : left->reason));
        }
        if (left != NULL && left->reason != NULL) ets_reference_state_forget(flow->state, name);
    }
    return ETS_OK;
}

static enum ets_status follow_all(struct flow *flow, struct ets_error *error)
{
    struct ets_gap_report *report = flow->report;
    const struct ets_inspection *inspection = report->options.inspection;
    ETS_TRY(check_history(flow, error));
    for (uint32_t i = 0; i < report->run && report->verdict.state_reason == NULL; i++) {
        const struct ets_run *run = ets_inspection_run(inspection, i);
        if (run->purpose == ETS_TRACE_LOAD || !is_own(report, run)) continue;
        flow->run = i;
        ETS_TRY(follow_run(flow, error));
    }
    flow->is_done = report->verdict.state_reason == NULL;
    return flow->is_done ? conclude(flow, error) : ETS_OK;
}

enum ets_status ets_gap_follow_state(struct ets_gap_report *report,
                                     const struct ets_gap_evaluation *evaluation,
                                     struct ets_error *error)
{
    struct flow flow = {.report = report, .evaluation = evaluation, .graph = report->edge.graph};
    const uint32_t count = flow.graph->input_count;
    uint32_t changed = 0;
    ets_reference_state_free(report->state);
    report->state = NULL;
    report->verdict.followed_runs = 0;
    report->verdict.state_reason = NULL;
    for (uint32_t i = 0; i < report->reference->graph->input_count; i++) {
        changed += report->is_changed[i];
    }
    if (changed == 0 || report->verdict.against != ETS_GAP_AGAINST_RECORD) return ETS_OK;
    flow.is_known = ets_arena_alloc_array(&report->arena, count, sizeof(bool));
    if (flow.is_known == NULL) return gap_fail_memory(error);
    for (uint32_t i = 0; i < count; i++) flow.is_known[i] = true;
    ETS_TRY(ets_reference_state_new(report->options.allocator, &flow.state, error));
    const enum ets_status status = follow_all(&flow, error);
    if (status == ETS_OK && flow.is_done) {
        report->state = flow.state;
        return ETS_OK;
    }
    report->verdict.followed_runs = 0;
    ets_reference_state_free(flow.state);
    return status;
}
