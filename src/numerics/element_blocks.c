/* Iterates over the elements of a tensor block by block, in place or gathered. */
#include "numerics/element_blocks.h"
#include "numerics/element.h"

#include "etscope/numerics.h"

enum ets_status ets_blocks_check(const struct ets_tensor *tensor)
{
    if (ets_scalar_component_count(tensor->scalar_type) == 0) return ETS_UNSUPPORTED;
    if (tensor->rank > ETS_TENSOR_MAX_RANK) return ETS_INVALID_ARGUMENT;
    const uint64_t extent = ets_tensor_extent(tensor);
    if (extent == UINT64_MAX) return ETS_INVALID_ARGUMENT;
    if (extent > 0 && (tensor->data == NULL || extent > tensor->data_bytes)) return ETS_TRUNCATED;
    return ETS_OK;
}

void ets_blocks_init(struct ets_blocks *blocks, const struct ets_tensor *tensor)
{
    *blocks = (struct ets_blocks){
        .tensor = tensor,
        .at = tensor->data,
        .element_bytes = ets_scalar_type_bytes(tensor->scalar_type),
        .is_contiguous = ets_tensor_is_contiguous(tensor) != 0,
    };
}

static void next_row(struct ets_blocks *blocks)
{
    const struct ets_tensor *tensor = blocks->tensor;
    blocks->position[tensor->rank - 1] = 0;
    for (uint32_t i = tensor->rank - 1; i-- > 0;) {
        const size_t stride = (size_t)tensor->strides[i] * blocks->element_bytes;
        if (++blocks->position[i] < tensor->sizes[i]) {
            blocks->at += stride;
            return;
        }
        blocks->position[i] = 0;
        blocks->at -= stride * (size_t)(tensor->sizes[i] - 1);
    }
}

/* Copies `count` elements, `stride` bytes apart, to adjacent places. */
static inline void copy_elements(uint8_t *out, const uint8_t *from, size_t count, size_t stride,
                                 size_t element_bytes)
{
    for (size_t i = 0; i < count; i++, from += stride, out += element_bytes) {
        for (size_t k = 0; k < element_bytes; k++) out[k] = from[k];
    }
}

static void copy_apart(uint8_t *out, const uint8_t *from, size_t count, size_t stride,
                       size_t element_bytes)
{
    switch (element_bytes) {
#ifndef __OPTIMIZE_SIZE__ /* a loop of its own for each */
    case 1: copy_elements(out, from, count, stride, 1); break;
    case 2: copy_elements(out, from, count, stride, 2); break;
    case 4: copy_elements(out, from, count, stride, 4); break;
    case 8: copy_elements(out, from, count, stride, 8); break;
#endif
    default: copy_elements(out, from, count, stride, element_bytes); break;
    }
}

/* Copies the next `count` elements to adjacent places. */
static void gather(struct ets_blocks *blocks, size_t count, uint8_t *out)
{
    const size_t element_bytes = blocks->element_bytes;
    const uint32_t last = blocks->tensor->rank - 1;
    const size_t stride = (size_t)blocks->tensor->strides[last] * element_bytes;
    while (count > 0) {
        int64_t *position = &blocks->position[last];
        const uint64_t left = (uint64_t)(blocks->tensor->sizes[last] - *position);
        const size_t run = left < count ? (size_t)left : count;
        const uint8_t *from = blocks->at + (size_t)*position * stride;
        copy_apart(out, from, run, stride, element_bytes);
        out += run * element_bytes;
        count -= run;
        *position += (int64_t)run;
        if (*position == blocks->tensor->sizes[last]) next_row(blocks);
    }
}

const uint8_t *ets_blocks_next(struct ets_blocks *blocks, size_t count, uint8_t *room)
{
    if (count == 0) return room;
    if (!blocks->is_contiguous) {
        gather(blocks, count, room);
        return room;
    }
    const uint8_t *at = blocks->at;
    blocks->at += count * blocks->element_bytes;
    return at;
}
