/* A gap report as a picture. */
#ifndef ETSCOPE_OUTPUT_PICTURE_GAP_PICTURE_H
#define ETSCOPE_OUTPUT_PICTURE_GAP_PICTURE_H

#include "etscope/experimental/gap.h"
#include "etscope/file.h"
#include "host/output.h"
#include "views/advice_words.h"

/*
 * Writes the first 5,000 rows as an SVG picture for light and dark backgrounds. Each row has two
 * bars on a logarithmic scale: the total error, and inside it its own error, which is red if it
 * stands out. `advice`: how to word the advice of the headline; NULL: no advice.
 */
ETS_API void ets_gap_picture_write(const struct ets_gap_report *report,
                                   const struct ets_advice_words *advice,
                                   struct ets_output *output);

#endif
