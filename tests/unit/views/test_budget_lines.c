/* The verdicts of a gate as lines: their order, what is hidden, what is told of them all. */
#include "test_compare_support.h"

#include "views/budget_lines.h"

enum { RUNS = 20 };

static const struct made_operator base[] = {{"native_call_add.out", 1000, 30},
                                            {"native_call_conv.out", 5000, 20}};
static const struct made_operator slow[] = {{"native_call_add.out", 1000, 30},
                                            {"native_call_conv.out", 6000, 20}};

/* In the order of the rules: passes, fails, fails, passes. */
static const char mixed[] =
    "operator add.out p50 <= +5%\noperator conv.out p50 <= +5%\n"
    "operator relu* p50 <= +5%\ndelegated share >= 0%\n";

struct gate {
    struct recorded recorded;
    struct ets_budget *budget;
    struct ets_budget_verdicts *verdicts;
    struct ets_budget_report report;
};

static void open_gate(struct gate *g, const char *rules, const struct made_operator *after)
{
    const struct ets_bytes text = {(const uint8_t *)rules, strlen(rules)};
    compare_recordings((const struct made_operator *const[]){base, after}, (const uint32_t[]){2, 2},
                       RUNS, 5, 3, &g->recorded);
    assert_int_equal(ets_budget_open(text, NULL, &g->budget, NULL), ETS_OK);
    assert_int_equal(
        ets_budget_check(g->budget, g->recorded.compared.difference, &g->verdicts, NULL), ETS_OK);
    g->report = (struct ets_budget_report){.budget = g->budget,
                                           .difference = g->recorded.compared.difference,
                                           .verdicts = g->verdicts,
                                           .budget_path = "budget.txt"};
}

static void close_gate(struct gate *g)
{
    ets_budget_verdicts_close(g->verdicts);
    ets_budget_close(g->budget);
    recorded_close(&g->recorded);
}

static void lines__begin_with_what_failed(void **state)
{
    (void)state;
    struct gate g;
    struct ets_arena arena;
    struct ets_budget_lines lines;
    open_gate(&g, mixed, slow);
    ets_arena_init(&arena, NULL, 0);
    assert_true(ets_budget_lines_collect(&arena, &g.report, &lines));
    assert_int_equal(lines.count, 4);
    assert_text(lines.items[0].op->name, "conv.out");
    assert_int_equal(lines.items[0].instruction, 1);
    assert_true(ets_budget_has_reason(lines.items[0].verdict));
    assert_null(lines.items[1].op); /* the new trace has nothing of the kind */
    assert_int_equal(lines.items[1].verdict->result, ETS_BUDGET_MISSING);
    assert_text(lines.items[2].op->name, "add.out");
    assert_true(lines.items[3].is_share && !lines.items[2].is_share);
    assert_true(lines.has_shares && lines.has_times);
    assert_null(lines.tightest); /* a failure is told of instead */
    g.report.hides_passes = 1;
    assert_true(ets_budget_lines_collect(&arena, &g.report, &lines));
    assert_int_equal(lines.count, 2);
    assert_true(lines.has_shares); /* columns do not depend on what is hidden */
    ets_arena_reset(&arena);
    close_gate(&g);
}

static void lines__name_the_rule_with_the_least_to_spare(void **state)
{
    (void)state;
    struct gate g;
    struct ets_arena arena;
    struct ets_budget_lines lines;
    open_gate(&g, "operator add.out p50 <= +90%\noperator conv.out p50 <= +25%\n", slow);
    ets_arena_init(&arena, NULL, 0);
    assert_true(ets_budget_lines_collect(&arena, &g.report, &lines));
    assert_non_null(lines.tightest);
    assert_int_equal(lines.tightest->rule, 1);
    assert_int_equal(lines.doubt_count, 0);
    ets_arena_reset(&arena);
    close_gate(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines__begin_with_what_failed),
        cmocka_unit_test(lines__name_the_rule_with_the_least_to_spare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
