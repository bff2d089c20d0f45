/*
 * Reads the input as the JSON of two exported programs, separated by a zero byte. The second is the
 * fallback of the first. Both are opened and run with kernels that return zeros; layers are looked
 * for in the first.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "quality/graph_tail.h"
#include "quality/quality_layers.h"
#include "record/etrecord_internal.h"
#include "record/graph_reader.h"
#include "record/record_maps.h"
#include "reference/reference.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MEMORY_LIMIT = 256 << 20, MOST_INPUTS = 16, MOST_ELEMENTS = 4096, MOST_RESULTS = 2000 };

static int any_kernel(const char *name)
{
    return name != NULL;
}

static void clear_tensor(const struct ets_tensor *tensor)
{
    if (tensor->data_bytes > 0) memset((void *)(uintptr_t)tensor->data, 0, tensor->data_bytes);
}

static enum ets_status zero_kernel(const char *name, struct ets_kernel_argument *arguments,
                                   size_t count, struct ets_error *error)
{
    (void)name;
    (void)error;
    for (size_t i = 0; i < count; i++) {
        if (!arguments[i].is_output) continue;
        if (arguments[i].kind == ETS_KERNEL_TENSOR) clear_tensor(arguments[i].as.tensor);
        for (size_t j = 0; arguments[i].kind == ETS_KERNEL_TENSOR_LIST && j < arguments[i].count;
             j++) {
            clear_tensor(arguments[i].as.tensors[j]);
        }
    }
    return ETS_OK;
}

/* What asks for more at once gets nothing. */
static void *bounded_reallocate(void *context, void *pointer, size_t bytes)
{
    (void)context;
    return bytes > MEMORY_LIMIT / 8 ? NULL : realloc(pointer, bytes);
}

static void bounded_release(void *context, void *pointer)
{
    (void)context;
    free(pointer);
}

/* Ends runs that take long; every third value is replaced by itself. */
static enum ets_status look(void *context, const struct ets_reference_result *result,
                            struct ets_value *replacement_out, struct ets_error *error)
{
    unsigned *count = context;
    (void)error;
    if (++*count > MOST_RESULTS) return ETS_LIMIT;
    if (*count % 3 == 0) *replacement_out = result->value;
    return ETS_OK;
}

/* Zeros of the size that the graph tells, 3 where it tells none. */
static int make_input(const struct ets_graph *graph, const struct ets_graph_input *input,
                      const double *zeros, struct ets_value *value)
{
    *value = (struct ets_value){.kind = ETS_VALUE_NONE};
    if (input->argument.kind == ETS_ARGUMENT_SYMBOL) value->kind = ETS_VALUE_INT;
    if (input->argument.kind != ETS_ARGUMENT_TENSOR) return 1;
    const struct ets_graph_value *told = ets_graph_find_value(graph, input->argument.name);
    if (told == NULL || told->scalar_type < 0 || told->rank > ETS_TENSOR_MAX_RANK) return 0;
    struct ets_tensor *tensor = &value->as.tensor;
    value->kind = ETS_VALUE_TENSOR;
    tensor->scalar_type = (enum ets_scalar_type)told->scalar_type;
    tensor->rank = told->rank;
    for (uint32_t i = 0; i < told->rank; i++) {
        tensor->sizes[i] = told->sizes[i] >= 0 ? told->sizes[i] : 3;
    }
    ets_tensor_set_contiguous(tensor);
    if (ets_tensor_count(tensor) > MOST_ELEMENTS) return 0;
    tensor->data = zeros;
    tensor->data_bytes = (size_t)ets_tensor_extent(tensor);
    return 1;
}

/* A copy of the graph whose inputs are all the user's, as there are no weights. */
static int take_inputs(const struct ets_graph *graph, struct ets_graph *copy,
                       struct ets_graph_input *inputs, const double *zeros,
                       struct ets_value *values)
{
    *copy = *graph;
    if (graph->input_count > MOST_INPUTS) return 0;
    copy->inputs = inputs;
    for (uint32_t i = 0; i < graph->input_count; i++) {
        inputs[i] = graph->inputs[i];
        inputs[i].role = ETS_INPUT_USER;
        if (!make_input(graph, &inputs[i], zeros, &values[i])) return 0;
    }
    return 1;
}

/* Layers and the tail of a language model; there are no weights. */
static void find_layers(struct ets_etrecord *record, const struct ets_graph *graph)
{
    struct ets_arena arena;
    struct ets_quality_layers layers;
    struct ets_graph_tail tail;
    ets_arena_init(&arena, NULL, MEMORY_LIMIT);
    if (ets_quality_layers_find(record, graph, &arena, &layers, NULL) == ETS_OK) {
        (void)ets_quality_layers_join(&layers, record, graph, &arena, NULL);
    }
    for (uint32_t i = 0; i < 2; i++) (void)ets_graph_tail_find(graph, i, &arena, &tail, NULL);
    ets_arena_reset(&arena);
}

static void evaluate(const struct ets_graph *graph, const struct ets_graph *fallback)
{
    static const struct ets_engine engine = {.interface_version = ETS_ENGINE_INTERFACE_VERSION,
                                             .kernel_exists = any_kernel,
                                             .kernel_call = zero_kernel};
    static const double zeros[MOST_ELEMENTS * 2];
    static const struct ets_allocator allocator = {bounded_reallocate, bounded_release, NULL};
    struct ets_graph own, other;
    struct ets_graph_input own_inputs[MOST_INPUTS], other_inputs[MOST_INPUTS];
    struct ets_value values[MOST_INPUTS], unused[MOST_INPUTS];
    if (!take_inputs(graph, &own, own_inputs, zeros, values)) return;
    struct ets_etrecord record = {.entries = NULL}; /* an empty one */
    struct ets_reference_options options = {
        .engine = &engine, .record = &record, .graph = &own, .allocator = &allocator};
    if (fallback != NULL && take_inputs(fallback, &other, other_inputs, zeros, unused)) {
        options.fallback = &other;
        if (fallback->node_count > 0 && fallback->nodes[0].origin_count > 0) {
            const struct ets_graph_node *node = &fallback->nodes[0];
            record.export_graph_id = node->origins[node->origin_count - 1].graph_id;
        }
    }
    find_layers(&record, graph);
    for (options.use_double = 0; options.use_double < 2; options.use_double++) {
        struct ets_reference *reference;
        struct ets_error error;
        unsigned count = 0;
        if (ets_reference_open(&options, &reference, &error) != ETS_OK) return;
        (void)ets_reference_run(reference, values, own.input_count, look, &count, &error);
        ets_reference_close(reference);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ets_arena arena;
    const struct ets_graph *graph = NULL, *fallback = NULL;
    const uint8_t *border = size > 0 ? memchr(data, 0, size) : NULL;
    const size_t first = border != NULL ? (size_t)(border - data) : size;
    const struct ets_text name = {"program", 7};
    ets_arena_init(&arena, NULL, MEMORY_LIMIT);
    if (ets_graph_read(name, (struct ets_bytes){data, first}, 0, &arena, &graph, NULL) == ETS_OK) {
        if (border == NULL || ets_graph_read(name, (struct ets_bytes){border + 1, size - first - 1},
                                             0, &arena, &fallback, NULL) != ETS_OK) {
            fallback = NULL;
        }
        evaluate(graph, fallback);
    }
    ets_arena_reset(&arena);
    return 0;
}
