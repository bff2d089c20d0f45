/* Changes a Protobuf message by its fields; the lengths of those around them stay right. */
#include <stdlib.h>
#include <string.h>

#include "mutate.h"

enum { MOST_FIELDS = 256, MOST_DEPTH = 8 };

struct field {
    size_t at, value, end; /* of the tag, behind it and a length, and of the value */
    unsigned wire;
};

static size_t read_varint(const struct mutant *m, size_t at, uint64_t *value_out)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < 10 && at + i < m->size; i++) {
        value |= (uint64_t)(m->data[at + i] & 0x7f) << 7 * i;
        if (m->data[at + i] < 0x80) {
            *value_out = value;
            return at + i + 1;
        }
    }
    return 0;
}

static size_t write_varint(uint8_t *bytes, uint64_t value)
{
    size_t count = 0;
    for (; value >= 0x80; value >>= 7) bytes[count++] = (uint8_t)(value | 0x80);
    bytes[count++] = (uint8_t)value;
    return count;
}

static bool read_field(const struct mutant *m, size_t at, struct field *field)
{
    uint64_t tag, value = 0;
    size_t end = read_varint(m, at, &tag);
    if (end == 0 || tag < 8) return false;
    *field = (struct field){at, end, end, (unsigned)(tag & 7)};
    switch (field->wire) {
    case 0: field->end = read_varint(m, end, &value); break;
    case 1: field->end = end + 8; break;
    case 5: field->end = end + 4; break;
    case 2:
        field->value = read_varint(m, end, &value);
        if (field->value == 0 || value > m->size - field->value) return false;
        field->end = field->value + (size_t)value;
        break;
    default: return false;
    }
    return field->end != 0 && field->end <= m->size;
}

/* The fields of a message; 0: it is none. */
static size_t read_fields(const struct mutant *m, struct field *fields)
{
    size_t count = 0, at = 0;
    while (at < m->size && count < MOST_FIELDS) {
        if (!read_field(m, at, &fields[count])) return 0;
        at = fields[count++].end;
    }
    return count;
}

static void change_number(struct mutant *m, const struct field *field)
{
    uint8_t bytes[10];
    const uint64_t number = mutant_number(m);
    if (field->wire == 0) {
        const size_t count = write_varint(bytes, number);
        (void)mutant_replace(m, field->value, field->end - field->value, bytes, count);
    } else {
        for (size_t i = field->value; i < field->end; i++) {
            m->data[i] = (uint8_t)(number >> 8 * (i - field->value));
        }
    }
}

static void mutate(struct mutant *m, unsigned depth);

/* Inside of a message or a text, whose length is written anew. */
static void change_inside(struct mutant *m, const struct field *field, unsigned depth)
{
    const size_t size = field->end - field->value, most = size + (m->most - m->size);
    struct mutant inner = {malloc(most + 1), size, most > 10 ? most - 10 : size, m->state};
    if (inner.data == NULL) return;
    if (inner.most < size) inner.most = size;
    memcpy(inner.data, m->data + field->value, size);
    mutate(&inner, depth + 1);
    m->state = inner.state;
    uint8_t tag[20];
    uint64_t key = 0;
    (void)read_varint(m, field->at, &key);
    size_t count = write_varint(tag, key);
    count += write_varint(tag + count, inner.size);
    if (count + inner.size <= field->end - field->at + (m->most - m->size)) {
        (void)mutant_replace(m, field->value, size, inner.data, inner.size);
        (void)mutant_replace(m, field->at, field->value - field->at, tag, count);
    }
    free(inner.data);
}

static void mutate(struct mutant *m, unsigned depth)
{
    struct field *fields = malloc(MOST_FIELDS * sizeof *fields);
    const size_t count = fields == NULL ? 0 : read_fields(m, fields);
    if (count == 0 || depth == MOST_DEPTH) {
        if (m->size > 0) mutant_shake(m, 0, m->size);
        free(fields);
        return;
    }
    const struct field one = fields[mutant_random(m, count)];
    const struct field other = fields[mutant_random(m, count)];
    const size_t size = one.end - one.at;
    free(fields);
    switch (mutant_random(m, 8)) {
    case 0: (void)mutant_replace(m, one.at, size, NULL, 0); break;
    case 1: (void)mutant_replace(m, other.at, 0, m->data + one.at, size); break;
    case 2: (void)mutant_replace(m, other.at, other.end - other.at, m->data + one.at, size); break;
    case 3: m->data[one.at] = (uint8_t)(m->data[one.at] ^ 8u << mutant_random(m, 3)); break;
    default:
        if (one.wire == 2) change_inside(m, &one, depth);
        else change_number(m, &one);
    }
}

void mutate_protobuf(struct mutant *mutant)
{
    if (mutant->size > 0) mutate(mutant, 0);
}
