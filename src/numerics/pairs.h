/* Iterates over two tensors of one shape block by block, for all comparators. */
#ifndef ETSCOPE_NUMERICS_PAIRS_H
#define ETSCOPE_NUMERICS_PAIRS_H

#include "etscope/numerics.h"
#include "numerics/element_blocks.h"

/* Numbers of a block. Devices need a small stack. */
#ifdef __OPTIMIZE_SIZE__
enum { ETS_PAIRS_BLOCK = 64 };
#else
enum { ETS_PAIRS_BLOCK = 512 };
#endif

struct ets_pairs {
    struct ets_blocks left, right;
    struct ets_tensor walked[2];        /* both, with dimensions in iteration order */
    uint8_t order[ETS_TENSOR_MAX_RANK]; /* the tensors' dimensions in iteration order */
    bool is_reordered;        /* the order differs from theirs: indices do not only grow */
    uint64_t remaining;       /* elements */
    uint64_t begun;           /* elements before the block */
    uint32_t component_count; /* numbers of an element */
    size_t count;             /* elements of the block */
    const uint8_t *left_bytes, *right_bytes;
    uint8_t left_room[ETS_PAIRS_BLOCK * sizeof(double)];
    uint8_t right_room[ETS_PAIRS_BLOCK * sizeof(double)];
};

/*
 * Checks both tensors. Statuses: those of ets_elements_init; MISMATCH if the shapes differ or only
 * one tensor is complex.
 */
enum ets_status ets_pairs_init(struct ets_pairs *pairs, const struct ets_tensor *left,
                               const struct ets_tensor *right, struct ets_error *error);

/*
 * Logical index of the block's element `i`. Tensors of one layout are read in memory order, others
 * in an order of dimensions that suits both.
 */
uint64_t ets_pairs_index(const struct ets_pairs *pairs, size_t i);

/* Whether `value` at `index` is the largest so far, or its first place in logical order. */
static inline bool ets_is_first_largest(double value, uint64_t index, double largest,
                                        uint64_t largest_index)
{
    return value > largest || (value == largest && value > 0 && index < largest_index);
}

/* Moves to the next block; false after the last. */
bool ets_pairs_next(struct ets_pairs *pairs);

/* A block's numbers, `component_count` for each of its elements; in place where possible. */
struct ets_pair_numbers {
    size_t count; /* per side */
    const double *left, *right;
    double left_room[ETS_PAIRS_BLOCK], right_room[ETS_PAIRS_BLOCK];
};
void ets_pairs_decode(const struct ets_pairs *pairs, struct ets_pair_numbers *numbers_out);

/* Starts a comparison: all zero. */
void ets_comparison_init(struct ets_comparison *comparison);

/* Adds one pair. `index`, its element's, is kept if its error is the largest so far. */
void ets_comparison_add(struct ets_comparison *comparison, uint64_t index, double reference,
                        double other);

/* Adds `part` to `comparison`. Indices of all parts must have the same origin. */
void ets_comparison_merge(struct ets_comparison *comparison, const struct ets_comparison *part);

#endif
