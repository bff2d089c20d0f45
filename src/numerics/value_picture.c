/* Reduces a pair of tensors to cells and bins, in two passes: the bins need the range. */
#include "numerics/value_picture.h"

#include <math.h>
#include <stddef.h>

#include "base/error.h"
#include "numerics/magnitudes.h"

static void widen(double *low, double *high, double value)
{
    if (!(value >= *low)) *low = value;
    if (!(value <= *high)) *high = value;
}

static enum ets_status fill_cells(struct ets_value_picture *picture, enum ets_value_side side,
                                  const struct ets_tensor *tensor,
                                  const struct ets_tensor *reference, struct ets_error *error)
{
    struct ets_magnitudes magnitudes;
    double value, *cells = picture->cells[side];
    const bool is_difference = side == ETS_SIDE_DIFFERENCE;
    ETS_TRY(ets_magnitudes_init(&magnitudes, tensor, reference, error));
    picture->count = magnitudes.elements.remaining;
    for (uint64_t i = 0; ets_magnitudes_next(&magnitudes, &value); i++) {
        const uint64_t cell = ets_tensor_grid_cell(&picture->grid, i);
        if (cell != ETS_GRID_NONE) cells[cell] = ets_farther(cells[cell], value);
        if (isfinite(value)) {
            if (is_difference) widen(&picture->least, &picture->most, value);
            else widen(&picture->low, &picture->high, value);
        } else if (!is_difference) {
            picture->broken[side]++;
        }
    }
    return ETS_OK;
}

static enum ets_status fill_bins(struct ets_value_picture *picture, enum ets_value_side side,
                                 const struct ets_tensor *tensor, struct ets_error *error)
{
    struct ets_magnitudes magnitudes;
    double value;
    if (!(picture->low < picture->high)) return ETS_OK;
    ETS_TRY(ets_magnitudes_init(&magnitudes, tensor, NULL, error));
    while (ets_magnitudes_next(&magnitudes, &value)) {
        if (!isfinite(value)) continue;
        picture->bins[side][ets_value_bin(picture->low, picture->high, value)]++;
    }
    return ETS_OK;
}

enum ets_status ets_value_picture_of(const struct ets_tensor *reference,
                                     const struct ets_tensor *device,
                                     struct ets_value_picture *picture, struct ets_error *error)
{
    struct ets_magnitudes check;
    *picture = (struct ets_value_picture){.count = 0};
    picture->low = picture->high = picture->least = picture->most = (double)NAN;
    ETS_TRY(ets_magnitudes_init(&check, device, reference, error));
    ets_tensor_grid_of(device, ETS_VALUE_PICTURE_SIDE,
                       (uint64_t)ETS_VALUE_PICTURE_SIDE * ETS_VALUE_PICTURE_SIDE, &picture->grid);
    ETS_TRY(fill_cells(picture, ETS_SIDE_DEVICE, device, NULL, error));
    ETS_TRY(fill_cells(picture, ETS_SIDE_REFERENCE, reference, NULL, error));
    ETS_TRY(fill_cells(picture, ETS_SIDE_DIFFERENCE, device, reference, error));
    ETS_TRY(fill_bins(picture, ETS_SIDE_DEVICE, device, error));
    return fill_bins(picture, ETS_SIDE_REFERENCE, reference, error);
}
