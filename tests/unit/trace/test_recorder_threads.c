/* Eight threads at once: no event is torn, none is lost without being counted. */
#define _XOPEN_SOURCE 700
#include "test_recorder_support.h"

#include <pthread.h>
#include <time.h>

enum { THREADS = 8, EVENTS = 5000 };

struct worker {
    struct ets_trace *trace;
    uint32_t number;
};

/* All fields of an event follow from its number, so that a torn one shows. */
static void *work(void *context)
{
    const struct worker *worker = context;
    struct ets_trace_thread thread;
    char name[32];
    ets_trace_thread_init(&thread, worker->trace);
    ets_trace_begin_run(&thread,
                        &(struct ets_trace_run){.name = "Execute", .invocation = worker->number});
    for (uint32_t i = 0; i < EVENTS; i++) {
        const uint64_t start = (uint64_t)worker->number << 32 | i;
        const uint8_t metadata[4] = {(uint8_t)i, (uint8_t)worker->number, (uint8_t)~i, 0};
        snprintf(name, sizeof name, "part %u of %u", i % 50, worker->number % 3);
        ets_trace_set_instruction(&thread, (int32_t)worker->number, i);
        ets_trace_log_delegate(&thread, (struct ets_trace_delegate){name, 0}, start, start + i,
                               (struct ets_bytes){metadata, i % 5});
    }
    ets_trace_end_run(&thread);
    ets_trace_thread_release(&thread);
    return NULL;
}

/* Stands in for atomic operations where the recorder was built without them. */
struct section {
    pthread_mutex_t mutex;
    uint64_t entered;
};

static void enter(void *context)
{
    struct section *section = context;
    assert_int_equal(pthread_mutex_lock(&section->mutex),
                     0); /* an error, not a deadlock, if nested */
    section->entered++;
}

static void leave(void *context)
{
    struct section *section = context;
    assert_int_equal(pthread_mutex_unlock(&section->mutex), 0);
}

static void section_init(struct section *section)
{
    pthread_mutexattr_t attributes;
    section->entered = 0;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&section->mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

static void section_close(struct section *section)
{
#if defined(ETS_NO_ATOMICS)
    assert_true(section->entered > THREADS); /* at least once for each thread's number */
#else
    assert_true(section->entered == 0);
#endif
    pthread_mutex_destroy(&section->mutex);
}

static void run_workers(struct bed *bed)
{
    pthread_t threads[THREADS];
    struct worker workers[THREADS];
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){&bed->trace, i};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
}

/* Returns the number of events, each of which must be whole and follow the one before. */
static uint32_t check_events(const struct bed *bed)
{
    uint32_t events = 0;
    char name[32];
    for (uint32_t r = 0; r < bed->dump.run_count; r++) {
        const struct ets_etdump_run run = bed_run(bed, r);
        for (uint32_t j = 0; j < run.event_count; j++) {
            struct ets_etdump_event event;
            ets_etdump_event(&bed->dump, &run, j, &event);
            const uint32_t i = (uint32_t)event.instruction, number = (uint32_t)event.chain;
            snprintf(name, sizeof name, "part %u of %u", i % 50, number % 3);
            if (event.delegate_name.data != NULL) assert_text(event.delegate_name, name);
            assert_true(event.start_ticks == ((uint64_t)number << 32 | i));
            assert_true(event.end_ticks - event.start_ticks == i);
            assert_int_equal(event.metadata.size, i % 5);
            if (event.metadata.size > 2) {
                assert_int_equal(event.metadata.data[0], (uint8_t)i);
                assert_int_equal(event.metadata.data[1], number);
                assert_int_equal(event.metadata.data[2], (uint8_t)~i);
            }
            if (j != 0) {
                struct ets_etdump_event before;
                ets_etdump_event(&bed->dump, &run, j - 1, &before);
                assert_int_equal(before.chain, event.chain);
                assert_true(before.instruction < event.instruction);
            }
            events++;
        }
    }
    return events;
}

static void check_mode(enum ets_trace_mode mode, size_t bytes, uint32_t least_kept)
{
    struct bed bed;
    struct section section;
    static uint8_t names[1 << 14];
    section_init(&section);
    bed_prepare(&bed, bytes);
    bed.config.section = (struct ets_trace_section){&section, enter, leave};
    bed.config.clock = NULL;
    bed.config.mode = mode;
    bed.config.names = names;
    bed.config.names_bytes = sizeof names;
    bed.config.chunk_count = 32;
    assert_int_equal(bed_start(&bed), ETS_OK);
    run_workers(&bed);
    const struct ets_trace_state counts = bed_state(&bed);
    bed_dump(&bed);
    const uint32_t kept = check_events(&bed);
    assert_int_equal(kept + counts.dropped + counts.overwritten, THREADS * EVENTS);
    assert_true(kept >= least_kept);
    assert_int_equal(counts.unnamed, 0);
    bed_close(&bed);
    section_close(&section);
}

static void test_recorder_threads__with_room_nothing_is_lost(void **state)
{
    (void)state;
    check_mode(ETS_TRACE_STOP, 4 << 20, THREADS * EVENTS);
}

static void test_recorder_threads__a_full_buffer_counts(void **state)
{
    (void)state;
    check_mode(ETS_TRACE_STOP, 1 << 16, 1000);
}

static void test_recorder_threads__a_ring_counts_what_it_gave_up(void **state)
{
    (void)state;
    check_mode(ETS_TRACE_RING, 1 << 16, 500);
}

/* Tensors whose bytes tell whose they are, of lengths that differ. */
static void *log_tensors(void *context)
{
    enum { MOST = 200 };
    const struct worker *worker = context;
    struct ets_trace_thread thread;
    uint8_t data[MOST];
    ets_trace_thread_init(&thread, worker->trace);
    for (uint32_t i = 0; i < EVENTS / 5; i++) {
        const size_t bytes = 1 + (i * 31 + worker->number) % MOST;
        const struct ets_tensor tensor = {.scalar_type = ETS_SCALAR_BYTE,
                                          .rank = 1,
                                          .sizes = {(int64_t)bytes},
                                          .strides = {1},
                                          .data = data,
                                          .data_bytes = bytes};
        memset(data, (int)(i * THREADS + worker->number), bytes);
        ets_trace_set_instruction(&thread, (int32_t)worker->number, i);
        if (i % 3 == 0) ets_trace_log_int(&thread, NULL, i, 0);
        (void)ets_trace_log_tensor(&thread, NULL, &tensor, i & 1);
    }
    ets_trace_thread_release(&thread);
    return NULL;
}

/* Each tensor that is left has its own bytes, whatever other threads wrote since. */
static uint32_t check_tensors(const struct bed *bed, const uint8_t *debug)
{
    uint32_t tensors = 0;
    for (uint32_t r = 0; r < bed->dump.run_count; r++) {
        const struct ets_etdump_run run = bed_run(bed, r);
        for (uint32_t j = 0; j < run.event_count; j++) {
            struct ets_etdump_event event;
            struct ets_debug_value value;
            struct ets_tensor tensor;
            int64_t offset;
            ets_etdump_event(&bed->dump, &run, j, &event);
            ets_etdump_debug_value(&bed->dump, event.payload_at, &value);
            if (value.type != ETS_DEBUG_TENSOR) continue;
            const uint32_t i = (uint32_t)event.instruction, number = (uint32_t)event.chain;
            assert_int_equal(ets_etdump_tensor(&bed->dump, &value, 0, &tensor, &offset, NULL),
                             ETS_OK);
            assert_int_equal(tensor.sizes[0], 1 + (i * 31 + number) % 200);
            for (int64_t at = 0; at < tensor.sizes[0]; at++) {
                assert_int_equal(debug[offset + at], (uint8_t)(i * THREADS + number));
            }
            tensors++;
        }
    }
    return tensors;
}

static void check_payload(enum ets_trace_mode mode, uint32_t least_kept)
{
    enum { DEBUG_BYTES = 32 * 512 };
    static _Alignas(64) uint8_t debug[DEBUG_BYTES];
    struct bed bed;
    pthread_t threads[THREADS];
    struct worker workers[THREADS];
    struct section section;
    section_init(&section);
    bed_prepare(&bed, 1 << 15);
    bed.config.section = (struct ets_trace_section){&section, enter, leave};
    bed.config.clock = NULL;
    bed.config.mode = mode;
    bed.config.chunk_count = 32;
    bed.config.debug_buffer = debug;
    bed.config.debug_buffer_bytes = sizeof debug;
    assert_int_equal(bed_start(&bed), ETS_OK);
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){&bed.trace, i};
        assert_int_equal(pthread_create(&threads[i], NULL, log_tensors, &workers[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    const struct ets_trace_state counts = bed_state(&bed);
    assert_true(counts.debug_bytes <= sizeof debug);
    bed_dump(&bed);
    assert_true(check_tensors(&bed, debug) >= least_kept);
    const uint32_t values = (EVENTS / 5 + 2) / 3;
    assert_int_equal(count_events(&bed) + counts.dropped + counts.overwritten,
                     THREADS * (EVENTS / 5 + values));
    section_close(&section);
    bed_close(&bed);
}

static void test_recorder_threads__tensors_of_a_ring_keep_their_bytes(void **state)
{
    (void)state;
    check_payload(ETS_TRACE_RING, 24);
}

static void test_recorder_threads__tensors_share_one_buffer(void **state)
{
    (void)state;
    check_payload(ETS_TRACE_STOP, 60);
}

/* The stream is taken by one thread at a time, which the recorder sees to. */
struct tape {
    uint8_t *data;
    size_t size;
};

enum { TAPE_BYTES = 16 << 20 };

static int write_tape(void *context, const void *data, size_t size)
{
    struct tape *tape = context;
    if (size > TAPE_BYTES - tape->size) return -1;
    memcpy(tape->data + tape->size, data, size);
    tape->size += size;
    return 0;
}

static void test_recorder_threads__a_stream_holds_all_that_is_not_counted(void **state)
{
    struct bed bed, again;
    struct tape tape = {malloc(TAPE_BYTES), 0};
    struct section section;
    static uint8_t names[1 << 14];
    (void)state;
    assert_non_null(tape.data);
    section_init(&section);
    bed_prepare(&bed, 1 << 16);
    bed.config.section = (struct ets_trace_section){&section, enter, leave};
    bed.config.clock = NULL;
    bed.config.mode = ETS_TRACE_STREAM;
    bed.config.stream = (struct ets_etdump_sink){&tape, write_tape};
    bed.config.names = names;
    bed.config.names_bytes = sizeof names;
    bed.config.chunk_count = 32;
    assert_int_equal(bed_start(&bed), ETS_OK);
    run_workers(&bed);
    ets_trace_finish(&bed.trace);
    struct ets_stream_reader capture;
    assert_int_equal(ets_stream_reader_init(&capture, (struct ets_bytes){tape.data, tape.size}),
                     ETS_OK);
    assert_int_equal(capture.lost_frames, 0);
    memset(&again, 0, sizeof again);
    again.buffer = malloc(capture.memory_bytes);
    assert_non_null(again.buffer);
    assert_int_equal(
        ets_trace_recover(&again.trace, &capture, again.buffer, capture.memory_bytes, NULL),
        ETS_OK);
    assert_int_equal(capture.refused_records, 0);
    bed_dump(&again);
    assert_int_equal(check_events(&again) + bed_state(&bed).dropped, THREADS * EVENTS);
    bed_close(&again);
    bed_close(&bed);
    section_close(&section);
    free(tape.data);
}

/* ETS_TRACING_SECONDS: for how long all of them are repeated, under ThreadSanitizer. */
static int run_all(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recorder_threads__with_room_nothing_is_lost),
        cmocka_unit_test(test_recorder_threads__a_full_buffer_counts),
        cmocka_unit_test(test_recorder_threads__a_ring_counts_what_it_gave_up),
        cmocka_unit_test(test_recorder_threads__tensors_of_a_ring_keep_their_bytes),
        cmocka_unit_test(test_recorder_threads__tensors_share_one_buffer),
        cmocka_unit_test(test_recorder_threads__a_stream_holds_all_that_is_not_counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    const char *seconds = getenv("ETS_TRACING_SECONDS");
    const time_t end = time(NULL) + (seconds == NULL ? 0 : atoi(seconds));
    int failed;
    do failed = run_all();
    while (failed == 0 && time(NULL) < end);
    return failed;
}
