/* Compares the k largest numbers of each row of two tensors. */
#include <stdbool.h>

#include "base/error.h"
#include "etscope/experimental/comparators.h"
#include "etscope/numerics.h"
#include "numerics/decode.h"
#include "numerics/pairs.h"

/* The largest numbers of a row so far, largest first. */
struct leaders {
    uint32_t count;
    double values[ETS_TOP_K_LIMIT];
    uint64_t places[ETS_TOP_K_LIMIT];
};

/* A NaN is larger than every number. */
static bool is_larger(double a, double b)
{
    return a > b || (a != a && b == b);
}

/* Whether `value` is among the k largest so far; rarely true. */
static inline bool is_leader(const struct leaders *leaders, uint32_t k, double value)
{
    return leaders->count < k || is_larger(value, leaders->values[k - 1]);
}

static void insert(struct leaders *leaders, uint32_t k, double value, uint64_t place)
{
    uint32_t at = leaders->count;
    if (at == k) at--;
    else leaders->count++;
    for (; at > 0 && is_larger(value, leaders->values[at - 1]); at--) {
        leaders->values[at] = leaders->values[at - 1];
        leaders->places[at] = leaders->places[at - 1];
    }
    leaders->values[at] = value;
    leaders->places[at] = place;
}

static uint32_t count_common(const struct leaders *a, const struct leaders *b)
{
    uint32_t common = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        for (uint32_t j = 0; j < b->count; j++) common += a->places[i] == b->places[j];
    }
    return common;
}

static void add_row(struct ets_top_k *top, const struct leaders *a, const struct leaders *b)
{
    const uint32_t common = count_common(a, b);
    const bool is_whole = common == a->count;
    if (!is_whole && top->all_agree == top->row_count) top->first_unlike = top->row_count;
    top->row_count++;
    top->first_agrees += a->places[0] == b->places[0];
    top->all_agree += is_whole;
    top->overlap += (double)common / a->count;
}

static enum ets_status check(const struct ets_tensor *reference, const struct ets_tensor *other,
                             struct ets_error *error)
{
    struct ets_elements left, right;
    ETS_TRY(ets_elements_init(&left, reference, error));
    ETS_TRY(ets_elements_init(&right, other, error));
    bool is_same = reference->rank == other->rank;
    for (uint32_t i = 0; is_same && i < reference->rank; i++) {
        is_same = reference->sizes[i] == other->sizes[i];
    }
    if (!is_same) return ets_fail(error, ETS_MISMATCH, ETS_NO_OFFSET, "the shapes differ");
    if (left.component_count != 1 || right.component_count != 1) {
        return ets_fail(error, ETS_UNSUPPORTED, ETS_NO_OFFSET, "complex numbers cannot be ordered");
    }
    return ETS_OK;
}

/* Iterates over a tensor's numbers block by block, in logical order. */
struct side {
    struct ets_blocks blocks;
    struct leaders leaders; /* of the row */
    double numbers[ETS_PAIRS_BLOCK];
    uint8_t room[ETS_PAIRS_BLOCK * sizeof(double)];
};

static void next_block(struct side *side, size_t count)
{
    const uint8_t *bytes = ets_blocks_next(&side->blocks, count, side->room);
    ets_decode(bytes, side->blocks.tensor->scalar_type, count, side->numbers);
}

/* Both tensors must have passed the check. */
static void walk(const struct ets_tensor *reference, const struct ets_tensor *other, uint32_t k,
                 struct ets_top_k *top)
{
    struct side left, right;
    const uint32_t rank = reference->rank;
    const uint64_t length = rank > 0 ? (uint64_t)reference->sizes[rank - 1] : 1;
    uint64_t remaining = ets_tensor_count(reference), place = 0;
    ets_blocks_init(&left.blocks, reference);
    ets_blocks_init(&right.blocks, other);
    left.leaders.count = right.leaders.count = 0;
    while (remaining > 0) {
        const size_t count = remaining < ETS_PAIRS_BLOCK ? (size_t)remaining : ETS_PAIRS_BLOCK;
        next_block(&left, count);
        next_block(&right, count);
        remaining -= count;
        for (size_t i = 0; i < count; i++) {
            const double x = left.numbers[i], y = right.numbers[i];
            if (is_leader(&left.leaders, k, x)) insert(&left.leaders, k, x, place);
            if (is_leader(&right.leaders, k, y)) insert(&right.leaders, k, y, place);
            if (++place < length) continue;
            add_row(top, &left.leaders, &right.leaders);
            place = left.leaders.count = right.leaders.count = 0;
        }
    }
}

enum ets_status ets_top_k_of(const struct ets_tensor *reference, const struct ets_tensor *other,
                             uint32_t k, struct ets_top_k *top_k_out, struct ets_error *error)
{
    if (k == 0 || k > ETS_TOP_K_LIMIT) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET, "k is %u; it must be 1 to %u",
                        k, (unsigned)ETS_TOP_K_LIMIT);
    }
    const enum ets_status status = check(reference, other, error);
    if (status != ETS_OK) return status;
    struct ets_top_k top = {.row_count = 0};
    walk(reference, other, k, &top);
    if (top.all_agree == top.row_count) top.first_unlike = top.row_count;
    top.overlap = top.row_count > 0 ? top.overlap / (double)top.row_count : __builtin_nan("");
    *top_k_out = top;
    return ETS_OK;
}
