/* The elements of a tensor as one number each, or of two tensors as their difference. */
#ifndef ETSCOPE_NUMERICS_MAGNITUDES_H
#define ETSCOPE_NUMERICS_MAGNITUDES_H

#include <stdbool.h>

#include "etscope/numerics.h"

struct ets_magnitudes {
    struct ets_elements elements, references;
    bool has_references;
};

/*
 * Starts an iteration over `tensor`, or with a `reference` (otherwise NULL) over what it has more.
 * Statuses: those of ets_elements_init; MISMATCH (another shape, or only one is complex);
 * INVALID_ARGUMENT (no elements).
 */
enum ets_status ets_magnitudes_init(struct ets_magnitudes *magnitudes,
                                    const struct ets_tensor *tensor,
                                    const struct ets_tensor *reference, struct ets_error *error);

/*
 * The next element: its number, or the magnitude of a complex one. Where both sides are NaN, or the
 * same infinity, the difference is 0. False at the end.
 */
bool ets_magnitudes_next(struct ets_magnitudes *magnitudes, double *value_out);

#endif
