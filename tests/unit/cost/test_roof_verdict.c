/* What a roof says of an operator: numbers by hand, on the machine of test_machine_support.h. */
#include "test_machine_support.h"

#include <math.h>

#include "cost/roof_verdict.h"

/* 4 million operations take 40 us at 100 GFLOP/s; 48 KiB are in L2, at 100 GB/s. */
static struct ets_roof_question product(double ns)
{
    return (struct ets_roof_question){.numbers = ETS_ROOF_FLOAT32,
                                      .operations = 4e6,
                                      .bytes = 48e3,
                                      .calls = 1,
                                      .least_ns = ns,
                                      .most_ns = ns,
                                      .threads = 1,
                                      .is_delegated = true};
}

static struct ets_roof_answer ask(struct ets_roof_question question)
{
    return ets_roof_judge(&made_machine, &question);
}

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9 * fabs(expected))) fail_msg("%g, not %g", value, expected);
}

static void test_roof_verdict__arithmetic_binds(void **state)
{
    (void)state;
    struct ets_roof_answer answer = ask(product(50e3));
    assert_int_equal(answer.verdict, ETS_ROOF_VERDICT_COMPUTE_BOUND);
    assert_int_equal(answer.binding, ETS_ROOF_COMPUTE);
    assert_near(answer.bound_ns, 40e3);
    assert_near(answer.least_share, 0.8);
    assert_near(answer.most_share, 0.8);
    answer = ask(product(80e3));
    assert_int_equal(answer.verdict, ETS_ROOF_VERDICT_BELOW_ROOF);
    assert_near(answer.least_share, 0.5);
    assert_int_equal(ask(product(40e3 / 0.599)).verdict, ETS_ROOF_VERDICT_BELOW_ROOF);
    assert_int_equal(ask(product(40e3 / 0.601)).verdict, ETS_ROOF_VERDICT_COMPUTE_BOUND);
}

static void test_roof_verdict__bytes_bind(void **state)
{
    (void)state;
    struct ets_roof_question question = product(150e3);
    question.operations = 1e6;
    question.bytes = 4e6; /* in L3, at 40 GB/s: 100 us */
    const struct ets_roof_answer answer = ask(question);
    assert_int_equal(answer.verdict, ETS_ROOF_VERDICT_MEMORY_BOUND);
    assert_int_equal(answer.level, ETS_LEVEL_L3);
    assert_near(answer.bound_ns, 100e3);
    assert_near(answer.least_share, 2.0 / 3);
    question.operations = 0; /* a copy */
    question.numbers = ETS_ROOF_PROGRAMS;
    assert_int_equal(ask(question).verdict, ETS_ROOF_VERDICT_MEMORY_BOUND);
}

static void test_roof_verdict__in_place_fewer_bytes_are_touched(void **state)
{
    (void)state;
    struct ets_roof_question question = product(150e3);
    question.operations = 1e6;
    question.bytes = 16e6; /* beyond L3, at 20 GB/s */
    assert_near(ask(question).bound_ns, 800e3);
    question.in_place_bytes = 8e6; /* 8 MB in L3, at 90 GB/s */
    assert_int_equal(ask(question).level, ETS_LEVEL_L3);
    assert_near(ask(question).bound_ns, 16e6 / 90);
}

static void test_roof_verdict__a_loop_has_the_working_set_of_one_call(void **state)
{
    (void)state;
    struct ets_roof_question question = product(800e3);
    question.operations = 0;
    question.bytes = 48e6; /* a thousand times 48 kB, each in L2 */
    question.calls = 20;   /* 2.4 MB each: in L3 */
    assert_int_equal(ask(question).level, ETS_LEVEL_L3);
    assert_near(ask(question).bound_ns, 1.2e6);
    question.calls = 1000;
    assert_int_equal(ask(question).level, ETS_LEVEL_L2);
    assert_int_equal(ask(question).verdict, ETS_ROOF_VERDICT_OVERHEAD_BOUND); /* 0.8 us a call */
}

static void test_roof_verdict__the_call_costs(void **state)
{
    (void)state;
    struct ets_roof_question question = product(9e3); /* below 10 us, at whatever share */
    question.operations = 8e5;
    struct ets_roof_answer answer = ask(question);
    assert_int_equal(answer.verdict, ETS_ROOF_VERDICT_OVERHEAD_BOUND);
    assert_near(answer.bound_ns, 8e3);
    assert_true(isnan(answer.least_share) && isnan(answer.most_share));
    question = product(20e3); /* the bound is below the 400 ns of an empty call, the time is not */
    question.operations = 1e4;
    question.bytes = 1e3;
    answer = ask(question);
    assert_int_equal(answer.verdict, ETS_ROOF_VERDICT_BELOW_ROOF);
    assert_int_equal(answer.binding, ETS_ROOF_CALL);
    assert_near(answer.bound_ns, 400);
    assert_near(answer.least_share, 0.02);
    question.is_delegated = false;
    assert_near(ask(question).bound_ns, 100);
}

static void test_roof_verdict__whole_microseconds_are_a_range(void **state)
{
    (void)state;
    struct ets_roof_question question = product(50e3);
    question.most_ns = 51e3;
    const struct ets_roof_answer answer = ask(question);
    assert_near(answer.most_share, 0.8);
    assert_near(answer.least_share, 40.0 / 51);
    question.least_ns = 9e3;
    question.most_ns = 10e3;
    assert_int_equal(ask(question).verdict, ETS_ROOF_VERDICT_OVERHEAD_BOUND);
}

static void assert_unknown(struct ets_roof_question question, enum ets_roof_reason reason)
{
    const struct ets_roof_answer answer = ask(question);
    assert_int_equal(answer.verdict, ETS_ROOF_VERDICT_UNKNOWN);
    assert_int_equal(answer.reason, reason);
    assert_true(isnan(answer.least_share) && isnan(answer.most_share));
    assert_non_null(ets_roof_reason_name(reason));
}

static void test_roof_verdict__says_why_it_is_unknown(void **state)
{
    (void)state;
    struct ets_roof_question question = product(50e3);
    question.reason = ETS_ROOF_NEAR;
    assert_unknown(question, ETS_ROOF_NEAR);
    question = product(50e3);
    question.numbers = ETS_ROOF_FLOAT16;
    assert_unknown(question, ETS_ROOF_NOT_MEASURED);
    question.numbers = ETS_ROOF_PROGRAMS;
    assert_unknown(question, ETS_ROOF_NOT_MEASURED);
    question = product(50e3);
    question.threads = 3;
    assert_unknown(question, ETS_ROOF_NOT_MEASURED);
    assert_unknown(product(NAN), ETS_ROOF_NO_TIME);
    assert_unknown(product(0), ETS_ROOF_NO_TIME);
    assert_unknown(product(40e3 / 1.06), ETS_ROOF_TOO_FAST);
    assert_int_equal(ask(product(40e3 / 1.04)).verdict, ETS_ROOF_VERDICT_COMPUTE_BOUND);
    question = product(40e3 / 1.06); /* perhaps faster */
    question.most_ns = 40e3;
    assert_int_equal(ask(question).verdict, ETS_ROOF_VERDICT_COMPUTE_BOUND);
}

/* 8 MB take 1 ms at 8 GB/s of memory; 10 kernels and 10 delegate calls that are empty 5 us. */
static struct ets_roof_answer ask_stage(struct ets_stage_question question)
{
    static const struct ets_roof read = {ETS_ROOF_READ, 1, 96 * MIB, 8000, 1e3, 50, 0};
    struct ets_roof roofs[sizeof made_roofs / sizeof *made_roofs + 1];
    struct ets_machine machine = made_machine;
    memcpy(roofs, made_roofs, sizeof made_roofs);
    roofs[machine.roof_count++] = read;
    machine.roofs = roofs;
    if (question.read_bytes == 0) question.read_bytes = 64e6;
    question.threads = 1;
    question.kernel_calls = question.delegate_calls = 10;
    return ets_roof_judge_stage(&machine, &question);
}

static void test_roof_verdict__a_stage_reads_computes_or_calls(void **state)
{
    (void)state;
    struct ets_roof_answer answer = ask_stage((struct ets_stage_question){.ns = 10e6});
    assert_int_equal(answer.verdict, ETS_ROOF_VERDICT_MEMORY_BOUND);
    assert_int_equal(answer.level, ETS_LEVEL_MEMORY);
    assert_near(answer.least_share, 0.8);
    answer = ask_stage((struct ets_stage_question){.ns = 20e6, .compute_ns = 13e6});
    assert_int_equal(answer.verdict, ETS_ROOF_VERDICT_COMPUTE_BOUND);
    answer = ask_stage((struct ets_stage_question){.ns = 20e6, .compute_ns = 1e6});
    assert_int_equal(answer.verdict, ETS_ROOF_VERDICT_BELOW_ROOF);
    answer = ask_stage((struct ets_stage_question){.ns = 7e6});
    assert_int_equal(answer.reason, ETS_ROOF_TOO_FAST);
    /* Of little, the calls cost: 20 that take less than 10 us each. */
    answer = ets_roof_judge_stage(&made_machine, &(struct ets_stage_question){.ns = 1e5});
    assert_int_equal(answer.reason, ETS_ROOF_NOT_MEASURED);
}

/* 20 calls of 4 us each, or 19 short ones and one that takes most of the time. */
static void test_roof_verdict__a_stage_with_a_long_call_is_not_held_back_by_calls(void **state)
{
    (void)state;
    struct ets_stage_question question = {.ns = 80e3, .read_bytes = 64};
    assert_int_equal(ask_stage(question).verdict, ETS_ROOF_VERDICT_OVERHEAD_BOUND);
    question.long_ns = 39e3;
    assert_int_equal(ask_stage(question).verdict, ETS_ROOF_VERDICT_OVERHEAD_BOUND);
    question.long_ns = 60e3;
    assert_int_equal(ask_stage(question).verdict, ETS_ROOF_VERDICT_BELOW_ROOF);
    question.missing = ETS_ROOF_NO_INT4;
    assert_int_equal(ask_stage(question).reason, ETS_ROOF_NO_INT4);
}

static void test_roof_verdict__a_stage_without_all_roofs_is_not_below_them(void **state)
{
    (void)state;
    const struct ets_stage_question question = {.ns = 20e6, .missing = ETS_ROOF_NO_INT4};
    struct ets_roof_answer answer = ask_stage(question);
    assert_int_equal(answer.verdict, ETS_ROOF_VERDICT_UNKNOWN);
    assert_int_equal(answer.reason, ETS_ROOF_NO_INT4);
    assert_near(answer.least_share, 0.4); /* of reading, which is known */
    answer = ask_stage((struct ets_stage_question){.ns = 10e6, .reason = ETS_ROOF_AT_MOST});
    assert_int_equal(answer.reason, ETS_ROOF_AT_MOST);
    assert_true(isnan(answer.least_share));
    answer = ask_stage((struct ets_stage_question){.ns = NAN});
    assert_int_equal(answer.reason, ETS_ROOF_NO_TIME);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_roof_verdict__arithmetic_binds),
        cmocka_unit_test(test_roof_verdict__bytes_bind),
        cmocka_unit_test(test_roof_verdict__in_place_fewer_bytes_are_touched),
        cmocka_unit_test(test_roof_verdict__a_loop_has_the_working_set_of_one_call),
        cmocka_unit_test(test_roof_verdict__the_call_costs),
        cmocka_unit_test(test_roof_verdict__whole_microseconds_are_a_range),
        cmocka_unit_test(test_roof_verdict__says_why_it_is_unknown),
        cmocka_unit_test(test_roof_verdict__a_stage_reads_computes_or_calls),
        cmocka_unit_test(test_roof_verdict__a_stage_with_a_long_call_is_not_held_back_by_calls),
        cmocka_unit_test(test_roof_verdict__a_stage_without_all_roofs_is_not_below_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
