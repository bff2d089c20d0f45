/* Where the largest number of each row of an output is. */
#include "test_faults_support.h"
#include "test_little_support.h"

#include <math.h>

#include "gap/largest.h"

enum { MOST = 12 };

static struct ets_tensor tensor_of(const float *numbers, uint32_t rank, const int64_t *sizes)
{
    struct ets_tensor tensor = {.scalar_type = ETS_SCALAR_FLOAT,
                                .rank = rank,
                                .data = LITTLE_OF(ETS_SCALAR_FLOAT, numbers, MOST * sizeof(float)),
                                .data_bytes = MOST * sizeof(float)};
    memcpy(tensor.sizes, sizes, rank * sizeof *sizes);
    ets_tensor_set_contiguous(&tensor);
    return tensor;
}

static struct ets_gap_largest largest_of(const float *reference, const float *device, uint32_t rank,
                                         const int64_t *sizes)
{
    const struct ets_tensor left = tensor_of(reference, rank, sizes);
    const struct ets_tensor right = tensor_of(device, rank, sizes);
    return ets_gap_largest_of(&left, &right);
}

static const int64_t row[] = {1, MOST}, rows[] = {3, 4}, image[] = {1, 1, 3, 4}, column[] = {12, 1};
static const float reference[MOST] = {0, 5, 1, 2, 3, 0, 0, 4, 0, 0, 2, 1};

static void test_largest__it_stays_where_the_order_does(void **state)
{
    const float device[MOST] = {1, 4.5F, 1, 4, 4, 0, 0, 4.25F, 0, 0, 2, 1};
    struct ets_gap_largest found = largest_of(reference, device, 2, row);
    (void)state;
    assert_int_equal(found.rows, 1);
    assert_int_equal(found.moved, 0);
    assert_int_equal(found.reference, 1);
    assert_int_equal(found.device, 1);
    assert_int_equal(found.size, MOST);
    assert_int_equal(largest_of(reference, device, 2, rows).moved, 0);
}

static void test_largest__the_first_row_that_moved_is_told(void **state)
{
    const float device[MOST] = {1, 4.5F, 1, 4, 6, 0, 0, 4.25F, 9, 0, 2, 1};
    const struct ets_gap_largest found = largest_of(reference, device, 2, rows);
    (void)state;
    assert_int_equal(found.rows, 3);
    assert_int_equal(found.moved, 2);
    assert_int_equal(found.reference, 3);
    assert_int_equal(found.device, 0);
}

static void test_largest__of_two_equal_ones_either_is_right(void **state)
{
    const float twice[MOST] = {0, 5, 1, 2, 3, 0, 0, 5, 0, 0, 2, 1};
    const float device[MOST] = {0, 4, 1, 2, 3, 0, 0, 5, 0, 0, 2, 1};
    (void)state;
    assert_int_equal(largest_of(twice, device, 2, row).moved, 0);
}

static void test_largest__what_cannot_be_scores_has_no_rows(void **state)
{
    float broken[MOST] = {0};
    struct ets_tensor left = tensor_of(reference, 2, row), right = left;
    (void)state;
    broken[3] = NAN;
    assert_int_equal(largest_of(reference, reference, 4, image).rows, 0);
    assert_int_equal(largest_of(reference, reference, 2, column).rows, 0);
    assert_int_equal(largest_of(reference, broken, 2, row).rows, 0);
    right = tensor_of(reference, 2, rows);
    assert_int_equal(ets_gap_largest_of(&left, &right).rows, 0);
    right = left;
    right.scalar_type = ETS_SCALAR_INT;
    assert_int_equal(ets_gap_largest_of(&left, &right).rows, 0);
    left.rank = right.rank = 0;
    assert_int_equal(ets_gap_largest_of(&left, &right).rows, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_largest__it_stays_where_the_order_does),
        cmocka_unit_test(test_largest__the_first_row_that_moved_is_told),
        cmocka_unit_test(test_largest__of_two_equal_ones_either_is_right),
        cmocka_unit_test(test_largest__what_cannot_be_scores_has_no_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
