/* Operators of Core ML's programs, and the operators of ATen that they are. */
#include "base/text.h"
#include "payload/coreml_parts.h"
#include "payload/payload_operations.h"

/* By name. */
static const struct ets_payload_operation operators[] = {
    {"abs", "abs"},
    {"acos", "acos"},
    {"add", "add"},
    {"asin", "asin"},
    {"atan", "atan"},
    {"avg_pool", "avg_pool2d"},
    {"batch_norm", "batch_norm"},
    {"cast", "_to_copy"},
    {"ceil", "ceil"},
    {"clip", "clamp"},
    {"concat", "cat"},
    {"conv", "convolution"},
    {"conv_transpose", "convolution"},
    {"coreml_update_state", "copy"},
    {"cos", "cos"},
    {"cumsum", "cumsum"},
    {"dequantize", "dequantize_per_tensor"},
    {"elu", "elu"},
    {"equal", "eq"},
    {"erf", "erf"},
    {"exp", "exp"},
    {"exp2", "exp2"},
    {"expand_dims", "unsqueeze"},
    {"floor", "floor"},
    {"floor_div", "floor_divide"},
    {"gather", "index_select"},
    {"gather_along_axis", "gather"},
    {"gelu", "gelu"},
    {"greater", "gt"},
    {"greater_equal", "ge"},
    {"identity", "alias"},
    {"instance_norm", "instance_norm"},
    {"inverse", "reciprocal"},
    {"layer_norm", "layer_norm"},
    {"leaky_relu", "leaky_relu"},
    {"less", "lt"},
    {"less_equal", "le"},
    {"linear", "linear"},
    {"log", "log"},
    {"logical_and", "logical_and"},
    {"logical_not", "logical_not"},
    {"logical_or", "logical_or"},
    {"logical_xor", "logical_xor"},
    {"matmul", "bmm"},
    {"max_pool", "max_pool2d"},
    {"maximum", "maximum"},
    {"minimum", "minimum"},
    {"mod", "remainder"},
    {"mul", "mul"},
    {"not_equal", "ne"},
    {"pad", "pad"},
    {"pixel_shuffle", "pixel_shuffle"},
    {"pixel_unshuffle", "pixel_unshuffle"},
    {"pow", "pow"},
    {"prelu", "prelu"},
    {"quantize", "quantize_per_tensor"},
    {"read_state", "alias"},
    {"real_div", "div"},
    {"reduce_argmax", "argmax"},
    {"reduce_argmin", "argmin"},
    {"reduce_max", "amax"},
    {"reduce_mean", "mean"},
    {"reduce_min", "amin"},
    {"reduce_prod", "prod"},
    {"reduce_sum", "sum"},
    {"relu", "relu"},
    {"relu6", "relu6"},
    {"reshape", "view"},
    {"reverse", "flip"},
    {"round", "round"},
    {"rsqrt", "rsqrt"},
    {"scaled_dot_product_attention", "scaled_dot_product_attention"},
    {"select", "where"},
    {"sigmoid", "sigmoid"},
    {"sigmoid_hard", "hardsigmoid"},
    {"sign", "sign"},
    {"silu", "silu"},
    {"sin", "sin"},
    {"slice_by_index", "slice"},
    {"slice_by_size", "slice"},
    {"softmax", "softmax"},
    {"softplus", "softplus"},
    {"split", "split"},
    {"sqrt", "sqrt"},
    {"square", "square"},
    {"squeeze", "squeeze"},
    {"stack", "stack"},
    {"sub", "sub"},
    {"tan", "tan"},
    {"tanh", "tanh"},
    {"tile", "repeat"},
    {"transpose", "permute"},
    {"upsample_bilinear", "upsample_bilinear2d"},
    {"upsample_nearest_neighbor", "upsample_nearest2d"},
};

const char *ets_coreml_operation(struct ets_text type)
{
    return ets_payload_find_operation(operators, sizeof operators / sizeof *operators, type);
}

uint32_t ets_coreml_input_rank(struct ets_text name)
{
    static const char *const names[] = {
        "cond", "x",    "data",    "input",   "query",     "a",     "state",    "y",
        "b",    "key",  "weight",  "value",   "values",    "mean",  "variance", "gamma",
        "beta", "bias", "indices", "updates", "attn_mask", "alpha",
    };
    enum { COUNT = sizeof names / sizeof *names };
    for (uint32_t i = 0; i < COUNT; i++) {
        if (ets_text_is(name, names[i])) return i;
    }
    return UINT32_MAX;
}
