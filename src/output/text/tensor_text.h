/*
 * tensor_text.h - the elements of a tensor as text, laid out as NumPy prints arrays.
 *
 *     const struct ets_tensor_text_options options = {.edge_items = 3, .threshold = 1000};
 *     ets_tensor_text_write(&tensor, &options, output);
 *
 * gives for a float32 [2, 3]
 *
 *     [[ 0.5   1.    2.25]
 *      [-1.    0.    8.  ]]
 *
 * A tensor of more than two dimensions is printed matrix by matrix, each under its index: "[0, 3]".
 * Of one with more elements than `threshold` each dimension shows its first and last `edge_items`.
 * Numbers have as many digits as tell them from their neighbours of the same type, at most
 * `precision` behind the point; all are in scientific notation where the largest shown is 1e8 or
 * more, the smallest that is not 0 below 1e-4, or the two are more than a factor of 1000 apart.
 * Integers are exact; quantized types are their stored integers; elements that are no numbers (bits
 * types) are bytes in hexadecimal.
 */
#ifndef ETSCOPE_OUTPUT_TEXT_TENSOR_TEXT_H
#define ETSCOPE_OUTPUT_TEXT_TENSOR_TEXT_H

#include "etscope/base.h"
#include "etscope/file.h"
#include "etscope/tensor.h"

/* What `width` may be at most. */
#define ETS_TENSOR_TEXT_WIDTH_LIMIT 10000

struct ets_tensor_text_options {
    uint64_t threshold;  /* elements that are printed whole; UINT64_MAX: however many there are */
    uint32_t edge_items; /* shown at each end beyond that; 0: 3 */
    int precision;       /* digits behind the point, 0 to 17; below 0: 8 */
    uint32_t width;      /* of a line; 0: 75 */
};

/*
 * Writes the text and a line break behind it. Statuses: INVALID_ARGUMENT (options out of range,
 * sizes and strides that are no layout), TRUNCATED (they reach past the data).
 */
ETS_API enum ets_status ets_tensor_text_write(const struct ets_tensor *tensor,
                                              const struct ets_tensor_text_options *options,
                                              struct ets_output *output, struct ets_error *error);

/*
 * Writes how the finite numbers lie, in two lines: their quantiles, interpolated as NumPy does, and
 * a histogram of 32 bins between the least and the largest, drawn with one character each (`ascii`:
 * 1: of ASCII). Nothing where there are fewer than two numbers, or all are the same. Needs 8 bytes
 * for each number meanwhile. Statuses: NO_MEMORY, LIMIT (2^32 numbers or more), UNSUPPORTED (a type
 * without numbers), INVALID_ARGUMENT, TRUNCATED.
 */
ETS_API enum ets_status ets_tensor_spread_write(const struct ets_tensor *tensor, int ascii,
                                                const struct ets_allocator *allocator,
                                                struct ets_output *output, struct ets_error *error);

#endif
