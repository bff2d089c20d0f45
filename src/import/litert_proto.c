/*
 * Reads tflite.profiling.BenchmarkProfilingData, LiteRT's operator profile as a protobuf. A
 * message is a list of fields; each begins with its number and wire type.
 */
#include "import/litert_rows.h"

enum { VARINT = 0, EIGHT_BYTES = 1, LENGTH = 2, FOUR_BYTES = 5 };

/* A field: the value of a VARINT, or the bytes of a LENGTH. */
struct field {
    uint32_t number, wire;
    uint64_t value;
    struct ets_bytes bytes;
};

struct reader {
    struct ets_foreign *f;
    struct ets_litert_clock clock;
};

static enum ets_status fail_at(const struct reader *r, const uint8_t *at, const char *what,
                               struct ets_error *error)
{
    return ets_fail(error, ETS_MALFORMED, (uint64_t)(at - r->f->bytes.data),
                    "the profile's protobuf %s", what);
}

static bool read_varint(struct ets_bytes *rest, uint64_t *value_out)
{
    *value_out = 0;
    for (unsigned shift = 0; shift < 70 && rest->size > 0; shift += 7) {
        const uint8_t byte = *rest->data++;
        rest->size--;
        if (shift < 64) *value_out |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) return true;
    }
    return false;
}

/* Takes the next field off `*rest`, which is not empty. */
static enum ets_status next_field(const struct reader *r, struct ets_bytes *rest,
                                  struct field *field, struct ets_error *error)
{
    const uint8_t *start = rest->data;
    uint64_t key;
    if (!read_varint(rest, &key)) return fail_at(r, start, "ends inside a field's number", error);
    *field = (struct field){.number = (uint32_t)(key >> 3 & UINT32_MAX), .wire = key & 7};
    if (field->wire == VARINT) {
        if (read_varint(rest, &field->value)) return ETS_OK;
        return fail_at(r, start, "ends inside a number", error);
    }
    uint64_t size = field->wire == EIGHT_BYTES ? 8 : 4;
    if (field->wire != EIGHT_BYTES && field->wire != FOUR_BYTES && field->wire != LENGTH) {
        return fail_at(r, start, "has a field of an unknown wire type", error);
    }
    if (field->wire == LENGTH && !read_varint(rest, &size)) {
        return fail_at(r, start, "ends inside a length", error);
    }
    if (size > rest->size) {
        return fail_at(r, start, "has a field that is longer than the message around it", error);
    }
    field->bytes = (struct ets_bytes){rest->data, (size_t)size};
    *rest = (struct ets_bytes){rest->data + size, rest->size - (size_t)size};
    return ETS_OK;
}

static struct ets_text text_of(const struct field *field)
{
    return (struct ets_text){(const char *)field->bytes.data, field->bytes.size};
}

/* OpProfilingStat: 1 first, 3 avg, 8 sum, 9 count, in microseconds. `avg` is rounded down. */
static enum ets_status read_times(const struct reader *r, struct ets_bytes rest,
                                  struct ets_litert_row *row, struct ets_error *error)
{
    const uint8_t *start = rest.data;
    uint64_t first = 0, average = 0, sum = 0, count = 0;
    while (rest.size > 0) {
        struct field field;
        ETS_TRY(next_field(r, &rest, &field, error));
        if (field.wire != VARINT) continue;
        if (field.number == 1) first = field.value;
        if (field.number == 3) average = field.value;
        if (field.number == 8) sum = field.value;
        if (field.number == 9) count = field.value;
    }
    const uint64_t most = (uint64_t)(INT64_MAX >> 1) / 1000;
    if (first > most || average > most || sum > most) {
        return fail_at(r, start, "has a time below 0 or beyond 146 years", error);
    }
    row->first_ns = (int64_t)first * 1000;
    row->average_ns = (int64_t)average * 1000;
    if (count > 0) row->average_ns = (int64_t)((sum * 1000 + count / 2) / count);
    return ETS_OK;
}

/* OpProfileData: 1 node_type, 2 inference_microseconds, 5 name. */
static enum ets_status read_operator(struct reader *r, struct ets_bytes rest,
                                     struct ets_error *error)
{
    struct ets_litert_row row = {.first_ns = 0};
    bool is_named_so;
    while (rest.size > 0) {
        struct field field;
        ETS_TRY(next_field(r, &rest, &field, error));
        if (field.wire != LENGTH) continue;
        if (field.number == 1) row.type = ets_litert_type(text_of(&field), &row.is_delegated);
        if (field.number == 2) ETS_TRY(read_times(r, field.bytes, &row, error));
        if (field.number == 5) row.name = text_of(&field);
    }
    if (row.type.size == 0) row.type = (struct ets_text){"(no node type)", 14};
    (void)ets_litert_type(row.name, &is_named_so);
    row.is_delegated = row.is_delegated || is_named_so;
    return ets_litert_add(r->f, &r->clock, &row, error);
}

/* SubGraphProfilingData: 2 subgraph_index. */
static enum ets_status read_index(struct reader *r, struct ets_bytes rest, bool *is_primary_out,
                                  struct ets_error *error)
{
    *is_primary_out = true;
    while (rest.size > 0) {
        struct field field;
        ETS_TRY(next_field(r, &rest, &field, error));
        if (field.wire == VARINT && field.number == 2) *is_primary_out = field.value == 0;
    }
    return ETS_OK;
}

/* SubGraphProfilingData, 3 per_op_profiles; DelegateProfilingData, 2 per_op_profiles. */
static enum ets_status read_graph(struct reader *r, struct ets_bytes rest, uint32_t operators,
                                  struct ets_error *error)
{
    bool is_primary = true;
    if (operators == 3) ETS_TRY(read_index(r, rest, &is_primary, error));
    while (rest.size > 0) {
        struct field field;
        ETS_TRY(next_field(r, &rest, &field, error));
        if (field.wire != LENGTH || field.number != operators) continue;
        if (operators != 3) ets_foreign_leave_out(r->f, ets_litert_in_delegates);
        else if (!is_primary) ets_foreign_leave_out(r->f, ets_litert_in_subgraphs);
        else ETS_TRY(read_operator(r, field.bytes, error));
    }
    return ETS_OK;
}

/*
 * ModelProfilingData: 1 subgraph_profiles, 2 delegate_profiles. Times of the latter, and of
 * subgraphs above 0, are in those of operators of subgraph 0.
 */
static enum ets_status read_model(struct reader *r, struct ets_bytes rest, struct ets_error *error)
{
    while (rest.size > 0) {
        struct field field;
        ETS_TRY(next_field(r, &rest, &field, error));
        if (field.wire != LENGTH) continue;
        if (field.number == 1) ETS_TRY(read_graph(r, field.bytes, 3, error));
        if (field.number == 2) ETS_TRY(read_graph(r, field.bytes, 2, error));
    }
    return ETS_OK;
}

bool ets_litert_is_proto(struct ets_bytes bytes)
{
    enum { NAME = 0x0a, INIT_PROFILE = 0x12, RUNTIME_PROFILE = 0x1a };
    struct ets_bytes rest = bytes;
    bool has_profile = false;
    while (rest.size > 0) {
        const uint8_t key = *rest.data++;
        uint64_t size;
        rest.size--;
        if (key != NAME && key != INIT_PROFILE && key != RUNTIME_PROFILE) return false;
        if (!read_varint(&rest, &size) || size > rest.size) return false;
        /* A profile begins with one of its two lists. */
        if (key != NAME && size > 0 && rest.data[0] != 0x0a && rest.data[0] != 0x12) return false;
        has_profile = has_profile || (key != NAME && size > 0);
        rest = (struct ets_bytes){rest.data + size, rest.size - (size_t)size};
    }
    return has_profile;
}

enum ets_status ets_litert_proto_read(struct ets_foreign *f, struct ets_error *error)
{
    struct reader r = {.f = f};
    struct ets_bytes rest = f->bytes;
    while (rest.size > 0) {
        struct field field;
        ETS_TRY(next_field(&r, &rest, &field, error));
        if (field.wire != LENGTH) continue;
        if (field.number == 2) ets_foreign_leave_out(f, "profile of the initialization");
        if (field.number == 3) ETS_TRY(read_model(&r, field.bytes, error));
    }
    return ets_litert_end(f, &r.clock, error);
}
