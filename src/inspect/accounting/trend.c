/* The test of Mann and Kendall: whether the times of runs rise or fall. */
#include "inspect/accounting/trend.h"

#include <math.h>
#include <string.h>

/* Merges two sorted halves; returns the pairs with the second above, minus those below. */
static double merge(const double *values, double *merged, uint32_t half, uint32_t count)
{
    double balance = 0;
    uint32_t below = 0, not_above = 0;
    for (uint32_t j = half; j < count; j++) {
        while (below < half && values[below] < values[j]) below++;
        while (not_above < half && values[not_above] <= values[j]) not_above++;
        balance += (double)below - (double)(half - not_above);
    }
    for (uint32_t i = 0, j = half, k = 0; k < count; k++) {
        const int takes_first = j == count || (i < half && values[i] <= values[j]);
        merged[k] = takes_first ? values[i++] : values[j++];
    }
    return balance;
}

/* Kendall's S: rising pairs minus falling pairs. Leaves scratch->sorted ascending. */
static double rising_pairs(uint32_t count, const struct ets_trend_scratch *scratch)
{
    double s = 0;
    for (uint32_t width = 1; width < count; width *= 2) {
        for (uint32_t at = 0; at + width < count; at += 2 * width) {
            const uint32_t size = count - at < 2 * width ? count - at : 2 * width;
            s += merge(scratch->sorted + at, scratch->merged, width, size);
            memcpy(scratch->sorted + at, scratch->merged, size * sizeof *scratch->merged);
        }
        if (width > count / 2) break; /* doubling would not end near 2^32 */
    }
    return s;
}

static double tie_term(double n)
{
    return n * (n - 1) * (2 * n + 5);
}

double ets_trend_p(const double *values, uint32_t count, const struct ets_trend_scratch *scratch)
{
    memcpy(scratch->sorted, values, count * sizeof *values);
    const double s = rising_pairs(count, scratch);
    double variance = tie_term(count);
    for (uint32_t i = 0; i < count;) {
        uint32_t end = i + 1;
        while (end < count && scratch->sorted[end] == scratch->sorted[i]) end++;
        variance -= tie_term(end - i);
        i = end;
    }
    if (!(variance > 0)) return 1; /* all values are equal */
    return erfc(fmax(fabs(s) - 1, 0) / sqrt(variance / 18) / sqrt(2));
}
