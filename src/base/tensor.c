/* Scalar types, and sizes and strides of tensors, with checked arithmetic. */
#include "etscope/tensor.h"

#include "base/load.h"

size_t ets_scalar_type_bytes(int scalar_type)
{
    switch (scalar_type) {
#define ETS_CASE(name, number, bytes, text) \
    case number: return bytes;
        ETS_SCALAR_TYPE_LIST(ETS_CASE)
#undef ETS_CASE
    default: return 0;
    }
}

const char *ets_scalar_type_name(int scalar_type)
{
    switch (scalar_type) {
#define ETS_CASE(name, number, bytes, text) \
    case number: return text;
        ETS_SCALAR_TYPE_LIST(ETS_CASE)
#undef ETS_CASE
    default: return NULL;
    }
}

uint64_t ets_tensor_count(const struct ets_tensor *tensor)
{
    uint64_t count = 1;
    bool empty = false;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        if (tensor->sizes[i] < 0) return UINT64_MAX;
        if (tensor->sizes[i] == 0) empty = true;
        else if (!ets_mul_u64(count, (uint64_t)tensor->sizes[i], &count)) return UINT64_MAX;
    }
    return empty ? 0 : count;
}

uint64_t ets_tensor_extent(const struct ets_tensor *tensor)
{
    const uint64_t count = ets_tensor_count(tensor);
    if (count == 0 || count == UINT64_MAX) return count;
    uint64_t end = 1, reach;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        if (tensor->strides[i] < 0 ||
            !ets_mul_u64((uint64_t)tensor->sizes[i] - 1, (uint64_t)tensor->strides[i], &reach) ||
            !ets_add_u64(end, reach, &end)) {
            return UINT64_MAX;
        }
    }
    return ets_mul_u64(end, ets_scalar_type_bytes(tensor->scalar_type), &end) ? end : UINT64_MAX;
}

/* Wraps on huge sizes; ets_tensor_count reports these. */
static int64_t next_stride(int64_t stride, int64_t size)
{
    return (int64_t)((uint64_t)stride * (uint64_t)(size > 0 ? size : 1));
}

void ets_tensor_set_contiguous(struct ets_tensor *tensor)
{
    int64_t stride = 1;
    for (uint32_t i = tensor->rank; i-- > 0;) {
        tensor->strides[i] = stride;
        stride = next_stride(stride, tensor->sizes[i]);
    }
}

enum ets_status ets_tensor_set_dim_order(struct ets_tensor *tensor, const uint8_t *dim_order)
{
    uint32_t seen = 0;
    int64_t stride = 1;
    for (uint32_t i = tensor->rank; i-- > 0;) {
        const uint8_t dim = dim_order[i];
        if (dim >= tensor->rank || (seen >> dim & 1) != 0) return ETS_MALFORMED;
        seen |= UINT32_C(1) << dim;
        tensor->strides[dim] = stride;
        stride = next_stride(stride, tensor->sizes[dim]);
    }
    return ETS_OK;
}

int ets_tensor_is_contiguous(const struct ets_tensor *tensor)
{
    if (ets_tensor_count(tensor) == 0) return 1;
    int64_t stride = 1;
    for (uint32_t i = tensor->rank; i-- > 0;) {
        if (tensor->sizes[i] != 1 && tensor->strides[i] != stride) return 0;
        stride = next_stride(stride, tensor->sizes[i]);
    }
    return 1;
}
