/*
 * Reads any bytes as the payload of each backend. What is read keeps its promises: numbers lie in
 * their lists, events are of nodes, and one payload is read once.
 */
#include <stdlib.h>
#include <string.h>

#include "payload/payload_events.h"
#include "payload/payload_store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_number(uint32_t number, uint32_t count)
{
    if (number != ETS_PAYLOAD_NONE && number >= count) abort();
}

static uint64_t add(struct ets_bytes bytes)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < bytes.size; i += 64) sum += bytes.data[i];
    return sum;
}

static uint64_t walk_values(const struct ets_payload_graph *graph)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < graph->value_count; i++) {
        const struct ets_payload_value *value = &graph->values[i];
        check_number(value->constant, graph->constant_count);
        check_number(value->quantization.scale_constant, graph->constant_count);
        check_number(value->producer, graph->node_count);
        sum += strlen(value->type->name) + ets_payload_elements(value);
    }
    for (uint32_t i = 0; i < graph->constant_count; i++) sum += add(graph->constants[i].bytes);
    return sum;
}

static uint64_t walk_parameter(const struct ets_payload_graph *graph,
                               const struct ets_payload_parameter *parameter)
{
    uint64_t sum = parameter->text.size;
    for (uint32_t k = 0; k < parameter->count; k++) {
        if (parameter->kind == ETS_PAYLOAD_INTEGERS) sum += (uint64_t)parameter->integers[k];
        if (parameter->kind == ETS_PAYLOAD_REALS) sum += parameter->reals[k] > 0;
        if (parameter->kind == ETS_PAYLOAD_VALUES) {
            check_number(parameter->values[k], graph->value_count);
        }
    }
    return sum;
}

static uint64_t walk_nodes(const struct ets_payload_graph *graph)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct ets_payload_node *node = &graph->nodes[i];
        for (uint32_t k = 0; k < node->input_count; k++) {
            check_number(node->inputs[k], graph->value_count);
        }
        for (uint32_t k = 0; k < node->output_count; k++) {
            check_number(node->outputs[k], graph->value_count);
        }
        for (uint32_t k = 0; k < node->parameter_count; k++) {
            sum += walk_parameter(graph, &node->parameters[k]);
        }
        sum += node->name.size + node->operation.size + node->edge_name.size + node->symbol.size;
    }
    return sum;
}

static void foretell(const struct ets_payload_graph *graph)
{
    struct ets_arena arena;
    struct ets_payload_events events;
    ets_arena_init(&arena, NULL, (size_t)1 << 30);
    if (ets_payload_events(&arena, graph, &events, NULL) == ETS_OK) {
        if (events.items == NULL && ets_payload_has_events(graph) &&
            events.odd_node >= graph->node_count) {
            abort();
        }
        for (uint32_t i = 0; i < events.count; i++) {
            if (events.items[i].name == NULL || events.items[i].node_count == 0) abort();
            for (uint32_t k = 0; k < events.items[i].node_count; k++) {
                if (events.items[i].nodes[k] >= graph->node_count) abort();
            }
        }
    }
    ets_arena_reset(&arena);
}

static void read_as(const char *backend, struct ets_bytes bytes)
{
    const struct ets_program program = {.bytes = bytes};
    const struct ets_delegate delegate = {.id = {backend, strlen(backend)}, .blob = bytes};
    const struct ets_payload_graph *graph, *again;
    const char *reason = NULL;
    struct ets_payload_store store;
    struct ets_arena arena;
    ets_arena_init(&arena, NULL, (size_t)1 << 30);
    ets_payload_store_init(&store, &arena, &program);
    if (ets_payload_store_read(&store, &delegate, &graph, &reason, NULL) == ETS_OK) {
        if (graph == NULL && (reason == NULL || reason[0] == '\0')) abort();
        const size_t used = arena.used_bytes;
        if (ets_payload_store_read(&store, &delegate, &again, NULL, NULL) != ETS_OK) abort();
        if (again != graph || arena.used_bytes != used) abort();
        if (graph != NULL) {
            if (walk_values(graph) + walk_nodes(graph) == UINT64_MAX)
                abort(); /* so that all is read */
            foretell(graph);
        }
    }
    ets_arena_reset(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const backends[] = {"XnnpackBackend", "VulkanBackend",   "EthosUBackend",
                                           "CoreMLBackend",  "OpenvinoBackend", "TOSABackend",
                                           "VgfBackend",     "MLXBackend",      "NativeBackend",
                                           "QnnBackend",     "CudaBackend"};
    for (size_t i = 0; i < sizeof backends / sizeof *backends; i++) {
        read_as(backends[i], (struct ets_bytes){data, size});
    }
    return 0;
}
