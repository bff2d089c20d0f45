/* Digits and the few letters of numbers, 5 by 7 dots. */
#ifndef ETSCOPE_OUTPUT_PICTURE_BITMAP_FONT_H
#define ETSCOPE_OUTPUT_PICTURE_BITMAP_FONT_H

#include <stdint.h>

enum { ETS_GLYPH_WIDTH = 5, ETS_GLYPH_HEIGHT = 7 };

/* The rows from above, the leftmost dot in bit 4; of a character that is not there, blanks. */
const uint8_t *ets_glyph(char character);

#endif
