/* The statistics that take a square root: for hosts, which have a mathematics library. */
#include <math.h>

#include "etscope/numerics.h"
#include "numerics/tensor_statistics_sums.h"

double ets_tensor_statistics_std(const struct ets_tensor_statistics *statistics)
{
    return sqrt(statistics->deviation_square_sum /
                (double)ets_tensor_statistics_finite_count(statistics));
}

double ets_tensor_statistics_l2(const struct ets_tensor_statistics *statistics)
{
    return sqrt(statistics->square_sum);
}
