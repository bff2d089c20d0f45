/* Reads zip files, with zip64: checks the directory once, inflates entries on request. */
#include "record/zip.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/error.h"
#include "base/load.h"

enum {
    LOCAL_BYTES = 30,
    CENTRAL_BYTES = 46,
    END_BYTES = 22,
    END64_BYTES = 56,
    LOCATOR64_BYTES = 20,
    MAX_COMMENT_BYTES = 0xffff,
    FLAG_ENCRYPTED = 1,
    METHOD_STORED = 0,
    METHOD_DEFLATED = 8,
    EXTRA_ZIP64 = 1,
    /* A deflate stream cannot shrink its input further than this. */
    MAX_DEFLATE_RATIO = 1032,
    NAME_IN_MESSAGE = 100
};

/* Where the central directory lies, as the end of the file says. */
struct directory {
    uint64_t offset, bytes, count;
};

static int shown(struct ets_text name)
{
    return name.size < NAME_IN_MESSAGE ? (int)name.size : NAME_IN_MESSAGE;
}

/* The offset of the end record, the last one whose comment fits; UINT64_MAX: none. */
static uint64_t find_end(struct ets_bytes bytes)
{
    if (bytes.size < END_BYTES) return UINT64_MAX;
    const size_t last = bytes.size - END_BYTES;
    const size_t first = last > MAX_COMMENT_BYTES ? last - MAX_COMMENT_BYTES : 0;
    uint64_t found = UINT64_MAX;
    for (size_t at = first; at <= last; at++) {
        const uint8_t *next = memchr(bytes.data + at, 'P', last - at + 1);
        if (next == NULL) break;
        at = (size_t)(next - bytes.data);
        if (ets_load_u32(next) == ETS_ZIP_END &&
            ets_load_u16(next + 20) <= bytes.size - at - END_BYTES) {
            found = at;
        }
    }
    return found;
}

/* Replaces the directory's place by the zip64 one, where the file has that; else does nothing. */
static bool read_end64(struct ets_bytes bytes, uint64_t end, struct directory *directory)
{
    if (end < LOCATOR64_BYTES) return true;
    const uint8_t *locator = bytes.data + end - LOCATOR64_BYTES;
    if (ets_load_u32(locator) != ETS_ZIP_LOCATOR64) return true;
    const uint64_t at = ets_load_u64(locator + 8);
    if (!ets_range_fits(at, END64_BYTES, end)) return false;
    const uint8_t *record = bytes.data + at;
    if (ets_load_u32(record) != ETS_ZIP_END64) return false;
    directory->count = ets_load_u64(record + 32);
    directory->bytes = ets_load_u64(record + 40);
    directory->offset = ets_load_u64(record + 48);
    return true;
}

static enum ets_status find_directory(const struct ets_zip *zip, struct directory *directory,
                                      struct ets_error *error)
{
    const struct ets_bytes bytes = zip->bytes;
    const uint64_t end = find_end(bytes);
    if (end == UINT64_MAX) {
        if (bytes.size >= 4 && ets_load_u32(bytes.data) == ETS_ZIP_LOCAL) {
            return ets_fail(error, ETS_TRUNCATED, zip->base_offset + bytes.size,
                            "the zip file has no end record: its end is missing");
        }
        return ets_fail(error, ETS_WRONG_KIND, zip->base_offset, "not a zip file");
    }
    const uint8_t *record = bytes.data + end;
    directory->count = ets_load_u16(record + 10);
    directory->bytes = ets_load_u32(record + 12);
    directory->offset = ets_load_u32(record + 16);
    if (ets_load_u16(record + 4) != 0 && ets_load_u16(record + 4) != 0xffff) {
        return ets_fail(error, ETS_UNSUPPORTED, zip->base_offset + end,
                        "the zip file is one part of several");
    }
    if (!read_end64(bytes, end, directory)) {
        return ets_fail(error, ETS_MALFORMED, zip->base_offset + end,
                        "the zip file's zip64 end record is not where its locator says");
    }
    if (!ets_range_fits(directory->offset, directory->bytes, end)) {
        return ets_fail(error, ETS_MALFORMED, zip->base_offset + end,
                        "the zip directory (offset %llu, %llu bytes) lies outside the file",
                        (unsigned long long)directory->offset,
                        (unsigned long long)directory->bytes);
    }
    if (directory->count > ETS_ZIP_MAX_ENTRIES) {
        return ets_fail(error, ETS_LIMIT, zip->base_offset + end,
                        "the zip file announces %llu entries, over the limit of %llu",
                        (unsigned long long)directory->count,
                        (unsigned long long)ETS_ZIP_MAX_ENTRIES);
    }
    if (directory->count > directory->bytes / CENTRAL_BYTES) {
        return ets_fail(error, ETS_MALFORMED, zip->base_offset + end,
                        "the zip file announces %llu entries in a directory of %llu bytes",
                        (unsigned long long)directory->count, (unsigned long long)directory->bytes);
    }
    return ETS_OK;
}

/* Sizes and offsets that did not fit into 32 bits, in the order in which they are missing. */
static bool read_extra64(const uint8_t *extra, size_t size, struct ets_zip_entry *entry)
{
    uint64_t *wanted[3];
    size_t count = 0;
    if (entry->bytes == UINT32_MAX) wanted[count++] = &entry->bytes;
    if (entry->packed_bytes == UINT32_MAX) wanted[count++] = &entry->packed_bytes;
    if (entry->header_offset == UINT32_MAX) wanted[count++] = &entry->header_offset;
    if (count == 0) return true;
    while (size >= 4) {
        const size_t length = ets_load_u16(extra + 2);
        if (length > size - 4) return false;
        if (ets_load_u16(extra) == EXTRA_ZIP64) {
            for (size_t i = 0; i < count; i++) {
                if (length < 8 * (i + 1)) return false;
                *wanted[i] = ets_load_u64(extra + 4 + 8 * i);
            }
            return true;
        }
        extra += 4 + length;
        size -= 4 + length;
    }
    return false;
}

/* One record of the central directory; false: it runs over the end. */
static bool read_central(const uint8_t *at, uint64_t left, struct ets_zip_entry *entry,
                         uint64_t *size_out)
{
    if (left < CENTRAL_BYTES || ets_load_u32(at) != ETS_ZIP_CENTRAL) return false;
    const size_t name_size = ets_load_u16(at + 28);
    const size_t extra_size = ets_load_u16(at + 30);
    *size_out = CENTRAL_BYTES + name_size + extra_size + ets_load_u16(at + 32);
    if (*size_out > left) return false;
    *entry = (struct ets_zip_entry){
        .name = {(const char *)at + CENTRAL_BYTES, name_size},
        .flags = ets_load_u16(at + 8),
        .method = ets_load_u16(at + 10),
        .crc = ets_load_u32(at + 16),
        .packed_bytes = ets_load_u32(at + 20),
        .bytes = ets_load_u32(at + 24),
        .header_offset = ets_load_u32(at + 42),
    };
    return read_extra64(at + CENTRAL_BYTES + name_size, extra_size, entry);
}

/* Finds the payload behind the local header, whose own extra field differs from the directory's. */
static enum ets_status place_entry(const struct ets_zip *zip, struct ets_zip_entry *entry,
                                   uint64_t directory_offset, uint64_t listed_at,
                                   struct ets_error *error)
{
    const uint64_t place = zip->base_offset + entry->header_offset;
    if (!ets_range_fits(entry->header_offset, LOCAL_BYTES, directory_offset)) {
        return ets_fail(error, ETS_MALFORMED, zip->base_offset + listed_at,
                        "zip entry %.*s: its offset %llu lies outside the file", shown(entry->name),
                        entry->name.data, (unsigned long long)entry->header_offset);
    }
    const uint8_t *header = zip->bytes.data + entry->header_offset;
    if (ets_load_u32(header) != ETS_ZIP_LOCAL) {
        return ets_fail(error, ETS_MALFORMED, place,
                        "zip entry %.*s: no local header at its offset", shown(entry->name),
                        entry->name.data);
    }
    const size_t name_size = ets_load_u16(header + 26);
    entry->payload_offset =
        entry->header_offset + LOCAL_BYTES + name_size + ets_load_u16(header + 28);
    if (!ets_range_fits(entry->payload_offset, entry->packed_bytes, directory_offset)) {
        return ets_fail(error, ETS_MALFORMED, place,
                        "zip entry %.*s: its %llu bytes overlap the directory", shown(entry->name),
                        entry->name.data, (unsigned long long)entry->packed_bytes);
    }
    if (name_size != entry->name.size ||
        memcmp(header + LOCAL_BYTES, entry->name.data, name_size) != 0) {
        return ets_fail(error, ETS_MALFORMED, place,
                        "zip entry %.*s: its local header has another name", shown(entry->name),
                        entry->name.data);
    }
    if (entry->method == METHOD_STORED && entry->bytes != entry->packed_bytes) {
        return ets_fail(error, ETS_MALFORMED, place,
                        "zip entry %.*s: stored uncompressed in %llu bytes, but has %llu",
                        shown(entry->name), entry->name.data,
                        (unsigned long long)entry->packed_bytes, (unsigned long long)entry->bytes);
    }
    return ETS_OK;
}

static int compare_text(struct ets_text a, struct ets_text b)
{
    const size_t common = a.size < b.size ? a.size : b.size;
    const int order = common == 0 ? 0 : memcmp(a.data, b.data, common);
    if (order != 0) return order;
    return (a.size > b.size) - (a.size < b.size);
}

static int compare_names(const void *a, const void *b)
{
    const struct ets_zip_entry *const *left = a, *const *right = b;
    return compare_text((*left)->name, (*right)->name);
}

static int compare_offsets(const void *a, const void *b)
{
    const struct ets_zip_entry *const *left = a, *const *right = b;
    return ((*left)->header_offset > (*right)->header_offset) -
           ((*left)->header_offset < (*right)->header_offset);
}

static void sort_entries(struct ets_zip *zip, int (*compare)(const void *, const void *))
{
    if (zip->entry_count > 1) {
        qsort(zip->by_name, zip->entry_count, sizeof *zip->by_name, compare);
    }
}

/* Entries that share bytes or a name make a file mean different things to different readers. */
static enum ets_status check_distinct(struct ets_zip *zip, struct ets_error *error)
{
    for (size_t i = 0; i < zip->entry_count; i++) zip->by_name[i] = &zip->entries[i];
    sort_entries(zip, compare_offsets);
    for (size_t i = 1; i < zip->entry_count; i++) {
        const struct ets_zip_entry *before = zip->by_name[i - 1], *entry = zip->by_name[i];
        if (before->payload_offset + before->packed_bytes > entry->header_offset) {
            return ets_fail(error, ETS_MALFORMED, zip->base_offset + entry->header_offset,
                            "zip entry %.*s overlaps the previous entry", shown(entry->name),
                            entry->name.data);
        }
    }
    sort_entries(zip, compare_names);
    for (size_t i = 1; i < zip->entry_count; i++) {
        const struct ets_zip_entry *entry = zip->by_name[i];
        if (compare_text(zip->by_name[i - 1]->name, entry->name) == 0) {
            return ets_fail(error, ETS_MALFORMED, zip->base_offset + entry->header_offset,
                            "zip entry %.*s occurs twice", shown(entry->name), entry->name.data);
        }
    }
    return ETS_OK;
}

enum ets_status ets_zip_open(struct ets_zip *zip, struct ets_bytes bytes, uint64_t base_offset,
                             bool check_crc, struct ets_arena *arena, struct ets_error *error)
{
    *zip = (struct ets_zip){
        .bytes = bytes, .arena = arena, .base_offset = base_offset, .check_crc = check_crc};
    struct directory directory;
    ETS_TRY(find_directory(zip, &directory, error));
    zip->entries = ets_arena_alloc_array(arena, (size_t)directory.count, sizeof *zip->entries);
    zip->by_name = ets_arena_alloc_array(arena, (size_t)directory.count, sizeof *zip->by_name);
    if (zip->entries == NULL || zip->by_name == NULL) {
        return ets_fail(error, ETS_NO_MEMORY, base_offset, "no memory for the zip directory");
    }
    uint64_t at = directory.offset;
    const uint64_t end = directory.offset + directory.bytes;
    for (uint64_t i = 0; i < directory.count; i++) {
        uint64_t size = 0;
        if (!read_central(bytes.data + at, end - at, &zip->entries[i], &size)) {
            return ets_fail(error, ETS_MALFORMED, base_offset + at,
                            "entry %llu of the zip directory is damaged", (unsigned long long)i);
        }
        ETS_TRY(place_entry(zip, &zip->entries[i], directory.offset, at, error));
        at += size;
    }
    if (at != end) { /* a record that says less than there is would be read as a smaller one */
        return ets_fail(error, ETS_MALFORMED, base_offset + at,
                        "the zip directory has %llu bytes behind the last of its %llu entries",
                        (unsigned long long)(end - at), (unsigned long long)directory.count);
    }
    zip->entry_count = (size_t)directory.count;
    return check_distinct(zip, error);
}

struct ets_zip_entry *ets_zip_find(const struct ets_zip *zip, struct ets_text name)
{
    size_t low = 0, high = zip->entry_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = compare_text(zip->by_name[middle]->name, name);
        if (order == 0) return zip->by_name[middle];
        if (order < 0) low = middle + 1;
        else high = middle;
    }
    return NULL;
}

/* zlib counts in unsigned int. */
static uint32_t crc_of(const uint8_t *data, uint64_t size)
{
    uLong crc = crc32(0, NULL, 0);
    while (size > 0) {
        const uInt piece = size > (UINT32_C(1) << 30) ? UINT32_C(1) << 30 : (uInt)size;
        crc = crc32(crc, data, piece);
        data += piece;
        size -= piece;
    }
    return (uint32_t)crc;
}

static void *zlib_alloc(void *context, uInt count, uInt size)
{
    return ets_arena_alloc_array(context, count, size);
}

/* The arena frees all at once. */
static void zlib_free(void *context, void *pointer)
{
    (void)context;
    (void)pointer;
}

/* Z_OK, or a code of zlib's; the ceilings keep all sizes below 2^31. */
static int inflate_entry(const uint8_t *packed, uint64_t packed_bytes, uint8_t *data,
                         uint64_t bytes, struct ets_arena *scratch)
{
    z_stream stream = {
        .next_in = (z_const Bytef *)(uintptr_t)packed,
        .avail_in = (uInt)packed_bytes,
        .next_out = data,
        .avail_out = (uInt)bytes,
        .zalloc = zlib_alloc,
        .zfree = zlib_free,
        .opaque = scratch,
    };
    int code = inflateInit2(&stream, -MAX_WBITS);
    if (code != Z_OK) return code;
    code = inflate(&stream, Z_FINISH);
    const bool complete = code == Z_STREAM_END && stream.avail_out == 0 && stream.avail_in == 0;
    (void)inflateEnd(&stream);
    return complete ? Z_OK : code == Z_MEM_ERROR ? Z_MEM_ERROR : Z_DATA_ERROR;
}

static enum ets_status unpack(struct ets_zip *zip, const struct ets_zip_entry *entry,
                              const uint8_t **data_out, struct ets_error *error)
{
    const uint64_t place = zip->base_offset + entry->payload_offset;
    if (entry->bytes > ETS_ZIP_MAX_INFLATED_BYTES ||
        entry->packed_bytes > ETS_ZIP_MAX_INFLATED_BYTES) {
        return ets_fail(error, ETS_LIMIT, place, "zip entry %.*s: inflates to over %llu bytes",
                        shown(entry->name), entry->name.data,
                        (unsigned long long)ETS_ZIP_MAX_INFLATED_BYTES);
    }
    if (entry->bytes / MAX_DEFLATE_RATIO > entry->packed_bytes) {
        return ets_fail(error, ETS_MALFORMED, place,
                        "zip entry %.*s: %llu bytes cannot inflate to %llu", shown(entry->name),
                        entry->name.data, (unsigned long long)entry->packed_bytes,
                        (unsigned long long)entry->bytes);
    }
    uint8_t *data = ets_arena_alloc(zip->arena, (size_t)entry->bytes);
    int code = Z_MEM_ERROR;
    if (data != NULL) {
        struct ets_arena scratch;
        ets_arena_init(&scratch, zip->arena->allocator, 0);
        code = inflate_entry(zip->bytes.data + entry->payload_offset, entry->packed_bytes, data,
                             entry->bytes, &scratch);
        ets_arena_reset(&scratch);
    }
    if (code == Z_MEM_ERROR) {
        return ets_fail(error, ETS_NO_MEMORY, place, "zip entry %.*s: no memory to inflate it",
                        shown(entry->name), entry->name.data);
    }
    if (code != Z_OK) {
        return ets_fail(error, ETS_MALFORMED, place,
                        "zip entry %.*s: its deflate stream is damaged", shown(entry->name),
                        entry->name.data);
    }
    *data_out = data;
    return ETS_OK;
}

enum ets_status ets_zip_read(struct ets_zip *zip, struct ets_zip_entry *entry,
                             struct ets_bytes *bytes_out, struct ets_error *error)
{
    if (entry->data == NULL) {
        const uint64_t place = zip->base_offset + entry->payload_offset;
        const uint8_t *data = zip->bytes.data + entry->payload_offset;
        if ((entry->flags & FLAG_ENCRYPTED) != 0) {
            return ets_fail(error, ETS_UNSUPPORTED, place, "zip entry %.*s is encrypted",
                            shown(entry->name), entry->name.data);
        }
        if (entry->method == METHOD_DEFLATED) {
            ETS_TRY(unpack(zip, entry, &data, error));
        } else if (entry->method != METHOD_STORED) {
            return ets_fail(error, ETS_UNSUPPORTED, place,
                            "zip entry %.*s: unknown compression method %u", shown(entry->name),
                            entry->name.data, (unsigned)entry->method);
        }
        if (zip->check_crc && crc_of(data, entry->bytes) != entry->crc) {
            return ets_fail(error, ETS_MALFORMED, place, "zip entry %.*s: its CRC-32 is wrong",
                            shown(entry->name), entry->name.data);
        }
        entry->data = data;
    }
    *bytes_out = (struct ets_bytes){entry->data, (size_t)entry->bytes};
    return ETS_OK;
}
