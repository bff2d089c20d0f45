/* Evaluates the graphs of a record as the methods of a program. */
#include "quality/graph_engine.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "host/arena.h"
#include "quality/graph_tail.h"
#include "reference/reference_state.h"
#include "reference/weights.h"

struct ets_engine_program {
    struct ets_arena arena;
    struct ets_graph_engine_options options;
    struct ets_reference_state *state;
};

/* Where the value of a user output is made; and its last value. */
struct made {
    const struct ets_graph_node *node; /* NULL: nowhere that the observer sees */
    uint32_t output;
    struct ets_value value;
    size_t room;
    const char *reason; /* why it is not available; or NULL */
};

struct ets_engine_method {
    struct ets_engine_program *program;
    struct ets_arena arena;
    const struct ets_graph *graph;
    struct ets_reference *reference;
    struct ets_value *inputs; /* [input_count], with bytes of their own */
    size_t *rooms;            /* [input_count] */
    uint32_t input_count;
    struct made *outputs; /* [output_count] */
    uint32_t output_count;
    struct ets_graph_tail tail; /* taken NULL: outputs are as the graph makes them */
    struct ets_reference *tail_reference;
    struct made tokens;      /* what the tail takes its token from */
    struct made row;         /* of logits, for one token */
    struct ets_value logits; /* of all tokens */
    size_t logits_room;
};

enum ets_status ets_graph_engine_open(const struct ets_graph_engine_options *options,
                                      struct ets_engine_program **program_out,
                                      struct ets_error *error)
{
    struct ets_arena arena;
    ets_arena_init(&arena, NULL, 0);
    struct ets_engine_program *program = ets_arena_alloc(&arena, sizeof *program);
    if (program == NULL) return ets_fail_memory(error, "the reference");
    *program = (struct ets_engine_program){.arena = arena, .options = *options};
    const enum ets_status status = ets_reference_state_new(NULL, &program->state, error);
    if (status != ETS_OK) {
        ets_graph_engine_close(program);
        return status;
    }
    *program_out = program;
    return ETS_OK;
}

void ets_graph_engine_close(struct ets_engine_program *program)
{
    if (program == NULL) return;
    ets_reference_state_free(program->state);
    struct ets_arena arena = program->arena; /* it holds the program */
    ets_arena_reset(&arena);
}

#define NEEDS_THE_SAME                                                                             \
    "a record's graph is run as the program is, so it needs the same methods and inputs; a float " \
    "program may have others"

static bool has_method(const struct ets_etrecord *record, const char *method)
{
    for (size_t i = 0; i < ets_etrecord_method_count(record); i++) {
        if (strcmp(ets_etrecord_method_name(record, i), method) == 0) return true;
    }
    return false;
}

enum ets_status ets_graph_of_method(struct ets_etrecord *record, const char *method,
                                    const struct ets_graph **graph_out,
                                    const struct ets_graph **fallback_out, struct ets_error *error)
{
    struct ets_error inner = {.status = ETS_OK};
    *fallback_out = NULL;
    if (ets_etrecord_method_count(record) > 1 && !has_method(record, method)) {
        return ets_fail(error, ETS_MISMATCH, ETS_NO_OFFSET,
                        "the record has no method %s: " NEEDS_THE_SAME, method);
    }
    const enum ets_status status = ets_etrecord_edge_graph(record, method, graph_out, error);
    if (ets_etrecord_method_count(record) > 1) return status;
    const struct ets_graph *aten;
    if (ets_etrecord_aten_graph(record, &aten, &inner) != ETS_OK) {
        if (status != ETS_OK || inner.status == ETS_NOT_FOUND) return status;
        if (error != NULL) *error = inner;
        return inner.status;
    }
    if (status == ETS_OK) *fallback_out = *graph_out;
    *graph_out = aten;
    return ETS_OK;
}

/* The node and number that make the value `name`. */
static void find_maker(const struct ets_graph *graph, struct ets_text name, struct made *made)
{
    for (uint32_t i = graph->node_count; i > 0 && made->node == NULL; i--) {
        const struct ets_graph_node *node = &graph->nodes[i - 1];
        for (uint32_t k = 0; k < node->output_count; k++) {
            if (node->outputs[k].kind != ETS_ARGUMENT_TENSOR) continue;
            if (!ets_text_equal(node->outputs[k].name, name)) continue;
            made->node = node;
            made->output = k;
        }
    }
}

static enum ets_status read_graph(struct ets_engine_method *method, struct ets_error *error)
{
    const struct ets_graph *graph = method->graph;
    for (uint32_t i = 0; i < graph->input_count; i++) {
        method->input_count += ets_reference_input_is_given(&graph->inputs[i]);
    }
    struct ets_arena *arena = &method->arena;
    method->inputs = ets_arena_alloc_array(arena, method->input_count, sizeof *method->inputs);
    method->rooms = ets_arena_alloc_array(arena, method->input_count, sizeof *method->rooms);
    method->outputs = ets_arena_alloc_array(arena, graph->output_count, sizeof *method->outputs);
    if (method->inputs == NULL || method->rooms == NULL || method->outputs == NULL) {
        return ets_fail_memory(error, "the reference");
    }
    for (uint32_t i = 0; i < graph->output_count; i++) {
        if (graph->outputs[i].role != ETS_OUTPUT_USER) continue;
        struct made *made = &method->outputs[method->output_count++];
        if (graph->outputs[i].argument.kind == ETS_ARGUMENT_TENSOR) {
            find_maker(graph, graph->outputs[i].argument.name, made);
        }
    }
    return ETS_OK;
}

/* Whether each node can be computed. */
static bool is_covered(const struct ets_reference *reference)
{
    for (uint32_t i = 0; i < ets_reference_node_count(reference); i++) {
        if (ets_reference_node(reference, i)->route == ETS_ROUTE_UNCOVERED) return false;
    }
    return true;
}

/* Prepares logits of all tokens, if the graph makes those of the last one alone. */
static enum ets_status open_tail(struct ets_engine_method *method,
                                 const struct ets_reference_options *whole, struct ets_error *error)
{
    const struct ets_graph_engine_options *options = &method->program->options;
    struct ets_graph_tail *tail = &method->tail;
    if (!options->gives_all) return ETS_OK;
    ETS_TRY(ets_graph_tail_find(method->graph, options->logits, &method->arena, tail, error));
    if (tail->taken == NULL) return ETS_OK;
    find_maker(method->graph, tail->tokens, &method->tokens);
    struct ets_reference_options how = *whole;
    how.graph = &tail->graph;
    how.fallback = NULL;
    how.start = how.end = NULL;
    ETS_TRY(ets_reference_open(&how, &method->tail_reference, error));
    find_maker(&tail->graph, tail->graph.outputs[0].argument.name, &method->row);
    const bool is_whole = tail->graph.node_count == 0 || method->row.node != NULL;
    if (method->tokens.node == NULL || !is_whole || !is_covered(method->tail_reference)) {
        tail->taken = NULL;
    }
    return ETS_OK;
}

static enum ets_status fill_method(struct ets_engine_method *method, const char *name,
                                   struct ets_error *error)
{
    const struct ets_graph_engine_options *options = &method->program->options;
    const struct ets_graph *fallback;
    ETS_TRY(ets_graph_of_method(options->record, name, &method->graph, &fallback, error));
    ETS_TRY(read_graph(method, error));
    const struct ets_reference_options how = {.engine = options->engine,
                                              .record = options->record,
                                              .graph = method->graph,
                                              .fallback = fallback,
                                              .use_double = options->use_double,
                                              .memory_limit = options->memory_limit,
                                              .start = method->program->state,
                                              .end = method->program->state,
                                              .weights = options->weights,
                                              .weight_count = options->weight_count};
    ETS_TRY(open_tail(method, &how, error));
    return ets_reference_open(&how, &method->reference, error);
}

static void close_method(struct ets_engine_method *method)
{
    if (method == NULL) return;
    ets_reference_close(method->reference);
    ets_reference_close(method->tail_reference);
    struct ets_arena arena = method->arena; /* it holds the method */
    ets_arena_reset(&arena);
}

static enum ets_status open_method(struct ets_engine_program *program, const char *name,
                                   struct ets_engine_method **method_out, struct ets_error *error)
{
    struct ets_arena arena;
    ets_arena_init(&arena, NULL, 0);
    struct ets_engine_method *method = ets_arena_alloc(&arena, sizeof *method);
    if (method == NULL) return ets_fail_memory(error, "the reference");
    *method = (struct ets_engine_method){.program = program, .arena = arena};
    const enum ets_status status = fill_method(method, name, error);
    if (status != ETS_OK) {
        close_method(method);
        return status;
    }
    *method_out = method;
    return ETS_OK;
}

/* Copies a tensor, row-major, into bytes that the copy keeps. */
static enum ets_status keep(struct ets_arena *arena, const struct ets_tensor *tensor,
                            struct ets_value *kept, size_t *room, struct ets_error *error)
{
    const uint64_t count = ets_tensor_count(tensor);
    const size_t size = (size_t)count * ets_scalar_type_bytes(tensor->scalar_type);
    void *bytes = *room > 0 ? (void *)(uintptr_t)kept->as.tensor.data : NULL;
    if (*room < size || bytes == NULL) {
        bytes = ets_arena_alloc(arena, size);
        if (bytes == NULL) return ets_fail_memory(error, "a value of the reference");
        *room = size;
    }
    if (size > 0) ets_tensor_gather(tensor, 0, (size_t)count, bytes);
    *kept = (struct ets_value){.kind = ETS_VALUE_TENSOR, .as.tensor = *tensor};
    ets_tensor_set_contiguous(&kept->as.tensor);
    kept->as.tensor.data = bytes;
    kept->as.tensor.data_bytes = size;
    return ETS_OK;
}

static enum ets_status set_input(struct ets_engine_method *method, size_t index,
                                 const struct ets_value *value, struct ets_error *error)
{
    if (index >= method->input_count) {
        return ets_fail(error, ETS_MISMATCH, ETS_NO_OFFSET,
                        "%.*s: the graph has no input %zu, which the program has: " NEEDS_THE_SAME,
                        ETS_TEXT(method->graph->name), index);
    }
    if (value->kind == ETS_VALUE_TENSOR) {
        return keep(&method->arena, &value->as.tensor, &method->inputs[index],
                    &method->rooms[index], error);
    }
    method->inputs[index] = *value;
    method->rooms[index] = 0;
    return ETS_OK;
}

/* Keeps a value if it is what `made` waits for. */
static enum ets_status take(struct ets_engine_method *method, struct made *made,
                            const struct ets_reference_result *result, struct ets_error *error)
{
    if (made->node != result->node || made->output != result->output) return ETS_OK;
    made->reason = result->reason;
    if (result->value.kind == ETS_VALUE_TENSOR) {
        return keep(&method->arena, &result->value.as.tensor, &made->value, &made->room, error);
    }
    made->value.kind = result->value.kind;
    return ETS_OK;
}

static enum ets_status show(const struct ets_engine_method *method,
                            const struct ets_reference_result *result,
                            struct ets_value *replacement_out, struct ets_error *error)
{
    const struct ets_graph_engine_options *options = &method->program->options;
    if (options->observer == NULL) return ETS_OK;
    return options->observer(options->observer_context, result, replacement_out, error);
}

static enum ets_status observe(void *context, const struct ets_reference_result *result,
                               struct ets_value *replacement_out, struct ets_error *error)
{
    struct ets_engine_method *method = context;
    ETS_TRY(show(method, result, replacement_out, error));
    if (method->tail.taken != NULL) ETS_TRY(take(method, &method->tokens, result, error));
    for (uint32_t i = 0; i < method->output_count; i++) {
        ETS_TRY(take(method, &method->outputs[i], result, error));
    }
    return ETS_OK;
}

static enum ets_status observe_tail(void *context, const struct ets_reference_result *result,
                                    struct ets_value *replacement_out, struct ets_error *error)
{
    struct ets_engine_method *method = context;
    struct ets_reference_result original = *result;
    const ptrdiff_t number = result->node - method->tail.graph.nodes;
    if (number < 0 || number >= (ptrdiff_t)method->tail.graph.node_count) return ETS_OK;
    original.node = method->tail.originals[number];
    ETS_TRY(show(method, &original, replacement_out, error));
    return take(method, &method->row, result, error);
}

/* What the tail takes of token `number`: a part of all tokens' value. */
static struct ets_value part_of(const struct ets_engine_method *method, int64_t number)
{
    struct ets_value part = method->tokens.value;
    struct ets_tensor *tensor = &part.as.tensor;
    const size_t skipped =
        (size_t)(number * tensor->strides[1]) * ets_scalar_type_bytes(tensor->scalar_type);
    tensor->data = (const uint8_t *)tensor->data + skipped;
    tensor->data_bytes -= skipped;
    tensor->sizes[1] = 1;
    if (!method->tail.keeps_dimension) {
        tensor->rank--;
        for (uint32_t i = 1; i < tensor->rank; i++) tensor->sizes[i] = tensor->sizes[i + 1];
    }
    ets_tensor_set_contiguous(tensor); /* one row, so it is */
    return part;
}

/* Makes room for rows like `row`. */
static enum ets_status make_logits(struct ets_engine_method *method, const struct ets_tensor *row,
                                   int64_t count, struct ets_error *error)
{
    struct ets_tensor tensor = {.scalar_type = row->scalar_type, .rank = 2, .sizes = {count}};
    tensor.sizes[1] = (int64_t)ets_tensor_count(row);
    ets_tensor_set_contiguous(&tensor);
    const size_t size =
        (size_t)ets_tensor_count(&tensor) * ets_scalar_type_bytes(tensor.scalar_type);
    if (method->logits_room < size) {
        method->logits.as.tensor.data = ets_arena_alloc(&method->arena, size);
        if (method->logits.as.tensor.data == NULL) return ets_fail_memory(error, "the logits");
        method->logits_room = size;
    }
    tensor.data = method->logits.as.tensor.data;
    tensor.data_bytes = size;
    method->logits = (struct ets_value){.kind = ETS_VALUE_TENSOR, .as.tensor = tensor};
    return ETS_OK;
}

/* The logits of each token of the call. */
static enum ets_status run_tail(struct ets_engine_method *method, struct ets_error *error)
{
    const struct ets_value *tokens = &method->tokens.value;
    if (tokens->kind != ETS_VALUE_TENSOR || tokens->as.tensor.rank < 2 ||
        tokens->as.tensor.sizes[0] != 1) {
        return ets_fail(error, ETS_UNSUPPORTED, ETS_NO_OFFSET, "%.*s: %.*s is not known: %s",
                        ETS_TEXT(method->graph->name), ETS_TEXT(method->tail.tokens),
                        method->tokens.reason != NULL ? method->tokens.reason : "no row of tokens");
    }
    const int64_t count = tokens->as.tensor.sizes[1];
    for (int64_t i = 0; i < count; i++) {
        struct ets_value row = part_of(method, i);
        if (method->tail.graph.node_count > 0) {
            ETS_TRY(
                ets_reference_run(method->tail_reference, &row, 1, observe_tail, method, error));
            row = method->row.value;
        }
        if (row.kind != ETS_VALUE_TENSOR) {
            return ets_fail(error, ETS_UNSUPPORTED, ETS_NO_OFFSET,
                            "%.*s: the logits are not known: %s", ETS_TEXT(method->graph->name),
                            method->row.reason != NULL ? method->row.reason : "no tensor");
        }
        if (i == 0) ETS_TRY(make_logits(method, &row.as.tensor, count, error));
        const size_t size = method->logits.as.tensor.data_bytes / (size_t)count;
        if (ets_tensor_count(&row.as.tensor) != (uint64_t)method->logits.as.tensor.sizes[1]) break;
        uint8_t *bytes = (uint8_t *)(uintptr_t)method->logits.as.tensor.data;
        memcpy(bytes + (size_t)i * size, row.as.tensor.data, size);
    }
    return ETS_OK;
}

static enum ets_status execute(struct ets_engine_method *method, struct ets_error *error)
{
    ETS_TRY(ets_reference_run(method->reference, method->inputs, method->input_count, observe,
                              method, error));
    return method->tail.taken != NULL ? run_tail(method, error) : ETS_OK;
}

static enum ets_status get_output(struct ets_engine_method *method, size_t index,
                                  struct ets_value *value_out, struct ets_error *error)
{
    const struct ets_text name = method->graph->name;
    if (index >= method->output_count) {
        return ets_fail(error, ETS_MISMATCH, ETS_NO_OFFSET,
                        "%.*s: the graph has no output %zu: it gives %u", ETS_TEXT(name), index,
                        method->output_count);
    }
    if (method->tail.taken != NULL && index == method->program->options.logits) {
        *value_out = method->logits;
        return ETS_OK;
    }
    const struct made *made = &method->outputs[index];
    if (made->value.kind != ETS_VALUE_TENSOR) {
        return ets_fail(error, ETS_UNSUPPORTED, ETS_NO_OFFSET, "%.*s: output %zu is not known: %s",
                        ETS_TEXT(name), index,
                        made->reason != NULL ? made->reason : "no operator of the graph makes it");
    }
    *value_out = made->value;
    return ETS_OK;
}

static enum ets_status input_info(const struct ets_engine_program *program, const char *method,
                                  size_t index, struct ets_engine_value_info *info_out,
                                  struct ets_error *error)
{
    const struct ets_graph *graph, *fallback;
    size_t next = 0;
    ETS_TRY(ets_graph_of_method(program->options.record, method, &graph, &fallback, error));
    memset(info_out, 0, sizeof *info_out);
    for (uint32_t i = 0; i < graph->input_count; i++) {
        if (!ets_reference_input_is_given(&graph->inputs[i]) || next++ != index) continue;
        for (uint32_t k = 0; k < graph->value_count; k++) {
            const struct ets_graph_value *value = &graph->values[k];
            if (!ets_text_equal(value->name, graph->inputs[i].argument.name)) continue;
            if (value->scalar_type < 0 || value->rank > ETS_TENSOR_MAX_RANK) continue;
            struct ets_tensor *tensor = &info_out->tensor;
            info_out->kind = ETS_VALUE_TENSOR;
            tensor->scalar_type = (enum ets_scalar_type)value->scalar_type;
            tensor->rank = value->rank;
            for (uint32_t d = 0; d < value->rank; d++) tensor->sizes[d] = value->sizes[d];
            ets_tensor_set_contiguous(tensor);
            if (ets_tensor_count(tensor) != UINT64_MAX) return ETS_OK;
        }
    }
    return ets_fail(error, ETS_UNSUPPORTED, ETS_NO_OFFSET,
                    "%.*s: the shape of input %zu is not known", ETS_TEXT(graph->name), index);
}

const struct ets_engine ets_graph_engine = {.method_open = open_method,
                                            .method_close = close_method,
                                            .method_set_input = set_input,
                                            .method_execute = execute,
                                            .method_get_output = get_output,
                                            .input_info = input_info};

static enum ets_status widen(struct ets_engine_program *program, struct ets_token_method *shape,
                             struct ets_error *error)
{
    struct ets_engine_method *method;
    if (shape->gives_all) return ETS_OK;
    ETS_TRY(open_method(program, shape->name, &method, error));
    shape->gives_all = method->tail.taken != NULL;
    close_method(method);
    return ETS_OK;
}

enum ets_status ets_graph_engine_widen(const struct ets_graph_engine_options *options,
                                       struct ets_token_model *model, struct ets_error *error)
{
    struct ets_engine_program *program;
    if (!options->gives_all || model->prefill.logits != options->logits ||
        model->decode.logits != options->logits) {
        return ETS_OK;
    }
    ETS_TRY(ets_graph_engine_open(options, &program, error));
    enum ets_status status = widen(program, &model->prefill, error);
    if (model->is_one) model->decode = model->prefill;
    else if (status == ETS_OK) status = widen(program, &model->decode, error);
    ets_graph_engine_close(program);
    return status;
}
