/* What TOSA's operators and types are. Source: the TOSA 1.0 and 1.1 specifications. */
#include "payload/tosa_operators.h"

#include <string.h>

#include "base/load.h"
#include "base/text.h"
#include "etscope/tensor.h"

#define CONVOLUTION_ATTRIBUTES "pad stride dilation acc_type local_bound"
#define POOL_ATTRIBUTES(last) "kernel stride pad " last

static const struct ets_tosa_operator operators[] = {
    [1] = {"ARGMAX", "argmax", "axis nan_mode"},
    [2] = {"AVG_POOL2D", "avg_pool2d", POOL_ATTRIBUTES("acc_type")},
    [3] = {"CONV2D", "convolution", CONVOLUTION_ATTRIBUTES},
    [4] = {"CONV3D", "convolution", CONVOLUTION_ATTRIBUTES},
    [5] = {"DEPTHWISE_CONV2D", "convolution", CONVOLUTION_ATTRIBUTES},
    [6] = {"FFT2D", NULL, "inverse local_bound"},
    [7] = {"MATMUL", "bmm", NULL},
    [8] = {"MAX_POOL2D", "max_pool2d", POOL_ATTRIBUTES("nan_mode")},
    [9] = {"RFFT2D", NULL, "local_bound"},
    [10] = {"TRANSPOSE_CONV2D", "convolution", "out_pad stride acc_type local_bound"},
    [11] = {"CLAMP", "clamp", "min_val max_val nan_mode"},
    [12] = {"ERF", "erf", NULL},
    [13] = {"SIGMOID", "sigmoid", NULL},
    [14] = {"TANH", "tanh", NULL},
    [15] = {"ADD", "add", NULL},
    [16] = {"ARITHMETIC_RIGHT_SHIFT", "bitwise_right_shift", "round"},
    [17] = {"BITWISE_AND", "bitwise_and", NULL},
    [18] = {"BITWISE_OR", "bitwise_or", NULL},
    [19] = {"BITWISE_XOR", "bitwise_xor", NULL},
    [20] = {"INTDIV", "div", NULL},
    [21] = {"LOGICAL_AND", "logical_and", NULL},
    [22] = {"LOGICAL_LEFT_SHIFT", "bitwise_left_shift", NULL},
    [23] = {"LOGICAL_RIGHT_SHIFT", NULL, NULL},
    [24] = {"LOGICAL_OR", "logical_or", NULL},
    [25] = {"LOGICAL_XOR", "logical_xor", NULL},
    [26] = {"MAXIMUM", "maximum", "nan_mode"},
    [27] = {"MINIMUM", "minimum", "nan_mode"},
    [28] = {"MUL", "mul", NULL},
    [29] = {"POW", "pow", NULL},
    [30] = {"SUB", "sub", NULL},
    [31] = {"TABLE", NULL, NULL}, /* any function of one element, as a table */
    [32] = {"ABS", "abs", NULL},
    [33] = {"BITWISE_NOT", "bitwise_not", NULL},
    [34] = {"CEIL", "ceil", NULL},
    [35] = {"CLZ", NULL, NULL},
    [36] = {"COS", "cos", NULL},
    [37] = {"EXP", "exp", NULL},
    [38] = {"FLOOR", "floor", NULL},
    [39] = {"LOG", "log", NULL},
    [40] = {"LOGICAL_NOT", "logical_not", NULL},
    [41] = {"NEGATE", "neg", NULL},
    [42] = {"RECIPROCAL", "reciprocal", NULL},
    [43] = {"RSQRT", "rsqrt", NULL},
    [44] = {"SIN", "sin", NULL},
    [45] = {"SELECT", "where", NULL},
    [46] = {"EQUAL", "eq", NULL},
    [47] = {"GREATER", "gt", NULL},
    [48] = {"GREATER_EQUAL", "ge", NULL},
    [49] = {"REDUCE_ALL", "all", "axis"},
    [50] = {"REDUCE_ANY", "any", "axis"},
    [51] = {"REDUCE_MAX", "amax", "axis nan_mode"},
    [52] = {"REDUCE_MIN", "amin", "axis nan_mode"},
    [53] = {"REDUCE_PRODUCT", "prod", "axis"},
    [54] = {"REDUCE_SUM", "sum", "axis"},
    [55] = {"CONCAT", "cat", "axis"},
    [56] = {"PAD", "constant_pad_nd", NULL},
    [57] = {"RESHAPE", "view", NULL},
    [58] = {"REVERSE", "flip", "axis"},
    [59] = {"SLICE", "slice", NULL},
    [60] = {"TILE", "repeat", NULL},
    [61] = {"TRANSPOSE", "permute", "perms"},
    [62] = {"GATHER", "gather", NULL},
    [63] = {"SCATTER", "scatter", NULL},
    [64] = {"RESIZE", NULL, "mode"},
    [65] = {"CAST", "_to_copy", NULL},
    [66] = {"RESCALE", "_to_copy",
            "scale32 rounding_mode per_channel input_unsigned output_unsigned"},
    [67] = {"CONST", NULL, NULL},
    [68] = {"IDENTITY", "clone", NULL},
    [69] = {"CUSTOM", NULL, NULL},
    [70] = {"COND_IF", NULL, NULL},
    [71] = {"WHILE_LOOP", NULL, NULL},
    [72] = {"VARIABLE", NULL, NULL},
    [73] = {"VARIABLE_WRITE", NULL, NULL},
    [74] = {"VARIABLE_READ", NULL, NULL},
    [75] = {"CONST_SHAPE", NULL, NULL},
    [76] = {"MATMUL_T_BLOCK_SCALED", NULL, NULL},
    [77] = {"CAST_FROM_BLOCK_SCALED", "_to_copy", NULL},
    [78] = {"CAST_TO_BLOCK_SCALED", "_to_copy", NULL},
    [79] = {"DIM", NULL, NULL},
    [80] = {"CONCAT_SHAPE", NULL, NULL},
    [81] = {"ADD_SHAPE", NULL, NULL},
    [82] = {"SUB_SHAPE", NULL, NULL},
    [83] = {"MUL_SHAPE", NULL, NULL},
    [84] = {"SLICE_SHAPE", NULL, NULL},
    [85] = {"EXP2_SHAPE", NULL, NULL},
    [86] = {"LOG2_CEIL_SHAPE", NULL, NULL},
    [87] = {"LOG2_FLOOR_SHAPE", NULL, NULL},
    [88] = {"MAX_SHAPE", NULL, NULL},
    [89] = {"MIN_SHAPE", NULL, NULL},
    [90] = {"MOD_SHAPE", NULL, NULL},
    [91] = {"DIV_CEIL_SHAPE", NULL, NULL},
    [92] = {"DIV_FLOOR_SHAPE", NULL, NULL},
    [93] = {"ASSERT_EQUAL_SHAPE", NULL, NULL},
    [94] = {"CONV2D_BLOCK_SCALED", NULL, NULL},
    [95] = {"MAX_POOL2D_ADAPTIVE", NULL, NULL},
    [96] = {"AVG_POOL2D_ADAPTIVE", NULL, NULL},
};

static const struct ets_payload_type types[] = {
    {"unknown", -1, 0, ETS_PAYLOAD_OTHER},
    {"BOOL", ETS_SCALAR_BOOL, 8, ETS_PAYLOAD_INTEGER},
    {"INT4", -1, 4, ETS_PAYLOAD_INT4},
    {"INT8", ETS_SCALAR_CHAR, 8, ETS_PAYLOAD_INT8},
    {"INT16", ETS_SCALAR_SHORT, 16, ETS_PAYLOAD_INTEGER},
    {"INT32", ETS_SCALAR_INT, 32, ETS_PAYLOAD_INTEGER},
    {"INT48", -1, 48, ETS_PAYLOAD_INTEGER},
    {"FP32", ETS_SCALAR_FLOAT, 32, ETS_PAYLOAD_FLOAT32},
    {"FP16", ETS_SCALAR_HALF, 16, ETS_PAYLOAD_FLOAT16},
    {"BF16", ETS_SCALAR_BFLOAT16, 16, ETS_PAYLOAD_BFLOAT16},
    {"SHAPE", -1, 64, ETS_PAYLOAD_OTHER},
    {"FP8E4M3", -1, 8, ETS_PAYLOAD_OTHER},
    {"FP8E5M2", -1, 8, ETS_PAYLOAD_OTHER},
    {"FP6E2M3", -1, 6, ETS_PAYLOAD_OTHER},
    {"FP6E3M2", -1, 6, ETS_PAYLOAD_OTHER},
    {"FP4E2M1", -1, 4, ETS_PAYLOAD_OTHER},
    {"FP8UE8M0", -1, 8, ETS_PAYLOAD_OTHER},
    {"INT64", ETS_SCALAR_LONG, 64, ETS_PAYLOAD_INTEGER},
    {"MXINT8", -1, 8, ETS_PAYLOAD_OTHER},
};

const struct ets_tosa_operator *ets_tosa_operator(uint32_t number)
{
    const bool is_known = number < sizeof operators / sizeof *operators;
    return is_known && operators[number].name != NULL ? &operators[number] : NULL;
}

const struct ets_payload_type *ets_tosa_type(uint32_t number)
{
    return &types[number < sizeof types / sizeof *types ? number : 0];
}

static const struct ets_payload_parameter *find(const struct ets_payload_node *node,
                                                const char *name)
{
    for (uint32_t i = 0; i < node->parameter_count; i++) {
        const struct ets_payload_parameter *parameter = &node->parameters[i];
        if (parameter->name != NULL && strcmp(parameter->name, name) == 0) return parameter;
    }
    return NULL;
}

/* The reads of a pool for each element; 0: not known. */
static uint64_t taps_of(const struct ets_payload_node *node)
{
    const struct ets_payload_parameter *kernel = find(node, "kernel");
    uint64_t taps = 1;
    if (kernel == NULL || kernel->kind != ETS_PAYLOAD_INTEGERS || kernel->count == 0) return 0;
    for (uint32_t i = 0; i < kernel->count; i++) {
        if (kernel->integers[i] <= 0 || !ets_mul_u64(taps, (uint64_t)kernel->integers[i], &taps)) {
            return 0;
        }
    }
    return taps;
}

/* The elements of a filter without one of its dimensions: those of a channel. 0: not known. */
static uint64_t without(const struct ets_payload_value *filter, uint32_t dim)
{
    const uint64_t all = ets_payload_elements(filter);
    return dim >= filter->rank || filter->dims[dim] == 0 || all == UINT64_MAX
               ? 0
               : all / filter->dims[dim];
}

/* Filters are [O, h, w, I], or of depthwise convolutions [h, w, I, M]. */
static uint64_t depth_of(const struct ets_payload_graph *graph, uint32_t number,
                         const struct ets_payload_node *node)
{
    const struct ets_payload_value *in =
        node->input_count > 0 ? ets_payload_value(graph, node->inputs[0]) : NULL;
    const struct ets_payload_value *filter =
        node->input_count > 1 ? ets_payload_value(graph, node->inputs[1]) : NULL;
    switch (number) {
    case ETS_TOSA_AVG_POOL2D:
    case ETS_TOSA_MAX_POOL2D: return taps_of(node);
    case ETS_TOSA_CONV2D:
    case ETS_TOSA_CONV3D: return filter != NULL ? without(filter, 0) : 0;
    case ETS_TOSA_TRANSPOSE_CONV2D:
        return filter != NULL && filter->rank > 0 ? without(filter, filter->rank - 1) : 0;
    case ETS_TOSA_DEPTHWISE_CONV2D:
        return filter != NULL && filter->rank == 4 ? (uint64_t)filter->dims[0] * filter->dims[1]
                                                   : 0;
    case ETS_TOSA_MATMUL: return in != NULL && in->rank > 0 ? in->dims[in->rank - 1] : 0;
    default: return 0;
    }
}

/* A bound that was given as a number. */
static bool bound_of(const struct ets_payload_node *node, const char *name, float *out)
{
    const struct ets_payload_parameter *bound = find(node, name);
    if (bound == NULL || bound->count != 1) return false;
    if (bound->kind == ETS_PAYLOAD_REALS) *out = (float)bound->reals[0];
    else if (bound->kind == ETS_PAYLOAD_INTEGERS) *out = (float)bound->integers[0];
    else return false;
    return true;
}

void ets_tosa_explain(const struct ets_payload_graph *graph, uint32_t number,
                      struct ets_payload_node *node)
{
    const struct ets_tosa_operator *operator_ = ets_tosa_operator(number);
    node->name = ets_text_of(operator_ != NULL ? operator_->name : "?");
    node->operation = ets_text_of(operator_ != NULL ? operator_->operation : NULL);
    node->debug_handle = -1;
    node->is_depthwise = number == ETS_TOSA_DEPTHWISE_CONV2D;
    node->is_transposed = number == ETS_TOSA_TRANSPOSE_CONV2D;
    node->depth = depth_of(graph, number, node);
    node->has_clamp = number == ETS_TOSA_CLAMP && bound_of(node, "min_val", &node->clamp_min) &&
                      bound_of(node, "max_val", &node->clamp_max);
}
