/* A gap report as a picture. */
#ifndef ETSCOPE_OUTPUT_PICTURE_GAP_PICTURE_H
#define ETSCOPE_OUTPUT_PICTURE_GAP_PICTURE_H

#include "etscope/experimental/gap.h"
#include "etscope/file.h"
#include "host/output.h"
#include "views/advice_words.h"

/*
 * The rows as an SVG picture, readable on light and on dark: for each the total error and, inside
 * of it, its own, as bars on a logarithmic scale; what stands out is red. The first 5,000 rows.
 * `advice`: words for what the headline advises; NULL: nothing.
 */
ETS_API void ets_gap_picture_write(const struct ets_gap_report *report,
                                   const struct ets_advice_words *advice,
                                   struct ets_output *output);

#endif
