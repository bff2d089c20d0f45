/* What of a summary takes a square root: for hosts, which have a mathematics library. */
#include <math.h>

#include "etscope/numerics.h"

double ets_summary_std(const struct ets_summary *summary)
{
    return sqrt(summary->deviation_square_sum / (double)ets_summary_finite_count(summary));
}

double ets_summary_l2(const struct ets_summary *summary)
{
    return sqrt(summary->square_sum);
}
