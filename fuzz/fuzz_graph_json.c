/* Reads any bytes as an exported program's JSON, and all texts of its graph. */
#include <stdint.h>
#include <string.h>

#include "record/graph_reader.h"
#include "record/record_maps.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Keeps the reads from being optimized away. */
static volatile size_t sink;

enum { MEMORY_LIMIT = 512 << 20 };

static size_t length(struct ets_text text)
{
    return text.data != NULL ? strlen(text.data) : 0;
}

static size_t read_argument(const struct ets_graph_argument *argument)
{
    size_t sum = length(argument->label) + length(argument->name);
    for (uint32_t i = 0; i < argument->item_count; i++) sum += read_argument(&argument->items[i]);
    return sum;
}

static size_t read_node(const struct ets_graph_node *node)
{
    size_t sum = length(node->op) + length(node->stack_trace);
    const struct ets_graph_frame *frame = ets_graph_user_frame(node);
    if (frame != NULL) sum += length(frame->file) + length(frame->function) + length(frame->code);
    sum += length(ets_graph_module_path(node));
    for (uint32_t i = 0; i < node->module_count; i++) sum += length(node->modules[i].type);
    for (uint32_t i = 0; i < node->origin_count; i++) sum += length(node->origins[i].target);
    for (uint32_t i = 0; i < node->input_count; i++) sum += read_argument(&node->inputs[i]);
    for (uint32_t i = 0; i < node->output_count; i++) sum += read_argument(&node->outputs[i]);
    return sum;
}

static size_t read_graph(const struct ets_graph *graph)
{
    size_t sum = length(graph->name);
    for (uint32_t i = 0; i < graph->node_count; i++) {
        sum += read_node(&graph->nodes[i]);
        sum += ets_graph_find_node(graph, graph->nodes[i].name) != NULL;
    }
    for (uint32_t i = 0; i < graph->value_count; i++) {
        const struct ets_graph_value *value = &graph->values[i];
        sum += ets_graph_find_value(graph, value->name) != NULL;
        for (uint32_t j = 0; value->size_texts != NULL && j < value->rank; j++) {
            sum += length(value->size_texts[j]);
        }
    }
    for (uint32_t i = 0; i < graph->input_count; i++) sum += length(graph->inputs[i].source);
    for (uint32_t i = 0; i < graph->output_count; i++) sum += length(graph->outputs[i].target);
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct ets_text name = {"input", 5};
    struct ets_arena arena;
    struct ets_error error;
    const struct ets_graph *graph;
    ets_arena_init(&arena, NULL, MEMORY_LIMIT);
    if (ets_graph_read(name, (struct ets_bytes){data, size}, 0, &arena, &graph, &error) == ETS_OK) {
        sink += read_graph(graph);
        for (uint32_t i = 0; i < graph->subgraph_count; i++) {
            sink += read_graph(graph->subgraphs[i]);
        }
    }
    ets_arena_reset(&arena);
    return 0;
}
