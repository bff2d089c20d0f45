/* Sorting doubles: every short order, orders that divide badly, and random ones, beside qsort. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/quantile.h"

enum { MOST = 5000 };

static int compare(const void *left, const void *right)
{
    const double one = *(const double *)left, two = *(const double *)right;
    return (one > two) - (one < two);
}

static void check_sorted(const double *values, size_t count)
{
    static double expected[MOST], sorted[MOST + 2];
    if (count > 0) memcpy(expected, values, count * sizeof *values);
    qsort(expected, count, sizeof *expected, compare);
    sorted[0] = 1e300; /* beside the values, untouched */
    if (count > 0) memcpy(sorted + 1, values, count * sizeof *values);
    sorted[count + 1] = -1e300;
    ets_sort_doubles(sorted + 1, count);
    for (size_t i = 0; i < count; i++) assert_true(sorted[i + 1] == expected[i]);
    assert_true(sorted[0] == 1e300 && sorted[count + 1] == -1e300);
}

/* All sequences of 0 to 6 values out of 4. */
static void test_sort_doubles__every_short_order(void **state)
{
    (void)state;
    for (uint32_t count = 0; count <= 6; count++) {
        for (uint32_t which = 0; which < 1u << 2 * count; which++) {
            double values[6] = {0};
            for (uint32_t i = 0; i < count; i++) values[i] = (double)(which >> 2 * i & 3) - 1.5;
            check_sorted(values, count);
        }
    }
}

static void test_sort_doubles__orders_of_many(void **state)
{
    (void)state;
    static double values[MOST];
    for (size_t count = 7; count <= MOST; count = count * 5 / 4 + 1) {
        for (uint32_t order = 0; order < 6; order++) {
            uint32_t random = 1;
            for (size_t i = 0; i < count; i++) {
                random = random * 1664525u + 1013904223u;
                const double of_order[] = {
                    (double)i,
                    -(double)i,
                    7,
                    (double)(i % 3),
                    (double)(i < count / 2 ? i : count - i),
                    (double)(random >> 8),
                };
                values[i] = of_order[order];
            }
            check_sorted(values, count);
        }
    }
}

/*
 * Against the median of three: its pivot is always among the smallest (McIlroy, "A Killer Adversary
 * for Quicksort", 1999, for a comparison; here the order of Musser, 1997).
 */
static void test_sort_doubles__order_against_the_median_of_three(void **state)
{
    (void)state;
    static double values[MOST];
    const size_t half = MOST / 2;
    for (size_t i = 0; i < half; i++) {
        values[i] = (double)(i % 2 == 0 ? i + 1 : half + i);
        values[half + i] = (double)(2 * (i + 1));
    }
    check_sorted(values, MOST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sort_doubles__every_short_order),
        cmocka_unit_test(test_sort_doubles__orders_of_many),
        cmocka_unit_test(test_sort_doubles__order_against_the_median_of_three),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
