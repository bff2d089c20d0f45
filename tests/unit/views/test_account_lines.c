/* The tree of times as lines: what stands where, which runs the numbers are over, what is chosen.
 */
#include "test_inspect_support.h"

#include <math.h>

#include "views/account_lines.h"

enum { RUNS = 20, ODD_RUN = 13, EVENTS = 6 };

/*
 * 20 runs of two kernels and a delegate call; the first run took longer, as did run 13. In each,
 *
 *     Method::execute 100 (run 0: 400, run 13: 300), of it
 *       OPERATOR_CALL 12, of it add 10
 *       OPERATOR_CALL 24, of it mul 20
 *       DELEGATE_CALL 40
 */
struct subject {
    struct made made;
    struct ets_arena arena;
};

static struct subject open_subject(void)
{
    static struct made_event events[RUNS][EVENTS];
    static struct made_run runs[RUNS];
    for (uint64_t r = 0; r < RUNS; r++) {
        const uint64_t at = 10000 * (r + 1);
        const uint64_t all = r == 0 ? 400 : r == ODD_RUN ? 300 : 100;
        const struct made_event of_run[EVENTS] = {
            CALL("native_call_add.out", 0, at + 1, at + 11),
            CALL("OPERATOR_CALL", 0, at, at + 12),
            CALL("native_call_mul.out", 1, at + 22, at + 42),
            CALL("OPERATOR_CALL", 1, at + 20, at + 44),
            CALL("DELEGATE_CALL", 2, at + 50, at + 90),
            FRAMEWORK("Method::execute", at, at + all),
        };
        memcpy(events[r], of_run, sizeof of_run);
        runs[r] = (struct made_run){"Execute", -1, events[r], EVENTS, 0};
    }
    struct subject s = {
        .made = inspect_runs(runs, RUNS, (struct ets_inspect_options){.tick_unit = ETS_UNIT_NS})};
    ets_arena_init(&s.arena, NULL, 0);
    return s;
}

static void close_subject(struct subject *s)
{
    ets_arena_reset(&s->arena);
    made_close(&s->made);
}

static const struct ets_account_options all = {.block = ETS_NO_INDEX, .run = ETS_NO_INDEX};

static struct ets_account_lines open_lines(struct subject *s, struct ets_account_options options)
{
    struct ets_account_lines lines;
    assert_int_equal(
        ets_account_lines_open(&s->arena, s->made.inspection, &options, 0, &lines, NULL), ETS_OK);
    return lines;
}

/* What the calls take beyond their kernels is one line, before what is left of the execution. */
static void test_account_lines__calls_of_kernels_are_one_line(void **state)
{
    (void)state;
    static const struct {
        const char *row; /* NULL: the calls */
        uint32_t depth;
        int64_t ticks, self; /* of the last run */
    } expected[] = {
        {"Method::execute", 0, 100, 24},
        {"native_call_add.out", 1, 10, 10},
        {"native_call_mul.out", 1, 20, 20},
        {"DELEGATE_CALL", 1, 40, 40},
        {NULL, 1, 6, 6},
        {"Method::execute", 1, 24, 24},
    };
    struct subject s = open_subject();
    struct ets_account_options last = all;
    last.run = RUNS - 1;
    struct ets_account_lines lines = open_lines(&s, last);
    assert_int_equal(lines.count, COUNT(expected));
    assert_int_equal(lines.range_first, RUNS - 1);
    assert_int_equal(lines.range_count, 1);
    int64_t sum = 0;
    for (uint32_t i = 0; i < lines.count; i++) {
        const struct ets_account_line *line = &lines.items[i];
        assert_int_equal(line->depth, expected[i].depth);
        assert_true(line->inclusive.total == expected[i].ticks);
        assert_true(line->self.total == expected[i].self);
        assert_true(line->root == 100);
        assert_int_equal(line->node == NULL, expected[i].row == NULL);
        if (expected[i].row != NULL) assert_text(line->row->name, expected[i].row);
        if (i > 0) sum += line->self.total;
    }
    assert_true(sum == 100); /* to the tick */
    ets_account_lines_close(&lines);
    struct ets_account_options every_event = all;
    every_event.all_events = 1;
    lines = open_lines(&s, every_event);
    assert_int_equal(lines.count, 9); /* both calls and the rest of each, but no line for all */
    ets_account_lines_close(&lines);
    close_subject(&s);
}

static void test_account_lines__steady_runs_and_outliers_are_known(void **state)
{
    (void)state;
    struct subject s = open_subject();
    struct ets_account_options steady = all;
    struct ets_account_lines lines = open_lines(&s, all);
    assert_int_equal(lines.run_count, RUNS);
    assert_int_equal(lines.range_count, RUNS);
    assert_true(lines.whole[0] == 400 && lines.whole[1] == 100);
    assert_int_equal(lines.phases.warm_up, 1);
    assert_int_equal(lines.phases.outliers, 1);
    assert_int_equal(lines.outliers[0], ODD_RUN);
    for (uint32_t i = 0; i < lines.count; i++) assert_int_equal(lines.items[i].is_whole, i == 0);
    assert_int_equal(lines.items[0].inclusive.total, 18 * 100 + 400 + 300);
    ets_account_lines_close(&lines);
    steady.steady = 1;
    lines = open_lines(&s, steady);
    assert_int_equal(lines.range_first, 1);
    assert_int_equal(lines.range_count, RUNS - 1);
    assert_int_equal(lines.items[0].inclusive.total, 18 * 100 + 300);
    ets_account_lines_close(&lines);
    close_subject(&s);
}

/* Names of lines that are left: a letter each, in order. */
static void assert_chosen(struct subject *s, struct ets_account_options options,
                          const char *expected)
{
    static const char letters[] = "xamdcr"; /* execute, add, mul, delegate, calls, rest */
    char chosen[sizeof letters] = "";
    size_t count = 0;
    struct ets_account_lines lines = open_lines(s, options);
    const bool *is_kept = ets_account_lines_choose(&s->arena, s->made.inspection, &options, &lines);
    assert_non_null(is_kept);
    assert_int_equal(lines.count, sizeof letters - 1);
    for (uint32_t i = 0; i < lines.count; i++) {
        if (is_kept[i]) chosen[count++] = letters[i];
    }
    chosen[count] = '\0';
    assert_string_equal(chosen, expected);
    ets_account_lines_close(&lines);
}

static void test_account_lines__what_is_chosen_keeps_what_it_lies_in(void **state)
{
    (void)state;
    struct subject s = open_subject();
    struct ets_account_options options = all;
    assert_chosen(&s, options, "xamdcr");
    options.top = 1;
    assert_chosen(&s, options, "xd");
    options.top = 3;
    assert_chosen(&s, options, "xmdr");
    options = all;
    options.filter.name = "m*";
    assert_chosen(&s, options, "xm");
    options.filter.name = "Method::*"; /* with all that lies in it */
    assert_chosen(&s, options, "xamdcr");
    options.filter.name = "nothing";
    assert_chosen(&s, options, "");
    close_subject(&s);
}

static void test_account_lines__every_piece_of_memory_may_be_missing(void **state)
{
    (void)state;
    struct subject s = open_subject();
    struct ets_account_options options = all;
    options.steady = 1;
    options.top = 2;
    bool ok = false;
    for (size_t limit = 1; !ok; limit += 8) {
        struct ets_arena arena;
        struct ets_account_lines lines;
        struct ets_error error = {.status = ETS_OK};
        ets_arena_init(&arena, NULL, limit);
        const enum ets_status status =
            ets_account_lines_open(&arena, s.made.inspection, &options, 0, &lines, &error);
        assert_int_equal(status, error.status);
        assert_true(status == ETS_OK || status == ETS_NO_MEMORY);
        ok = status == ETS_OK &&
             ets_account_lines_choose(&arena, s.made.inspection, &options, &lines) != NULL;
        ets_account_lines_close(&lines);
        ets_arena_reset(&arena);
        assert_true(limit < 100000);
    }
    close_subject(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_account_lines__calls_of_kernels_are_one_line),
        cmocka_unit_test(test_account_lines__steady_runs_and_outliers_are_known),
        cmocka_unit_test(test_account_lines__what_is_chosen_keeps_what_it_lies_in),
        cmocka_unit_test(test_account_lines__every_piece_of_memory_may_be_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
