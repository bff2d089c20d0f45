/* Decodes tags, varints and lengths. */
#include "format/protobuf.h"

#include "base/load.h"

static bool read_varint(struct ets_bytes bytes, size_t *at, uint64_t *out)
{
    enum { MOST_BYTES = 10 };
    uint64_t value = 0;
    for (unsigned i = 0; i < MOST_BYTES && *at < bytes.size; i++) {
        const uint8_t byte = bytes.data[(*at)++];
        value |= (uint64_t)(byte & 0x7f) << (7 * i);
        if (byte < 0x80) {
            *out = value;
            return true;
        }
    }
    return false;
}

/* Takes `size` bytes. */
static bool take(struct ets_protobuf *message, uint64_t size, struct ets_bytes *out)
{
    if (!ets_range_fits(message->at, size, message->bytes.size)) return false;
    *out = (struct ets_bytes){message->bytes.data + message->at, (size_t)size};
    message->at += (size_t)size;
    return true;
}

static bool read_content(struct ets_protobuf *message, struct ets_protobuf_field *out)
{
    const size_t start = message->at;
    uint64_t size;
    switch (out->wire) {
    case ETS_PROTOBUF_VARINT:
        if (!read_varint(message->bytes, &message->at, &out->value)) return false;
        out->bytes = (struct ets_bytes){message->bytes.data + start, message->at - start};
        return true;
    case ETS_PROTOBUF_FIXED64:
        if (!take(message, 8, &out->bytes)) return false;
        out->value = ets_load_u64(out->bytes.data);
        return true;
    case ETS_PROTOBUF_BYTES:
        return read_varint(message->bytes, &message->at, &size) && take(message, size, &out->bytes);
    case ETS_PROTOBUF_FIXED32:
        if (!take(message, 4, &out->bytes)) return false;
        out->value = ets_load_u32(out->bytes.data);
        return true;
    }
    return false; /* groups, which no current writer makes */
}

bool ets_protobuf_next(struct ets_protobuf *message, struct ets_protobuf_field *field_out)
{
    uint64_t tag;
    *field_out = (struct ets_protobuf_field){.number = 0};
    if (message->is_broken || message->at >= message->bytes.size) return false;
    message->is_broken = true;
    if (!read_varint(message->bytes, &message->at, &tag)) return false;
    if (tag >> 3 == 0 || tag >> 3 > UINT32_MAX >> 3) return false;
    field_out->number = (uint32_t)(tag >> 3);
    field_out->wire = (enum ets_protobuf_wire)(tag & 7);
    message->is_broken = !read_content(message, field_out);
    return !message->is_broken;
}

bool ets_protobuf_find(struct ets_bytes message, uint32_t number,
                       struct ets_protobuf_field *field_out)
{
    struct ets_protobuf reader = ets_protobuf_of(message);
    struct ets_protobuf_field field;
    bool is_found = false;
    while (ets_protobuf_next(&reader, &field)) {
        if (field.number != number) continue;
        *field_out = field;
        is_found = true;
    }
    return is_found;
}

struct ets_bytes ets_protobuf_find_bytes(struct ets_bytes message, uint32_t number)
{
    struct ets_protobuf_field field = {.number = 0};
    const bool is_found =
        ets_protobuf_find(message, number, &field) && field.wire == ETS_PROTOBUF_BYTES;
    return is_found ? field.bytes : (struct ets_bytes){NULL, 0};
}

struct ets_text ets_protobuf_find_text(struct ets_bytes message, uint32_t number)
{
    const struct ets_bytes bytes = ets_protobuf_find_bytes(message, number);
    return (struct ets_text){(const char *)bytes.data, bytes.size};
}

uint64_t ets_protobuf_find_number(struct ets_bytes message, uint32_t number, uint64_t otherwise)
{
    struct ets_protobuf_field field = {.number = 0};
    const bool is_found =
        ets_protobuf_find(message, number, &field) && field.wire != ETS_PROTOBUF_BYTES;
    return is_found ? field.value : otherwise;
}

bool ets_protobuf_number(const struct ets_protobuf_field *field, enum ets_protobuf_wire wire,
                         size_t *at, uint64_t *number_out)
{
    const size_t size = wire == ETS_PROTOBUF_FIXED32 ? 4 : 8;
    if (field->wire != ETS_PROTOBUF_BYTES) {
        *number_out = field->value;
        return (*at)++ == 0;
    }
    if (*at >= field->bytes.size) return false;
    if (wire == ETS_PROTOBUF_VARINT) return read_varint(field->bytes, at, number_out);
    if (field->bytes.size - *at < size) return false;
    const uint8_t *number = field->bytes.data + *at;
    *number_out = size == 4 ? ets_load_u32(number) : ets_load_u64(number);
    *at += size;
    return true;
}
