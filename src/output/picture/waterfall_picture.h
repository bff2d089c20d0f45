/* What changed between two sets of traces, as a picture. */
#ifndef ETSCOPE_OUTPUT_PICTURE_WATERFALL_PICTURE_H
#define ETSCOPE_OUTPUT_PICTURE_WATERFALL_PICTURE_H

#include "etscope/experimental/difference.h"
#include "output/picture/drawing.h"

/*
 * Draws the way from the median before to the median after: a step for each of the largest changes
 * of calls, in the colour of its verdict, then one for all others. Medians of parts do not add up
 * to the median of the whole, so that last step also holds what is left. A thin line is the 95 %
 * interval of a step. Steps of a clock that is too coarse are hatched. Of several blocks, the one
 * with the longest times is drawn. Statuses: NOT_FOUND (no method ran on both sides), NO_MEMORY.
 */
enum ets_status ets_waterfall_picture_write(const struct ets_difference *difference,
                                            const struct ets_picture_options *options,
                                            const struct ets_allocator *allocator,
                                            struct ets_output *output, struct ets_error *error);

#endif
