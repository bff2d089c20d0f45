/* Threads that gain nothing: planted in made traces of turns, absent from twins. */
#include "test_inspect_support.h"

#include "advice/findings.h"

enum { TURNS = 6, PER_TURN = 4, RUNS = TURNS * PER_TURN };

/* In each turn a load and three runs of two operators. */
static struct made make_turns(uint32_t turns, uint64_t add, uint64_t mul)
{
    static struct made_event events[RUNS][3];
    struct made_run runs[RUNS];
    const uint32_t count = turns * PER_TURN;
    for (uint32_t r = 0; r < count; r++) {
        const uint64_t start = 10000000 * (uint64_t)(r + 1), middle = start + add + r;
        if (r % PER_TURN == 0) {
            events[r][0] = (struct made_event)FRAMEWORK("Program::load_method", start, start + 50);
            runs[r] = (struct made_run){"Default", -1, events[r], 1, 0};
            continue;
        }
        events[r][0] = (struct made_event)CALL("native_call_add.out", 0, start, middle);
        events[r][1] = (struct made_event)CALL("native_call_mul.out", 1, middle, middle + mul);
        events[r][2] = (struct made_event)FRAMEWORK("Method::execute", start, middle + mul);
        runs[r] = (struct made_run){"Execute", -1, events[r], 3, 0};
    }
    return inspect_runs(runs, count, (struct ets_inspect_options){0});
}

/* The finding of `kind` on a trace with more threads, beside one with a single thread. */
static const struct ets_finding *find(struct ets_arena *arena, struct ets_findings *findings,
                                      const struct ets_inspection *one,
                                      const struct ets_inspection *more, const char *kind)
{
    const struct ets_findings_subject subject = {.inspection = more, .one_thread = one};
    assert_int_equal(ets_findings_collect(arena, &subject, findings, NULL), ETS_OK);
    for (uint32_t i = 0; i < findings->count; i++) {
        if (strcmp(findings->items[i].kind, kind) == 0) return &findings->items[i];
    }
    return NULL;
}

static void test_thread_findings__what_more_threads_cost_is_told(void **state)
{
    (void)state;
    struct made one = make_turns(TURNS, 600000, 200000), more = make_turns(TURNS, 800000, 200000);
    struct made same = make_turns(TURNS, 600000, 200000);
    struct ets_findings findings;
    struct ets_arena arena;
    ets_arena_init(&arena, NULL, 0);
    const struct ets_finding *found =
        find(&arena, &findings, one.inspection, more.inspection, "threads_gain_nothing");
    assert_non_null(found);
    assert_text(found->sentence,
                "more threads make runs longer: 800 us with one thread, 1000 us with more");
    assert_true(ets_finding_is_advice(found));
    assert_int_equal(found->saving.basis, ETS_SAVING_REMOVED);
    assert_true(found->saving.ticks.lower > 199000 && found->saving.ticks.lower <= 200000);
    assert_true(found->saving.ticks.upper >= found->saving.ticks.lower &&
                found->saving.ticks.upper < 201000);
    found = find(&arena, &findings, one.inspection, same.inspection, "threads_gain_nothing");
    assert_non_null(found);
    assert_text(found->sentence,
                "more threads gain nothing: 800 us with one thread, 800 us with more");
    assert_int_equal(found->saving.basis, ETS_SAVING_NONE);
    ets_arena_reset(&arena);
    made_close(&one);
    made_close(&more);
    made_close(&same);
}

static void test_thread_findings__threads_that_gain_are_no_advice(void **state)
{
    (void)state;
    struct made one = make_turns(TURNS, 600000, 200000), more = make_turns(TURNS, 300000, 200000);
    struct made all = make_turns(TURNS, 300000, 100000), few = make_turns(2, 800000, 200000);
    struct ets_findings findings;
    struct ets_arena arena;
    ets_arena_init(&arena, NULL, 0);
    assert_null(find(&arena, &findings, one.inspection, more.inspection, "threads_gain_nothing"));
    const struct ets_finding *found =
        find(&arena, &findings, one.inspection, more.inspection, "operators_not_faster");
    assert_non_null(found);
    assert_text(found->sentence, "not faster with more threads: mul.out 40.0 % of their run");
    assert_false(ets_finding_is_advice(found));
    assert_null(find(&arena, &findings, one.inspection, all.inspection, "operators_not_faster"));
    /* too few turns, and no trace with one thread */
    assert_null(find(&arena, &findings, one.inspection, few.inspection, "threads_gain_nothing"));
    assert_null(find(&arena, &findings, NULL, more.inspection, "operators_not_faster"));
    ets_arena_reset(&arena);
    made_close(&one);
    made_close(&more);
    made_close(&all);
    made_close(&few);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_thread_findings__what_more_threads_cost_is_told),
        cmocka_unit_test(test_thread_findings__threads_that_gain_are_no_advice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
