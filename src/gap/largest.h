/* Whether an output's largest number moved: of class scores, another class is predicted. */
#ifndef ETSCOPE_GAP_LARGEST_H
#define ETSCOPE_GAP_LARGEST_H

#include "gap/gap_parts.h"

/*
 * Compares where the largest number of each row lies; a row is the last dimension. `rows` is 0 for
 * tensors of more than three dimensions (images), of rows of one number, of integers, and of
 * tensors that differ in shape or have a NaN.
 */
struct ets_gap_largest ets_gap_largest_of(const struct ets_tensor *reference,
                                          const struct ets_tensor *device);

#endif
