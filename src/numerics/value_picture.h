/*
 * Two tensors that should be alike, small enough to keep: cells of each and of their difference,
 * and how their numbers are distributed.
 *
 *     struct ets_value_picture picture;
 *     if (ets_value_picture_of(&reference, &device, &picture, &error) == ETS_OK) draw(&picture);
 */
#ifndef ETSCOPE_NUMERICS_VALUE_PICTURE_H
#define ETSCOPE_NUMERICS_VALUE_PICTURE_H

#include "etscope/base.h"
#include "numerics/tensor_grid.h"
#include "numerics/value_bins.h"

enum { ETS_VALUE_PICTURE_SIDE = 32 };

enum ets_value_side {
    ETS_SIDE_DEVICE = 0,
    ETS_SIDE_REFERENCE = 1,
    ETS_SIDE_DIFFERENCE = 2, /* device minus reference; 0 where both are NaN or the same infinity */
    ETS_SIDE_COUNT = 3
};

/* Complex numbers count by their magnitude. */
struct ets_value_picture {
    struct ets_tensor_grid grid;
    uint64_t count;     /* elements */
    double low, high;   /* the smallest and largest finite number of both; NaN: none */
    double least, most; /* of the difference, likewise */
    double cells[ETS_SIDE_COUNT][ETS_VALUE_PICTURE_SIDE * ETS_VALUE_PICTURE_SIDE];
    uint64_t bins[2][ETS_VALUE_BINS]; /* finite numbers from `low` to `high`; all 0 if these are
                                         equal or NaN */
    uint64_t broken[2];               /* numbers that are NaN or infinite */
};

/*
 * Statuses: those of ets_elements_init; MISMATCH (another shape, or only one is complex);
 * INVALID_ARGUMENT (no elements).
 */
enum ets_status ets_value_picture_of(const struct ets_tensor *reference,
                                     const struct ets_tensor *device,
                                     struct ets_value_picture *picture_out,
                                     struct ets_error *error);

#endif
