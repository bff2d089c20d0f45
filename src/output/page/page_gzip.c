/* Compresses by zlib. */
#include <string.h>
#include <zlib.h>

#include "output/page/page_pack.h"

enum {
    GZIP = 16,
    LEVEL_SMALL = 6,
    LEVEL_LARGE = 1,
    MEMORY = 8,
    LARGE_BYTES = 1 << 20,
    PIECE = 1 << 16,
    UNKNOWN_SYSTEM = 255 /* RFC 1952 */
};

bool ets_page_gzip(struct ets_arena *arena, const struct ets_page_bytes *bytes,
                   struct ets_page_bytes *packed_out)
{
    gz_header header = {.os = UNKNOWN_SYSTEM}; /* the same bytes on every system */
    z_stream stream;
    uint8_t piece[PIECE];
    size_t at = 0;
    int code;
    bool ok = true;
    memset(&stream, 0, sizeof stream);
    const int level = bytes->size > LARGE_BYTES ? LEVEL_LARGE : LEVEL_SMALL;
    if (deflateInit2(&stream, level, Z_DEFLATED, MAX_WBITS + GZIP, MEMORY, Z_DEFAULT_STRATEGY) !=
        Z_OK) {
        return false;
    }
    deflateSetHeader(&stream, &header);
    do {
        if (stream.avail_in == 0 && at < bytes->size) {
            const size_t here = bytes->size - at < PIECE ? bytes->size - at : PIECE;
            stream.next_in = bytes->data + at;
            stream.avail_in = (uInt)here;
            at += here;
        }
        stream.next_out = piece;
        stream.avail_out = PIECE;
        code = deflate(&stream, at == bytes->size ? Z_FINISH : Z_NO_FLUSH);
        ok = ets_page_put_bytes(arena, packed_out, piece, PIECE - stream.avail_out);
    } while (ok && code != Z_STREAM_END);
    deflateEnd(&stream);
    return ok;
}
