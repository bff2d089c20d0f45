/* Filters: what matches is recorded, and nothing else of the kinds that they choose from. */
#include "test_recorder_support.h"

/* The names of all events, in order, with '-' for none. */
static void assert_names(struct bed *bed, const char *wanted)
{
    char found[512] = "";
    bed_dump(bed);
    for (uint32_t run = 0; run < bed->dump.run_count; run++) {
        for (uint32_t i = 0; i < bed_run(bed, run).event_count; i++) {
            const struct ets_etdump_event event = bed_event(bed, run, i);
            const struct ets_text name = event.name.data != NULL ? event.name : event.delegate_name;
            const size_t used = strlen(found);
            snprintf(found + used, sizeof found - used, "%s%.*s", used == 0 ? "" : " ",
                     name.data == NULL ? 1 : (int)name.size, name.data == NULL ? "-" : name.data);
        }
    }
    assert_string_equal(found, wanted);
    assert_int_equal(bed_state(bed).dropped, 0);
}

static void record_names(struct bed *bed, const char *const *names, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) record_one(bed, names[i], i);
}

static void check_pattern(const char *pattern, const char *wanted)
{
    static const char *const names[] = {"conv", "conv2d", "a_conv", "con", "", "add.out", "c*v"};
    const struct ets_trace_filter filter = {.names = &pattern, .name_count = 1};
    struct bed bed;
    bed_open(&bed, 1 << 14);
    assert_int_equal(ets_trace_set_filters(&bed.trace, &filter, 1), ETS_OK);
    record_names(&bed, names, sizeof names / sizeof *names);
    assert_names(&bed, wanted);
    bed_close(&bed);
}

static void test_trace_filter__patterns_match_whole_names(void **state)
{
    (void)state;
    check_pattern("conv", "conv");
    check_pattern("conv*", "conv conv2d");
    check_pattern("*conv", "conv a_conv");
    check_pattern("*conv*", "conv conv2d a_conv");
    check_pattern("con?", "conv");
    check_pattern("?on*", "conv conv2d con");
    check_pattern("*.out", "add.out");
    check_pattern("c*v", "conv c*v");
    check_pattern("**o**n", "con");
    check_pattern("???", "con c*v");
    check_pattern("CONV", "");
    check_pattern("", "");
}

static void test_trace_filter__a_long_name_with_many_stars_ends(void **state)
{
    char name[4000];
    const char *pattern = "*a*a*a*a*a*a*a*a*a*a*a*a*b";
    const struct ets_trace_filter filter = {.names = &pattern, .name_count = 1};
    struct bed bed;
    (void)state;
    memset(name, 'a', sizeof name);
    name[sizeof name - 1] = '\0';
    bed_open(&bed, 1 << 16);
    assert_int_equal(ets_trace_set_filters(&bed.trace, &filter, 1), ETS_OK);
    record_one(&bed, name, 0);
    name[sizeof name - 2] = 'b';
    record_one(&bed, name, 0);
    bed_dump(&bed);
    assert_int_equal(count_events(&bed), 1);
    bed_close(&bed);
}

/* Instructions 0 to 9 of chains 0 and 1, each with an event, a delegate's, and a value of both. */
static void record_grid(struct bed *bed)
{
    for (int32_t chain = 0; chain < 2; chain++) {
        for (uint32_t i = 0; i < 10; i++) {
            const struct ets_trace_delegate part = {i % 2 == 0 ? "even" : NULL, (int32_t)i};
            ets_trace_set_instruction(&bed->thread, chain, i);
            ets_trace_end(&bed->thread, ets_trace_begin(&bed->thread, ETS_TRACE_OPERATORS, "op"));
            ets_trace_end_delegate(&bed->thread, ets_trace_begin_delegate(&bed->thread, part),
                                   (struct ets_bytes){NULL, 0});
            ets_trace_log_delegate(&bed->thread, part, 1, 2, (struct ets_bytes){NULL, 0});
            assert_int_equal(ets_trace_log_int(&bed->thread, NULL, 1, 0), ETS_OK);
            assert_int_equal(ets_trace_log_int(&bed->thread, &part, 2, 0), ETS_OK);
            assert_int_equal(ets_trace_log_bool(&bed->thread, NULL, 2, 1), ETS_OK);
        }
    }
    ets_trace_set_instruction(&bed->thread, -1, 0);
    ets_trace_end(&bed->thread,
                  ets_trace_begin(&bed->thread, ETS_TRACE_METHODS, "Method::execute"));
}

enum { GRID = 20 * 6 + 1 };

static uint32_t count_of_grid(const struct ets_trace_filter *filters, uint32_t count)
{
    struct bed bed;
    bed_open(&bed, 1 << 15);
    assert_int_equal(ets_trace_set_filters(&bed.trace, filters, count), ETS_OK);
    record_grid(&bed);
    assert_int_equal(bed_state(&bed).dropped, 0);
    bed_dump(&bed);
    struct ets_trace_facts summary;
    ets_trace_extra_facts(&bed.extra, &summary);
    assert_int_equal(summary.filtered != 0, count != 0);
    const uint32_t kept = count_events(&bed);
    bed_close(&bed);
    return kept;
}

static uint32_t count_with(struct ets_trace_filter filter)
{
    return count_of_grid(&filter, 1);
}

static void test_trace_filter__chooses_by_place_origin_and_identity(void **state)
{
    static const char *const even[] = {"even"}, *const none[] = {"xyz"};
    const uint32_t delegates = ETS_TRACE_DELEGATES;
    (void)state;
    assert_int_equal(count_of_grid(NULL, 0), GRID);
    assert_int_equal(count_with((struct ets_trace_filter){0}), GRID);
    assert_int_equal(count_with((struct ets_trace_filter){.instructions = {2, 5}}), 3 * 6 + 1);
    assert_int_equal(count_with((struct ets_trace_filter){.chain = 1, .instructions = {9, 99}}),
                     6 + 1);
    assert_int_equal(count_with((struct ets_trace_filter){.chain = 7, .instructions = {0, 99}}), 1);
    assert_int_equal(count_with((struct ets_trace_filter){.origin = ETS_TRACE_PARTS}), 60 + 1);
    assert_int_equal(count_with((struct ets_trace_filter){.origin = ETS_TRACE_INSTRUCTIONS}),
                     60 + 1);
    assert_int_equal(count_with((struct ets_trace_filter){.names = even, .name_count = 1}),
                     10 * 3 + 1);
    assert_int_equal(count_with((struct ets_trace_filter){.ids = {3, 6}}), 2 * 2 * 3 + 1);
    assert_int_equal(
        count_with((struct ets_trace_filter){.names = even, .name_count = 1, .ids = {3, 6}}),
        10 * 3 + 2 * 2 * 3 + 1);
    assert_int_equal(count_with((struct ets_trace_filter){
                         .names = even, .name_count = 1, .instructions = {0, 4}}),
                     2 * 3 + 1);
    assert_int_equal(
        count_with((struct ets_trace_filter){.what = delegates, .names = none, .name_count = 1}),
        GRID - 40);
    assert_int_equal(count_with((struct ets_trace_filter){
                         .what = ETS_TRACE_METHODS, .names = none, .name_count = 1}),
                     GRID - 1);
}

static void test_trace_filter__what_matches_any_filter_is_recorded(void **state)
{
    static const struct ets_trace_filter filters[] = {
        {.what = ETS_TRACE_OPERATORS, .instructions = {0, 1}},
        {.what = ETS_TRACE_OPERATORS, .chain = 1, .instructions = {4, 6}},
        {.what = ETS_TRACE_INTERMEDIATES, .instructions = {3, 4}}};
    (void)state;
    assert_int_equal(count_of_grid(filters, 3), 1 + 2 + 2 + 40 + 20 + 1);
}

static void test_trace_filter__they_stay_until_they_are_set_again(void **state)
{
    static const char *const names[] = {"b*"}, *const all[] = {"a", "b", "bc"};
    const struct ets_trace_filter filter = {.names = names, .name_count = 1};
    struct bed bed;
    (void)state;
    bed_open(&bed, 1 << 14);
    assert_int_equal(ets_trace_set_filters(&bed.trace, &filter, 1), ETS_OK);
    ets_trace_enable(&bed.trace, 0);
    record_names(&bed, all, 3);
    ets_trace_enable(&bed.trace, 0xff);
    record_names(&bed, all, 3);
    assert_int_equal(ets_trace_set_filters(&bed.trace, NULL, 0), ETS_OK);
    record_names(&bed, all, 3);
    assert_names(&bed, "b bc a b bc");
    assert_int_equal(ets_trace_set_filters(&bed.trace, &filter, 1), ETS_OK);
    ets_trace_finish(&bed.trace);
    assert_int_equal(ets_trace_reset(&bed.trace), ETS_OK);
    ets_trace_thread_init(&bed.thread, &bed.trace);
    record_names(&bed, all, 3);
    assert_names(&bed, "b bc");
    bed_close(&bed);
}

static void test_trace_filter__calls_after_the_end_count_whatever_matches(void **state)
{
    static const char *const names[] = {"b*"};
    const struct ets_trace_filter filter = {.names = names, .name_count = 1};
    struct bed bed;
    (void)state;
    bed_open(&bed, 4096);
    assert_int_equal(ets_trace_set_filters(&bed.trace, &filter, 1), ETS_OK);
    ets_trace_finish(&bed.trace);
    record_one(&bed, "a", 0);
    assert_int_equal(ets_trace_log_int(&bed.thread, NULL, 1, 0), ETS_INVALID_ARGUMENT);
    assert_int_equal(bed_state(&bed).dropped, 2);
    bed_close(&bed);
}

static void test_trace_filter__bad_filters_leave_the_old_ones(void **state)
{
    static const char *const names[] = {"b", NULL};
    const struct ets_trace_filter good = {.names = names, .name_count = 1};
    const struct ets_trace_filter bad[] = {{.what = ETS_TRACE_ALLOCATIONS},
                                           {.what = 1 << 10},
                                           {.ids = {5, 5}},
                                           {.instructions = {5, 4}},
                                           {.name_count = 1},
                                           {.names = names, .name_count = 2},
                                           {.origin = (enum ets_trace_origin)3},
                                           {.ids = {1, 0}}};
    struct bed bed;
    (void)state;
    bed_open(&bed, 4096);
    assert_int_equal(ets_trace_set_filters(&bed.trace, &good, 1), ETS_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(ets_trace_set_filters(&bed.trace, &bad[i], 1), ETS_INVALID_ARGUMENT);
    }
    assert_int_equal(ets_trace_set_filters(&bed.trace, NULL, 1), ETS_INVALID_ARGUMENT);
    record_one(&bed, "a", 0);
    record_one(&bed, "b", 0);
    assert_names(&bed, "b");
    bed_close(&bed);
}

static void test_trace_filter__callers_can_ask_before(void **state)
{
    const struct ets_trace_filter filter = {.what = ETS_TRACE_INTERMEDIATES, .ids = {3, 4}};
    const struct ets_trace_delegate three = {NULL, 3}, four = {NULL, 4};
    struct bed bed;
    (void)state;
    bed_open(&bed, 4096);
    assert_int_equal(ets_trace_set_filters(&bed.trace, &filter, 1), ETS_OK);
    assert_int_equal(ets_trace_wants_value(&bed.thread, &three, 0), 1);
    assert_int_equal(ets_trace_wants_value(&bed.thread, &four, 0), 0);
    assert_int_equal(ets_trace_wants_value(&bed.thread, NULL, 0), 0);
    assert_int_equal(ets_trace_wants_value(&bed.thread, NULL, 1), 1);
    ets_trace_enable(&bed.trace, ETS_TRACE_DEFAULT);
    assert_int_equal(ets_trace_wants_value(&bed.thread, &three, 0), 0);
    bed_close(&bed);
}

/* Runs without operators beside runs with some; `first` is of the load. */
static uint32_t kinds_left_out(uint32_t first, uint32_t second, uint32_t third)
{
    const uint32_t kinds[] = {first, second, third};
    const struct ets_trace_run execution = {.name = "Execute", .method = "forward"};
    struct ets_trace_facts facts;
    struct bed bed;
    bed_open(&bed, 4096);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        ets_trace_enable(&bed.trace, kinds[i]);
        ets_trace_begin_run(&bed.thread, &execution);
        record_one(&bed, "native_call_add.out", 0);
        ets_trace_end_run(&bed.thread);
    }
    bed_dump(&bed);
    ets_trace_extra_facts(&bed.extra, &facts);
    bed_close(&bed);
    return facts.filtered;
}

static void test_trace_filter__kinds_that_some_runs_lack_are_told(void **state)
{
    const uint32_t all = ETS_TRACE_DEFAULT, methods = ETS_TRACE_METHODS;
    const uint32_t operators = ETS_TRACE_OPERATORS | ETS_TRACE_DELEGATES;
    (void)state;
    assert_int_equal(kinds_left_out(all, all, all), 0);
    assert_int_equal(kinds_left_out(methods, methods, methods), 0);
    assert_int_equal(kinds_left_out(all, methods, all), operators);
    assert_int_equal(kinds_left_out(methods, methods, all), operators);
    assert_int_equal(kinds_left_out(0, all, all), 0); /* a warm-up that is not recorded */
    assert_int_equal(kinds_left_out(all, 0, all), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trace_filter__patterns_match_whole_names),
        cmocka_unit_test(test_trace_filter__a_long_name_with_many_stars_ends),
        cmocka_unit_test(test_trace_filter__chooses_by_place_origin_and_identity),
        cmocka_unit_test(test_trace_filter__what_matches_any_filter_is_recorded),
        cmocka_unit_test(test_trace_filter__they_stay_until_they_are_set_again),
        cmocka_unit_test(test_trace_filter__calls_after_the_end_count_whatever_matches),
        cmocka_unit_test(test_trace_filter__bad_filters_leave_the_old_ones),
        cmocka_unit_test(test_trace_filter__callers_can_ask_before),
        cmocka_unit_test(test_trace_filter__kinds_that_some_runs_lack_are_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
