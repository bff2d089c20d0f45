/* Numbers of threads, compared turn by turn: verdicts of known turns, turns of made traces. */
#include "test_inspect_support.h"

#include "test_faults_support.h"

#include <math.h>

#include "views/thread_scaling.h"

enum { TURNS = 6 };

/* Turns that take `ns`, and in turn t `drift` times t more. */
static struct ets_thread_turns turns_of(uint32_t threads, double ns, double drift)
{
    struct ets_thread_turns turns = {.threads = threads, .count = TURNS, .runs = 30};
    for (int i = 0; i < TURNS; i++) turns.medians[i] = ns * (1 + drift * i);
    return turns;
}

static const char *headline_of(struct ets_arena *arena, const struct ets_thread_turns *turns,
                               uint32_t count, struct ets_thread_line *lines)
{
    struct ets_text sentence;
    ets_thread_scaling(turns, count, lines);
    assert_true(ets_thread_headline(arena, lines, count, &sentence));
    return sentence.data;
}

static void test_thread_scaling__each_number_is_compared_with_the_best_before(void **state)
{
    (void)state;
    const struct ets_thread_turns turns[] = {turns_of(1, 1600e3, 0), turns_of(2, 1000e3, 0),
                                             turns_of(4, 990e3, 0), turns_of(8, 1250e3, 0)};
    struct ets_thread_line lines[4];
    struct ets_arena arena;
    ets_arena_init(&arena, NULL, 0);
    assert_string_equal(headline_of(&arena, turns, 4, lines),
                        "2 threads are 1.60 times as fast as 1 (1.60 ms -> 1 ms); 4 gain nothing "
                        "more than 2; 8 take 1.25 times as long as 2");
    assert_int_equal(ets_thread_best(lines, 4), 1);
    assert_true(lines[1].speedup.low == 1.6 && lines[1].speedup.high == 1.6);
    assert_true(fabs(lines[1].efficiency - 0.8) < 1e-12 && lines[0].efficiency == 1);
    assert_true(fabs(lines[2].speedup.median - 1600.0 / 990) < 1e-12);
    assert_int_equal(lines[2].over, 2);
    assert_null(ets_thread_gain_name(lines[0].gain));
    assert_string_equal(ets_thread_gain_name(lines[3].gain), "slower");
    ets_arena_reset(&arena);
}

/* Times grow by half from the first turn to the last: all numbers alike. */
static void test_thread_scaling__drift_that_hits_all_alike_changes_no_verdict(void **state)
{
    (void)state;
    const struct ets_thread_turns turns[] = {turns_of(1, 1000e3, 0.1), turns_of(2, 700e3, 0.1),
                                             turns_of(4, 700e3, 0.1)};
    struct ets_thread_line lines[3];
    ets_thread_scaling(turns, 3, lines);
    assert_int_equal(lines[1].gain, ETS_THREADS_FASTER);
    assert_true(lines[1].speedup.high - lines[1].speedup.low < 1e-9);
    assert_int_equal(lines[2].gain, ETS_THREADS_NOTHING);
    assert_true(lines[1].time.high > 1.4 * lines[1].time.low);
}

static void test_thread_scaling__what_the_turns_cannot_tell_is_unclear(void **state)
{
    (void)state;
    struct ets_thread_turns turns[] = {turns_of(1, 1000e3, 0), turns_of(2, 800e3, 0)};
    struct ets_thread_line lines[2];
    struct ets_arena arena;
    ets_arena_init(&arena, NULL, 0);
    turns[1].medians[3] = 1100e3; /* one slow turn of six is inside of the interval */
    assert_string_equal(headline_of(&arena, turns, 2, lines),
                        "2 threads may be 0.91 to 1.25 times as fast as 1: more runs would tell");
    assert_int_equal(ets_thread_best(lines, 2), 0);
    turns[1] = turns_of(2, 800e3, 0);
    turns[1].count = 5; /* interrupted: the sixth turn of the other number does not count */
    assert_string_equal(headline_of(&arena, turns, 2, lines),
                        "2 threads were not measured often enough to say");
    assert_int_equal(lines[0].turns, 5);
    assert_true(isnan(lines[1].speedup.low) && lines[1].speedup.median == 1.25);
    turns[0].count = turns[1].count = 6;
    turns[1] = turns_of(2, 1020e3, 0);
    assert_string_equal(headline_of(&arena, turns, 2, lines), "2 threads gain nothing over 1");
    ets_arena_reset(&arena);
}

/* A load and three runs, and again: `add` is what each of two operators takes. */
static struct made make_trace(uint64_t add, uint64_t mul)
{
    enum { LOADED = 4, RUNS = 2 * LOADED };
    static struct made_event events[RUNS][3];
    struct made_run runs[RUNS];
    for (int r = 0; r < RUNS; r++) {
        const uint64_t start = 1000000 * (uint64_t)(r + 1);
        if (r % LOADED == 0) {
            events[r][0] = (struct made_event)FRAMEWORK("Program::load_method", start, start + 50);
            runs[r] = (struct made_run){"Default", -1, events[r], 1, 0};
            continue;
        }
        const uint64_t middle = start + add + (uint64_t)r, end = middle + mul;
        events[r][0] = (struct made_event)CALL("native_call_add.out", 0, start, middle);
        events[r][1] = (struct made_event)CALL("native_call_mul.out", 1, middle, end);
        events[r][2] = (struct made_event)FRAMEWORK("Method::execute", start, end);
        runs[r] = (struct made_run){"Execute", -1, events[r], 3, 0};
    }
    return inspect_runs(runs, RUNS, (struct ets_inspect_options){0});
}

static void test_thread_scaling__loads_begin_turns(void **state)
{
    (void)state;
    struct made made = make_trace(1000, 500);
    struct ets_thread_turns turns;
    struct ets_arena arena;
    ets_arena_init(&arena, NULL, 0);
    assert_true(ets_thread_turns_find(&arena, made.inspection, 2, &turns));
    assert_int_equal(turns.threads, 2);
    assert_int_equal(turns.count, 2);
    assert_int_equal(turns.runs, 6);
    assert_true(turns.medians[0] == 1502 && turns.medians[1] == 1506);
    ets_arena_reset(&arena);
    made_close(&made);
}

static void test_thread_scaling__operators_that_gain_nothing_are_named(void **state)
{
    (void)state;
    struct made few = make_trace(100000, 50000), more = make_trace(40000, 50000);
    struct ets_text sentence;
    struct ets_arena arena;
    ets_arena_init(&arena, NULL, 0);
    assert_int_equal(
        ets_thread_operators(&arena, few.inspection, more.inspection, 2, &sentence, NULL), ETS_OK);
    assert_string_equal(sentence.data, "not faster with 2 threads: mul.out 55.6 % of their run");
    assert_int_equal(
        ets_thread_operators(&arena, few.inspection, few.inspection, 2, &sentence, NULL), ETS_OK);
    assert_string_equal(sentence.data,
                        "not faster with 2 threads: add.out 66.7 %, mul.out 33.3 % of their run");
    ets_arena_reset(&arena);
    made_close(&few);
    made_close(&more);
}

/* Everything, with an arena whose allocations fail from some number on. */
static bool say_all(struct ets_arena *arena, const struct made *few, const struct made *more)
{
    struct ets_thread_turns turns[2];
    struct ets_thread_line lines[2];
    struct ets_text sentence;
    if (!ets_thread_turns_find(arena, few->inspection, 1, &turns[0]) ||
        !ets_thread_turns_find(arena, more->inspection, 2, &turns[1])) {
        return false;
    }
    ets_thread_scaling(turns, 2, lines);
    return ets_thread_headline(arena, lines, 2, &sentence) &&
           ets_thread_operators(arena, few->inspection, more->inspection, 0, &sentence, NULL) ==
               ETS_OK;
}

static void test_thread_scaling__every_allocation_may_fail(void **state)
{
    (void)state;
    struct made few = make_trace(100000, 50000), more = make_trace(40000, 50000);
    bool is_made = false;
    for (unsigned long n = 0; !is_made; n++) {
        struct failing failing = {.fail_at = n};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        struct ets_arena arena;
        ets_arena_init(&arena, &allocator, 0);
        is_made = say_all(&arena, &few, &more);
        ets_arena_reset(&arena);
        assert_int_equal(failing.live, 0);
        assert_true(n < 1000);
    }
    made_close(&few);
    made_close(&more);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_thread_scaling__each_number_is_compared_with_the_best_before),
        cmocka_unit_test(test_thread_scaling__drift_that_hits_all_alike_changes_no_verdict),
        cmocka_unit_test(test_thread_scaling__what_the_turns_cannot_tell_is_unclear),
        cmocka_unit_test(test_thread_scaling__loads_begin_turns),
        cmocka_unit_test(test_thread_scaling__operators_that_gain_nothing_are_named),
        cmocka_unit_test(test_thread_scaling__every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
