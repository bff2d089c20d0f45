/* Codes numbers for a page: LEB128, zigzag. */
#include <string.h>

#include "output/page/page_table.h"

enum { FIRST_ROOM = 256 };

static bool make_room(struct ets_arena *arena, struct ets_page_bytes *bytes, size_t more)
{
    if (more <= bytes->capacity - bytes->size) return true;
    size_t room = bytes->capacity > 0 ? bytes->capacity : FIRST_ROOM;
    while (room - bytes->size < more) {
        if (room > SIZE_MAX / 2) return false;
        room *= 2;
    }
    uint8_t *data = ets_arena_alloc(arena, room);
    if (data == NULL) return false;
    if (bytes->size > 0) memcpy(data, bytes->data, bytes->size);
    bytes->data = data;
    bytes->capacity = room;
    return true;
}

bool ets_page_put_bytes(struct ets_arena *arena, struct ets_page_bytes *bytes, const void *data,
                        size_t size)
{
    if (!make_room(arena, bytes, size)) return false;
    if (size > 0) memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
    return true;
}

bool ets_page_put_unsigned(struct ets_arena *arena, struct ets_page_bytes *bytes, uint64_t value)
{
    enum { LONGEST = 10 };
    if (!make_room(arena, bytes, LONGEST)) return false;
    for (; value >= 0x80; value >>= 7) bytes->data[bytes->size++] = (uint8_t)(value | 0x80);
    bytes->data[bytes->size++] = (uint8_t)value;
    return true;
}

/* `value` is the number's two's complement. */
bool ets_page_put_signed(struct ets_arena *arena, struct ets_page_bytes *bytes, uint64_t value)
{
    const uint64_t sign = (value >> 63) != 0 ? UINT64_MAX : 0;
    return ets_page_put_unsigned(arena, bytes, value << 1 ^ sign);
}
