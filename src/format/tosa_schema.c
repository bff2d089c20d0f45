/* The tables of a TOSA graph. */
#include "format/tosa_schema.h"

#include "format/descriptor.h"

/* Attributes. Those that say nothing of the work, such as types of accumulators, are not listed. */
static const struct ets_fb_field convolution_fields[] = {
    SCALARS("pad", 0, ETS_FB_I32),
    SCALARS("stride", 1, ETS_FB_I32),
    SCALARS("dilation", 2, ETS_FB_I32),
};
static const struct ets_fb_type convolution_type = TYPE("Conv2dAttribute", convolution_fields);
static const struct ets_fb_field transposed_fields[] = {
    SCALARS("out_pad", 0, ETS_FB_I32),
    SCALARS("stride", 1, ETS_FB_I32),
};
static const struct ets_fb_type transposed_type =
    TYPE("TransposeConv2dAttribute", transposed_fields);
static const struct ets_fb_field pool_fields[] = {
    SCALARS("kernel", 0, ETS_FB_I32),
    SCALARS("stride", 1, ETS_FB_I32),
    SCALARS("pad", 2, ETS_FB_I32),
};
static const struct ets_fb_type pool_type = TYPE("PoolAttribute", pool_fields);
static const struct ets_fb_field axis_fields[] = {SCALAR("axis", 0, ETS_FB_I32)};
static const struct ets_fb_type axis_type = TYPE("AxisAttribute", axis_fields);
static const struct ets_fb_field transpose_fields[] = {SCALARS("perms", 0, ETS_FB_I32)};
static const struct ets_fb_type transpose_type = TYPE("TransposeAttribute", transpose_fields);
static const struct ets_fb_field clamp_fields[] = {
    BLOB("min_val", 0), /* in the type of the tensor */
    BLOB("max_val", 1),
};
static const struct ets_fb_type clamp_type = TYPE("ClampAttribute", clamp_fields);
static const struct ets_fb_field rescale_fields[] = {
    SCALAR("scale32", 0, ETS_FB_BOOL),         SCALAR("rounding_mode", 1, ETS_FB_U32),
    SCALAR("per_channel", 2, ETS_FB_BOOL),     SCALAR("input_unsigned", 3, ETS_FB_BOOL),
    SCALAR("output_unsigned", 4, ETS_FB_BOOL),
};
static const struct ets_fb_type rescale_type = TYPE("RescaleAttribute", rescale_fields);
static const struct ets_fb_field condition_fields[] = {
    STRING("then_graph", 0, ETS_FB_NAME),
    STRING("else_graph", 1, ETS_FB_NAME),
};
static const struct ets_fb_type condition_type = TYPE("CondIfAttribute", condition_fields);
static const struct ets_fb_field loop_fields[] = {
    STRING("cond_graph", 0, ETS_FB_NAME),
    STRING("body_graph", 1, ETS_FB_NAME),
};
static const struct ets_fb_type loop_type = TYPE("WhileLoopAttribute", loop_fields);
static const struct ets_fb_field custom_fields[] = {
    STRING("operator_name", 0, ETS_FB_NAME),
    STRING("domain_name", 1, ETS_FB_NAME),
};
static const struct ets_fb_type custom_type = TYPE("CustomAttribute", custom_fields);

/* By number of the operator, which is the tag of its attributes. */
static const struct ets_fb_type *const attributes[76] = {
    [1] = &axis_type,        [2] = &pool_type,     [3] = &convolution_type, [4] = &convolution_type,
    [5] = &convolution_type, [8] = &pool_type,     [10] = &transposed_type, [11] = &clamp_type,
    [49] = &axis_type,       [50] = &axis_type,    [51] = &axis_type,       [52] = &axis_type,
    [53] = &axis_type,       [54] = &axis_type,    [55] = &axis_type,       [58] = &axis_type,
    [61] = &transpose_type,  [66] = &rescale_type, [69] = &custom_type,     [70] = &condition_type,
    [71] = &loop_type,
};
static const struct ets_fb_union attribute_union = {attributes, COUNT(attributes)};

const struct ets_fb_type *ets_tosa_attributes(uint32_t number)
{
    return number < COUNT(attributes) ? attributes[number] : NULL;
}

static const struct ets_fb_field location_fields[] = {STRING("text", 0, 0)};
static const struct ets_fb_type location_type = TYPE("OpLocation", location_fields);

static const struct ets_fb_field operator_fields[] = {
    SCALAR("op", ETS_TOSA_OPERATOR_NUMBER, ETS_FB_U32),
    UNION("attribute", ETS_TOSA_OPERATOR_ATTRIBUTE_TYPE, attribute_union),
    {"inputs", ETS_TOSA_OPERATOR_INPUTS, ETS_FB_STRINGS, ETS_FB_NAME, {0}},
    {"outputs", ETS_TOSA_OPERATOR_OUTPUTS, ETS_FB_STRINGS, ETS_FB_NAME, {0}},
    TABLE("location", 5, 0, location_type),
};
static const struct ets_fb_type operator_type = TYPE("TosaOperator", operator_fields);

static const struct ets_fb_field tensor_fields[] = {
    STRING("name", ETS_TOSA_TENSOR_NAME, ETS_FB_NAME),
    SCALARS("shape", ETS_TOSA_TENSOR_SHAPE, ETS_FB_I32),
    SCALAR("type", ETS_TOSA_TENSOR_TYPE, ETS_FB_U32),
    BLOB("data", ETS_TOSA_TENSOR_DATA),
    SCALAR("variable", ETS_TOSA_TENSOR_IS_VARIABLE, ETS_FB_BOOL),
    SCALAR("is_unranked", ETS_TOSA_TENSOR_IS_UNRANKED, ETS_FB_BOOL),
    STRING("variable_name", 6, ETS_FB_NAME),
    SCALAR("offset", 7, ETS_FB_U64),
    SCALAR("size", 8, ETS_FB_U64),
};
static const struct ets_fb_type tensor_type = TYPE("TosaTensor", tensor_fields);

static const struct ets_fb_field shape_fields[] = {
    STRING("name", ETS_TOSA_SHAPE_NAME, ETS_FB_NAME),
    SCALAR("rank", ETS_TOSA_SHAPE_RANK, ETS_FB_U32),
    BLOB("data", ETS_TOSA_SHAPE_DATA),
};
static const struct ets_fb_type shape_type = TYPE("TosaShape", shape_fields);

static const struct ets_fb_field block_fields[] = {
    STRING("name", 0, ETS_FB_NAME),
    TABLES("operators", ETS_TOSA_BLOCK_OPERATORS, operator_type),
    TABLES("tensors", ETS_TOSA_BLOCK_TENSORS, tensor_type),
    {"inputs", ETS_TOSA_BLOCK_INPUTS, ETS_FB_STRINGS, ETS_FB_NAME, {0}},
    {"outputs", ETS_TOSA_BLOCK_OUTPUTS, ETS_FB_STRINGS, ETS_FB_NAME, {0}},
    TABLES("shapes", ETS_TOSA_BLOCK_SHAPES, shape_type),
};
static const struct ets_fb_type block_type = TYPE("TosaBasicBlock", block_fields);

static const struct ets_fb_field region_fields[] = {
    STRING("name", ETS_TOSA_REGION_NAME, ETS_FB_NAME),
    TABLES("blocks", ETS_TOSA_REGION_BLOCKS, block_type),
};
static const struct ets_fb_type region_type = TYPE("TosaRegion", region_fields);

static const struct ets_fb_field version_fields[] = {
    SCALAR_OR_MINUS_ONE("major", 0, ETS_FB_I32),
    SCALAR_OR_MINUS_ONE("minor", 1, ETS_FB_I32),
    SCALAR_OR_MINUS_ONE("patch", 2, ETS_FB_I32),
    SCALAR("draft", 3, ETS_FB_BOOL),
};
static const struct ets_fb_type version_type = TYPE("Version", version_fields);

static const struct ets_fb_field graph_fields[] = {
    TABLE("version", ETS_TOSA_GRAPH_VERSION, 0, version_type),
    TABLES("regions", ETS_TOSA_GRAPH_REGIONS, region_type),
};
const struct ets_fb_type ets_tosa_graph_type = TYPE("TosaGraph", graph_fields);
