/* Finds slopes as medians of slopes. */
#include "base/slope.h"

#include <math.h>

#include "base/quantile.h"

#define TAIL 0.025

struct ets_slope ets_slope_of(const double *x, const double *y, uint32_t count, double *scratch)
{
    enum { LEAST = 4 };
    struct ets_slope slope = {NAN, NAN, NAN};
    const uint32_t apart = count - count / 2; /* the middle of an odd number stands alone */
    uint32_t slopes = 0;
    if (count < LEAST) return slope;
    for (uint32_t i = 0; i + apart < count; i++) {
        const double dx = x[i + apart] - x[i];
        if (dx != 0) scratch[slopes++] = (y[i + apart] - y[i]) / dx;
    }
    if (slopes == 0) return slope;
    ets_sort_doubles(scratch, slopes);
    slope.value = ets_quantile(scratch, slopes, 0.5);
    const uint32_t rank = ets_interval_rank(slopes, TAIL);
    if (rank == 0) return slope;
    slope.low = scratch[rank - 1];
    slope.high = scratch[slopes - rank];
    return slope;
}
