/* The time of each run of a method, as a picture. */
#ifndef ETSCOPE_OUTPUT_PICTURE_RUNS_PICTURE_H
#define ETSCOPE_OUTPUT_PICTURE_RUNS_PICTURE_H

#include "output/picture/plot.h"

/*
 * Draws the runs of a block from left to right and their times from bottom to top, with warm-up
 * shaded, outliers marked, the median of the chosen runs and its 95 % confidence interval. Titles
 * tell the number and the time of each run. Where runs are more than pixels, a bar stands for
 * several, from the fastest to the slowest. options->run is not used. Statuses: those of
 * ets_plot_open.
 */
enum ets_status ets_runs_picture_write(const struct ets_inspection *inspection,
                                       const struct ets_plot_options *options,
                                       const struct ets_allocator *allocator,
                                       struct ets_output *output, struct ets_error *error);

#endif
