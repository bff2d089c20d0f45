/* The lines of a roofline chart: what was measured, each rate once. */
#include "test_machine_support.h"

#include <math.h>
#include <string.h>

#include "views/roof_lines.h"

static void assert_lines(const struct ets_machine *machine, uint32_t threads,
                         const struct ets_cost_roof *expected, uint32_t count)
{
    struct ets_cost_roof lines[ETS_ROOF_LINES];
    assert_int_equal(ets_roof_lines_list(machine, threads, lines), count);
    for (uint32_t i = 0; i < count; i++) {
        assert_string_equal(lines[i].name, expected[i].name);
        assert_int_equal(lines[i].is_bandwidth, expected[i].is_bandwidth);
        assert_true(fabs(lines[i].rate - expected[i].rate) <= 1e-9 * expected[i].rate);
    }
}

static void test_roof_lines__of_one_thread(void **state)
{
    (void)state;
    static const struct ets_cost_roof expected[] = {{"float32", 0, 100e9},
                                                    {"int8", 0, 200e9},
                                                    {"L1", 1, 100e9},
                                                    {"L3", 1, 40e9},
                                                    {"memory", 1, 10e9}};
    assert_lines(&made_machine, 1, expected, 5);
}

static void test_roof_lines__what_was_not_measured_has_none(void **state)
{
    (void)state;
    static const struct ets_cost_roof expected[] = {
        {"float32", 0, 180e9}, {"L1", 1, 15e9}, {"memory", 1, 15e9}};
    assert_lines(&made_machine, 2, expected, 3);
    assert_lines(&made_machine, 3, NULL, 0);
}

static void test_roof_lines__of_a_machine_without_caches(void **state)
{
    (void)state;
    struct ets_machine machine = made_machine;
    memset(machine.caches, 0, sizeof machine.caches);
    static const struct ets_cost_roof expected[] = {
        {"float32", 0, 100e9}, {"int8", 0, 200e9}, {"memory", 1, 10e9}};
    assert_lines(&machine, 1, expected, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_roof_lines__of_one_thread),
        cmocka_unit_test(test_roof_lines__what_was_not_measured_has_none),
        cmocka_unit_test(test_roof_lines__of_a_machine_without_caches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
