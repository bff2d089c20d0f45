/* The statistics without their hash, and the inner loop: sums over a block of a tensor's numbers.
 */
#ifndef ETSCOPE_NUMERICS_TENSOR_STATISTICS_SUMS_H
#define ETSCOPE_NUMERICS_TENSOR_STATISTICS_SUMS_H

#include <stddef.h>

#include "etscope/numerics.h"
#include "numerics/avx2.h"

/* The number of finite numbers. */
uint64_t ets_tensor_statistics_finite_count(const struct ets_tensor_statistics *statistics);

/* As ets_tensor_statistics_of, without the hash and the first numbers, which stay 0. */
enum ets_status ets_tensor_sums_of(const struct ets_tensor *tensor,
                                   struct ets_tensor_statistics *statistics_out);

/* Lanes of the sums; they fit in a vector register. */
enum { ETS_TENSOR_STATISTICS_LANES = 4 };

/* Sums over numbers x and differences x - pivot. */
struct ets_tensor_statistics_lanes {
    double min[ETS_TENSOR_STATISTICS_LANES], max[ETS_TENSOR_STATISTICS_LANES],
        absolute[ETS_TENSOR_STATISTICS_LANES], difference[ETS_TENSOR_STATISTICS_LANES],
        difference_square[ETS_TENSOR_STATISTICS_LANES], zeros[ETS_TENSOR_STATISTICS_LANES];
};

#if ETS_HAS_AVX2
/* Adds `count` numbers, a multiple of the lanes: number i to lane i % ETS_TENSOR_STATISTICS_LANES.
 */
void ets_avx2_summary_add(struct ets_tensor_statistics_lanes *lanes, const double *numbers,
                          size_t count, double pivot);
#endif

#endif
