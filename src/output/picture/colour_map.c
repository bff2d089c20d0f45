/*
 * OKLab (Ottosson 2020) is a space in which equal steps look equal; its constants, and the curve of
 * sRGB (IEC 61966-2-1), are theirs. A map goes through it with an even change of lightness.
 */
#include "output/picture/colour_map.h"

#include <math.h>

static uint8_t to_byte(double linear)
{
    const double light = linear < 0 ? 0 : linear > 1 ? 1 : linear;
    const double curved = light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055;
    return (uint8_t)lround(curved * 255);
}

static struct ets_colour colour_of(double lightness, double chroma, double degrees)
{
    const double angle = degrees * 3.14159265358979323846 / 180;
    const double a = chroma * cos(angle), b = chroma * sin(angle);
    const double l = pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
    const double m = pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
    const double s = pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
    return (struct ets_colour){to_byte(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
                               to_byte(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
                               to_byte(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

/* Both ways stay within what screens show: the chroma is chosen for that. */

struct ets_colour ets_colour_rising(double share)
{
    const double from_middle = 2 * share - 1;
    return colour_of(0.25 + 0.7 * share, 0.088 + 0.048 * from_middle * from_middle,
                     290 - 185 * share);
}

struct ets_colour ets_colour_signed(double share)
{
    const double strength = fabs(share);
    return colour_of(0.98 - 0.5 * strength, 0.175 * strength, share < 0 ? 258 : 27);
}
