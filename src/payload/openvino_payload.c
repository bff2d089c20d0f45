/*
 * The payload of OpenVINO for the CPU as a graph: the layers of its model that run. Constants and
 * the ends of the model are values. Layers are named after the edge program's nodes.
 */
#include <string.h>

#include "base/load.h"
#include "base/text.h"
#include "format/openvino.h"
#include "format/xml.h"
#include "host/key_table.h"
#include "payload/openvino_operators.h"
#include "payload/payload_operations.h"
#include "payload/payload_parameters.h"
#include "payload/payload_reader.h"

static const char *const backends[] = {ETS_OPENVINO_BACKEND, NULL};

/* How deep the elements of the model itself lie; those of bodies lie deeper. */
enum { LAYER = 2, PART_OF_LAYER = 3, PORT = 4, DIMENSION = 5 };
enum { MOST_DIMENSIONS = 16, MOST_PARAMETERS = 32 };

enum layer_kind { OPERATOR, CONSTANT, PARAMETER, RESULT };

struct layer {
    uint64_t id;
    enum layer_kind kind;
    struct ets_text name, type, fused_names;
    struct ets_text part; /* "input": the element that is being read */
    uint64_t data_offset, data_size;
    struct ets_text inner_type; /* of a body's operators */
    uint32_t inner_count;
    bool is_open; /* a size of an output is not fixed */
    uint32_t first_input, first_value;
};

struct reading {
    struct ets_payload_builder *builder;
    struct ets_text text;
    struct ets_bytes constants;
    struct ets_key_table ports; /* layer, and port with its side */
    uint32_t *port_items;       /* by number in ports: an input, or a value */
    uint32_t port_room;
    uint32_t *inputs;  /* of all layers, one after the other: values */
    uint32_t *results; /* inputs that the model gives */
    uint32_t layer_count, input_total, value_total;
    uint32_t input_count, result_count, parameter_count;
    struct layer layer; /* that is being read */
    bool is_in_layer;   /* elements may be closed by other names */
};

static uint64_t number_of(struct ets_text text, uint64_t otherwise)
{
    uint64_t number = 0;
    if (text.size == 0 || text.size > 18) return otherwise;
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] < '0' || text.data[i] > '9') return otherwise;
        number = number * 10 + (uint64_t)(text.data[i] - '0');
    }
    return number;
}

static uint64_t attribute_number(const struct ets_xml *xml, const char *name)
{
    struct ets_text value;
    ets_xml_attribute(xml, name, &value);
    return number_of(value, UINT64_MAX);
}

static bool is_part(const struct ets_xml *xml, uint32_t depth, const char *name)
{
    return xml->depth == depth && ets_text_is(xml->name, name);
}

/* Room for everything. false: the text is broken. */
static bool count_layers(struct reading *r)
{
    struct ets_xml xml = {.text = r->text};
    bool is_input = false;
    while (ets_xml_next(&xml)) {
        if (xml.kind != ETS_XML_OPEN) continue;
        r->layer_count += is_part(&xml, LAYER, "layer");
        if (xml.depth == PART_OF_LAYER) is_input = ets_text_is(xml.name, "input");
        if (!is_part(&xml, PORT, "port")) continue;
        r->input_total += is_input;
        r->value_total += !is_input;
    }
    return !xml.is_broken;
}

static bool take_room(struct reading *r)
{
    struct ets_payload_graph *graph = &r->builder->graph;
    const uint32_t ports = r->input_total + r->value_total;
    ets_key_table_init(&r->ports, r->builder->arena, 2);
    graph->nodes = ets_payload_room(r->builder, r->layer_count, sizeof *graph->nodes);
    graph->values = ets_payload_room(r->builder, r->value_total, sizeof *graph->values);
    graph->constants = ets_payload_room(r->builder, r->layer_count, sizeof *graph->constants);
    r->inputs = ets_payload_room(r->builder, r->input_total, sizeof *r->inputs);
    r->results = ets_payload_room(r->builder, r->input_total, sizeof *r->results);
    for (uint32_t i = 0; r->inputs != NULL && i < r->input_total; i++) {
        r->inputs[i] = ETS_PAYLOAD_NONE;
    }
    return graph->nodes != NULL && graph->values != NULL && graph->constants != NULL &&
           r->inputs != NULL && r->results != NULL &&
           ets_payload_look(r->builder, (size_t)ports * 64); /* the table of ports */
}

/* A port's number is one of its layer, and counts inputs and outputs alike. */
static bool add_port(struct reading *r, const struct ets_xml *xml, bool is_input, uint32_t item)
{
    const uint64_t key[2] = {r->layer.id, attribute_number(xml, "id") * 2 + is_input};
    const uint32_t known = r->ports.count;
    const uint32_t number = ets_key_table_add(&r->ports, key);
    if (number == ETS_KEY_NONE) return false;
    r->port_items = ets_arena_grow(r->builder->arena, r->port_items, number, &r->port_room,
                                   sizeof *r->port_items);
    if (r->port_items == NULL) return false;
    if (number == known) r->port_items[number] = item;
    return true;
}

static uint32_t find_port(const struct reading *r, uint64_t layer, uint64_t port, bool is_input)
{
    const uint64_t key[2] = {layer, port * 2 + is_input};
    const uint32_t number = ets_key_table_find(&r->ports, key);
    return number == ETS_KEY_NONE ? ETS_PAYLOAD_NONE : r->port_items[number];
}

static bool begin_port(struct reading *r, const struct ets_xml *xml)
{
    struct ets_payload_graph *graph = &r->builder->graph;
    struct ets_text precision;
    if (ets_text_is(r->layer.part, "input")) return add_port(r, xml, true, r->input_count++);
    if (!ets_text_is(r->layer.part, "output")) return true;
    uint32_t *dims = ets_payload_room(r->builder, MOST_DIMENSIONS, sizeof *dims);
    if (dims == NULL) return false;
    ets_xml_attribute(xml, "precision", &precision);
    graph->values[graph->value_count] = (struct ets_payload_value){
        .type = ets_openvino_type(precision),
        .dims = dims,
        .argument = ETS_PAYLOAD_NONE,
        .constant = ETS_PAYLOAD_NONE,
        .quantization = {.scale_constant = ETS_PAYLOAD_NONE},
    };
    return add_port(r, xml, false, graph->value_count++);
}

static void take_dimension(struct reading *r, struct ets_text text)
{
    struct ets_payload_graph *graph = &r->builder->graph;
    if (!ets_text_is(r->layer.part, "output") || graph->value_count == r->layer.first_value) return;
    struct ets_payload_value *value = &graph->values[graph->value_count - 1];
    const uint64_t size = number_of(ets_text_trim(text), UINT64_MAX);
    if (value->rank == MOST_DIMENSIONS || size >= UINT32_MAX) r->layer.is_open = true;
    if (value->rank == MOST_DIMENSIONS) return;
    ((uint32_t *)value->dims)[value->rank++] = size < UINT32_MAX ? (uint32_t)size : 0;
}

/* "1, 2" as integers, "true" as 1; else a text. */
static bool take_parameter(struct reading *r, struct ets_text name, struct ets_text value,
                           struct ets_payload_parameter *out)
{
    uint32_t count = 1, used = 0;
    for (size_t i = 0; i < value.size; i++) count += value.data[i] == ',';
    int64_t *integers = ets_payload_room(r->builder, count, sizeof *integers);
    *out = (struct ets_payload_parameter){.name = ets_payload_copy(r->builder, name).data,
                                          .kind = ETS_PAYLOAD_TEXT,
                                          .is_list = count > 1,
                                          .text = value};
    if (integers == NULL || out->name == NULL) return false;
    const bool is_true = ets_text_is(value, "true");
    if (is_true || ets_text_is(value, "false")) integers[used++] = is_true;
    while (used < count) {
        const char *comma = memchr(value.data, ',', value.size);
        const size_t size = comma == NULL ? value.size : (size_t)(comma - value.data);
        const struct ets_text item = ets_text_trim((struct ets_text){value.data, size});
        const bool is_negative = item.size > 0 && item.data[0] == '-';
        const uint64_t number = number_of(
            (struct ets_text){item.data + is_negative, item.size - is_negative}, UINT64_MAX);
        if (number == UINT64_MAX) return true;
        integers[used++] = is_negative ? -(int64_t)number : (int64_t)number;
        value.data += size + (comma != NULL);
        value.size -= size + (comma != NULL);
    }
    out->kind = ETS_PAYLOAD_INTEGERS;
    out->count = count;
    out->integers = integers;
    return true;
}

static bool take_data(struct reading *r, const struct ets_xml *xml)
{
    struct ets_payload_graph *graph = &r->builder->graph;
    struct ets_payload_node *node = &graph->nodes[graph->node_count];
    struct ets_text name, value;
    size_t at = 0;
    if (r->layer.kind == CONSTANT) {
        r->layer.data_offset = attribute_number(xml, "offset");
        r->layer.data_size = attribute_number(xml, "size");
    }
    if (r->layer.kind != OPERATOR || node->parameters != NULL) return true;
    struct ets_payload_parameter list[MOST_PARAMETERS];
    uint32_t count = 0;
    while (count < MOST_PARAMETERS && ets_xml_next_attribute(xml, &at, &name, &value)) {
        if (!take_parameter(r, name, value, &list[count++])) return false;
    }
    struct ets_payload_parameter *kept = ets_payload_room(r->builder, count, sizeof *kept);
    if (kept == NULL) return false;
    if (count > 0) memcpy(kept, list, count * sizeof *kept);
    node->parameters = kept;
    node->parameter_count = count;
    return true;
}

static void begin_layer(struct reading *r, const struct ets_xml *xml)
{
    static const struct {
        const char *type;
        enum layer_kind kind;
    } kinds[] = {{"Const", CONSTANT}, {"Parameter", PARAMETER}, {"Result", RESULT}};
    r->is_in_layer = true;
    r->layer = (struct layer){.id = attribute_number(xml, "id"),
                              .first_input = r->input_count,
                              .first_value = r->builder->graph.value_count};
    ets_xml_attribute(xml, "name", &r->layer.name);
    ets_xml_attribute(xml, "type", &r->layer.type);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (ets_text_is(r->layer.type, kinds[i].type)) r->layer.kind = kinds[i].kind;
    }
}

/* "aten_relu_default" of "aten_relu_default/aten.relu.default/Relu"; data NULL: it is no such
 * name. */
static struct ets_text edge_name_of(struct ets_text name)
{
    const struct ets_text none = {NULL, 0};
    const char *slash = name.size > 0 ? memchr(name.data, '/', name.size) : NULL;
    if (slash == NULL) return none;
    const size_t size = (size_t)(slash - name.data);
    const struct ets_text rest = {slash + 1, name.size - size - 1};
    if (rest.size == 0 || memchr(rest.data, '/', rest.size) == NULL) return none;
    return (struct ets_text){name.data, size};
}

/* Of a layer that several were merged into, the first that has one. */
static struct ets_text find_edge_name(const struct layer *layer)
{
    struct ets_text rest = layer->fused_names, found = edge_name_of(layer->name);
    while (found.data == NULL && rest.size > 0) {
        const char *comma = memchr(rest.data, ',', rest.size);
        const size_t size = comma == NULL ? rest.size : (size_t)(comma - rest.data);
        found = edge_name_of(ets_text_trim((struct ets_text){rest.data, size}));
        rest.data += size + (comma != NULL);
        rest.size -= size + (comma != NULL);
    }
    return found;
}

static bool end_operator(struct reading *r)
{
    struct ets_payload_graph *graph = &r->builder->graph;
    struct ets_payload_node *node = &graph->nodes[graph->node_count++];
    const uint32_t outputs = graph->value_count - r->layer.first_value;
    uint32_t *list = ets_payload_room(r->builder, outputs, sizeof *list);
    node->name = ets_payload_copy(r->builder, r->layer.type);
    if (list == NULL || node->name.data == NULL) return false;
    for (uint32_t i = 0; i < outputs; i++) list[i] = r->layer.first_value + i;
    node->debug_handle = -1;
    node->edge_name = find_edge_name(&r->layer);
    node->inputs = r->inputs + r->layer.first_input;
    node->input_count = r->input_count - r->layer.first_input;
    node->outputs = list;
    node->output_count = outputs;
    const bool is_one = ets_text_is(r->layer.type, "Subgraph") && r->layer.inner_count == 1;
    const struct ets_text type = is_one ? r->layer.inner_type : r->layer.type;
    if (!r->layer.is_open) node->operation = ets_text_of(ets_openvino_operation(type));
    return true;
}

static void end_constant(struct reading *r)
{
    struct ets_payload_graph *graph = &r->builder->graph;
    const struct layer *layer = &r->layer;
    struct ets_payload_constant *constant = &graph->constants[graph->constant_count];
    if (graph->value_count == layer->first_value) return;
    if (ets_range_fits(layer->data_offset, layer->data_size, r->constants.size)) {
        constant->bytes =
            (struct ets_bytes){r->constants.data + layer->data_offset, (size_t)layer->data_size};
    }
    graph->values[layer->first_value].constant = graph->constant_count++;
}

static bool end_layer(struct reading *r)
{
    struct ets_payload_graph *graph = &r->builder->graph;
    if (!r->is_in_layer) return true;
    r->is_in_layer = false;
    switch (r->layer.kind) {
    case OPERATOR: return end_operator(r);
    case CONSTANT: end_constant(r); return true;
    case PARAMETER:
        if (graph->value_count > r->layer.first_value) {
            graph->values[r->layer.first_value].is_input = true;
            graph->values[r->layer.first_value].argument = r->parameter_count;
        }
        r->parameter_count++;
        return true;
    case RESULT:
        if (r->input_count > r->layer.first_input) {
            r->results[r->result_count++] = r->layer.first_input;
        }
        return true;
    }
    return true;
}

/* A body's layers say what a fused layer computes, if that is one operator. */
static void look_inside(struct reading *r, const struct ets_xml *xml)
{
    struct ets_text type;
    if (!ets_text_is(xml->name, "layer") || xml->depth <= LAYER) return;
    ets_xml_attribute(xml, "type", &type);
    if (ets_text_is(type, "Parameter") || ets_text_is(type, "Result")) return;
    r->layer.inner_type = type;
    r->layer.inner_count++;
}

static void take_name(struct reading *r, const struct ets_xml *xml)
{
    struct ets_text name;
    if (!ets_text_is(r->layer.part, "rt_info")) return;
    ets_xml_attribute(xml, "name", &name);
    if (ets_text_is(name, "fused_names")) ets_xml_attribute(xml, "value", &r->layer.fused_names);
}

static bool read_open(struct reading *r, const struct ets_xml *xml)
{
    look_inside(r, xml);
    if (is_part(xml, LAYER, "layer")) begin_layer(r, xml);
    if (!r->is_in_layer && xml->depth > LAYER) return true;
    if (xml->depth == PART_OF_LAYER) r->layer.part = xml->name;
    if (is_part(xml, PORT, "attribute")) take_name(r, xml);
    if (is_part(xml, PART_OF_LAYER, "data")) return take_data(r, xml);
    if (is_part(xml, PORT, "port")) return begin_port(r, xml);
    if (!is_part(xml, LAYER, "edge")) return true;
    const uint32_t from = find_port(r, attribute_number(xml, "from-layer"),
                                    attribute_number(xml, "from-port"), false);
    const uint32_t to =
        find_port(r, attribute_number(xml, "to-layer"), attribute_number(xml, "to-port"), true);
    if (from != ETS_PAYLOAD_NONE && to != ETS_PAYLOAD_NONE) r->inputs[to] = from;
    return true;
}

static bool read_layers(struct reading *r)
{
    struct ets_xml xml = {.text = r->text};
    while (ets_xml_next(&xml)) {
        if (xml.kind == ETS_XML_OPEN && !read_open(r, &xml)) return false;
        if (xml.kind == ETS_XML_CLOSE && is_part(&xml, DIMENSION, "dim")) {
            take_dimension(r, xml.before);
        }
        const bool is_end = xml.kind == ETS_XML_CLOSE || xml.is_empty;
        if (is_end && is_part(&xml, LAYER, "layer") && !end_layer(r)) return false;
    }
    return true;
}

static bool list_arguments(struct reading *r)
{
    struct ets_payload_graph *graph = &r->builder->graph;
    graph->argument_count = r->parameter_count + r->result_count;
    graph->is_output = ets_payload_room(r->builder, graph->argument_count, 1);
    if (graph->is_output == NULL) return false;
    for (uint32_t i = 0; i < r->result_count; i++) {
        const uint32_t argument = r->parameter_count + i;
        const uint32_t number = r->inputs[r->results[i]];
        graph->is_output[argument] = 1;
        if (number == ETS_PAYLOAD_NONE) continue;
        struct ets_payload_value *value = &graph->values[number];
        value->is_output = true;
        if (value->argument == ETS_PAYLOAD_NONE) value->argument = argument;
    }
    return true;
}

static bool is_set(const struct ets_payload_node *node, const char *name)
{
    const struct ets_payload_parameter *parameter = ets_payload_find_integers(node, name);
    return parameter != NULL && parameter->integers[0] != 0;
}

/* Filters are [out, in, ...], with groups [groups, out, in, ...]; turned ones [in, out, ...]. */
static void explain_convolution(struct ets_payload_node *node,
                                const struct ets_payload_value *weight)
{
    const bool has_groups = ets_text_starts_with(node->name, "Group");
    if (weight == NULL || weight->rank < 3) return;
    node->is_transposed = ets_text_contains(node->name, "BackpropData");
    const uint32_t first = has_groups ? 2 : 1;
    node->depth = ets_payload_product(weight->dims + first, weight->rank - first);
    node->is_depthwise =
        has_groups && weight->dims[0] > 1 && weight->dims[1] == 1 && weight->dims[2] == 1;
}

static void explain_node(const struct ets_payload_graph *graph, struct ets_payload_node *node)
{
    const struct ets_payload_value *in =
        node->input_count > 0 ? ets_payload_value(graph, node->inputs[0]) : NULL;
    const struct ets_payload_value *second =
        node->input_count > 1 ? ets_payload_value(graph, node->inputs[1]) : NULL;
    const struct ets_payload_parameter *kernel = ets_payload_find_integers(node, "kernel");
    if (ets_text_is(node->operation, "convolution")) {
        explain_convolution(node, second);
    } else if (ets_text_is(node->name, "MatMul") || ets_text_is(node->name, "FullyConnected")) {
        const bool is_turned = is_set(node, "transpose_a");
        if (in == NULL || in->rank <= is_turned) return;
        node->depth = in->dims[in->rank - 1 - is_turned];
        const bool has_weight = second != NULL && second->constant != ETS_PAYLOAD_NONE;
        if (has_weight && is_set(node, "transpose_b")) node->operation = ets_text_of("linear");
    } else if (kernel != NULL) {
        node->depth = 1;
        for (uint32_t i = 0; i < kernel->count; i++) {
            const uint64_t taps = kernel->integers[i] > 0 ? (uint64_t)kernel->integers[i] : 0;
            if (!ets_mul_u64(node->depth, taps, &node->depth)) node->depth = UINT64_MAX;
        }
    }
}

static enum ets_status no_memory(struct ets_error *error)
{
    return ets_fail_memory(error, "an OpenVINO payload");
}

static enum ets_status read_payload(struct ets_payload_builder *builder, struct ets_bytes bytes,
                                    struct ets_error *error)
{
    struct reading r = {.builder = builder};
    struct ets_openvino blob;
    ETS_TRY(ets_openvino_init(&blob, bytes, error));
    char *text = ets_payload_room(builder, blob.model.size, 1);
    if (text == NULL) return no_memory(error);
    ets_openvino_decode(&blob, text);
    r.text = (struct ets_text){text, blob.model.size};
    r.constants = blob.constants;
    builder->graph.files = builder->graph.flatbuffer = bytes;
    if (!count_layers(&r)) {
        return ets_fail(error, ETS_MALFORMED, ETS_NO_OFFSET,
                        "the OpenVINO model's XML cannot be read");
    }
    if (!take_room(&r) || !read_layers(&r) || !list_arguments(&r)) return no_memory(error);
    for (uint32_t i = 0; i < builder->graph.node_count; i++) {
        explain_node(&builder->graph, &builder->graph.nodes[i]);
    }
    return ETS_OK;
}

const struct ets_payload_reader ets_payload_openvino = {
    .backends = backends,
    .format = "OpenVINO model",
    .read = read_payload,
};
