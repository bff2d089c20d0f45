#include "etscope/program.h"
#include "format/program_lists.h"

#include <string.h>

#include "etscope/file.h"
#include "format/program_parts.h"
#include "format/program_schema.h"

/*
 * The extended header: magic, length, then what the length covers. It stands inside the FlatBuffer,
 * behind the root offset and the identifier, which already count it.
 */
enum {
    HEADER_AT = 8,
    HEADER_LENGTH_AT = 12,
    HEADER_PROGRAM_SIZE_AT = 16,
    HEADER_SEGMENT_BASE_AT = 24,
    HEADER_SEGMENT_SIZE_AT = 32,
    HEADER_MIN_LENGTH = 24, /* without the segments' size, as older writers had it */
    HEADER_FULL_LENGTH = 32,
    RUNTIME_READS_BYTES = 64 /* the runtime's loader asks for as many before anything else */
};

static enum ets_status check_kind(struct ets_bytes bytes, struct ets_error *error)
{
    const enum ets_kind kind = ets_kind_sniff(bytes);
    if (kind != ETS_KIND_PROGRAM) {
        const bool is_cut = bytes.size < 8 && kind == ETS_KIND_UNKNOWN;
        return ets_fail(error, is_cut ? ETS_TRUNCATED : ETS_WRONG_KIND, 0,
                        "not an ExecuTorch program but %s", ets_kind_name(kind));
    }
    if (bytes.size < RUNTIME_READS_BYTES) {
        return ets_fail(error, ETS_TRUNCATED, bytes.size,
                        "a program has at least %d bytes, here are %zu", RUNTIME_READS_BYTES,
                        bytes.size);
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
                        "extended header of %u bytes, at least %d belong to it", length,
                        HEADER_MIN_LENGTH);
    }
    const uint64_t flatbuffer = ets_load_u64(data + HEADER_PROGRAM_SIZE_AT);
    const uint64_t base = ets_load_u64(data + HEADER_SEGMENT_BASE_AT);
    const uint64_t segments =
        length >= HEADER_FULL_LENGTH ? ets_load_u64(data + HEADER_SEGMENT_SIZE_AT) : 0;
    if (flatbuffer < (uint64_t)HEADER_AT + length) {
        return ets_fail(error, ETS_MALFORMED, HEADER_PROGRAM_SIZE_AT,
                        "program size %llu is smaller than the header itself",
                        (unsigned long long)flatbuffer);
    }
    if (flatbuffer > file_bytes) {
        return ets_fail(error, ETS_TRUNCATED, HEADER_PROGRAM_SIZE_AT,
                        "the header announces a program of %llu bytes, the file has %llu",
                        (unsigned long long)flatbuffer, (unsigned long long)file_bytes);
    }
    if (base != 0 && base < flatbuffer) {
        return ets_fail(error, ETS_MALFORMED, HEADER_SEGMENT_BASE_AT,
                        "segments start at %llu, inside the program of %llu bytes",
                        (unsigned long long)base, (unsigned long long)flatbuffer);
    }
    /* A base without bytes may lie behind the end: nothing is read there. */
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
        return ets_fail(error, ETS_UNSUPPORTED, root.at, "program version %u; this reader knows %d",
                        view.version, ETS_PROGRAM_VERSION);
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

void ets_program_method(const struct ets_program *program, uint32_t index,
                        struct ets_method *method_out)
{
    const struct ets_fb plan =
        ets_fb_vector_table(ets_fb_vector(ets_program_root(program), PROGRAM_PLANS), index);
    const struct ets_fb container = ets_fb_table(plan, PLAN_CONTAINER);
    const uint32_t arena_sizes = ets_fb_vector(plan, PLAN_ARENAS).count;
    *method_out = (struct ets_method){
        .program = program,
        .name = ets_fb_text(plan, PLAN_NAME),
        .index = index,
        .input_count = ets_fb_vector(plan, PLAN_INPUTS).count,
        .output_count = ets_fb_vector(plan, PLAN_OUTPUTS).count,
        .value_count = ets_fb_vector(plan, PLAN_VALUES).count,
        .operator_count = ets_fb_vector(plan, PLAN_OPERATORS).count,
        .delegate_count = ets_fb_vector(plan, PLAN_DELEGATES).count,
        .chain_count = ets_fb_vector(plan, PLAN_CHAINS).count,
        .arena_count = arena_sizes == 0 ? 0 : arena_sizes - 1, /* entry 0 is reserved */
        .input_structure = ets_fb_text(container, CONTAINER_INPUT),
        .output_structure = ets_fb_text(container, CONTAINER_OUTPUT),
        .plan_at = plan.at,
    };
}

enum ets_status ets_program_find_method(const struct ets_program *program, const char *name,
                                        struct ets_method *method_out, struct ets_error *error)
{
    struct ets_parts_names names = {.size = 0};
    for (uint32_t i = 0; i < program->method_count; i++) {
        struct ets_method method;
        ets_program_method(program, i, &method);
        if (ets_parts_is_text(method.name, name)) {
            *method_out = method;
            return ETS_OK;
        }
        ets_parts_add_name(&names, method.name);
    }
    return ets_fail(error, ETS_NOT_FOUND, ETS_NO_OFFSET, "no method '%s'; the program has %s", name,
                    names.size != 0 ? names.text : "none");
}

void ets_method_operator(const struct ets_method *method, uint32_t index,
                         struct ets_operator *operator_out)
{
    const struct ets_fb table =
        ets_fb_vector_table(ets_fb_vector(ets_method_plan(method), PLAN_OPERATORS), index);
    *operator_out = (struct ets_operator){ets_fb_text(table, OPERATOR_NAME),
                                          ets_fb_text(table, OPERATOR_OVERLOAD)};
}

void ets_method_delegate(const struct ets_method *method, uint32_t index,
                         struct ets_delegate *delegate_out)
{
    const struct ets_program *program = method->program;
    const struct ets_fb root = ets_program_root(program);
    const struct ets_fb table =
        ets_fb_vector_table(ets_fb_vector(ets_method_plan(method), PLAN_DELEGATES), index);
    const struct ets_fb reference = ets_fb_table(table, DELEGATE_BLOB);
    const uint32_t blob_index = ets_fb_u32(reference, BLOB_INDEX, 0);
    struct ets_delegate delegate = {
        .id = ets_fb_text(table, DELEGATE_ID),
        .is_inline = ets_fb_i8(reference, BLOB_LOCATION, BLOB_INLINE) == BLOB_INLINE,
        .blob_index = blob_index,
        .compile_spec_count = ets_fb_vector(table, DELEGATE_COMPILE_SPECS).count,
        .delegate_at = table.at,
        .program = program,
    };
    if (delegate.is_inline) {
        const struct ets_fb_vector blobs = ets_fb_vector(root, PROGRAM_INLINE_DELEGATES);
        delegate.blob = ets_fb_bytes(ets_fb_vector_table(blobs, blob_index), 0);
    } else {
        struct ets_segment segment;
        ets_program_segment(program, blob_index, &segment);
        delegate.blob = segment.bytes;
    }
    *delegate_out = delegate;
}

void ets_delegate_compile_spec(const struct ets_delegate *delegate, uint32_t index,
                               struct ets_compile_spec *spec_out)
{
    const struct ets_fb table = {delegate->program->bytes.data, delegate->delegate_at};
    const struct ets_fb spec =
        ets_fb_vector_table(ets_fb_vector(table, DELEGATE_COMPILE_SPECS), index);
    *spec_out = (struct ets_compile_spec){ets_fb_text(spec, COMPILE_SPEC_KEY),
                                          ets_fb_bytes(spec, COMPILE_SPEC_VALUE)};
}

void ets_method_arena(const struct ets_method *method, uint32_t index,
                      struct ets_planned_arena *arena_out)
{
    const struct ets_fb plan = ets_method_plan(method);
    const struct ets_fb_vector devices = ets_fb_vector(plan, PLAN_DEVICES);
    const uint32_t memory_id = index + 1;
    *arena_out = (struct ets_planned_arena){
        .memory_id = memory_id,
        .bytes = ets_fb_vector_u64(ets_fb_vector(plan, PLAN_ARENAS), memory_id),
        .device_type = ETS_DEVICE_CPU,
    };
    /* The table of devices is sparse: arenas that it does not name are the CPU's. */
    for (uint32_t i = 0; i < devices.count; i++) {
        const struct ets_fb device = ets_fb_vector_table(devices, i);
        if ((uint32_t)ets_fb_i32(device, PLAN_DEVICE_BUFFER, 0) != memory_id) continue;
        arena_out->device_type = ets_fb_i8(device, PLAN_DEVICE_TYPE, 0);
        arena_out->device_index = ets_fb_i8(device, PLAN_DEVICE_INDEX, 0);
        return;
    }
}
