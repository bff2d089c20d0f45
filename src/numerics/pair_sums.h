/* The sums over one block of pairs: the inner loops of a comparison. */
#ifndef ETSCOPE_NUMERICS_PAIR_SUMS_H
#define ETSCOPE_NUMERICS_PAIR_SUMS_H

#include <stddef.h>

#include "numerics/avx2.h"

/* Relative errors are |other - reference| / max(|reference|, |other|, this), as upstream's. */
#define ETS_LEAST_MAGNITUDE 1e-8

/*
 * With d = other - reference. Where a number is NaN or infinite, or a sum overflows, `absolute` is
 * not finite, and the rest means nothing.
 */
struct ets_pair_sums {
    double square, absolute; /* of d */
    double reference_square, other_square, product;
    double relative;
    double max_error, max_relative;
    double unequal; /* how many pairs differ */
};

void ets_pair_sums_of_doubles(const double *reference, const double *other, size_t count,
                              struct ets_pair_sums *sums_out);

#if ETS_HAS_AVX2
void ets_avx2_sums_of_doubles(const double *reference, const double *other, size_t count,
                              struct ets_pair_sums *sums_out);
void ets_avx2_sums_of_floats(const void *reference, const void *other, size_t count,
                             struct ets_pair_sums *sums_out);
#endif

#endif
