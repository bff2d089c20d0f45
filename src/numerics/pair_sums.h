/* The sums over one block of pairs: the inner loops of a comparison. */
#ifndef ETSCOPE_NUMERICS_PAIR_SUMS_H
#define ETSCOPE_NUMERICS_PAIR_SUMS_H

#include <stddef.h>

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

/* x86-64 has a version for processors with AVX2, chosen as the program runs. */
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__OPTIMIZE_SIZE__)
#define ETS_HAS_AVX2_SUMS 1
void ets_avx2_sums_of_doubles(const double *reference, const double *other, size_t count,
                              struct ets_pair_sums *sums_out);
void ets_avx2_sums_of_floats(const void *reference, const void *other, size_t count,
                             struct ets_pair_sums *sums_out);
static inline int ets_has_avx2(void)
{
    return __builtin_cpu_supports("avx2");
}
#else
#define ETS_HAS_AVX2_SUMS 0
#endif

#endif
