/* The longest common sequence of two lists. */
#include "host/common_sequence.h"

#include "test_faults_support.h"

static void expect(const char *before, const char *after, const char *partners)
{
    uint32_t items[2][64], partner[64];
    const char *texts[2] = {before, after};
    struct ets_sequence lists[2];
    struct ets_arena arena;
    for (int s = 0; s < 2; s++) {
        lists[s] = (struct ets_sequence){items[s], (uint32_t)strlen(texts[s])};
        for (uint32_t i = 0; i < lists[s].count; i++) items[s][i] = (uint32_t)texts[s][i];
    }
    ets_arena_init(&arena, NULL, 0);
    assert_true(ets_common_sequence(&arena, &lists[0], &lists[1], partner));
    for (uint32_t i = 0; i < lists[0].count; i++) {
        const uint32_t wanted = partners[i] == '-' ? UINT32_MAX : (uint32_t)(partners[i] - '0');
        assert_int_equal(partner[i], wanted);
    }
    ets_arena_reset(&arena);
}

static void test_common_sequence__pairs_what_is_in_order(void **state)
{
    (void)state;
    expect("", "abc", "");
    expect("abc", "", "---");
    expect("abc", "abc", "012");
    expect("abc", "axbxc", "024");
    expect("axbxc", "abc", "0-1-2");
    expect("aab", "aaab", "013");
}

static void test_common_sequence__pairs_singles_that_moved(void **state)
{
    (void)state;
    expect("abc", "bca", "201");
    expect("abb", "bba", "201");
}

/* Thousands of few kinds with a few edits: all that was not edited finds its partner. */
static void test_common_sequence__finds_few_edits_in_long_lists(void **state)
{
    enum { LENGTH = 5000 };
    static uint32_t before[LENGTH], after[LENGTH], partner[LENGTH];
    (void)state;
    uint32_t removed = 0, count = 0, kept = 0;
    for (uint32_t i = 0; i < LENGTH; i++) before[i] = (i * 7 + i / 13) % 11;
    for (uint32_t i = 0; i < LENGTH; i++) {
        if (i == 3 || i == 2500 || i == 4990) removed++;
        else after[count++] = i == 1000 ? 99 : before[i];
    }
    struct ets_arena arena;
    const struct ets_sequence lists[2] = {{before, LENGTH}, {after, count}};
    ets_arena_init(&arena, NULL, 0);
    assert_true(ets_common_sequence(&arena, &lists[0], &lists[1], partner));
    uint32_t last = 0;
    for (uint32_t i = 0; i < LENGTH; i++) {
        if (partner[i] == UINT32_MAX) continue;
        assert_int_equal(before[i], after[partner[i]]);
        assert_true(kept == 0 || partner[i] > last);
        last = partner[i];
        kept++;
    }
    assert_int_equal(kept, LENGTH - removed - 1);
    ets_arena_reset(&arena);
}

/* Thousands without anything in common, and in opposite order. */
static void test_common_sequence__ends_where_nothing_is_in_order(void **state)
{
    enum { LENGTH = 6000 };
    static uint32_t before[LENGTH], after[LENGTH], partner[LENGTH];
    (void)state;
    for (uint32_t i = 0; i < LENGTH; i++) {
        before[i] = i;
        after[i] = LENGTH - 1 - i;
    }
    struct ets_arena arena;
    const struct ets_sequence lists[2] = {{before, LENGTH}, {after, LENGTH}};
    ets_arena_init(&arena, NULL, 0);
    assert_true(ets_common_sequence(&arena, &lists[0], &lists[1], partner));
    for (uint32_t i = 0; i < LENGTH; i++) assert_int_equal(partner[i], LENGTH - 1 - i);
    for (uint32_t i = 0; i < LENGTH; i++) after[i] = LENGTH + i;
    assert_true(ets_common_sequence(&arena, &lists[0], &lists[1], partner));
    for (uint32_t i = 0; i < LENGTH; i++) assert_int_equal(partner[i], UINT32_MAX);
    ets_arena_reset(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_common_sequence__pairs_what_is_in_order),
        cmocka_unit_test(test_common_sequence__pairs_singles_that_moved),
        cmocka_unit_test(test_common_sequence__finds_few_edits_in_long_lists),
        cmocka_unit_test(test_common_sequence__ends_where_nothing_is_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
