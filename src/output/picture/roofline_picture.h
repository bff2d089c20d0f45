/* How far operators are from what a machine can do, as a picture. */
#ifndef ETSCOPE_OUTPUT_PICTURE_ROOFLINE_PICTURE_H
#define ETSCOPE_OUTPUT_PICTURE_ROOFLINE_PICTURE_H

#include "cost/machine.h"
#include "etscope/inspect.h"
#include "host/output.h"

struct ets_roofline_options {
    const struct ets_machine *machine;
    uint32_t threads; /* that ran */
    uint32_t run;     /* only this run of the trace; ETS_NO_INDEX: all */
    int steady;       /* 1: without warm-up */
};

/*
 * A roofline chart as SVG, readable on light and on dark, of the block whose runs take most:
 * operations per byte from left to right and operations per second from bottom to top, both
 * logarithmic. Sloped lines are the bandwidths of the machine's caches and memory, level ones the
 * rates of its arithmetic. An operator is a dot, or a line where its time is a range, in the colour
 * of its verdict; titles, shown by browsers under the pointer, name it. Operators without a share
 * of the roof (overhead-bound, unknown) and without operations are not drawn; the picture counts
 * them. Statuses: NOT_FOUND (no block ran an operator, or the clock has no unit), those of
 * ets_row_costs_find, NO_MEMORY.
 */
enum ets_status ets_roofline_picture_write(const struct ets_inspection *inspection,
                                           const struct ets_roofline_options *options,
                                           const struct ets_allocator *allocator,
                                           struct ets_output *output, struct ets_error *error);

#endif
