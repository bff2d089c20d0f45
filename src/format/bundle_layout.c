/* Finds the order of dimensions from a tensor's strides, for storage in bundles. */
#include "format/bundle_layout.h"

/* Strides of dimensions with one element do not matter. */
static bool is_placed_alike(const struct ets_tensor *a, const struct ets_tensor *b)
{
    for (uint32_t i = 0; i < a->rank; i++) {
        if (a->sizes[i] > 1 && a->strides[i] != b->strides[i]) return false;
    }
    return true;
}

bool ets_bundle_dim_order(const struct ets_tensor *tensor, uint8_t *dim_order_out)
{
    struct ets_tensor dense = *tensor;
    for (uint32_t i = 0; i < tensor->rank; i++) dim_order_out[i] = (uint8_t)i;
    if (ets_tensor_is_contiguous(tensor) || ets_tensor_count(tensor) == 0) return true;
    for (uint32_t i = 1; i < tensor->rank; i++) { /* largest strides first; equal ones stay */
        for (uint32_t k = i; k > 0; k--) {
            const uint8_t inner = dim_order_out[k], outer = dim_order_out[k - 1];
            if (tensor->strides[inner] <= tensor->strides[outer]) break;
            dim_order_out[k] = outer;
            dim_order_out[k - 1] = inner;
        }
    }
    if (ets_tensor_set_dim_order(&dense, dim_order_out) == ETS_OK &&
        is_placed_alike(tensor, &dense)) {
        return true;
    }
    for (uint32_t i = 0; i < tensor->rank; i++) dim_order_out[i] = (uint8_t)i;
    return false;
}
