/* A ring that wraps a million times, and clocks that jump back, stop, or have 32 bits. */
#include "test_recorder_support.h"

#include "etscope/inspect.h"

#ifdef ETS_EMULATED
enum { WRAPS = 10000 };
#else
enum { WRAPS = 1000000 };
#endif

enum { RING_BYTES = 512, RUNS = 50, EVENTS = 20 };

static void record(struct bed *bed, uint32_t number)
{
    ets_trace_set_instruction(&bed->thread, 0, number);
    ets_trace_end(&bed->thread, ets_trace_begin(&bed->thread, ETS_TRACE_OPERATORS, "x"));
}

/* How many events of a ring are left when so many were recorded; all are the latest ones. */
static uint32_t check_latest(struct bed *bed, uint64_t recorded)
{
    bed_dump(bed);
    const uint32_t kept = count_events(bed);
    assert_int_equal((uint32_t)(bed_state(bed).overwritten + kept), (uint32_t)recorded);
    assert_int_equal(bed_state(bed).dropped, 0);
    assert_int_equal(bed->dump.run_count, 1);
    for (uint32_t i = 0; i < kept; i++) {
        const struct ets_etdump_event event = bed_event(bed, 0, i);
        assert_int_equal(event.instruction, recorded - kept + i);
        assert_true(event.end_ticks - event.start_ticks == 10);
        if (i > 0) assert_true(event.start_ticks - bed_event(bed, 0, i - 1).start_ticks == 20);
    }
    return kept;
}

static void test_trace_long_runs__a_ring_wraps_a_million_times(void **state)
{
    (void)state;
    struct bed bed;
    uint64_t recorded = 0;
    bed_prepare(&bed, RING_BYTES);
    bed.config.mode = ETS_TRACE_RING;
    bed.config.clock_hz = 1000000000; /* ticks are nanoseconds, and stay exact */
    assert_int_equal(bed_start(&bed), ETS_OK);
    ets_trace_begin_run(&bed.thread, &(struct ets_trace_run){.name = "Execute"});
    while (bed_state(&bed).overwritten == 0) record(&bed, (uint32_t)recorded++);
    const uint64_t for_once = recorded; /* more would be overwritten sooner */
    assert_true(for_once > 5 && for_once < 30);
    for (uint32_t wrap = 1; wrap < WRAPS; wrap++) {
        for (uint64_t i = 0; i < for_once; i++) record(&bed, (uint32_t)recorded++);
        if (wrap % (WRAPS / 7) == 0) assert_true(check_latest(&bed, recorded) > 0);
    }
    assert_true(check_latest(&bed, recorded) > 0);
    bed_close(&bed);
}

/* A clock by its readings so far. */
struct odd_clock {
    uint64_t readings, now;
    uint64_t (*next)(struct odd_clock *clock);
};

static uint64_t read_odd(void *context)
{
    struct odd_clock *clock = context;
    clock->readings++;
    return clock->now = clock->next(clock);
}

static uint64_t jump_back(struct odd_clock *clock)
{
    return clock->readings % 13 == 0 ? clock->now - 5000 : clock->now + 100;
}

static uint64_t jump_to_start(struct odd_clock *clock)
{
    return clock->readings % 37 == 0 ? 0 : clock->now + 100;
}

static uint64_t stop(struct odd_clock *clock)
{
    return clock->readings < 40 ? clock->now + 100 : clock->now;
}

static uint64_t wrap_32_bits(struct odd_clock *clock)
{
    return (uint32_t)(clock->now + 0x10000001u);
}

static uint64_t wrap_64_bits(struct odd_clock *clock)
{
    return clock->now + (UINT64_C(1) << 58) + 1;
}

static uint64_t leap(struct odd_clock *clock)
{
    return clock->readings % 11 == 0 ? clock->now + (UINT64_C(1) << 62) : clock->now + 1;
}

static void record_runs(struct bed *bed)
{
    for (uint32_t r = 0; r < RUNS; r++) {
        ets_trace_begin_run(&bed->thread,
                            &(struct ets_trace_run){.name = "Execute", .method = "forward"});
        const struct ets_trace_span whole =
            ets_trace_begin(&bed->thread, ETS_TRACE_METHODS, "Method::execute");
        for (uint32_t i = 0; i < EVENTS; i++) record(bed, i);
        ets_trace_set_instruction(&bed->thread, -1, 0);
        ets_trace_end(&bed->thread, whole);
        ets_trace_end_run(&bed->thread);
    }
    ets_trace_finish(&bed->trace);
}

/* What readers make of it: nothing ends before it begins, and no statistic is less than nothing. */
static void inspect(const struct bed *bed, uint64_t most_ticks)
{
    struct ets_inspection *inspection;
    struct ets_error error;
    const struct ets_inspect_options options = {.record = NULL};
    uint32_t wrapped, backwards;
    assert_int_equal(ets_inspection_open((struct ets_bytes){bed->file, bed->file_bytes}, &options,
                                         &inspection, &error),
                     ETS_OK);
    ets_inspection_clock_faults(inspection, &wrapped, &backwards);
    assert_int_equal(wrapped + backwards, 0); /* the recorder told it already */
    assert_int_equal(ets_inspection_damage_total(inspection), 0);
    assert_int_equal(ets_inspection_run_count(inspection), RUNS);
    const uint32_t count = ets_inspection_events(inspection)->count;
    assert_int_equal(count, RUNS * (EVENTS + 1));
    for (uint32_t i = 0; i < count; i++) {
        assert_true(ets_inspection_ticks(inspection, i) <= most_ticks);
    }
    for (uint32_t i = 0; i < ets_inspection_row_count(inspection); i++) {
        struct ets_statistics times;
        assert_int_equal(ets_inspection_row_statistics(inspection, i, ETS_NO_INDEX, &times, NULL),
                         ETS_OK);
        assert_int_equal(times.count, RUNS);
        assert_true(times.min >= 0 && times.min <= times.p50 && times.p50 <= times.max);
    }
    ets_inspection_close(inspection);
}

/* `hz` 0: ticks are not told in nanoseconds. Returns how many events ended before they began. */
static uint32_t check_clock(uint64_t (*next)(struct odd_clock *clock), uint64_t hz,
                            uint64_t most_ticks)
{
    struct bed bed;
    struct odd_clock clock = {0, UINT64_C(1) << 31, next};
    bed_prepare(&bed, 1 << 17);
    bed.config.clock = read_odd;
    bed.config.clock_context = &clock;
    bed.config.clock_hz = hz;
    assert_int_equal(bed_start(&bed), ETS_OK);
    record_runs(&bed);
    const struct ets_trace_state counts = bed_state(&bed);
    assert_int_equal(counts.dropped + counts.overwritten + counts.stale, 0);
    bed_dump(&bed);
    assert_int_equal(bed.dump.run_count, RUNS);
    inspect(&bed, most_ticks);
    bed_close(&bed);
    return counts.backwards;
}

static void test_trace_long_runs__a_clock_that_jumps_back_makes_no_long_events(void **state)
{
    (void)state;
    for (uint64_t hz = 0; hz < 2; hz++) {
        assert_in_range(check_clock(jump_back, 1000000000 * hz, 10000), 50, RUNS * (EVENTS + 1));
        assert_in_range(check_clock(jump_to_start, 1000000000 * hz, 10000), 10, RUNS * EVENTS);
    }
}

static void test_trace_long_runs__a_clock_that_stops_is_zero(void **state)
{
    (void)state;
    assert_int_equal(check_clock(stop, 0, 100 * 2 * EVENTS + 200), 0);
    assert_int_equal(check_clock(stop, 1000000, 1000 * (100 * 2 * EVENTS + 200)), 0);
}

static void test_trace_long_runs__a_clock_of_32_bits_is_counted_where_it_wraps(void **state)
{
    (void)state;
    assert_in_range(check_clock(wrap_32_bits, 0, UINT32_MAX), 20, RUNS * (EVENTS + 1));
    assert_in_range(check_clock(wrap_32_bits, 1000000000, UINT32_MAX), 20, RUNS * (EVENTS + 1));
}

static void test_trace_long_runs__a_clock_beyond_64_bits_is_survived(void **state)
{
    (void)state;
    for (uint64_t hz = 0; hz < 2; hz++) {
        /* What lasts less than half of 2^64 is right; what lasts longer ran backwards. */
        assert_in_range(check_clock(wrap_64_bits, 1000000000 * hz, UINT64_MAX), 10, RUNS);
        assert_int_equal(check_clock(leap, 1000000000 * hz, UINT64_MAX), 0);
    }
    (void)check_clock(leap, 1, UINT64_MAX); /* a tick is a second: nanoseconds do not have room */
    (void)check_clock(leap, UINT64_MAX, UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trace_long_runs__a_ring_wraps_a_million_times),
        cmocka_unit_test(test_trace_long_runs__a_clock_that_jumps_back_makes_no_long_events),
        cmocka_unit_test(test_trace_long_runs__a_clock_that_stops_is_zero),
        cmocka_unit_test(test_trace_long_runs__a_clock_of_32_bits_is_counted_where_it_wraps),
        cmocka_unit_test(test_trace_long_runs__a_clock_beyond_64_bits_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
