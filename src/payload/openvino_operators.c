/* Layers of OpenVINO's models, and the operators of ATen that they are. */
#include "payload/openvino_operators.h"

#include "base/text.h"
#include "etscope/tensor.h"
#include "payload/payload_operations.h"

/* By type, as ets_text_compare orders them. */
static const struct ets_payload_operation layers[] = {
    {"Abs", "abs"},
    {"Add", "add"},
    {"AvgPool", "avg_pool2d"},
    {"Broadcast", "expand"},
    {"Ceiling", "ceil"},
    {"Clamp", "clamp"},
    {"Concat", "cat"},
    {"Convert", "_to_copy"},
    {"ConvertTruncation", "_to_copy"},
    {"Convolution", "convolution"},
    {"ConvolutionBackpropData", "convolution"},
    {"Cos", "cos"},
    {"Divide", "div"},
    {"Elu", "elu"},
    {"Equal", "eq"},
    {"Erf", "erf"},
    {"Exp", "exp"},
    {"Floor", "floor"},
    {"FullyConnected", "linear"},
    {"Gather", "index_select"},
    {"GatherElements", "gather"},
    {"Gelu", "gelu"},
    {"Greater", "gt"},
    {"GreaterEqual", "ge"},
    {"GroupConvolution", "convolution"},
    {"GroupConvolutionBackpropData", "convolution"},
    {"HSigmoid", "hardsigmoid"},
    {"HSwish", "hardswish"},
    {"Less", "lt"},
    {"LessEqual", "le"},
    {"Log", "log"},
    {"LogicalAnd", "logical_and"},
    {"LogicalNot", "logical_not"},
    {"LogicalOr", "logical_or"},
    {"LogicalXor", "logical_xor"},
    {"MatMul", "bmm"},
    {"MaxPool", "max_pool2d"},
    {"Maximum", "maximum"},
    {"Minimum", "minimum"},
    {"Mod", "remainder"},
    {"Multiply", "mul"},
    {"Negative", "neg"},
    {"NotEqual", "ne"},
    {"PRelu", "prelu"},
    {"Pad", "pad"},
    {"Power", "pow"},
    {"RMS", "rms_norm"},
    {"ReLU", "relu"},
    {"ReduceMax", "amax"},
    {"ReduceMean", "mean"},
    {"ReduceMin", "amin"},
    {"ReduceProd", "prod"},
    {"ReduceSum", "sum"},
    {"Reshape", "view"},
    {"ScaledDotProductAttention", "scaled_dot_product_attention"},
    {"Select", "where"},
    {"Sigmoid", "sigmoid"},
    {"Sign", "sign"},
    {"Sin", "sin"},
    {"Slice", "slice"},
    {"SoftMax", "softmax"},
    {"SoftPlus", "softplus"},
    {"Softmax", "softmax"},
    {"Split", "split"},
    {"Sqrt", "sqrt"},
    {"Squeeze", "squeeze"},
    {"StridedSlice", "slice"},
    {"Subtract", "sub"},
    {"Swish", "silu"},
    {"Tanh", "tanh"},
    {"Tile", "repeat"},
    {"Transpose", "permute"},
    {"Unsqueeze", "unsqueeze"},
    {"VariadicSplit", "split_with_sizes"},
};

const char *ets_openvino_operation(struct ets_text type)
{
    return ets_payload_find_operation(layers, sizeof layers / sizeof *layers, type);
}

const struct ets_payload_type *ets_openvino_type(struct ets_text precision)
{
    static const struct {
        const char *precision;
        struct ets_payload_type type;
    } types[] = {
        {"FP32", {"float32", ETS_SCALAR_FLOAT, 32, ETS_PAYLOAD_FLOAT32}},
        {"FP16", {"float16", ETS_SCALAR_HALF, 16, ETS_PAYLOAD_FLOAT16}},
        {"BF16", {"bfloat16", ETS_SCALAR_BFLOAT16, 16, ETS_PAYLOAD_BFLOAT16}},
        {"FP64", {"float64", ETS_SCALAR_DOUBLE, 64, ETS_PAYLOAD_FLOAT64}},
        {"I8", {"int8", ETS_SCALAR_CHAR, 8, ETS_PAYLOAD_INT8}},
        {"U8", {"uint8", ETS_SCALAR_BYTE, 8, ETS_PAYLOAD_INT8}},
        {"I16", {"int16", ETS_SCALAR_SHORT, 16, ETS_PAYLOAD_INTEGER}},
        {"U16", {"uint16", ETS_SCALAR_UINT16, 16, ETS_PAYLOAD_INTEGER}},
        {"I32", {"int32", ETS_SCALAR_INT, 32, ETS_PAYLOAD_INTEGER}},
        {"U32", {"uint32", ETS_SCALAR_UINT32, 32, ETS_PAYLOAD_INTEGER}},
        {"I64", {"int64", ETS_SCALAR_LONG, 64, ETS_PAYLOAD_INTEGER}},
        {"U64", {"uint64", ETS_SCALAR_UINT64, 64, ETS_PAYLOAD_INTEGER}},
        {"BOOL", {"bool", ETS_SCALAR_BOOL, 8, ETS_PAYLOAD_INTEGER}},
        {"I4", {"int4", -1, 4, ETS_PAYLOAD_INT4}},
        {"U4", {"uint4", -1, 4, ETS_PAYLOAD_INT4}},
    };
    static const struct ets_payload_type unknown_type = {"unknown", -1, 0, ETS_PAYLOAD_OTHER};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (ets_text_is(precision, types[i].precision)) return &types[i].type;
    }
    return &unknown_type;
}
