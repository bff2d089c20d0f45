/* Compares the planned memory of methods. */
#include "format/shared_buffers.h"

bool ets_methods_share_buffers(const struct ets_method *first, const struct ets_method *second)
{
    struct ets_planned_arena one, other;
    if (first->arena_count != 2 || second->arena_count != 2) return false;
    ets_method_arena(first, 1, &one);
    ets_method_arena(second, 1, &other);
    return one.bytes == other.bytes;
}
