/* Without zlib, pictures stay as they are. */
#include "output/picture/png_deflate.h"

bool ets_png_deflate(const struct ets_picture *picture, ets_png_piece *put, void *context)
{
    (void)picture;
    (void)put;
    (void)context;
    return false;
}
