/* A font of 5 by 7 dots with the printable characters of ASCII. */
#ifndef ETSCOPE_OUTPUT_PICTURE_BITMAP_FONT_H
#define ETSCOPE_OUTPUT_PICTURE_BITMAP_FONT_H

#include <stdbool.h>
#include <stdint.h>

enum { ETS_GLYPH_WIDTH = 5, ETS_GLYPH_HEIGHT = 7 };

/* The rows of a glyph, top first, with the leftmost dot in bit 4; blank for unknown characters. */
const uint8_t *ets_glyph(char character);

#endif
