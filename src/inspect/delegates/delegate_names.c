/*
 * Derives nodes from the names of a delegate's operators. Only certain cases are listed: most
 * operators of XNNPACK (Multiply, Transpose, Clamp...) can come from the decomposition of nearly
 * anything, and a pointwise convolution runs as Fully Connected. Source: XNNPACK's operator names
 * (src/operator-utils.c) and ExecuTorch's XNNPACK partitioner.
 */
#include "inspect/inspection.h"

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

const char *const *ets_delegate_operator_nodes(struct ets_text event_name)
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
