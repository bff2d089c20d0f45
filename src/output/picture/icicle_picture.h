/* Where the time of a run goes, as a picture: boxes inside of boxes. */
#ifndef ETSCOPE_OUTPUT_PICTURE_ICICLE_PICTURE_H
#define ETSCOPE_OUTPUT_PICTURE_ICICLE_PICTURE_H

#include "output/picture/plot.h"

/*
 * Draws the modules of a run (`by_module`), or its calls. A box is as wide as its `mid`: the mean
 * over the middle half of the runs, which shares are of. Boxes below another are inside of it, in
 * order of execution, and add up to it. Of a time that is only known as a range, the lower bound
 * is filled; what a coarse clock leaves undecided between neighbours is hatched and divided
 * by their ranges. Titles tell names, times and shares as the tables do. Neighbours
 * narrower than a pixel are drawn together. Statuses: those of ets_plot_open.
 */
enum ets_status ets_icicle_picture_write(const struct ets_inspection *inspection,
                                         const struct ets_plot_options *options, bool by_module,
                                         const struct ets_allocator *allocator,
                                         struct ets_output *output, struct ets_error *error);

#endif
