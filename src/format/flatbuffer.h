/*
 * Reads FlatBuffers. A descriptor table per schema drives the verifier; afterwards the accessors
 * below read without checks.
 *
 *     static const struct ets_fb_field point_fields[] = {
 *         {"name", 0, ETS_FB_STRING, ETS_FB_REQUIRED, {0}},
 *         {"x", 1, ETS_FB_SCALAR, 0, {.scalar = ETS_FB_F32}},
 *     };
 *     static const struct ets_fb_type point = {"Point", point_fields, 2};
 *
 *     struct ets_fb table;
 *     ETS_TRY(ets_fb_verify_root(bytes, 0, &point, 0, &table, error));
 *     float x = ets_fb_f32(table, 1, 0.0f);
 *
 * Absent fields read as their default, as the format requires. Fields unknown to the descriptor (of
 * a newer schema) are ignored. Loads are unaligned and little-endian on all machines. Format:
 * FlatBuffers internals document (tables, vtables, vectors, strings, unions).
 */
#ifndef ETSCOPE_FORMAT_FLATBUFFER_H
#define ETSCOPE_FORMAT_FLATBUFFER_H

#include <stdbool.h>

#include "base/error.h"
#include "base/load.h"

enum ets_fb_scalar {
    ETS_FB_BOOL,
    ETS_FB_U8,
    ETS_FB_I8,
    ETS_FB_U16,
    ETS_FB_I16,
    ETS_FB_U32,
    ETS_FB_I32,
    ETS_FB_U64,
    ETS_FB_I64,
    ETS_FB_F32,
    ETS_FB_F64
};

enum ets_fb_kind {
    ETS_FB_SCALAR, /* inline */
    ETS_FB_STRING,
    ETS_FB_TABLE,
    ETS_FB_SCALARS, /* vector of scalars */
    ETS_FB_STRINGS, /* vector of strings */
    ETS_FB_TABLES,  /* vector of tables */
    ETS_FB_UNION    /* `slot` holds the u8 tag, `slot + 1` the table */
};

/*
 * NAME: a string that is printed many times, so its length is limited. MINUS_ONE: a scalar that is
 * -1 where it is absent, LARGEST: a byte that is 127; all others are 0. BLOB: a vector of bytes
 * that are not numbers.
 */
enum {
    ETS_FB_REQUIRED = 1,
    ETS_FB_NAME = 2,
    ETS_FB_MINUS_ONE = 4,
    ETS_FB_BLOB = 8,
    ETS_FB_LARGEST = 16
};
enum { ETS_FB_MAX_NAME_BYTES = 4096 };

struct ets_fb_type;

/*
 * The table of each tag of a union; members[0] (NONE) and unknown tags are NULL. The table of a tag
 * outside the members, or whose type has no fields, is not verified and must not be followed.
 */
struct ets_fb_union {
    const struct ets_fb_type *const *members;
    uint8_t count;
};

struct ets_fb_field {
    const char *name;
    uint8_t slot;
    uint8_t kind;  /* enum ets_fb_kind */
    uint8_t flags; /* ETS_FB_REQUIRED, ETS_FB_NAME or 0 */
    union {
        enum ets_fb_scalar scalar;         /* SCALAR, SCALARS */
        const struct ets_fb_type *table;   /* TABLE, TABLES */
        const struct ets_fb_union *choice; /* UNION */
    } of;
};

struct ets_fb_type {
    const char *name;
    const struct ets_fb_field *fields;
    uint16_t field_count;
};

/* A verified table inside `base`. at == 0: absent; all its fields read as absent. */
struct ets_fb {
    const uint8_t *base;
    size_t at;
};

/* A verified vector; `at` is its first element. */
struct ets_fb_vector {
    const uint8_t *base;
    size_t at;
    uint32_t count;
};

/*
 * Verifies everything reachable from the root offset stored at `root_at`, and returns the root
 * table. As FlatBuffers' own verifier does, fields are checked against the buffer: the size of a
 * table that its vtable states is not relied on, as some writers share vtables among tables of
 * different sizes. `origin` is added to offsets in errors, for a buffer inside a larger file. The
 * work is bounded: tables and references in total no larger than the file, texts and vectors at
 * most 64 times the file, and 64 levels. Statuses: TRUNCATED, MALFORMED, LIMIT.
 */
enum ets_status ets_fb_verify_root(struct ets_bytes bytes, size_t root_at,
                                   const struct ets_fb_type *type, uint64_t origin,
                                   struct ets_fb *root_out, struct ets_error *error);

/*
 * The same, and fields must lie in the size that their table states, as all writers of ETDumps
 * (flatcc, flatc, etscope) have it: what is damaged is told from what is whole.
 */
enum ets_status ets_fb_verify_exact_root(struct ets_bytes bytes, size_t root_at,
                                         const struct ets_fb_type *type, uint64_t origin,
                                         struct ets_fb *root_out, struct ets_error *error);

/*
 * The same for one table at a known position, for salvage and partial reads. What may be no table
 * is verified more strictly: fields must lie in the size that their table states. `*budget` is the
 * remaining number of bytes of tables and references to visit. Each call reduces it, so that many
 * calls over the same bytes stay bounded together.
 */
enum ets_status ets_fb_verify_table(struct ets_bytes bytes, size_t table_at,
                                    const struct ets_fb_type *type, uint64_t origin,
                                    uint64_t *budget, struct ets_error *error);

/* Size of one scalar in bytes. */
size_t ets_fb_scalar_bytes(enum ets_fb_scalar scalar);
/* Bytes of a field inside its table; of a union those of its tag. */
size_t ets_fb_inline_bytes(const struct ets_fb_field *field);

/* Position of a field's inline bytes, or 0 if it is absent. */
static inline size_t ets_fb_field_at(struct ets_fb table, unsigned slot)
{
    if (table.at == 0) return 0;
    const size_t vtable = table.at - (size_t)(int64_t)(int32_t)ets_load_u32(table.base + table.at);
    if (4 + 2 * slot + 2 > ets_load_u16(table.base + vtable)) return 0;
    const uint16_t offset = ets_load_u16(table.base + vtable + 4 + 2 * slot);
    return offset == 0 ? 0 : table.at + offset;
}

static inline bool ets_fb_has(struct ets_fb table, unsigned slot)
{
    return ets_fb_field_at(table, slot) != 0;
}

#define ETS_FB_ACCESSOR(suffix, type, load)                                               \
    static inline type ets_fb_##suffix(struct ets_fb table, unsigned slot, type fallback) \
    {                                                                                     \
        const size_t at = ets_fb_field_at(table, slot);                                   \
        return at == 0 ? fallback : (type)load;                                           \
    }
ETS_FB_ACCESSOR(u8, uint8_t, table.base[at])
ETS_FB_ACCESSOR(i8, int8_t, table.base[at])
ETS_FB_ACCESSOR(u32, uint32_t, ets_load_u32(table.base + at))
ETS_FB_ACCESSOR(i32, int32_t, ets_load_u32(table.base + at))
ETS_FB_ACCESSOR(u64, uint64_t, ets_load_u64(table.base + at))
ETS_FB_ACCESSOR(i64, int64_t, ets_load_u64(table.base + at))
ETS_FB_ACCESSOR(f32, float, ets_load_f32(table.base + at))
ETS_FB_ACCESSOR(f64, double, ets_load_f64(table.base + at))
#undef ETS_FB_ACCESSOR

static inline size_t ets_fb_follow(const uint8_t *base, size_t at)
{
    return at + ets_load_u32(base + at);
}

static inline struct ets_fb ets_fb_table(struct ets_fb table, unsigned slot)
{
    const size_t at = ets_fb_field_at(table, slot);
    return (struct ets_fb){table.base, at == 0 ? 0 : ets_fb_follow(table.base, at)};
}

static inline struct ets_fb_vector ets_fb_vector(struct ets_fb table, unsigned slot)
{
    const size_t field = ets_fb_field_at(table, slot);
    if (field == 0) return (struct ets_fb_vector){table.base, 0, 0};
    const size_t at = ets_fb_follow(table.base, field);
    return (struct ets_fb_vector){table.base, at + 4, ets_load_u32(table.base + at)};
}

/* Absent: data NULL. The bytes are followed by a NUL. */
static inline struct ets_text ets_fb_text(struct ets_fb table, unsigned slot)
{
    const struct ets_fb_vector text = ets_fb_vector(table, slot);
    if (text.at == 0) return (struct ets_text){NULL, 0};
    return (struct ets_text){(const char *)text.base + text.at, text.count};
}

/* A [ubyte] vector as bytes; absent: data NULL. */
static inline struct ets_bytes ets_fb_bytes(struct ets_fb table, unsigned slot)
{
    const struct ets_fb_vector vector = ets_fb_vector(table, slot);
    if (vector.at == 0) return (struct ets_bytes){NULL, 0};
    return (struct ets_bytes){vector.base + vector.at, vector.count};
}

/* Elements; `index` must be below count. */
static inline struct ets_fb ets_fb_vector_table(struct ets_fb_vector vector, uint32_t index)
{
    return (struct ets_fb){vector.base, ets_fb_follow(vector.base, vector.at + 4 * (size_t)index)};
}

static inline struct ets_text ets_fb_vector_text(struct ets_fb_vector vector, uint32_t index)
{
    const size_t at = ets_fb_follow(vector.base, vector.at + 4 * (size_t)index);
    return (struct ets_text){(const char *)vector.base + at + 4, ets_load_u32(vector.base + at)};
}

static inline int32_t ets_fb_vector_i32(struct ets_fb_vector vector, uint32_t index)
{
    return (int32_t)ets_load_u32(vector.base + vector.at + 4 * (size_t)index);
}

static inline uint64_t ets_fb_vector_u64(struct ets_fb_vector vector, uint32_t index)
{
    return ets_load_u64(vector.base + vector.at + 8 * (size_t)index);
}

static inline int64_t ets_fb_vector_i64(struct ets_fb_vector vector, uint32_t index)
{
    return (int64_t)ets_fb_vector_u64(vector, index);
}

#endif
