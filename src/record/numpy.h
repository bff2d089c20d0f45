/*
 * numpy.h - reads and writes NumPy's files: .npy with one array, .npz with several.
 *
 * A .npy file is read in place and written header first.
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
 * Format: NEP 1, versions 1.0, 2.0 and 3.0; little-endian elements. No function for .npy allocates
 * or keeps state; all may be called from any thread.
 *
 * NumPy has no name for some of ExecuTorch's types. bfloat16 is "<V2" in both directions, like
 * ml_dtypes writes it: use `array.view(ml_dtypes.bfloat16)` after loading. The 8-bit floats are
 * written as "|V1", which does not say which of them it is, so they cannot be read back. Quantized
 * and bits types are written and read as their stored integers.
 */
#ifndef ETSCOPE_RECORD_NUMPY_H
#define ETSCOPE_RECORD_NUMPY_H

#include "etscope/base.h"
#include "etscope/file.h"
#include "etscope/tensor.h"
#include "host/output.h"

/* Enough for any header written here: 16 sizes of up to 19 digits. A multiple of 64. */
#define ETS_NPY_HEADER_BYTES 448

/* The longest header text that is read; NumPy's own limit is 10,000. */
#define ETS_NPY_HEADER_LIMIT 65536

/*
 * Fills `tensor_out` from a whole .npy file. `tensor_out->data` points into it, possibly unaligned.
 * Bytes after the last element are ignored, as in NumPy. Statuses: WRONG_KIND (not a .npy),
 * TRUNCATED, MALFORMED, LIMIT, UNSUPPORTED (big-endian, structured, text, object and date types;
 * more than ETS_TENSOR_MAX_RANK dimensions). The error's offset is a byte of the file.
 */
ETS_API enum ets_status ets_npy_read(struct ets_bytes bytes, struct ets_tensor *tensor_out,
                                     struct ets_error *error);

/*
 * Writes the header of a tensor. Its elements must follow in memory order, row-major or
 * column-major. `*size_out` is a multiple of 64. Statuses: NO_SPACE, UNSUPPORTED (a type that NumPy
 * cannot hold), INVALID_ARGUMENT (other strides, negative sizes).
 */
enum ets_status ets_npy_write_header(const struct ets_tensor *tensor, uint8_t *buffer,
                                     size_t capacity, size_t *size_out, struct ets_error *error);

/* "<f4" for ETS_SCALAR_FLOAT; NULL for a type that NumPy cannot hold. Static storage. */
const char *ets_npy_type_name(int scalar_type);

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
 * Each array is an entry NAME.npy, with the types above. Without zlib both opens return
 * UNAVAILABLE. Use an object from one thread at a time.
 */

struct ets_npz;

/*
 * Reads the directory. `bytes` is borrowed until close. Statuses: WRONG_KIND (not a zip, or an
 * entry without the suffix .npy), TRUNCATED, MALFORMED, LIMIT, NO_MEMORY, UNAVAILABLE.
 */
enum ets_status ets_npz_open(struct ets_bytes bytes, const struct ets_allocator *allocator,
                             struct ets_npz **npz_out, struct ets_error *error);
void ets_npz_close(struct ets_npz *npz); /* NULL is allowed */

/* The number of arrays. They are in the order of the zip's directory, in which NumPy wrote them. */
size_t ets_npz_count(const struct ets_npz *npz);

/* The name of array `index` without ".npy", borrowed from the file; absent after the last one. */
struct ets_text ets_npz_name(const struct ets_npz *npz, size_t index);

/* The index of the array of this name; ets_npz_count if there is none. */
size_t ets_npz_find(const struct ets_npz *npz, struct ets_text name);

/*
 * Reads array `index`. On first use it is checked and, if np.savez_compressed wrote it, inflated.
 * Its data is borrowed until close. Statuses: NOT_FOUND (no such index), MALFORMED (checksum,
 * deflate stream), UNSUPPORTED (encrypted, another compression), LIMIT, NO_MEMORY, and those of
 * ets_npy_read. The error's offset is a byte of the .npz; for an inflated entry, its first byte.
 */
enum ets_status ets_npz_read(struct ets_npz *npz, size_t index, struct ets_tensor *tensor_out,
                             struct ets_error *error);

struct ets_npz_writer;

/* `output` is borrowed until close; commit or discard it afterwards. NO_MEMORY, UNAVAILABLE.
 */
enum ets_status ets_npz_writer_open(struct ets_output *output,
                                    const struct ets_allocator *allocator,
                                    struct ets_npz_writer **writer_out, struct ets_error *error);

/*
 * Adds an array, uncompressed and in row-major order for any strides; beyond 4 GiB as zip64. The
 * name is copied. Statuses: UNSUPPORTED (a type that NumPy cannot hold), INVALID_ARGUMENT (a name
 * that is empty or over 60,000 bytes; sizes and strides that extend past the data), NO_MEMORY. On
 * failure nothing is written, and the writer can continue.
 */
enum ets_status ets_npz_writer_add(struct ets_npz_writer *writer, const char *name,
                                   const struct ets_tensor *tensor, struct ets_error *error);

/*
 * Writes the directory. Afterwards the writer can only be closed. Statuses: INVALID_ARGUMENT (two
 * arrays have the same name), NO_MEMORY.
 */
enum ets_status ets_npz_writer_finish(struct ets_npz_writer *writer, struct ets_error *error);
void ets_npz_writer_close(struct ets_npz_writer *writer); /* NULL is allowed */

#endif
