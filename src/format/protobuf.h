/*
 * Reads messages of Protocol Buffers field by field, without a schema and without memory.
 *
 *     struct ets_protobuf message = ets_protobuf_of(bytes);
 *     struct ets_protobuf_field field;
 *     while (ets_protobuf_next(&message, &field)) {
 *         if (field.number == 1) name = ets_protobuf_text(&field);
 *     }
 *     if (message.is_broken) refuse(message.at);
 *
 * A field that is itself a message is bytes: read it in the same way. Nothing here recurses.
 */
#ifndef ETSCOPE_FORMAT_PROTOBUF_H
#define ETSCOPE_FORMAT_PROTOBUF_H

#include <stdbool.h>
#include <stdint.h>

#include "etscope/base.h"

enum ets_protobuf_wire {
    ETS_PROTOBUF_VARINT = 0,
    ETS_PROTOBUF_FIXED64 = 1,
    ETS_PROTOBUF_BYTES = 2,
    ETS_PROTOBUF_FIXED32 = 5
};

struct ets_protobuf {
    struct ets_bytes bytes;
    size_t at;
    bool is_broken; /* ended by bytes that are no field */
};

struct ets_protobuf_field {
    uint32_t number;
    enum ets_protobuf_wire wire;
    uint64_t value;         /* of VARINT, FIXED64 and FIXED32 */
    struct ets_bytes bytes; /* of BYTES; the encoded number otherwise */
};

static inline struct ets_protobuf ets_protobuf_of(struct ets_bytes bytes)
{
    return (struct ets_protobuf){.bytes = bytes};
}

/* false: the message has ended, or is broken. */
bool ets_protobuf_next(struct ets_protobuf *message, struct ets_protobuf_field *field_out);

/* The last field of a number, as later ones replace earlier ones. false: there is none. */
bool ets_protobuf_find(struct ets_bytes message, uint32_t number,
                       struct ets_protobuf_field *field_out);
/* The same for a message or text; empty: there is none. */
struct ets_bytes ets_protobuf_find_bytes(struct ets_bytes message, uint32_t number);
struct ets_text ets_protobuf_find_text(struct ets_bytes message, uint32_t number);
/* The same for a number; `otherwise`: there is none. */
uint64_t ets_protobuf_find_number(struct ets_bytes message, uint32_t number, uint64_t otherwise);

static inline struct ets_text ets_protobuf_text(const struct ets_protobuf_field *field)
{
    return (struct ets_text){(const char *)field->bytes.data, field->bytes.size};
}

/*
 * Repeated numbers, packed or one by one: takes the next of a field that ets_protobuf_next gave.
 * *at begins at 0. `wire`: how each is encoded. false: that was the last.
 */
bool ets_protobuf_number(const struct ets_protobuf_field *field, enum ets_protobuf_wire wire,
                         size_t *at, uint64_t *number_out);

#endif
