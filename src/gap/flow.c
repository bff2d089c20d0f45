/*
 * Follows the state of a model from run to run, by the methods' edge programs, which say what they
 * write to buffers. A run before the compared one is computed from its inputs, if the trace keeps
 * them, with captured values in place of computed ones; the next starts with the buffers that it
 * leaves. A buffer is known if what each run wrote to it was captured, or follows from captured
 * values, or from the inputs, without products and quantization: otherwise the device's buffer may
 * differ by more than rounding, and nobody is blamed for that. Runs of other methods count if the
 * program lets its methods share their buffers.
 */
#include <string.h>

#include "base/text.h"
#include "format/shared_buffers.h"
#include "gap/counterparts.h"
#include "gap/gap_parts.h"
#include "inspect/given_inputs.h"
#include "inspect/inspection.h"
#include "operators/operator_traits.h"
#include "reference/reference_state.h"
#include "reference/weights.h"

enum { MOST_RUNS = 4096 };

struct flow {
    struct ets_gap_report *report;
    const struct ets_gap_evaluation *evaluation;
    struct ets_reference_state *state;
    struct ets_strings names; /* of buffers that runs wrote */
    bool *is_lost;            /* [room] by a name's number: what was written is not known */
    uint32_t room;
    bool shares, keeps; /* methods share their buffers; loading one leaves these as they are */
    uint32_t run;       /* that is followed */
    const char *method; /* of that run */
    const struct ets_graph *graph; /* the method's edge program */
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

/* Whether all methods of the program that have planned memory share their buffers. */
static bool shares_buffers(const struct ets_program *program)
{
    struct ets_method first = {.arena_count = 0};
    struct ets_planned_arena arena;
    for (uint32_t i = 0; program != NULL && i < program->method_count; i++) {
        struct ets_method method;
        ets_program_method(program, i, &method);
        if (method.arena_count == 0) continue;
        if (first.arena_count == 0) first = method;
        if (!ets_methods_share_buffers(&first, &method)) return false;
    }
    if (first.arena_count == 0) return false;
    ets_method_arena(&first, 1, &arena);
    return arena.bytes != 0;
}

/* Whether no buffer has an initial value, which loading a method would write. */
static bool has_no_initial_values(const struct ets_program *program)
{
    for (uint32_t i = 0; program != NULL && i < program->method_count; i++) {
        struct ets_method method;
        ets_program_method(program, i, &method);
        for (uint32_t k = 0; k < method.value_count; k++) {
            struct ets_evalue value;
            ets_method_value(&method, k, &value);
            if (value.kind == ETS_EVALUE_TENSOR &&
                (value.tensor.place == ETS_PLACE_PLANNED_STATE ||
                 value.tensor.place == ETS_PLACE_EXTERNAL_STATE)) {
                return false;
            }
        }
    }
    return program != NULL;
}

/* The record's name of a run's method; NULL: not known. */
static const char *method_of(const struct flow *flow, const struct ets_run *run)
{
    struct ets_etrecord *record = flow->report->options.record;
    const struct ets_text own = ets_gap_run_method(flow->report, run);
    const char *method;
    for (size_t i = 0; (method = ets_etrecord_method_name(record, i)) != NULL; i++) {
        if (own.data != NULL && ets_text_is(own, method)) return method;
    }
    return NULL;
}

static bool is_own(const struct flow *flow, const char *method)
{
    return method != NULL && strcmp(method, flow->report->method) == 0;
}

/* The edge program of a method that changes buffers of the reference's names; NULL: it does not. */
static const struct ets_graph *find_writer(const struct flow *flow, const char *method)
{
    const struct ets_graph *graph;
    if (is_own(flow, method)) return flow->report->edge.graph;
    if (method == NULL) return NULL;
    if (ets_etrecord_edge_graph(flow->report->options.record, method, &graph, NULL) != ETS_OK) {
        return NULL;
    }
    return changes_buffers(flow->report, graph) ? graph : NULL;
}

/* How many runs of the method the trace has before this one. */
static uint32_t count_before(const struct flow *flow, uint32_t end, const char *method)
{
    const struct ets_inspection *inspection = flow->report->options.inspection;
    uint32_t count = 0;
    for (uint32_t i = 0; i < end; i++) {
        const struct ets_run *run = ets_inspection_run(inspection, i);
        const struct ets_text own = ets_gap_run_method(flow->report, run);
        count += run->purpose != ETS_TRACE_LOAD && own.data != NULL && ets_text_is(own, method);
    }
    return count;
}

/* Gives up if a run is not known to be the next of its method. */
static enum ets_status check_run(struct flow *flow, uint32_t number, const char *method,
                                 struct ets_error *error)
{
    const struct ets_inspection *inspection = flow->report->options.inspection;
    const struct ets_run *run = ets_inspection_run(inspection, number);
    const struct ets_run *compared = ets_inspection_run(inspection, flow->report->run);
    if (run->thread != compared->thread) {
        return give_up(flow, error, "methods ran on several threads");
    }
    if (run->is_partial) return give_up(flow, error, "run %u is not whole", number);
    const uint32_t before = run->method.data != NULL ? count_before(flow, number, method) : 0;
    if (run->method.data != NULL && run->invocation != before) {
        return give_up(flow, error, "not all runs of %s before it are in the trace", method);
    }
    return ETS_OK;
}

/* Gives up where the trace does not tell all runs that changed the buffers, one after the other. */
static enum ets_status check_history(struct flow *flow, struct ets_error *error)
{
    const struct ets_gap_report *report = flow->report;
    const struct ets_inspection *inspection = report->options.inspection;
    uint32_t earlier = 0;
    for (uint32_t i = 0; i <= report->run && report->verdict.state_reason == NULL; i++) {
        const struct ets_run *run = ets_inspection_run(inspection, i);
        const char *method = method_of(flow, run);
        if (find_writer(flow, method) == NULL) continue;
        if (run->purpose == ETS_TRACE_LOAD) {
            const bool matters = is_own(flow, method) || flow->shares;
            if (earlier > 0 && matters && !flow->keeps) {
                return give_up(flow, error, "method %s was loaded after they ran", method);
            }
            continue;
        }
        if (!is_own(flow, method) && !flow->shares) {
            return give_up(flow, error, "method %s may have changed them, too", method);
        }
        if (earlier++ > MOST_RUNS) {
            return give_up(flow, error, "more than %d runs were before it", MOST_RUNS);
        }
        ETS_TRY(check_run(flow, i, method, error));
    }
    return ETS_OK;
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
    uint8_t room[ETS_NUMBER_BYTES];
    return ets_tensor_of_value(&result->value, ETS_SCALAR_LONG, room, &computed) &&
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

/* Notes of a buffer whether what was written to it is known. */
static enum ets_status note(struct flow *flow, struct ets_text name, bool is_known,
                            struct ets_error *error)
{
    const uint32_t number = ets_strings_add(&flow->names, name);
    if (number >= flow->room) return gap_fail_memory(error);
    flow->is_lost[number] = !is_known;
    return ETS_OK;
}

static bool is_known(const struct flow *flow, struct ets_text name)
{
    const uint32_t number = ets_strings_find(&flow->names, name);
    return number >= flow->room || !flow->is_lost[number];
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

/* Whether what the run wrote to a buffer is known. */
static bool is_written_value_known(const struct flow *flow, const struct ets_graph_output *output)
{
    const struct ets_gap_report *report = flow->of_run;
    if (report == NULL) return false; /* it has no captured values */
    const uint32_t value = ets_gap_graph_value(report->reference, 0, output->argument.name);
    if (value == GAP_NONE) return false;
    const struct gap_place place = report->reference->places[value];
    if (place.node == GAP_NONE) return is_known(flow, output->target); /* back as it was */
    const uint64_t key[] = {place.node, place.output, 0};
    const uint32_t row = ets_key_table_find(&report->compared, key);
    return row != ETS_KEY_NONE ? flow->is_taken[row] : follows(flow, place);
}

static enum ets_status note_written(struct flow *flow, struct ets_error *error)
{
    for (uint32_t i = 0; i < flow->graph->output_count; i++) {
        const struct ets_graph_output *output = &flow->graph->outputs[i];
        if (output->role != ETS_OUTPUT_BUFFER_MUTATION || output->target.data == NULL) continue;
        ETS_TRY(note(flow, output->target, is_written_value_known(flow, output), error));
    }
    return ETS_OK;
}

static uint32_t count_inputs(const struct ets_graph *graph)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < graph->input_count; i++) {
        count += ets_reference_input_is_given(&graph->inputs[i]);
    }
    return count;
}

/* The inputs of a run, if the trace keeps them for it alone. */
static enum ets_status find_inputs(struct flow *flow, struct ets_arena *arena,
                                   const struct ets_value **inputs_out, size_t *count_out,
                                   struct ets_error *error)
{
    const struct ets_inspection *inspection = flow->report->options.inspection;
    const struct ets_run *run = ets_inspection_run(inspection, flow->run);
    struct ets_value *given = NULL;
    static const struct ets_value none;
    *inputs_out = &none;
    *count_out = 0;
    if (count_inputs(flow->graph) == 0) return ETS_OK;
    ETS_TRY(ets_given_inputs_read(arena, inspection, flow->method, run->bundled_input_index, &given,
                                  count_out, error));
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
    for (uint32_t i = 0; i < count; i++) {
        const struct ets_graph_input *input = &flow->graph->inputs[i];
        report->is_changed[i] = input->role == ETS_INPUT_BUFFER && input->source.data != NULL &&
                                !is_known(flow, input->source);
    }
    return ETS_OK;
}

static enum ets_status follow_run(struct flow *flow, struct ets_error *error)
{
    struct ets_arena arena;
    struct ets_error inner = {.status = ETS_OK};
    ets_arena_init(&arena, flow->report->options.allocator, 0);
    enum ets_status status = open_run(flow, &inner);
    if (status == ETS_OK) status = compute_run(flow, &arena, &inner);
    if (status == ETS_OK) status = note_written(flow, &inner);
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
        if ((left == NULL || left->reason == NULL) && is_known(flow, name)) {
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
        flow->method = method_of(flow, run);
        flow->graph = find_writer(flow, flow->method);
        if (run->purpose == ETS_TRACE_LOAD || flow->graph == NULL) continue;
        flow->run = i;
        ETS_TRY(follow_run(flow, error));
    }
    flow->is_done = report->verdict.state_reason == NULL;
    return flow->is_done ? conclude(flow, error) : ETS_OK;
}

/* Room for the names of all buffers that methods may write. */
static enum ets_status make_room(struct flow *flow, struct ets_error *error)
{
    struct ets_etrecord *record = flow->report->options.record;
    struct ets_arena *arena = &flow->report->arena;
    const char *method;
    uint64_t room = 1;
    for (size_t i = 0; (method = ets_etrecord_method_name(record, i)) != NULL; i++) {
        const struct ets_graph *graph = find_writer(flow, method);
        if (graph != NULL) room += graph->output_count;
    }
    if (room > UINT32_MAX) return gap_fail_memory(error);
    flow->room = (uint32_t)room;
    flow->is_lost = ets_arena_alloc_array(arena, flow->room, sizeof(bool));
    if (flow->is_lost == NULL || ets_strings_init(&flow->names, arena) != 0) {
        return gap_fail_memory(error);
    }
    for (uint32_t i = 0; i < flow->room; i++) flow->is_lost[i] = false;
    return ets_reference_state_new(flow->report->options.allocator, &flow->state, error);
}

enum ets_status ets_gap_follow_state(struct ets_gap_report *report,
                                     const struct ets_gap_evaluation *evaluation,
                                     struct ets_error *error)
{
    const struct ets_program *program = report->options.inspection->options.program;
    struct flow flow = {
        .report = report, .evaluation = evaluation, .shares = shares_buffers(program)};
    bool is_any = false;
    ets_reference_state_free(report->state);
    report->state = NULL;
    report->verdict.followed_runs = 0;
    report->verdict.state_reason = NULL;
    for (uint32_t i = 0; i < report->reference->graph->input_count; i++) {
        is_any |= report->is_changed[i];
    }
    if (!is_any || report->verdict.against != ETS_GAP_AGAINST_RECORD || report->method == NULL) {
        return ETS_OK;
    }
    flow.keeps = flow.shares && has_no_initial_values(program);
    enum ets_status status = make_room(&flow, error);
    if (status == ETS_OK) status = follow_all(&flow, error);
    if (status == ETS_OK && flow.is_done) {
        report->state = flow.state;
        return ETS_OK;
    }
    report->verdict.followed_runs = 0;
    ets_reference_state_free(flow.state);
    return status;
}
