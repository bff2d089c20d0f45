/* MLX's operators and its packed types. */
#include <string.h>

#include "payload/mlx_payload.h"

/* Names that differ in more than capitals; all others are ATen's: "Sigmoid" is sigmoid. */
static const struct {
    const char *name, *operation;
} operators[] = {
    {"Addmm", "addmm"},
    {"Arccos", "acos"},
    {"Arccosh", "acosh"},
    {"Arcsin", "asin"},
    {"Arcsinh", "asinh"},
    {"Arctan", "atan"},
    {"Arctanh", "atanh"},
    {"Abs", "abs"},
    {"Add", "add"},
    {"All", "all"},
    {"Any", "any"},
    {"ARange", "arange"},
    {"Argmax", "argmax"},
    {"Argmin", "argmin"},
    {"AsStrided", "as_strided"},
    {"AsType", "_to_copy"},
    {"Atan2", "atan2"},
    {"BitwiseAnd", "bitwise_and"},
    {"BitwiseInvert", "bitwise_not"},
    {"BitwiseOr", "bitwise_or"},
    {"BitwiseXor", "bitwise_xor"},
    {"BroadcastTo", "expand"},
    {"Ceil", "ceil"},
    {"Clip", "clamp"},
    {"Concatenate", "cat"},
    {"Contiguous", "contiguous"},
    {"Conv1D", "convolution"},
    {"Conv2D", "convolution"},
    {"Conv3D", "convolution"},
    {"ConvTranspose1D", "convolution"},
    {"ConvTranspose2D", "convolution"},
    {"ConvTranspose3D", "convolution"},
    {"Cos", "cos"},
    {"Cosh", "cosh"},
    {"Cumsum", "cumsum"},
    {"Dequantize", "dequantize_affine"},
    {"Divide", "div"},
    {"Equal", "eq"},
    {"Erf", "erf"},
    {"Exp", "exp"},
    {"ExpandDims", "unsqueeze"},
    {"Expm1", "expm1"},
    {"Flip", "flip"},
    {"Floor", "floor"},
    {"FloorDivide", "floor_divide"},
    {"Full", "full"},
    {"FullLike", "full_like"},
    {"Gelu", "gelu"},
    {"Greater", "gt"},
    {"GreaterEqual", "ge"},
    {"IdCopy", "alias"},
    {"IndexCopy", "index_copy"},
    {"LayerNorm", "native_layer_norm"},
    {"Less", "lt"},
    {"LessEqual", "le"},
    {"Log", "log"},
    {"Log10", "log10"},
    {"Log1p", "log1p"},
    {"Log2", "log2"},
    {"LogicalAnd", "logical_and"},
    {"LogicalNot", "logical_not"},
    {"LogicalOr", "logical_or"},
    {"Max", "amax"},
    {"Maximum", "maximum"},
    {"Mean", "mean"},
    {"Min", "amin"},
    {"Minimum", "minimum"},
    {"Multiply", "mul"},
    {"Neg", "neg"},
    {"NotEqual", "ne"},
    {"Pad", "constant_pad_nd"},
    {"Power", "pow"},
    {"Prod", "prod"},
    {"QuantizedMatmul", "linear"},
    {"RMSNorm", "rms_norm"},
    {"Reciprocal", "reciprocal"},
    {"Remainder", "remainder"},
    {"Reshape", "view"},
    {"Roll", "roll"},
    {"Round", "round"},
    {"Rsqrt", "rsqrt"},
    {"Sdpa", "scaled_dot_product_attention"},
    {"Sigmoid", "sigmoid"},
    {"Sign", "sign"},
    {"Silu", "silu"},
    {"Sin", "sin"},
    {"Sinh", "sinh"},
    {"Slice", "slice"},
    {"SliceUpdate", "slice_scatter"},
    {"Softmax", "_softmax"},
    {"Split", "split"},
    {"Sqrt", "sqrt"},
    {"Square", "square"},
    {"Squeeze", "squeeze"},
    {"Stack", "stack"},
    {"Std", "std"},
    {"Subtract", "sub"},
    {"Sum", "sum"},
    {"Take", "index_select"},
    {"TakeAlongAxis", "gather"},
    {"Tan", "tan"},
    {"Tanh", "tanh"},
    {"Tile", "repeat"},
    {"Transpose", "permute"},
    {"Tril", "tril"},
    {"Triu", "triu"},
    {"Trunc", "trunc"},
    {"Var", "var"},
    {"Where", "where"},
};

const char *ets_mlx_operation(const char *name)
{
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        if (strcmp(operators[i].name, name) == 0) return operators[i].operation;
    }
    return NULL;
}

const struct ets_payload_type *ets_mlx_packed_type(int64_t bits)
{
    static const struct ets_payload_type types[] = {
        {"int2", -1, 2, ETS_PAYLOAD_OTHER}, {"int3", -1, 3, ETS_PAYLOAD_OTHER},
        {"int4", -1, 4, ETS_PAYLOAD_INT4},  {"int5", -1, 5, ETS_PAYLOAD_OTHER},
        {"int6", -1, 6, ETS_PAYLOAD_OTHER}, {"int8", -1, 8, ETS_PAYLOAD_INT8},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].bits == bits) return &types[i];
    }
    return NULL;
}
