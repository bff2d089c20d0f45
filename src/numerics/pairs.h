/* Two tensors of one shape in step, block by block, as what every comparator does with them. */
#ifndef ETSCOPE_NUMERICS_PAIRS_H
#define ETSCOPE_NUMERICS_PAIRS_H

#include "etscope/numerics.h"
#include "numerics/element_blocks.h"

/* A block's numbers. Devices want a small stack. */
#ifdef __OPTIMIZE_SIZE__
enum { ETS_PAIRS_BLOCK = 64 };
#else
enum { ETS_PAIRS_BLOCK = 512 };
#endif

struct ets_pairs {
    struct ets_blocks left, right;
    struct ets_tensor walked[2];        /* both, dimensions in the order in which they are walked */
    uint8_t order[ETS_TENSOR_MAX_RANK]; /* the tensors' dimensions in that order */
    bool is_reordered;                  /* it is not theirs, so that indices do not only grow */
    uint64_t remaining;                 /* elements */
    uint64_t begun;                     /* elements before the block */
    uint32_t component_count;           /* numbers of an element */
    size_t count;                       /* elements of the block */
    const uint8_t *left_bytes, *right_bytes;
    uint8_t left_room[ETS_PAIRS_BLOCK * sizeof(double)];
    uint8_t right_room[ETS_PAIRS_BLOCK * sizeof(double)];
};

/*
 * Checks both tensors. Statuses: those of ets_elements_init; MISMATCH where the shapes differ, and
 * where one is complex and the other is not.
 */
enum ets_status ets_pairs_init(struct ets_pairs *pairs, const struct ets_tensor *left,
                               const struct ets_tensor *right, struct ets_error *error);

/*
 * Logical index of the block's element `i`. Tensors of one layout are walked as they lie in memory,
 * others in an order of dimensions that suits both.
 */
uint64_t ets_pairs_index(const struct ets_pairs *pairs, size_t i);

/* Whether `value` at `index` is the largest so far, or its first place in logical order. */
static inline bool ets_is_first_largest(double value, uint64_t index, double largest,
                                        uint64_t largest_index)
{
    return value > largest || (value == largest && value > 0 && index < largest_index);
}

/* Moves to the next block; false behind the last. */
bool ets_pairs_next(struct ets_pairs *pairs);

/* The block's numbers, `count` x `component_count` of each side. Returns how many. */
size_t ets_pairs_decode(const struct ets_pairs *pairs, double left[ETS_PAIRS_BLOCK],
                        double right[ETS_PAIRS_BLOCK]);

/* Nothing compared yet: all zero. */
void ets_comparison_init(struct ets_comparison *comparison);

/* Adds one pair; `index` is its element's, kept where its error is the largest so far. */
void ets_comparison_add(struct ets_comparison *comparison, uint64_t index, double reference,
                        double other);

/* Adds what `part` compared to `comparison`; the parts' indices must count from one origin. */
void ets_comparison_merge(struct ets_comparison *comparison, const struct ets_comparison *part);

#endif
