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

/* Sums over a block's numbers x, with differences x - pivot. */
struct ets_block_sums {
    double min, max, absolute, difference, difference_square, zeros;
};

#if ETS_HAS_AVX2
/* The sums of `count` numbers, a multiple of the lanes and not 0. */
void ets_avx2_block_sums(const double *numbers, size_t count, double pivot,
                         struct ets_block_sums *sums_out);
#endif

#endif
