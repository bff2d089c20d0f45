/*
 * PNG (W3C, third edition) around a zlib stream (RFC 1950): compressed, or of stored blocks (RFC
 * 1951, 3.2.4), which need no library.
 */
#include "output/picture/png.h"
#include "host/output.h"

#include <string.h>

#include "base/crc32.h"
#include "output/picture/png_deflate.h"

enum { BLOCK_BYTES = 65535, BLOCK_HEAD = 5, ADLER_BASE = 65521 };

/* A chunk that is being written, and the sums of its bytes. */
struct writer {
    struct ets_output *output;
    uint32_t crc;
    uint32_t low, high;   /* Adler-32 of the pixels */
    uint64_t pixels_left; /* bytes of the stream */
    uint32_t block_left;
};

static void put(struct writer *w, const void *data, size_t size)
{
    w->crc = ets_crc32(w->crc, data, size);
    ets_output_write(w->output, data, size);
}

static void store_big(uint8_t out[4], uint32_t value)
{
    for (int i = 0; i < 4; i++) out[i] = (uint8_t)(value >> (24 - 8 * i));
}

static void begin_chunk(struct writer *w, const char *type, uint32_t size)
{
    uint8_t length[4];
    store_big(length, size);
    ets_output_write(w->output, length, sizeof length);
    w->crc = 0;
    put(w, type, 4);
}

static void end_chunk(struct writer *w)
{
    uint8_t sum[4];
    store_big(sum, w->crc);
    ets_output_write(w->output, sum, sizeof sum);
}

static void put_block_head(struct writer *w)
{
    const uint32_t size = w->pixels_left < BLOCK_BYTES ? (uint32_t)w->pixels_left : BLOCK_BYTES;
    const uint8_t head[BLOCK_HEAD] = {w->pixels_left <= BLOCK_BYTES, (uint8_t)size,
                                      (uint8_t)(size >> 8), (uint8_t)~size, (uint8_t)(~size >> 8)};
    put(w, head, sizeof head);
    w->block_left = size;
}

/* Bytes of the image, over as many blocks as they need. */
static void put_pixels(struct writer *w, const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        w->low = (w->low + data[i]) % ADLER_BASE;
        w->high = (w->high + w->low) % ADLER_BASE;
    }
    while (size > 0) {
        if (w->block_left == 0) put_block_head(w);
        const size_t here = size < w->block_left ? size : w->block_left;
        put(w, data, here);
        data += here;
        size -= here;
        w->block_left -= (uint32_t)here;
        w->pixels_left -= here;
    }
}

static void put_image(struct writer *w, const struct ets_picture *picture)
{
    static const uint8_t stream_head[2] = {0x78, 0x01}, no_filter[1] = {0};
    uint8_t sum[4];
    const uint64_t bytes = (uint64_t)picture->height * (picture->width + 1);
    const uint64_t blocks = (bytes + BLOCK_BYTES - 1) / BLOCK_BYTES;
    w->low = 1;
    w->pixels_left = bytes;
    begin_chunk(w, "IDAT", (uint32_t)(bytes + blocks * BLOCK_HEAD + sizeof stream_head + 4));
    put(w, stream_head, sizeof stream_head);
    for (uint32_t y = 0; y < picture->height; y++) {
        put_pixels(w, no_filter, sizeof no_filter);
        put_pixels(w, picture->pixels + (size_t)y * picture->width, picture->width);
    }
    store_big(sum, w->high << 16 | w->low);
    put(w, sum, sizeof sum);
    end_chunk(w);
}

/* A part of the stream as a chunk of its own. */
static void put_piece(void *context, const uint8_t *data, size_t size)
{
    struct writer *w = context;
    if (size == 0) return;
    begin_chunk(w, "IDAT", (uint32_t)size);
    put(w, data, size);
    end_chunk(w);
}

void ets_png_write(const struct ets_picture *picture, struct ets_output *output)
{
    struct writer w = {.output = output};
    uint8_t head[13] = {[8] = 8, [9] = 3}; /* 8 bits, indexed */
    store_big(head, picture->width);
    store_big(head + 4, picture->height);
    ets_output_write(output, "\x89PNG\r\n\x1a\n", 8);
    begin_chunk(&w, "IHDR", sizeof head);
    put(&w, head, sizeof head);
    end_chunk(&w);
    begin_chunk(&w, "PLTE", picture->colour_count * 3);
    for (uint32_t i = 0; i < picture->colour_count; i++) {
        const uint8_t rgb[3] = {picture->palette[i].red, picture->palette[i].green,
                                picture->palette[i].blue};
        put(&w, rgb, sizeof rgb);
    }
    end_chunk(&w);
    if (!picture->is_deflated || !ets_png_deflate(picture, put_piece, &w)) put_image(&w, picture);
    begin_chunk(&w, "IEND", 0);
    end_chunk(&w);
}
