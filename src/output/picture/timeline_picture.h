/* When the calls of one run happened, as a picture. */
#ifndef ETSCOPE_OUTPUT_PICTURE_TIMELINE_PICTURE_H
#define ETSCOPE_OUTPUT_PICTURE_TIMELINE_PICTURE_H

#include "output/picture/plot.h"

/*
 * Draws the events of a run from left to right: options->run, or the chosen one whose time is
 * nearest to their median. Events below another happened within it. What a delegate reports with a
 * coarse clock is hatched: its place and length are known to a step of that clock. Events of a
 * clock that is unknown, and those reported outside of their call, are not drawn but counted.
 * Neighbours narrower than a pixel are drawn together. Statuses: those of ets_plot_open.
 */
enum ets_status ets_timeline_picture_write(const struct ets_inspection *inspection,
                                           const struct ets_plot_options *options,
                                           const struct ets_allocator *allocator,
                                           struct ets_output *output, struct ets_error *error);

#endif
