/*
 * The payload of Vulkan and WebGPU as a graph. Calls list the arguments of the operator's schema,
 * and the output last. Source: ExecuTorch backends/vulkan/serialization/schema.fbs and
 * vulkan_graph_builder.py.
 */
#include <math.h>
#include <string.h>

#include "base/load.h"
#include "base/text.h"
#include "etscope/tensor.h"
#include "format/vulkan_schema.h"
#include "host/key_table.h"
#include "operators/operator_traits.h"
#include "payload/payload_kind.h"
#include "payload/payload_parameters.h"
#include "payload/payload_reader.h"

static const char *const backends[] = {"VulkanBackend", NULL};

/* Slots of the schema's tables. */
enum {
    GRAPH_CHAIN = 1,
    GRAPH_VALUES = 2,
    GRAPH_INPUTS = 3,
    GRAPH_OUTPUTS = 4,
    GRAPH_CONSTANTS = 5
};
enum { CALL_NODE = 0, CALL_NAME = 1, CALL_ARGS = 2 };
enum { VALUE_TAG = 0, VALUE_MEMBER = 1 };
enum { TENSOR_TYPE = 0, TENSOR_DIMS = 1, TENSOR_CONSTANT = 2, TENSOR_OBJECT = 3 };
enum { CONSTANT_OFFSET = 0, CONSTANT_LENGTH = 1, CONSTANT_KEY = 2 };
enum value_tag {
    TAG_INT = 2,
    TAG_DOUBLE,
    TAG_BOOL,
    TAG_TENSOR,
    TAG_INTS,
    TAG_DOUBLES,
    TAG_BOOLS,
    TAG_VALUES,
    TAG_STRING
};

/* By number of VkDataType. */
static const struct ets_payload_type types[] = {
    {"bool", ETS_SCALAR_BOOL, 8, ETS_PAYLOAD_INTEGER},
    {"uint8", ETS_SCALAR_BYTE, 8, ETS_PAYLOAD_INTEGER},
    {"int8", ETS_SCALAR_CHAR, 8, ETS_PAYLOAD_INTEGER},
    {"int32", ETS_SCALAR_INT, 32, ETS_PAYLOAD_INTEGER},
    {"float16", ETS_SCALAR_HALF, 16, ETS_PAYLOAD_FLOAT16},
    {"float32", ETS_SCALAR_FLOAT, 32, ETS_PAYLOAD_FLOAT32},
    {"float64", ETS_SCALAR_DOUBLE, 64, ETS_PAYLOAD_FLOAT64},
    {"int64", ETS_SCALAR_LONG, 64, ETS_PAYLOAD_INTEGER},
};
static const struct ets_payload_type unknown_type = {"unknown", -1, 0, ETS_PAYLOAD_OTHER};

/*
 * Operators of Vulkan's own: what they begin with, and the operator of ATen that they are. Those
 * with quantized weights are none: their arguments lie in orders of their own.
 */
static const struct {
    const char *start, *operation;
    bool has_clamp; /* its last two arguments are bounds of the result */
} own_operators[] = {
    {"et_vk.conv_with_clamp", "convolution", true},
    {"et_vk.prepack", "alias", false}, /* moves a constant once, when the method loads */
};
enum { OWN_OPERATORS = sizeof own_operators / sizeof *own_operators };

struct reading {
    struct ets_payload_builder *builder;
    struct ets_fb root;
    struct ets_fb_vector values;
    struct ets_bytes constants;
    uint64_t origin;
};

static uint8_t tag_of(const struct reading *r, uint32_t value)
{
    if (value >= r->values.count) return 0;
    return ets_fb_u8(ets_fb_vector_table(r->values, value), VALUE_TAG, 0);
}

static struct ets_fb member_of(const struct reading *r, uint32_t value)
{
    return ets_fb_table(ets_fb_vector_table(r->values, value), VALUE_MEMBER);
}

static bool read_tensor(struct reading *r, uint32_t index)
{
    struct ets_payload_value *out = &r->builder->graph.values[index];
    *out = (struct ets_payload_value){
        .type = &unknown_type, .argument = ETS_PAYLOAD_NONE, .constant = ETS_PAYLOAD_NONE};
    out->quantization.scale_constant = ETS_PAYLOAD_NONE;
    if (tag_of(r, index) != TAG_TENSOR) return true;
    const struct ets_fb tensor = member_of(r, index);
    const struct ets_fb_vector sizes = ets_fb_vector(tensor, TENSOR_DIMS);
    const unsigned type = (uint8_t)ets_fb_i8(tensor, TENSOR_TYPE, 0);
    const int32_t constant = ets_fb_i32(tensor, TENSOR_CONSTANT, 0);
    uint32_t *dims = ets_payload_room(r->builder, sizes.count, sizeof *dims);
    if (dims == NULL) return false;
    for (uint32_t i = 0; i < sizes.count; i++) dims[i] = (uint32_t)ets_fb_vector_i32(sizes, i);
    if (type < sizeof types / sizeof *types) out->type = &types[type];
    out->rank = sizes.count;
    out->dims = dims;
    if (constant >= 0 && (uint32_t)constant < r->builder->graph.constant_count) {
        out->constant = (uint32_t)constant;
    }
    return true;
}

/* The call's arguments: inputs, then outputs. */
static bool list_arguments(struct reading *r)
{
    struct ets_payload_graph *graph = &r->builder->graph;
    const struct ets_fb_vector ends[] = {ets_fb_vector(r->root, GRAPH_INPUTS),
                                         ets_fb_vector(r->root, GRAPH_OUTPUTS)};
    uint32_t argument = 0;
    graph->argument_count = ends[0].count + ends[1].count;
    graph->is_output = ets_payload_room(r->builder, graph->argument_count, 1);
    if (graph->is_output == NULL) return false;
    for (int side = 0; side < 2; side++) {
        for (uint32_t i = 0; i < ends[side].count; i++, argument++) {
            const uint32_t number = (uint32_t)ets_fb_vector_i32(ends[side], i);
            graph->is_output[argument] = side == 1;
            if (number >= graph->value_count) continue;
            struct ets_payload_value *value = &graph->values[number];
            value->is_input |= side == 0;
            value->is_output |= side == 1;
            if (value->argument == ETS_PAYLOAD_NONE) value->argument = argument;
        }
    }
    return true;
}

/* Tensors with the same number share an object, which is as large as the largest. */
static bool sum_objects(struct reading *r)
{
    enum { BITS = 8 };
    struct ets_payload_graph *graph = &r->builder->graph;
    struct ets_key_table objects;
    uint64_t *largest = ets_payload_room(r->builder, graph->value_count, sizeof *largest);
    if (largest == NULL) return false;
    ets_key_table_init(&objects, r->builder->arena, 1);
    for (uint32_t i = 0; i < graph->value_count; i++) {
        uint64_t bytes;
        if (tag_of(r, i) != TAG_TENSOR) continue;
        const int32_t object = ets_fb_i32(member_of(r, i), TENSOR_OBJECT, 0);
        const struct ets_payload_value *value = &graph->values[i];
        if (object < 0 || value->constant != ETS_PAYLOAD_NONE ||
            !ets_mul_u64(ets_payload_elements(value), value->type->bits, &bytes)) {
            continue;
        }
        const uint64_t key = (uint64_t)object;
        const uint32_t number = ets_key_table_add(&objects, &key);
        if (number == ETS_KEY_NONE) return false;
        if (bytes / BITS > largest[number]) largest[number] = bytes / BITS;
    }
    for (uint32_t i = 0; i < objects.count; i++) {
        graph->device_bytes = ets_add_saturated_u64(graph->device_bytes, largest[i]);
    }
    return true;
}

static bool read_values(struct reading *r)
{
    struct ets_payload_graph *graph = &r->builder->graph;
    graph->value_count = r->values.count;
    graph->values = ets_payload_room(r->builder, graph->value_count, sizeof *graph->values);
    if (graph->values == NULL) return false;
    for (uint32_t i = 0; i < graph->value_count; i++) {
        if (!read_tensor(r, i)) return false;
    }
    return sum_objects(r) && list_arguments(r);
}

static bool set_list(struct reading *r, struct ets_fb_vector items, enum value_tag tag,
                     struct ets_payload_parameter *out)
{
    if (tag == TAG_DOUBLES) {
        double *reals = ets_payload_add_reals(r->builder, items.count, true, out);
        for (uint32_t i = 0; reals != NULL && i < items.count; i++) {
            reals[i] = ets_load_f64(items.base + items.at + 8 * (size_t)i);
        }
        return reals != NULL;
    }
    int64_t *integers = ets_payload_add_integers(r->builder, items.count, true, out);
    for (uint32_t i = 0; integers != NULL && i < items.count; i++) {
        integers[i] =
            tag == TAG_BOOLS ? items.base[items.at + i] != 0 : ets_fb_vector_i64(items, i);
    }
    return integers != NULL;
}

/* The tensors that a value stands for: itself, or those of a list. `out` NULL: counts. */
static uint32_t list_tensors(struct reading *r, uint32_t value, uint32_t *out)
{
    uint32_t count = 0;
    if (tag_of(r, value) == TAG_TENSOR) {
        if (out != NULL) *out = value;
        return 1;
    }
    if (tag_of(r, value) != TAG_VALUES) return 0;
    const struct ets_fb_vector items = ets_fb_vector(member_of(r, value), 0);
    if (!ets_payload_look(r->builder, items.count)) return 0;
    for (uint32_t i = 0; i < items.count; i++) {
        const uint32_t item = (uint32_t)ets_fb_vector_i32(items, i);
        if (tag_of(r, item) != TAG_TENSOR) continue;
        if (out != NULL) out[count] = item;
        count++;
    }
    return count;
}

static bool set_values(struct reading *r, struct ets_payload_parameter *out, uint32_t value)
{
    out->kind = ETS_PAYLOAD_VALUES;
    out->is_list = tag_of(r, value) == TAG_VALUES;
    out->count = list_tensors(r, value, NULL);
    uint32_t *values = ets_payload_room(r->builder, out->count, sizeof *values);
    if (values == NULL) return false;
    list_tensors(r, value, values);
    out->values = values;
    return true;
}

static bool read_parameter(struct reading *r, uint32_t value, struct ets_payload_parameter *out)
{
    const uint8_t tag = tag_of(r, value);
    switch (tag) {
    case TAG_INT:
        return ets_payload_set_integer(r->builder, ets_fb_i64(member_of(r, value), 0, 0), out);
    case TAG_BOOL:
        return ets_payload_set_integer(r->builder, ets_fb_u8(member_of(r, value), 0, 0) != 0, out);
    case TAG_DOUBLE:
        return ets_payload_set_real(r->builder, ets_fb_f64(member_of(r, value), 0, 0), out);
    case TAG_INTS:
    case TAG_BOOLS:
    case TAG_DOUBLES: return set_list(r, ets_fb_vector(member_of(r, value), 0), tag, out);
    case TAG_TENSOR:
    case TAG_VALUES: return set_values(r, out, value);
    case TAG_STRING:
        out->kind = ETS_PAYLOAD_TEXT;
        out->text = ets_fb_text(member_of(r, value), 0);
        return true;
    default: return true;
    }
}

/* The number of an operator of Vulkan's own; OWN_OPERATORS: it is none that is known. */
static size_t find_own(struct ets_text name)
{
    size_t own = 0;
    while (own < OWN_OPERATORS && !ets_text_starts_with(name, own_operators[own].start)) own++;
    return own;
}

/* A number that was given; `otherwise` where it was left out. */
static float bound_of(const struct ets_payload_parameter *parameter, float otherwise)
{
    if (parameter->is_list || parameter->count != 1) return otherwise;
    if (parameter->kind == ETS_PAYLOAD_REALS) return (float)parameter->reals[0];
    return parameter->kind == ETS_PAYLOAD_INTEGERS ? (float)parameter->integers[0] : otherwise;
}

/* What the operator is of ATen's. */
static void explain_operator(struct ets_payload_node *out)
{
    const size_t own = find_own(out->name);
    if (own == OWN_OPERATORS) {
        const bool is_own = ets_text_starts_with(out->name, "et_vk.");
        if (!is_own) out->operation = ets_operator_base_name(out->name);
        return;
    }
    out->operation = ets_text_of(own_operators[own].operation);
    if (!own_operators[own].has_clamp || out->parameter_count < 2) return;
    const struct ets_payload_parameter *bounds = &out->parameters[out->parameter_count - 2];
    out->has_clamp = true;
    out->clamp_min = bound_of(&bounds[0], -INFINITY);
    out->clamp_max = bound_of(&bounds[1], INFINITY);
}

/* Inputs are the tensors among the arguments, in their order; outputs, those of the last one. */
static bool list_ends(struct reading *r, struct ets_payload_node *out,
                      const struct ets_payload_parameter *result)
{
    uint32_t *inputs, used = 0;
    for (uint32_t i = 0; i < out->parameter_count; i++) {
        const struct ets_payload_parameter *parameter = &out->parameters[i];
        if (parameter->kind == ETS_PAYLOAD_VALUES) out->input_count += parameter->count;
    }
    inputs = ets_payload_room(r->builder, out->input_count, sizeof *inputs);
    if (inputs == NULL) return false;
    for (uint32_t i = 0; i < out->parameter_count; i++) {
        const struct ets_payload_parameter *parameter = &out->parameters[i];
        const uint32_t count = parameter->kind == ETS_PAYLOAD_VALUES ? parameter->count : 0;
        for (uint32_t k = 0; k < count; k++) inputs[used++] = parameter->values[k];
    }
    out->inputs = inputs;
    if (result->kind != ETS_PAYLOAD_VALUES) return true;
    out->outputs = result->values;
    out->output_count = result->count;
    return true;
}

static bool read_call(struct reading *r, uint32_t index)
{
    struct ets_payload_graph *graph = &r->builder->graph;
    struct ets_payload_node *out = &graph->nodes[index];
    const struct ets_fb call = ets_fb_vector_table(ets_fb_vector(r->root, GRAPH_CHAIN), index);
    const struct ets_fb_vector args = ets_fb_vector(call, CALL_ARGS);
    out->name = ets_fb_text(call, CALL_NAME);
    if (out->name.data == NULL) out->name = ets_text_of("?");
    out->has_number = true;
    out->number = ets_fb_u32(call, CALL_NODE, 0);
    out->debug_handle = -1; /* the calls' numbers are not handles of the export */
    struct ets_payload_parameter *list = ets_payload_room(r->builder, args.count, sizeof *list);
    if (list == NULL) return false;
    for (uint32_t i = 0; i < args.count; i++) {
        if (!read_parameter(r, (uint32_t)ets_fb_vector_i32(args, i), &list[i])) return false;
    }
    out->parameters = list;
    if (args.count > 0) {
        out->parameter_count = args.count - 1;
        if (!list_ends(r, out, &list[args.count - 1])) return false;
    }
    explain_operator(out);
    return true;
}

static bool read_calls(struct reading *r)
{
    struct ets_payload_graph *graph = &r->builder->graph;
    graph->node_count = ets_fb_vector(r->root, GRAPH_CHAIN).count;
    graph->nodes = ets_payload_room(r->builder, graph->node_count, sizeof *graph->nodes);
    if (graph->nodes == NULL) return false;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (!read_call(r, i)) return false;
    }
    return true;
}

/* Bytes behind the graph, or a key of named data. */
static bool read_constants(struct reading *r)
{
    struct ets_payload_graph *graph = &r->builder->graph;
    const struct ets_fb_vector constants = ets_fb_vector(r->root, GRAPH_CONSTANTS);
    graph->constant_count = constants.count;
    graph->constants =
        ets_payload_room(r->builder, graph->constant_count, sizeof *graph->constants);
    if (graph->constants == NULL) return false;
    for (uint32_t i = 0; i < constants.count; i++) {
        const struct ets_fb constant = ets_fb_vector_table(constants, i);
        const uint64_t offset = ets_fb_u64(constant, CONSTANT_OFFSET, 0);
        const uint64_t length = ets_fb_u64(constant, CONSTANT_LENGTH, 0);
        graph->constants[i].key = ets_fb_text(constant, CONSTANT_KEY);
        if (graph->constants[i].key.data != NULL || r->constants.data == NULL ||
            !ets_range_fits(offset, length, r->constants.size)) {
            continue;
        }
        graph->constants[i].bytes = (struct ets_bytes){r->constants.data + offset, (size_t)length};
    }
    return true;
}

static enum ets_status read_payload(struct ets_payload_builder *builder, struct ets_bytes bytes,
                                    struct ets_error *error)
{
    struct reading r = {.builder = builder};
    const struct ets_bytes graph = ets_payload_flatbuffer(bytes, &r.constants);
    if (graph.size < 8 || memcmp(graph.data + 4, "VK00", 4) != 0) {
        return ets_fail(error, ETS_WRONG_KIND, 0, "not a Vulkan graph: no VK00 in it");
    }
    const uint64_t origin = (uint64_t)(graph.data - bytes.data);
    ETS_TRY(ets_fb_verify_root(graph, 0, &ets_vulkan_graph_type, origin, &r.root, error));
    builder->graph.flatbuffer = graph;
    r.values = ets_fb_vector(r.root, GRAPH_VALUES);
    if (read_constants(&r) && read_values(&r) && read_calls(&r)) return ETS_OK;
    return ets_fail_memory(error, "a Vulkan payload");
}

const struct ets_payload_reader ets_payload_vulkan = {
    .backends = backends,
    .format = "Vulkan graph",
    .is_in_schema_order = true,
    .map_numbers_its_own = true,
    .read = read_payload,
    .identifier = ets_payload_vulkan_identifier,
};
