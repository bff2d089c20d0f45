/* Sums over the pairs of several rows: the portable loop. */
#include "numerics/pair_rows.h"

/* Adds the pairs of all rows that can be added at once; returns how many of each row these are. */
static size_t add_at_once(struct ets_pair_row_sums *sums, size_t row_count,
                          const double *const *left, const double *const *right, size_t count)
{
#if ETS_HAS_AVX2
    struct ets_pair_row_sums added[ETS_ROWS_AT_ONCE];
    const size_t whole = count - count % 4;
    if (row_count != ETS_ROWS_AT_ONCE || !ets_has_avx2()) return 0;
    for (size_t i = 0; i < ETS_ROWS_AT_ONCE; i++) added[i] = sums[i];
    if (!ets_avx2_pair_rows_add(added, left, right, whole)) return 0;
    for (size_t i = 0; i < ETS_ROWS_AT_ONCE; i++) sums[i] = added[i];
    return whole;
#else
    (void)sums;
    (void)row_count;
    (void)left;
    (void)right;
    (void)count;
    return 0;
#endif
}

void ets_pair_rows_add(struct ets_pair_row_sums *sums, size_t row_count, const double *const *left,
                       const double *const *right, size_t count)
{
    const size_t added = add_at_once(sums, row_count, left, right, count);
    for (size_t row = 0; row < row_count; row++) {
        struct ets_pair_row_sums own = sums[row];
        for (size_t i = added; i < count; i++) {
            ets_pair_rows_add_pair(&own, left[row][i], right[row][i]);
        }
        sums[row] = own;
    }
}
