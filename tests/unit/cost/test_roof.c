/* Which of a machine's roofs stands over an operator. */
#include "test_machine_support.h"

#include <math.h>

#define GIGA 1e9

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9 * fabs(expected))) fail_msg("%g, not %g", value, expected);
}

static void test_roof__level_is_the_smallest_that_holds_all(void **state)
{
    (void)state;
    assert_int_equal(ets_machine_level(&made_machine, 0, 1), ETS_LEVEL_L1);
    assert_int_equal(ets_machine_level(&made_machine, 32 * KIB, 1), ETS_LEVEL_L1);
    assert_int_equal(ets_machine_level(&made_machine, 32 * KIB + 1, 1), ETS_LEVEL_L2);
    assert_int_equal(ets_machine_level(&made_machine, 8 * MIB, 1), ETS_LEVEL_L3);
    assert_int_equal(ets_machine_level(&made_machine, 8 * MIB + 1, 1), ETS_LEVEL_MEMORY);
    assert_int_equal(ets_machine_level(&made_machine, UINT64_MAX, 1), ETS_LEVEL_MEMORY);
    const struct ets_machine unknown = {.roof_count = 0};
    assert_int_equal(ets_machine_level(&unknown, 1, 1), ETS_LEVEL_UNKNOWN);
}

static void test_roof__threads_have_a_cache_each_where_cores_have(void **state)
{
    (void)state;
    assert_int_equal(ets_machine_level(&made_machine, 64 * KIB, 2), ETS_LEVEL_L1);
    assert_int_equal(ets_machine_level(&made_machine, 2 * MIB, 2), ETS_LEVEL_L2); /* two of two */
    assert_int_equal(ets_machine_level(&made_machine, 3 * MIB, 4), ETS_LEVEL_L3); /* no third L2 */
    assert_int_equal(ets_machine_level(&made_machine, 9 * MIB, 4), ETS_LEVEL_MEMORY); /* one L3 */
}

static void test_roof__compute_is_of_the_numbers_and_threads(void **state)
{
    (void)state;
    assert_near(ets_machine_compute(&made_machine, ETS_ROOF_FLOAT32, 1), 100 * GIGA);
    assert_near(ets_machine_compute(&made_machine, ETS_ROOF_INT8, 1), 200 * GIGA);
    assert_near(ets_machine_compute(&made_machine, ETS_ROOF_FLOAT32, 2), 180 * GIGA);
    assert_true(isnan(ets_machine_compute(&made_machine, ETS_ROOF_INT8, 2)));
    assert_true(isnan(ets_machine_compute(&made_machine, ETS_ROOF_FLOAT16, 1)));
    assert_int_equal(ets_machine_most_threads(&made_machine), 2);
}

static void test_roof__bandwidth_is_of_the_level_or_a_slower_one(void **state)
{
    (void)state;
    const struct ets_machine *m = &made_machine;
    assert_near(ets_machine_bandwidth(m, 1 * KIB, 1, false), 100 * GIGA); /* L1's own is a call's */
    assert_near(ets_machine_bandwidth(m, 64 * KIB, 1, false), 100 * GIGA);
    assert_near(ets_machine_bandwidth(m, 2 * MIB, 1, false), 40 * GIGA);
    assert_near(ets_machine_bandwidth(m, 20 * MIB, 1, false), 20 * GIGA); /* a part is in L3 */
    assert_near(ets_machine_bandwidth(m, 60 * MIB, 1, false), 10 * GIGA);
    assert_near(ets_machine_bandwidth(m, UINT64_MAX, 1, false), 10 * GIGA);
    assert_near(ets_machine_bandwidth(m, 1 * KIB, 2, false), 15 * GIGA);
    assert_true(isnan(ets_machine_bandwidth(m, 1 * KIB, 3, false)));
}

static void test_roof__writing_in_place_is_faster(void **state)
{
    (void)state;
    assert_near(ets_machine_bandwidth(&made_machine, 2 * MIB, 1, false), 40 * GIGA);
    assert_near(ets_machine_bandwidth(&made_machine, 2 * MIB, 1, true), 90 * GIGA);
    assert_near(ets_machine_bandwidth(&made_machine, 60 * MIB, 1, true), 10 * GIGA);
}

static void test_roof__without_caches_what_is_as_large_counts(void **state)
{
    (void)state;
    struct ets_machine machine = made_machine;
    memset(machine.caches, 0, sizeof machine.caches);
    assert_near(ets_machine_bandwidth(&machine, 1 * MIB, 1, false), 40 * GIGA);
    assert_near(ets_machine_bandwidth(&machine, 1 * KIB, 1, false), 100 * GIGA);
    assert_near(ets_machine_bandwidth(&machine, 400 * MIB, 1, false), 10 * GIGA);
}

static void test_roof__reading_alone_is_the_best_at_which_a_program_read(void **state)
{
    (void)state;
    enum { FEW = 2 };
    struct ets_roof roofs[sizeof made_roofs / sizeof *made_roofs + FEW];
    struct ets_machine machine = made_machine;
    assert_true(isnan(ets_machine_read_bandwidth(&machine, 6 * MIB, 1))); /* of versions before */
    memcpy(roofs, made_roofs, sizeof made_roofs);
    roofs[machine.roof_count] = (struct ets_roof){ETS_ROOF_READ, 1, 6 * MIB, 30000, 1e3, 50, 0};
    roofs[machine.roof_count + 1] = (struct ets_roof){ETS_ROOF_READ, 1, 96 * MIB, 9000, 1e3, 50, 0};
    machine.roofs = roofs;
    machine.roof_count += FEW;
    assert_near(ets_machine_read_bandwidth(&machine, 6 * MIB, 1), 45 * GIGA); /* half of in place */
    assert_near(ets_machine_read_bandwidth(&machine, 60 * MIB, 1), 9 * GIGA);
    assert_true(isnan(ets_machine_read_bandwidth(&machine, 6 * MIB, 2)));
    /* It is no roof of what writes, too. */
    assert_near(ets_machine_bandwidth(&machine, 6 * MIB, 1, false), 40 * GIGA);
}

static void test_roof__call_is_one_of_the_chain(void **state)
{
    (void)state;
    assert_near(ets_machine_call_ns(&made_machine, ETS_ROOF_KERNEL, 1), 100);
    assert_near(ets_machine_call_ns(&made_machine, ETS_ROOF_DELEGATE, 1), 400);
    assert_true(isnan(ets_machine_call_ns(&made_machine, ETS_ROOF_DELEGATE, 2)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_roof__level_is_the_smallest_that_holds_all),
        cmocka_unit_test(test_roof__threads_have_a_cache_each_where_cores_have),
        cmocka_unit_test(test_roof__compute_is_of_the_numbers_and_threads),
        cmocka_unit_test(test_roof__bandwidth_is_of_the_level_or_a_slower_one),
        cmocka_unit_test(test_roof__writing_in_place_is_faster),
        cmocka_unit_test(test_roof__without_caches_what_is_as_large_counts),
        cmocka_unit_test(test_roof__reading_alone_is_the_best_at_which_a_program_read),
        cmocka_unit_test(test_roof__call_is_one_of_the_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
