/* The serializer: flatc does not see the extra block, sinks may fail anywhere. */
#define _XOPEN_SOURCE 700
#include "test_recorder_support.h"

#include "test_flatc_support.h"

#include <unistd.h>

static void record_some(struct bed *bed)
{
    static const float data[6] = {1, 2, 3, 4, 5, 6};
    struct ets_tensor tensors[2] = {{.scalar_type = ETS_SCALAR_FLOAT,
                                     .rank = 2,
                                     .sizes = {2, 3},
                                     .data = data,
                                     .data_bytes = sizeof data},
                                    {.scalar_type = ETS_SCALAR_BFLOAT16, .rank = 1, .sizes = {0}}};
    ets_tensor_set_contiguous(&tensors[0]);
    ets_tensor_set_contiguous(&tensors[1]);
    ets_trace_begin_run(
        &bed->thread,
        &(struct ets_trace_run){
            .name = "Execute", .method = "forward", .is_bundled = 1, .bundled_input_index = 2});
    const int32_t allocator = ets_trace_add_allocator(&bed->thread, "planned");
    ets_trace_log_allocation(&bed->thread, allocator, 64);
    record_one(bed, "OPERATOR_CALL", 3);
    ets_trace_set_instruction(&bed->thread, 0, 5);
    ets_trace_log_tensor(&bed->thread, NULL, &tensors[0], 0);
    ets_trace_log_tensors(&bed->thread, &(struct ets_trace_delegate){"part", 0}, tensors, 2, 0);
    ets_trace_log_int(&bed->thread, &(struct ets_trace_delegate){NULL, 4}, -7, 0);
    ets_trace_log_double(&bed->thread, NULL, 0.25, 0);
    ets_trace_log_bool(&bed->thread, NULL, 1, 1);
    ets_trace_log_string(&bed->thread, &(struct ets_trace_delegate){"tokenizer", 0}, "hello", 1);
    ets_trace_end_run(&bed->thread);
}

static void test_trace_dump__tensors_get_their_bytes(void **state)
{
    static _Alignas(64) uint8_t debug_buffer[512];
    struct bed bed;
    struct ets_debug_value value;
    struct ets_tensor tensor;
    int64_t offset;
    (void)state;
    bed_prepare(&bed, 4096);
    bed.config.debug_buffer = debug_buffer;
    bed.config.debug_buffer_bytes = sizeof debug_buffer;
    assert_int_equal(bed_start(&bed), ETS_OK);
    record_some(&bed);
    bed_dump(&bed);
    struct ets_etdump_event event = bed_event(&bed, 0, 2);
    ets_etdump_debug_value(&bed.dump, event.payload_at, &value);
    assert_int_equal(ets_etdump_tensor(&bed.dump, &value, 0, &tensor, &offset, NULL), ETS_OK);
    assert_int_equal(offset, 0);
    assert_int_equal(tensor.sizes[1], 3);
    assert_int_equal(tensor.strides[0], 3);
    const struct ets_bytes bytes = {debug_buffer, sizeof debug_buffer};
    assert_int_equal(ets_etdump_tensor_data(bytes, offset, &tensor, NULL), ETS_OK);
    assert_true(((const float *)tensor.data)[5] == 6);
    event = bed_event(&bed, 0, 3);
    ets_etdump_debug_value(&bed.dump, event.payload_at, &value);
    assert_int_equal(value.tensor_count, 2);
    assert_int_equal(ets_etdump_tensor(&bed.dump, &value, 0, &tensor, &offset, NULL), ETS_OK);
    assert_int_equal(offset, 64);
    assert_int_equal(ets_etdump_tensor(&bed.dump, &value, 1, &tensor, &offset, NULL), ETS_OK);
    assert_int_equal(offset, -1);
    assert_int_equal(tensor.scalar_type, ETS_SCALAR_BFLOAT16);
    struct ets_trace_extra_string string;
    size_t at = 0;
    assert_int_equal(ets_trace_extra_next_string(&bed.extra, &at, &string), 1);
    assert_text(string.value, "hello");
    assert_text(string.delegate_name, "tokenizer");
    assert_int_equal(string.instruction, 5);
    assert_int_equal(string.next_event, 7);
    assert_int_equal(string.is_output, 1);
    bed_close(&bed);
}

static void test_trace_dump__a_full_debug_buffer_is_counted(void **state)
{
    static const uint8_t data[100];
    static uint8_t debug_buffer[256];
    struct bed bed;
    const struct ets_tensor tensor = {.scalar_type = ETS_SCALAR_BYTE,
                                      .rank = 1,
                                      .sizes = {100},
                                      .strides = {1},
                                      .data = data,
                                      .data_bytes = 100};
    (void)state;
    for (size_t size = 0; size <= sizeof debug_buffer; size++) {
        bed_prepare(&bed, 4096);
        bed.config.debug_buffer = debug_buffer;
        bed.config.debug_buffer_bytes = size;
        assert_int_equal(bed_start(&bed), ETS_OK);
        for (int i = 0; i < 4; i++) {
            const enum ets_status status = ets_trace_log_tensor(&bed.thread, NULL, &tensor, 0);
            assert_true(status == ETS_OK || status == ETS_NO_SPACE);
        }
        const struct ets_trace_state counts = bed_state(&bed);
        assert_true(counts.debug_bytes <= size);
        bed_dump(&bed);
        assert_int_equal(count_events(&bed) + counts.dropped, 4);
        bed_close(&bed);
    }
}

/* Without the extra block the file is the same but for the length in its prefix. */
static void test_trace_dump__flatc_does_not_see_the_extra_block(void **state)
{
    char folder[] = "/tmp/etscope-XXXXXX";
    struct bed bed;
    (void)state;
    static uint8_t debug_buffer[512];
    if (system("command -v flatc >/dev/null") != 0) SKIP_BECAUSE("flatc is missing");
    assert_non_null(mkdtemp(folder));
    bed_prepare(&bed, 4096);
    bed.config.debug_buffer = debug_buffer;
    bed.config.debug_buffer_bytes = sizeof debug_buffer;
    assert_int_equal(bed_start(&bed), ETS_OK);
    record_some(&bed);
    bed_dump(&bed);
    char *with = flatc_json(folder, (struct ets_bytes){bed.file, bed.file_bytes});
    const size_t bare = (size_t)(bed.extra.entries.data - bed.file);
    assert_int_equal(bare % 8, 0);
    uint8_t *cut = malloc(bare);
    assert_non_null(cut);
    memcpy(cut, bed.file, bare);
    for (int i = 0; i < 4; i++) cut[i] = (uint8_t)((bare - 4) >> 8 * i);
    char *without = flatc_json(folder, (struct ets_bytes){cut, bare});
    assert_string_equal(with, without);
    assert_non_null(strstr(with, "\"OPERATOR_CALL\""));
    assert_non_null(strstr(with, "\"bundled_input_index\": 2"));
    assert_non_null(strstr(with, "\"planned\""));
    assert_non_null(strstr(with, "\"BFLOAT16\""));
    free(cut);
    free(with);
    free(without);
    rmdir(folder);
    bed_close(&bed);
}

struct failing {
    uint32_t writes, refuse_from;
    size_t taken;
};

static int write_failing(void *context, const void *data, size_t size)
{
    struct failing *failing = context;
    (void)data;
    if (++failing->writes >= failing->refuse_from) return -1;
    failing->taken += size;
    return 0;
}

static void test_trace_dump__every_failing_write_is_told(void **state)
{
    struct bed bed;
    (void)state;
    bed_open(&bed, 4096);
    record_some(&bed);
    bed_dump(&bed);
    for (uint32_t n = 1;; n++) {
        struct failing failing = {.refuse_from = n};
        struct ets_error error = {0};
        const struct ets_etdump_sink sink = {&failing, write_failing};
        const enum ets_status status = ets_trace_write(&bed.trace, &sink, &error);
        if (status == ETS_OK) {
            assert_int_equal(failing.taken, bed.file_bytes);
            assert_true(n > 3);
            break;
        }
        assert_int_equal(status, ETS_IO);
        assert_int_equal(error.offset, failing.taken);
    }
    size_t needed = 0;
    for (size_t size = 0; size < bed.file_bytes; size++) {
        uint8_t *buffer = malloc(size + 1);
        assert_non_null(buffer);
        assert_int_equal(ets_trace_write_buffer(&bed.trace, buffer, size, &needed, NULL),
                         ETS_NO_SPACE);
        assert_int_equal(needed, bed.file_bytes);
        free(buffer);
    }
    bed_close(&bed);
}

static void test_trace_dump__every_damaged_byte_of_the_extra_block_is_noticed(void **state)
{
    struct bed bed;
    (void)state;
    bed_open(&bed, 4096);
    record_some(&bed);
    bed_dump(&bed);
    const size_t from = (size_t)(bed.extra.entries.data - bed.file);
    for (size_t i = from; i < bed.file_bytes; i++) {
        struct ets_trace_extra extra;
        bed.file[i] ^= 0x10;
        assert_int_not_equal(
            ets_trace_extra_init(&extra, (struct ets_bytes){bed.file, bed.file_bytes}, NULL),
            ETS_OK);
        bed.file[i] ^= 0x10;
    }
    for (size_t size = 0; size < bed.file_bytes; size++) {
        struct ets_trace_extra extra;
        assert_int_not_equal(ets_trace_extra_init(&extra, (struct ets_bytes){bed.file, size}, NULL),
                             ETS_OK);
    }
    bed_close(&bed);
}

/* A counter of 2.5 GHz beside a platform clock in microseconds. */
static uint64_t read_counter(void *context)
{
    struct script *script = context;
    script->now += script->step;
    return 77 + script->now / 2 * 5;
}

static uint64_t read_platform(void *context)
{
    const struct script *script = context;
    return script->now / 1000;
}

static void check_times(uint64_t hz)
{
    struct bed bed;
    bed_prepare(&bed, 4096);
    bed.script = (struct script){UINT64_C(5000000000), 1000};
    bed.config.clock = read_counter;
    bed.config.clock_hz = hz;
    bed.config.platform_clock = read_platform;
    bed.config.platform_clock_context = &bed.script;
    bed.config.platform_ns_numerator = 1000;
    assert_int_equal(bed_start(&bed), ETS_OK);
    ets_trace_begin_run(&bed.thread, &(struct ets_trace_run){.name = "Execute"});
    bed.script.step = 10000000;
    record_one(&bed, "long", 0);
    const uint64_t now = read_platform(&bed.script);
    ets_trace_log_delegate(&bed.thread, (struct ets_trace_delegate){NULL, 1}, now, now + 5,
                           (struct ets_bytes){NULL, 0});
    ets_trace_end_run(&bed.thread);
    ets_trace_finish(&bed.trace);
    bed_dump(&bed);
    const struct ets_etdump_event own = bed_event(&bed, 0, 0), theirs = bed_event(&bed, 0, 1);
    assert_in_range(own.end_ticks - own.start_ticks, 9999000, 10001000);
    assert_in_range(own.end_ticks, now * 1000 - 2000, now * 1000 + 2000);
    assert_true(theirs.start_ticks == now * 1000);
    assert_true(theirs.end_ticks - theirs.start_ticks == 5000);
    struct ets_trace_facts facts;
    ets_trace_extra_facts(&bed.extra, &facts);
    assert_int_equal(facts.has_clock, 1);
    assert_int_equal(facts.is_calibrated, 1);
    assert_true(facts.clock_hz == hz);
    bed_close(&bed);
}

static void test_trace_dump__both_clocks_are_on_one_axis(void **state)
{
    (void)state;
    check_times(0);
    check_times(UINT64_C(2500000000));
}

static uint64_t read_downwards(void *context)
{
    struct script *script = context;
    return script->now -= 3000000;
}

/* No rate can be found by it, and the one that was told stays. */
static void test_trace_dump__a_platform_clock_that_runs_backwards_is_not_followed(void **state)
{
    struct script platform = {UINT64_C(1) << 40, 0};
    struct bed bed;
    (void)state;
    bed_prepare(&bed, 4096);
    bed.config.clock_hz = 500000000;
    bed.config.platform_clock = read_downwards;
    bed.config.platform_clock_context = &platform;
    assert_int_equal(bed_start(&bed), ETS_OK);
    ets_trace_begin_run(&bed.thread, &(struct ets_trace_run){.name = "Execute"});
    bed.script.step = 1000000;
    record_one(&bed, "long", 0);
    ets_trace_end_run(&bed.thread);
    bed_dump(&bed);
    const struct ets_etdump_event event = bed_event(&bed, 0, 0);
    assert_int_equal(event.end_ticks - event.start_ticks, 2000000);
    bed_close(&bed);
}

/* The last run of a dump that lacks events says so, by its name and its event's. */
static void test_trace_dump__a_full_buffer_is_an_event_too(void **state)
{
    (void)state;
    for (uint32_t events = 30; events < 60; events++) {
        struct bed bed;
        bed_open(&bed, 2048);
        for (uint32_t i = 0; i < events; i++) record_one(&bed, "op", i);
        bed_dump(&bed);
        const uint32_t dropped = bed_state(&bed).dropped, unnamed = bed_state(&bed).unnamed;
        assert_int_equal(bed.is_cut, dropped > 0);
        assert_int_equal(bed.dump.run_count, 1);
        assert_int_equal(bed_run(&bed, 0).event_count, events - dropped);
        bed.dump.run_count += bed.is_cut;
        if (dropped > 0) {
            assert_int_equal(unnamed, 0);
            assert_text(bed_run(&bed, 1).name, ETS_TRACE_CUT_NAME);
            assert_int_equal(bed_run(&bed, 1).event_count, 1);
            assert_text(bed_event(&bed, 1, 0).name, ETS_TRACE_CUT_NAME);
            assert_int_equal(bed_event(&bed, 1, 0).chain, -1);
        }
        bed_close(&bed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trace_dump__tensors_get_their_bytes),
        cmocka_unit_test(test_trace_dump__a_full_debug_buffer_is_counted),
        cmocka_unit_test(test_trace_dump__flatc_does_not_see_the_extra_block),
        cmocka_unit_test(test_trace_dump__every_failing_write_is_told),
        cmocka_unit_test(test_trace_dump__every_damaged_byte_of_the_extra_block_is_noticed),
        cmocka_unit_test(test_trace_dump__both_clocks_are_on_one_axis),
        cmocka_unit_test(test_trace_dump__a_full_buffer_is_an_event_too),
        cmocka_unit_test(test_trace_dump__a_platform_clock_that_runs_backwards_is_not_followed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
