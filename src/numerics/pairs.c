/*
 * Iterates over two tensors of one shape, along the dimension whose neighbours are nearest in both.
 */
#include "numerics/pairs.h"
#include "numerics/element.h"

#include "base/error.h"
#include "etscope/numerics.h"
#include "numerics/decode.h"

static bool is_same_shape(const struct ets_tensor *a, const struct ets_tensor *b)
{
    if (a->rank != b->rank) return false;
    for (uint32_t i = 0; i < a->rank; i++) {
        if (a->sizes[i] != b->sizes[i]) return false;
    }
    return true;
}

/* Uses the checks and messages of ets_elements_init. */
static enum ets_status check(const struct ets_tensor *tensor, struct ets_error *error)
{
    struct ets_elements elements;
    return ets_elements_init(&elements, tensor, error);
}

static void swap_dimensions(struct ets_tensor *tensor, uint32_t i, uint32_t k)
{
    const int64_t size = tensor->sizes[i], stride = tensor->strides[i];
    tensor->sizes[i] = tensor->sizes[k];
    tensor->strides[i] = tensor->strides[k];
    tensor->sizes[k] = size;
    tensor->strides[k] = stride;
}

/* The distance of neighbours along a dimension, in both tensors. */
static double distance(const struct ets_pairs *pairs, uint32_t dimension)
{
    return (double)pairs->walked[0].strides[dimension] *
           (double)pairs->walked[1].strides[dimension];
}

/* Sorts the dimensions: the one with the nearest neighbours runs fastest. */
static void reorder(struct ets_pairs *pairs)
{
    for (uint32_t i = 1; i < pairs->walked[0].rank; i++) {
        for (uint32_t k = i; k > 0 && distance(pairs, k - 1) < distance(pairs, k); k--) {
            const uint8_t dimension = pairs->order[k];
            pairs->order[k] = pairs->order[k - 1];
            pairs->order[k - 1] = dimension;
            swap_dimensions(&pairs->walked[0], k, k - 1);
            swap_dimensions(&pairs->walked[1], k, k - 1);
            pairs->is_reordered = true;
        }
    }
}

uint64_t ets_pairs_index(const struct ets_pairs *pairs, size_t i)
{
    const struct ets_tensor *tensor = &pairs->walked[0];
    uint64_t left = pairs->begun + i, position[ETS_TENSOR_MAX_RANK], index = 0;
    int64_t sizes[ETS_TENSOR_MAX_RANK];
    if (!pairs->is_reordered) return left;
    for (uint32_t k = tensor->rank; k-- > 0;) {
        sizes[pairs->order[k]] = tensor->sizes[k];
        position[pairs->order[k]] = left % (uint64_t)tensor->sizes[k];
        left /= (uint64_t)tensor->sizes[k];
    }
    for (uint32_t k = 0; k < tensor->rank; k++) index = index * (uint64_t)sizes[k] + position[k];
    return index;
}

enum ets_status ets_pairs_init(struct ets_pairs *pairs, const struct ets_tensor *left,
                               const struct ets_tensor *right, struct ets_error *error)
{
    ETS_TRY(check(left, error));
    ETS_TRY(check(right, error));
    if (!is_same_shape(left, right)) {
        return ets_fail(error, ETS_MISMATCH, ETS_NO_OFFSET, "the shapes differ");
    }
    pairs->component_count = ets_scalar_component_count(left->scalar_type);
    if (pairs->component_count != ets_scalar_component_count(right->scalar_type)) {
        return ets_fail(error, ETS_MISMATCH, ETS_NO_OFFSET, "only one of the tensors is complex");
    }
    pairs->walked[0] = *left;
    pairs->walked[1] = *right;
    pairs->is_reordered = false;
    for (uint8_t i = 0; i < left->rank; i++) pairs->order[i] = i;
    reorder(pairs);
    ets_blocks_init(&pairs->left, &pairs->walked[0]);
    ets_blocks_init(&pairs->right, &pairs->walked[1]);
    pairs->remaining = ets_tensor_count(left);
    pairs->begun = 0;
    pairs->count = 0;
    return ETS_OK;
}

bool ets_pairs_next(struct ets_pairs *pairs)
{
    const uint64_t most = ETS_PAIRS_BLOCK / pairs->component_count;
    pairs->begun += pairs->count;
    pairs->count = (size_t)(pairs->remaining < most ? pairs->remaining : most);
    if (pairs->count == 0) return false;
    pairs->remaining -= pairs->count;
    pairs->left_bytes = ets_blocks_next(&pairs->left, pairs->count, pairs->left_room);
    pairs->right_bytes = ets_blocks_next(&pairs->right, pairs->count, pairs->right_room);
    return true;
}

void ets_pairs_decode(const struct ets_pairs *pairs, struct ets_pair_numbers *numbers_out)
{
    numbers_out->count = pairs->count * pairs->component_count;
    numbers_out->left = ets_decoded(pairs->left_bytes, pairs->left.tensor->scalar_type,
                                    pairs->count, numbers_out->left_room);
    numbers_out->right = ets_decoded(pairs->right_bytes, pairs->right.tensor->scalar_type,
                                     pairs->count, numbers_out->right_room);
}
