/* Walks a FlatBuffer by its schema and writes each field as JSON. */
#include "output/text/flatbuffer_json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/xxh64.h"
#include "etscope/tensor.h"
#include "host/output.h"

/* Names that the schemas give to numbers, as flatc prints them. */
static const char *const scalar_types[] = {
#define SCALAR_TYPE_NAME(name, number, bytes, text) [number] = #name,
    ETS_SCALAR_TYPE_LIST(SCALAR_TYPE_NAME)
#undef SCALAR_TYPE_NAME
};
static const char *const dynamisms[] = {"STATIC", "DYNAMIC_BOUND", "DYNAMIC_UNBOUND"};
static const char *const tensor_locations[] = {"SEGMENT", "EXTERNAL"};
static const char *const blob_locations[] = {"INLINE", "SEGMENT"};
static const char *const devices[] = {"CPU", "CUDA"};
static const char *const value_types[] = {"Null",   "Int",    "Bool",       "Float",
                                          "Double", "Tensor", "TensorList", "String"};

#define NAMES(list) list, sizeof(list) / sizeof *(list)
static const struct enumeration {
    const char *type; /* NULL: of any table */
    const char *field;
    const char *const *names;
    size_t count;
} enumerations[] = {
    {NULL, "scalar_type", NAMES(scalar_types)},
    {NULL, "shape_dynamism", NAMES(dynamisms)},
    {NULL, "device_type", NAMES(devices)},
    {"ExtraTensorInfo", "location", NAMES(tensor_locations)},
    {"BackendDelegateDataReference", "location", NAMES(blob_locations)},
    {"Value", "val", NAMES(value_types)},
};

/* Fewer bytes are always told themselves: compile specs and the like. */
enum { FEW_BYTES = 64 };

void ets_json_put_hash(struct ets_json_writer *json, const char *key, uint64_t hash)
{
    char text[20];
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    ets_json_put_string(json, key, text);
}

void ets_json_put_any_real(struct ets_json_writer *json, const char *key, double value)
{
    if (isfinite(value)) ets_json_put_real(json, key, value);
    else ets_json_put_string(json, key, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
}

/* Base64 (RFC 4648) of up to 3 bytes. */
static void encode(const uint8_t *bytes, size_t count, char text[4])
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint32_t word = (uint32_t)bytes[0] << 16 | (count > 1 ? (uint32_t)bytes[1] << 8 : 0) |
                          (count > 2 ? bytes[2] : 0);
    for (int i = 0; i < 4; i++) text[i] = digits[word >> (18 - 6 * i) & 63];
    if (count < 3) text[3] = '=';
    if (count < 2) text[2] = '=';
}

static void put_base64(struct ets_json_writer *json, const char *key, struct ets_bytes bytes)
{
    char text[4 * 256];
    size_t used = 0;
    ets_json_put_key(json, key);
    if (json->output == NULL) return;
    ets_output_write(json->output, "\"", 1);
    for (size_t i = 0; i < bytes.size; i += 3) {
        encode(bytes.data + i, bytes.size - i, text + used);
        used += 4;
        if (used < sizeof text) continue;
        ets_output_write(json->output, text, used);
        used = 0;
    }
    ets_output_write(json->output, text, used);
    ets_output_write(json->output, "\"", 1);
}

void ets_json_put_blob_members(struct ets_json_writer *json, struct ets_bytes bytes, uint64_t hash,
                               bool with_data)
{
    ets_json_put_count(json, "bytes", bytes.size);
    ets_json_put_hash(json, "hash", bytes.size == 0 ? ets_xxh64_of(bytes) : hash);
    if (with_data || bytes.size <= FEW_BYTES) put_base64(json, "data", bytes);
}

void ets_json_put_blob(struct ets_json_writer *json, const char *key, struct ets_bytes bytes,
                       bool with_data)
{
    if (bytes.data == NULL) {
        ets_json_put_null(json, key);
        return;
    }
    ets_json_begin_object(json, key);
    ets_json_put_blob_members(json, bytes, ets_xxh64_of(bytes), with_data);
    ets_json_end_object(json);
}

/* The scalar at `at`. */
static void put_scalar(struct ets_json_writer *json, const char *key, const uint8_t *at,
                       enum ets_fb_scalar scalar)
{
    switch (scalar) {
    case ETS_FB_BOOL: ets_json_put_bool(json, key, *at != 0); break;
    case ETS_FB_U8: ets_json_put_count(json, key, *at); break;
    case ETS_FB_I8: ets_json_put_integer(json, key, (int8_t)*at); break;
    case ETS_FB_U16: ets_json_put_count(json, key, ets_load_u16(at)); break;
    case ETS_FB_I16: ets_json_put_integer(json, key, (int16_t)ets_load_u16(at)); break;
    case ETS_FB_U32: ets_json_put_count(json, key, ets_load_u32(at)); break;
    case ETS_FB_I32: ets_json_put_integer(json, key, (int32_t)ets_load_u32(at)); break;
    case ETS_FB_U64: ets_json_put_count(json, key, ets_load_u64(at)); break;
    case ETS_FB_I64: ets_json_put_integer(json, key, (int64_t)ets_load_u64(at)); break;
    case ETS_FB_F32: ets_json_put_any_real(json, key, ets_load_f32(at)); break;
    case ETS_FB_F64: ets_json_put_any_real(json, key, ets_load_f64(at)); break;
    }
}

/* The name of a number where its field is an enumeration that has one; NULL: none. */
static const char *name_of(const struct ets_fb_type *type, const struct ets_fb_field *field,
                           uint8_t number)
{
    for (size_t i = 0; i < sizeof enumerations / sizeof *enumerations; i++) {
        const struct enumeration *known = &enumerations[i];
        if (strcmp(known->field, field->name) != 0) continue;
        if (known->type != NULL && strcmp(known->type, type->name) != 0) continue;
        return number < known->count ? known->names[number] : NULL;
    }
    return NULL;
}

/* A scalar field; `at` 0: absent. */
static void put_scalar_field(struct ets_json_writer *json, struct ets_fb table,
                             const struct ets_fb_type *type, const struct ets_fb_field *field,
                             size_t at)
{
    static const uint8_t zeros[8], minus_one[8] = {255, 255, 255, 255, 255, 255, 255, 255};
    static const uint8_t largest[1] = {127};
    const uint8_t *absent = (field->flags & ETS_FB_MINUS_ONE) != 0 ? minus_one
                            : (field->flags & ETS_FB_LARGEST) != 0 ? largest
                                                                   : zeros;
    const uint8_t *value = at == 0 ? absent : table.base + at;
    /* Enumerations are bytes in all schemas. */
    const char *name = field->of.scalar == ETS_FB_I8 ? name_of(type, field, *value) : NULL;
    if (name != NULL) ets_json_put_string(json, field->name, name);
    else put_scalar(json, field->name, value, field->of.scalar);
}

static void put_scalars(struct ets_json_writer *json, const struct ets_fb_field *field,
                        struct ets_fb_vector vector, bool with_data)
{
    const size_t size = ets_fb_scalar_bytes(field->of.scalar);
    if ((field->flags & ETS_FB_BLOB) != 0) {
        const struct ets_bytes bytes = {vector.base + vector.at, vector.count};
        ets_json_put_blob(json, field->name, bytes, with_data);
        return;
    }
    ets_json_begin_array(json, field->name);
    for (uint32_t i = 0; i < vector.count; i++) {
        put_scalar(json, NULL, vector.base + vector.at + size * i, field->of.scalar);
    }
    ets_json_end_array(json);
}

static void put_table(struct ets_json_writer *json, const char *key, struct ets_fb table,
                      const struct ets_fb_type *type, bool with_data);

static void put_union(struct ets_json_writer *json, struct ets_fb table,
                      const struct ets_fb_field *field, bool with_data)
{
    char key[64], number[8];
    const struct ets_fb_union *choice = field->of.choice;
    const uint8_t tag = ets_fb_u8(table, field->slot, 0);
    const struct ets_fb_type *member = tag < choice->count ? choice->members[tag] : NULL;
    snprintf(key, sizeof key, "%s_type", field->name);
    snprintf(number, sizeof number, "%u", tag);
    ets_json_put_string(json, key, member != NULL ? member->name : tag == 0 ? "NONE" : number);
    if (member == NULL) {
        ets_json_put_null(json, field->name);
    } else if (member->field_count == 0) {
        ets_json_begin_object(json, field->name);
        ets_json_end_object(json);
    } else {
        put_table(json, field->name, ets_fb_table(table, field->slot + 1u), member, with_data);
    }
}

static void put_vector(struct ets_json_writer *json, const struct ets_fb_field *field,
                       struct ets_fb_vector vector, bool with_data)
{
    if (field->kind == ETS_FB_SCALARS) {
        put_scalars(json, field, vector, with_data);
        return;
    }
    ets_json_begin_array(json, field->name);
    for (uint32_t i = 0; i < vector.count; i++) {
        if (field->kind == ETS_FB_TABLES) {
            put_table(json, NULL, ets_fb_vector_table(vector, i), field->of.table, with_data);
        } else {
            const size_t at = ets_fb_follow(vector.base, vector.at + 4 * (size_t)i);
            ets_json_put_text(json, NULL,
                              (struct ets_text){(const char *)vector.base + at + 4,
                                                ets_load_u32(vector.base + at)});
        }
    }
    ets_json_end_array(json);
}

static void put_field(struct ets_json_writer *json, struct ets_fb table,
                      const struct ets_fb_type *type, const struct ets_fb_field *field,
                      bool with_data)
{
    const size_t at = ets_fb_field_at(table, field->slot);
    if (field->kind == ETS_FB_UNION) {
        put_union(json, table, field, with_data);
    } else if (field->kind == ETS_FB_SCALAR) {
        put_scalar_field(json, table, type, field, at);
    } else if (at == 0) {
        ets_json_put_null(json, field->name);
    } else if (field->kind == ETS_FB_STRING) {
        ets_json_put_text(json, field->name, ets_fb_text(table, field->slot));
    } else if (field->kind == ETS_FB_TABLE) {
        put_table(json, field->name, ets_fb_table(table, field->slot), field->of.table, with_data);
    } else {
        put_vector(json, field, ets_fb_vector(table, field->slot), with_data);
    }
}

/* Nested no deeper than the verifier lets pass. */
static void put_table(struct ets_json_writer *json, const char *key, struct ets_fb table,
                      const struct ets_fb_type *type, bool with_data)
{
    ets_json_begin_object(json, key);
    for (uint16_t i = 0; i < type->field_count; i++) {
        put_field(json, table, type, &type->fields[i], with_data);
    }
    ets_json_end_object(json);
}

void ets_json_put_flatbuffer(struct ets_json_writer *json, const char *key, struct ets_fb table,
                             const struct ets_fb_type *type, bool with_data)
{
    put_table(json, key, table, type, with_data);
}
