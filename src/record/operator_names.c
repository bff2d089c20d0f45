/* Base names, for comparing kernels with nodes. */
#include "record/operator_names.h"

#include <string.h>

#include "operators/operator_traits.h"

static const char wrapper[] = "auto_functionalized";

struct ets_text ets_node_operator(const struct ets_graph_node *node)
{
    const struct ets_text base = ets_operator_base_name(node->op);
    const struct ets_text target = node->target;
    const bool is_wrapper =
        ets_text_contains(node->op, wrapper) || ets_text_contains(target, wrapper);
    if (!is_wrapper || node->input_count == 0) return base;
    const struct ets_graph_argument *first = &node->inputs[0];
    return first->kind == ETS_ARGUMENT_TARGET ? ets_operator_base_name(first->name) : base;
}

/* What passes turn into which kernels after a record was made, by a part of the kernel's name. */
static const struct {
    const char *kernel;
    const char *nodes[6];
    bool is_fused; /* the instruction has no debug handle */
} passes[] = {
    /* ExecuTorch's own: exir/passes, and those of examples/models/llama */
    {"embedding_byte", {"embedding"}, true},
    {"embedding_2bit", {"embedding"}, true},
    {"embedding_4bit", {"embedding"}, true},
    {"quantized_linear", {"linear", "addmm", "mm", "bmm"}, false},
    {"linear", {"linear", "addmm", "mm", "bmm"}, true},
    /* Cortex-M's and Cadence's, whose instructions keep the handles */
    {"fully_connected", {"linear", "addmm", "mm"}, false},
    {"batch_matmul", {"bmm", "matmul", "mm"}, false},
    {"matmul", {"bmm", "matmul", "mm"}, false},
    {"conv", {"convolution", "conv1d", "conv2d", "conv3d", "conv_transpose2d"}, false},
    {"avg_pool", {"avg_pool2d", "mean", "adaptive_avg_pool2d", "_adaptive_avg_pool2d"}, false},
    {"max_pool", {"max_pool2d", "max_pool2d_with_indices"}, false},
    {"transpose", {"permute", "transpose", "t"}, false},
    {"pad", {"constant_pad_nd", "pad"}, false},
    {"softmax", {"_softmax", "softmax", "_safe_softmax"}, false},
    {"layer_norm", {"native_layer_norm", "layer_norm"}, false},
    {"quantized_relu", {"relu", "hardtanh", "clamp"}, false},
    {"quantized_add", {"add"}, false},
    {"quantized_mul", {"mul"}, false},
    {"quantized_div", {"div"}, false},
};

enum { PASSES = sizeof passes / sizeof *passes };

static bool is_made_of(size_t pass, struct ets_text node)
{
    for (size_t n = 0; n < 6 && passes[pass].nodes[n] != NULL; n++) {
        if (ets_text_is(node, passes[pass].nodes[n])) return true;
    }
    return false;
}

static size_t find_fused(struct ets_text kernel)
{
    size_t i = 0;
    while (i < PASSES && !(passes[i].is_fused && ets_text_is(kernel, passes[i].kernel))) i++;
    return i;
}

bool ets_kernel_is_fused(struct ets_text kernel)
{
    return find_fused(kernel) < PASSES;
}

bool ets_node_is_fused_into(struct ets_text node, struct ets_text kernel)
{
    const size_t pass = find_fused(kernel);
    return ets_text_equal(node, kernel) || (pass < PASSES && is_made_of(pass, node));
}

/* The namespaces of what export itself calls. */
static bool is_foreign(struct ets_text kernel)
{
    static const char *const own[] = {
        "aten::", "executorch_prim::", "dim_order_ops::", "et_copy::"};
    const char *colon = kernel.size == 0 ? NULL : memchr(kernel.data, ':', kernel.size);
    if (colon == NULL) return false;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        if (ets_text_starts_with(kernel, own[i])) return false;
    }
    return true;
}

enum ets_agreement ets_node_runs_as(struct ets_text node, struct ets_text kernel)
{
    const struct ets_text base = ets_operator_base_name(kernel);
    if (ets_text_equal(node, base)) return ETS_NAMES_AGREE;
    for (size_t i = 0; i < PASSES; i++) {
        if (ets_text_contains(base, passes[i].kernel) && is_made_of(i, node)) {
            return ETS_NAMES_AGREE;
        }
    }
    return is_foreign(kernel) ? ETS_NAMES_UNDECIDED : ETS_NAMES_DIFFER;
}
