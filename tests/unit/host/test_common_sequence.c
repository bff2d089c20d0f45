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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_common_sequence__pairs_what_is_in_order),
        cmocka_unit_test(test_common_sequence__pairs_singles_that_moved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
