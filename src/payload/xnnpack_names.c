/*
 * What the names of XNNPACK's operators say. It names them by the processor's micro-kernels: the
 * same node of a payload is "Fully Connected (NC, QDU8, F32, QC8W) GEMM #1" on one and "Fully
 * Connected (NC, QD8, F32, QC8W) GEMM #1" on another. Source: XNNPACK's operator types
 * (src/xnnpack/operator-type-defs.inc, src/operator-utils.c), those that it replaces depending on
 * the processor (src/subgraph.c), and ExecuTorch's XNNPACK partitioner.
 */
#include <string.h>

#include "base/text.h"
#include "payload/payload_reader.h"

/* An element type, and the common name of its variants. */
static const struct {
    const char *variant, *type;
} variants[] = {
    {"QDU8", "QD8"}, /* quantised at run time, unsigned or signed */
    {"QP8", "QD8"},  /* the same, packed */
    {"PQS8", "QS8"}, /* packed */
    {"PF32", "F32"}, {"PF16", "F16"},
};

/* XNNPACK's first word in the brackets: the layout of the operator's tensors. */
static bool is_layout(struct ets_text part)
{
    static const char *const layouts[] = {"NC", "ND", "NHWC", "NCHW", "NTHC"};
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        if (ets_text_is(part, layouts[i])) return true;
    }
    return false;
}

static struct ets_text type_of(struct ets_text part)
{
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        if (ets_text_is(part, variants[i].variant)) {
            return (struct ets_text){variants[i].type, strlen(variants[i].type)};
        }
    }
    return part;
}

/* The part of a list "NC, QDU8, F32" that starts at `at`, up to `end`. */
static struct ets_text part_at(struct ets_text list, size_t at)
{
    size_t end = at;
    while (end < list.size && list.data[end] != ',') end++;
    return (struct ets_text){list.data + at, end - at};
}

/* "NC, F32, QC8W" in the brackets of a name of XNNPACK; absent: it is none. */
static struct ets_text list_of(struct ets_text name)
{
    const struct ets_text none = {NULL, 0};
    const char *open = name.size == 0 ? NULL : memchr(name.data, '(', name.size);
    if (open == NULL) return none;
    const char *close = memchr(open, ')', name.size - (size_t)(open - name.data));
    if (close == NULL) return none;
    const struct ets_text list = {open + 1, (size_t)(close - open) - 1};
    return is_layout(part_at(list, 0)) ? list : none;
}

/*
 * Writes "Fully Connected (NC, QD8, F32, QC8W)" for "Fully Connected (NC, QDU8, F32, QC8W) GEMM #1"
 * to `out`, which has room for all of `name`. 0: the name has another form.
 */
size_t ets_payload_xnnpack_plain_name(struct ets_text name, char *out)
{
    const struct ets_text list = list_of(name);
    if (list.data == NULL) return 0;
    size_t used = (size_t)(list.data - name.data);
    memcpy(out, name.data, used);
    for (size_t at = 0; at <= list.size;) {
        struct ets_text part = part_at(list, at);
        at += part.size + 1;
        if (part.size > 0 && part.data[0] == ' ') { /* behind a comma */
            out[used++] = ' ';
            part = (struct ets_text){part.data + 1, part.size - 1};
        }
        const struct ets_text type = type_of(part);
        memcpy(out + used, type.data, type.size);
        used += type.size;
        out[used++] = at <= list.size ? ',' : ')';
    }
    return used;
}

/*
 * The operators that one of these names can come from. Only certain cases are listed: most
 * operators of XNNPACK (Multiply, Transpose, Clamp...) can come from the decomposition of nearly
 * anything, and a pointwise convolution runs as Fully Connected.
 */
struct origin {
    const char *operator_start;
    const char *const *nodes;
};

/* A batch norm that is not folded into a convolution becomes a depthwise convolution. */
#define CONVOLUTIONS                                                                     \
    "convolution", "conv1d", "conv2d", "conv3d", "_native_batch_norm_legit_no_training", \
        "_native_batch_norm_legit", "native_batch_norm", "batch_norm"
static const char *const convolutions[] = {CONVOLUTIONS, NULL};
static const char *const products[] = {"linear", "addmm",      "mm", "bmm",
                                       "matmul", CONVOLUTIONS, NULL};
static const char *const softmaxes[] = {"_softmax", "softmax", NULL};

const char *const *ets_payload_xnnpack_origins(struct ets_text event_name)
{
    static const struct origin origins[] = {
        {"Convolution (", convolutions},
        {"Fully Connected (", products},
        {"Softmax (", softmaxes},
    };
    for (size_t i = 0; i < sizeof origins / sizeof *origins; i++) {
        if (ets_text_starts_with(event_name, origins[i].operator_start)) return origins[i].nodes;
    }
    return NULL;
}

/* By what names of XNNPACK's operators begin with; the longer ones come first. */
const char *ets_payload_xnnpack_operation(struct ets_text event_name)
{
    static const struct {
        const char *start, *operation;
    } rows[] = {
        {"Abs (", "abs"},
        {"Add (", "add"},
        {"ArgMax Pooling (", "max_pool2d"},
        {"Average Pooling (", "avg_pool2d"},
        {"Batch Matrix Multiply (", "bmm"},
        {"Ceiling (", "ceil"},
        {"Clamp (", "clamp"},
        {"Constant Pad (", "constant_pad_nd"},
        {"Convert (", "quantize_per_tensor"},
        {"Convolution (", "convolution"},
        {"Copy (", "clone"},
        {"Cosine (", "cos"},
        {"Deconvolution (", "convolution"},
        {"Divide (", "div"},
        {"Dynamic Fully Connected (", "linear"},
        {"ELU (", "elu"},
        {"Exp (", "exp"},
        {"Floor (", "floor"},
        {"Fully Connected (", "linear"},
        {"GELU (", "gelu"},
        {"Global Average Pooling (", "mean"},
        {"HardSwish (", "hardswish"},
        {"LeakyReLU (", "leaky_relu"},
        {"Leaky ReLU (", "leaky_relu"},
        {"Log (", "log"},
        {"Max Pooling (", "max_pool2d"},
        {"Maximum (", "maximum"},
        {"Mean (", "mean"},
        {"Minimum (", "minimum"},
        {"Multiply (", "mul"},
        {"Negate (", "neg"},
        {"PReLU (", "prelu"},
        {"Reciprocal Square Root (", "rsqrt"},
        {"Resize Bilinear (", "upsample_bilinear2d"},
        {"Scaled Dot-Product Attention (", "scaled_dot_product_attention"},
        {"Sigmoid (", "sigmoid"},
        {"Sine (", "sin"},
        {"Slice (", "slice"},
        {"Softmax (", "_softmax"},
        {"Square (", "square"},
        {"Square Root (", "sqrt"},
        {"Static Reshape (", "view"},
        {"Subtract (", "sub"},
        {"TanH (", "tanh"},
        {"Transpose (", "permute"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (ets_text_starts_with(event_name, rows[i].start)) return rows[i].operation;
    }
    return NULL;
}

/* The strongest that one of the types in the brackets says: "Convert (NC, F32, QD8)" is dynamic. */
enum ets_payload_arithmetic ets_payload_xnnpack_arithmetic(struct ets_text event_name)
{
    static const struct {
        const char *type;
        enum ets_payload_arithmetic arithmetic;
    } rows[] = {
        {"F32", ETS_PAYLOAD_ARITHMETIC_FLOAT},        {"F16", ETS_PAYLOAD_ARITHMETIC_FLOAT},
        {"BF16", ETS_PAYLOAD_ARITHMETIC_FLOAT},       {"QS8", ETS_PAYLOAD_ARITHMETIC_INT8},
        {"QU8", ETS_PAYLOAD_ARITHMETIC_INT8},         {"QC8", ETS_PAYLOAD_ARITHMETIC_INT8},
        {"QD8", ETS_PAYLOAD_ARITHMETIC_INT8_DYNAMIC},
    };
    enum ets_payload_arithmetic strongest = ETS_PAYLOAD_ARITHMETIC_UNKNOWN;
    const struct ets_text list = list_of(event_name);
    for (size_t at = 0; at < list.size;) {
        const struct ets_text part = part_at(list, at);
        const size_t spaces = part.size > 0 && part.data[0] == ' ';
        const struct ets_text type =
            type_of((struct ets_text){part.data + spaces, part.size - spaces});
        at += part.size + 1;
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            if (!ets_text_is(type, rows[i].type)) continue;
            if (rows[i].arithmetic > strongest) strongest = rows[i].arithmetic;
        }
    }
    return strongest;
}
