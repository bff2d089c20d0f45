/* The operators of several traces: their times over all files, their order, their choice. */
#include "test_compare_support.h"

#include <math.h>

#include "views/pool_lines.h"

/* In the first file of 5 runs and the second of 7; no jitter, so that medians are known. */
static const struct made_operator quick[] = {{"native_call_add.out", 100, 0},
                                             {"native_call_mul.out", 50, 0},
                                             {"native_call_sub.out", 200, 0}};
static const struct made_operator slow[] = {{"native_call_add.out", 110, 0},
                                            {"native_call_mul.out", 80, 0},
                                            {"native_call_sub.out", 260, 0}};

struct subject {
    struct made files[2];
    struct ets_pool *pool;
    const struct ets_pool_block *block;
    struct ets_arena arena;
};

static struct subject open_subject(void)
{
    struct subject s = {
        .files = {inspect_program(quick, COUNT(quick), 5), inspect_program(slow, COUNT(slow), 7)}};
    const struct ets_inspection *all[] = {s.files[0].inspection, s.files[1].inspection};
    s.pool = open_pool(all, COUNT(all));
    s.block = ets_pool_block(s.pool, 0);
    assert_int_equal(s.block->operator_count, 5); /* with the total and the rest */
    ets_arena_init(&s.arena, NULL, 0);
    return s;
}

static void close_subject(struct subject *s)
{
    ets_arena_reset(&s->arena);
    ets_pool_close(s->pool);
    made_close(&s->files[0]);
    made_close(&s->files[1]);
}

static struct ets_pool_lines collect(struct subject *s, struct ets_pool_line_options options)
{
    struct ets_pool_lines lines;
    assert_true(ets_pool_lines_collect(&s->arena, s->block, &options, &lines));
    return lines;
}

static void test_pool_lines__times_are_of_all_files(void **state)
{
    (void)state;
    struct subject s = open_subject();
    const struct ets_pool_lines lines =
        collect(&s, (struct ets_pool_line_options){.by_time = false});
    assert_int_equal(lines.count, 5);
    for (uint32_t i = 0; i < lines.count; i++) {
        const struct ets_pool_line *line = &lines.items[i];
        assert_int_equal(line->index, i);
        assert_ptr_equal(line->op, &s.block->operators[i]);
        assert_int_equal(line->times.count, 12);
    }
    const struct ets_pool_line *mul = &lines.items[2];
    assert_text(mul->op->name, "mul.out");
    assert_true(mul->file_min == 50 && mul->file_max == 80);
    assert_true(mul->times.p50 == 80 && mul->times.min == 50 && mul->times.max == 80);
    assert_true(mul->times.total == 5 * 50 + 7 * 80);
    assert_true(lines.whole == lines.items[s.block->total].middle);
    double parts = 0; /* means over the same runs add up */
    for (uint32_t i = 0; i < lines.count; i++) {
        if (i != s.block->total) parts += lines.items[i].middle;
    }
    assert_true(fabs(parts - lines.whole) < 1e-9 * lines.whole);
    close_subject(&s);
}

static void test_pool_lines__the_longest_come_first_behind_the_runtime(void **state)
{
    (void)state;
    static const char *const names[] = {"Method::execute", "sub.out", "add.out", "mul.out",
                                        "(between operators)"};
    struct subject s = open_subject();
    const struct ets_pool_lines all = collect(&s, (struct ets_pool_line_options){.by_time = true});
    assert_int_equal(all.count, COUNT(names));
    for (uint32_t i = 0; i < all.count; i++) assert_text(all.items[i].op->name, names[i]);
    assert_true(all.whole == all.items[0].middle);
    const struct ets_pool_lines two =
        collect(&s, (struct ets_pool_line_options){.by_time = true, .top = 2});
    assert_int_equal(two.count, 3); /* the runtime's line is not counted */
    const struct ets_pool_lines first = collect(&s, (struct ets_pool_line_options){.top = 1});
    assert_int_equal(first.count, 2);
    assert_text(first.items[1].op->name, "add.out");
    close_subject(&s);
}

static void test_pool_lines__every_piece_of_memory_may_be_missing(void **state)
{
    (void)state;
    struct subject s = open_subject();
    const struct ets_pool_line_options options = {.by_time = true};
    bool ok = false;
    for (size_t limit = 1; !ok; limit += 8) {
        struct ets_arena arena;
        struct ets_pool_lines lines;
        ets_arena_init(&arena, NULL, limit);
        ok = ets_pool_lines_collect(&arena, s.block, &options, &lines);
        if (ok) assert_int_equal(lines.count, 5);
        ets_arena_reset(&arena);
        assert_true(limit < 100000);
    }
    close_subject(&s);
}

enum { KINDS = 28, STEPS = 3, RUNS = KINDS * KINDS * KINDS };

/* Executions of three events of the runtime, each of an order of its own, so that each is a block.
 */
static void make_executions(struct made_event (*events)[STEPS + 1], struct made_run *runs)
{
    static char names[KINDS][2];
    for (uint32_t i = 0; i < KINDS; i++) names[i][0] = (char)('A' + i);
    for (uint32_t i = 0; i < RUNS; i++) {
        for (uint32_t k = 0, rest = i; k < STEPS; k++, rest /= KINDS) {
            events[i][k] = (struct made_event)FRAMEWORK(names[rest % KINDS], 10 * k, 10 * k + 5);
        }
        events[i][STEPS] = (struct made_event)FRAMEWORK("Method::execute", 0, 1000);
        runs[i] = (struct made_run){"Execute", -1, events[i], STEPS + 1, 0};
    }
}

/* So many that comparing each with each would take long. */
static void test_pool_lines__blocks_are_told_apart_by_their_operators(void **state)
{
    (void)state;
    struct made_event(*events)[STEPS + 1] = calloc(RUNS, sizeof *events);
    struct made_run *runs = calloc(RUNS, sizeof *runs);
    assert_true(events != NULL && runs != NULL);
    make_executions(events, runs);
    runs[RUNS - 2].name = "Other";
    events[RUNS - 1][0] = (struct made_event)CALL("native_call_add.out", 0, 10, 100);
    struct made made = inspect_runs(runs, RUNS, (struct ets_inspect_options){.method = NULL});
    const struct ets_inspection *all[] = {made.inspection};
    struct ets_pool *pool = open_pool(all, 1);
    struct ets_arena arena;
    struct ets_pool_kinds kinds;
    const uint32_t count = ets_pool_block_count(pool);
    assert_true(count > 20000);
    ets_arena_init(&arena, NULL, 0);
    assert_true(ets_pool_kinds_find(&arena, pool, &kinds));
    for (uint32_t i = 0; i < count - 2; i++) {
        assert_string_equal(ets_pool_block_kind(&kinds, i), " without operators");
    }
    assert_string_equal(ets_pool_block_kind(&kinds, count - 2), "");
    assert_string_equal(ets_pool_block_kind(&kinds, count - 1), " with operators");
    ets_arena_reset(&arena);
    ets_pool_close(pool);
    made_close(&made);
    free(runs);
    free(events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pool_lines__times_are_of_all_files),
        cmocka_unit_test(test_pool_lines__the_longest_come_first_behind_the_runtime),
        cmocka_unit_test(test_pool_lines__blocks_are_told_apart_by_their_operators),
        cmocka_unit_test(test_pool_lines__every_piece_of_memory_may_be_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
