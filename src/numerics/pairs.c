#include "numerics/pairs.h"

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

/* A walk over single elements needs the same of a tensor, and has the messages. */
static enum ets_status check(const struct ets_tensor *tensor, struct ets_error *error)
{
    struct ets_elements elements;
    return ets_elements_init(&elements, tensor, error);
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
        return ets_fail(error, ETS_MISMATCH, ETS_NO_OFFSET,
                        "one of the tensors is complex, the other is not");
    }
    ets_blocks_init(&pairs->left, left);
    ets_blocks_init(&pairs->right, right);
    pairs->remaining = ets_tensor_count(left);
    pairs->index = 0;
    pairs->count = 0;
    return ETS_OK;
}

bool ets_pairs_next(struct ets_pairs *pairs)
{
    const uint64_t most = ETS_PAIRS_BLOCK / pairs->component_count;
    pairs->index += pairs->count;
    pairs->count = (size_t)(pairs->remaining < most ? pairs->remaining : most);
    if (pairs->count == 0) return false;
    pairs->remaining -= pairs->count;
    pairs->left_bytes = ets_blocks_next(&pairs->left, pairs->count, pairs->left_room);
    pairs->right_bytes = ets_blocks_next(&pairs->right, pairs->count, pairs->right_room);
    return true;
}

size_t ets_pairs_decode(const struct ets_pairs *pairs, double left[ETS_PAIRS_BLOCK],
                        double right[ETS_PAIRS_BLOCK])
{
    ets_decode(pairs->left_bytes, pairs->left.tensor->scalar_type, pairs->count, left);
    ets_decode(pairs->right_bytes, pairs->right.tensor->scalar_type, pairs->count, right);
    return pairs->count * pairs->component_count;
}
