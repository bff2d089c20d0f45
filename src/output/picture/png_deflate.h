/* Compresses the rows of a picture. */
#ifndef ETSCOPE_OUTPUT_PICTURE_PNG_DEFLATE_H
#define ETSCOPE_OUTPUT_PICTURE_PNG_DEFLATE_H

#include "output/picture/png.h"

typedef void ets_png_piece(void *context, const uint8_t *data, size_t size);

/*
 * Hands the rows, each after its filter, as a zlib stream to `put`, piece by piece. Returns false
 * before the first piece if zlib is not built in or has no memory.
 */
bool ets_png_deflate(const struct ets_picture *picture, ets_png_piece *put, void *context);

#endif
