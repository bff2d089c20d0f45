/* Writes a changed program: header, tables, old segments, added segments. */
#include "rewrite/rewritten_program.h"

#include <string.h>

#include "base/byte_layout.h"
#include "format/program_lists.h"
#include "format/program_parts.h"
#include "format/program_schema.h"
#include "format/tap_marker.h"

enum {
    IDENTIFIER_END = 8, /* root offset and identifier */
    HEADER_MAGIC_AT = 8,
    HEADER_LENGTH_AT = 12,
    HEADER_PROGRAM_SIZE_AT = 16,
    HEADER_SEGMENT_BASE_AT = 24,
    HEADER_SEGMENT_SIZE_AT = 32,
    HEADER_LENGTH = 32,
    HEADER_END = HEADER_MAGIC_AT + HEADER_LENGTH
};
enum { SEGMENT_OFFSET, SEGMENT_SIZE }; /* slots of DataSegment */
/* Old content moves by a multiple of the largest alignment that it may have: of bytes in it. */
enum { TABLE_ALIGNMENT = 64, INLINE_ALIGNMENT = 4096 };
enum { LEAST_SEGMENT_ALIGNMENT = 128, MOST_SEGMENT_ALIGNMENT = 65536 };

static size_t old_head_bytes(const struct ets_program *program)
{
    return IDENTIFIER_END + (size_t)ets_align(program->header_bytes, 8);
}

static enum ets_status refuse_taps(const struct ets_method *method, struct ets_error *error)
{
    for (uint32_t d = 0; d < method->delegate_count; d++) {
        struct ets_delegate delegate;
        struct ets_tap_marker marker;
        ets_method_delegate(method, d, &delegate);
        if (!ets_delegate_taps(&delegate, &marker)) continue;
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                        "the program hands out values from within its delegates: rewrite the "
                        "program that it was made from");
    }
    return ETS_OK;
}

static bool has_unknown_instruction(const struct ets_method *method)
{
    for (uint32_t c = 0; c < method->chain_count; c++) {
        struct ets_chain chain;
        ets_method_chain(method, c, &chain);
        for (uint32_t i = 0; i < chain.instruction_count; i++) {
            struct ets_instruction instruction;
            ets_chain_instruction(&chain, i, &instruction);
            if (instruction.kind == ETS_INSTRUCTION_UNKNOWN) return true;
        }
    }
    return false;
}

static bool has_unknown_value(const struct ets_method *method)
{
    for (uint32_t v = 0; v < method->value_count; v++) {
        struct ets_evalue value;
        ets_method_value(method, v, &value);
        if (value.kind == ETS_EVALUE_UNKNOWN && value.tag != 0) return true;
    }
    return false;
}

enum ets_status ets_rewriting_refuse(const struct ets_program *program, struct ets_error *error)
{
    for (uint32_t i = 0; i < program->method_count; i++) {
        struct ets_method method;
        ets_program_method(program, i, &method);
        ETS_TRY(refuse_taps(&method, error));
        if (!has_unknown_instruction(&method) && !has_unknown_value(&method)) continue;
        return ets_fail(error, ETS_UNSUPPORTED, ETS_NO_OFFSET,
                        "method %.*s has instructions or values that this version does not know: a "
                        "newer exporter wrote it, so it cannot be rewritten",
                        ETS_TEXT(method.name));
    }
    return ETS_OK;
}

enum ets_status ets_rewriting_init(struct ets_rewriting *rewriting, struct ets_arena *arena,
                                   const struct ets_program *program, struct ets_error *error)
{
    const struct ets_bytes tables = {program->bytes.data, (size_t)program->flatbuffer_bytes};
    *rewriting = (struct ets_rewriting){.program = program};
    if (old_head_bytes(program) > tables.size) {
        return ets_fail(error, ETS_MALFORMED, HEADER_LENGTH_AT,
                        "the program's header of %u bytes leaves no room for its tables",
                        program->header_bytes);
    }
    ets_splice_init(&rewriting->splice, arena, tables, old_head_bytes(program), error);
    rewriting->root =
        ets_splice_copy(&rewriting->splice, ets_program_root(program), &ets_program_type);
    return rewriting->splice.status;
}

uint32_t ets_rewriting_add_segment(struct ets_rewriting *rewriting, struct ets_bytes bytes)
{
    struct ets_splice *splice = &rewriting->splice;
    struct ets_bytes *grown =
        ets_arena_grow(splice->arena, rewriting->added, rewriting->added_count,
                       &rewriting->added_room, sizeof *rewriting->added);
    if (grown == NULL) {
        if (splice->status == ETS_OK) {
            splice->status = ets_fail_memory(splice->error, "a rewritten program");
        }
        return 0;
    }
    rewriting->added = grown;
    grown[rewriting->added_count] = bytes;
    return rewriting->program->segment_count + rewriting->added_count++;
}

/* The largest power of two, from 128 to 64 KiB, that divides all offsets or'ed together. */
static uint64_t alignment_of(uint64_t offsets)
{
    uint64_t alignment = LEAST_SEGMENT_ALIGNMENT;
    while (alignment < MOST_SEGMENT_ALIGNMENT && offsets % (2 * alignment) == 0) alignment *= 2;
    return alignment;
}

static uint64_t alignment_of_segments(const struct ets_program *program)
{
    uint64_t offsets = 0;
    for (uint32_t i = 0; i < program->segment_count; i++) {
        struct ets_segment segment;
        ets_program_segment(program, i, &segment);
        if (segment.size > 0) offsets |= segment.offset - program->segment_base;
    }
    return offsets == 0 ? LEAST_SEGMENT_ALIGNMENT : alignment_of(offsets);
}

/* Lists the added segments, and returns the bytes of all. */
static uint64_t list_segments(struct ets_rewriting *r, uint64_t *offsets)
{
    const struct ets_fb_vector old = ets_fb_vector(ets_program_root(r->program), PROGRAM_SEGMENTS);
    const uint64_t alignment = alignment_of_segments(r->program);
    struct ets_splice_part *list = ets_splice_tables(&r->splice, old, r->added_count);
    uint64_t end = r->program->segment_bytes;
    for (uint32_t i = 0; i < r->added_count; i++) {
        struct ets_splice_part *segment = ets_splice_table(&r->splice);
        offsets[i] = ets_align(end, alignment);
        end = offsets[i] + r->added[i].size;
        ets_splice_set_number(segment, SEGMENT_OFFSET, 8, offsets[i]);
        ets_splice_set_number(segment, SEGMENT_SIZE, 8, r->added[i].size);
        ets_splice_set_item(list, old.count + i, segment);
    }
    if (r->added_count > 0) ets_splice_set_part(r->root, PROGRAM_SEGMENTS, list);
    return end;
}

/* Bytes in the tables that may ask for an alignment of their own. */
static bool has_inline_bytes(const struct ets_program *program)
{
    const struct ets_fb root = ets_program_root(program);
    return ets_fb_vector(root, PROGRAM_CONSTANT_BUFFER).count > 0 ||
           ets_fb_vector(root, PROGRAM_INLINE_DELEGATES).count > 0;
}

static void write_header(uint8_t *bytes, const struct ets_program *old, uint64_t program_bytes,
                         uint64_t base, uint64_t segment_bytes)
{
    if (old->header_bytes == 0) {
        memcpy(bytes + HEADER_MAGIC_AT, "eh00", 4);
        ets_store_bytes(bytes + HEADER_LENGTH_AT, HEADER_LENGTH, 4);
    }
    ets_store_bytes(bytes + HEADER_PROGRAM_SIZE_AT, program_bytes, 8);
    ets_store_bytes(bytes + HEADER_SEGMENT_BASE_AT, base, 8);
    if (old->header_bytes == 0 || old->header_bytes >= HEADER_LENGTH) {
        ets_store_bytes(bytes + HEADER_SEGMENT_SIZE_AT, segment_bytes, 8);
    }
}

struct parts {
    struct ets_arena *arena;
    struct ets_rewritten *out;
    bool has_failed;
};

static void add_part(struct parts *parts, struct ets_bytes bytes)
{
    parts->out->parts[parts->out->part_count++] = bytes;
    parts->out->bytes += bytes.size;
}

static void add_zeros_to(struct parts *parts, uint64_t position)
{
    const size_t size = (size_t)(position - parts->out->bytes);
    if (size == 0) return;
    const struct ets_bytes zeros = {ets_arena_alloc(parts->arena, size), size};
    parts->has_failed |= zeros.data == NULL;
    add_part(parts, zeros);
}

static enum ets_status list_parts(const struct ets_rewriting *r, struct ets_bytes tables,
                                  uint64_t base, const uint64_t *offsets, struct ets_rewritten *out)
{
    struct ets_arena *arena = r->splice.arena;
    struct parts parts = {.arena = arena, .out = out};
    const struct ets_bytes old = {r->program->bytes.data + r->program->segment_base,
                                  (size_t)r->program->segment_bytes};
    *out = (struct ets_rewritten){.part_count = 0};
    out->parts = ets_arena_alloc_array(arena, 3 + 2 * (size_t)r->added_count, sizeof *out->parts);
    if (out->parts == NULL) return ets_fail_memory(r->splice.error, "a rewritten program");
    add_part(&parts, tables);
    add_zeros_to(&parts, base);
    if (old.size > 0) add_part(&parts, old);
    for (uint32_t i = 0; i < r->added_count; i++) {
        add_zeros_to(&parts, base + offsets[i]);
        add_part(&parts, r->added[i]);
    }
    if (parts.has_failed) return ets_fail_memory(r->splice.error, "a rewritten program");
    return ETS_OK;
}

static enum ets_status fail_overlap(struct ets_error *error)
{
    return ets_fail(error, ETS_MALFORMED, ETS_NO_OFFSET,
                    "parts of the program overlap: changing one would change others");
}

enum ets_status ets_rewriting_write(struct ets_rewriting *r, struct ets_rewritten *out)
{
    struct ets_splice *splice = &r->splice;
    const struct ets_program *old = r->program;
    uint64_t *offsets = ets_arena_alloc_array(splice->arena, r->added_count, sizeof *offsets);
    if (offsets == NULL) return ets_fail_memory(splice->error, "a rewritten program");
    const uint64_t segment_bytes = list_segments(r, offsets);
    const size_t head = splice->head_bytes < HEADER_END ? HEADER_END : splice->head_bytes;
    const size_t alignment = has_inline_bytes(old) ? INLINE_ALIGNMENT : TABLE_ALIGNMENT;
    uint8_t *bytes;
    size_t size;
    ETS_TRY(ets_splice_write(splice, r->root, head, alignment, &bytes, &size));
    const uint64_t base = ets_align(
        size, old->segment_base == 0 ? LEAST_SEGMENT_ALIGNMENT : alignment_of(old->segment_base));
    write_header(bytes, old, size, base, segment_bytes);
    ETS_TRY(list_parts(r, (struct ets_bytes){bytes, size}, base, offsets, out));
    if (out->bytes > SIZE_MAX) {
        return ets_fail(splice->error, ETS_LIMIT, ETS_NO_OFFSET,
                        "the rewritten program has %llu bytes, more than this machine can address",
                        (unsigned long long)out->bytes);
    }
    ETS_TRY(
        ets_program_init(&out->view, (struct ets_bytes){bytes, (size_t)out->bytes}, splice->error));
    return out->view.method_count == old->method_count ? ETS_OK : fail_overlap(splice->error);
}

static bool is_alike(const struct ets_method *was, const struct ets_method *is)
{
    return was->value_count == is->value_count && was->chain_count == is->chain_count &&
           was->input_count == is->input_count && was->output_count == is->output_count;
}

enum ets_status ets_rewritten_check(const struct ets_program *was, const struct ets_program *is,
                                    struct ets_error *error)
{
    if (was->method_count != is->method_count) return fail_overlap(error);
    for (uint32_t i = 0; i < was->method_count; i++) {
        struct ets_method before, after;
        ets_program_method(was, i, &before);
        ets_program_method(is, i, &after);
        if (!is_alike(&before, &after)) return fail_overlap(error);
    }
    return ETS_OK;
}

uint8_t *ets_rewritten_join(const struct ets_rewritten *rewritten, struct ets_arena *arena)
{
    uint8_t *bytes = ets_arena_alloc(arena, (size_t)rewritten->bytes);
    size_t at = 0;
    for (uint32_t i = 0; bytes != NULL && i < rewritten->part_count; i++) {
        const struct ets_bytes part = rewritten->parts[i];
        if (part.size > 0) memcpy(bytes + at, part.data, part.size);
        at += part.size;
    }
    return bytes;
}
