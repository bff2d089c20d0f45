/* Colours for numbers: even steps of lightness, computed in OKLab. */
#ifndef ETSCOPE_OUTPUT_PICTURE_COLOUR_MAP_H
#define ETSCOPE_OUTPUT_PICTURE_COLOUR_MAP_H

#include <stdint.h>

struct ets_colour {
    uint8_t red, green, blue;
};

/* `share` of the way from 0 to 1: dark blue, green, yellow. */
struct ets_colour ets_colour_rising(double share);

/* `share` from -1 over 0 to 1: blue, white, red. */
struct ets_colour ets_colour_signed(double share);

#endif
