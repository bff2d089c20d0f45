/*
 * The numbers of two values side by side, many at a time, in logical order:
 *
 *     struct gap_number_pairs pairs;
 *     if (!gap_number_pairs_init(&pairs, reference, device)) return;
 *     while (gap_number_pairs_next(&pairs)) {
 *         for (size_t i = 0; i < pairs.count; i++) use(pairs.left[i], pairs.right[i]);
 *     }
 */
#ifndef ETSCOPE_GAP_NUMBER_PAIRS_H
#define ETSCOPE_GAP_NUMBER_PAIRS_H

#include <stdbool.h>

#include "numerics/element_blocks.h"

enum { GAP_PAIRS_AT_ONCE = 512 };

struct gap_number_pairs {
    struct ets_elements elements[2];
    size_t count; /* of the pairs below */
    const double *left, *right;
    double left_room[GAP_PAIRS_AT_ONCE], right_room[GAP_PAIRS_AT_ONCE];
};

/* false: the elements of one are not numbers. */
static inline bool gap_number_pairs_init(struct gap_number_pairs *pairs,
                                         const struct ets_tensor *left,
                                         const struct ets_tensor *right)
{
    pairs->count = 0;
    return ets_elements_init(&pairs->elements[0], left, NULL) == ETS_OK &&
           ets_elements_init(&pairs->elements[1], right, NULL) == ETS_OK;
}

/* The next pairs; false: one of both has no more numbers. */
static inline bool gap_number_pairs_next(struct gap_number_pairs *pairs)
{
    size_t left, right;
    pairs->left =
        ets_elements_take(&pairs->elements[0], pairs->left_room, GAP_PAIRS_AT_ONCE, &left);
    pairs->right =
        ets_elements_take(&pairs->elements[1], pairs->right_room, GAP_PAIRS_AT_ONCE, &right);
    pairs->count = left < right ? left : right;
    return pairs->count > 0;
}

#endif
