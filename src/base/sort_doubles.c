/*
 * Quicksort with the median of three; heapsort where it does not divide, so that no order of values
 * takes quadratic time. The comparison is inlined, and qsort's is a call: a third of its time.
 */
#include <stddef.h>

#include "base/quantile.h"

enum { FEW = 16 };

static void swap(double *values, size_t a, size_t b)
{
    const double kept = values[a];
    values[a] = values[b];
    values[b] = kept;
}

static void sort_few(double *values, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const double value = values[i];
        size_t at = i;
        for (; at > 0 && values[at - 1] > value; at--) values[at] = values[at - 1];
        values[at] = value;
    }
}

static void sink(double *values, size_t at, size_t count)
{
    while (2 * at + 1 < count) {
        size_t child = 2 * at + 1;
        if (child + 1 < count && values[child + 1] > values[child]) child++;
        if (values[at] >= values[child]) return;
        swap(values, at, child);
        at = child;
    }
}

static void heap_sort(double *values, size_t count)
{
    for (size_t i = count / 2; i-- > 0;) sink(values, i, count);
    for (size_t end = count; end-- > 1;) {
        swap(values, 0, end);
        sink(values, 0, end);
    }
}

/* Returns n: no value of the first n is above any of the rest. 0 < n < count. */
static size_t divide(double *values, size_t count)
{
    const size_t middle = (count - 1) / 2, last = count - 1;
    if (values[middle] < values[0]) swap(values, middle, 0);
    if (values[last] < values[0]) swap(values, last, 0);
    if (values[last] < values[middle]) swap(values, last, middle);
    const double pivot = values[middle];
    size_t low = 0, high = last;
    for (;;) {
        while (values[low] < pivot) low++;
        while (values[high] > pivot) high--;
        if (low >= high) return high + 1;
        swap(values, low++, high--);
    }
}

void ets_sort_doubles(double *values, size_t count)
{
    for (size_t divisions = 0; count > FEW; divisions++) {
        if (divisions == 64) {
            heap_sort(values, count);
            return;
        }
        const size_t below = divide(values, count), above = count - below;
        if (below < above) {
            ets_sort_doubles(values, below);
            values += below;
            count = above;
        } else {
            ets_sort_doubles(values + below, above);
            count = below;
        }
    }
    sort_few(values, count);
}
