/* Sums over the pairs of several rows, each with sums of its own: what channels are judged by. */
#ifndef ETSCOPE_NUMERICS_PAIR_ROWS_H
#define ETSCOPE_NUMERICS_PAIR_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "numerics/avx2.h"

/* Of one row, over the pairs whose numbers are both finite. */
struct ets_pair_row_sums {
    double error, power; /* squares of left - right, of left */
    double reach;        /* the largest left number, by magnitude */
};

static inline void ets_pair_rows_add_pair(struct ets_pair_row_sums *sums, double left, double right)
{
    if (left - left != 0 || right - right != 0) return;
    const double error = left - right, size = __builtin_fabs(left);
    sums->error += error * error;
    sums->power += left * left;
    sums->reach = size > sums->reach ? size : sums->reach;
}

enum { ETS_ROWS_AT_ONCE = 4 };

/*
 * Adds `count` pairs of each of up to ETS_ROWS_AT_ONCE rows to the row's sums: the same as
 * ets_pair_rows_add_pair in order, to the bit.
 */
void ets_pair_rows_add(struct ets_pair_row_sums *sums, size_t row_count, const double *const *left,
                       const double *const *right, size_t count);

#if ETS_HAS_AVX2
/*
 * Adds a multiple of four pairs of ETS_ROWS_AT_ONCE rows. False, with undefined sums: a number or
 * a sum is not finite.
 */
bool ets_avx2_pair_rows_add(struct ets_pair_row_sums *sums, const double *const *left,
                            const double *const *right, size_t count);
#endif

#endif
