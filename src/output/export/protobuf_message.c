/* Protobuf messages that grow. */
#include "output/export/protobuf_message.h"

uint8_t *ets_message_reserve(struct ets_message *message, size_t size)
{
    if (size > UINT32_MAX / 2 - message->used) return NULL;
    uint8_t *bytes = ets_arena_grow(message->arena, message->bytes, message->used + (uint32_t)size,
                                    &message->capacity, 1);
    if (bytes == NULL) return NULL;
    message->bytes = bytes;
    return bytes + message->used;
}

bool ets_message_number(struct ets_message *message, uint32_t field, uint64_t value)
{
    uint8_t *at = ets_message_reserve(message, ETS_PROTO_NUMBER_ROOM);
    if (at != NULL) ets_message_extend(message, ets_proto_number(at, field, value));
    return at != NULL;
}

bool ets_message_bytes(struct ets_message *message, uint32_t field, const void *data, size_t size)
{
    if (size > UINT32_MAX / 2) return false;
    uint8_t *at = ets_message_reserve(message, ETS_PROTO_NUMBER_ROOM + size);
    if (at != NULL) ets_message_extend(message, ets_proto_bytes(at, field, data, size));
    return at != NULL;
}

bool ets_message_take(struct ets_message *message, uint32_t field, struct ets_message *inner)
{
    const bool ok = ets_message_bytes(message, field, inner->bytes, inner->used);
    inner->used = 0;
    return ok;
}
