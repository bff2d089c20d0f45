/* Pictures of indexed colours as PNG. */
#ifndef ETSCOPE_OUTPUT_PICTURE_PNG_H
#define ETSCOPE_OUTPUT_PICTURE_PNG_H

#include <stdbool.h>

#include "etscope/file.h"
#include "host/output.h"
#include "output/picture/colour_map.h"

struct ets_picture {
    uint32_t width, height; /* above 0 */
    const uint8_t *pixels;  /* [height][width], indices into the palette */
    const struct ets_colour *palette;
    uint32_t colour_count; /* 1 to 256 */
    bool is_deflated;      /* compressed, where zlib is there; otherwise as it is */
};

void ets_png_write(const struct ets_picture *picture, struct ets_output *output);

#endif
