/* Reads data files (.ptd): verifies the header and the named tensors, then finds them by name. */
#include "etscope/program.h"
#include "format/program_lists.h"

#include <string.h>

#include "format/descriptor.h"
#include "format/program_parts.h"
#include "format/root_types.h"
#include "format/wrong_kind.h"

/* flat_tensor.fbs */
enum { FILE_VERSION, FILE_SEGMENTS, FILE_ENTRIES };
enum { ENTRY_KEY, ENTRY_SEGMENT, ENTRY_LAYOUT };
enum { LAYOUT_SCALAR_TYPE, LAYOUT_SIZES, LAYOUT_DIM_ORDER };

/* The header is inside the FlatBuffer, after the root offset and the identifier. */
enum {
    HEADER_AT = 8,
    HEADER_LENGTH_AT = 12,
    HEADER_FLATBUFFER_OFFSET_AT = 16,
    HEADER_FLATBUFFER_SIZE_AT = 24,
    HEADER_SEGMENT_BASE_AT = 32,
    HEADER_SEGMENT_SIZE_AT = 40,
    HEADER_LENGTH = 40,
    HEADER_END = HEADER_AT + HEADER_LENGTH
};

static const struct ets_fb_field layout_fields[] = {
    SCALAR("scalar_type", LAYOUT_SCALAR_TYPE, ETS_FB_I8),
    SCALARS("sizes", LAYOUT_SIZES, ETS_FB_I32),
    SCALARS("dim_order", LAYOUT_DIM_ORDER, ETS_FB_U8),
};
static const struct ets_fb_type layout_type = {"TensorLayout", layout_fields, 3};
static const struct ets_fb_field entry_fields[] = {
    {"key", ENTRY_KEY, ETS_FB_STRING, ETS_FB_REQUIRED, {0}},
    SCALAR("segment_index", ENTRY_SEGMENT, ETS_FB_U32),
    {"tensor_layout", ENTRY_LAYOUT, ETS_FB_TABLE, 0, {.table = &layout_type}},
};
static const struct ets_fb_type entry_type = {"NamedData", entry_fields, 3};
static const struct ets_fb_field file_fields[] = {
    SCALAR("version", FILE_VERSION, ETS_FB_U32),
    TABLES("segments", FILE_SEGMENTS, ets_parts_segment_type),
    TABLES("named_data", FILE_ENTRIES, entry_type),
};
const struct ets_fb_type ets_data_file_type = {"FlatTensor", file_fields, 3};

/* Until ExecuTorch 0.5: an alignment, tensors by name, then segments. */
static const struct ets_fb_field early_tensor_fields[] = {
    {"fully_qualified_name", 0, ETS_FB_STRING, ETS_FB_REQUIRED, {0}},
};
static const struct ets_fb_type early_tensor_type = {"TensorMetadata", early_tensor_fields, 1};
static const struct ets_fb_field early_fields[] = {
    SCALAR("version", 0, ETS_FB_U32),
    SCALAR("tensor_alignment", 1, ETS_FB_U32),
    TABLES("tensors", 2, early_tensor_type),
    TABLES("segments", 3, ets_parts_segment_type),
};
static const struct ets_fb_type early_type = {"FlatTensor", early_fields, 4};

/* Says of a file of that layout that it is one, instead of what is wrong with it. */
static enum ets_status fail_root(struct ets_bytes body, enum ets_status status,
                                 struct ets_error *error)
{
    struct ets_fb early;
    if (ets_fb_verify_root(body, 0, &early_type, 0, &early, NULL) != ETS_OK) return status;
    if (!ets_fb_has(early, 1) || !ets_fb_has(early, 2)) return status;
    return ets_fail(
        error, ETS_UNSUPPORTED, early.at,
        "tensor data file of an early layout (ExecuTorch 0.5), which current runtimes do "
        "not read either; write it again with a newer version");
}

static enum ets_status check_kind(struct ets_bytes bytes, struct ets_error *error)
{
    if (ets_kind_sniff(bytes) != ETS_KIND_DATA_FILE) {
        return ets_fail_kind(error, "a tensor data file", bytes, 8);
    }
    if (bytes.size < HEADER_END) {
        return ets_fail(error, ETS_TRUNCATED, bytes.size,
                        "the header has %d bytes, but the file has %zu", HEADER_END, bytes.size);
    }
    return ETS_OK;
}

/* Fills flatbuffer_bytes, segment_base and the announced segment_bytes. */
static enum ets_status read_header(struct ets_data_file *data, struct ets_error *error)
{
    const uint8_t *at = data->bytes.data;
    const uint64_t file_bytes = data->bytes.size;
    if (memcmp(at + HEADER_AT, "FH01", 4) != 0) {
        return ets_fail(error, ETS_MALFORMED, HEADER_AT,
                        "header FH01 is missing after the identifier");
    }
    const uint32_t length = ets_load_u32(at + HEADER_LENGTH_AT);
    if (length < HEADER_LENGTH) {
        return ets_fail(error, ETS_MALFORMED, HEADER_LENGTH_AT, "header has %u bytes instead of %d",
                        length, HEADER_LENGTH);
    }
    const uint64_t offset = ets_load_u64(at + HEADER_FLATBUFFER_OFFSET_AT);
    const uint64_t size = ets_load_u64(at + HEADER_FLATBUFFER_SIZE_AT);
    const uint64_t base = ets_load_u64(at + HEADER_SEGMENT_BASE_AT);
    const uint64_t segments = ets_load_u64(at + HEADER_SEGMENT_SIZE_AT);
    if (!ets_range_fits(offset, size, file_bytes)) {
        return ets_fail(error, ETS_TRUNCATED, HEADER_FLATBUFFER_OFFSET_AT,
                        "the header announces %llu bytes at %llu, but the file has %llu",
                        (unsigned long long)size, (unsigned long long)offset,
                        (unsigned long long)file_bytes);
    }
    /*
     * The counted size starts after the header, but the root offset stays at the file's start: the
     * FlatBuffer extends from there to the end of both.
     */
    const uint64_t end = offset + size;
    if (end < HEADER_END) {
        return ets_fail(error, ETS_MALFORMED, HEADER_FLATBUFFER_SIZE_AT,
                        "the FlatBuffer ends at %llu, inside the header", (unsigned long long)end);
    }
    if (base != 0 && base < end) {
        return ets_fail(error, ETS_MALFORMED, HEADER_SEGMENT_BASE_AT,
                        "segments start at %llu, inside the FlatBuffer of %llu bytes",
                        (unsigned long long)base, (unsigned long long)end);
    }
    if (segments != 0 && !ets_range_fits(base, segments, file_bytes)) {
        return ets_fail(error, ETS_TRUNCATED, HEADER_SEGMENT_SIZE_AT,
                        "%llu bytes of segments at %llu run past the end of the file of %llu",
                        (unsigned long long)segments, (unsigned long long)base,
                        (unsigned long long)file_bytes);
    }
    data->flatbuffer_bytes = end;
    data->segment_base = base <= file_bytes ? base : file_bytes;
    data->segment_bytes = segments;
    return ETS_OK;
}

static struct ets_fb root_of(const struct ets_data_file *data)
{
    return (struct ets_fb){data->bytes.data, data->root_at};
}

static enum ets_status read_entry(const struct ets_data_file *data, uint32_t index,
                                  struct ets_data_entry *entry_out, struct ets_error *error)
{
    const struct ets_fb table =
        ets_fb_vector_table(ets_fb_vector(root_of(data), FILE_ENTRIES), index);
    struct ets_data_entry entry = {
        .key = ets_fb_text(table, ENTRY_KEY),
        .segment_index = ets_fb_u32(table, ENTRY_SEGMENT, 0),
    };
    if (entry.segment_index >= data->segment_count) {
        return ets_fail(error, ETS_MALFORMED, table.at,
                        "segment %u is out of range; the file has %u", entry.segment_index,
                        data->segment_count);
    }
    struct ets_data_segment segment;
    ets_data_file_segment(data, entry.segment_index, &segment);
    entry.bytes = segment.bytes;
    const struct ets_fb layout = ets_fb_table(table, ENTRY_LAYOUT);
    if (layout.at != 0) {
        uint64_t needed = 0;
        entry.has_layout = 1;
        ETS_TRY(ets_parts_read_layout(layout.at, ets_fb_i8(layout, LAYOUT_SCALAR_TYPE, 0),
                                      ets_fb_vector(layout, LAYOUT_SIZES),
                                      ets_fb_vector(layout, LAYOUT_DIM_ORDER), &entry.tensor,
                                      &needed, error));
        if (needed > segment.size) {
            return ets_fail(error, ETS_MALFORMED, layout.at,
                            "tensor of %llu bytes does not fit in its segment of %llu",
                            (unsigned long long)needed, (unsigned long long)segment.size);
        }
        entry.tensor.data = needed != 0 ? segment.bytes.data : NULL;
        entry.tensor.data_bytes = (size_t)needed;
    }
    *entry_out = entry;
    return ETS_OK;
}

enum ets_status ets_data_file_init(struct ets_data_file *data, struct ets_bytes bytes,
                                   struct ets_error *error)
{
    ETS_TRY(check_kind(bytes, error));
    struct ets_data_file view = {.bytes = bytes};
    ETS_TRY(read_header(&view, error));
    const struct ets_bytes body = {bytes.data, (size_t)view.flatbuffer_bytes};
    struct ets_fb root;
    const enum ets_status verified =
        ets_fb_verify_root(body, 0, &ets_data_file_type, 0, &root, error);
    if (verified != ETS_OK) return fail_root(body, verified, error);
    view.root_at = root.at;
    view.version = ets_fb_u32(root, FILE_VERSION, 0);
    if (view.version > ETS_DATA_FILE_VERSION) {
        return ets_fail(error, ETS_UNSUPPORTED, root.at,
                        "tensor data file has version %u; only version %d is supported",
                        view.version, ETS_DATA_FILE_VERSION);
    }
    const struct ets_fb_vector segments = ets_fb_vector(root, FILE_SEGMENTS);
    const struct ets_parts_region region = {bytes, view.segment_base, view.segment_bytes};
    ETS_TRY(ets_parts_verify_segments(segments, &region, &view.segment_bytes, error));
    view.segment_count = segments.count;
    view.entry_count = ets_fb_vector(root, FILE_ENTRIES).count;
    for (uint32_t i = 0; i < view.entry_count; i++) {
        struct ets_data_entry entry;
        const enum ets_status status = read_entry(&view, i, &entry, error);
        if (status != ETS_OK) return ets_parts_fail_within(error, status, "entry %u", i);
    }
    *data = view;
    return ETS_OK;
}

void ets_data_file_entry(const struct ets_data_file *data, uint32_t index,
                         struct ets_data_entry *entry_out)
{
    (void)read_entry(data, index, entry_out, NULL);
}

enum ets_status ets_data_file_find(const struct ets_data_file *data, struct ets_text key,
                                   struct ets_data_entry *entry_out, struct ets_error *error)
{
    const struct ets_fb_vector entries = ets_fb_vector(root_of(data), FILE_ENTRIES);
    for (uint32_t i = 0; i < entries.count; i++) {
        const struct ets_text name = ets_fb_text(ets_fb_vector_table(entries, i), ENTRY_KEY);
        if (name.size != key.size) continue;
        if (key.size != 0 && memcmp(name.data, key.data, key.size) != 0) continue;
        ets_data_file_entry(data, i, entry_out);
        return ETS_OK;
    }
    return ets_fail(error, ETS_NOT_FOUND, ETS_NO_OFFSET, "no entry '%.*s' among %u",
                    key.size < 160 ? (int)key.size : 160, key.data, data->entry_count);
}

void ets_data_file_segment(const struct ets_data_file *data, uint32_t index,
                           struct ets_data_segment *segment_out)
{
    segment_out->bytes = ets_parts_segment(ets_fb_vector(root_of(data), FILE_SEGMENTS), index,
                                           data->bytes, data->segment_base, &segment_out->offset);
    segment_out->size = segment_out->bytes.size;
}
