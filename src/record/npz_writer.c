/* Writes arrays as stored entries of a zip, front to back (APPNOTE.TXT 6.3.10, 4.3 to 4.5). */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/error.h"
#include "host/arena.h"
#include "host/output.h"
#include "record/numpy.h"
#include "record/zip.h"

enum {
    VERSION = 20,
    VERSION64 = 45,
    FLAG_UTF8 = 1 << 11,
    DATE_1980 = 1 << 5 | 1, /* 1 January: files of the same tensors are the same */
    EXTRA64 = 1,
    PIECE_BYTES = 1 << 14,
    NAME_LIMIT = 60000,
    HEADER_ROOM = 64 /* of any record's fixed part */
};

/* An entry that was written. */
struct entry {
    char *name; /* with its ending */
    uint64_t offset, bytes;
    uint32_t crc;
    struct entry *next;
};

struct ets_npz_writer {
    struct ets_arena arena;
    struct ets_output *output;
    struct entry *first, **last;
    uint64_t written, count;
};

/* A record of the zip as it is put together. */
struct record {
    uint8_t bytes[HEADER_ROOM];
    size_t size;
};

static void put(struct record *record, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) record->bytes[record->size++] = (uint8_t)(value >> 8 * i);
}

static uint32_t cut32(uint64_t value)
{
    return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

static void write_bytes(struct ets_npz_writer *writer, const void *data, size_t size)
{
    ets_output_write(writer->output, data, size);
    writer->written += size;
}

enum ets_status ets_npz_writer_open(struct ets_output *output,
                                    const struct ets_allocator *allocator,
                                    struct ets_npz_writer **writer_out, struct ets_error *error)
{
    struct ets_arena arena;
    ets_arena_init(&arena, allocator, 0);
    struct ets_npz_writer *writer = ets_arena_alloc(&arena, sizeof *writer);
    if (writer == NULL) {
        return ets_fail(error, ETS_NO_MEMORY, ETS_NO_OFFSET, "no memory to write the .npz file");
    }
    *writer = (struct ets_npz_writer){.output = output};
    writer->arena = arena; /* holds its owner */
    writer->last = &writer->first;
    *writer_out = writer;
    return ETS_OK;
}

void ets_npz_writer_close(struct ets_npz_writer *writer)
{
    if (writer == NULL) return;
    struct ets_arena arena = writer->arena;
    ets_arena_reset(&arena);
}

/* Goes over the elements in logical order; `writer` NULL: for the check sum alone. */
static uint32_t pass_elements(struct ets_npz_writer *writer, const struct ets_tensor *tensor,
                              uint32_t crc)
{
    uint8_t piece[PIECE_BYTES];
    const size_t bytes = ets_scalar_type_bytes((int)tensor->scalar_type);
    const uint64_t count = ets_tensor_count(tensor);
    const size_t most = sizeof piece / bytes;
    for (uint64_t i = 0; i < count; i += most) {
        const size_t here = count - i < most ? (size_t)(count - i) : most;
        ets_tensor_gather(tensor, i, here, piece);
        if (writer != NULL) write_bytes(writer, piece, here * bytes);
        else crc = (uint32_t)crc32(crc, piece, (uInt)(here * bytes));
    }
    return crc;
}

/* Sizes in the extra field where 32 bits are too few. */
static void put_local(struct record *record, const struct entry *entry)
{
    const bool is_big = entry->bytes >= UINT32_MAX;
    put(record, ETS_ZIP_LOCAL, 4);
    put(record, is_big ? VERSION64 : VERSION, 2);
    put(record, FLAG_UTF8, 2);
    put(record, 0, 2); /* stored */
    put(record, 0, 2); /* midnight */
    put(record, DATE_1980, 2);
    put(record, entry->crc, 4);
    put(record, cut32(entry->bytes), 4);
    put(record, cut32(entry->bytes), 4);
    put(record, strlen(entry->name), 2);
    put(record, is_big ? 20 : 0, 2);
}

static void put_sizes64(struct record *record, const struct entry *entry)
{
    put(record, EXTRA64, 2);
    put(record, 16, 2);
    put(record, entry->bytes, 8);
    put(record, entry->bytes, 8);
}

static enum ets_status check(const struct ets_tensor *tensor, const char *name,
                             struct ets_error *error)
{
    const size_t name_bytes = strlen(name);
    const uint64_t extent = ets_tensor_extent(tensor);
    if (name_bytes == 0 || name_bytes > NAME_LIMIT) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                        "the name of an array must have 1 to %d bytes, not %zu", NAME_LIMIT,
                        name_bytes);
    }
    if (extent == UINT64_MAX || extent > tensor->data_bytes ||
        (extent > 0 && tensor->data == NULL)) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                        "%s: sizes and strides extend past the data", name);
    }
    return ETS_OK;
}

enum ets_status ets_npz_writer_add(struct ets_npz_writer *writer, const char *name,
                                   const struct ets_tensor *tensor, struct ets_error *error)
{
    uint8_t header[ETS_NPY_HEADER_BYTES];
    struct ets_tensor row_major = *tensor;
    size_t header_bytes;
    ETS_TRY(check(tensor, name, error));
    ets_tensor_set_contiguous(&row_major);
    ETS_TRY(ets_npy_write_header(&row_major, header, sizeof header, &header_bytes, error));
    struct entry *entry = ets_arena_alloc(&writer->arena, sizeof *entry);
    char *file_name = ets_arena_alloc(&writer->arena, strlen(name) + sizeof ".npy");
    if (entry == NULL || file_name == NULL) {
        return ets_fail_memory(error, "the .npz directory");
    }
    strcpy(file_name, name);
    strcat(file_name, ".npy");
    const uint64_t data_bytes =
        ets_tensor_count(tensor) * ets_scalar_type_bytes((int)tensor->scalar_type);
    entry->name = file_name;
    entry->offset = writer->written;
    entry->bytes = header_bytes + data_bytes;
    entry->crc = pass_elements(NULL, tensor, (uint32_t)crc32(0, header, (uInt)header_bytes));
    struct record local = {.size = 0}, sizes = {.size = 0};
    put_local(&local, entry);
    write_bytes(writer, local.bytes, local.size);
    write_bytes(writer, file_name, strlen(file_name));
    if (entry->bytes >= UINT32_MAX) put_sizes64(&sizes, entry);
    write_bytes(writer, sizes.bytes, sizes.size);
    write_bytes(writer, header, header_bytes);
    pass_elements(writer, tensor, 0);
    *writer->last = entry;
    writer->last = &entry->next;
    writer->count++;
    return ETS_OK;
}

static void write_central(struct ets_npz_writer *writer, const struct entry *entry)
{
    struct record record = {.size = 0}, extra = {.size = 0};
    const bool is_big = entry->bytes >= UINT32_MAX, is_far = entry->offset >= UINT32_MAX;
    const int extra_bytes = (is_big ? 16 : 0) + (is_far ? 8 : 0);
    if (extra_bytes > 0) {
        put(&extra, EXTRA64, 2);
        put(&extra, (uint64_t)extra_bytes, 2);
    }
    if (is_big) {
        put(&extra, entry->bytes, 8);
        put(&extra, entry->bytes, 8);
    }
    if (is_far) put(&extra, entry->offset, 8);
    put(&record, ETS_ZIP_CENTRAL, 4);
    put(&record, extra_bytes > 0 ? VERSION64 : VERSION, 2);
    put(&record, extra_bytes > 0 ? VERSION64 : VERSION, 2);
    put(&record, FLAG_UTF8, 2);
    put(&record, 0, 2);
    put(&record, 0, 2);
    put(&record, DATE_1980, 2);
    put(&record, entry->crc, 4);
    put(&record, cut32(entry->bytes), 4);
    put(&record, cut32(entry->bytes), 4);
    put(&record, strlen(entry->name), 2);
    put(&record, extra.size, 2);
    put(&record, 0, 2); /* no comment */
    put(&record, 0, 2); /* disk 0 */
    put(&record, 0, 2);
    put(&record, 0, 4);
    put(&record, cut32(entry->offset), 4);
    write_bytes(writer, record.bytes, record.size);
    write_bytes(writer, entry->name, strlen(entry->name));
    write_bytes(writer, extra.bytes, extra.size);
}

static void write_end(struct ets_npz_writer *writer, uint64_t start)
{
    struct record record = {.size = 0};
    const uint64_t end = writer->written, bytes = end - start;
    if (writer->count >= UINT16_MAX || start >= UINT32_MAX || bytes >= UINT32_MAX) {
        put(&record, ETS_ZIP_END64, 4);
        put(&record, 44, 8); /* of what follows */
        put(&record, VERSION64, 2);
        put(&record, VERSION64, 2);
        put(&record, 0, 8); /* disks */
        put(&record, writer->count, 8);
        put(&record, writer->count, 8);
        put(&record, bytes, 8);
        put(&record, start, 8);
        write_bytes(writer, record.bytes, record.size);
        record.size = 0;
        put(&record, ETS_ZIP_LOCATOR64, 4);
        put(&record, 0, 4);
        put(&record, end, 8);
        put(&record, 1, 4);
    }
    const uint16_t count = writer->count < UINT16_MAX ? (uint16_t)writer->count : UINT16_MAX;
    put(&record, ETS_ZIP_END, 4);
    put(&record, 0, 4); /* disks */
    put(&record, count, 2);
    put(&record, count, 2);
    put(&record, cut32(bytes), 4);
    put(&record, cut32(start), 4);
    put(&record, 0, 2); /* no comment */
    write_bytes(writer, record.bytes, record.size);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp((*(const struct entry *const *)a)->name, (*(const struct entry *const *)b)->name);
}

static enum ets_status check_names(struct ets_npz_writer *writer, struct ets_error *error)
{
    const struct entry **sorted =
        ets_arena_alloc_array(&writer->arena, (size_t)writer->count, sizeof *sorted);
    if (sorted == NULL) {
        return ets_fail_memory(error, "the .npz directory");
    }
    size_t count = 0;
    for (const struct entry *e = writer->first; e != NULL; e = e->next) sorted[count++] = e;
    if (count > 1) qsort(sorted, count, sizeof *sorted, compare_names);
    for (size_t i = 1; i < count; i++) {
        if (strcmp(sorted[i - 1]->name, sorted[i]->name) != 0) continue;
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                        "two arrays of the .npz file are named %.100s", sorted[i]->name);
    }
    return ETS_OK;
}

enum ets_status ets_npz_writer_finish(struct ets_npz_writer *writer, struct ets_error *error)
{
    ETS_TRY(check_names(writer, error));
    const uint64_t start = writer->written;
    for (const struct entry *e = writer->first; e != NULL; e = e->next) write_central(writer, e);
    write_end(writer, start);
    return ETS_OK;
}
