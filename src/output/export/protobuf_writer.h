/*
 * Writes fields of protobuf messages into a buffer of the caller, which has room for them.
 *
 *     uint8_t bytes[40], *at = bytes;
 *     at = ets_proto_number(at, 8, timestamp);
 *     at = ets_proto_bytes(at, 2, name.data, name.size);
 */
#ifndef ETSCOPE_OUTPUT_EXPORT_PROTOBUF_WRITER_H
#define ETSCOPE_OUTPUT_EXPORT_PROTOBUF_WRITER_H

#include <stdint.h>
#include <string.h>

#include "etscope/base.h"

/* The most bytes of a number's field. */
enum { ETS_PROTO_NUMBER_ROOM = 15, ETS_PROTO_VARINT_ROOM = 10 };

static inline uint8_t *ets_proto_varint(uint8_t *at, uint64_t value)
{
    for (; value >= 0x80; value >>= 7) *at++ = (uint8_t)(value | 0x80);
    *at++ = (uint8_t)value;
    return at;
}

static inline uint8_t *ets_proto_number(uint8_t *at, uint32_t field, uint64_t value)
{
    return ets_proto_varint(ets_proto_varint(at, field << 3), value);
}

static inline uint8_t *ets_proto_fixed64(uint8_t *at, uint32_t field, uint64_t value)
{
    at = ets_proto_varint(at, field << 3 | 1);
    for (int i = 0; i < 8; i++) *at++ = (uint8_t)(value >> 8 * i);
    return at;
}

/* The key and the length of a text or a message, whose bytes follow. */
static inline uint8_t *ets_proto_head(uint8_t *at, uint32_t field, uint64_t size)
{
    return ets_proto_varint(ets_proto_varint(at, field << 3 | 2), size);
}

static inline uint8_t *ets_proto_bytes(uint8_t *at, uint32_t field, const void *data, size_t size)
{
    at = ets_proto_head(at, field, size);
    if (size > 0) memcpy(at, data, size);
    return at + size;
}

#endif
