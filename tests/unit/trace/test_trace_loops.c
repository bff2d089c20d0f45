/* One scenario with everything, over every buffer size and every write that fails. */
#include "test_faults_support.h"
#include "test_recorder_support.h"

#include <stdbool.h>

enum { RUNS = 3 };

static const float numbers[20] = {1, 2, 3, -4};

static struct ets_tensor vector(uint32_t count)
{
    return (struct ets_tensor){.scalar_type = ETS_SCALAR_FLOAT,
                               .rank = 1,
                               .sizes = {count},
                               .strides = {1},
                               .data = numbers,
                               .data_bytes = 4 * (size_t)count};
}

/* Of which filters keep instructions 0 to 3, and reducers take the outputs. */
static void choose(struct bed *bed)
{
    static const struct ets_trace_filter filters[] = {
        {.what = ETS_TRACE_OPERATORS, .instructions = {0, 4}}};
    static const struct ets_trace_reducer reducer = {.what = ETS_TRACE_OUTPUTS, .first_count = 3};
    assert_int_equal(ets_trace_set_filters(&bed->trace, filters, 1), ETS_OK);
    assert_int_equal(ets_trace_set_reducer(&bed->trace, &reducer), ETS_OK);
}

/* What was asked to be kept, and passed the filters. */
static uint32_t play(struct bed *bed)
{
    const struct ets_trace_delegate part = {"part", 0}, number = {NULL, 7};
    uint32_t wanted = 0;
    for (uint32_t run = 0; run < RUNS; run++) {
        const struct ets_tensor some[3] = {vector(1), vector(0), vector(9)}, one = vector(20);
        const struct ets_trace_run begun = {
            .name = "Execute", .method = "forward", .invocation = run};
        ets_trace_begin_run(&bed->thread, &begun);
        const int32_t allocator = ets_trace_add_allocator(&bed->thread, "planned");
        for (uint32_t i = 0; i < 8; i++) record_one(bed, i % 2 == 0 ? "op" : "other op", i);
        ets_trace_set_instruction(&bed->thread, 0, 2);
        ets_trace_end_delegate(&bed->thread, ets_trace_begin_delegate(&bed->thread, part),
                               (struct ets_bytes){(const uint8_t *)"metadata", 8});
        (void)ets_trace_log_tensor(&bed->thread, NULL, &one, 0);
        (void)ets_trace_log_tensors(&bed->thread, &number, some, 3, 0);
        (void)ets_trace_log_tensors(&bed->thread, NULL, some, 3, 1);
        (void)ets_trace_log_string(&bed->thread, NULL, "text", 1);
        (void)ets_trace_log_double(&bed->thread, &part, 0.5, 0);
        ets_trace_log_allocation(&bed->thread, allocator, 100);
        ets_trace_end_run(&bed->thread);
        /* 4 operators, a delegate's event, 1 tensor, 1 list, 3 summaries, and the last three. */
        wanted += 4 + 1 + 1 + 1 + 3 + 3;
    }
    return wanted;
}

/* Where nothing is dropped twice, kept and counted are all; a run and its allocator count, too. */
static void check_counts(const struct bed *bed, uint32_t kept, uint32_t wanted)
{
    const struct ets_trace_state counts = bed_state(bed);
    assert_true(kept + counts.dropped + counts.overwritten >= wanted);
    assert_true(kept + counts.dropped + counts.overwritten <= wanted + 2 * RUNS);
    assert_true(kept + counts.overwritten <= wanted);
    if (counts.dropped != 0) assert_int_not_equal(counts.first_error, ETS_OK);
}

static bool is_untouched(const uint8_t *from, const uint8_t *end)
{
    while (from < end && *from == 0x5a) from++;
    return from >= end;
}

static void check_size(enum ets_trace_mode mode, size_t size, size_t debug_bytes)
{
    enum { GUARD = 16, DEBUG = 2048 };
    static _Alignas(64) uint8_t area[4096 + 8 + 2 * GUARD], debug[DEBUG + 64];
    uint8_t *buffer = area + GUARD + size % 8;
    struct bed bed;
    bed_prepare(&bed, 0);
    memset(area, 0x5a, sizeof area);
    memset(debug, 0x5a, sizeof debug);
    bed.config.buffer = buffer;
    bed.config.buffer_bytes = size;
    bed.config.mode = mode;
    bed.config.debug_buffer = debug + size % 64;
    bed.config.debug_buffer_bytes = debug_bytes;
    const enum ets_status status = bed_start(&bed);
    assert_true(status == ETS_OK || status == ETS_NO_SPACE);
    choose(&bed);
    const uint32_t wanted = play(&bed);
    assert_true(is_untouched(area, buffer));
    assert_true(is_untouched(buffer + size, area + sizeof area));
    assert_true(is_untouched(debug, debug + size % 64));
    assert_true(is_untouched(debug + size % 64 + debug_bytes, debug + sizeof debug));
    bed_dump(&bed);
    check_counts(&bed, count_kept(&bed), wanted);
    if (size >= 4000) assert_true(count_kept(&bed) >= wanted / 3);
    bed_close(&bed);
}

static void test_trace_loops__every_buffer_size_keeps_or_counts(void **state)
{
    (void)state;
    for (size_t size = 0; size <= 4096; size += FAULT_STRIDE) {
        check_size(ETS_TRACE_STOP, size, 2048);
        check_size(ETS_TRACE_RING, size, 2048);
    }
    for (size_t debug_bytes = 0; debug_bytes <= 2048; debug_bytes += 3 * FAULT_STRIDE) {
        check_size(ETS_TRACE_STOP, 4001, debug_bytes);
        check_size(ETS_TRACE_RING, 3013, debug_bytes);
    }
}

/* Streams `wanted` into memory of `capacity` bytes; what it took is recovered and counted. */
static void check_stream(size_t size, size_t capacity, bool is_enough)
{
    static uint8_t tape[1 << 16];
    struct ets_trace_memory memory = {tape, capacity, 0};
    struct ets_stream_reader capture;
    struct bed bed, again;
    bed_prepare(&bed, size);
    bed.config.mode = ETS_TRACE_STREAM;
    bed.config.stream = ets_trace_memory_stream(&memory);
    (void)bed_start(&bed);
    choose(&bed);
    const uint32_t wanted = play(&bed) + 2 * RUNS; /* the list is three records without a sink */
    ets_trace_finish(&bed.trace);
    assert_true(memory.bytes <= capacity);
    (void)ets_stream_reader_init(&capture, (struct ets_bytes){tape, memory.bytes});
    memset(&again, 0, sizeof again);
    again.buffer = malloc(capture.memory_bytes + 1);
    assert_non_null(again.buffer);
    assert_int_equal(
        ets_trace_recover(&again.trace, &capture, again.buffer, capture.memory_bytes, NULL),
        ETS_OK);
    assert_int_equal(capture.refused_records, 0);
    bed_dump(&again);
    check_counts(&bed, count_kept(&again), wanted);
    if (is_enough) assert_int_equal(count_kept(&again), wanted);
    bed_close(&again);
    bed_close(&bed);
}

static void test_trace_loops__every_buffer_and_memory_of_a_stream(void **state)
{
    (void)state;
    for (size_t size = 0; size <= 4096; size += FAULT_STRIDE)
        check_stream(size, 1 << 16, size >= 3000);
    for (size_t capacity = 0; capacity <= 8192; capacity += 11 * FAULT_STRIDE)
        check_stream(1024, capacity, false);
    check_stream(1 << 14, 1 << 14, true);
}

struct sink {
    uint32_t writes, refuse_from, refuse_count;
};

static enum ets_status write_or_refuse(void *context, const void *data, size_t size,
                                       uint64_t *offset_out)
{
    struct sink *sink = context;
    assert_non_null(data);
    assert_int_not_equal(size, 0);
    const uint32_t number = sink->writes++;
    if (number >= sink->refuse_from && number - sink->refuse_from < sink->refuse_count) {
        return number % 2 == 0 ? ETS_IO : ETS_NO_SPACE;
    }
    *offset_out = 64 * (uint64_t)number;
    return ETS_OK;
}

/* Sinks that fail at the n-th write, once or from then on. */
static void test_trace_loops__every_failing_write_of_a_data_sink(void **state)
{
    uint32_t writes = 1;
    (void)state;
    for (uint32_t once = 0; once < 2; once++) {
        for (uint32_t n = 0; n <= writes; n++) {
            struct sink sink = {.refuse_from = n, .refuse_count = once ? 1 : UINT32_MAX};
            struct bed bed;
            bed_prepare(&bed, 1 << 14);
            bed.config.data_sink = (struct ets_trace_data_sink){&sink, write_or_refuse};
            assert_int_equal(bed_start(&bed), ETS_OK);
            choose(&bed);
            const uint32_t wanted = play(&bed);
            const struct ets_trace_state counts = bed_state(&bed);
            bed_dump(&bed);
            assert_int_equal(count_kept(&bed) + counts.dropped, wanted);
            if (n < sink.writes && once) assert_int_equal(counts.dropped, 1);
            if (n < sink.writes) {
                assert_int_equal(counts.first_error, n % 2 == 0 ? ETS_IO : ETS_NO_SPACE);
            } else {
                writes = sink.writes;
                assert_int_equal(counts.dropped, 0);
            }
            if (n == 0 && !once) writes = 3 * RUNS; /* asked for, where none is refused */
            bed_close(&bed);
        }
    }
    assert_int_equal(writes, 3 * RUNS);
}

struct breaking {
    struct ets_trace_memory memory;
    struct ets_etdump_sink to;
    uint32_t writes, refuse_at;
};

static int write_breaking(void *context, const void *data, size_t size)
{
    struct breaking *breaking = context;
    if (breaking->writes++ == breaking->refuse_at) return -1;
    return breaking->to.write(breaking->to.context, data, size);
}

/* A line that breaks for one write: what was in that frame is counted, what follows is whole. */
static void test_trace_loops__every_single_failing_write_of_a_stream(void **state)
{
    static uint8_t tape[1 << 15];
    uint32_t writes = 1;
    (void)state;
    for (uint32_t n = 0; n < writes; n++) {
        struct breaking breaking = {.memory = {tape, sizeof tape, 0}, .refuse_at = n};
        struct ets_stream_reader capture;
        struct bed bed, again;
        breaking.to = ets_trace_memory_stream(&breaking.memory);
        bed_prepare(&bed, 2048);
        bed.config.mode = ETS_TRACE_STREAM;
        bed.config.stream = (struct ets_etdump_sink){&breaking, write_breaking};
        assert_int_equal(bed_start(&bed), ETS_OK);
        choose(&bed);
        const uint32_t wanted = play(&bed) + 2 * RUNS;
        ets_trace_finish(&bed.trace);
        writes = breaking.writes;
        assert_int_equal(
            ets_stream_reader_init(&capture, (struct ets_bytes){tape, breaking.memory.bytes}),
            ETS_OK);
        memset(&again, 0, sizeof again);
        again.buffer = malloc(capture.memory_bytes + 1);
        assert_non_null(again.buffer);
        assert_int_equal(
            ets_trace_recover(&again.trace, &capture, again.buffer, capture.memory_bytes, NULL),
            ETS_OK);
        bed_dump(&again);
        assert_int_equal(bed_state(&bed).first_error, ETS_IO);
        assert_true(count_kept(&again) + bed_state(&bed).dropped <= wanted);
        assert_true(count_kept(&again) + bed_state(&bed).dropped + capture.refused_records >=
                    wanted);
        bed_close(&again);
        bed_close(&bed);
    }
    assert_true(writes > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trace_loops__every_buffer_size_keeps_or_counts),
        cmocka_unit_test(test_trace_loops__every_buffer_and_memory_of_a_stream),
        cmocka_unit_test(test_trace_loops__every_failing_write_of_a_data_sink),
        cmocka_unit_test(test_trace_loops__every_single_failing_write_of_a_stream)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
