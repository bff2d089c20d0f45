/* Stands for zlib where it is missing: gzip (RFC 1952) around stored blocks (RFC 1951, 3.2.4). */
#include "base/crc32.h"
#include "output/page/page_pack.h"

enum { BLOCK_BYTES = 65535 };

static bool put_little(struct ets_arena *arena, struct ets_page_bytes *out, uint32_t value,
                       size_t size)
{
    uint8_t little[4];
    for (size_t i = 0; i < size; i++) little[i] = (uint8_t)(value >> 8 * i);
    return ets_page_put_bytes(arena, out, little, size);
}

bool ets_page_gzip(struct ets_arena *arena, const struct ets_page_bytes *bytes,
                   struct ets_page_bytes *packed_out)
{
    static const uint8_t head[10] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255};
    size_t at = 0;
    bool ok = ets_page_put_bytes(arena, packed_out, head, sizeof head);
    do {
        const size_t left = bytes->size - at;
        const uint32_t here = left < BLOCK_BYTES ? (uint32_t)left : BLOCK_BYTES;
        ok = ok && put_little(arena, packed_out, left == here, 1) &&
             put_little(arena, packed_out, here, 2) && put_little(arena, packed_out, ~here, 2) &&
             ets_page_put_bytes(arena, packed_out, bytes->data + at, here);
        at += here;
    } while (at < bytes->size);
    return ok && put_little(arena, packed_out, ets_crc32(0, bytes->data, bytes->size), 4) &&
           put_little(arena, packed_out, (uint32_t)bytes->size, 4);
}
