/* Bad use: each is a status or counted, and undefined is none of it. */
#include "test_recorder_support.h"

/* What comes after it still works: one event more. */
static void close_whole(struct bed *bed, uint32_t dropped, uint32_t events)
{
    record_one(bed, "fine", 1);
    assert_int_equal(bed_state(bed).dropped, dropped);
    bed_dump(bed);
    assert_int_equal(count_events(bed), events + 1);
    bed_close(bed);
}

static void test_trace_misuse__a_misaligned_buffer_is_aligned(void **state)
{
    static _Alignas(64) uint8_t area[4096 + 64], names[512 + 8];
    (void)state;
    for (size_t skip = 0; skip < 64; skip++) {
        struct bed bed;
        bed_prepare(&bed, 0);
        bed.config.buffer = area + skip;
        bed.config.buffer_bytes = 4096;
        bed.config.names = names + skip % 8;
        bed.config.names_bytes = 512;
        assert_int_equal(bed_start(&bed), ETS_OK);
        close_whole(&bed, 0, 0);
    }
}

static void test_trace_misuse__no_buffer_counts_everything(void **state)
{
    struct bed bed;
    const struct ets_trace_delegate part = {"part", 0};
    (void)state;
    bed_prepare(&bed, 0);
    bed.config.buffer = NULL;
    bed.config.buffer_bytes = 4096;
    bed.config.debug_buffer = NULL;
    bed.config.debug_buffer_bytes = 4096;
    assert_int_equal(bed_start(&bed), ETS_NO_SPACE);
    record_one(&bed, "op", 1);
    assert_int_equal(ets_trace_log_int(&bed.thread, &part, 1, 0), ETS_NO_SPACE);
    assert_int_equal(ets_trace_log_string(&bed.thread, &part, "x", 0), ETS_NO_SPACE);
    ets_trace_end_run(&bed.thread);
    ets_trace_thread_release(&bed.thread);
    assert_int_equal(ets_trace_flush(&bed.thread), ETS_OK);
    assert_int_equal(bed_state(&bed).dropped, 3);
    bed_close(&bed);
}

static void test_trace_misuse__an_end_twice_is_two_events(void **state)
{
    struct bed bed;
    (void)state;
    bed_open(&bed, 4096);
    const struct ets_trace_span span = ets_trace_begin(&bed.thread, ETS_TRACE_OPERATORS, "op");
    ets_trace_end(&bed.thread, span);
    ets_trace_end(&bed.thread, span);
    close_whole(&bed, 0, 2);
}

/* Opens spans of each form, resets, and ends them in the trace that came after. */
static void end_after_reset(struct bed *bed, unsigned resets, int has_names)
{
    const struct ets_trace_delegate part = {has_names ? "part" : NULL, 7};
    bed_open(bed, 4096);
    record_one(bed, "first", 1); /* so that the names' numbers differ */
    const struct ets_trace_span plain = ets_trace_begin(&bed->thread, ETS_TRACE_OPERATORS, "op");
    const struct ets_trace_span wide =
        ets_trace_begin_at(&bed->thread, ETS_TRACE_OPERATORS, "wide", 300, 1);
    const struct ets_trace_span delegate = ets_trace_begin_delegate(&bed->thread, part);
    for (unsigned i = 0; i < resets; i++) assert_int_equal(ets_trace_reset(&bed->trace), ETS_OK);
    ets_trace_thread_init(&bed->thread, &bed->trace);
    record_one(bed, "other", 1);
    ets_trace_end(&bed->thread, plain);
    ets_trace_end(&bed->thread, wide);
    ets_trace_end_delegate(&bed->thread, delegate, (struct ets_bytes){NULL, 0});
}

static void test_trace_misuse__an_end_after_a_reset_is_counted(void **state)
{
    struct ets_trace_facts facts;
    (void)state;
    for (unsigned i = 1; i < 600; i = i * 2 + i % 3) {
        struct bed bed;
        end_after_reset(&bed, i, i % 2);
        assert_int_equal(bed_state(&bed).stale, 3);
        bed_dump(&bed);
        assert_text(bed_event(&bed, 0, 0).name, "other");
        ets_trace_extra_facts(&bed.extra, &facts);
        assert_int_equal(facts.state.stale, 3);
        close_whole(&bed, 0, 1);
    }
}

static void test_trace_misuse__a_begin_without_an_end_is_nothing(void **state)
{
    struct bed bed;
    (void)state;
    bed_open(&bed, 4096);
    (void)ets_trace_begin(&bed.thread, ETS_TRACE_OPERATORS, "op");
    (void)ets_trace_begin_delegate(&bed.thread, (struct ets_trace_delegate){"part", 0});
    close_whole(&bed, 0, 0);
}

static void test_trace_misuse__an_event_keeps_the_chain_of_its_begin(void **state)
{
    static const int32_t chains[] = {-1, 0, 253, 254, 255, 256, 300, 32767};
    struct bed bed;
    (void)state;
    bed_open(&bed, 1 << 14);
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
        const struct ets_trace_span span =
            ets_trace_begin_at(&bed.thread, ETS_TRACE_OPERATORS, "op", chains[i], UINT32_MAX - 1);
        ets_trace_set_instruction(&bed.thread, 99, 98);
        ets_trace_end(&bed.thread, span);
    }
    /* What has no room in a span counts. */
    ets_trace_end(&bed.thread,
                  ets_trace_begin_at(&bed.thread, ETS_TRACE_OPERATORS, "op", 32768, 0));
    ets_trace_end(&bed.thread,
                  ets_trace_begin_at(&bed.thread, ETS_TRACE_OPERATORS, "op", INT32_MIN, 0));
    ets_trace_set_instruction(&bed.thread, INT32_MAX, 0);
    ets_trace_log_int(&bed.thread, NULL, 1, 0);
    ets_trace_log_delegate(&bed.thread, (struct ets_trace_delegate){NULL, 1}, 1, 2,
                           (struct ets_bytes){NULL, 0});
    assert_int_equal(bed_state(&bed).dropped, 2);
    bed_dump(&bed);
    for (uint32_t i = 0; i < sizeof chains / sizeof *chains; i++) {
        assert_int_equal(bed_event(&bed, 0, i).chain, chains[i]);
        assert_text(bed_event(&bed, 0, i).name, "op");
    }
    assert_int_equal(bed_event(&bed, 0, 8).chain, INT32_MAX);
    assert_int_equal(bed_event(&bed, 0, 9).chain, INT32_MAX);
    bed_close(&bed);
}

/* Where such a record ends the buffer, too: there is no second slot to look into. */
static void test_trace_misuse__an_allocation_has_no_room_for_a_wide_chain(void **state)
{
    (void)state;
    for (size_t bytes = 512; bytes < 512 + 48; bytes += 8) {
        struct bed bed;
        bed_prepare(&bed, bytes);
        bed.config.chunk_count = 1;
        assert_int_equal(bed_start(&bed), ETS_OK);
        ets_trace_set_instruction(&bed.thread, 300, 7);
        while (bed_state(&bed).dropped == 0) ets_trace_log_allocation(&bed.thread, 1, 64);
        bed_dump(&bed);
        const uint32_t last = count_events(&bed) - 1;
        assert_true(last > 8);
        assert_int_equal(bed_event(&bed, 0, last).kind, ETS_EVENT_ALLOCATION);
        bed_close(&bed);
    }
}

static void test_trace_misuse__counts_stay_at_their_largest(void **state)
{
    struct bed bed;
    (void)state;
    bed_open(&bed, 4096);
    bed.trace.dropped = UINT32_MAX - 1;
    ets_trace_drop(&bed.trace, ETS_IO);
    ets_trace_drop(&bed.trace, ETS_IO);
    ets_trace_drop(&bed.trace, ETS_IO);
    assert_int_equal(bed_state(&bed).dropped, UINT32_MAX);
    bed_close(&bed);
}

static void test_trace_misuse__a_run_without_room_is_told(void **state)
{
    const struct ets_trace_run run = {.name = "Default"}; /* the name is there already */
    struct bed bed;
    (void)state;
    bed_prepare(&bed, 256);
    bed.config.chunk_count = 1;
    assert_int_equal(bed_start(&bed), ETS_OK);
    while ((size_t)(bed.thread.end - bed.thread.next) >= 72 || bed.thread.chunk == NULL) {
        record_one(&bed, NULL, 1);
    }
    assert_int_equal(bed_state(&bed).first_error, ETS_OK);
    ets_trace_begin_run(&bed.thread, &run);
    assert_int_equal(bed_state(&bed).first_error, ETS_NO_SPACE);
    bed_close(&bed);
}

static void test_trace_misuse__a_run_never_ended_is_ended_by_the_next(void **state)
{
    struct bed bed;
    const struct ets_trace_run run = {.name = NULL};
    (void)state;
    bed_open(&bed, 4096);
    ets_trace_end_run(&bed.thread); /* none was begun */
    assert_int_equal(bed_state(&bed).first_error, ETS_INVALID_ARGUMENT);
    ets_trace_begin_run(&bed.thread, &run);
    record_one(&bed, "op", 1);
    ets_trace_begin_run(&bed.thread, &run);
    ets_trace_end_run(&bed.thread);
    ets_trace_end_run(&bed.thread);
    record_one(&bed, "op", 1); /* ExecuTorch's outputs come after the end, too */
    close_whole(&bed, 0, 2);
}

static void test_trace_misuse__long_names_and_metadata(void **state)
{
    static char name[5000];
    static uint8_t metadata[4 << 20];
    struct bed bed;
    (void)state;
    memset(name, 'n', sizeof name - 1);
    bed_open(&bed, 1 << 16);
    record_one(&bed, name, 1);
    for (size_t bytes = 1; bytes <= sizeof metadata; bytes *= 2) {
        const struct ets_trace_span span =
            ets_trace_begin_delegate(&bed.thread, (struct ets_trace_delegate){NULL, 1});
        ets_trace_end_delegate(&bed.thread, span, (struct ets_bytes){metadata, bytes});
    }
    const uint32_t dropped = bed_state(&bed).dropped;
    assert_in_range(dropped, 1, 22);
    bed_dump(&bed);
    assert_int_equal(bed_event(&bed, 0, 0).name.size, 4096);
    close_whole(&bed, dropped, 1 + 23 - dropped);
}

static void test_trace_misuse__tensors_that_are_none(void **state)
{
    static uint8_t debug[64];
    static const struct ets_tensor no_bytes = {.data_bytes = 1}, rank = {.rank = 17};
    static const struct ets_tensor huge = {.data = debug, .data_bytes = SIZE_MAX};
    static struct ets_tensor many[5000];
    struct bed bed;
    (void)state;
    bed_prepare(&bed, 4096);
    bed.config.debug_buffer = debug;
    bed.config.debug_buffer_bytes = sizeof debug;
    assert_int_equal(bed_start(&bed), ETS_OK);
    assert_int_equal(ets_trace_log_tensor(&bed.thread, NULL, &no_bytes, 0), ETS_INVALID_ARGUMENT);
    assert_int_equal(ets_trace_log_tensor(&bed.thread, NULL, &rank, 0), ETS_INVALID_ARGUMENT);
    assert_int_equal(ets_trace_log_tensor(&bed.thread, NULL, &huge, 0), ETS_NO_SPACE);
    assert_int_equal(ets_trace_log_tensors(&bed.thread, NULL, many, 5000, 0), ETS_NO_SPACE);
    close_whole(&bed, 4, 0);
}

/* Offsets that no reader could follow. */
static enum ets_status write_far(void *context, const void *data, size_t size, uint64_t *offset_out)
{
    (void)context;
    (void)data;
    *offset_out = UINT64_MAX - size;
    return ETS_OK;
}

static void test_trace_misuse__a_sink_that_tells_nonsense(void **state)
{
    const struct ets_tensor tensor = {.data = "x", .data_bytes = 1};
    struct bed bed;
    (void)state;
    bed_open(&bed, 4096);
    ets_trace_set_data_sink(&bed.trace, (struct ets_trace_data_sink){NULL, write_far});
    assert_int_equal(ets_trace_log_tensor(&bed.thread, NULL, &tensor, 0), ETS_LIMIT);
    close_whole(&bed, 1, 0);
}

static void test_trace_misuse__allocations_of_nobody(void **state)
{
    struct bed bed;
    (void)state;
    bed_open(&bed, 4096);
    ets_trace_log_allocation(&bed.thread, 77, 1);
    ets_trace_log_allocation(&bed.thread, -1, 1);
    assert_int_equal(ets_trace_add_allocator(&bed.thread, NULL), 1);
    close_whole(&bed, 0, 2);
}

static void test_trace_misuse__names_that_go_are_copied(void **state)
{
    struct bed bed;
    char *name = malloc(16);
    (void)state;
    assert_non_null(name);
    strcpy(name, "temporary");
    bed_open(&bed, 4096);
    const struct ets_trace_span span = ets_trace_begin(&bed.thread, ETS_TRACE_OPERATORS, name);
    strcpy(name, "changed");
    free(name);
    ets_trace_end(&bed.thread, span);
    bed_dump(&bed);
    assert_text(bed_event(&bed, 0, 0).name, "temporary");
    close_whole(&bed, 0, 1);
}

static void test_trace_misuse__what_callers_drop_is_counted(void **state)
{
    struct bed bed;
    (void)state;
    bed_open(&bed, 4096);
    ets_trace_drop(&bed.trace, ETS_UNSUPPORTED);
    ets_trace_drop(&bed.trace, ETS_IO);
    assert_int_equal(bed_state(&bed).first_error, ETS_UNSUPPORTED);
    close_whole(&bed, 2, 0);
}

static void test_trace_misuse__null_stands_for_nothing(void **state)
{
    struct bed bed;
    const struct ets_trace_delegate part = {"part", 0};
    (void)state;
    bed_open(&bed, 4096);
    ets_trace_enable(&bed.trace, ETS_TRACE_DEFAULT | ETS_TRACE_INTERMEDIATES);
    ets_trace_begin_run(&bed.thread, NULL);
    ets_trace_end_delegate(&bed.thread, ets_trace_begin_delegate(&bed.thread, part),
                           (struct ets_bytes){NULL, 100});
    assert_int_equal(ets_trace_log_tensor(&bed.thread, NULL, NULL, 0), ETS_INVALID_ARGUMENT);
    assert_int_equal(ets_trace_log_tensors(&bed.thread, NULL, NULL, 2, 0), ETS_INVALID_ARGUMENT);
    close_whole(&bed, 3, 1); /* without a sink each tensor is a record of its own */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trace_misuse__a_misaligned_buffer_is_aligned),
        cmocka_unit_test(test_trace_misuse__no_buffer_counts_everything),
        cmocka_unit_test(test_trace_misuse__an_end_twice_is_two_events),
        cmocka_unit_test(test_trace_misuse__an_end_after_a_reset_is_counted),
        cmocka_unit_test(test_trace_misuse__a_begin_without_an_end_is_nothing),
        cmocka_unit_test(test_trace_misuse__an_event_keeps_the_chain_of_its_begin),
        cmocka_unit_test(test_trace_misuse__an_allocation_has_no_room_for_a_wide_chain),
        cmocka_unit_test(test_trace_misuse__counts_stay_at_their_largest),
        cmocka_unit_test(test_trace_misuse__a_run_without_room_is_told),
        cmocka_unit_test(test_trace_misuse__a_run_never_ended_is_ended_by_the_next),
        cmocka_unit_test(test_trace_misuse__long_names_and_metadata),
        cmocka_unit_test(test_trace_misuse__tensors_that_are_none),
        cmocka_unit_test(test_trace_misuse__a_sink_that_tells_nonsense),
        cmocka_unit_test(test_trace_misuse__allocations_of_nobody),
        cmocka_unit_test(test_trace_misuse__names_that_go_are_copied),
        cmocka_unit_test(test_trace_misuse__what_callers_drop_is_counted),
        cmocka_unit_test(test_trace_misuse__null_stands_for_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
