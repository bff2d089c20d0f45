/* Times and shares in sentences: one unit, and no range without width. */
#include "test_inspect_support.h"

#include "views/sentence_numbers.h"
#include "views/tracing_words.h"

static void assert_share(double lower, double upper, const char *expected)
{
    char text[64];
    struct ets_text_builder line = {text, sizeof text, 0};
    ets_add_share(&line, (struct ets_span){lower, upper});
    assert_string_equal(text, expected);
}

static void test_sentence_numbers__a_range_that_rounds_to_one_number_is_one(void **state)
{
    (void)state;
    assert_share(0.1461, 0.1463, "14.6 %");
    assert_share(0.1461, 0.1493, "14.6..14.9 %");
    assert_share(0.146, 0.146, "14.6 %");
    assert_share(0.0001, 0.0511, "<5.2 %");
    assert_share(0.0001, 0.0001, "<0.1 %");
    assert_share(0.8120, 0.8132, "81.2..81.3 %");
    /* every pair of ends that are printed differs */
    for (int i = 500; i < 2000; i++) {
        char room[64] = "", lower[16], upper[16];
        struct ets_text_builder text = {room, sizeof room, 0};
        ets_add_share(&text, (struct ets_span){i * 0.0005, i * 0.0005 + 0.0002});
        const char *dots = strstr(room, "..");
        if (dots == NULL) continue;
        (void)snprintf(lower, sizeof lower, "%.*s", (int)(dots - room), room);
        (void)snprintf(upper, sizeof upper, "%.*s", (int)strcspn(dots + 2, " "), dots + 2);
        assert_string_not_equal(lower, upper);
    }
}

static void assert_tracing(double low, double high, const char *expected)
{
    char text[96];
    struct ets_text_builder line = {text, sizeof text, 0};
    const struct ets_tracing_cost cost = {.pairs = 9, .low = low, .high = high};
    ets_add_tracing_cost(&line, &cost);
    assert_string_equal(text, expected);
}

static void test_sentence_numbers__the_cost_of_tracing_is_one_number_where_it_reads_so(void **state)
{
    (void)state;
    assert_tracing(1710, 1730, "1.7 us per run (measured)");
    assert_tracing(1640, 1730, "1.6..1.7 us per run (measured)");
}

static void assert_times(double left, double right, double tick_ns, const char *expected)
{
    char text[64];
    struct ets_text_builder line = {text, sizeof text, 0};
    const double scale = ets_shared_time_scale(left, right, tick_ns);
    ets_add_time_in(&line, (struct ets_span){left, left}, tick_ns, scale);
    ets_add_text(&line, " -> ");
    ets_add_time_in(&line, (struct ets_span){right, right}, tick_ns, scale);
    assert_string_equal(text, expected);
}

static void test_sentence_numbers__two_times_have_the_unit_of_the_smaller(void **state)
{
    (void)state;
    assert_times(260e3, 15.2e6, 1, "260 us -> 15200 us");
    assert_times(15.2e6, 260e3, 1, "15200 us -> 260 us");
    assert_times(0, 15.2e6, 1, "0 ms -> 15.2 ms");
    assert_times(800, 1000, 1000, "800 us -> 1000 us");
    assert_times(800, 1000, 0, "800 cycles -> 1000 cycles");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sentence_numbers__a_range_that_rounds_to_one_number_is_one),
        cmocka_unit_test(
            test_sentence_numbers__the_cost_of_tracing_is_one_number_where_it_reads_so),
        cmocka_unit_test(test_sentence_numbers__two_times_have_the_unit_of_the_smaller),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
