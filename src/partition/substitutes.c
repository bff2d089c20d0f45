/* Operators without a rule, and what does the same work with one. */
#include "base/text.h"
#include "partition/rule_checks.h"

struct substitute {
    const char *op, *remedy;
};

static const struct substitute substitutes[] = {
    {"aten.mul.Scalar", "multiply by a tensor: x * torch.tensor(2.0)"},
    {"aten.add.Scalar", "add a tensor: x + torch.tensor(2.0)"},
    {"aten.split_with_sizes_copy.default", "slices instead of chunk or split"},
    {"aten.select_copy.int", "a slice, then a view"},
    {"aten.upsample_nearest2d.vec", "mode=\"bilinear\""},
    {"aten.elu.default", "leaky_relu"},
    {"aten._adaptive_avg_pool2d.default", "avg_pool2d with a fixed kernel, or an output of 1x1"},
    {"aten.expand_copy.default",
     "if it changes nothing: to_edge_transform_and_lower(transform_passes=get_transform_passes())"},
    {"aten.squeeze_copy.dims", "view with fixed sizes"},
    {"aten.arange.start_step", "a buffer with the numbers"},
    {"aten.full.default", "a buffer with the numbers"},
};

const char *ets_substitute_of(struct ets_text op)
{
    for (size_t i = 0; i < sizeof substitutes / sizeof *substitutes; i++) {
        if (ets_text_is(op, substitutes[i].op)) return substitutes[i].remedy;
    }
    return NULL;
}
