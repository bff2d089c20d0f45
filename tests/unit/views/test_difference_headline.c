/* The sentence of a difference: verdicts, never more than the test decides. */
#include "test_compare_support.h"

#include "views/difference_headline.h"

static const struct made_operator base[] = {{"native_call_add.out", 1000, 0},
                                            {"native_call_mul.out", 500, 0}};
static const struct made_operator slower[] = {{"native_call_add.out", 1000, 0},
                                              {"native_call_mul.out", 900, 0}};

static void assert_headline(uint32_t runs, const struct made_operator *before,
                            const struct made_operator *after, const char *expected)
{
    struct made a = inspect_program(before, 2, runs), b = inspect_program(after, 2, runs);
    struct compared compared;
    struct ets_arena arena;
    struct ets_sentences headline;
    compare(a.inspection, b.inspection, &compared);
    ets_arena_init(&arena, NULL, 0);
    assert_true(ets_difference_headline(&arena, compared.difference, NULL, &headline));
    assert_int_equal(headline.count, 1);
    assert_text(headline.items[0], expected);
    ets_arena_reset(&arena);
    compared_close(&compared);
    made_close(&a);
    made_close(&b);
}

/* Begins with `expected`, of that many recordings a side. */
static void assert_recorded(uint32_t recordings, const struct made_operator *before,
                            const struct made_operator *after, const char *expected)
{
    struct recorded recorded;
    struct ets_arena arena;
    struct ets_sentences headline;
    compare_recordings((const struct made_operator *const[]){before, after},
                       (const uint32_t[]){2, 2}, 12, recordings, 2, &recorded);
    ets_arena_init(&arena, NULL, 0);
    assert_true(ets_difference_headline(&arena, recorded.compared.difference, NULL, &headline));
    if (strncmp(headline.items[0].data, expected, strlen(expected)) != 0) {
        fail_msg("%.*s", ETS_TEXT(headline.items[0]));
    }
    ets_arena_reset(&arena);
    recorded_close(&recorded);
}

static void test_difference_headline__verdicts(void **state)
{
    (void)state;
    assert_recorded(5, base, slower,
                    "Execute: 26.5 % slower (1.51 us -> 1.91 us): mostly mul.out (+0.40 us)");
    assert_recorded(5, slower, base,
                    "Execute: 20.9 % faster (1.91 us -> 1.51 us): mostly mul.out (-0.40 us)");
    assert_recorded(2, base, slower,
                    "Execute: undecided (1.51 us -> 1.91 us); 2 and 2 recordings cannot decide: "
                    "about 2 more of each side would");
    assert_headline(
        12, base, base,
        "identical: both sides are the same recording; every run of every operator is equal");
}

static void test_difference_headline__one_recording_a_side_is_no_verdict(void **state)
{
    (void)state;
    assert_headline(12, base, slower,
                    "Execute: the recordings differ by 26.5 % (1.51 us -> 1.91 us): mostly mul.out "
                    "(+0.40 us); one recording a side cannot tell the program from the day: 5 of "
                    "each would");
    assert_headline(2, base, slower,
                    "Execute: undecided (1.51 us -> 1.91 us); one recording a side cannot tell the "
                    "program from the day: 5 of each would");
}

static void test_difference_headline__without_memory_there_is_none(void **state)
{
    (void)state;
    struct made a = inspect_program(base, 2, 12), b = inspect_program(slower, 2, 12);
    struct compared compared;
    bool is_made = false;
    compare(a.inspection, b.inspection, &compared);
    for (unsigned long n = 0; !is_made; n++) {
        struct failing failing = {.fail_at = n};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        struct ets_arena arena;
        struct ets_sentences headline;
        ets_arena_init(&arena, &allocator, 0);
        is_made = ets_difference_headline(&arena, compared.difference, NULL, &headline);
        ets_arena_reset(&arena);
        assert_int_equal(failing.live, 0);
        assert_true(n < 20);
    }
    compared_close(&compared);
    made_close(&a);
    made_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_difference_headline__verdicts),
        cmocka_unit_test(test_difference_headline__one_recording_a_side_is_no_verdict),
        cmocka_unit_test(test_difference_headline__without_memory_there_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
