/* Times and shares in sentences. */
#include "test_inspect_support.h"

#include "views/sentence_numbers.h"

static void assert_share(double lower, double upper, const char *expected)
{
    char room[64] = "";
    struct ets_text_builder text = {room, sizeof room, 0};
    ets_add_share(&text, (struct ets_span){lower, upper});
    assert_string_equal(room, expected);
}

static void test_sentence_numbers__shares_that_read_the_same_are_no_range(void **state)
{
    (void)state;
    assert_share(0.816, 0.816, "81.6 %");
    assert_share(0.81612, 0.81638, "81.6 %");
    assert_share(0.8120, 0.8132, "81.2..81.3 %");
    assert_share(0, 0.02, "<2.0 %");
    assert_share(0.0001, 0.0001, "<0.1 %");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sentence_numbers__shares_that_read_the_same_are_no_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
