/* Counts the memory of graphs while they are read. */
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
