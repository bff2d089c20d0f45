/* Counts the memory of graphs while they are read. */
#include <string.h>

#include "base/load.h"
#include "payload/payload_reader.h"

void *ets_payload_room(struct ets_payload_builder *builder, size_t count, size_t size)
{
    uint64_t bytes;
    if (!ets_mul_u64(count, size, &bytes) || bytes > builder->room) {
        builder->is_beyond = true;
        builder->room = 0;
        return NULL;
    }
    builder->room -= bytes;
    return ets_arena_alloc_array(builder->arena, count, size);
}

struct ets_text ets_payload_copy(struct ets_payload_builder *builder, struct ets_text text)
{
    char *copy = ets_payload_room(builder, text.size + 1, 1);
    if (copy == NULL) return (struct ets_text){NULL, 0};
    if (text.size > 0) memcpy(copy, text.data, text.size);
    return (struct ets_text){copy, text.size};
}

bool ets_payload_look(struct ets_payload_builder *builder, size_t count)
{
    if (count <= builder->room) {
        builder->room -= count;
        return true;
    }
    builder->is_beyond = true;
    builder->room = 0;
    return false;
}

bool ets_payload_named_data(struct ets_payload_builder *builder, struct ets_text key,
                            struct ets_bytes *bytes_out)
{
    return builder->find_data(builder->store, key, bytes_out) &&
           ets_payload_look(builder, bytes_out->size);
}
