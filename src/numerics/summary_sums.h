/* Sums over a block of one tensor's numbers: the inner loop of a summary. */
#ifndef ETSCOPE_NUMERICS_SUMMARY_SUMS_H
#define ETSCOPE_NUMERICS_SUMMARY_SUMS_H

#include <stddef.h>

#include "etscope/numerics.h"
#include "numerics/avx2.h"

/* How many numbers are finite. */
uint64_t ets_summary_finite_count(const struct ets_summary *summary);

/* The sums' lanes, which fit a vector register. */
enum { ETS_SUMMARY_LANES = 4 };

/* Of numbers x, with differences x - pivot. */
struct ets_summary_lanes {
    double min[ETS_SUMMARY_LANES], max[ETS_SUMMARY_LANES], absolute[ETS_SUMMARY_LANES],
        difference[ETS_SUMMARY_LANES], difference_square[ETS_SUMMARY_LANES],
        zeros[ETS_SUMMARY_LANES];
};

#if ETS_HAS_AVX2
/* Adds `count` numbers, a multiple of the lanes: number i to lane i % ETS_SUMMARY_LANES. */
void ets_avx2_summary_add(struct ets_summary_lanes *lanes, const double *numbers, size_t count,
                          double pivot);
#endif

#endif
