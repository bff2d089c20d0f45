/* XNNPACK's payload as a graph. */
#include "base/load.h"
#include "base/text.h"
#include "etscope/tensor.h"
#include "format/xnnpack.h"
#include "host/key_table.h"
#include "payload/payload_reader.h"

static const char *const backends[] = {ETS_XNNPACK_BACKEND, NULL};

/* What programs call such types, and what their elements are; most are XNNPACK's own. */
static const struct ets_payload_type types[] = {
    [ETS_XNNPACK_INVALID] = {"invalid", -1, 0, ETS_PAYLOAD_OTHER},
    [ETS_XNNPACK_FP32] = {"fp32", ETS_SCALAR_FLOAT, 32, ETS_PAYLOAD_FLOAT32},
    [ETS_XNNPACK_FP16] = {"fp16", ETS_SCALAR_HALF, 16, ETS_PAYLOAD_FLOAT16},
    [ETS_XNNPACK_QINT8] = {"qint8", -1, 8, ETS_PAYLOAD_INT8},
    [ETS_XNNPACK_QUINT8] = {"quint8", -1, 8, ETS_PAYLOAD_INT8},
    [ETS_XNNPACK_QINT32] = {"qint32", -1, 32, ETS_PAYLOAD_INTEGER},
    [ETS_XNNPACK_QCINT8] = {"qcint8", -1, 8, ETS_PAYLOAD_INT8},
    [ETS_XNNPACK_QCINT32] = {"qcint32", -1, 32, ETS_PAYLOAD_INTEGER},
    [ETS_XNNPACK_QCINT4] = {"qcint4", -1, 4, ETS_PAYLOAD_INT4},
    [ETS_XNNPACK_QDINT8] = {"qdint8", -1, 8, ETS_PAYLOAD_INT8_DYNAMIC},
    [ETS_XNNPACK_QBINT4] = {"qbint4", -1, 4, ETS_PAYLOAD_INT4},
    [ETS_XNNPACK_QPINT8] = {"qpint8", -1, 8, ETS_PAYLOAD_INT8_DYNAMIC},
    [ETS_XNNPACK_INT32] = {"int32", -1, 32, ETS_PAYLOAD_INTEGER},
    [ETS_XNNPACK_PFP32] = {"pfp32", -1, 32, ETS_PAYLOAD_FLOAT32},
    [ETS_XNNPACK_BF16] = {"bf16", ETS_SCALAR_BFLOAT16, 16, ETS_PAYLOAD_BFLOAT16},
};

/* The operators that nodes are made of. */
static const char *const operations[] = {
    [ETS_XNNPACK_ADD] = "add",
    [ETS_XNNPACK_FULLY_CONNECTED] = "linear",
    [ETS_XNNPACK_SOFTMAX] = "_softmax",
    [ETS_XNNPACK_SIGMOID] = "sigmoid",
    [ETS_XNNPACK_STATIC_TRANSPOSE] = "permute",
    [ETS_XNNPACK_CLAMP] = "clamp",
    [ETS_XNNPACK_CONV2D] = "convolution",
    [ETS_XNNPACK_DIV] = "div",
    [ETS_XNNPACK_STATIC_RESIZE_BILINEAR_2D] = "upsample_bilinear2d",
    [ETS_XNNPACK_STATIC_CONSTANT_PAD] = "constant_pad_nd",
    [ETS_XNNPACK_AVG_POOLING_2D] = "avg_pool2d",
    [ETS_XNNPACK_MINIMUM] = "minimum",
    [ETS_XNNPACK_DEPTHWISE_CONV2D] = "convolution",
    [ETS_XNNPACK_MAX_POOLING_2D] = "max_pool2d",
    [ETS_XNNPACK_MULTIPLY] = "mul",
    [ETS_XNNPACK_SUBTRACT] = "sub",
    [ETS_XNNPACK_FLOOR] = "floor",
    [ETS_XNNPACK_CONVERT] = "_to_copy",
    [ETS_XNNPACK_GLOBAL_AVG_POOLING_2D] = "mean",
    [ETS_XNNPACK_STATIC_RESHAPE] = "view",
    [ETS_XNNPACK_ARG_MAX_POOLING_2D] = "max_pool2d",
    [ETS_XNNPACK_SQUARE_ROOT] = "sqrt",
    [ETS_XNNPACK_CEILING] = "ceil",
    [ETS_XNNPACK_HARDSWISH] = "hardswish",
    [ETS_XNNPACK_LEAKY_RELU] = "leaky_relu",
    [ETS_XNNPACK_MAXIMUM] = "maximum",
    [ETS_XNNPACK_NEGATE] = "neg",
    [ETS_XNNPACK_SQUARE] = "square",
    [ETS_XNNPACK_ELU] = "elu",
    [ETS_XNNPACK_ABS] = "abs",
    [ETS_XNNPACK_PRELU] = "prelu",
    [ETS_XNNPACK_CONCATENATE2] = "cat",
    [ETS_XNNPACK_CONCATENATE3] = "cat",
    [ETS_XNNPACK_CONCATENATE4] = "cat",
    [ETS_XNNPACK_STATIC_SLICE] = "slice",
    [ETS_XNNPACK_SCALED_DOT_PRODUCT_ATTENTION] = "scaled_dot_product_attention",
    [ETS_XNNPACK_BATCH_MATRIX_MULTIPLY] = "bmm",
    [ETS_XNNPACK_CONCATENATE5] = "cat",
    [ETS_XNNPACK_CONV_TRANSPOSE_2D] = "convolution",
    [ETS_XNNPACK_RECIPROCAL_SQUARE_ROOT] = "rsqrt",
    [ETS_XNNPACK_LOG] = "log",
    [ETS_XNNPACK_GELU] = "gelu",
    [ETS_XNNPACK_TANH] = "tanh",
    [ETS_XNNPACK_EXP] = "exp",
    [ETS_XNNPACK_SIN] = "sin",
    [ETS_XNNPACK_COPY] = "clone",
    [ETS_XNNPACK_COS] = "cos",
};

struct reading {
    struct ets_payload_builder *builder;
    struct ets_xnnpack *xnnpack;
    struct ets_key_table ids; /* of values, to: */
    uint32_t *numbers;
};

/* The value with this id; of several the first. */
static uint32_t find_value(const struct reading *r, uint32_t id)
{
    const uint64_t key = id;
    const uint32_t number = ets_key_table_find(&r->ids, &key);
    return number == ETS_KEY_NONE ? ETS_PAYLOAD_NONE : r->numbers[number];
}

static const struct ets_payload_type *type_of(int type)
{
    const bool is_known = type >= 0 && (size_t)type < sizeof types / sizeof *types;
    return &types[is_known ? type : ETS_XNNPACK_INVALID];
}

static uint32_t constant_of(uint32_t index)
{
    return index != 0 ? index : ETS_PAYLOAD_NONE; /* the first stands for "none" */
}

static bool read_value(struct reading *r, uint32_t index)
{
    struct ets_xnnpack_value v;
    ets_xnnpack_value(r->xnnpack, index, &v);
    struct ets_payload_value *out = &r->builder->graph.values[index];
    uint32_t *dims = ets_payload_room(r->builder, v.rank, sizeof *dims);
    if (dims == NULL) return false;
    for (uint32_t i = 0; i < v.rank; i++) dims[i] = ets_xnnpack_dim(r->xnnpack, &v, i);
    *out = (struct ets_payload_value){
        .id = v.id,
        .type = type_of(v.type),
        .rank = v.rank,
        .dims = dims,
        .argument = v.external_id, /* both lack one as UINT32_MAX */
        .is_input = v.is_input != 0,
        .is_output = v.is_output != 0,
        .constant = constant_of(v.constant_index),
        .quantization = {.is_given = v.is_quantized != 0,
                         .kind = v.quantization.kind,
                         .scale = v.quantization.scale,
                         .zero_point = v.quantization.zero_point,
                         .channel_dim = v.quantization.channel_dim,
                         .group_size = v.quantization.group_size,
                         .scale_constant = constant_of(v.quantization.scale_constant),
                         .scale_count = v.quantization.scale_count},
    };
    const uint64_t key = v.id;
    const uint32_t known = r->ids.count;
    const uint32_t number = ets_key_table_add(&r->ids, &key);
    if (number == known) r->numbers[number] = index;
    return number != ETS_KEY_NONE;
}

static bool read_values(struct reading *r)
{
    struct ets_payload_graph *graph = &r->builder->graph;
    graph->value_count = r->xnnpack->value_count;
    graph->values = ets_payload_room(r->builder, graph->value_count, sizeof *graph->values);
    r->numbers = ets_payload_room(r->builder, graph->value_count, sizeof *r->numbers);
    if (graph->values == NULL || r->numbers == NULL) return false;
    for (uint32_t i = 0; i < graph->value_count; i++) {
        if (!read_value(r, i)) return false;
    }
    return true;
}

static uint32_t *list_values(struct reading *r, const uint32_t *ids, uint32_t count)
{
    uint32_t *list = ets_payload_room(r->builder, count, sizeof *list);
    for (uint32_t i = 0; list != NULL && i < count; i++) list[i] = find_value(r, ids[i]);
    return list;
}

/* The multiply-adds of layers, from the sizes that nodes state; of products, of their input. */
static uint64_t depth_of(const struct reading *r, const struct ets_xnnpack_node *node,
                         const struct ets_payload_node *out)
{
    const uint64_t taps = (uint64_t)node->kernel[0] * node->kernel[1];
    const struct ets_payload_value *in =
        out->input_count == 0 ? NULL : ets_payload_value(&r->builder->graph, out->inputs[0]);
    uint64_t depth = 0;
    switch (node->type) {
    case ETS_XNNPACK_AVG_POOLING_2D:
    case ETS_XNNPACK_MAX_POOLING_2D:
    case ETS_XNNPACK_ARG_MAX_POOLING_2D:
    case ETS_XNNPACK_DEPTHWISE_CONV2D: return taps;
    case ETS_XNNPACK_CONV2D:
        return ets_mul_u64(taps, node->group_input_channels, &depth) ? depth : UINT64_MAX;
    case ETS_XNNPACK_CONV_TRANSPOSE_2D:
        return ets_mul_u64(taps, node->group_output_channels, &depth) ? depth : UINT64_MAX;
    case ETS_XNNPACK_FULLY_CONNECTED: /* the filter is [N, K], or with a flag [K, N] */
    case ETS_XNNPACK_BATCH_MATRIX_MULTIPLY:
        return in == NULL || in->rank == 0 ? 0 : in->dims[in->rank - 1];
    default: return 0;
    }
}

static bool read_parameters(struct reading *r, const struct ets_xnnpack_node *node,
                            struct ets_payload_node *out)
{
    const struct {
        const char *name;
        const uint32_t *numbers;
        uint32_t count;
    } all[] = {
        {"kernel", node->kernel, 2},
        {"stride", node->stride, 2},
        {"dilation", node->dilation, 2},
        {"padding", node->padding, 4},
        {"groups", &node->groups, 1},
        {"input channels of a group", &node->group_input_channels, 1},
        {"output channels of a group", &node->group_output_channels, 1},
        {"flags", &node->flags, 1},
    };
    enum { COUNT = sizeof all / sizeof *all };
    uint32_t total = 0;
    for (uint32_t i = 0; i < COUNT; i++) total += all[i].count;
    struct ets_payload_parameter *list = ets_payload_room(r->builder, COUNT, sizeof *list);
    int64_t *integers = ets_payload_room(r->builder, total, sizeof *integers);
    if (list == NULL || integers == NULL) return false;
    for (uint32_t i = 0; i < COUNT; i++) {
        list[i] = (struct ets_payload_parameter){.name = all[i].name,
                                                 .kind = ETS_PAYLOAD_INTEGERS,
                                                 .is_list = all[i].count > 1,
                                                 .count = all[i].count,
                                                 .integers = integers};
        for (uint32_t k = 0; k < all[i].count; k++) *integers++ = all[i].numbers[k];
    }
    out->parameters = list;
    out->parameter_count = COUNT;
    return true;
}

static bool read_node(struct reading *r, uint32_t index)
{
    struct ets_xnnpack_node node;
    ets_xnnpack_node(r->xnnpack, index, &node);
    struct ets_payload_node *out = &r->builder->graph.nodes[index];
    const bool is_known = (size_t)node.type < sizeof operations / sizeof *operations;
    *out = (struct ets_payload_node){
        .name = ets_text_of(ets_xnnpack_node_name(node.type)),
        .operation = ets_text_of(is_known ? operations[node.type] : NULL),
        .debug_handle = node.debug_handle,
        .input_count = node.input_count,
        .output_count = node.output_count,
        .inputs = list_values(r, node.inputs, node.input_count),
        .outputs = list_values(r, node.outputs, node.output_count),
        .has_clamp = node.has_min_max != 0,
        .clamp_min = node.output_min,
        .clamp_max = node.output_max,
        .is_depthwise = node.type == ETS_XNNPACK_DEPTHWISE_CONV2D,
        .is_transposed = node.type == ETS_XNNPACK_CONV_TRANSPOSE_2D,
    };
    if (out->inputs == NULL || out->outputs == NULL) return false;
    out->depth = depth_of(r, &node, out);
    return read_parameters(r, &node, out);
}

static bool read_nodes(struct reading *r)
{
    struct ets_payload_graph *graph = &r->builder->graph;
    graph->node_count = r->xnnpack->node_count;
    graph->nodes = ets_payload_room(r->builder, graph->node_count, sizeof *graph->nodes);
    if (graph->nodes == NULL) return false;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (!read_node(r, i)) return false;
    }
    return true;
}

static bool mark_outputs(struct reading *r)
{
    struct ets_payload_graph *graph = &r->builder->graph;
    graph->is_output = ets_payload_room(r->builder, graph->argument_count, 1);
    for (uint32_t i = 0; graph->is_output != NULL && i < graph->value_count; i++) {
        const struct ets_payload_value *value = &graph->values[i];
        if (value->is_output && value->argument < graph->argument_count) {
            graph->is_output[value->argument] = 1;
        }
    }
    return graph->is_output != NULL;
}

static bool read_constants(struct reading *r)
{
    struct ets_payload_graph *graph = &r->builder->graph;
    graph->constant_count = r->xnnpack->constant_count;
    graph->constants =
        ets_payload_room(r->builder, graph->constant_count, sizeof *graph->constants);
    if (graph->constants == NULL) return false;
    for (uint32_t i = 0; i < graph->constant_count; i++) {
        struct ets_xnnpack_constant constant;
        ets_xnnpack_constant(r->xnnpack, i, &constant);
        graph->constants[i].key = constant.key;
        graph->constants[i].bytes = constant.bytes;
    }
    return true;
}

static enum ets_status read_payload(struct ets_payload_builder *builder, struct ets_bytes bytes,
                                    struct ets_error *error)
{
    struct reading r = {.builder = builder,
                        .xnnpack = ets_payload_room(builder, 1, sizeof *r.xnnpack)};
    if (r.xnnpack == NULL) return ets_fail_memory(error, "an XNNPACK payload");
    ETS_TRY(ets_xnnpack_init(r.xnnpack, bytes, error));
    builder->graph.verified = r.xnnpack;
    builder->graph.flatbuffer = r.xnnpack->flatbuffer;
    builder->graph.argument_count = r.xnnpack->external_count;
    ets_key_table_init(&r.ids, builder->arena, 1);
    if (read_values(&r) && mark_outputs(&r) && read_nodes(&r) && read_constants(&r)) return ETS_OK;
    return ets_fail_memory(error, "an XNNPACK payload");
}

const struct ets_payload_reader ets_payload_xnnpack = {
    .backends = backends,
    .format = "XNNPACK graph",
    .writes_in_place = true,
    .folds_batch_norms = true,
    .types_tell_quantization = true,
    .arena_padding = 64, /* what its kernels may read beyond a tensor */
    .read = read_payload,
    .events = ets_payload_xnnpack_events,
    .plain_name = ets_payload_xnnpack_plain_name,
    .origins = ets_payload_xnnpack_origins,
    .arithmetic = ets_payload_xnnpack_arithmetic,
    .operation = ets_payload_xnnpack_operation,
};
