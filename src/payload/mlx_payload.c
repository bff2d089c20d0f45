/*
 * The payload of MLX as a graph: the instructions of the main chain. Temporaries are used again, so
 * that each write makes a value of its own. The chain that prepares constants runs once, when the
 * method loads: it is no part of the graph. Source: ExecuTorch
 * backends/apple/mlx/serialization/schema.fbs.
 */
#include "payload/mlx_payload.h"

#include <string.h>

#include "base/load.h"
#include "base/text.h"
#include "payload/payload_parameters.h"

static const char *const backends[] = {"MLXBackend", NULL};

enum { HEADER_BYTES = 24, GRAPH_END_AT = 8 };

struct reading {
    struct ets_payload_builder *builder;
    struct ets_fb root;
    struct ets_fb_vector instructions, meta;
    uint32_t constants, tensors; /* how many there are; the constants come first */
    uint32_t *current; /* [tensors] the value that a tensor holds by now; NONE: none yet */
    uint32_t capacity; /* of the graph's values */
};

static uint32_t add_value(struct reading *r)
{
    struct ets_payload_graph *graph = &r->builder->graph;
    if (graph->value_count >= r->capacity) return ETS_PAYLOAD_NONE;
    graph->values[graph->value_count] = (struct ets_payload_value){
        .type = ets_payload_scalar_type(-1),
        .is_sizeless = true,
        .argument = ETS_PAYLOAD_NONE,
        .constant = ETS_PAYLOAD_NONE,
        .quantization = {.scale_constant = ETS_PAYLOAD_NONE},
    };
    return graph->value_count++;
}

/* What the payload states of a tensor: its type, and its sizes or their bounds. */
static bool describe(struct reading *r, uint32_t tensor, struct ets_payload_value *out)
{
    if (tensor >= r->meta.count) return true;
    const struct ets_fb meta = ets_fb_vector_table(r->meta, tensor);
    const struct ets_fb_vector shape = ets_fb_vector(meta, ETS_MLX_META_SHAPE);
    uint32_t *dims = ets_payload_room(r->builder, shape.count, sizeof *dims);
    if (dims == NULL) return false;
    out->type = ets_payload_scalar_type(ets_fb_i8(meta, ETS_MLX_META_TYPE, 0));
    out->is_sizeless = false;
    for (uint32_t i = 0; i < shape.count; i++) {
        const struct ets_fb dim = ets_fb_vector_table(shape, i);
        int32_t size = ets_fb_i32(dim, ETS_MLX_DIM_VALUE, -1);
        if (size < 0) size = ets_fb_i32(dim, ETS_MLX_DIM_MAX, -1);
        if (size < 0) out->is_sizeless = true;
        else dims[i] = (uint32_t)size;
    }
    if (out->is_sizeless) return true;
    out->rank = shape.count;
    out->dims = dims;
    return true;
}

/* The value that a tensor holds; one that nothing has written yet is not known further. */
static uint32_t value_of(struct reading *r, uint32_t tensor)
{
    if (tensor >= r->tensors) return ETS_PAYLOAD_NONE;
    if (r->current[tensor] == ETS_PAYLOAD_NONE) r->current[tensor] = add_value(r);
    return r->current[tensor];
}

static bool start_values(struct reading *r)
{
    const uint32_t outputs = ets_fb_u32(r->root, ETS_MLX_OUTPUTS, 0);
    const uint32_t first_output = r->constants + ets_fb_u32(r->root, ETS_MLX_INPUTS, 0);
    const uint32_t first_buffer = first_output + outputs;
    const uint32_t end = first_buffer + ets_fb_u32(r->root, ETS_MLX_BUFFERS, 0);
    for (uint32_t i = 0; i < r->tensors; i++) r->current[i] = ETS_PAYLOAD_NONE;
    for (uint32_t i = 0; i < end; i++) {
        if (i >= first_output && i < first_buffer) continue;
        const uint32_t number = value_of(r, i);
        struct ets_payload_value *value = &r->builder->graph.values[number];
        if (!describe(r, i, value)) return false;
        if (i < r->constants) value->constant = i;
    }
    return true;
}

/* The operator of an instruction; NULL: not known, and its fields must not be read. */
static const struct ets_fb_type *operator_at(const struct reading *r, uint32_t index,
                                             struct ets_fb *fields_out)
{
    const struct ets_fb instruction = ets_fb_vector_table(r->instructions, index);
    const uint8_t tag = ets_fb_u8(instruction, ETS_MLX_OPERATOR_TAG, 0);
    const struct ets_fb_type *type = ets_mlx_operator(tag);
    *fields_out = type != NULL && type->field_count > 0
                      ? ets_fb_table(instruction, ETS_MLX_OPERATOR)
                      : (struct ets_fb){NULL, 0};
    return type;
}

static bool is_result(const struct ets_fb_field *field)
{
    return strcmp(field->name, "out") == 0 || strcmp(field->name, "outs") == 0 ||
           strcmp(field->name, "outputs") == 0;
}

/* The tensors of a field: `out` NULL counts them. */
static uint32_t list_tensors(const struct ets_fb_field *field, struct ets_fb fields, uint32_t *out)
{
    uint32_t tensor = UINT32_MAX;
    struct ets_fb_vector list;
    switch (ets_mlx_field_kind(field)) {
    case ETS_MLX_TENSOR: tensor = ets_fb_u32(fields, field->slot, UINT32_MAX); break;
    case ETS_MLX_NUMBER_OR_TENSOR:
        tensor = ets_fb_u32(ets_fb_table(fields, field->slot), 1, UINT32_MAX);
        break;
    case ETS_MLX_INDEX:
        tensor = ets_fb_u32(ets_fb_table(fields, field->slot), 2, UINT32_MAX);
        break;
    case ETS_MLX_TENSORS:
        list = ets_fb_vector(fields, field->slot);
        for (uint32_t i = 0; out != NULL && i < list.count; i++) {
            out[i] = (uint32_t)ets_fb_vector_i32(list, i);
        }
        return list.count;
    default: break;
    }
    if (tensor == UINT32_MAX) return 0;
    if (out != NULL) *out = tensor;
    return 1;
}

/* Lists the tensors that an operator reads, or those that it makes. */
static bool list_ends(struct reading *r, const struct ets_fb_type *type, struct ets_fb fields,
                      bool are_results, uint32_t **list_out, uint32_t *count_out)
{
    uint32_t count = 0;
    for (uint16_t i = 0; i < type->field_count; i++) {
        if (is_result(&type->fields[i]) != are_results) continue;
        count += list_tensors(&type->fields[i], fields, NULL);
    }
    uint32_t *list = ets_payload_room(r->builder, count, sizeof *list);
    if (list == NULL) return false;
    *list_out = list;
    *count_out = count;
    for (uint16_t i = 0; i < type->field_count; i++) {
        if (is_result(&type->fields[i]) != are_results) continue;
        list += list_tensors(&type->fields[i], fields, list);
    }
    return true;
}

/* What absent fields stand for, other than zero. */
static int64_t integer_default(const char *name)
{
    static const char *const ones[] = {
        "stride", "dilation", "groups", "step", "inclusive", "scan_axis", "ensure_row_contiguous",
        NULL};
    for (const char *const *one = ones; *one != NULL; one++) {
        if (strncmp(name, *one, strlen(*one)) == 0) return 1;
    }
    return strcmp(name, "transpose") == 0 ? 1 : strcmp(name, "width") == 0 ? 4 : 0;
}

static bool read_scalar(struct reading *r, const struct ets_fb_field *field, struct ets_fb fields,
                        struct ets_payload_parameter *out)
{
    const size_t at = ets_fb_field_at(fields, field->slot);
    const int64_t otherwise = integer_default(field->name);
    const bool is_real = field->of.scalar == ETS_FB_F32;
    if (at == 0 && (is_real || strcmp(field->name, "scalar_type") == 0)) return true;
    if (is_real) return ets_payload_set_real(r->builder, ets_fb_f32(fields, field->slot, 0), out);
    int64_t *integer = ets_payload_add_integers(r->builder, 1, false, out);
    if (integer == NULL) return false;
    switch (field->of.scalar) {
    case ETS_FB_BOOL:
    case ETS_FB_U8: *integer = ets_fb_u8(fields, field->slot, (uint8_t)otherwise); break;
    case ETS_FB_I8: *integer = ets_fb_i8(fields, field->slot, 0); break;
    case ETS_FB_U64: *integer = (int64_t)ets_fb_u64(fields, field->slot, 0); break;
    case ETS_FB_U32: *integer = ets_fb_u32(fields, field->slot, 0); break;
    default: *integer = ets_fb_i32(fields, field->slot, (int32_t)otherwise); break;
    }
    return true;
}

/* A list of numbers; one with a number of the run in it is not known. */
static bool read_list(struct reading *r, const struct ets_fb_field *field, struct ets_fb fields,
                      struct ets_payload_parameter *out)
{
    const struct ets_fb_vector list = ets_fb_vector(fields, field->slot);
    const bool are_tables = field->kind == ETS_FB_TABLES;
    for (uint32_t i = 0; are_tables && i < list.count; i++) {
        if (ets_fb_u8(ets_fb_vector_table(list, i), 2, 0) != 0) return true;
    }
    int64_t *integers = ets_payload_add_integers(r->builder, list.count, true, out);
    if (integers == NULL) return false;
    for (uint32_t i = 0; i < list.count; i++) {
        integers[i] = are_tables ? ets_fb_i64(ets_fb_vector_table(list, i), 0, 0)
                      : field->of.scalar == ETS_FB_I32 ? ets_fb_vector_i32(list, i)
                                                       : (int8_t)list.base[list.at + i];
    }
    return true;
}

static bool read_parameter(struct reading *r, const struct ets_fb_field *field,
                           struct ets_fb fields, struct ets_payload_parameter *out)
{
    const struct ets_fb choice =
        field->kind == ETS_FB_TABLE ? ets_fb_table(fields, field->slot) : (struct ets_fb){NULL, 0};
    out->name = field->name;
    switch (field->kind) {
    case ETS_FB_SCALAR: return read_scalar(r, field, fields, out);
    case ETS_FB_SCALARS:
    case ETS_FB_TABLES: return read_list(r, field, fields, out);
    case ETS_FB_STRING:
        out->text = ets_fb_text(fields, field->slot);
        if (out->text.data != NULL) out->kind = ETS_PAYLOAD_TEXT;
        return true;
    case ETS_FB_TABLE: break;
    default: return true;
    }
    if (choice.at == 0) return true;
    switch (ets_mlx_field_kind(field)) {
    case ETS_MLX_INT_OR_NUMBER:
        if (ets_fb_u8(choice, 2, 0) != 0) return true;
        break;
    case ETS_MLX_INDEX:
        if (ets_fb_u8(choice, 3, 0) != 0) return true;
        break;
    case ETS_MLX_FLOAT_OR_NUMBER:
        return ets_fb_u8(choice, 2, 0) != 0 ||
               ets_payload_set_real(r->builder, ets_fb_f64(choice, 0, 0), out);
    default: return true;
    }
    return ets_payload_set_integer(r->builder, ets_fb_i64(choice, 0, 0), out);
}

static bool read_parameters(struct reading *r, const struct ets_fb_type *type, struct ets_fb fields,
                            struct ets_payload_node *out)
{
    struct ets_payload_parameter *list =
        ets_payload_room(r->builder, type->field_count, sizeof *list);
    if (list == NULL) return false;
    out->parameters = list;
    for (uint16_t i = 0; i < type->field_count; i++) {
        const enum ets_mlx_field_kind kind = ets_mlx_field_kind(&type->fields[i]);
        if (kind == ETS_MLX_TENSOR || kind == ETS_MLX_TENSORS) continue;
        if (!read_parameter(r, &type->fields[i], fields, &list[out->parameter_count])) {
            return false;
        }
        out->parameter_count += list[out->parameter_count].kind != ETS_PAYLOAD_NOTHING;
    }
    return true;
}

/* The node that writes a tensor makes a value of it. */
static void make_results(struct reading *r, uint32_t *tensors, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t tensor = tensors[i];
        tensors[i] = tensor < r->tensors ? add_value(r) : ETS_PAYLOAD_NONE;
        if (tensor < r->tensors) r->current[tensor] = tensors[i];
    }
}

static int64_t parameter(const struct ets_payload_node *node, const char *name)
{
    for (uint32_t i = 0; i < node->parameter_count; i++) {
        const struct ets_payload_parameter *p = &node->parameters[i];
        if (p->kind == ETS_PAYLOAD_INTEGERS && p->count == 1 && strcmp(p->name, name) == 0) {
            return p->integers[0];
        }
    }
    return 0;
}

/*
 * A weight that is packed into words of 32 bits, as what it holds. The scales are a value of their
 * own, which the node reads as well.
 */
static bool unpack_weight(struct reading *r, const struct ets_payload_node *node)
{
    enum { WEIGHT = 1, SCALES = 2, WORD = 32 };
    struct ets_payload_graph *graph = &r->builder->graph;
    const int64_t bits = parameter(node, "bits"), group = parameter(node, "group_size");
    const struct ets_payload_type *type = ets_mlx_packed_type(bits);
    if (node->input_count <= SCALES || node->inputs[WEIGHT] >= graph->value_count) return true;
    struct ets_payload_value *weight = &graph->values[node->inputs[WEIGHT]];
    const struct ets_payload_value *scales = ets_payload_value(graph, node->inputs[SCALES]);
    if (type == NULL || weight->rank == 0 || weight->type->bits != WORD || weight->is_sizeless) {
        return true;
    }
    const uint64_t width = (uint64_t)weight->dims[weight->rank - 1] * WORD / type->bits;
    uint32_t *dims = ets_payload_room(r->builder, weight->rank, sizeof *dims);
    if (dims == NULL) return false;
    memcpy(dims, weight->dims, weight->rank * sizeof *dims);
    dims[weight->rank - 1] = width > UINT32_MAX ? UINT32_MAX : (uint32_t)width;
    weight->type = type;
    weight->dims = dims;
    weight->quantization.is_given = true;
    weight->quantization.kind = ETS_PAYLOAD_PER_GROUP;
    weight->quantization.group_size = group > 0 && group <= INT32_MAX ? (int32_t)group : 0;
    weight->quantization.is_scale_apart = true;
    if (scales == NULL) return true;
    weight->quantization.scale_constant = scales->constant;
    const uint64_t count = ets_payload_elements(scales);
    weight->quantization.scale_count = count > UINT32_MAX ? UINT32_MAX : (uint32_t)count;
    return true;
}

/* The products of a filter: all its elements but those of the channels that it makes. */
static uint64_t depth_of(const struct reading *r, const struct ets_payload_node *node)
{
    const struct ets_payload_graph *graph = &r->builder->graph;
    const struct ets_payload_value *data = NULL, *weight = NULL;
    if (node->input_count > 0) data = ets_payload_value(graph, node->inputs[0]);
    if (node->input_count > 1) weight = ets_payload_value(graph, node->inputs[1]);
    if (data == NULL || weight == NULL || data->is_sizeless || weight->is_sizeless) return 0;
    if (ets_text_is(node->operation, "addmm") || ets_text_is(node->operation, "linear")) {
        return data->rank > 0 ? data->dims[data->rank - 1] : 0;
    }
    if (!ets_text_is(node->operation, "convolution") || weight->rank == 0) return 0;
    const uint32_t channels = weight->dims[node->is_transposed ? weight->rank - 1 : 0];
    const uint64_t all = ets_payload_elements(weight);
    const int64_t groups = parameter(node, "groups");
    if (channels == 0 || all == UINT64_MAX) return 0;
    return node->is_transposed && groups > 1 ? all / channels / (uint64_t)groups : all / channels;
}

static bool is_grouped_alone(const struct ets_payload_graph *graph,
                             const struct ets_payload_node *node)
{
    const struct ets_payload_value *data =
        node->input_count > 0 ? ets_payload_value(graph, node->inputs[0]) : NULL;
    const int64_t groups = parameter(node, "groups");
    return groups > 1 && data != NULL && data->rank > 0 && data->dims[data->rank - 1] == groups;
}

static bool read_instruction(struct reading *r, uint32_t index)
{
    struct ets_payload_node *out = &r->builder->graph.nodes[index];
    struct ets_fb fields;
    uint32_t *inputs, *outputs;
    const struct ets_fb_type *type = operator_at(r, index, &fields);
    out->debug_handle = -1;
    out->name = ets_text_of(type != NULL ? type->name : "?");
    if (type == NULL) return true;
    out->operation = ets_text_of(ets_mlx_operation(type->name));
    if (!list_ends(r, type, fields, false, &inputs, &out->input_count) ||
        !list_ends(r, type, fields, true, &outputs, &out->output_count) ||
        !read_parameters(r, type, fields, out)) {
        return false;
    }
    for (uint32_t i = 0; i < out->input_count; i++) inputs[i] = value_of(r, inputs[i]);
    out->inputs = inputs;
    make_results(r, outputs, out->output_count);
    out->outputs = outputs;
    out->is_transposed = strncmp(type->name, "ConvTranspose", strlen("ConvTranspose")) == 0;
    if (parameter(out, "bits") > 0 && !unpack_weight(r, out)) return false;
    out->is_depthwise =
        ets_text_is(out->operation, "convolution") && is_grouped_alone(&r->builder->graph, out);
    out->depth = depth_of(r, out);
    return ets_mlx_infer(r->builder, type, out);
}

static bool read_instructions(struct reading *r)
{
    struct ets_payload_graph *graph = &r->builder->graph;
    graph->node_count = r->instructions.count;
    graph->nodes = ets_payload_room(r->builder, graph->node_count, sizeof *graph->nodes);
    if (graph->nodes == NULL) return false;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (!read_instruction(r, i)) return false;
    }
    return true;
}

/* "fc1.weight" of "22a4/fc1.weight": the beginning tells partitions apart. */
static struct ets_text parameter_of(struct ets_text key)
{
    enum { PREFIX = 5 };
    if (key.size <= PREFIX || key.data[PREFIX - 1] != '/') return key;
    return (struct ets_text){key.data + PREFIX, key.size - PREFIX};
}

/* Of constants, the names of their slots are the keys of their bytes. */
static bool name_constants(struct reading *r)
{
    struct ets_payload_graph *graph = &r->builder->graph;
    const struct ets_fb_vector names = ets_fb_vector(r->root, ETS_MLX_NAMED_SLOTS);
    graph->constant_count = r->constants;
    graph->constants = ets_payload_room(r->builder, r->constants, sizeof *graph->constants);
    if (graph->constants == NULL) return false;
    for (uint32_t i = 0; i < names.count; i++) {
        const struct ets_fb named = ets_fb_vector_table(names, i);
        const struct ets_fb slot = ets_fb_table(named, ETS_MLX_NAMED_SLOT);
        const uint32_t tensor = ets_fb_u32(slot, ETS_MLX_SLOT_INDEX, 0);
        if (ets_fb_i8(slot, ETS_MLX_SLOT_TYPE, 0) != ETS_MLX_SLOT_OF_TENSOR) continue;
        if (tensor >= r->constants) continue;
        graph->constants[tensor].key = ets_fb_text(named, ETS_MLX_NAMED_NAME);
        graph->constants[tensor].name = parameter_of(graph->constants[tensor].key);
    }
    return true;
}

/* The call's arguments: inputs, then outputs, each as its tensor is at that time. */
static bool tie_arguments(struct reading *r, unsigned map, bool are_outputs, uint32_t argument)
{
    struct ets_payload_graph *graph = &r->builder->graph;
    const struct ets_fb_vector slots = ets_fb_vector(r->root, map);
    for (uint32_t i = 0; i < slots.count; i++, argument++) {
        const struct ets_fb slot = ets_fb_vector_table(slots, i);
        const uint32_t tensor = ets_fb_u32(slot, ETS_MLX_SLOT_INDEX, 0);
        graph->is_output[argument] = are_outputs;
        if (ets_fb_i8(slot, ETS_MLX_SLOT_TYPE, 0) != ETS_MLX_SLOT_OF_TENSOR) continue;
        const uint32_t number = value_of(r, tensor);
        if (number == ETS_PAYLOAD_NONE) continue;
        struct ets_payload_value *value = &graph->values[number];
        value->is_input |= !are_outputs;
        value->is_output |= are_outputs;
        if (value->argument == ETS_PAYLOAD_NONE) value->argument = argument;
        const bool is_computed = value->constant == ETS_PAYLOAD_NONE;
        if (are_outputs && is_computed && !describe(r, tensor, value)) return false;
    }
    return true;
}

/* How many tensors and values there can be: what the graph states, and one for each write. */
static bool make_room(struct reading *r)
{
    static const unsigned counts[] = {ETS_MLX_CONSTANTS, ETS_MLX_INPUTS, ETS_MLX_OUTPUTS,
                                      ETS_MLX_BUFFERS, ETS_MLX_TEMPORARIES};
    struct ets_payload_graph *graph = &r->builder->graph;
    uint64_t tensors = 0;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        tensors += ets_fb_u32(r->root, counts[i], 0);
    }
    uint64_t values = tensors;
    for (uint32_t i = 0; i < r->instructions.count; i++) {
        struct ets_fb fields;
        const struct ets_fb_type *type = operator_at(r, i, &fields);
        for (uint16_t k = 0; type != NULL && k < type->field_count; k++) {
            if (!is_result(&type->fields[k])) continue;
            values += list_tensors(&type->fields[k], fields, NULL);
        }
    }
    const uint32_t most = UINT32_MAX - 1;
    r->tensors = tensors > most ? most : (uint32_t)tensors;
    r->capacity = values > most ? most : (uint32_t)values;
    r->current = ets_payload_room(r->builder, r->tensors, sizeof *r->current);
    if (r->current == NULL) return false;
    graph->values = ets_payload_room(r->builder, r->capacity, sizeof *graph->values);
    return graph->values != NULL;
}

static bool read_graph(struct reading *r)
{
    struct ets_payload_graph *graph = &r->builder->graph;
    const uint32_t inputs = ets_fb_vector(r->root, ETS_MLX_INPUT_MAP).count;
    const uint32_t outputs = ets_fb_vector(r->root, ETS_MLX_OUTPUT_MAP).count;
    graph->argument_count = inputs + outputs;
    graph->is_output = ets_payload_room(r->builder, graph->argument_count, 1);
    return graph->is_output != NULL && make_room(r) && name_constants(r) && start_values(r) &&
           tie_arguments(r, ETS_MLX_INPUT_MAP, false, 0) && read_instructions(r) &&
           tie_arguments(r, ETS_MLX_OUTPUT_MAP, true, inputs);
}

static enum ets_status read_payload(struct ets_payload_builder *builder, struct ets_bytes bytes,
                                    struct ets_error *error)
{
    struct reading r = {.builder = builder};
    if (bytes.size < HEADER_BYTES || memcmp(bytes.data + 4, "MLX0", 4) != 0) {
        return ets_fail(error, ETS_WRONG_KIND, 0, "not an MLX graph: no MLX0 in it");
    }
    const uint64_t end = ets_load_u64(bytes.data + GRAPH_END_AT);
    if (end < HEADER_BYTES || end > bytes.size) {
        return ets_fail(error, ETS_TRUNCATED, GRAPH_END_AT,
                        "the MLX graph runs past the end of the payload");
    }
    const struct ets_bytes graph = {bytes.data + HEADER_BYTES, (size_t)end - HEADER_BYTES};
    ETS_TRY(ets_fb_verify_root(graph, 0, &ets_mlx_graph_type, HEADER_BYTES, &r.root, error));
    const struct ets_fb_vector chains = ets_fb_vector(r.root, ETS_MLX_CHAINS);
    const uint32_t main_chain = ets_fb_u32(r.root, ETS_MLX_MAIN_CHAIN, 0);
    if (main_chain >= chains.count) {
        return ets_fail(error, ETS_MALFORMED, HEADER_BYTES,
                        "the MLX graph runs chain %u of %u chains", main_chain, chains.count);
    }
    builder->graph.flatbuffer = graph;
    r.instructions =
        ets_fb_vector(ets_fb_vector_table(chains, main_chain), ETS_MLX_CHAIN_INSTRUCTIONS);
    r.meta = ets_fb_vector(r.root, ETS_MLX_TENSOR_META);
    r.constants = ets_fb_u32(r.root, ETS_MLX_CONSTANTS, 0);
    if (read_graph(&r)) return ETS_OK;
    return ets_fail_memory(error, "an MLX payload");
}

const struct ets_payload_reader ets_payload_mlx = {
    .backends = backends,
    .format = "MLX graph",
    .read = read_payload,
};
