/* Budgets: what their rules say, what is refused, and what comes of known changes. */
#include "test_compare_support.h"

#include "compare/compare_names.h"
#include "compare/pool_parts.h"

#include "etscope/experimental/budget.h"

static struct ets_bytes bytes_of(const char *text)
{
    return (struct ets_bytes){(const uint8_t *)text, strlen(text)};
}

static struct ets_budget *open_budget(const char *text)
{
    struct ets_budget *budget = NULL;
    struct ets_error error = {.status = ETS_OK};
    if (ets_budget_open(bytes_of(text), NULL, &budget, &error) != ETS_OK)
        fail_msg("%s", error.message);
    return budget;
}

static void rules__are_read(void **state)
{
    (void)state;
    static const char text[] =
        "# remark\n\n total\tp50  <=  +5%\r\n"
        "operator Fully Connected (NC, F32) GEMM #1 max <= 2.5ms\n"
        "load p90 <= +200us\n[decode]\ndelegated share >= 90%\n"
        "total avg <= -10%\noperator * min <= 5000cycles";
    struct ets_budget *budget = open_budget(text);
    assert_int_equal(ets_budget_rule_count(budget), 6);
    const struct ets_budget_rule *rule = ets_budget_rule(budget, 0);
    assert_text(rule->text, "total p50 <= +5%");
    assert_int_equal(rule->line, 3);
    assert_int_equal(rule->subject, ETS_BUDGET_TOTAL);
    assert_int_equal(rule->metric, ETS_METRIC_P50);
    assert_int_equal(rule->bounds[0].limit, ETS_LIMIT_OVER_RATIO);
    assert_true(rule->bounds[0].value == 0.05 && rule->scope.data == NULL);
    rule = ets_budget_rule(budget, 1);
    assert_text(rule->pattern, "Fully Connected (NC, F32) GEMM #1");
    assert_int_equal(rule->bounds[0].limit, ETS_LIMIT_TIME);
    assert_true(rule->bounds[0].value == 2.5e6);
    rule = ets_budget_rule(budget, 2);
    assert_int_equal(rule->subject, ETS_BUDGET_LOAD);
    assert_int_equal(rule->bounds[0].limit, ETS_LIMIT_OVER_TIME);
    assert_true(rule->bounds[0].value == 200e3);
    rule = ets_budget_rule(budget, 3);
    assert_int_equal(rule->subject, ETS_BUDGET_DELEGATED);
    assert_int_equal(rule->bounds[0].limit, ETS_LIMIT_SHARE);
    assert_text(rule->scope, "decode");
    assert_true(ets_budget_rule(budget, 4)->bounds[0].value == -0.1);
    rule = ets_budget_rule(budget, 5);
    assert_true(rule->bounds[0].is_cycles && rule->bounds[0].value == 5000);
    assert_int_equal(rule->line, 9);
    ets_budget_close(budget);
}

static void wrong_lines__are_named_with_what_they_should_be(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
    } wrong[] = {
        {"", "has no rule"},
        {"# only this\n", "has no rule"},
        {"total p50 <= +5%\ntotal", "line 2 \"total\": a rule must be: WHAT METRIC <= LIMIT"},
        {"total p50 < +5%", "line 1 \"total p50 < +5%\": a rule must be: WHAT"},
        {"total p50 <=+5%", "line 1 \"total p50 <=+5%\": a rule must be"},
        {"totals p50 <= +5%", "must begin with total, load, operator NAME, delegated, prefill or"},
        {"decode tokens/s <= 40", "tokens/s need one lower limit"},
        {"decode tokens/s >= 40ms", "tokens/s need one lower limit"},
        {"decode tokens/s >= 0", "tokens/s need one lower limit"},
        {"decode tokens/s >= -100%", "tokens/s need one lower limit"},
        {"decode tokens/s >= +5us", "tokens/s need one lower limit"},
        {"decode tokens/s >= 40 or -5%", "of two limits at least one must be"},
        {"decode p50 <= 40ms", "a stage needs the metric tokens/s"},
        {"decode conv tokens/s >= 40", "a stage needs the metric tokens/s"},
        {"total tokens/s >= 40", "tokens/s are of prefill or decode"},
        {"p50 <= +5%", "must begin with total"},
        {"total p99 <= +5%", "the metric must be min, p10, p50"},
        {"total x p50 <= +5%", "a rule must be: WHAT METRIC"},
        {"operator p50 <= +5%", "operator needs a name"},
        {"total p50 <= fast", "the limit must look like +5%"},
        {"total p50 <= +", "the limit must look like +5%"},
        {"total p50 <= .", "the limit must look like +5%"},
        {"total p50 <= 99999999999999999999ms", "the limit must look like +5%"},
        {"total p50 <= 1.2.3ms", "the limit needs a unit"},
        {"total p50 <= 5", "the limit needs a unit"},
        {"total p50 <= 5 ms", "a rule must be: WHAT METRIC"},
        {"total p50 <= 5%", "a time needs an upper limit"},
        {"total p50 >= +5%", "a time needs an upper limit"},
        {"total share >= 5%", "delegated needs the metric share"},
        {"delegated p50 <= +5%", "delegated needs the metric share"},
        {"delegated share <= 5%", "a share needs a lower limit"},
        {"delegated share >= +5%", "a share needs a lower limit"},
        {"total p50 <= +5% or +5us or 2ms", "at most two limits"},
        {"total p50 <= 5us or 2ms", "at least one must be relative to the base"},
        {"total p50 <= -5% or 2ms", "at least one must be relative to the base"},
        {"delegated share >= 90% or 80%", "at least one must be relative to the base"},
        {"total p50 or +5%", "a rule must be: WHAT METRIC"},
        {"or or or", "a rule must be: WHAT METRIC"},
        {"[decode", "a section must be a method"},
        {"[]", "a section must be a method"},
    };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct ets_budget *budget = NULL;
        struct ets_error error = {.status = ETS_OK};
        assert_int_equal(ets_budget_open(bytes_of(wrong[i].text), NULL, &budget, &error),
                         ETS_MALFORMED);
        if (strstr(error.message, wrong[i].part) == NULL) fail_msg("%s", error.message);
    }
}

static void long_texts__are_refused(void **state)
{
    (void)state;
    static char text[10001];
    struct ets_budget *budget = NULL;
    memset(text, '\n', sizeof text - 1);
    assert_int_equal(
        ets_budget_open((struct ets_bytes){(uint8_t *)text, sizeof text - 1}, NULL, &budget, NULL),
        ETS_LIMIT);
}

static const struct made_operator base[] = {{"native_call_add.out", 1000, 30},
                                            {"native_call_conv.out", 5000, 20}};

/* The verdict of one rule about `after` against `base`, of `recordings` of 20 runs each. */
static enum ets_budget_result judge(const char *rule, const struct made_operator *after,
                                    uint32_t recordings)
{
    struct recorded recorded;
    compare_recordings((const struct made_operator *const[]){base, after}, (const uint32_t[]){2, 2},
                       20, recordings, 3, &recorded);
    struct ets_budget *budget = open_budget(rule);
    struct ets_budget_verdicts *verdicts = NULL;
    assert_int_equal(ets_budget_check(budget, recorded.compared.difference, &verdicts, NULL),
                     ETS_OK);
    assert_int_equal(ets_budget_count(verdicts), 1);
    const struct ets_budget_verdict *verdict = ets_budget_verdict(verdicts, 0);
    const enum ets_budget_result result = verdict->result;
    assert_int_equal(ets_budget_failed(verdicts), ets_budget_is_failure(result));
    if (verdict->doubt == ETS_DOUBT_RECORDINGS) assert_true(verdict->recordings_needed >= 4);
    ets_budget_verdicts_close(verdicts);
    ets_budget_close(budget);
    recorded_close(&recorded);
    return result;
}

static void rules__hold_or_break_as_they_should(void **state)
{
    (void)state;
    struct made_operator slow[2], little[2], fast[2];
    memcpy(slow, base, sizeof base);
    memcpy(little, base, sizeof base);
    memcpy(fast, base, sizeof base);
    slow[1].ticks = 6000;
    little[1].ticks = 5002;
    fast[1].ticks = 4000;
    assert_int_equal(judge("total p50 <= +5%", base, 5), ETS_BUDGET_PASS);
    assert_int_equal(judge("total p50 <= +5%", slow, 5), ETS_BUDGET_FAIL);
    assert_int_equal(judge("total p50 <= +5%", fast, 5), ETS_BUDGET_PASS);
    assert_int_equal(judge("total p50 <= +5%", slow, 1), ETS_BUDGET_UNDECIDED);
    assert_int_equal(judge("total p50 <= +5%", slow, 3), ETS_BUDGET_UNDECIDED);
    assert_int_equal(judge("total p50 <= -10%", base, 1), ETS_BUDGET_UNDECIDED);
    assert_int_equal(judge("total p50 <= 7us", slow, 1), ETS_BUDGET_FAIL);
    assert_int_equal(judge("total p50 <= 8us", slow, 1), ETS_BUDGET_PASS);
    assert_int_equal(judge("operator c*v.o?t p50 <= +5%", slow, 5), ETS_BUDGET_FAIL);
    assert_int_equal(judge("operator add.out p50 <= +5%", slow, 5), ETS_BUDGET_PASS);
    assert_int_equal(judge("operator conv.out p50 <= +999ns", slow, 5), ETS_BUDGET_FAIL);
    assert_int_equal(judge("operator conv.out p50 <= +1.1us", slow, 5), ETS_BUDGET_PASS);
    assert_int_equal(judge("operator conv.out p50 <= +5% or +1.1us", slow, 5), ETS_BUDGET_PASS);
    assert_int_equal(judge("operator conv.out p50 <= +999ns or +25%", slow, 5), ETS_BUDGET_PASS);
    assert_int_equal(judge("operator conv.out p50 <= +5% or 6.1us", slow, 5), ETS_BUDGET_PASS);
    assert_int_equal(judge("operator conv.out p50 <= +5% or 5.9us", slow, 5), ETS_BUDGET_FAIL);
    assert_int_equal(judge("operator conv.out p50 <= +5% or +999ns", slow, 5), ETS_BUDGET_FAIL);
    assert_int_equal(judge("operator (between* p50 <= +5%", slow, 5), ETS_BUDGET_PASS);
    assert_int_equal(judge("operator *between* p50 <= +5%", slow, 5), ETS_BUDGET_MISSING);
    assert_int_equal(judge("operator conv.out p50 <= +0%", little, 5), ETS_BUDGET_UNDECIDED);
    assert_int_equal(judge("operator conv.out max <= +5%", slow, 5), ETS_BUDGET_FAIL);
    assert_int_equal(judge("operator conv.out max <= 5us", base, 5), ETS_BUDGET_FAIL);
    assert_int_equal(judge("operator conv.out max <= 5.1us", base, 5), ETS_BUDGET_PASS);
    assert_int_equal(judge("operator conv.out max <= 5us", slow, 1), ETS_BUDGET_FAIL);
    assert_int_equal(judge("total p50 <= -10%", fast, 5), ETS_BUDGET_PASS);
    assert_int_equal(judge("total p50 <= -10%", base, 5), ETS_BUDGET_FAIL);
    assert_int_equal(judge("operator relu* p50 <= +5%", base, 5), ETS_BUDGET_MISSING);
    assert_int_equal(judge("load p50 <= +5%", base, 5), ETS_BUDGET_MISSING);
    assert_int_equal(judge("[Execute]\ntotal p50 <= +5%", slow, 5), ETS_BUDGET_FAIL);
    assert_int_equal(judge("[decode]\ntotal p50 <= +5%", slow, 5), ETS_BUDGET_MISSING);
    assert_int_equal(judge("delegated share >= 10%", base, 5), ETS_BUDGET_FAIL);
    assert_int_equal(judge("delegated share >= 0%", base, 5), ETS_BUDGET_PASS);
    slow[1].name = "native_call_gelu.out";
    assert_int_equal(judge("operator gelu* p50 <= +5%", slow, 5), ETS_BUDGET_NEW);
    assert_int_equal(judge("operator gelu* p50 <= 1us", slow, 5), ETS_BUDGET_FAIL);
}

/* Four recordings of each side, of which one before is as slow as those after. */
static void noise__is_learned_from_the_recordings(void **state)
{
    (void)state;
    static const uint64_t ticks[2][4] = {{5000, 5003, 6000, 5005}, {6001, 6004, 6002, 6000}};
    struct made made[2][4];
    struct ets_pool *pools[2];
    for (int s = 0; s < 2; s++) {
        const struct ets_inspection *inspections[4];
        for (int k = 0; k < 4; k++) {
            struct made_operator operators[2];
            memcpy(operators, base, sizeof base);
            operators[1].ticks = ticks[s][k];
            made[s][k] = inspect_program(operators, 2, 20);
            inspections[k] = made[s][k].inspection;
        }
        pools[s] = open_pool(inspections, 4);
    }
    const struct ets_difference_options options = {0};
    struct ets_difference *difference;
    struct ets_budget *budget = open_budget("total p50 <= +5%");
    struct ets_budget_verdicts *verdicts;
    assert_int_equal(ets_difference_open(pools[0], pools[1], &options, &difference, NULL), ETS_OK);
    assert_int_equal(ets_budget_check(budget, difference, &verdicts, NULL), ETS_OK);
    assert_int_equal(ets_budget_verdict(verdicts, 0)->result, ETS_BUDGET_UNDECIDED);
    assert_int_equal(ets_budget_verdict(verdicts, 0)->doubt, ETS_DOUBT_SPREAD);
    ets_budget_verdicts_close(verdicts);
    ets_difference_close(difference);
    ets_budget_close(budget);
    for (int s = 0; s < 2; s++) {
        ets_pool_close(pools[s]);
        for (int k = 0; k < 4; k++) made_close(&made[s][k]);
    }
}

static void units__must_fit_the_traces(void **state)
{
    (void)state;
    struct made a = inspect_program(base, 2, 5);
    struct made cycles = {.dump = make_program(base, 2, 5)};
    cycles.inspection =
        inspect(cycles.dump, (struct ets_inspect_options){.tick_unit = ETS_UNIT_CYCLES});
    struct compared compared;
    compare(cycles.inspection, cycles.inspection, &compared);
    assert_int_equal(ets_difference_unit(compared.difference), ETS_UNIT_CYCLES);
    struct ets_budget_verdicts *verdicts = NULL;
    struct ets_error error;
    struct ets_budget *budget = open_budget("total p50 <= 5ms");
    assert_int_equal(ets_budget_check(budget, compared.difference, &verdicts, &error),
                     ETS_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, "the limit is in time but the traces are in cycles"));
    ets_budget_close(budget);
    budget = open_budget("total p50 <= 7000cycles");
    assert_int_equal(ets_budget_check(budget, compared.difference, &verdicts, &error), ETS_OK);
    assert_int_equal(ets_budget_failed(verdicts), 0);
    ets_budget_verdicts_close(verdicts);
    ets_budget_close(budget);
    const struct ets_inspection *mixed[] = {a.inspection, cycles.inspection};
    struct ets_pool *time = open_pool(mixed, 1), *none = NULL;
    assert_int_equal(ets_pool_open(mixed, 2, NULL, &none, &error), ETS_INVALID_ARGUMENT);
    const struct ets_difference_options options = {0};
    struct ets_difference *difference = NULL;
    assert_int_equal(ets_difference_open(time, compared.pools[0], &options, &difference, &error),
                     ETS_INVALID_ARGUMENT);
    ets_pool_close(time);
    compared_close(&compared);
    made_close(&a);
    made_close(&cycles);
}

static void every_allocation__may_fail(void **state)
{
    (void)state;
    struct made a = inspect_program(base, 2, 5);
    const struct ets_inspection *inspection = a.inspection;
    struct ets_pool *pool = open_pool(&inspection, 1);
    enum ets_status status = ETS_NO_MEMORY;
    for (unsigned long at = 0; status != ETS_OK; at++) {
        struct failing failing = {.fail_at = at};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        const struct ets_difference_options options = {.allocator = &allocator};
        struct ets_budget *budget = NULL;
        struct ets_difference *difference = NULL;
        struct ets_budget_verdicts *verdicts = NULL;
        struct ets_error error;
        status = ets_budget_open(bytes_of("total p50 <= +5%\nload p50 <= 5ms"), &allocator, &budget,
                                 &error);
        if (status == ETS_OK) {
            status = ets_difference_open(pool, pool, &options, &difference, &error);
        }
        if (status == ETS_OK) {
            status = ets_budget_check(budget, difference, &verdicts, &error);
        }
        if (status != ETS_OK) assert_int_equal(status, ETS_NO_MEMORY);
        ets_budget_verdicts_close(verdicts);
        ets_difference_close(difference);
        ets_budget_close(budget);
        assert_int_equal(failing.live, 0);
        assert_true(at < 10000);
    }
    ets_pool_close(pool);
    made_close(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules__are_read),
        cmocka_unit_test(wrong_lines__are_named_with_what_they_should_be),
        cmocka_unit_test(long_texts__are_refused),
        cmocka_unit_test(rules__hold_or_break_as_they_should),
        cmocka_unit_test(noise__is_learned_from_the_recordings),
        cmocka_unit_test(units__must_fit_the_traces),
        cmocka_unit_test(every_allocation__may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
