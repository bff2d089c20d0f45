/*
 * Iterates over a tensor's elements block by block in logical order, for any strides: in place, or
 * gathered if they are not adjacent. Keeps strides out of inner loops.
 */
#ifndef ETSCOPE_NUMERICS_ELEMENT_BLOCKS_H
#define ETSCOPE_NUMERICS_ELEMENT_BLOCKS_H

#include <stdbool.h>

#include "etscope/numerics.h"

struct ets_blocks {
    const struct ets_tensor *tensor;
    const uint8_t *at; /* the next element, or the first of its row */
    size_t element_bytes;
    bool is_contiguous;
    int64_t position[ETS_TENSOR_MAX_RANK];
};

/*
 * OK if the elements are numbers and inside the tensor's bytes. UNSUPPORTED: not numbers;
 * INVALID_ARGUMENT: rank, sizes or strides; TRUNCATED: past data_bytes.
 */
enum ets_status ets_blocks_check(const struct ets_tensor *tensor);

/* Starts at the first element of a tensor that passed the check. */
void ets_blocks_init(struct ets_blocks *blocks, const struct ets_tensor *tensor);

/*
 * The next `count` elements, which must exist: in place, or copied to `room`, which holds `count`
 * elements.
 */
const uint8_t *ets_blocks_next(struct ets_blocks *blocks, size_t count, uint8_t *room);

/*
 * The next numbers of an iteration in logical order, at most `most`, which is at least 2, in place
 * or in `room`; their count, 0 at the end. As ets_elements_next, for many at a time; an iteration
 * uses one of both.
 */
const double *ets_elements_take(struct ets_elements *elements, double *room, size_t most,
                                size_t *count_out);

#endif
