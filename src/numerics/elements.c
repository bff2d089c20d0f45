/* Iterates over the elements of a tensor in logical order. */
#include "base/error.h"
#include "base/load.h"
#include "etscope/numerics.h"
#include "numerics/decode.h"
#include "numerics/element.h"
#include "numerics/element_blocks.h"

enum ets_status ets_elements_init(struct ets_elements *elements, const struct ets_tensor *tensor,
                                  struct ets_error *error)
{
    const uint32_t components = ets_scalar_component_count(tensor->scalar_type);
    if (components == 0) {
        const char *name = ets_scalar_type_name(tensor->scalar_type);
        return ets_fail(error, ETS_UNSUPPORTED, ETS_NO_OFFSET,
                        "the elements of a %s tensor are not numbers", name != NULL ? name : "?");
    }
    if (tensor->rank > ETS_TENSOR_MAX_RANK) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET, "rank %u is over the limit",
                        (unsigned)tensor->rank);
    }
    const uint64_t count = ets_tensor_count(tensor);
    for (uint32_t i = 0; i < tensor->rank; i++) {
        if (count == UINT64_MAX || tensor->strides[i] < 0) {
            return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                            "a size or stride is negative or too large");
        }
    }
    if (count > 0 && (tensor->data == NULL || ets_tensor_extent(tensor) > tensor->data_bytes)) {
        return ets_fail(error, ETS_TRUNCATED, ETS_NO_OFFSET,
                        "the tensor extends past its %llu bytes",
                        (unsigned long long)tensor->data_bytes);
    }
    *elements =
        (struct ets_elements){.tensor = tensor, .remaining = count, .component_count = components};
    return ETS_OK;
}

/* Moves `at` from one element to the next: the last dimension runs fastest. */
static void advance(struct ets_elements *elements)
{
    const struct ets_tensor *tensor = elements->tensor;
    for (uint32_t i = tensor->rank; i-- > 0;) {
        const uint64_t stride = (uint64_t)tensor->strides[i];
        if (++elements->position[i] < tensor->sizes[i]) {
            elements->at += stride;
            return;
        }
        elements->position[i] = 0;
        elements->at -= stride * (uint64_t)(tensor->sizes[i] - 1);
    }
}

int ets_elements_next(struct ets_elements *elements, double *value_out)
{
    const struct ets_tensor *tensor = elements->tensor;
    if (elements->remaining == 0) return 0;
    const size_t element_bytes = ets_scalar_type_bytes(tensor->scalar_type);
    const uint8_t *at = (const uint8_t *)tensor->data + (size_t)elements->at * element_bytes;
    *value_out = ets_element_load(at, tensor->scalar_type, elements->component);
    elements->index = elements->begun;
    if (++elements->component == elements->component_count) {
        elements->component = 0;
        elements->begun++;
        elements->remaining--;
        advance(elements);
    }
    return 1;
}

const double *ets_elements_take(struct ets_elements *elements, double *room, size_t most,
                                size_t *count_out)
{
    const struct ets_tensor *tensor = elements->tensor;
    size_t count = most / elements->component_count;
    if (count > elements->remaining) count = (size_t)elements->remaining;
    *count_out = count * elements->component_count;
    if (!ets_tensor_is_contiguous(tensor)) {
        for (size_t i = 0; i < *count_out; i++) (void)ets_elements_next(elements, &room[i]);
        return room;
    }
    const size_t element_bytes = ets_scalar_type_bytes(tensor->scalar_type);
    const uint8_t *at = (const uint8_t *)tensor->data + (size_t)elements->begun * element_bytes;
    elements->begun += count;
    elements->remaining -= count;
    return ets_decoded(at, tensor->scalar_type, count, room);
}
