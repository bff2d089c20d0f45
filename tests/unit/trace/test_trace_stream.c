/* Streams: every prefix and every damage of a capture gives a dump of what is whole. */
#include "test_recorder_support.h"

#include "dump/extra_tokens.h"

/* A stream into memory, which can refuse the n-th write. */
struct tape {
    uint8_t *data;
    size_t size, capacity;
    uint32_t writes, refuse_from; /* 0: never */
};

static int write_tape(void *context, const void *data, size_t size)
{
    struct tape *tape = context;
    tape->writes++;
    if (tape->refuse_from != 0 && tape->writes >= tape->refuse_from) return -1;
    if (size > tape->capacity - tape->size) {
        tape->capacity = 2 * (tape->size + size);
        tape->data = realloc(tape->data, tape->capacity);
        assert_non_null(tape->data);
    }
    memcpy(tape->data + tape->size, data, size);
    tape->size += size;
    return 0;
}

static void bed_stream(struct bed *bed, struct tape *tape, size_t bytes)
{
    bed_prepare(bed, bytes);
    bed->config.mode = ETS_TRACE_STREAM;
    bed->config.stream = (struct ets_etdump_sink){tape, write_tape};
    assert_int_equal(bed_start(bed), ETS_OK);
}

/* Some of everything, in `runs` runs. */
static void record_all(struct bed *bed, uint32_t runs)
{
    struct ets_tensor tensor = {.scalar_type = ETS_SCALAR_HALF, .rank = 3, .sizes = {2, 3, 4}};
    ets_tensor_set_contiguous(&tensor);
    for (uint32_t run = 0; run < runs; run++) {
        ets_trace_begin_run(&bed->thread,
                            &(struct ets_trace_run){.name = "Execute",
                                                    .method = "forward",
                                                    .invocation = run,
                                                    .stage = ETS_STAGE_DECODE,
                                                    .tokens = 2,
                                                    .position = UINT64_C(1) << 20 | run});
        const int32_t allocator = ets_trace_add_allocator(&bed->thread, "temp");
        for (uint32_t i = 0; i < 5; i++) record_one(bed, "OPERATOR_CALL", i);
        ets_trace_end_delegate(
            &bed->thread,
            ets_trace_begin_delegate(&bed->thread, (struct ets_trace_delegate){"conv", 0}),
            (struct ets_bytes){(const uint8_t *)"0123456789", 10});
        ets_trace_log_tensor(&bed->thread, NULL, &tensor, 1);
        ets_trace_log_string(&bed->thread, NULL, "cat", 1);
        ets_trace_log_allocation(&bed->thread, allocator, 4096);
        ets_trace_end_run(&bed->thread);
    }
}

enum { EVENTS_OF_RUN = 7, KEPT_OF_RUN = 9 }; /* the tensor and the string are no events */

/* What a capture gives; the dump is opened in `bed`. */
static struct ets_stream_reader recover(struct bed *bed, const uint8_t *data, size_t size)
{
    struct ets_stream_reader capture;
    const enum ets_status status = ets_stream_reader_init(&capture, (struct ets_bytes){data, size});
    memset(bed, 0, sizeof *bed);
    if (status != ETS_OK) {
        assert_int_equal(status, ETS_NOT_FOUND);
        assert_int_equal(capture.frames, 0);
    }
    bed->buffer = malloc(capture.memory_bytes + 1);
    assert_non_null(bed->buffer);
    assert_int_equal(
        ets_trace_recover(&bed->trace, &capture, bed->buffer, capture.memory_bytes, NULL), ETS_OK);
    bed_dump(bed);
    return capture;
}

static void test_trace_stream__a_whole_capture_gives_the_same_events(void **state)
{
    struct bed bed, again;
    struct tape tape = {0};
    (void)state;
    bed_stream(&bed, &tape, 2048);
    record_all(&bed, 50);
    ets_trace_finish(&bed.trace);
    assert_int_equal(bed_state(&bed).first_error, ETS_OK);
    assert_int_equal(bed_state(&bed).dropped, 0);
    const struct ets_stream_reader capture = recover(&again, tape.data, tape.size);
    assert_int_equal(capture.has_end, 1);
    assert_int_equal(capture.lost_frames, 0);
    assert_int_equal(capture.damaged_frames, 0);
    assert_int_equal(capture.other_bytes, 0);
    assert_int_equal(capture.refused_records, 0);
    assert_int_equal(capture.running_count, 0);
    assert_int_equal(again.dump.run_count, 50);
    size_t at = 0, strings_at = 0, tensors_at = 0, tokens_at = 0;
    for (uint32_t run = 0; run < 50; run++) {
        struct ets_trace_extra_run extra;
        struct ets_trace_extra_string string;
        struct ets_trace_extra_tensor tensor;
        assert_int_equal(bed_run(&again, run).event_count, EVENTS_OF_RUN);
        assert_int_equal(bed_run(&again, run).allocator_count, 1);
        assert_text(bed_event(&again, run, 4).name, "OPERATOR_CALL");
        assert_int_equal(bed_event(&again, run, 4).instruction, 4);
        assert_text(bed_event(&again, run, 5).delegate_name, "conv");
        assert_int_equal(bed_event(&again, run, 5).metadata.size, 10);
        assert_int_equal(bed_event(&again, run, 6).allocated_bytes, 4096);
        assert_int_equal(ets_trace_extra_next_run(&again.extra, &at, &extra), 1);
        assert_text(extra.method, "forward");
        struct ets_run_tokens tokens;
        assert_int_equal(ets_run_tokens_next(&again.extra, &tokens_at, &tokens), 1);
        assert_text(tokens.method, "forward");
        assert_int_equal(tokens.invocation, run);
        assert_int_equal(tokens.stage, ETS_STAGE_DECODE);
        assert_int_equal(tokens.tokens, 2);
        assert_int_equal(tokens.position, UINT64_C(1) << 20 | run);
        assert_int_equal(ets_trace_extra_next_string(&again.extra, &strings_at, &string), 1);
        assert_int_equal(string.run, run);
        assert_int_equal(string.next_event, 6);
        assert_text(string.value, "cat");
        assert_int_equal(ets_trace_extra_next_tensor(&again.extra, &tensors_at, &tensor), 1);
        assert_int_equal(tensor.run, run);
        assert_int_equal(tensor.next_event, 6);
        assert_int_equal(tensor.is_output, 1);
        assert_int_equal(tensor.tensor.scalar_type, ETS_SCALAR_HALF);
        assert_int_equal(tensor.tensor.sizes[2], 4);
        assert_int_equal(tensor.has_statistics, 0);
    }
    bed_close(&again);
    bed_close(&bed);
    free(tape.data);
}

static void test_trace_stream__every_prefix_gives_what_is_whole(void **state)
{
    struct bed bed, again;
    struct tape tape = {0};
    uint32_t before = 0;
    (void)state;
    bed_stream(&bed, &tape, 1024);
    record_all(&bed, 3);
    ets_trace_finish(&bed.trace);
    for (size_t size = 0; size <= tape.size; size++) {
        uint8_t *copy = malloc(size + 1);
        assert_non_null(copy);
        memcpy(copy, tape.data, size);
        const struct ets_stream_reader capture = recover(&again, copy, size);
        assert_int_equal(capture.lost_frames, 0);
        assert_int_equal(capture.refused_records, 0);
        const uint32_t events = count_events(&again);
        assert_true(events >= before);
        before = events;
        bed_close(&again);
        free(copy);
    }
    assert_int_equal(before, 3 * EVENTS_OF_RUN);
    bed_close(&bed);
    free(tape.data);
}

static void test_trace_stream__every_damaged_byte_costs_a_frame_at_most(void **state)
{
    struct bed bed, again;
    struct tape tape = {0};
    (void)state;
    bed_stream(&bed, &tape, 1024);
    record_all(&bed, 3);
    ets_trace_finish(&bed.trace);
    struct ets_stream_reader whole;
    ets_stream_reader_init(&whole, (struct ets_bytes){tape.data, tape.size});
    for (size_t i = 0; i < tape.size; i++) {
        tape.data[i] ^= 0x41;
        const struct ets_stream_reader capture = recover(&again, tape.data, tape.size);
        assert_true(capture.frames >= whole.frames - 1);
        assert_true(capture.frames < whole.frames);
        bed_close(&again);
        tape.data[i] ^= 0x41;
    }
    bed_close(&bed);
    free(tape.data);
}

static void test_trace_stream__other_text_may_stand_between_frames(void **state)
{
    static const char text[] = "I (1234) wifi: \xabTSF connected\r\n";
    struct bed bed, again;
    struct tape tape = {0}, log = {0};
    (void)state;
    bed_stream(&bed, &tape, 2048);
    record_all(&bed, 5);
    ets_trace_finish(&bed.trace);
    for (size_t at = 0; at < tape.size;) {
        const uint8_t *header = tape.data + at;
        const size_t bytes = 20 + ((size_t)header[12] | (size_t)header[13] << 8);
        write_tape(&log, text, sizeof text - 1);
        write_tape(&log, header, bytes);
        at += bytes;
    }
    const struct ets_stream_reader capture = recover(&again, log.data, log.size);
    assert_int_equal(capture.lost_frames, 0);
    assert_int_equal(capture.other_bytes, log.size - tape.size);
    assert_int_equal(count_events(&again), 5 * EVENTS_OF_RUN);
    bed_close(&again);
    bed_close(&bed);
    free(log.data);
    free(tape.data);
}

static void test_trace_stream__what_was_running_is_told(void **state)
{
    struct bed bed, again;
    struct tape tape = {0};
    (void)state;
    bed_stream(&bed, &tape, 2048);
    bed.config.flush_begins = 1;
    assert_int_equal(bed_start(&bed), ETS_OK);
    ets_trace_begin_run(&bed.thread, &(struct ets_trace_run){.name = "Execute"});
    (void)ets_trace_begin(&bed.thread, ETS_TRACE_METHODS, "Method::execute");
    record_one(&bed, "OPERATOR_CALL", 3);
    ets_trace_set_instruction(&bed.thread, 0, 4);
    (void)ets_trace_begin(&bed.thread, ETS_TRACE_OPERATORS, "OPERATOR_CALL");
    (void)ets_trace_begin(&bed.thread, ETS_TRACE_OPERATORS, "native_call_bmm.out");
    const struct ets_stream_reader capture = recover(&again, tape.data, tape.size);
    assert_int_equal(capture.has_end, 0);
    assert_int_equal(capture.running_count, 3);
    assert_text(capture.running[0].name, "Method::execute");
    assert_text(capture.running[1].name, "OPERATOR_CALL");
    assert_text(capture.running[2].name, "native_call_bmm.out");
    assert_int_equal(capture.running[2].chain, 0);
    assert_int_equal(capture.running[2].instruction, 4);
    assert_int_equal(count_events(&again), 1);
    bed_close(&again);
    bed_close(&bed);
    free(tape.data);
}

/* Two streams of one device, the first of which broke off; names have other numbers each time. */
static void test_trace_stream__a_restart_begins_another_stream(void **state)
{
    static const uint32_t cuts[] = {0, 1, 2, 3};
    (void)state;
    for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
        struct bed bed, again;
        struct tape tape = {0}, second = {0};
        bed_stream(&bed, &tape, 1024);
        record_one(&bed, "first", 1);
        assert_int_equal(ets_trace_flush(&bed.thread), ETS_OK);
        bed.config.stream = (struct ets_etdump_sink){&second, write_tape};
        assert_int_equal(bed_start(&bed), ETS_OK);
        for (uint32_t run = 0; run < 40; run++) {
            record_one(&bed, "second", 2);
            assert_int_equal(ets_trace_flush(&bed.thread), ETS_OK);
        }
        ets_trace_finish(&bed.trace);
        size_t from = 0; /* the second one's first frames are lost */
        for (uint32_t frame = 0; frame < cuts[i]; frame++) {
            from += 20 + ((size_t)second.data[from + 12] | (size_t)second.data[from + 13] << 8);
        }
        write_tape(&tape, second.data + from, second.size - from);
        const struct ets_stream_reader capture = recover(&again, tape.data, tape.size);
        if (cuts[i] < 3) {
            assert_int_equal(capture.rest.size, second.size - from);
            assert_ptr_equal(capture.rest.data, tape.data + tape.size - second.size + from);
            assert_int_equal(capture.has_end, 0);
            assert_int_equal(count_events(&again), 1);
            assert_text(bed_event(&again, 0, 0).name, "first");
        } /* else: its first frame follows on the first one's last as if it were the next */
        bed_close(&again);
        const struct ets_stream_reader next =
            recover(&again, second.data + from, second.size - from);
        assert_int_equal(next.rest.size, 0);
        assert_int_equal(next.has_end, 1);
        if (cuts[i] < 2) {
            assert_int_equal(count_events(&again), 40);
            assert_text(bed_event(&again, 0, 39).name, "second");
        }
        bed_close(&again);
        bed_close(&bed);
        free(tape.data);
        free(second.data);
    }
}

/* Without the end nobody says what the clock's rate is: the last run's readings do. */
static void test_trace_stream__a_stream_without_its_end_keeps_its_time(void **state)
{
    struct bed bed, again;
    struct script platform = {5000, 4000000}; /* a step of the clock is 2 ns of the platform's */
    struct tape tape = {0};
    (void)state;
    bed_stream(&bed, &tape, 2048);
    bed.script.step = 2000000;
    bed.config.platform_clock = read_script;
    bed.config.platform_clock_context = &platform;
    bed.config.flush_begins = 1;
    assert_int_equal(bed_start(&bed), ETS_OK);
    ets_trace_begin_run(&bed.thread,
                        &(struct ets_trace_run){.name = "Execute", .method = "forward"});
    ets_trace_end_run(&bed.thread);
    ets_trace_begin_run(&bed.thread, &(struct ets_trace_run){.name = "Execute", .method = "last"});
    ets_trace_set_instruction(&bed.thread, 0, 7);
    (void)ets_trace_begin(&bed.thread, ETS_TRACE_OPERATORS, "outer");
    record_one(&bed, "inner", 7);
    (void)ets_trace_begin(&bed.thread, ETS_TRACE_OPERATORS, "hangs");
    const struct ets_stream_reader capture = recover(&again, tape.data, tape.size);
    assert_int_equal(capture.running_count, 2);
    assert_text(capture.running[0].method, "last");
    /* A begin is read again after it was sent: five steps. */
    assert_int_equal(capture.running[0].lasted_ns, 5 * 4000000);
    assert_int_equal(capture.running[1].lasted_ns, 0);
    assert_true(capture.running[0].began_ns > 4000000);
    const struct ets_etdump_event inner = bed_event(&again, 1, 0);
    assert_int_equal(inner.end_ticks - inner.start_ticks, 4000000);
    bed_close(&again);
    bed_close(&bed);
    free(tape.data);
}

static void test_trace_stream__kinds_that_some_runs_lack_are_told(void **state)
{
    const struct ets_trace_run execution = {.name = "Execute", .method = "forward"};
    struct bed bed, again;
    struct tape tape = {0};
    struct ets_trace_facts facts;
    (void)state;
    bed_stream(&bed, &tape, 2048);
    for (uint32_t run = 0; run < 3; run++) {
        ets_trace_enable(&bed.trace, run == 1 ? ETS_TRACE_DEFAULT : ETS_TRACE_METHODS);
        ets_trace_begin_run(&bed.thread, &execution);
        record_one(&bed, "add", 0);
        ets_trace_end_run(&bed.thread);
        ets_trace_flush(&bed.thread);
    }
    (void)recover(&again, tape.data, tape.size);
    ets_trace_extra_facts(&again.extra, &facts);
    assert_int_equal(facts.filtered, ETS_TRACE_OPERATORS | ETS_TRACE_DELEGATES);
    bed_close(&again);
    bed_close(&bed);
    free(tape.data);
}

/* Frames of a type on the tape. */
static uint32_t count_frames(const struct tape *tape, uint8_t type)
{
    const uint8_t magic[] = {0xab, 'T', 'S', 'F'};
    uint32_t count = 0;
    for (size_t at = 0; at + 8 <= tape->size; at++) {
        count += memcmp(tape->data + at, magic, sizeof magic) == 0 && tape->data[at + 6] == type;
    }
    return count;
}

static void test_trace_stream__many_names_are_not_sent_with_every_flush(void **state)
{
    enum { NAMES = 6000, FLUSHES = 200 }; /* 94 frames of names */
    static char names[NAMES][8];
    struct bed bed, again;
    struct tape tape = {0};
    (void)state;
    bed_prepare(&bed, 1 << 20);
    bed.config.mode = ETS_TRACE_STREAM;
    bed.config.stream = (struct ets_etdump_sink){&tape, write_tape};
    assert_int_equal(bed_start(&bed), ETS_OK);
    for (uint32_t i = 0; i < NAMES; i++) {
        snprintf(names[i], sizeof names[i], "n%u", (unsigned)i);
        record_one(&bed, names[i], i);
    }
    assert_int_equal(ets_trace_flush(&bed.thread), ETS_OK);
    assert_int_equal(bed_state(&bed).unnamed, 0);
    for (uint32_t i = 0; i < FLUSHES; i++) {
        record_one(&bed, names[i], i);
        assert_int_equal(ets_trace_flush(&bed.thread), ETS_OK);
    }
    ets_trace_finish(&bed.trace);
    assert_in_range(count_frames(&tape, 1), 2, 5); /* START */
    recover(&again, tape.data, tape.size);
    assert_int_equal(count_events(&again), NAMES + FLUSHES);
    bed_close(&again);
    bed_close(&bed);
    free(tape.data);
}

static void test_trace_stream__every_refused_write_is_counted(void **state)
{
    uint32_t writes = 1;
    (void)state;
    for (uint32_t refuse_from = 0; refuse_from <= writes; refuse_from++) {
        struct bed bed, again;
        struct tape tape = {.refuse_from = refuse_from};
        bed_stream(&bed, &tape, 1024);
        record_all(&bed, 4);
        ets_trace_finish(&bed.trace);
        const struct ets_trace_state counts = bed_state(&bed);
        assert_int_equal(counts.first_error, refuse_from == 0 ? ETS_OK : ETS_IO);
        const struct ets_stream_reader capture = recover(&again, tape.data, tape.size);
        assert_int_equal(capture.refused_records, 0);
        assert_int_equal(count_kept(&again) + counts.dropped, 4 * KEPT_OF_RUN);
        if (refuse_from == 0) writes = tape.writes;
        bed_close(&again);
        bed_close(&bed);
        free(tape.data);
    }
}

static void test_trace_stream__records_of_too_many_threads_are_refused(void **state)
{
    enum { EXTRA = 3 };
    struct bed bed, again;
    struct tape tape = {0};
    (void)state;
    bed_stream(&bed, &tape, 1 << 16);
    for (uint32_t i = 0; i < ETS_STREAM_READER_THREADS + EXTRA; i++) {
        ets_trace_thread_init(&bed.thread, &bed.trace);
        record_one(&bed, "op", i);
        ets_trace_thread_release(&bed.thread);
    }
    ets_trace_finish(&bed.trace);
    assert_int_equal(bed_state(&bed).dropped, 0);
    const struct ets_stream_reader capture = recover(&again, tape.data, tape.size);
    assert_int_equal(count_events(&again), ETS_STREAM_READER_THREADS);
    assert_true(capture.refused_records >= EXTRA);
    bed_close(&again);
    bed_close(&bed);
    free(tape.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trace_stream__a_whole_capture_gives_the_same_events),
        cmocka_unit_test(test_trace_stream__every_prefix_gives_what_is_whole),
        cmocka_unit_test(test_trace_stream__every_damaged_byte_costs_a_frame_at_most),
        cmocka_unit_test(test_trace_stream__other_text_may_stand_between_frames),
        cmocka_unit_test(test_trace_stream__what_was_running_is_told),
        cmocka_unit_test(test_trace_stream__a_restart_begins_another_stream),
        cmocka_unit_test(test_trace_stream__a_stream_without_its_end_keeps_its_time),
        cmocka_unit_test(test_trace_stream__kinds_that_some_runs_lack_are_told),
        cmocka_unit_test(test_trace_stream__many_names_are_not_sent_with_every_flush),
        cmocka_unit_test(test_trace_stream__every_refused_write_is_counted),
        cmocka_unit_test(test_trace_stream__records_of_too_many_threads_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
