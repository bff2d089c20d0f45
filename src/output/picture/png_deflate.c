/* Compresses by zlib. */
#include "output/picture/png_deflate.h"

#include "host/memory_budget.h"

#include <string.h>
#include <zlib.h>

enum { PIECE = 1 << 16 };

/* Compresses what the stream was given. */
static void flush(z_stream *stream, int mode, ets_png_piece *put, void *context)
{
    uint8_t piece[PIECE];
    do {
        stream->next_out = piece;
        stream->avail_out = PIECE;
        (void)deflate(stream, mode); /* with room, it does not fail */
        put(context, piece, PIECE - stream->avail_out);
    } while (stream->avail_out == 0);
}

bool ets_png_deflate(const struct ets_picture *picture, ets_png_piece *put, void *context)
{
    uint8_t no_filter = 0;
    z_stream stream;
    memset(&stream, 0, sizeof stream);
    if (deflateInit(&stream, Z_DEFAULT_COMPRESSION) != Z_OK) {
        ets_memory_note_refusal();
        return false;
    }
    for (uint32_t y = 0; y < picture->height; y++) {
        stream.next_in = &no_filter;
        stream.avail_in = 1;
        flush(&stream, Z_NO_FLUSH, put, context);
        stream.next_in = (Bytef *)(uintptr_t)(picture->pixels + (size_t)y * picture->width);
        stream.avail_in = picture->width;
        flush(&stream, Z_NO_FLUSH, put, context);
    }
    flush(&stream, Z_FINISH, put, context);
    deflateEnd(&stream);
    return true;
}
