/* Copies elements of any layout into a packed array. Separate from tensor.c, which needs no
 * string.h. */
#include <string.h>

#include "etscope/tensor.h"

void ets_tensor_gather(const struct ets_tensor *tensor, uint64_t first, size_t count, void *out)
{
    const size_t bytes = ets_scalar_type_bytes((int)tensor->scalar_type);
    const uint8_t *data = tensor->data;
    uint8_t *target = out;
    if (ets_tensor_is_contiguous(tensor)) {
        if (count > 0) memcpy(target, data + first * bytes, count * bytes);
        return;
    }
    int64_t position[ETS_TENSOR_MAX_RANK] = {0};
    uint64_t at = 0;
    for (uint32_t k = tensor->rank; count > 0 && k-- > 0; first /= (uint64_t)tensor->sizes[k]) {
        position[k] = (int64_t)(first % (uint64_t)tensor->sizes[k]);
        at += (uint64_t)position[k] * (uint64_t)tensor->strides[k];
    }
    for (; count > 0; count--, target += bytes) {
        memcpy(target, data + at * bytes, bytes);
        for (uint32_t k = tensor->rank; k-- > 0;) {
            at += (uint64_t)tensor->strides[k];
            if (++position[k] < tensor->sizes[k]) break;
            at -= (uint64_t)tensor->strides[k] * (uint64_t)tensor->sizes[k];
            position[k] = 0;
        }
    }
}
