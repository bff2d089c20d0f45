/* Finds the weights of products and embeddings in two graphs of the same model. */
#include "quality/quality_layers.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "etscope/numerics.h"
#include "operators/operator_traits.h"
#include "quality/graph_weights.h"
#include "quality/packed_tables.h"

enum { KEY_CHARS = 32 };

/* A weight's use: an operator that takes it. */
struct use {
    const struct ets_graph_node *node;
    const struct ets_graph_argument *weight;
    bool is_embedding;
};

static enum ets_status no_memory(struct ets_error *error)
{
    return ets_fail_memory(error, "the layers");
}

float *ets_quality_numbers(const struct ets_tensor *tensor, struct ets_arena *arena)
{
    struct ets_elements elements;
    double number;
    const uint64_t count = ets_tensor_count(tensor);
    if (tensor->rank != 2 || count == 0 || count > SIZE_MAX / sizeof(float)) return NULL;
    if (ets_elements_init(&elements, tensor, NULL) != ETS_OK) return NULL;
    float *numbers = ets_arena_alloc_array(arena, (size_t)count, sizeof *numbers);
    for (size_t i = 0; numbers != NULL && ets_elements_next(&elements, &number); i++) {
        numbers[i] = (float)number;
    }
    return numbers;
}

static bool is_embedding(struct ets_text op)
{
    static const char start[] = "embedding";
    const struct ets_text base = ets_operator_base_name(op);
    return base.size >= sizeof start - 1 && memcmp(base.data, start, sizeof start - 1) == 0;
}

/* Whether the node is a product with a weight, or an embedding. */
static bool find_use(const struct ets_graph_node *node, struct use *use)
{
    *use = (struct use){.node = node, .is_embedding = is_embedding(node->op)};
    if (!use->is_embedding && !ets_operator_is(node->op, ETS_OPERATOR_PRODUCT)) return false;
    for (uint32_t i = 0; i < node->input_count; i++) {
        const struct ets_text label = node->inputs[i].label;
        const bool is_it =
            ets_text_is(label, "weight") ||
            (!use->is_embedding && (ets_text_is(label, "mat2") || ets_text_is(label, "other")));
        if (is_it && use->weight == NULL) use->weight = &node->inputs[i];
    }
    return use->weight != NULL;
}

/* "layers.0.wq" of "layers.0.wq.weight" */
static struct ets_text name_of(struct ets_text source)
{
    static const char end[] = ".weight";
    const size_t size = sizeof end - 1;
    if (source.size > size && memcmp(source.data + source.size - size, end, size) == 0) {
        source.size -= size;
    }
    return source;
}

/* Numbers modules' weights: the same module and number are the same layer of two graphs. */
struct numbering {
    struct ets_arena *arena;
    struct ets_strings modules;
    uint32_t *counts; /* by the module's number */
    uint32_t room;
};

static enum ets_status begin_numbering(struct numbering *numbering, const struct ets_graph *graph,
                                       struct ets_arena *arena, struct ets_error *error)
{
    *numbering = (struct numbering){.arena = arena, .room = graph->node_count + 2};
    numbering->counts = ets_arena_alloc_array(arena, numbering->room, sizeof *numbering->counts);
    if (numbering->counts == NULL || ets_strings_init(&numbering->modules, arena) != 0) {
        return no_memory(error);
    }
    return ETS_OK;
}

/* "layers.0.wq#0"; data NULL: no memory. */
static struct ets_text next_key(struct numbering *numbering, const struct use *use)
{
    char text[KEY_CHARS];
    struct ets_text path = ets_graph_module_path(use->node);
    if (path.data == NULL) path = (struct ets_text){"", 0};
    const uint32_t module = ets_strings_add(&numbering->modules, path);
    if (module >= numbering->room) return (struct ets_text){NULL, 0};
    const size_t size = ets_print_text(text, sizeof text, "%s%u", use->is_embedding ? "e" : "#",
                                       numbering->counts[module]++);
    char *key = ets_arena_alloc(numbering->arena, path.size + size + 1);
    if (key == NULL) return (struct ets_text){NULL, 0};
    memcpy(key, path.data, path.size);
    memcpy(key + path.size, text, size);
    return (struct ets_text){key, path.size + size};
}

static bool is_floating(const struct ets_tensor *tensor)
{
    const int type = (int)tensor->scalar_type;
    return type == ETS_SCALAR_FLOAT || type == ETS_SCALAR_DOUBLE || type == ETS_SCALAR_HALF ||
           type == ETS_SCALAR_BFLOAT16;
}

/* Whether the weight's rows are outputs: products of other kinds than linear take it transposed. */
static bool is_upright(const struct ets_graph_weights *weights, const struct use *use)
{
    if (ets_text_is(use->weight->label, "weight")) return true;
    const struct ets_graph_place place = ets_graph_weights_place(weights, use->weight->name);
    return place.node != ETS_GRAPH_NONE &&
           ets_operator_is(weights->graph->nodes[place.node].op, ETS_OPERATOR_PERMUTE);
}

struct finding {
    struct ets_graph_weights weights;
    struct numbering numbering;
    struct ets_strings sources; /* of layers: two operators may share a parameter */
    struct ets_strings *keys;   /* of layers, in their order, from 1 on */
    struct ets_quality_layers *layers;
    struct ets_arena *arena;
    uint32_t room;
};

static enum ets_status add_layer(struct finding *finding, const struct use *use,
                                 struct ets_error *error)
{
    struct ets_quality_layers *layers = finding->layers;
    const struct ets_graph_place place = ets_graph_weights_behind(&finding->weights, use->weight);
    if (place.input == ETS_GRAPH_NONE) return ETS_OK;
    const struct ets_text source = finding->weights.graph->inputs[place.input].source;
    const struct ets_tensor *tensor = ets_graph_weights_tensor(&finding->weights, place.input);
    if (tensor == NULL || !is_upright(&finding->weights, use)) return ETS_OK;
    const struct ets_text key = next_key(&finding->numbering, use);
    if (key.data == NULL) return no_memory(error);
    if (ets_strings_find(&finding->sources, source) != UINT32_MAX) return ETS_OK;
    if (layers->count == ETS_QUALITY_MOST_LAYERS) {
        return ets_fail(error, ETS_LIMIT, ETS_NO_OFFSET, "the graph has more than %d layers",
                        ETS_QUALITY_MOST_LAYERS);
    }
    struct ets_quality_layer *items =
        ets_arena_grow(finding->arena, layers->items, layers->count, &finding->room, sizeof *items);
    if (items == NULL) return no_memory(error);
    layers->items = items;
    if (tensor->rank != 2 || !is_floating(tensor)) return ETS_OK;
    float *numbers = ets_quality_numbers(tensor, finding->arena);
    if (numbers == NULL) return no_memory(error);
    if (ets_strings_add(&finding->sources, source) == UINT32_MAX) return no_memory(error);
    if (ets_strings_add(finding->keys, key) != layers->count + 1) return no_memory(error);
    layers->is_narrow |= tensor->scalar_type != ETS_SCALAR_FLOAT;
    items[layers->count++] = (struct ets_quality_layer){.name = name_of(source),
                                                        .source = source,
                                                        .is_embedding = use->is_embedding,
                                                        .rows = (uint64_t)tensor->sizes[0],
                                                        .columns = (uint64_t)tensor->sizes[1],
                                                        .numbers = numbers};
    return ETS_OK;
}

enum ets_status ets_quality_layers_find(struct ets_etrecord *record, const struct ets_graph *graph,
                                        struct ets_arena *arena,
                                        struct ets_quality_layers *layers_out,
                                        struct ets_error *error)
{
    *layers_out = (struct ets_quality_layers){.count = 0};
    struct finding finding = {.layers = layers_out, .arena = arena};
    finding.keys = &layers_out->keys;
    if (ets_strings_init(finding.keys, arena) != 0 ||
        ets_strings_init(&finding.sources, arena) != 0) {
        return no_memory(error);
    }
    ETS_TRY(ets_graph_weights_read(record, graph, arena, &finding.weights, error));
    ETS_TRY(begin_numbering(&finding.numbering, graph, arena, error));
    for (uint32_t i = 0; i < graph->node_count; i++) {
        struct use use;
        if (find_use(&graph->nodes[i], &use)) ETS_TRY(add_layer(&finding, &use, error));
    }
    return ETS_OK;
}

static const struct ets_graph_argument *labelled(const struct ets_graph_node *node,
                                                 const char *label)
{
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (ets_text_is(node->inputs[i].label, label)) return &node->inputs[i];
    }
    return NULL;
}

/* Bits that hold the integers from quant_min to quant_max; 8 if the node does not say. */
static uint32_t bits_of(const struct ets_graph_node *node)
{
    const struct ets_graph_argument *least = labelled(node, "quant_min");
    const struct ets_graph_argument *most = labelled(node, "quant_max");
    if (least == NULL || most == NULL || least->kind != ETS_ARGUMENT_INT ||
        most->kind != ETS_ARGUMENT_INT) {
        return 8;
    }
    uint32_t bits = 1;
    while (bits < 16 && most->int_value - least->int_value >= (int64_t)1 << bits) bits++;
    return bits;
}

/* The scheme, by how many scales the node takes. */
static struct ets_weight_scheme scheme_of(const struct ets_graph_weights *weights,
                                          const struct ets_graph_node *node,
                                          const struct ets_quality_layer *layer)
{
    struct ets_weight_scheme scheme = {.bits = bits_of(node)};
    const struct ets_graph_argument *scale = labelled(node, "scale");
    if (scale == NULL) scale = labelled(node, "scales");
    if (scale == NULL) scale = labelled(node, "weight_scales");
    if (scale == NULL) return (struct ets_weight_scheme){.bits = 0};
    if (scale->kind != ETS_ARGUMENT_TENSOR) {
        scheme.is_of_tensor = true;
        return scheme;
    }
    const struct ets_graph_place place = ets_graph_weights_behind(weights, scale);
    const struct ets_tensor *tensor = ets_graph_weights_tensor(weights, place.input);
    const uint64_t count = tensor != NULL ? ets_tensor_count(tensor) : 0;
    if (count == layer->rows) return scheme;
    if (count == 1) scheme.is_of_tensor = true;
    else if (count > 0 && count % layer->rows == 0 && layer->columns % (count / layer->rows) == 0) {
        scheme.group = (uint32_t)(layer->columns / (count / layer->rows));
    } else {
        scheme.bits = 0;
    }
    return scheme;
}

static bool dequantizes(const struct ets_graph_node *node)
{
    return ets_operator_is(node->op, ETS_OPERATOR_DEQUANTIZE);
}

/* What the quantized graph has for a layer. */
static enum ets_status join(struct finding *finding, const struct use *use,
                            struct ets_quality_layer *layer, struct ets_error *error)
{
    const struct ets_graph_weights *weights = &finding->weights;
    const struct ets_graph_place place = ets_graph_weights_behind(weights, use->weight);
    if (ets_quality_is_packed_lookup(use->node)) {
        float *table = ets_quality_packed_table(weights, use->node, layer->rows, layer->columns,
                                                finding->arena);
        if (table == NULL) return ETS_OK;
        layer->present = table; /* the program's, which are the same */
        layer->origin = (struct ets_quality_origin){.node = use->node, .is_lookup = true};
        layer->scheme = scheme_of(weights, use->node, layer);
        layer->scheme.bits = ets_quality_packed_bits(use->node->op);
        return ETS_OK;
    }
    if (place.node != ETS_GRAPH_NONE) {
        const struct ets_graph_node *node = &weights->graph->nodes[place.node];
        if (!dequantizes(node) || !ets_graph_weights_is_constant(weights, place.node)) {
            return ETS_OK;
        }
        layer->origin.node = node;
        if (layer->present == NULL) layer->scheme = scheme_of(weights, node, layer);
        return ETS_OK; /* its numbers are known when it was evaluated */
    }
    const struct ets_tensor *tensor = ets_graph_weights_tensor(weights, place.input);
    if (tensor == NULL || tensor->rank != 2 || (uint64_t)tensor->sizes[0] != layer->rows ||
        (uint64_t)tensor->sizes[1] != layer->columns) {
        return ETS_OK;
    }
    layer->origin.source = weights->graph->inputs[place.input].source;
    if (layer->present != NULL) return ETS_OK; /* the program says otherwise */
    layer->scheme.bits = 8 * (uint32_t)ets_scalar_type_bytes(tensor->scalar_type);
    layer->present = ets_quality_numbers(tensor, finding->arena);
    return layer->present != NULL ? ETS_OK : no_memory(error);
}

enum ets_status ets_quality_layers_join(struct ets_quality_layers *layers,
                                        struct ets_etrecord *record, const struct ets_graph *graph,
                                        struct ets_arena *arena, struct ets_error *error)
{
    struct finding finding = {.layers = layers, .arena = arena, .keys = &layers->keys};
    ETS_TRY(ets_graph_weights_read(record, graph, arena, &finding.weights, error));
    ETS_TRY(begin_numbering(&finding.numbering, graph, arena, error));
    layers->own = graph;
    layers->at_node = ets_arena_alloc_array(arena, graph->node_count, sizeof *layers->at_node);
    if (layers->at_node == NULL) return no_memory(error);
    for (uint32_t i = 0; i < graph->node_count; i++) {
        struct use use;
        if (!find_use(&graph->nodes[i], &use)) continue;
        const struct ets_graph_place place = ets_graph_weights_behind(&finding.weights, use.weight);
        const bool is_of_record =
            place.input != ETS_GRAPH_NONE
                ? ets_graph_weights_tensor(&finding.weights, place.input) != NULL
                : place.node != ETS_GRAPH_NONE &&
                      ets_graph_weights_is_constant(&finding.weights, place.node);
        if (!is_of_record || !is_upright(&finding.weights, &use)) continue;
        const struct ets_text key = next_key(&finding.numbering, &use);
        if (key.data == NULL) return no_memory(error);
        const uint32_t number = ets_strings_find(finding.keys, key);
        if (number == 0 || number > layers->count) continue;
        struct ets_quality_layer *layer = &layers->items[number - 1];
        ETS_TRY(join(&finding, &use, layer, error));
        if (layer->origin.node != NULL) {
            layers->at_node[layer->origin.node - graph->nodes] = number;
        }
    }
    return ETS_OK;
}
