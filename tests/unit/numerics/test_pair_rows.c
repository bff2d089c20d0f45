/* Sums of several rows at once are those of each row alone, to the bit. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the headers above. */
#include <cmocka.h>

#include "numerics/pair_rows.h"

enum { MOST = 40 };

static double numbers[2][ETS_ROWS_AT_ONCE][MOST];

/* Numbers of many sizes, so that sums round. */
static void fill(uint64_t seed)
{
    for (size_t i = 0; i < sizeof numbers / sizeof(double); i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        const double number = (double)(int64_t)(seed >> 20) / (double)(UINT64_C(1) << (seed >> 60));
        (&numbers[0][0][0])[i] = number;
    }
}

/* The sums of `rows` rows, which begin with some already, beside those of pairs one by one. */
static void check(size_t rows, size_t count)
{
    struct ets_pair_row_sums sums[ETS_ROWS_AT_ONCE], expected[ETS_ROWS_AT_ONCE];
    const double *left[ETS_ROWS_AT_ONCE], *right[ETS_ROWS_AT_ONCE];
    for (size_t row = 0; row < rows; row++) {
        sums[row] = expected[row] = (struct ets_pair_row_sums){(double)row, 0.1, 7};
        left[row] = numbers[0][row];
        right[row] = numbers[1][row];
        for (size_t i = 0; i < count; i++) {
            ets_pair_rows_add_pair(&expected[row], left[row][i], right[row][i]);
        }
    }
    ets_pair_rows_add(sums, rows, left, right, count);
    assert_memory_equal(sums, expected, rows * sizeof *sums);
}

static void check_all(void)
{
    for (size_t rows = 1; rows <= ETS_ROWS_AT_ONCE; rows++) {
        for (size_t count = 0; count <= MOST; count++) check(rows, count);
    }
}

static void test_pair_rows__rows_at_once_are_the_same(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        fill(seed);
        check_all();
    }
}

static void test_pair_rows__pairs_that_are_not_finite_are_left_out(void **state)
{
    (void)state;
    static const double odd[] = {NAN, INFINITY, -INFINITY, 1e200, -0.0};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        fill(i + 1);
        numbers[0][2][5] = odd[i];
        check_all();
        numbers[1][2][5] = odd[i]; /* in both */
        numbers[1][3][6] = odd[i];
        check_all();
    }
    struct ets_pair_row_sums sums = {0, 0, 0};
    ets_pair_rows_add_pair(&sums, NAN, 1);
    ets_pair_rows_add_pair(&sums, 1, INFINITY);
    ets_pair_rows_add_pair(&sums, -3, 1);
    assert_float_equal(sums.error, 16, 0);
    assert_float_equal(sums.power, 9, 0);
    assert_float_equal(sums.reach, 3, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pair_rows__rows_at_once_are_the_same),
        cmocka_unit_test(test_pair_rows__pairs_that_are_not_finite_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
