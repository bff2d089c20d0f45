/* Reads the segments of a program: their roles, the named data, and the bytes of each kind. */
#include <string.h>

#include "format/program_lists.h"
#include "format/program_parts.h"
#include "format/program_schema.h"

/* The number of segments whose roles are looked up at a time. */
enum { ROLE_WINDOW = 512 };

static struct ets_fb_vector segments_of(const struct ets_program *program)
{
    return ets_fb_vector(ets_program_root(program), PROGRAM_SEGMENTS);
}

void ets_program_segment(const struct ets_program *program, uint32_t index,
                         struct ets_segment *segment_out)
{
    segment_out->bytes = ets_parts_segment(segments_of(program), index, program->bytes,
                                           program->segment_base, &segment_out->offset);
    segment_out->size = segment_out->bytes.size;
}

void ets_program_named_data(const struct ets_program *program, uint32_t index,
                            struct ets_program_named_data *data_out)
{
    const struct ets_fb table =
        ets_fb_vector_table(ets_fb_vector(ets_program_root(program), PROGRAM_NAMED_DATA), index);
    const uint32_t segment_index = ets_fb_u32(table, NAMED_DATA_SEGMENT, 0);
    struct ets_segment segment;
    ets_program_segment(program, segment_index, &segment);
    *data_out = (struct ets_program_named_data){
        .key = ets_fb_text(table, NAMED_DATA_KEY),
        .segment_index = segment_index,
        .bytes = segment.bytes,
    };
}

/* The window of segments being filled. */
struct roles {
    uint32_t first, count;
    uint8_t *out;
};

static void mark(const struct roles *roles, uint32_t segment, enum ets_segment_role role)
{
    if (segment < roles->first || segment - roles->first >= roles->count) return;
    uint8_t *at = &roles->out[segment - roles->first];
    if (*at == ETS_SEGMENT_UNUSED) *at = (uint8_t)role;
}

void ets_program_segment_roles(const struct ets_program *program, uint32_t first, uint32_t count,
                               uint8_t *roles_out)
{
    const struct ets_fb root = ets_program_root(program);
    const struct roles roles = {first, count, roles_out};
    memset(roles_out, ETS_SEGMENT_UNUSED, count);
    const struct ets_fb constants = ets_fb_table(root, PROGRAM_CONSTANT_SEGMENT);
    if (constants.at != 0) {
        mark(&roles, ets_fb_u32(constants, OFFSETS_SEGMENT, 0), ETS_SEGMENT_CONSTANT);
    }
    const struct ets_fb_vector mutables = ets_fb_vector(root, PROGRAM_MUTABLE_SEGMENTS);
    for (uint32_t i = 0; i < mutables.count; i++) {
        mark(&roles, ets_fb_u32(ets_fb_vector_table(mutables, i), OFFSETS_SEGMENT, 0),
             ETS_SEGMENT_MUTABLE);
    }
    const struct ets_fb_vector plans = ets_fb_vector(root, PROGRAM_PLANS);
    for (uint32_t i = 0; i < plans.count; i++) {
        const struct ets_fb_vector delegates =
            ets_fb_vector(ets_fb_vector_table(plans, i), PLAN_DELEGATES);
        for (uint32_t j = 0; j < delegates.count; j++) {
            const struct ets_fb blob =
                ets_fb_table(ets_fb_vector_table(delegates, j), DELEGATE_BLOB);
            if (ets_fb_i8(blob, BLOB_LOCATION, BLOB_INLINE) == BLOB_INLINE) continue;
            mark(&roles, ets_fb_u32(blob, BLOB_INDEX, 0), ETS_SEGMENT_DELEGATE);
        }
    }
    const struct ets_fb_vector named = ets_fb_vector(root, PROGRAM_NAMED_DATA);
    for (uint32_t i = 0; i < named.count; i++) {
        mark(&roles, ets_fb_u32(ets_fb_vector_table(named, i), NAMED_DATA_SEGMENT, 0),
             ETS_SEGMENT_NAMED_DATA);
    }
}

static void add_segment(struct ets_program_sizes *sizes, uint8_t role, uint64_t bytes)
{
    switch ((enum ets_segment_role)role) {
    case ETS_SEGMENT_CONSTANT: sizes->constant_bytes += bytes; return;
    case ETS_SEGMENT_MUTABLE: sizes->mutable_bytes += bytes; return;
    case ETS_SEGMENT_DELEGATE: sizes->delegate_bytes += bytes; return;
    case ETS_SEGMENT_NAMED_DATA: sizes->named_data_bytes += bytes; return;
    case ETS_SEGMENT_UNUSED: break;
    }
    sizes->unused_bytes += bytes;
}

/* Bytes of the vectors of Buffer or BackendDelegateInlineData tables. */
static uint64_t inline_bytes(const struct ets_program *program, unsigned slot)
{
    const struct ets_fb_vector blobs = ets_fb_vector(ets_program_root(program), slot);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < blobs.count; i++) {
        sum += ets_fb_bytes(ets_fb_vector_table(blobs, i), 0).size;
    }
    return sum;
}

void ets_program_sizes(const struct ets_program *program, struct ets_program_sizes *sizes_out)
{
    const uint64_t file_bytes = program->bytes.size;
    struct ets_program_sizes sizes = {
        .file_bytes = file_bytes,
        .constant_bytes = inline_bytes(program, PROGRAM_CONSTANT_BUFFER),
        .delegate_bytes = inline_bytes(program, PROGRAM_INLINE_DELEGATES),
    };
    const uint64_t inlined = sizes.constant_bytes + sizes.delegate_bytes;
    sizes.flatbuffer_bytes =
        program->flatbuffer_bytes > inlined ? program->flatbuffer_bytes - inlined : 0;
    uint64_t end = program->flatbuffer_bytes;
    for (uint32_t first = 0; first < program->segment_count; first += ROLE_WINDOW) {
        uint8_t roles[ROLE_WINDOW];
        const uint32_t left = program->segment_count - first;
        const uint32_t count = left < ROLE_WINDOW ? left : ROLE_WINDOW;
        ets_program_segment_roles(program, first, count, roles);
        for (uint32_t i = 0; i < count; i++) {
            struct ets_segment segment;
            ets_program_segment(program, first + i, &segment);
            if (segment.size == 0) continue;
            add_segment(&sizes, roles[i], segment.size);
            if (segment.offset + segment.size > end) end = segment.offset + segment.size;
        }
    }
    const uint64_t parts = sizes.flatbuffer_bytes + sizes.constant_bytes + sizes.mutable_bytes +
                           sizes.delegate_bytes + sizes.named_data_bytes + sizes.unused_bytes;
    sizes.trailing_bytes = file_bytes - end;
    sizes.padding_bytes = parts < end ? end - parts : 0;
    *sizes_out = sizes;
}
