/* The sentence of several traces. */
#include "test_compare_support.h"

#include "views/pool_headline.h"

static const struct made_operator base[] = {{"native_call_add.out", 1000, 0}};

static void test_pool_headline__time_and_how_files_differ(void **state)
{
    (void)state;
    struct made a = inspect_program(base, 1, 12);
    const struct ets_inspection *const both[] = {a.inspection, a.inspection};
    struct ets_pool *pool = open_pool(both, 2);
    bool is_made = false;
    for (unsigned long n = 0; !is_made; n++) {
        struct failing failing = {.fail_at = n};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        struct ets_arena arena;
        struct ets_sentences headline;
        ets_arena_init(&arena, &allocator, 0);
        is_made = ets_pool_headline(&arena, pool, &headline);
        if (is_made) {
            assert_int_equal(headline.count, 1);
            assert_text(headline.items[0],
                        "Execute: 1.01 us per run (median of 24 runs of 2 files, p10 to p90 "
                        "1.01 us); medians of the files 1.01 us");
        }
        ets_arena_reset(&arena);
        assert_int_equal(failing.live, 0);
        assert_true(n < 50);
    }
    ets_pool_close(pool);
    made_close(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pool_headline__time_and_how_files_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
