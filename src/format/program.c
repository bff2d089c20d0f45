/*
 * Opens a program (.pte): reads the extended header, verifies the FlatBuffer and counts its parts.
 */
#include "etscope/program.h"
#include "format/program_lists.h"

#include <string.h>

#include "format/program_parts.h"
#include "format/program_schema.h"
#include "format/wrong_kind.h"

/*
 * The extended header: magic, length, then the data of that length. It is inside the FlatBuffer,
 * after the root offset and the identifier, whose offsets include it.
 */
enum {
    HEADER_AT = 8,
    HEADER_LENGTH_AT = 12,
    HEADER_PROGRAM_SIZE_AT = 16,
    HEADER_SEGMENT_BASE_AT = 24,
    HEADER_SEGMENT_SIZE_AT = 32,
    HEADER_MIN_LENGTH = 24, /* without the segments' size, from older writers */
    HEADER_FULL_LENGTH = 32,
    RUNTIME_READS_BYTES = 64 /* the runtime's loader reads this many first */
};

static enum ets_status check_kind(struct ets_bytes bytes, struct ets_error *error)
{
    if (ets_kind_sniff(bytes) != ETS_KIND_PROGRAM) {
        return ets_fail_kind(error, "an ExecuTorch program", bytes, 8);
    }
    if (bytes.size < RUNTIME_READS_BYTES) {
        return ets_fail(error, ETS_TRUNCATED, bytes.size,
                        "a program has at least %d bytes, but the file has %zu",
                        RUNTIME_READS_BYTES, bytes.size);
    }
    return ETS_OK;
}

/* Fills header_bytes, flatbuffer_bytes, segment_base and the announced segment_bytes. */
static enum ets_status read_header(struct ets_program *program, struct ets_error *error)
{
    const uint8_t *data = program->bytes.data;
    const uint64_t file_bytes = program->bytes.size;
    program->flatbuffer_bytes = file_bytes;
    if (memcmp(data + HEADER_AT, "eh00", 4) != 0) return ETS_OK;
    const uint32_t length = ets_load_u32(data + HEADER_LENGTH_AT);
    if (length < HEADER_MIN_LENGTH) {
        return ets_fail(error, ETS_MALFORMED, HEADER_LENGTH_AT,
                        "extended header has %u bytes, fewer than %d", length, HEADER_MIN_LENGTH);
    }
    const uint64_t flatbuffer = ets_load_u64(data + HEADER_PROGRAM_SIZE_AT);
    const uint64_t base = ets_load_u64(data + HEADER_SEGMENT_BASE_AT);
    const uint64_t segments =
        length >= HEADER_FULL_LENGTH ? ets_load_u64(data + HEADER_SEGMENT_SIZE_AT) : 0;
    if (flatbuffer < (uint64_t)HEADER_AT + length) {
        return ets_fail(error, ETS_MALFORMED, HEADER_PROGRAM_SIZE_AT,
                        "program size %llu is smaller than the header",
                        (unsigned long long)flatbuffer);
    }
    if (flatbuffer > file_bytes) {
        return ets_fail(error, ETS_TRUNCATED, HEADER_PROGRAM_SIZE_AT,
                        "the header announces a program of %llu bytes, but the file has %llu",
                        (unsigned long long)flatbuffer, (unsigned long long)file_bytes);
    }
    if (base != 0 && base < flatbuffer) {
        return ets_fail(error, ETS_MALFORMED, HEADER_SEGMENT_BASE_AT,
                        "segments start at %llu, inside the program of %llu bytes",
                        (unsigned long long)base, (unsigned long long)flatbuffer);
    }
    /* A base without bytes may be past the end: nothing is read there. */
    if (segments != 0 && !ets_range_fits(base, segments, file_bytes)) {
        return ets_fail(error, ETS_TRUNCATED, HEADER_SEGMENT_SIZE_AT,
                        "%llu bytes of segments at %llu run past the end of the file of %llu",
                        (unsigned long long)segments, (unsigned long long)base,
                        (unsigned long long)file_bytes);
    }
    program->header_bytes = length;
    program->flatbuffer_bytes = flatbuffer;
    program->segment_base = base <= file_bytes ? base : file_bytes;
    program->segment_bytes = segments;
    return ETS_OK;
}

enum ets_status ets_program_init(struct ets_program *program, struct ets_bytes bytes,
                                 struct ets_error *error)
{
    ETS_TRY(check_kind(bytes, error));
    struct ets_program view = {.bytes = bytes};
    ETS_TRY(read_header(&view, error));
    const struct ets_bytes body = {bytes.data, (size_t)view.flatbuffer_bytes};
    struct ets_fb root;
    ETS_TRY(ets_fb_verify_root(body, 0, &ets_program_type, 0, &root, error));
    view.root_at = root.at;
    view.version = ets_fb_u32(root, PROGRAM_VERSION, 0);
    if (view.version > ETS_PROGRAM_VERSION) {
        return ets_fail(error, ETS_UNSUPPORTED, root.at,
                        "program has version %u; only version %d is supported", view.version,
                        ETS_PROGRAM_VERSION);
    }
    const struct ets_fb_vector segments = ets_fb_vector(root, PROGRAM_SEGMENTS);
    const struct ets_parts_region region = {bytes, view.segment_base, view.segment_bytes};
    ETS_TRY(ets_parts_verify_segments(segments, &region, &view.segment_bytes, error));
    view.segment_count = segments.count;
    view.method_count = ets_fb_vector(root, PROGRAM_PLANS).count;
    view.named_data_count = ets_fb_vector(root, PROGRAM_NAMED_DATA).count;
    ETS_TRY(ets_program_verify_meaning(&view, error));
    *program = view;
    return ETS_OK;
}
