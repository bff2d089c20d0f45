/*
 * A protobuf message that grows in an arena.
 *
 *     struct ets_message node = {.arena = arena};
 *     bool ok = ets_message_bytes(&node, NODE_NAME, name.data, name.size);
 *     ok = ok && ets_message_bytes(&graph, GRAPH_NODE, node.bytes, node.used);
 *     node.used = 0; // for the next one
 *
 * Functions return false where memory ran out, or where the message would exceed 2 GiB.
 */
#ifndef ETSCOPE_OUTPUT_EXPORT_PROTOBUF_MESSAGE_H
#define ETSCOPE_OUTPUT_EXPORT_PROTOBUF_MESSAGE_H

#include <stdbool.h>

#include "host/arena.h"
#include "output/export/protobuf_writer.h"

struct ets_message {
    struct ets_arena *arena;
    uint8_t *bytes;
    uint32_t used, capacity;
};

/* Room for `size` more bytes at the end, or NULL. */
uint8_t *ets_message_reserve(struct ets_message *message, size_t size);
/* Ends the message at `end`, inside of what was reserved. */
static inline void ets_message_extend(struct ets_message *message, const uint8_t *end)
{
    message->used = (uint32_t)(end - message->bytes);
}

bool ets_message_number(struct ets_message *message, uint32_t field, uint64_t value);
bool ets_message_bytes(struct ets_message *message, uint32_t field, const void *data, size_t size);
/* Adds `inner` as a field, and empties it. */
bool ets_message_take(struct ets_message *message, uint32_t field, struct ets_message *inner);

#endif
