/*
 * numpy.h - NumPy's files: a .npy file is one array, a .npz file several.
 *
 * Experimental: this header may change in any version, names and meanings included.
 *
 * NumPy's .npy files as tensors, read in place and written header first.
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
#ifndef ETSCOPE_NUMPY_H
#define ETSCOPE_NUMPY_H

#include "etscope/base.h"
#include "etscope/file.h"
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

/*
 * NumPy's .npz files: named arrays in one zip, read in place and written front to back.
 *
 *     struct ets_npz *npz;
 *     if (ets_npz_open(ets_file_bytes(file), NULL, &npz, &error) == ETS_OK) {
 *         for (size_t i = 0; i < ets_npz_count(npz); i++) {
 *             struct ets_tensor tensor;
 *             if (ets_npz_read(npz, i, &tensor, &error) == ETS_OK) ...
 *         }
 *         ets_npz_close(npz);
 *     }
 *
 *     struct ets_npz_writer *writer;
 *     ets_npz_writer_open(output, NULL, &writer, &error);
 *     status = ets_npz_writer_add(writer, "weight", &tensor, &error);
 *     status = ets_npz_writer_finish(writer, &error);
 *     ets_npz_writer_close(writer);
 *     status = ets_output_commit(output, &error);
 *
 * Each array is an entry NAME.npy, for whose types see above. A build without zlib
 * answers UNAVAILABLE to both opens. Objects belong to one thread at a time.
 */

struct ets_npz;

/*
 * Reads the directory. `bytes` is borrowed until close. Statuses: WRONG_KIND (no zip, or one with
 * an entry that is no .npy by its name), TRUNCATED, MALFORMED, LIMIT, NO_MEMORY, UNAVAILABLE.
 */
ETS_API enum ets_status ets_npz_open(struct ets_bytes bytes, const struct ets_allocator *allocator,
                                     struct ets_npz **npz_out, struct ets_error *error);
ETS_API void ets_npz_close(struct ets_npz *npz); /* NULL is allowed */

/* How many arrays there are; they have the order of the zip's directory, in which NumPy wrote them.
 */
ETS_API size_t ets_npz_count(const struct ets_npz *npz);

/* The name of array `index` without ".npy", borrowed from the file; absent behind the last one. */
ETS_API struct ets_text ets_npz_name(const struct ets_npz *npz, size_t index);

/* The index of the array of this name; ets_npz_count where there is none. */
ETS_API size_t ets_npz_find(const struct ets_npz *npz, struct ets_text name);

/*
 * Array `index`, checked and, where np.savez_compressed wrote it, inflated on first use. Its data
 * is borrowed until close. Statuses: MALFORMED (check sum, deflate stream), UNSUPPORTED (encrypted,
 * an other packing), LIMIT, NO_MEMORY, and those of ets_npy_read; the error's offset is a byte of
 * the .npz, of an inflated entry that of its first one. NOT_FOUND: no such index.
 */
ETS_API enum ets_status ets_npz_read(struct ets_npz *npz, size_t index,
                                     struct ets_tensor *tensor_out, struct ets_error *error);

struct ets_npz_writer;

/* `output` is borrowed until close, and the caller's to commit or discard. NO_MEMORY, UNAVAILABLE.
 */
ETS_API enum ets_status ets_npz_writer_open(struct ets_output *output,
                                            const struct ets_allocator *allocator,
                                            struct ets_npz_writer **writer_out,
                                            struct ets_error *error);

/*
 * Adds an array, uncompressed and in row-major order whatever the tensor's strides; beyond 4 GiB as
 * zip64. The name is copied. Statuses: UNSUPPORTED (a type that NumPy cannot hold),
 * INVALID_ARGUMENT (a name that is empty or over 60,000 bytes; sizes and strides that reach past
 * the data), NO_MEMORY. Nothing is written on failure, and the writer can go on.
 */
ETS_API enum ets_status ets_npz_writer_add(struct ets_npz_writer *writer, const char *name,
                                           const struct ets_tensor *tensor,
                                           struct ets_error *error);

/*
 * Writes the directory, after which the writer is only good for close. INVALID_ARGUMENT: two arrays
 * have one name; NO_MEMORY.
 */
ETS_API enum ets_status ets_npz_writer_finish(struct ets_npz_writer *writer,
                                              struct ets_error *error);
ETS_API void ets_npz_writer_close(struct ets_npz_writer *writer); /* NULL is allowed */

#ifdef __cplusplus
}
#endif

#endif
