/* The sinks of platforms/: files, descriptors, limits, and what refuses. */
#define _XOPEN_SOURCE 700
#include "test_recorder_support.h"

#include <fcntl.h>
#include <unistd.h>

#include "posix/posix_trace.h"
#include "stdio/stdio_trace.h"

static int open_temporary(char *path)
{
    strcpy(path, "/tmp/etscope-XXXXXX");
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    return fd;
}

static size_t read_back(const char *path, uint8_t *data, size_t capacity)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(data, 1, capacity, file);
    fclose(file);
    remove(path);
    return size;
}

static void test_trace_posix__a_dump_goes_to_a_descriptor(void **state)
{
    static uint8_t data[1 << 16];
    struct bed bed;
    char path[32];
    (void)state;
    const int fd = open_temporary(path);
    bed_open(&bed, 4096);
    record_one(&bed, "op", 1);
    bed_dump(&bed);
    const struct ets_etdump_sink sink = ets_posix_stream(&fd);
    assert_int_equal(ets_trace_write(&bed.trace, &sink, NULL), ETS_OK);
    close(fd);
    assert_int_equal(ets_trace_write(&bed.trace, &sink, NULL), ETS_IO);
    assert_int_equal(read_back(path, data, sizeof data), bed.file_bytes);
    assert_memory_equal(data, bed.file, bed.file_bytes);
    bed_close(&bed);
}

static void test_trace_posix__tensors_lie_in_a_file_without_gaps(void **state)
{
    static const uint8_t data[10] = "012345678";
    uint8_t back[64];
    struct bed bed;
    char path[32];
    struct ets_posix_file file = {.fd = open_temporary(path), .max_bytes = 25};
    const struct ets_tensor tensor = {.scalar_type = ETS_SCALAR_BYTE,
                                      .rank = 1,
                                      .sizes = {10},
                                      .strides = {1},
                                      .data = data,
                                      .data_bytes = 10};
    const int fd = file.fd;
    (void)state;
    bed_prepare(&bed, 4096);
    bed.config.data_sink = ets_posix_data_sink(&file);
    assert_int_equal(bed_start(&bed), ETS_OK);
    assert_int_equal(ets_trace_log_tensor(&bed.thread, NULL, &tensor, 0), ETS_OK);
    assert_int_equal(ets_trace_log_tensor(&bed.thread, NULL, &tensor, 0), ETS_OK);
    assert_int_equal(ets_trace_log_tensor(&bed.thread, NULL, &tensor, 0), ETS_NO_SPACE);
    close(fd);
    file.max_bytes = 0;
    assert_int_equal(ets_trace_log_tensor(&bed.thread, NULL, &tensor, 0), ETS_IO);
    assert_int_equal(ets_trace_log_tensor(&bed.thread, NULL, &tensor, 0), ETS_IO);
    assert_int_equal(bed_state(&bed).dropped, 3);
    bed_dump(&bed);
    assert_int_equal(count_events(&bed), 2);
    struct ets_debug_value value;
    struct ets_tensor read;
    int64_t offset;
    ets_etdump_debug_value(&bed.dump, bed_event(&bed, 0, 1).payload_at, &value);
    assert_int_equal(ets_etdump_tensor(&bed.dump, &value, 0, &read, &offset, NULL), ETS_OK);
    assert_int_equal(offset, 10);
    assert_int_equal(read_back(path, back, sizeof back), 20);
    bed_close(&bed);
}

/* Logs ten bytes ten times into `sink`; what it refuses is counted. */
static uint32_t log_tens(struct ets_trace_data_sink sink)
{
    static const uint8_t data[10] = "012345678";
    const struct ets_tensor tensor = {.scalar_type = ETS_SCALAR_BYTE,
                                      .rank = 1,
                                      .sizes = {10},
                                      .strides = {1},
                                      .data = data,
                                      .data_bytes = 10};
    struct bed bed;
    bed_prepare(&bed, 4096);
    bed.config.data_sink = sink;
    assert_int_equal(bed_start(&bed), ETS_OK);
    for (int i = 0; i < 10; i++) (void)ets_trace_log_tensor(&bed.thread, NULL, &tensor, 0);
    bed_dump(&bed);
    const uint32_t kept = count_events(&bed);
    assert_int_equal(kept + bed_state(&bed).dropped, 10);
    bed_close(&bed);
    return kept;
}

static void test_trace_posix__files_of_tensors_are_opened_by_path(void **state)
{
    uint8_t back[128];
    char path[32];
    struct ets_posix_file file = {.max_bytes = 70};
    (void)state;
    close(open_temporary(path));
    assert_int_equal(ets_posix_open(&file, path), ETS_OK);
    assert_int_equal(log_tens(ets_posix_data_sink(&file)), 7);
    assert_int_equal(ets_posix_close(&file), ETS_OK);
    assert_int_equal(log_tens(ets_posix_data_sink(&file)), 0);
    assert_int_equal(ets_posix_close(&file), ETS_IO);
    assert_int_equal(read_back(path, back, sizeof back), 70);
    assert_int_equal(ets_posix_open(&file, "/nonexistent/debug.bin"), ETS_IO);
    assert_int_equal(log_tens(ets_posix_data_sink(&file)), 0);
    if (ets_posix_open(&file, "/dev/full") != ETS_OK) return;
    assert_int_equal(log_tens(ets_posix_data_sink(&file)), 0);
    assert_int_equal(file.has_failed, 1);
    assert_int_equal(ets_posix_close(&file), ETS_IO);
}

static void test_trace_posix__the_c_librarys_files_serve_as_well(void **state)
{
    static uint8_t back[1 << 16];
    struct bed bed;
    char path[32];
    struct ets_stdio_file file = {.max_bytes = 50};
    (void)state;
    close(open_temporary(path));
    file.file = fopen(path, "wb");
    assert_int_equal(log_tens(ets_stdio_data_sink(&file)), 5);
    assert_int_equal(fclose(file.file), 0);
    assert_int_equal(read_back(path, back, sizeof back), 50);
    file = (struct ets_stdio_file){.file = NULL};
    assert_int_equal(log_tens(ets_stdio_data_sink(&file)), 0);
    FILE *full = fopen("/dev/full", "wb");
    if (full != NULL) {
        setvbuf(full, NULL, _IONBF, 0);
        file = (struct ets_stdio_file){.file = full};
        assert_int_equal(log_tens(ets_stdio_data_sink(&file)), 0);
        assert_null(file.file);
        fclose(full);
    }
    bed_open(&bed, 4096);
    record_one(&bed, "op", 1);
    bed_dump(&bed);
    FILE *dump = fopen(path, "wb");
    const struct ets_etdump_sink sink = ets_stdio_stream(dump), none = ets_stdio_stream(NULL);
    assert_int_equal(ets_trace_write(&bed.trace, &sink, NULL), ETS_OK);
    assert_int_equal(ets_trace_write(&bed.trace, &none, NULL), ETS_IO);
    assert_int_equal(fclose(dump), 0);
    assert_int_equal(read_back(path, back, sizeof back), bed.file_bytes);
    assert_memory_equal(back, bed.file, bed.file_bytes);
    bed_close(&bed);
}

static void test_trace_posix__clocks_advance_on_one_axis(void **state)
{
    struct bed bed;
    (void)state;
    bed_prepare(&bed, 4096);
    bed.config.clock = ets_posix_cycles;
    bed.config.clock_hz = ets_posix_cycles_hz();
    bed.config.platform_clock = ets_posix_monotonic_ns;
    bed.config.clock_context = NULL;
    const uint64_t before = ets_posix_monotonic_ns(NULL);
    assert_int_equal(bed_start(&bed), ETS_OK);
    ets_trace_begin_run(&bed.thread, &(struct ets_trace_run){.name = "Execute"});
    const struct ets_trace_span span = ets_trace_begin(&bed.thread, ETS_TRACE_OPERATORS, "wait");
    while (ets_posix_monotonic_ns(NULL) - before < 20000000) continue;
    ets_trace_end(&bed.thread, span);
    ets_trace_end_run(&bed.thread);
    ets_trace_measure_cost(&bed.thread);
    ets_trace_finish(&bed.trace);
    const uint64_t after = ets_posix_monotonic_ns(NULL);
    bed_dump(&bed);
    const struct ets_etdump_event event = bed_event(&bed, 0, 0);
    assert_true(event.start_ticks + 1000000 >= before && event.end_ticks <= after + 1000000);
    assert_true(event.end_ticks - event.start_ticks > 15000000);
    struct ets_trace_facts summary;
    ets_trace_extra_facts(&bed.extra, &summary);
    assert_true(summary.cost_ns_q8 > 0);
    bed_close(&bed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trace_posix__a_dump_goes_to_a_descriptor),
        cmocka_unit_test(test_trace_posix__tensors_lie_in_a_file_without_gaps),
        cmocka_unit_test(test_trace_posix__files_of_tensors_are_opened_by_path),
        cmocka_unit_test(test_trace_posix__the_c_librarys_files_serve_as_well),
        cmocka_unit_test(test_trace_posix__clocks_advance_on_one_axis)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
