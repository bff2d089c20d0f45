/*
 * npy.h - NumPy's .npy files as tensors, read in place and written header first.
 *
 *     struct ets_tensor tensor;
 *     if (ets_npy_read(ets_file_bytes(file), &tensor, &error) == ETS_OK) {
 *         ... tensor.data points into the file ...
 *     }
 *
 *     uint8_t header[ETS_NPY_HEADER_BYTES];
 *     size_t size;
 *     if (ets_npy_write_header(&tensor, header, sizeof header, &size, &error) == ETS_OK) {
 *         ets_output_write(output, header, size);
 *         ets_output_write(output, tensor.data, tensor.data_bytes);
 *     }
 *
 * Format: NEP 1, versions 1.0, 2.0 and 3.0; little-endian elements. No function here allocates
 * or keeps state; all are safe from any thread.
 *
 * NumPy has no name for some of ExecuTorch's types. bfloat16 is "<V2" in both directions, which is
 * what ml_dtypes writes: after loading, `array.view(ml_dtypes.bfloat16)`. The 8-bit floats are
 * written as "|V1", which does not say which of them, so they are not read back. Quantized and bits
 * types are written, and come back, as the integers that they are stored in.
 */
#ifndef ETSCOPE_NPY_H
#define ETSCOPE_NPY_H

#include "etscope/bytes.h"
#include "etscope/status.h"
#include "etscope/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What any header written here fits in: 16 sizes of up to 19 digits. A multiple of 64. */
#define ETS_NPY_HEADER_BYTES 448

/* The longest header text that is read; NumPy's own limit is 10,000. */
#define ETS_NPY_HEADER_LIMIT 65536

/*
 * Fills `tensor_out` from a whole .npy file, which `tensor_out->data` points into (possibly
 * unaligned). Bytes after the last element are ignored, as NumPy does. Statuses: WRONG_KIND (no
 * .npy), TRUNCATED, MALFORMED, LIMIT, UNSUPPORTED (big-endian, structured, text, object and date
 * types; more than ETS_TENSOR_MAX_RANK dimensions). The error's offset is a byte of the file.
 */
ETS_API enum ets_status ets_npy_read(struct ets_bytes bytes, struct ets_tensor *tensor_out,
                                     struct ets_error *error);

/*
 * Writes the header for a tensor whose elements follow as they lie in memory, row by row or column
 * by column. `*size_out` is a multiple of 64. Statuses: NO_SPACE, UNSUPPORTED (a type NumPy cannot
 * hold), INVALID_ARGUMENT (other strides, negative sizes).
 */
ETS_API enum ets_status ets_npy_write_header(const struct ets_tensor *tensor, uint8_t *buffer,
                                             size_t capacity, size_t *size_out,
                                             struct ets_error *error);

/* "<f4" for ETS_SCALAR_FLOAT; NULL for a type that NumPy cannot hold. Static storage. */
ETS_API const char *ets_npy_type_name(int scalar_type);

#ifdef __cplusplus
}
#endif

#endif
