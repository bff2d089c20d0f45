/* The sentence about a run's work: what it says, and what it leaves open. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "views/cost_headline.h"

static struct ets_total_cost convolutions(void)
{
    struct ets_total_cost total = {.cost = {.macs = 300000000,
                                            .ops = 5000000,
                                            .bytes_read = 60000000,
                                            .operators = 40,
                                            .family = ETS_FAMILY_CONVOLUTION}};
    total.families[ETS_FAMILY_CONVOLUTION] = (struct ets_family_cost){600000000, 35};
    total.families[ETS_FAMILY_ELEMENTS] = (struct ets_family_cost){5000000, 5};
    return total;
}

static void check(const struct ets_total_cost *total, const char *expected)
{
    char text[ETS_COST_HEADLINE];
    const size_t size = ets_cost_headline(total, "a run", text, sizeof text);
    assert_int_equal(size, strlen(expected));
    assert_memory_equal(text, expected, size);
}

static void test_cost_headline__work_share_and_intensity(void **state)
{
    (void)state;
    const struct ets_total_cost total = convolutions();
    check(&total, "0.605 GFLOP a run; 99 % in 35 convolutions; 10.1 operations a byte");
}

static void test_cost_headline__what_is_left_open(void **state)
{
    (void)state;
    struct ets_total_cost total = convolutions();
    total.cost.unknown = 2;
    total.cost.reason = ETS_COST_NO_RULE;
    total.cost.folded = 1;
    check(&total,
          "at least 0.605 GFLOP a run; 1 batch norm is folded into weights; 2 operators are not "
          "counted: no rule for this operator");
    total = convolutions();
    total.cost.at_most = true;
    check(&total,
          "0.605 GFLOP a run; 99 % in 35 convolutions; 10.1 operations a byte; at most, as shapes "
          "are upper bounds");
    total.cost.unknown = 1;
    total.cost.reason = ETS_COST_NO_RULE;
    check(
        &total,
        "0.605 GFLOP a run in what is counted; at most, as shapes are upper bounds; 1 operator is "
        "not counted: no rule for this operator");
}

static void test_cost_headline__names_what_has_no_rule(void **state)
{
    (void)state;
    static const char *const names[] = {"llama::a.out", "llama::b.out", "c::d.out", "c::e.out"};
    struct ets_total_cost total = {.cost = {.operators = 1, .unknown = 5, .ops = 100}};
    total.cost.reason = ETS_COST_NO_RULE;
    for (size_t i = 0; i < 4; i++) {
        total.unruled[i] = (struct ets_text){names[i], strlen(names[i])};
    }
    total.unruled_count = 2;
    check(&total,
          "at least 100 FLOP a run; 5 operators are not counted: no rule for llama::a.out, "
          "llama::b.out");
    total.unruled_count = 4;
    check(&total,
          "at least 100 FLOP a run; 5 operators are not counted: no rule for llama::a.out, "
          "llama::b.out, c::d.out and more");
}

static void test_cost_headline__nothing_known_or_nothing_done(void **state)
{
    (void)state;
    struct ets_total_cost total = {.cost = ets_cost_unknown(ETS_COST_NO_PAYLOAD)};
    check(&total,
          "the work a run is unknown: neither program nor ETRecord tell the delegate's operators");
    total = (struct ets_total_cost){.cost = {.bytes_read = 12, .operators = 1}};
    check(&total, "no arithmetic a run; 12 bytes moved");
    total = (struct ets_total_cost){.cost = {.operators = 0}};
    check(&total, "");
}

static void test_cost_headline__units_follow_the_size(void **state)
{
    char text[32];
    (void)state;
    ets_print_flops(999, text, sizeof text);
    assert_string_equal(text, "999 FLOP");
    ets_print_flops(1500, text, sizeof text);
    assert_string_equal(text, "1.5 kFLOP");
    ets_print_flops(250000, text, sizeof text);
    assert_string_equal(text, "0.25 MFLOP");
    ets_print_flops(4e14, text, sizeof text);
    assert_string_equal(text, "400 TFLOP");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cost_headline__work_share_and_intensity),
        cmocka_unit_test(test_cost_headline__what_is_left_open),
        cmocka_unit_test(test_cost_headline__names_what_has_no_rule),
        cmocka_unit_test(test_cost_headline__nothing_known_or_nothing_done),
        cmocka_unit_test(test_cost_headline__units_follow_the_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
