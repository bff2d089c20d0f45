/* Sums over one block of pairs: the inner loops of a comparison. */
#ifndef ETSCOPE_NUMERICS_PAIR_SUMS_H
#define ETSCOPE_NUMERICS_PAIR_SUMS_H

#include <stddef.h>
#include <stdint.h>

#include "numerics/avx2.h"

/* Relative errors are |other - reference| / max(|reference|, |other|, this), as in ExecuTorch. */
#define ETS_LEAST_MAGNITUDE 1e-8

/*
 * With d = other - reference. If a number is NaN or infinite, or a sum overflows, `absolute` is not
 * finite and the other fields are undefined.
 */
struct ets_pair_sums {
    double square, absolute; /* of d */
    double reference_square, other_square, product;
    double relative;
    double max_error, max_relative;
    double unequal; /* number of pairs that differ */
};

void ets_pair_sums_of_doubles(const double *reference, const double *other, size_t count,
                              struct ets_pair_sums *sums_out);

/* The same for `count` numbers of one type in place, with any alignment. */
typedef void ets_pair_sums_function(const uint8_t *reference, const uint8_t *other, size_t count,
                                    struct ets_pair_sums *sums_out);

#if ETS_HAS_AVX2
/* For a processor with AVX2 and F16C: the function for a type, or NULL. */
ets_pair_sums_function *ets_avx2_pair_sums(int scalar_type);

/*
 * 8-bit integers and bool, for blocks of up to 2^15 pairs: their `relative` may differ from the
 * other loops' by rounding.
 */
ets_pair_sums_function ets_avx2_sums_of_i8, ets_avx2_sums_of_u8, ets_avx2_sums_of_b8;

/* The largest |left - right| of `count` bytes, a multiple of 32. */
unsigned ets_avx2_largest_byte_error(const uint8_t *left, const uint8_t *right, size_t count,
                                     bool is_signed);
#endif

#endif
