/* Writes a program without what is in it twice or for nothing. */
#include "rewrite/trimmed_program.h"

#include <stdlib.h>
#include <string.h>

#include "base/byte_layout.h"
#include "base/error.h"
#include "base/load.h"
#include "base/text.h"
#include "base/xxh64.h"
#include "format/program_lists.h"
#include "format/program_schema.h"
#include "rewrite/constant_layout.h"
#include "rewrite/trimmed_check.h"

/* Bytes that are used over and over are looked at so many times the size of the file. */
enum { MOST_REPEATS = 64, MOST_PAIRS = 50000000 };
enum { HEADER_SEGMENT_SIZE_AT = 32, HEADER_LENGTH = 32 };
enum { SEGMENT_OFFSET, SEGMENT_SIZE }; /* slots of DataSegment */
enum { LEAST_ALIGNMENT = 16, MOST_ALIGNMENT = 65536, MOST_NAMED_ALIGNMENT = 4096 };

/* A segment of the new program. */
struct segment {
    struct ets_segment old;
    uint8_t role;      /* enum ets_segment_role */
    uint32_t same_as;  /* itself, or an earlier one with the same bytes */
    uint32_t constant; /* that has the same bytes; UINT32_MAX: none */
    uint64_t alignment;
    uint64_t size, at; /* of the new one; from the base of segments */
};

struct trimmer {
    struct ets_arena *arena;
    const struct ets_program *program;
    struct ets_constant_layout constants;
    bool has_new_constants;
    struct segment *segments; /* [segment_count] */
    uint64_t segment_bytes;   /* of all new ones */
    uint8_t *bytes;           /* the new file */
    uint32_t unread_seen;     /* of the constants' list, by the check */
    uint64_t compared;        /* bytes of constants and segments */
    struct ets_trimmed *out;
    struct ets_error *error;
};

static enum ets_status fail_numbers(const struct trimmer *t)
{
    return ets_fail(t->error, ETS_UNSUPPORTED, ETS_NO_OFFSET,
                    "tables of the program share or leave out numbers that would have to change, "
                    "so it cannot be rewritten");
}

static struct ets_fb segment_table(const struct ets_program *program, uint32_t index)
{
    return ets_fb_vector_table(ets_fb_vector(ets_program_root(program), PROGRAM_SEGMENTS), index);
}

/* A newer writer may refer to segments from fields that are not known here. */
static enum ets_status find_unknown_fields(const struct ets_program *program,
                                           struct ets_arena *arena, struct ets_error *error)
{
    struct ets_splice s;
    const struct ets_fb root = ets_program_root(program);
    const struct ets_fb_vector plans = ets_fb_vector(root, PROGRAM_PLANS);
    const struct ets_fb_type *of_plan = ets_splice_type_in(&ets_program_type, PROGRAM_PLANS, 0);
    const struct ets_fb_type *of_value = ets_splice_type_in(of_plan, PLAN_VALUES, 0);
    const struct ets_fb_type *of_tensor =
        ets_splice_type_in(of_value, EVALUE_TAG, ETS_EVALUE_TENSOR);
    const struct ets_bytes tables = {program->bytes.data, (size_t)program->flatbuffer_bytes};
    ets_splice_init(&s, arena, tables, 0, error);
    (void)ets_splice_copy(&s, root, &ets_program_type);
    for (uint32_t i = 0; i < program->segment_count && s.status == ETS_OK; i++) {
        (void)ets_splice_copy(&s, segment_table(program, i),
                              ets_splice_type_in(&ets_program_type, PROGRAM_SEGMENTS, 0));
    }
    for (uint32_t i = 0; i < plans.count; i++) {
        const struct ets_fb plan = ets_fb_vector_table(plans, i);
        const struct ets_fb_vector values = ets_fb_vector(plan, PLAN_VALUES);
        const struct ets_fb_vector delegates = ets_fb_vector(plan, PLAN_DELEGATES);
        (void)ets_splice_copy(&s, plan, of_plan);
        for (uint32_t v = 0; v < values.count && s.status == ETS_OK; v++) {
            const struct ets_fb value = ets_fb_vector_table(values, v);
            if (ets_fb_u8(value, EVALUE_TAG, 0) != ETS_EVALUE_TENSOR) continue;
            (void)ets_splice_copy(&s, ets_fb_table(value, EVALUE_MEMBER), of_tensor);
        }
        for (uint32_t d = 0; d < delegates.count && s.status == ETS_OK; d++) {
            (void)ets_splice_copy(&s, ets_fb_vector_table(delegates, d),
                                  ets_splice_type_in(of_plan, PLAN_DELEGATES, 0));
        }
    }
    return s.status;
}

static enum ets_status refuse_unknown_fields(const struct trimmer *t)
{
    struct ets_arena scratch;
    ets_arena_init(&scratch, t->arena->allocator, 0);
    const enum ets_status status = find_unknown_fields(t->program, &scratch, t->error);
    ets_arena_reset(&scratch);
    return status;
}

/* The largest power of two within bounds that divides an offset. */
static uint64_t alignment_of(uint64_t offset, uint64_t most)
{
    uint64_t alignment = LEAST_ALIGNMENT;
    while (alignment < most && offset % (2 * alignment) == 0) alignment *= 2;
    return alignment;
}

/* What all segments have in common is the exporter's choice. */
static uint64_t common_alignment(const struct trimmer *t)
{
    uint64_t offsets = MOST_ALIGNMENT;
    for (uint32_t i = 0; i < t->program->segment_count; i++) {
        const struct segment *segment = &t->segments[i];
        if (segment->old.size > 0) offsets |= segment->old.offset - t->program->segment_base;
    }
    return alignment_of(offsets, MOST_ALIGNMENT);
}

static bool has_other_backends(const struct ets_program *program)
{
    for (uint32_t i = 0; i < program->method_count; i++) {
        struct ets_method method;
        ets_program_method(program, i, &method);
        for (uint32_t d = 0; d < method.delegate_count; d++) {
            struct ets_delegate delegate;
            ets_method_delegate(&method, d, &delegate);
            if (!ets_text_is(delegate.id, "XnnpackBackend")) return true;
        }
    }
    return false;
}

/* Named data of backends other than XNNPACK may have been given an alignment of its own. */
static void choose_alignments(struct trimmer *t)
{
    const uint64_t common = common_alignment(t);
    const bool has_others = has_other_backends(t->program);
    for (uint32_t i = 0; i < t->program->segment_count; i++) {
        struct segment *segment = &t->segments[i];
        segment->alignment = common;
        if (segment->role != ETS_SEGMENT_NAMED_DATA || !has_others) continue;
        const uint64_t own =
            alignment_of(segment->old.offset - t->program->segment_base, MOST_NAMED_ALIGNMENT);
        if (own > common) segment->alignment = own;
    }
}

/* Whether its bytes are written; else it is empty, or they are those of something else. */
static bool is_written(const struct segment *segment, uint32_t index)
{
    return segment->size > 0 && segment->same_as == index && segment->constant == UINT32_MAX;
}

/* Whether a segment may lie at another one's place: it is only read. */
static bool is_shareable(const struct segment *segment)
{
    return segment->size > 0 && segment->role != ETS_SEGMENT_CONSTANT &&
           segment->role != ETS_SEGMENT_UNUSED;
}

struct rank {
    uint64_t bytes, hash;
    uint32_t index;
};

static int compare_ranks(const void *left, const void *right)
{
    const struct rank *a = left, *b = right;
    if (a->bytes != b->bytes) return a->bytes < b->bytes ? -1 : 1;
    if (a->hash != b->hash) return a->hash < b->hash ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static int compare_sizes(const void *left, const void *right)
{
    const struct rank *a = left, *b = right;
    if (a->bytes != b->bytes) return a->bytes < b->bytes ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

/* Only bytes of segments whose size another one has are read. */
static void hash_equal_sizes(const struct trimmer *t, struct rank *ranks, uint32_t count)
{
    if (count > 1) qsort(ranks, count, sizeof *ranks, compare_sizes);
    for (uint32_t i = 0; i < count; i++) {
        const bool has_equal = (i > 0 && ranks[i - 1].bytes == ranks[i].bytes) ||
                               (i + 1 < count && ranks[i + 1].bytes == ranks[i].bytes);
        if (has_equal) ranks[i].hash = ets_xxh64_of(t->segments[ranks[i].index].old.bytes);
    }
    if (count > 1) qsort(ranks, count, sizeof *ranks, compare_ranks);
}

static enum ets_status share_segments(struct trimmer *t)
{
    uint32_t count = 0;
    struct rank *ranks = ets_arena_alloc_array(t->arena, t->program->segment_count, sizeof *ranks);
    if (ranks == NULL) return ets_fail_memory(t->error, "a rewritten program");
    for (uint32_t i = 0; i < t->program->segment_count; i++) {
        if (is_shareable(&t->segments[i]))
            ranks[count++] = (struct rank){t->segments[i].size, 0, i};
    }
    hash_equal_sizes(t, ranks, count);
    for (uint32_t i = 1; i < count; i++) {
        const struct rank *a = &ranks[i - 1], *b = &ranks[i];
        if (a->bytes != b->bytes || a->hash != b->hash) continue;
        struct segment *first = &t->segments[a->index], *second = &t->segments[b->index];
        if (memcmp(first->old.bytes.data, second->old.bytes.data, (size_t)b->bytes) != 0) continue;
        second->same_as = first->same_as;
        struct segment *kept = &t->segments[first->same_as];
        if (second->alignment > kept->alignment) kept->alignment = second->alignment;
        t->out->shared_segments += second->old.offset != t->segments[first->same_as].old.offset;
    }
    return ETS_OK;
}

/* A file may say that all its segments are the same bytes; comparing them would never end. */
static bool are_worth_comparing(const struct trimmer *t)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < t->program->segment_count; i++) {
        bytes = ets_add_saturated_u64(bytes, t->segments[i].size);
    }
    return bytes / MOST_REPEATS < t->program->bytes.size;
}

/* What each segment becomes, without its place. */
static enum ets_status choose_segments(struct trimmer *t)
{
    const uint32_t count = t->program->segment_count;
    uint8_t *roles = ets_arena_alloc_array(t->arena, count, sizeof *roles);
    t->segments = ets_arena_alloc_array(t->arena, count, sizeof *t->segments);
    if (roles == NULL || t->segments == NULL) {
        return ets_fail_memory(t->error, "a rewritten program");
    }
    ets_program_segment_roles(t->program, 0, count, roles);
    for (uint32_t i = 0; i < count; i++) {
        struct segment *segment = &t->segments[i];
        *segment = (struct segment){.role = roles[i], .same_as = i, .constant = UINT32_MAX};
        ets_program_segment(t->program, i, &segment->old);
        segment->size = segment->role == ETS_SEGMENT_UNUSED ? 0 : segment->old.size;
        t->out->unused_segments += segment->size < segment->old.size;
    }
    choose_alignments(t);
    return are_worth_comparing(t) ? share_segments(t) : ETS_OK;
}

/* Whether something else than constants is said to be in the constant segment, too. */
static bool is_for_constants_alone(const struct trimmer *t)
{
    const struct ets_fb root = ets_program_root(t->program);
    const struct ets_fb_vector mutables = ets_fb_vector(root, PROGRAM_MUTABLE_SEGMENTS);
    const struct ets_fb_vector named = ets_fb_vector(root, PROGRAM_NAMED_DATA);
    for (uint32_t i = 0; i < mutables.count; i++) {
        if (ets_fb_u32(ets_fb_vector_table(mutables, i), OFFSETS_SEGMENT, 0) ==
            t->constants.segment) {
            return false;
        }
    }
    for (uint32_t i = 0; i < named.count; i++) {
        if (ets_fb_u32(ets_fb_vector_table(named, i), NAMED_DATA_SEGMENT, 0) ==
            t->constants.segment) {
            return false;
        }
    }
    for (uint32_t i = 0; i < t->program->method_count; i++) {
        struct ets_method method;
        ets_program_method(t->program, i, &method);
        const struct ets_fb_vector delegates =
            ets_fb_vector(ets_method_plan(&method), PLAN_DELEGATES);
        for (uint32_t d = 0; d < delegates.count; d++) {
            const struct ets_fb blob =
                ets_fb_table(ets_fb_vector_table(delegates, d), DELEGATE_BLOB);
            if (ets_fb_i8(blob, BLOB_LOCATION, BLOB_INLINE) == BLOB_IN_SEGMENT &&
                ets_fb_u32(blob, BLOB_INDEX, 0) == t->constants.segment) {
                return false;
            }
        }
    }
    return true;
}

static bool are_equal(struct trimmer *t, struct ets_bytes a, struct ets_bytes b)
{
    t->compared = ets_add_saturated_u64(t->compared, a.size);
    if (t->compared / MOST_REPEATS > t->program->bytes.size) return false;
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* The constant with the bytes of a segment; UINT32_MAX: there is none. */
static uint32_t find_constant(struct trimmer *t, const struct segment *segment)
{
    const uint8_t *constants = t->segments[t->constants.segment].old.bytes.data;
    for (uint32_t i = 0; i < t->constants.count; i++) {
        const struct ets_constant_place *place = &t->constants.items[i];
        if (place->bytes != segment->size || !ets_constant_is_written(&t->constants, i)) continue;
        const struct ets_bytes bytes = {constants + place->was, (size_t)place->bytes};
        if (are_equal(t, bytes, segment->old.bytes)) return i;
    }
    return UINT32_MAX;
}

/* Named data and payloads that are constants, too, lie in the constant segment: tied weights. */
static bool share_constants(struct trimmer *t)
{
    bool is_shared = false;
    if ((uint64_t)t->program->segment_count * t->constants.count > MOST_PAIRS) return false;
    for (uint32_t i = 0; i < t->program->segment_count; i++) {
        struct segment *segment = &t->segments[i];
        if (!is_shareable(segment) || segment->same_as != i) continue;
        if (segment->alignment > t->segments[t->constants.segment].alignment) continue;
        segment->constant = find_constant(t, segment);
        if (segment->constant == UINT32_MAX) continue;
        t->constants.items[segment->constant].alignment = segment->alignment;
        t->out->shared_segments++;
        is_shared = true;
    }
    return is_shared;
}

static enum ets_status choose_constants(struct trimmer *t)
{
    ETS_TRY(ets_constant_layout_find(t->arena, t->program, &t->constants, t->error));
    if (t->constants.segment == UINT32_MAX || !is_for_constants_alone(t)) return ETS_OK;
    struct segment *segment = &t->segments[t->constants.segment];
    const bool is_shared = share_constants(t);
    ETS_TRY(ets_constant_layout_place(t->arena, &t->constants, t->error));
    if (t->constants.bytes >= segment->old.size && !is_shared) return ETS_OK;
    t->has_new_constants = true;
    segment->size = t->constants.bytes;
    t->out->shared_constants = t->constants.shared;
    t->out->unread_constants = t->constants.unread_constants;
    return ETS_OK;
}

static void place_segments(struct trimmer *t)
{
    for (uint32_t i = 0; i < t->program->segment_count; i++) {
        struct segment *segment = &t->segments[i];
        if (!is_written(segment, i)) continue;
        segment->at =
            (t->segment_bytes + segment->alignment - 1) / segment->alignment * segment->alignment;
        t->segment_bytes = segment->at + segment->size;
    }
    for (uint32_t i = 0; i < t->program->segment_count; i++) {
        const struct segment *first = &t->segments[t->segments[i].same_as];
        t->segments[i].at = first->at;
        if (first->constant == UINT32_MAX) continue;
        t->segments[i].at =
            t->segments[t->constants.segment].at + t->constants.items[first->constant].is;
    }
}

/* Writes a u64 of a table where it stands; one that is left out is 0. */
static bool set_number(struct trimmer *t, struct ets_fb table, unsigned slot, uint64_t value)
{
    const size_t at = ets_fb_field_at(table, slot);
    if (at != 0) ets_store_bytes(t->bytes + at, value, 8);
    return at != 0 || value == 0;
}

static enum ets_status write_numbers(struct trimmer *t)
{
    const struct ets_program *program = t->program;
    bool is_done = true;
    for (uint32_t i = 0; i < program->segment_count; i++) {
        const struct ets_fb table = segment_table(program, i);
        is_done &= set_number(t, table, SEGMENT_OFFSET, t->segments[i].at);
        is_done &= set_number(t, table, SEGMENT_SIZE, t->segments[i].size);
    }
    if (program->header_bytes >= HEADER_LENGTH) {
        ets_store_bytes(t->bytes + HEADER_SEGMENT_SIZE_AT, t->segment_bytes, 8);
    }
    if (!t->has_new_constants) return is_done ? ETS_OK : fail_numbers(t);
    const struct ets_fb_vector offsets = ets_fb_vector(
        ets_fb_table(ets_program_root(program), PROGRAM_CONSTANT_SEGMENT), OFFSETS_OFFSETS);
    for (uint32_t i = 0; i < t->constants.count; i++) {
        ets_store_bytes(t->bytes + offsets.at + 8 * (size_t)i, t->constants.items[i].is, 8);
    }
    for (uint32_t i = 0; i < t->constants.unread_count; i++) {
        const struct ets_unread_tensor *unread = &t->constants.unread[i];
        struct ets_method method;
        ets_program_method(program, unread->method, &method);
        const struct ets_fb value = ets_fb_vector_table(
            ets_fb_vector(ets_method_plan(&method), PLAN_VALUES), unread->value);
        const size_t tag = ets_fb_field_at(value, EVALUE_TAG);
        if (tag == 0) return fail_numbers(t);
        t->bytes[tag] = ETS_EVALUE_NULL;
    }
    return is_done ? ETS_OK : fail_numbers(t);
}

static void write_segments(struct trimmer *t)
{
    uint8_t *base = t->bytes + t->program->segment_base;
    for (uint32_t i = 0; i < t->program->segment_count; i++) {
        const struct segment *segment = &t->segments[i];
        if (!is_written(segment, i)) continue;
        if (!t->has_new_constants || i != t->constants.segment) {
            memcpy(base + segment->at, segment->old.bytes.data, (size_t)segment->size);
            continue;
        }
        for (uint32_t k = 0; k < t->constants.count; k++) {
            const struct ets_constant_place *place = &t->constants.items[k];
            if (!ets_constant_is_written(&t->constants, k)) continue;
            memcpy(base + segment->at + place->is, segment->old.bytes.data + place->was,
                   (size_t)place->bytes);
        }
    }
}

/* Reads the new program as any other, and compares all data that is used. */
static enum ets_status check_written(struct trimmer *t)
{
    struct ets_program made;
    ETS_TRY(ets_program_init(&made, t->out->bytes, t->error));
    ETS_TRY(ets_rewritten_check(t->program, &made, t->error));
    return ets_trimmed_check(t->program, &made, &t->constants) ? ETS_OK : fail_numbers(t);
}

static enum ets_status write_program(struct trimmer *t)
{
    const struct ets_program *program = t->program;
    const uint64_t size = program->segment_base + t->segment_bytes;
    t->bytes = ets_arena_alloc(t->arena, (size_t)size);
    if (t->bytes == NULL) return ets_fail_memory(t->error, "a rewritten program");
    memcpy(t->bytes, program->bytes.data, (size_t)program->segment_base);
    ETS_TRY(write_numbers(t));
    write_segments(t);
    t->out->bytes = (struct ets_bytes){t->bytes, (size_t)size};
    return check_written(t);
}

enum ets_status ets_trimmed_program(struct ets_arena *arena, const struct ets_program *program,
                                    struct ets_trimmed *out, struct ets_error *error)
{
    struct trimmer t = {.arena = arena, .program = program, .out = out, .error = error};
    *out = (struct ets_trimmed){.before = program->bytes.size, .after = program->bytes.size};
    ETS_TRY(ets_rewriting_refuse(program, error));
    ETS_TRY(refuse_unknown_fields(&t));
    if (program->segment_base < program->flatbuffer_bytes || program->segment_count == 0) {
        return ETS_OK;
    }
    ETS_TRY(choose_segments(&t));
    ETS_TRY(choose_constants(&t));
    place_segments(&t);
    if (program->segment_base + t.segment_bytes >= out->before) return ETS_OK;
    const enum ets_status status = write_program(&t);
    if (status == ETS_OK) out->after = out->bytes.size;
    else out->bytes = (struct ets_bytes){NULL, 0};
    return status;
}
