/*
 * Verifies a FlatBuffer against a table of types, so that reading it afterwards cannot leave the
 * file.
 */
#include "format/flatbuffer.h"

enum { MAX_DEPTH = 64 };

/* The smallest table is its 4-byte vtable offset; no field ends farther from its start than this.
 */
enum { MIN_TABLE_BYTES = 4, FARTHEST = UINT16_MAX + 8 };

/*
 * Tables may share texts and numbers, because writers keep each name once. Limit: this many times
 * the size of the file.
 */
enum { SHARING = 64 };

struct verifier {
    struct ets_bytes bytes;
    uint64_t origin;
    uint64_t bytes_left; /* of tables and references, which cannot exceed the file size */
    bool is_exact;       /* fields must lie in the size that their table states */
    struct ets_error *error;
};

size_t ets_fb_scalar_bytes(enum ets_fb_scalar scalar)
{
    switch (scalar) {
    case ETS_FB_BOOL:
    case ETS_FB_U8:
    case ETS_FB_I8: return 1;
    case ETS_FB_U16:
    case ETS_FB_I16: return 2;
    case ETS_FB_U32:
    case ETS_FB_I32:
    case ETS_FB_F32: return 4;
    case ETS_FB_U64:
    case ETS_FB_I64:
    case ETS_FB_F64: return 8;
    }
    return 8;
}

size_t ets_fb_inline_bytes(const struct ets_fb_field *field)
{
    if (field->kind == ETS_FB_SCALAR) return ets_fb_scalar_bytes(field->of.scalar);
    return field->kind == ETS_FB_UNION ? 1 : 4;
}

/* Follows the offset stored at `at`, if at least `bytes` bytes are there. */
static enum ets_status follow(const struct verifier *v, size_t at, size_t bytes,
                              const struct ets_fb_type *type, const char *field, size_t *target_out)
{
    const uint32_t offset = ets_load_u32(v->bytes.data + at);
    if (offset < 4) {
        return ets_fail(v->error, ETS_MALFORMED, v->origin + at,
                        "%s.%s: offset %u points at itself", type->name, field, offset);
    }
    if (!ets_range_fits((uint64_t)at + offset, bytes, v->bytes.size)) {
        return ets_fail(v->error, ETS_TRUNCATED, v->origin + at,
                        "%s.%s: points to byte %llu of %zu", type->name, field,
                        (unsigned long long)at + offset, v->bytes.size);
    }
    *target_out = at + offset;
    return ETS_OK;
}

/* A vector of `element_bytes`-sized elements whose offset is stored at `at`. */
static enum ets_status verify_vector(const struct verifier *v, size_t at, size_t element_bytes,
                                     const struct ets_fb_type *type, const char *field,
                                     struct ets_fb_vector *vector_out)
{
    size_t start = 0;
    ETS_TRY(follow(v, at, 4, type, field, &start));
    const uint32_t count = ets_load_u32(v->bytes.data + start);
    if (!ets_range_fits(start + 4, (uint64_t)count * element_bytes, v->bytes.size)) {
        return ets_fail(v->error, ETS_TRUNCATED, v->origin + start,
                        "%s.%s: %u elements of %zu bytes run past the end", type->name, field,
                        count, element_bytes);
    }
    *vector_out = (struct ets_fb_vector){v->bytes.data, start + 4, count};
    return ETS_OK;
}

/* Limits the work for files with overlapping offsets to that for ordinary files. */
static enum ets_status spend(struct verifier *v, uint64_t bytes, size_t at,
                             const struct ets_fb_type *type)
{
    if (bytes > v->bytes_left) {
        return ets_fail(v->error, ETS_MALFORMED, v->origin + at,
                        "%s: tables exceed the file size, so offsets overlap", type->name);
    }
    v->bytes_left -= bytes;
    return ETS_OK;
}

static enum ets_status verify_string(struct verifier *v, size_t at, const struct ets_fb_type *type,
                                     const struct ets_fb_field *field)
{
    struct ets_fb_vector text = {0};
    ETS_TRY(verify_vector(v, at, 1, type, field->name, &text));
    const size_t end = text.at + text.count;
    if (end >= v->bytes.size || v->bytes.data[end] != 0) {
        return ets_fail(v->error, ETS_MALFORMED, v->origin + text.at - 4,
                        "%s.%s: string of %u bytes is not terminated", type->name, field->name,
                        text.count);
    }
    if ((field->flags & ETS_FB_NAME) != 0 && text.count > ETS_FB_MAX_NAME_BYTES) {
        return ets_fail(v->error, ETS_LIMIT, v->origin + text.at - 4,
                        "%s.%s: name of %u bytes is over the limit of %d", type->name, field->name,
                        text.count, ETS_FB_MAX_NAME_BYTES);
    }
    return spend(v, text.count / SHARING, at, type);
}

static enum ets_status verify_table(struct verifier *v, size_t at, const struct ets_fb_type *type,
                                    unsigned depth);

/* A table whose offset is stored at `at`. */
static enum ets_status verify_reference(struct verifier *v, size_t at,
                                        const struct ets_fb_type *type, const char *field,
                                        const struct ets_fb_type *target_type, unsigned depth)
{
    size_t target = 0;
    ETS_TRY(follow(v, at, MIN_TABLE_BYTES, type, field, &target));
    return verify_table(v, target, target_type, depth);
}

static bool is_in_table(size_t at, size_t bytes, struct ets_fb table)
{
    const size_t vtable = table.at - (size_t)(int64_t)(int32_t)ets_load_u32(table.base + table.at);
    const size_t stated = ets_load_u16(table.base + vtable + 2), start = at - table.at;
    return start >= MIN_TABLE_BYTES && start + bytes <= stated;
}

/*
 * Whether the inline bytes of a field are in the buffer. The table's size in its vtable is not
 * asked in a sound file: flatbuffers before 25.12 for Python shares a vtable among tables of
 * different sizes, and FlatBuffers' own verifier does not read it.
 */
static enum ets_status verify_place(const struct verifier *v, size_t at, size_t bytes,
                                    struct ets_fb table, const struct ets_fb_type *type,
                                    const char *field)
{
    if (v->is_exact && !is_in_table(at, bytes, table)) {
        return ets_fail(v->error, ETS_MALFORMED, v->origin + table.at,
                        "%s.%s: lies outside its table", type->name, field);
    }
    if (ets_range_fits(at, bytes, v->bytes.size)) return ETS_OK;
    return ets_fail(v->error, ETS_TRUNCATED, v->origin + table.at, "%s.%s: lies at byte %zu of %zu",
                    type->name, field, at, v->bytes.size);
}

static enum ets_status verify_union(struct verifier *v, struct ets_fb table,
                                    const struct ets_fb_type *type,
                                    const struct ets_fb_field *field, unsigned depth)
{
    const uint8_t tag = ets_fb_u8(table, field->slot, 0);
    const size_t at = ets_fb_field_at(table, field->slot + 1u);
    const struct ets_fb_union *choice = field->of.choice;
    const struct ets_fb_type *member = tag < choice->count ? choice->members[tag] : NULL;
    /* NONE, a newer schema's member, or one that holds nothing: never followed. */
    if (member == NULL || member->field_count == 0) return ETS_OK;
    if (at == 0) {
        return ets_fail(v->error, ETS_MALFORMED, v->origin + table.at,
                        "%s.%s: has type %s but no value", type->name, field->name, member->name);
    }
    ETS_TRY(verify_place(v, at, 4, table, type, field->name));
    return verify_reference(v, at, type, field->name, member, depth);
}

static enum ets_status verify_field(struct verifier *v, struct ets_fb table, size_t at,
                                    const struct ets_fb_type *type,
                                    const struct ets_fb_field *field, unsigned depth)
{
    struct ets_fb_vector vector = {0};
    switch ((enum ets_fb_kind)field->kind) {
    case ETS_FB_SCALAR: return ETS_OK;
    case ETS_FB_STRING: return verify_string(v, at, type, field);
    case ETS_FB_TABLE: return verify_reference(v, at, type, field->name, field->of.table, depth);
    case ETS_FB_SCALARS:
        ETS_TRY(verify_vector(v, at, ets_fb_scalar_bytes(field->of.scalar), type, field->name,
                              &vector));
        return spend(v, vector.count * ets_fb_scalar_bytes(field->of.scalar) / SHARING, at, type);
    case ETS_FB_STRINGS:
        ETS_TRY(verify_vector(v, at, 4, type, field->name, &vector));
        ETS_TRY(spend(v, 4 * (uint64_t)vector.count, at, type));
        for (uint32_t i = 0; i < vector.count; i++) {
            ETS_TRY(verify_string(v, vector.at + 4 * (size_t)i, type, field));
        }
        return ETS_OK;
    case ETS_FB_TABLES:
        ETS_TRY(verify_vector(v, at, 4, type, field->name, &vector));
        ETS_TRY(spend(v, 4 * (uint64_t)vector.count, at, type));
        for (uint32_t i = 0; i < vector.count; i++) {
            ETS_TRY(verify_reference(v, vector.at + 4 * (size_t)i, type, field->name,
                                     field->of.table, depth));
        }
        return ETS_OK;
    case ETS_FB_UNION: return verify_union(v, table, type, field, depth);
    }
    return ETS_OK;
}

static enum ets_status verify_vtable(const struct verifier *v, size_t at,
                                     const struct ets_fb_type *type)
{
    const uint8_t *data = v->bytes.data;
    if (!ets_range_fits(at, MIN_TABLE_BYTES, v->bytes.size)) {
        return ets_fail(v->error, ETS_TRUNCATED, v->origin + at, "%s: table lies past the end",
                        type->name);
    }
    const int64_t vtable = (int64_t)at - (int32_t)ets_load_u32(data + at);
    if (vtable < 0 || !ets_range_fits((uint64_t)vtable, 4, v->bytes.size)) {
        return ets_fail(v->error, ETS_MALFORMED, v->origin + at, "%s: vtable lies outside the file",
                        type->name);
    }
    const uint16_t vtable_bytes = ets_load_u16(data + vtable);
    const size_t stated = ets_load_u16(data + vtable + 2);
    if (v->is_exact && (stated < MIN_TABLE_BYTES || !ets_range_fits(at, stated, v->bytes.size))) {
        return ets_fail(v->error, ETS_MALFORMED, v->origin + at, "%s: table of %zu bytes",
                        type->name, stated);
    }
    if (vtable_bytes < 4 || vtable_bytes % 2 != 0 ||
        !ets_range_fits((uint64_t)vtable, vtable_bytes, v->bytes.size)) {
        return ets_fail(v->error, ETS_MALFORMED, v->origin + at, "%s: vtable of %u bytes",
                        type->name, vtable_bytes);
    }
    return ETS_OK;
}

/* Where the fields of a table are, after its vtable is verified. */
struct places {
    const uint8_t *vtable;
    size_t vtable_bytes;
    size_t room; /* fields that end before are sound; others are looked at one by one */
};

static struct places places_of(const struct verifier *v, size_t at)
{
    const uint8_t *data = v->bytes.data;
    const uint8_t *vtable = data + (size_t)((int64_t)at - (int32_t)ets_load_u32(data + at));
    const bool is_far = ets_range_fits(at, FARTHEST, v->bytes.size); /* from the end */
    return (struct places){vtable, ets_load_u16(vtable),
                           v->is_exact ? ets_load_u16(vtable + 2)
                           : is_far    ? FARTHEST
                                       : 0};
}

/* From the start of the table; 0: it has no such field. */
static size_t place_of(const struct places *places, size_t slot)
{
    const size_t entry = 4 + 2 * slot;
    return entry + 2 <= places->vtable_bytes ? ets_load_u16(places->vtable + entry) : 0;
}

static enum ets_status verify_table(struct verifier *v, size_t at, const struct ets_fb_type *type,
                                    unsigned depth)
{
    if (depth >= MAX_DEPTH) {
        return ets_fail(v->error, ETS_LIMIT, v->origin + at, "%s: nested over %d levels deep",
                        type->name, MAX_DEPTH);
    }
    ETS_TRY(spend(v, MIN_TABLE_BYTES, at, type));
    ETS_TRY(verify_vtable(v, at, type));
    const struct ets_fb table = {v->bytes.data, at};
    const struct places places = places_of(v, at);
    for (uint16_t i = 0; i < type->field_count; i++) {
        const struct ets_fb_field *field = &type->fields[i];
        const size_t place = place_of(&places, field->slot);
        if (place == 0) {
            if ((field->flags & ETS_FB_REQUIRED) == 0) continue;
            return ets_fail(v->error, ETS_MALFORMED, v->origin + at, "%s has no %s", type->name,
                            field->name);
        }
        const size_t bytes = ets_fb_inline_bytes(field);
        if (place < MIN_TABLE_BYTES || place + bytes > places.room) {
            ETS_TRY(verify_place(v, at + place, bytes, table, type, field->name));
        }
        if (field->kind == ETS_FB_SCALAR) continue;
        ETS_TRY(verify_field(v, table, at + place, type, field, depth + 1));
    }
    return ETS_OK;
}

enum ets_status ets_fb_verify_table(struct ets_bytes bytes, size_t table_at,
                                    const struct ets_fb_type *type, uint64_t origin,
                                    uint64_t *budget, struct ets_error *error)
{
    struct verifier v = {bytes, origin, *budget, true, error};
    const enum ets_status status = verify_table(&v, table_at, type, 0);
    *budget = v.bytes_left;
    return status;
}

static enum ets_status verify_root(struct ets_bytes bytes, size_t root_at,
                                   const struct ets_fb_type *type, uint64_t origin, bool is_exact,
                                   struct ets_fb *root_out, struct ets_error *error)
{
    if (!ets_range_fits(root_at, 4, bytes.size)) {
        return ets_fail(error, ETS_TRUNCATED, origin + bytes.size,
                        "ends before the root offset of its %s", type->name);
    }
    struct verifier v = {bytes, origin, bytes.size, is_exact, error};
    size_t at = 0;
    ETS_TRY(follow(&v, root_at, MIN_TABLE_BYTES, type, "root", &at));
    ETS_TRY(verify_table(&v, at, type, 0));
    *root_out = (struct ets_fb){bytes.data, at};
    return ETS_OK;
}

enum ets_status ets_fb_verify_root(struct ets_bytes bytes, size_t root_at,
                                   const struct ets_fb_type *type, uint64_t origin,
                                   struct ets_fb *root_out, struct ets_error *error)
{
    return verify_root(bytes, root_at, type, origin, false, root_out, error);
}

enum ets_status ets_fb_verify_exact_root(struct ets_bytes bytes, size_t root_at,
                                         const struct ets_fb_type *type, uint64_t origin,
                                         struct ets_fb *root_out, struct ets_error *error)
{
    return verify_root(bytes, root_at, type, origin, true, root_out, error);
}
