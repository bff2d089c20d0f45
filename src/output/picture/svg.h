/*
 * What the SVG pictures share: a head with colours for light and dark, and the headline.
 *
 *     ets_svg_begin(output, 960, 400, "Numeric gap", ".bar{fill:#2f6db5}", ".bar{fill:#6cb0ff}");
 *     ets_output_print(output, "<rect class=\"bar\" x=\"%d\" y=\"0\" width=\"9\" height=\"9\"/>\n",
 * x); ets_svg_end(output);
 *
 * Names from files go through ets_xml_put_text, never through ets_output_print.
 */
#ifndef ETSCOPE_OUTPUT_PICTURE_SVG_H
#define ETSCOPE_OUTPUT_PICTURE_SVG_H

#include "host/output.h"

/*
 * Begins a picture of that many pixels. `light` and `dark` are rules of CSS, the latter for dark
 * themes; text has the theme's colour, class "small" is small text and class "grid" a faint line.
 */
void ets_svg_begin(struct ets_output *output, int width, int height, const char *title,
                   const char *light, const char *dark);
void ets_svg_end(struct ets_output *output);

/* The sentence of the picture in its first 26 pixels, in two lines where one is too narrow. */
void ets_svg_put_headline(struct ets_output *output, struct ets_text text);

#endif
