/* The tables of XNNPACK's payload, for the verifier, and the layout of each type of node. */
#include "format/xnnpack_schema.h"

#include "format/descriptor.h"

/*
 * Every slot of every node's table has four bytes: numbers, floats, and offsets of lists, of which
 * only one is read. So one type verifies them all.
 */
#define ARGUMENT(slot) SCALAR("argument", slot, ETS_FB_U32)
static const struct ets_fb_field argument_fields[] = {
    ARGUMENT(0),  ARGUMENT(1),  ARGUMENT(2),  ARGUMENT(3),  ARGUMENT(4),
    ARGUMENT(5),  ARGUMENT(6),  ARGUMENT(7),  ARGUMENT(8),  ARGUMENT(9),
    ARGUMENT(10), ARGUMENT(11), ARGUMENT(12), ARGUMENT(13), ARGUMENT(14),
    ARGUMENT(15), ARGUMENT(16), ARGUMENT(17), ARGUMENT(18), ARGUMENT(19),
};
static const struct ets_fb_type argument_type = TYPE("XNode arguments", argument_fields);
/* A reshape's list of sizes is read. */
static const struct ets_fb_field reshape_fields[] = {
    ARGUMENT(0), SCALARS("new_shape", RESHAPE_SIZES, ETS_FB_U32), ARGUMENT(2), ARGUMENT(3),
    ARGUMENT(4),
};
static const struct ets_fb_type reshape_type = TYPE("XNNStaticReshape", reshape_fields);

/* clang-format off */
#define NO XNNPACK_NO_SLOT
/*                    inputs            outputs flags window groups counts */
#define UNARY              {{0},             {1},    2,  NO, NO, 1, 1}
#define BINARY             {{0, 1},          {2},    3,  NO, NO, 2, 1}
#define CONCATENATE(count) {{1, 2, 3, 4, 7}, {5},    6,  NO, NO, count, 1}
#define CONVOLUTION        {{15, 16, 17},    {18},   19, 0,  10, 3, 1}
#define POOLING            {{10},            {11},   12, 0,  NO, 1, 1}
#define AFTER_ONE          {{1},             {2},    3,  NO, NO, 1, 1} /* number */
#define AFTER_TWO          {{2},             {3},    4,  NO, NO, 1, 1} /* numbers or lists */
#define AFTER_THREE        {{3},             {4},    5,  NO, NO, 1, 1}

static const struct ets_xnnpack_layout layouts[] = {
    [ETS_XNNPACK_ADD] = BINARY,
    [ETS_XNNPACK_FULLY_CONNECTED] = {{0, 1, 2}, {3}, 4, NO, NO, 3, 1},
    [ETS_XNNPACK_SOFTMAX] = UNARY,
    [ETS_XNNPACK_SIGMOID] = UNARY,
    [ETS_XNNPACK_STATIC_TRANSPOSE] = AFTER_TWO,
    [ETS_XNNPACK_CLAMP] = UNARY,
    [ETS_XNNPACK_CONV2D] = CONVOLUTION,
    [ETS_XNNPACK_DIV] = BINARY,
    [ETS_XNNPACK_STATIC_RESIZE_BILINEAR_2D] = AFTER_TWO,
    [ETS_XNNPACK_STATIC_CONSTANT_PAD] = AFTER_THREE,
    [ETS_XNNPACK_AVG_POOLING_2D] = POOLING,
    [ETS_XNNPACK_MINIMUM] = BINARY,
    [ETS_XNNPACK_DEPTHWISE_CONV2D] = CONVOLUTION,
    [ETS_XNNPACK_MAX_POOLING_2D] = POOLING,
    [ETS_XNNPACK_MULTIPLY] = BINARY,
    [ETS_XNNPACK_SUBTRACT] = BINARY,
    [ETS_XNNPACK_FLOOR] = UNARY,
    [ETS_XNNPACK_CONVERT] = UNARY,
    [ETS_XNNPACK_GLOBAL_AVG_POOLING_2D] = UNARY,
    [ETS_XNNPACK_STATIC_RESHAPE] = AFTER_TWO,
    [ETS_XNNPACK_ARG_MAX_POOLING_2D] = {{6}, {7, 8}, 9, NO, NO, 1, 2},
    [ETS_XNNPACK_SQUARE_ROOT] = UNARY,
    [ETS_XNNPACK_CEILING] = UNARY,
    [ETS_XNNPACK_HARDSWISH] = UNARY,
    [ETS_XNNPACK_LEAKY_RELU] = AFTER_ONE,
    [ETS_XNNPACK_MAXIMUM] = BINARY,
    [ETS_XNNPACK_NEGATE] = UNARY,
    [ETS_XNNPACK_SQUARE] = UNARY,
    [ETS_XNNPACK_ELU] = AFTER_ONE,
    [ETS_XNNPACK_ABS] = UNARY,
    [ETS_XNNPACK_PRELU] = BINARY,
    [ETS_XNNPACK_CONCATENATE2] = CONCATENATE(2),
    [ETS_XNNPACK_CONCATENATE3] = CONCATENATE(3),
    [ETS_XNNPACK_CONCATENATE4] = CONCATENATE(4),
    [ETS_XNNPACK_STATIC_SLICE] = AFTER_THREE,
    [ETS_XNNPACK_SCALED_DOT_PRODUCT_ATTENTION] = {{0, 1, 2, 3, 4}, {5}, 6, NO, NO, 5, 1},
    [ETS_XNNPACK_BATCH_MATRIX_MULTIPLY] = BINARY,
    [ETS_XNNPACK_CONCATENATE5] = CONCATENATE(5),
    [ETS_XNNPACK_CONV_TRANSPOSE_2D] = CONVOLUTION,
    [ETS_XNNPACK_RECIPROCAL_SQUARE_ROOT] = UNARY,
    [ETS_XNNPACK_LOG] = UNARY,
    [ETS_XNNPACK_GELU] = UNARY,
    [ETS_XNNPACK_TANH] = UNARY,
    [ETS_XNNPACK_EXP] = UNARY,
    [ETS_XNNPACK_SIN] = UNARY,
    [ETS_XNNPACK_COPY] = UNARY,
    [ETS_XNNPACK_COS] = UNARY,
};
/* clang-format on */

const struct ets_xnnpack_layout *ets_xnnpack_layout(int type)
{
    return type >= ETS_XNNPACK_ADD && type < (int)COUNT(layouts) ? &layouts[type] : NULL;
}

static const struct ets_fb_type *const node_types[] = {
#define NODE_TYPE(name, number, text) \
    [number] = (number) == ETS_XNNPACK_STATIC_RESHAPE ? &reshape_type : &argument_type,
    ETS_XNNPACK_NODE_LIST(NODE_TYPE)
#undef NODE_TYPE
};
static const struct ets_fb_union node_union = {node_types, COUNT(node_types)};
static const struct ets_fb_field min_max_fields[] = {
    SCALAR("output_min", MIN_MAX_MIN, ETS_FB_F32),
    SCALAR("output_max", MIN_MAX_MAX, ETS_FB_F32),
};
static const struct ets_fb_type min_max_type = TYPE("OutputMinMax", min_max_fields);
static const struct ets_fb_field node_fields[] = {
    UNION("xnode_union", NODE_TAG, node_union),
    SCALAR("debug_handle", NODE_HANDLE, ETS_FB_U32),
    TABLE("output_min_max", NODE_MIN_MAX, 0, min_max_type),
};
static const struct ets_fb_type node_type = TYPE("XNode", node_fields);

static const struct ets_fb_field tensor_fields[] = {
    SCALAR("datatype", TENSOR_TYPE, ETS_FB_I16),
    SCALAR("num_dims", TENSOR_RANK, ETS_FB_U32),
    SCALARS("dims", TENSOR_DIMS, ETS_FB_U32),
    SCALAR("constant_buffer_idx", TENSOR_CONSTANT, ETS_FB_U32),
    SCALAR("external_id", TENSOR_EXTERNAL, ETS_FB_U32),
    SCALAR("flags", TENSOR_FLAGS, ETS_FB_U32),
    SCALAR("id_out", TENSOR_ID, ETS_FB_U32),
    SCALAR("dq_datatype", TENSOR_DYNAMIC_TYPE, ETS_FB_I16),
};
static const struct ets_fb_type tensor_type = TYPE("XNNTensorValue", tensor_fields);
static const struct ets_fb_field channel_fields[] = {
    SCALARS("scale", CHANNEL_SCALES, ETS_FB_F32),
    SCALAR("channel_dim", CHANNEL_DIM, ETS_FB_I32),
    SCALAR("scale_buffer_idx", CHANNEL_SCALE_CONSTANT, ETS_FB_U32),
    SCALAR("num_scales", CHANNEL_SCALE_COUNT, ETS_FB_U32),
};
static const struct ets_fb_type channel_type = TYPE("PerChannelQuant", channel_fields);
static const struct ets_fb_field per_tensor_fields[] = {
    SCALAR("scale", TENSOR_SCALE, ETS_FB_F32),
    SCALAR("zero_point", TENSOR_ZERO_POINT, ETS_FB_I32),
};
static const struct ets_fb_type per_tensor_type = TYPE("PerTensorQuant", per_tensor_fields);
static const struct ets_fb_field group_fields[] = {
    SCALARS("scale", GROUP_SCALES, ETS_FB_F32),
    SCALAR("channel_dim", GROUP_CHANNEL_DIM, ETS_FB_I32),
    SCALAR("group_size", GROUP_SIZE, ETS_FB_I32),
    SCALAR("scale_buffer_idx", GROUP_SCALE_CONSTANT, ETS_FB_U32),
    SCALAR("num_scales", GROUP_SCALE_COUNT, ETS_FB_U32),
};
static const struct ets_fb_type group_type = TYPE("PerChannelGroupQuant", group_fields);
/* PerTokenDynamicQuant is one number, which nothing reads. */
static const struct ets_fb_type *const quantization_types[] = {
    [ETS_XNNPACK_PER_CHANNEL] = &channel_type,
    [ETS_XNNPACK_PER_TENSOR] = &per_tensor_type,
    [ETS_XNNPACK_PER_GROUP] = &group_type,
};
static const struct ets_fb_union quantization_union = {quantization_types,
                                                       COUNT(quantization_types)};
static const struct ets_fb_field quantized_fields[] = {
    TABLE("tensor_value", QUANTIZED_TENSOR, ETS_FB_REQUIRED, tensor_type),
    UNION("quant_params", QUANTIZED_TAG, quantization_union),
};
static const struct ets_fb_type quantized_type = TYPE("XNNQuantizedTensorValue", quantized_fields);
static const struct ets_fb_type *const value_types[] = {
    [VALUE_IS_TENSOR] = &tensor_type,
    [VALUE_IS_QUANTIZED] = &quantized_type,
};
static const struct ets_fb_union value_union = {value_types, COUNT(value_types)};
static const struct ets_fb_field value_fields[] = {
    UNION("xvalue_union", VALUE_TAG, value_union),
};
static const struct ets_fb_type value_type = TYPE("XValue", value_fields);

static const struct ets_fb_field constant_fields[] = {
    SCALAR("offset", CONSTANT_OFFSET, ETS_FB_U64),
    SCALAR("size", CONSTANT_SIZE, ETS_FB_U64),
    STRING("named_key", CONSTANT_KEY, 0),
};
static const struct ets_fb_type constant_type = TYPE("ConstantDataOffset", constant_fields);
static const struct ets_fb_field buffer_fields[] = {
    BLOB("storage", BUFFER_STORAGE),
};
static const struct ets_fb_type buffer_type = TYPE("Buffer", buffer_fields);

static const struct ets_fb_field graph_fields[] = {
    STRING("version", GRAPH_VERSION, 0),
    TABLES("xnodes", GRAPH_NODES, node_type),
    TABLES("xvalues", GRAPH_VALUES, value_type),
    SCALAR("num_externs", GRAPH_EXTERNALS, ETS_FB_U32),
    SCALARS("input_ids", GRAPH_INPUTS, ETS_FB_U32),
    SCALARS("output_ids", GRAPH_OUTPUTS, ETS_FB_U32),
    TABLES("constant_buffer", GRAPH_INLINE_CONSTANTS, buffer_type),
    SCALARS("mem_buffer_sizes", GRAPH_BUFFER_SIZES, ETS_FB_U32),
    TABLES("constant_data", GRAPH_CONSTANTS, constant_type),
};
const struct ets_fb_type ets_xnnpack_graph_type = TYPE("XNNGraph", graph_fields);
