/* The recorder: what is recorded stands in the dump, in order; what cannot be is counted. */
#define _XOPEN_SOURCE 700
#include "test_faults_support.h"
#include "test_recorder_support.h"

#include <unistd.h>

static void test_recorder__nested_events_stand_in_the_order_of_their_ends(void **state)
{
    struct bed bed;
    (void)state;
    bed_open(&bed, 4096);
    ets_trace_begin_run(&bed.thread, &(struct ets_trace_run){.name = "Execute",
                                                             .method = "forward",
                                                             .invocation = 7,
                                                             .purpose = ETS_TRACE_EXECUTE,
                                                             .is_bundled = 1,
                                                             .bundled_input_index = 3});
    const struct ets_trace_span outer =
        ets_trace_begin(&bed.thread, ETS_TRACE_METHODS, "Method::execute");
    ets_trace_set_instruction(&bed.thread, 0, 4);
    const struct ets_trace_span inner =
        ets_trace_begin(&bed.thread, ETS_TRACE_OPERATORS, "OPERATOR_CALL");
    ets_trace_end(&bed.thread, inner);
    ets_trace_set_instruction(&bed.thread, -1, 0);
    ets_trace_end(&bed.thread, outer);
    ets_trace_end_run(&bed.thread);
    bed_dump(&bed);
    assert_int_equal(bed.dump.run_count, 1);
    const struct ets_etdump_run run = bed_run(&bed, 0);
    assert_text(run.name, "Execute");
    assert_int_equal(run.bundled_input_index, 3);
    assert_int_equal(run.event_count, 2);
    struct ets_etdump_event event = bed_event(&bed, 0, 0);
    assert_text(event.name, "OPERATOR_CALL");
    assert_int_equal(event.chain, 0);
    assert_int_equal(event.instruction, 4);
    assert_int_equal(event.end_ticks - event.start_ticks, 10);
    event = bed_event(&bed, 0, 1);
    assert_text(event.name, "Method::execute");
    assert_int_equal(event.chain, -1);
    assert_int_equal(event.instruction, 0);
    assert_int_equal(event.end_ticks - event.start_ticks, 30);
    struct ets_trace_extra_run extra;
    size_t at = 0;
    assert_int_equal(ets_trace_extra_next_run(&bed.extra, &at, &extra), 1);
    assert_text(extra.method, "forward");
    assert_int_equal(extra.invocation, 7);
    assert_int_equal(extra.purpose, ETS_TRACE_EXECUTE);
    assert_int_equal(extra.is_partial, 0);
    assert_int_equal(ets_trace_extra_next_run(&bed.extra, &at, &extra), 0);
    bed_close(&bed);
}

static void test_recorder__delegate_events_take_the_instruction_of_their_end(void **state)
{
    static const uint8_t metadata[100] = {1, 2, 3, [99] = 9};
    struct bed bed;
    (void)state;
    bed_open(&bed, 4096);
    ets_trace_begin_run(&bed.thread, &(struct ets_trace_run){.name = "Execute"});
    ets_trace_set_instruction(&bed.thread, 0, 1);
    struct ets_trace_span span =
        ets_trace_begin_delegate(&bed.thread, (struct ets_trace_delegate){"conv #1", 0});
    ets_trace_set_instruction(&bed.thread, 2, 5);
    ets_trace_end_delegate(&bed.thread, span, (struct ets_bytes){metadata, sizeof metadata});
    span = ets_trace_begin_delegate(&bed.thread, (struct ets_trace_delegate){NULL, 42});
    ets_trace_end_delegate(&bed.thread, span, (struct ets_bytes){NULL, 0});
    ets_trace_log_delegate(&bed.thread, (struct ets_trace_delegate){NULL, 7}, 0, 500,
                           (struct ets_bytes){metadata, 1});
    bed_dump(&bed);
    struct ets_etdump_event event = bed_event(&bed, 0, 0);
    assert_text(event.name, NULL);
    assert_text(event.delegate_name, "conv #1");
    assert_int_equal(event.delegate_id, -1);
    assert_int_equal(event.chain, 2);
    assert_int_equal(event.instruction, 5);
    assert_int_equal(event.metadata.size, sizeof metadata);
    assert_memory_equal(event.metadata.data, metadata, sizeof metadata);
    event = bed_event(&bed, 0, 1);
    assert_text(event.delegate_name, NULL);
    assert_int_equal(event.delegate_id, 42);
    assert_int_equal(event.metadata.size, 0);
    assert_non_null(event.metadata.data);
    event = bed_event(&bed, 0, 2);
    assert_int_equal(event.delegate_id, 7);
    assert_true(event.start_ticks == 0 && event.end_ticks == 500);
    assert_int_equal(event.metadata.size, 1);
    bed_close(&bed);
}

/* One of each kind, its fields by what `n` is. */
static void record_kind(struct bed *bed, uint32_t n)
{
    static const char *const names[] = {"a", "native_call_add.out", "Method::execute", ""};
    const struct ets_trace_delegate part = {n % 2 == 0 ? names[n % 3] : NULL, (int32_t)n};
    struct ets_tensor tensor = {.scalar_type = (enum ets_scalar_type)(n % 30), .rank = n % 17};
    for (uint32_t i = 0; i < tensor.rank; i++) tensor.sizes[i] = tensor.strides[i] = i + n;
    ets_trace_set_instruction(&bed->thread, (int32_t)(n % 300) - 1, n);
    bed->script.step = n % 11 == 0 ? UINT64_C(5000000000) : n;
    switch (n % 9) {
    case 0: ets_trace_log_int(&bed->thread, NULL, -(int64_t)n, n & 1); break;
    case 1: ets_trace_log_double(&bed->thread, &part, n * 0.5, 0); break;
    case 2: ets_trace_log_bool(&bed->thread, NULL, n & 2, 1); break;
    case 3: ets_trace_log_tensor(&bed->thread, NULL, &tensor, n & 1); break;
    case 4: ets_trace_log_tensors(&bed->thread, &part, &tensor, n & 1, 0); break;
    case 5: ets_trace_log_allocation(&bed->thread, (int32_t)n, n * UINT64_C(0x100000001)); break;
    case 6:
        ets_trace_end_delegate(&bed->thread, ets_trace_begin_delegate(&bed->thread, part),
                               (struct ets_bytes){(const uint8_t *)names[1], n % 20});
        break;
    default:
        ets_trace_end(&bed->thread,
                      ets_trace_begin(&bed->thread, ETS_TRACE_OPERATORS, names[n % 4]));
        break;
    }
}

static void assert_kind(const struct bed *bed, uint32_t index, uint32_t n)
{
    static const char *const names[] = {"a", "native_call_add.out", "Method::execute", ""};
    const struct ets_etdump_event event = bed_event(bed, 0, index);
    struct ets_debug_value value;
    if (n % 9 == 5) {
        assert_int_equal(event.kind, ETS_EVENT_ALLOCATION);
        assert_int_equal(event.allocator, n);
        assert_true(event.allocated_bytes == n * UINT64_C(0x100000001));
        return;
    }
    assert_int_equal(event.chain, (int32_t)(n % 300) - 1);
    assert_int_equal(event.instruction, n);
    if (n % 9 >= 6) {
        assert_int_equal(event.kind, ETS_EVENT_PROFILE);
        assert_true(event.end_ticks - event.start_ticks ==
                    (n % 11 == 0 ? UINT64_C(5000000000) : n));
        if (n % 9 == 6) assert_int_equal(event.metadata.size, n % 20);
        else assert_text(event.name, names[n % 4]);
        return;
    }
    assert_int_equal(event.kind, ETS_EVENT_DEBUG);
    ets_etdump_debug_value(&bed->dump, event.payload_at, &value);
    switch (n % 9) {
    case 0:
        assert_int_equal(value.type, ETS_DEBUG_INT);
        assert_int_equal(value.int_value, -(int64_t)n);
        assert_int_equal(value.is_output, n & 1);
        break;
    case 1:
        assert_int_equal(value.type, ETS_DEBUG_DOUBLE);
        assert_true(value.double_value == n * 0.5);
        assert_text(event.delegate_name, n % 2 == 0 ? names[n % 3] : NULL);
        assert_int_equal(event.delegate_id, n % 2 == 0 ? -1 : (int32_t)n);
        break;
    case 2:
        assert_int_equal(value.type, ETS_DEBUG_BOOL);
        assert_int_equal(value.int_value, (n & 2) != 0);
        break;
    default: {
        struct ets_tensor tensor;
        int64_t offset;
        assert_int_equal(value.tensor_count, n % 9 == 3 ? 1 : n & 1);
        if (value.tensor_count == 0) break;
        assert_int_equal(ets_etdump_tensor(&bed->dump, &value, 0, &tensor, &offset, NULL), ETS_OK);
        assert_int_equal(tensor.scalar_type, n % 30);
        assert_int_equal(tensor.rank, n % 17);
        for (uint32_t i = 0; i < tensor.rank; i++) {
            assert_int_equal(tensor.sizes[i], i + n);
            assert_int_equal(tensor.strides[i], i + n);
        }
        assert_int_equal(offset, -1);
        break;
    }
    }
}

static void test_recorder__every_kind_comes_back_as_it_was(void **state)
{
    enum { EVENTS = 3000 };
    static uint8_t debug_buffer[1]; /* a sink, for tensors of no bytes */
    struct bed bed;
    (void)state;
    bed_prepare(&bed, 1 << 20);
    bed.config.debug_buffer = debug_buffer;
    bed.config.debug_buffer_bytes = sizeof debug_buffer;
    assert_int_equal(bed_start(&bed), ETS_OK);
    for (uint32_t n = 0; n < EVENTS; n++) record_kind(&bed, n);
    assert_int_equal(bed_state(&bed).first_error, ETS_OK);
    bed_dump(&bed);
    assert_int_equal(bed.dump.run_count, 1);
    assert_text(bed_run(&bed, 0).name, "Default");
    assert_int_equal(bed_run(&bed, 0).event_count, EVENTS);
    for (uint32_t n = 0; n < EVENTS; n++) assert_kind(&bed, n, n);
    bed_close(&bed);
}

/* Each size, from each alignment: nothing is written beside the buffer, all is kept or counted. */
static void test_recorder__every_buffer_size_keeps_or_counts(void **state)
{
    enum { EVENTS = 60, GUARD = 16 };
    static _Alignas(8) uint8_t area[4096 + 8 + 2 * GUARD];
    (void)state;
    for (size_t size = 0; size <= 4096; size += FAULT_STRIDE) {
        for (int mode = ETS_TRACE_STOP; mode <= ETS_TRACE_RING; mode++) {
            struct bed bed;
            uint8_t *buffer = area + GUARD + size % 8;
            bed_prepare(&bed, 0);
            memset(area, 0x5a, sizeof area);
            bed.config.buffer = buffer;
            bed.config.buffer_bytes = size;
            bed.config.mode = (enum ets_trace_mode)mode;
            const enum ets_status status = bed_start(&bed);
            assert_true(status == ETS_OK || status == ETS_NO_SPACE);
            ets_trace_begin_run(&bed.thread, &(struct ets_trace_run){.name = "Execute"});
            for (uint32_t n = 0; n < EVENTS; n++) record_kind(&bed, n);
            ets_trace_end_run(&bed.thread);
            for (size_t i = 0; i < GUARD + size % 8; i++) assert_int_equal(area[i], 0x5a);
            for (uint8_t *at = buffer + size; at < area + sizeof area; at++) {
                assert_int_equal(*at, 0x5a);
            }
            const struct ets_trace_state counts = bed_state(&bed);
            bed_dump(&bed);
            const uint32_t refused = status == ETS_OK ? 0 : 1; /* begin_run */
            const uint32_t kept = count_events(&bed) + count_extra_tensors(&bed);
            assert_true(kept + counts.dropped + counts.overwritten >= EVENTS + refused);
            assert_true(kept + counts.overwritten <= EVENTS);
            if (size >= 2048) assert_true(kept >= 10);
            bed_close(&bed);
        }
    }
}

static void test_recorder__an_end_without_a_begin_is_counted(void **state)
{
    struct bed bed;
    (void)state;
    bed_open(&bed, 4096);
    ets_trace_end(&bed.thread, (struct ets_trace_span){0, 0, 0});
    ets_trace_end_delegate(&bed.thread, (struct ets_trace_span){0, 0, 0},
                           (struct ets_bytes){NULL, 0});
    ets_trace_end_delegate(&bed.thread, ets_trace_begin(&bed.thread, ETS_TRACE_OPERATORS, "x"),
                           (struct ets_bytes){NULL, 0});
    assert_int_equal(bed_state(&bed).dropped, 3);
    assert_int_equal(bed_state(&bed).first_error, ETS_INVALID_ARGUMENT);
    bed_close(&bed);
}

static void test_recorder__events_before_a_run_open_one(void **state)
{
    struct bed bed;
    (void)state;
    bed_open(&bed, 4096);
    record_one(&bed, "early", 1);
    ets_trace_begin_run(&bed.thread, &(struct ets_trace_run){.name = "Execute"});
    record_one(&bed, "later", 2);
    bed_dump(&bed);
    assert_int_equal(bed.dump.run_count, 2);
    assert_text(bed_run(&bed, 0).name, "Default");
    assert_text(bed_event(&bed, 0, 0).name, "early");
    assert_text(bed_run(&bed, 1).name, "Execute");
    assert_text(bed_event(&bed, 1, 0).name, "later");
    bed_close(&bed);
}

static void test_recorder__a_clock_that_runs_backwards_is_counted(void **state)
{
    struct bed bed;
    (void)state;
    bed_open(&bed, 4096);
    const struct ets_trace_span span = ets_trace_begin(&bed.thread, ETS_TRACE_OPERATORS, "x");
    bed.script.now -= 500;
    ets_trace_end(&bed.thread, span);
    ets_trace_log_delegate(&bed.thread, (struct ets_trace_delegate){NULL, 1}, 9, 8,
                           (struct ets_bytes){NULL, 0});
    assert_int_equal(bed_state(&bed).backwards, 2);
    assert_int_equal(bed_state(&bed).first_error, ETS_MISMATCH);
    bed_dump(&bed);
    assert_true(bed_event(&bed, 0, 0).start_ticks == bed_event(&bed, 0, 0).end_ticks);
    assert_true(bed_event(&bed, 0, 1).end_ticks == 9);
    bed_close(&bed);
}

static void test_recorder__calls_after_finish_are_counted(void **state)
{
    struct bed bed;
    (void)state;
    bed_open(&bed, 4096);
    record_one(&bed, "kept", 1);
    const struct ets_trace_span span = ets_trace_begin(&bed.thread, ETS_TRACE_OPERATORS, "x");
    ets_trace_finish(&bed.trace);
    ets_trace_finish(&bed.trace);
    ets_trace_enable(&bed.trace, 0xff);
    ets_trace_end(&bed.thread, span);
    record_one(&bed, "late", 1);
    assert_int_equal(ets_trace_log_int(&bed.thread, NULL, 1, 0), ETS_INVALID_ARGUMENT);
    ets_trace_begin_run(&bed.thread, &(struct ets_trace_run){.name = "Execute"});
    assert_int_equal(ets_trace_add_allocator(&bed.thread, "x"), 0);
    ets_trace_log_allocation(&bed.thread, 1, 1);
    ets_trace_log_delegate(&bed.thread, (struct ets_trace_delegate){NULL, 1}, 1, 2,
                           (struct ets_bytes){NULL, 0});
    assert_int_equal(bed_state(&bed).dropped, 7);
    bed_dump(&bed);
    assert_int_equal(count_events(&bed), 1);
    bed_close(&bed);
}

static void test_recorder__what_is_disabled_is_neither_kept_nor_counted(void **state)
{
    struct bed bed;
    (void)state;
    bed_open(&bed, 4096);
    ets_trace_enable(&bed.trace, ETS_TRACE_METHODS);
    for (uint32_t n = 0; n < 20; n++) record_kind(&bed, n);
    ets_trace_end(&bed.thread, ets_trace_begin(&bed.thread, ETS_TRACE_METHODS, "Method::execute"));
    ets_trace_enable(&bed.trace, 0);
    ets_trace_end(&bed.thread, ets_trace_begin(&bed.thread, ETS_TRACE_METHODS, "Method::init"));
    assert_int_equal(bed_state(&bed).dropped, 0);
    assert_int_equal(bed_state(&bed).first_error, ETS_OK);
    bed_dump(&bed);
    assert_int_equal(count_events(&bed), 1);
    bed_close(&bed);
}

static void test_recorder__names_may_go_and_pointers_be_reused(void **state)
{
    struct bed bed;
    char name[32];
    (void)state;
    bed_open(&bed, 1 << 16);
    for (int i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "Convolution #%d", i % 100);
        record_one(&bed, name, 0);
        char *heap = malloc(16);
        assert_non_null(heap);
        snprintf(heap, 16, "%d", i);
        record_one(&bed, heap, 1);
        free(heap);
    }
    memset(name, 'x', sizeof name);
    bed_dump(&bed);
    assert_int_equal(count_events(&bed), 600);
    assert_int_equal(bed_state(&bed).names, 1 + 100 + 300);
    for (int i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "Convolution #%d", i % 100);
        assert_text(bed_event(&bed, 0, 2 * (uint32_t)i).name, name);
        snprintf(name, sizeof name, "%d", i);
        assert_text(bed_event(&bed, 0, 2 * (uint32_t)i + 1).name, name);
    }
    bed_close(&bed);
}

static void test_recorder__static_names_are_kept_as_pointers(void **state)
{
    static const char first[] = "add", second[] = "add";
    uint8_t names[256];
    struct bed bed;
    (void)state;
    bed_prepare(&bed, 4096);
    bed.config.names_are_static = 1;
    bed.config.names = names;
    bed.config.names_bytes = sizeof names;
    assert_int_equal(bed_start(&bed), ETS_OK);
    for (int i = 0; i < 10; i++) record_one(&bed, i % 2 == 0 ? first : second, 0);
    assert_true(bed_state(&bed).names <= 3);
    bed_dump(&bed);
    for (uint32_t i = 0; i < 10; i++) assert_text(bed_event(&bed, 0, i).name, "add");
    bed_close(&bed);
}

static void test_recorder__a_full_table_of_names_is_counted(void **state)
{
    struct bed bed;
    char name[24];
    (void)state;
    bed_open(&bed, 1 << 13);
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "name number %d", i);
        record_one(&bed, name, 0);
    }
    const struct ets_trace_state counts = bed_state(&bed);
    assert_true(counts.unnamed > 0 && counts.names + counts.unnamed == 101);
    assert_int_equal(counts.first_error, ETS_NO_SPACE);
    bed_dump(&bed);
    assert_int_equal(count_events(&bed) + counts.dropped, 100);
    assert_text(bed_event(&bed, 0, 99).name, NULL);
    bed_close(&bed);
}

/* As many names as there are numbers for, and each event has its own, in every form of a record. */
static void check_all_numbers(int are_static, uint32_t most)
{
    const size_t area = (size_t)most * 72;
    const uint32_t texts = most + 3;
    struct bed bed;
    bed_prepare(&bed, (size_t)texts * 80);
    char(*names)[16] = malloc((size_t)texts * sizeof *names);
    bed.config.names = malloc(area);
    assert_true(names != NULL && bed.config.names != NULL);
    memset(bed.config.names, 0xa5, area);
    bed.config.names_are_static = are_static;
    bed.config.names_bytes = area;
    assert_int_equal(bed_start(&bed), ETS_OK);
    for (uint32_t i = 0; i < texts; i++) {                       /* "Default" comes before them */
        snprintf(names[i], sizeof names[i], "n%u", (unsigned)i); /* a unit of text */
        record_one(&bed, names[i], i);
    }
    for (uint32_t i = 0; i < texts; i += 4999) {
        const struct ets_trace_delegate part = {names[i], 0};
        const struct ets_trace_span span = ets_trace_begin_delegate(&bed.thread, part);
        ets_trace_end_delegate(&bed.thread, span, (struct ets_bytes){NULL, 0});
        ets_trace_log_delegate(&bed.thread, part, 1, 2, (struct ets_bytes){NULL, 0});
        assert_int_equal(ets_trace_log_int(&bed.thread, &part, 5, 0), ETS_OK);
    }
    assert_int_equal(bed_state(&bed).names, most);
    assert_true(bed_state(&bed).unnamed >= 4);
    bed_dump(&bed);
    for (uint32_t i = 0; i < texts; i++) {
        assert_text(bed_event(&bed, 0, i).name, i < most - 1 ? names[i] : NULL);
        assert_int_equal(bed_event(&bed, 0, i).instruction, i);
    }
    for (uint32_t i = 0, event = texts; i < most - 1; i += 4999) {
        for (uint32_t j = 0; j < 2; j++) {
            assert_text(bed_event(&bed, 0, event++).delegate_name, names[i]);
        }
        assert_text(bed_event(&bed, 0, event++).delegate_name, names[i]);
    }
    free(bed.config.names);
    free(names);
    bed_close(&bed);
}

static void test_recorder__the_table_has_room_for_all_numbers(void **state)
{
    (void)state;
    check_all_numbers(0, sizeof(size_t) > 4 ? 131070 : 65535);
    check_all_numbers(1, sizeof(size_t) > 4 ? 131070 : 65535);
}

/* With the numbers of chunks from `sequence` on: they start again from 0 after 2^30. */
static void check_ring(uint32_t sequence)
{
    enum { EVENTS = 1000 };
    struct bed bed;
    bed_prepare(&bed, 2048);
    bed.config.mode = ETS_TRACE_RING;
    assert_int_equal(bed_start(&bed), ETS_OK);
    bed.trace.sequence = sequence;
    ets_trace_begin_run(&bed.thread,
                        &(struct ets_trace_run){.name = "Execute", .method = "forward"});
    for (uint32_t i = 0; i < EVENTS; i++) record_one(&bed, "OPERATOR_CALL", i);
    bed_dump(&bed);
    const uint32_t kept = count_events(&bed);
    assert_int_equal(bed_state(&bed).overwritten + kept, EVENTS);
    assert_int_equal(bed_state(&bed).dropped, 0);
    assert_true(kept >= 30);
    assert_int_equal(bed.dump.run_count, 1);
    assert_text(bed_run(&bed, 0).name, "Execute");
    for (uint32_t i = 0; i < kept; i++) {
        assert_int_equal(bed_event(&bed, 0, i).instruction, EVENTS - kept + i);
    }
    struct ets_trace_extra_run extra;
    size_t at = 0;
    assert_int_equal(ets_trace_extra_next_run(&bed.extra, &at, &extra), 1);
    assert_int_equal(extra.is_partial, 1);
    assert_text(extra.method, "forward");
    bed_close(&bed);
}

static void test_recorder__a_ring_keeps_the_latest(void **state)
{
    (void)state;
    check_ring(0);
}

static void test_recorder__a_ring_outlives_its_numbers(void **state)
{
    (void)state;
    for (uint32_t left = 0; left < 70; left++) check_ring((UINT32_C(1) << 30) - left);
    for (uint32_t left = 0; left < 70; left++) check_ring(UINT32_MAX - left);
}

static void test_recorder__many_runs_keep_their_events(void **state)
{
    enum { RUNS = 500 };
    struct bed bed;
    (void)state;
    bed_open(&bed, 1 << 17);
    for (uint32_t run = 0; run < RUNS; run++) {
        ets_trace_begin_run(&bed.thread,
                            &(struct ets_trace_run){.name = "Execute", .invocation = run});
        for (uint32_t i = 0; i < run % 4; i++) record_one(&bed, "op", run);
        ets_trace_end_run(&bed.thread);
    }
    assert_int_equal(bed_state(&bed).dropped, 0);
    bed_dump(&bed);
    assert_int_equal(bed.dump.run_count, RUNS);
    size_t at = 0;
    for (uint32_t run = 0; run < RUNS; run++) {
        struct ets_trace_extra_run extra;
        assert_int_equal(bed_run(&bed, run).event_count, run % 4);
        if (run % 4 != 0) assert_int_equal(bed_event(&bed, run, run % 4 - 1).instruction, run);
        assert_int_equal(ets_trace_extra_next_run(&bed.extra, &at, &extra), 1);
        assert_int_equal(extra.run, run);
        assert_int_equal(extra.invocation, run);
    }
    bed_close(&bed);
}

static void test_recorder__two_threads_have_their_own_runs(void **state)
{
    struct bed bed;
    struct ets_trace_thread other;
    (void)state;
    bed_open(&bed, 1 << 17);
    ets_trace_thread_init(&other, &bed.trace);
    struct ets_trace_thread *const threads[] = {&bed.thread, &other};
    for (uint32_t run = 0; run < 40; run++) {
        ets_trace_begin_run(threads[run % 2], &(struct ets_trace_run){.name = "Execute"});
        for (uint32_t i = 0; i < 30; i++) {
            for (uint32_t t = 0; t < 2; t++) {
                ets_trace_end(threads[t], ets_trace_begin_at(threads[t], ETS_TRACE_OPERATORS, "op",
                                                             (int32_t)t, run * 100 + i));
            }
        }
    }
    bed_dump(&bed);
    assert_int_equal(bed_state(&bed).dropped, 0);
    assert_int_equal(count_events(&bed), 40 * 30 * 2);
    for (uint32_t run = 0; run < bed.dump.run_count; run++) {
        const struct ets_etdump_run of = bed_run(&bed, run);
        for (uint32_t i = 1; i < of.event_count; i++) {
            const struct ets_etdump_event before = bed_event(&bed, run, i - 1);
            const struct ets_etdump_event after = bed_event(&bed, run, i);
            assert_int_equal(before.chain, after.chain);
            assert_true(before.instruction < after.instruction);
        }
    }
    bed_close(&bed);
}

static void test_recorder__bad_configs_are_refused_and_safe(void **state)
{
    struct bed bed;
    (void)state;
    bed_prepare(&bed, 4096);
    assert_int_equal(ets_trace_init(&bed.trace, NULL), ETS_INVALID_ARGUMENT);
    ets_trace_thread_init(&bed.thread, &bed.trace);
    record_one(&bed, "x", 0);
    bed.config.mode = (enum ets_trace_mode)7;
    assert_int_equal(bed_start(&bed), ETS_INVALID_ARGUMENT);
    record_one(&bed, "x", 0);
    assert_int_equal(bed_state(&bed).dropped, 1);
    bed.config.mode = ETS_TRACE_STREAM;
    assert_int_equal(bed_start(&bed), ETS_INVALID_ARGUMENT);
    bed.config.mode = ETS_TRACE_STOP;
    bed.config.chunk_count = 1000;
    assert_int_equal(bed_start(&bed), ETS_INVALID_ARGUMENT);
    record_one(&bed, "x", 0);
    bed_dump(&bed);
    assert_int_equal(bed.dump.run_count, 0);
    bed_close(&bed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recorder__nested_events_stand_in_the_order_of_their_ends),
        cmocka_unit_test(test_recorder__delegate_events_take_the_instruction_of_their_end),
        cmocka_unit_test(test_recorder__every_kind_comes_back_as_it_was),
        cmocka_unit_test(test_recorder__every_buffer_size_keeps_or_counts),
        cmocka_unit_test(test_recorder__an_end_without_a_begin_is_counted),
        cmocka_unit_test(test_recorder__events_before_a_run_open_one),
        cmocka_unit_test(test_recorder__a_clock_that_runs_backwards_is_counted),
        cmocka_unit_test(test_recorder__calls_after_finish_are_counted),
        cmocka_unit_test(test_recorder__what_is_disabled_is_neither_kept_nor_counted),
        cmocka_unit_test(test_recorder__names_may_go_and_pointers_be_reused),
        cmocka_unit_test(test_recorder__static_names_are_kept_as_pointers),
        cmocka_unit_test(test_recorder__a_full_table_of_names_is_counted),
        cmocka_unit_test(test_recorder__the_table_has_room_for_all_numbers),
        cmocka_unit_test(test_recorder__a_ring_keeps_the_latest),
        cmocka_unit_test(test_recorder__a_ring_outlives_its_numbers),
        cmocka_unit_test(test_recorder__many_runs_keep_their_events),
        cmocka_unit_test(test_recorder__two_threads_have_their_own_runs),
        cmocka_unit_test(test_recorder__bad_configs_are_refused_and_safe)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
