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
 * If it has more elements than `threshold`, only the first and last `edge_items` of each dimension
 * are shown. Numbers have as many digits as distinguish them from their neighbours of the same
 * type, at most `precision` after the point. All are in scientific notation if the largest shown
 * number is 1e8 or more, the smallest nonzero number is below 1e-4, or they differ by a factor of
 * more than 1000. Integers are exact; quantized types are shown as their stored integers; elements
 * that are not numbers (bits types) are bytes in hexadecimal.
 */
#ifndef ETSCOPE_OUTPUT_TEXT_TENSOR_TEXT_H
#define ETSCOPE_OUTPUT_TEXT_TENSOR_TEXT_H

#include "etscope/base.h"
#include "etscope/file.h"
#include "etscope/tensor.h"
#include "host/output.h"

/* Maximum of `width`. */
#define ETS_TENSOR_TEXT_WIDTH_LIMIT 10000

struct ets_tensor_text_options {
    uint64_t threshold;  /* tensors with more elements are shortened; UINT64_MAX: none are */
    uint32_t edge_items; /* shown at each end beyond that; 0: 3 */
    int precision;       /* digits behind the point, 0 to 17; below 0: 8 */
    uint32_t width;      /* of a line; 0: 75 */
};

/*
 * Writes the text and a newline. Statuses: INVALID_ARGUMENT (options out of range, impossible sizes
 * and strides), TRUNCATED (they reach past the data).
 */
ETS_API enum ets_status ets_tensor_text_write(const struct ets_tensor *tensor,
                                              const struct ets_tensor_text_options *options,
                                              struct ets_output *output, struct ets_error *error);

/*
 * Writes the distribution of the finite elements in two lines: their quantiles, interpolated as
 * NumPy does, and a histogram of 32 bins between minimum and maximum, one character each (`ascii`
 * 1: in ASCII). Writes nothing for fewer than two elements, or if all are equal. Temporarily uses 8
 * bytes per element. Statuses: NO_MEMORY, LIMIT (2^32 numbers or more), UNSUPPORTED (a type without
 * numbers), INVALID_ARGUMENT, TRUNCATED.
 */
ETS_API enum ets_status ets_tensor_spread_write(const struct ets_tensor *tensor, int ascii,
                                                const struct ets_allocator *allocator,
                                                struct ets_output *output, struct ets_error *error);

#endif
