/*
 * npz.h - NumPy's .npz files: named arrays in one zip, read in place and written front to back.
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
 * Each array is an entry NAME.npy, for which npy.h says what types become. A build without zlib
 * answers UNAVAILABLE to both opens. Objects belong to one thread at a time.
 */
#ifndef ETSCOPE_NPZ_H
#define ETSCOPE_NPZ_H

#include "etscope/allocator.h"
#include "etscope/bytes.h"
#include "etscope/file.h"
#include "etscope/status.h"
#include "etscope/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

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
