/* Summaries of a device: what traces add up to, and what the reader makes of the file. */
#define _XOPEN_SOURCE 700
#include "test_recorder_support.h"

#include "base/load.h"
#include "base/summary_layout.h"
#include "etscope/trace_summary.h"
#include "format/summary_file.h"
#include "test_faults_support.h"
#include "trace/siphash.h"

enum { ROWS = 8, TEXTS = 128, FILE_BYTES = 4096 };

struct summed {
    struct bed bed;
    struct ets_trace_summary_row rows[ROWS];
    char texts[TEXTS];
    struct ets_trace_summary_config config;
    struct ets_trace_summary summary;
    uint8_t file[FILE_BYTES];
    size_t written, room; /* the sink refuses what is beyond */
};

static void prepare(struct summed *t)
{
    memset(t, 0, sizeof *t);
    t->room = FILE_BYTES;
    t->config = (struct ets_trace_summary_config){
        .rows = t->rows, .row_count = ROWS, .texts = t->texts, .text_bytes = TEXTS};
}

static void start(struct summed *t)
{
    bed_prepare(&t->bed, 8192);
    t->bed.config.clock_hz = 1000000000; /* a tick is a nanosecond */
    assert_int_equal(bed_start(&t->bed), ETS_OK);
    ets_trace_summary_init(&t->summary, &t->config);
}

/* An event that takes `time`. */
static void record(struct summed *t, const char *name, uint64_t time)
{
    const enum ets_trace_what what =
        strncmp(name, "Method::", 8) == 0 ? ETS_TRACE_METHODS : ETS_TRACE_OPERATORS;
    t->bed.script.step = 1;
    const struct ets_trace_span span = ets_trace_begin(&t->bed.thread, what, name);
    t->bed.script.step = time;
    ets_trace_end(&t->bed.thread, span);
}

/* conv once, add twice, in all `times` 100, and twice 30. */
static void record_run(struct summed *t, uint64_t times)
{
    ets_trace_begin_run(&t->bed.thread,
                        &(struct ets_trace_run){.name = "Execute", .method = "forward"});
    ets_trace_set_instruction(&t->bed.thread, 0, 3);
    record(t, "native_call_conv.out", 100 * times);
    record(t, "OPERATOR_CALL", 7);
    ets_trace_set_instruction(&t->bed.thread, 0, 4);
    record(t, "native_call_add.out", 30 * times);
    record(t, "native_call_add.out", 30 * times);
    ets_trace_set_instruction(&t->bed.thread, -1, 0);
    record(t, "Method::execute", 200 * times);
    ets_trace_end_run(&t->bed.thread);
}

static void add_all(struct summed *t)
{
    ets_trace_finish(&t->bed.trace);
    ets_trace_summary_add(&t->summary, &t->bed.trace);
    assert_int_equal(ets_trace_reset(&t->bed.trace), ETS_OK);
    ets_trace_thread_init(&t->bed.thread, &t->bed.trace);
}

static int take(void *context, const void *data, size_t size)
{
    struct summed *t = context;
    if (size > t->room - t->written) return 1;
    memcpy(t->file + t->written, data, size);
    t->written += size;
    return 0;
}

static struct ets_summary_file write_and_open(struct summed *t)
{
    struct ets_error error = {0};
    struct ets_summary_file file;
    const struct ets_etdump_sink sink = {t, take};
    t->written = 0;
    if (ets_trace_summary_write(&t->summary, &sink, &error) != ETS_OK)
        fail_msg("%s", error.message);
    assert_int_equal(t->written, ets_trace_summary_size(&t->summary));
    const struct ets_bytes bytes = {t->file, t->written};
    if (ets_summary_file_open(bytes, &file, &error) != ETS_OK) fail_msg("%s", error.message);
    return file;
}

static struct ets_summary_row find_row(const struct ets_summary_file *file, const char *name)
{
    struct ets_summary_row row;
    for (uint32_t i = 0; i < file->row_count; i++) {
        ets_summary_file_row(file, i, &row);
        if (row.name.size == strlen(name) && memcmp(row.name.data, name, row.name.size) == 0) {
            return row;
        }
    }
    fail_msg("no row %s", name);
    return row;
}

static void test_trace_summary__runs_of_several_traces_add_up(void **state)
{
    struct summed t;
    (void)state;
    prepare(&t);
    start(&t);
    for (uint64_t run = 1; run <= 4; run++) {
        record_run(&t, run);
        if (run % 2 == 0) add_all(&t);
    }
    const struct ets_summary_file file = write_and_open(&t);
    assert_int_equal(file.row_count, 3);
    assert_int_equal(file.runs, 4);
    assert_int_equal(file.lost_values, 0);
    assert_int_equal(file.is_hashed, 0);
    struct ets_summary_row row = find_row(&file, "conv.out");
    assert_int_equal(row.kind, ETS_TRACE_SUMMARY_OPERATOR);
    assert_int_equal(row.instruction, 3);
    assert_int_equal(row.count, 4);
    assert_int_equal(row.sum_ns, 1000);
    assert_int_equal(row.min_ns, 100);
    assert_int_equal(row.max_ns, 400);
    assert_memory_equal(row.method.data, "forward", 7);
    row = find_row(&file, "add.out"); /* twice in a run: one time of it */
    assert_int_equal(row.count, 4);
    assert_int_equal(row.sum_ns, 600);
    assert_int_equal(row.min_ns, 60);
    row = find_row(&file, "Method::execute");
    assert_int_equal(row.kind, ETS_TRACE_SUMMARY_RUN);
    assert_int_equal(row.instruction, -1);
    assert_int_equal(row.sum_ns, 2000);
    uint32_t in_buckets = 0;
    for (uint32_t i = 0; i < ETS_SUMMARY_BUCKET_COUNT; i++) in_buckets += row.buckets[i];
    assert_int_equal(in_buckets, 4);
    bed_close(&t.bed);
}

static void test_trace_summary__warm_up_is_left_out_and_counted(void **state)
{
    struct summed t;
    (void)state;
    prepare(&t);
    t.config.warm_up_runs = 3;
    start(&t);
    for (uint64_t run = 0; run < 5; run++) {
        record_run(&t, run < 3 ? 50 : 1);
        add_all(&t);
    }
    const struct ets_summary_file file = write_and_open(&t);
    assert_int_equal(file.runs, 2);
    assert_int_equal(file.warm_up_runs, 3);
    assert_int_equal(find_row(&file, "conv.out").max_ns, 100);
    bed_close(&t.bed);
}

/* In a ring, the oldest run has lost its start, and a buffer that is full the last run its end. */
static void test_trace_summary__parts_of_runs_do_not_count(void **state)
{
    (void)state;
    for (int mode = ETS_TRACE_STOP; mode <= ETS_TRACE_RING; mode++) {
        struct summed t;
        prepare(&t);
        bed_prepare(&t.bed, 2048);
        t.bed.config.clock_hz = 1000000000;
        t.bed.config.mode = (enum ets_trace_mode)mode;
        assert_int_equal(bed_start(&t.bed), ETS_OK);
        ets_trace_summary_init(&t.summary, &t.config);
        for (int run = 0; run < 100; run++) record_run(&t, 1);
        add_all(&t);
        const struct ets_summary_file file = write_and_open(&t);
        assert_true(file.runs > 2 && file.runs < 50);
        assert_true(file.lost_events > 0);
        const struct ets_summary_row row = find_row(&file, "add.out");
        assert_int_equal(row.count, file.runs);
        assert_int_equal(row.min_ns, 60);
        assert_int_equal(row.max_ns, 60);
        bed_close(&t.bed);
    }
}

static void test_trace_summary__hashes_show_no_name(void **state)
{
    static const uint8_t print[] = "0123";
    struct summed t;
    struct ets_summary_row row, other;
    (void)state;
    prepare(&t);
    t.config.hash_names = 1;
    t.config.key[15] = 7;
    start(&t);
    t.bed.trace.config.fingerprint = (struct ets_bytes){print, 4};
    memcpy(t.bed.trace.fingerprint, print, 4);
    record_run(&t, 1);
    add_all(&t);
    struct ets_summary_file file = write_and_open(&t);
    assert_int_equal(file.is_hashed, 1);
    assert_int_equal(file.text_bytes, 0);
    assert_int_equal(file.fingerprint.size, 8);
    for (size_t i = 0; i + 4 <= t.written; i++) {
        assert_true(memcmp(t.file + i, "conv", 4) != 0);
        assert_true(memcmp(t.file + i, print, 4) != 0);
    }
    ets_summary_file_row(&file, 0, &row);
    assert_null(row.name.data);
    assert_true(row.name_hash == ets_siphash(t.config.key, "Method::execute", 15));
    assert_true(ets_load_u64(file.fingerprint.data) == ets_siphash(t.config.key, print, 4));
    /* Another key, another hash. */
    ets_trace_summary_init(&t.summary, &(struct ets_trace_summary_config){
                                           .rows = t.rows, .row_count = ROWS, .key = {8}});
    record_run(&t, 1);
    add_all(&t);
    file = write_and_open(&t);
    ets_summary_file_row(&file, 0, &other);
    assert_true(row.name_hash != other.name_hash);
    bed_close(&t.bed);
}

static void test_trace_summary__a_method_without_a_name_has_no_hash(void **state)
{
    (void)state;
    for (int hash_names = 0; hash_names <= 1; hash_names++) {
        struct summed t;
        struct ets_summary_row row;
        prepare(&t);
        t.config.hash_names = hash_names;
        start(&t);
        ets_trace_begin_run(&t.bed.thread, &(struct ets_trace_run){.name = "Execute"});
        record(&t, "Method::execute", 70);
        ets_trace_end_run(&t.bed.thread);
        add_all(&t);
        const struct ets_summary_file file = write_and_open(&t);
        ets_summary_file_row(&file, 0, &row);
        assert_true(row.method_hash == 0 && row.method.size == 0);
        assert_true(row.name_hash != 0);
        bed_close(&t.bed);
    }
}

/* Every number of rows and bytes of text: nothing is written beyond them, and losses are counted.
 */
static void test_trace_summary__small_memory_is_counted(void **state)
{
    (void)state;
    for (uint32_t rows = 0; rows <= 3; rows++) {
        for (uint32_t texts = 0; texts <= 40; texts++) {
            struct summed t;
            prepare(&t);
            t.config.row_count = rows;
            t.config.text_bytes = texts;
            memset(t.texts, 0x5a, TEXTS);
            start(&t);
            record_run(&t, 1);
            add_all(&t);
            const struct ets_summary_file file = write_and_open(&t);
            assert_int_equal(file.row_count, rows);
            static const uint32_t lost[] = {4, 3, 2, 0}; /* conv, add twice, the run */
            assert_int_equal(file.lost_values, lost[rows]);
            assert_int_equal(file.is_hashed, texts == 0);
            struct ets_summary_row row = {.kind = ETS_TRACE_SUMMARY_RUN, .sum_ns = 200};
            if (rows > 0) ets_summary_file_row(&file, 0, &row);
            assert_int_equal(row.kind, ETS_TRACE_SUMMARY_RUN);
            assert_int_equal(row.sum_ns, 200);
            for (uint32_t i = texts; i < TEXTS; i++) assert_int_equal(t.texts[i], 0x5a);
            bed_close(&t.bed);
        }
    }
}

/* A second method finds no free row: its runs take that of an operator, whose times count as lost.
 */
static void test_trace_summary__each_method_has_the_row_of_its_runs(void **state)
{
    struct summed t;
    (void)state;
    prepare(&t);
    t.config.row_count = 3;
    start(&t);
    for (uint64_t run = 0; run < 5; run++) {
        record_run(&t, 1);
        ets_trace_begin_run(&t.bed.thread,
                            &(struct ets_trace_run){.name = "Execute", .method = "encode"});
        record(&t, "Method::execute", 70);
        ets_trace_end_run(&t.bed.thread);
        add_all(&t);
    }
    const struct ets_summary_file file = write_and_open(&t);
    uint32_t runs = 0;
    for (uint32_t i = 0; i < file.row_count; i++) {
        struct ets_summary_row row;
        ets_summary_file_row(&file, i, &row);
        if (row.instruction == -1) runs += row.count; /* those of encode have no operators */
    }
    assert_int_equal(runs, 10);
    assert_int_equal(find_row(&file, "conv.out").count, 5);
    assert_int_equal(file.lost_values, 1 + 4 * 2); /* add's first time, then two in each run */
    bed_close(&t.bed);
}

/* A tracer that records operators in some runs only: to record them takes time, so these runs are
 * apart. */
static void test_trace_summary__runs_without_operators_have_a_row_of_their_own(void **state)
{
    struct summed t;
    struct ets_summary_row row;
    (void)state;
    prepare(&t);
    start(&t);
    for (int run = 0; run < 24; run++) {
        if (run % 8 == 0) {
            record_run(&t, 1);
        } else {
            ets_trace_begin_run(&t.bed.thread,
                                &(struct ets_trace_run){.name = "Execute", .method = "forward"});
            record(&t, "Method::execute", 150);
            ets_trace_end_run(&t.bed.thread);
        }
        add_all(&t);
    }
    const struct ets_summary_file file = write_and_open(&t);
    assert_int_equal(file.runs, 24);
    assert_int_equal(file.row_count, 4);
    assert_int_equal(find_row(&file, "conv.out").count, 3);
    ets_summary_file_row(&file, 0, &row);
    assert_int_equal(row.kind, ETS_TRACE_SUMMARY_RUN);
    assert_int_equal(row.count, 3);
    assert_int_equal(row.sum_ns, 3 * 200);
    ets_summary_file_row(&file, 3, &row);
    assert_int_equal(row.kind, ETS_TRACE_SUMMARY_BARE_RUN);
    assert_string_equal(ets_summary_kind_name(row.kind), "bare_run");
    assert_int_equal(row.count, 21);
    assert_int_equal(row.max_ns, 150);
    assert_memory_equal(row.name.data, "Method::execute", 15);
    assert_null(ets_summary_kind_name(5));
    assert_int_equal(file.has_operators, 1);
    /* A report of fewer runs than a sample has none, but the device knows. */
    ets_trace_summary_reset(&t.summary);
    assert_int_equal(write_and_open(&t).has_operators, 1);
    ets_trace_summary_init(&t.summary, &t.config);
    assert_int_equal(write_and_open(&t).has_operators, 0);
    bed_close(&t.bed);
}

/* A device that reports again and again: each report is of its own runs, and has its number. */
static void test_trace_summary__reports_count_each_run_once(void **state)
{
    struct summed t;
    (void)state;
    prepare(&t);
    t.config.warm_up_runs = 2;
    t.config.start = 77;
    start(&t);
    for (uint32_t report = 0; report < 3; report++) {
        for (uint64_t run = 0; run < 5; run++) record_run(&t, report + 1);
        add_all(&t);
        struct ets_summary_file file = write_and_open(&t);
        assert_int_equal(file.start, 77);
        assert_int_equal(file.sequence, report);
        assert_int_equal(file.runs, report == 0 ? 3 : 5);
        assert_int_equal(file.warm_up_runs, report == 0 ? 2 : 0);
        const struct ets_summary_row row = find_row(&file, "conv.out");
        assert_int_equal(row.count, file.runs);
        assert_int_equal(row.min_ns, 100 * (report + 1));
        assert_int_equal(row.max_ns, 100 * (report + 1));
        file = write_and_open(&t); /* again: the same */
        assert_int_equal(file.sequence, report);
        ets_trace_summary_reset(&t.summary);
    }
    const struct ets_summary_file file = write_and_open(&t);
    assert_int_equal(file.row_count, 0);
    bed_close(&t.bed);
}

/* The time at a share of all that a row counts: the middle of its bucket. */
static double quantile(const struct ets_summary_row *row, double share)
{
    double all = 0, below = 0;
    for (uint32_t i = 0; i < ETS_SUMMARY_BUCKET_COUNT; i++) all += row->buckets[i];
    for (uint32_t i = 0; i < ETS_SUMMARY_BUCKET_COUNT; i++) {
        below += row->buckets[i];
        if (below >= share * all) return ((double)row->starts[i] + (double)row->starts[i + 1]) / 2;
    }
    return 0;
}

static void record_method(struct summed *t, uint64_t ns)
{
    ets_trace_begin_run(&t->bed.thread,
                        &(struct ets_trace_run){.name = "Execute", .method = "forward"});
    record(t, "Method::execute", ns);
    ets_trace_end_run(&t->bed.thread);
}

/* 300,000 runs of 1 ms, then 100,000 of 2 ms: p50 is 1 ms, and p80 2 ms. */
static void test_trace_summary__late_times_weigh_as_early_ones(void **state)
{
    struct summed t;
    (void)state;
    prepare(&t);
    start(&t);
    for (uint32_t run = 0; run < 400000; run++) {
        record_method(&t, run < 300000 ? 1000000 : 2000000);
        if (run % 50 == 49) add_all(&t);
    }
    const struct ets_summary_file file = write_and_open(&t);
    const struct ets_summary_row row = find_row(&file, "Method::execute");
    assert_int_equal(row.count, 400000);
    for (int percent = 1; percent < 100; percent++) {
        const double expected = percent < 75 ? 1e6 : 2e6, found = quantile(&row, percent / 100.0);
        if (percent != 75) assert_true(found >= 0.875 * expected && found <= 1.125 * expected);
    }
    bed_close(&t.bed);
}

/* Times that come in turns of 2 to 9 have their share, though only some are sampled. */
static void test_trace_summary__turns_have_their_share(void **state)
{
    (void)state;
    for (uint32_t turns = 2; turns <= 9; turns += FAULT_STRIDE) {
        struct summed t;
        prepare(&t);
        start(&t);
        for (uint32_t run = 0; run < 300000; run++) {
            record_method(&t, run % turns == 0 ? 2000 : 1000);
            if (run % 50 == 49) add_all(&t);
        }
        const struct ets_summary_file file = write_and_open(&t);
        const struct ets_summary_row row = find_row(&file, "Method::execute");
        double all = 0, slow = 0;
        for (uint32_t i = 0; i < ETS_SUMMARY_BUCKET_COUNT; i++) {
            all += row.buckets[i];
            if (row.starts[i] > 1000) slow += row.buckets[i];
        }
        assert_true(all > 30000 && all <= 65534 * turns);
        assert_true(slow / all > 1.0 / turns - 0.01 && slow / all < 1.0 / turns + 0.01);
        bed_close(&t.bed);
    }
}

static void test_trace_summary__a_full_bucket_halves_all(void **state)
{
    struct summed t;
    (void)state;
    prepare(&t);
    start(&t);
    for (uint32_t run = 0; run < 70000; run++) {
        record_run(&t, run % 4 == 0 ? 2 : 1);
        if (run % 10 == 9) add_all(&t);
    }
    const struct ets_summary_file file = write_and_open(&t);
    const struct ets_summary_row row = find_row(&file, "conv.out");
    assert_int_equal(row.count, 70000);
    assert_int_equal(row.sum_ns, 70000 * 125);
    uint32_t slow = 0, all = 0;
    for (uint32_t i = 0; i < ETS_SUMMARY_BUCKET_COUNT; i++) {
        all += row.buckets[i];
        if (row.starts[i] > 100) slow += row.buckets[i];
    }
    assert_true(all > 30000 && slow * 4.0 > all * 0.98 && slow * 4.0 < all * 1.02);
    bed_close(&t.bed);
}

static void test_trace_summary__buckets_hold_their_times(void **state)
{
    (void)state;
    for (uint32_t bucket = 0; bucket < ETS_SUMMARY_MOST_BUCKETS; bucket++) {
        const uint64_t first = ets_summary_bucket_start(bucket);
        assert_int_equal(ets_summary_bucket(first), bucket);
        if (bucket > 0) assert_int_equal(ets_summary_bucket(first - 1), bucket - 1);
    }
    assert_int_equal(ets_summary_bucket(UINT64_MAX), ETS_SUMMARY_MOST_BUCKETS - 1);
}

static void test_trace_summary__the_sink_may_refuse_at_any_byte(void **state)
{
    struct summed t;
    (void)state;
    prepare(&t);
    start(&t);
    record_run(&t, 1);
    add_all(&t);
    const struct ets_etdump_sink sink = {&t, take};
    for (t.room = 0; t.room < ets_trace_summary_size(&t.summary); t.room++) {
        struct ets_error error = {0};
        t.written = 0;
        assert_int_equal(ets_trace_summary_write(&t.summary, &sink, &error), ETS_IO);
        assert_int_equal(error.offset, t.written);
    }
    bed_close(&t.bed);
}

/* Cut at every byte, changed at every byte: an error with a reason. */
static void test_trace_summary__damage_is_found(void **state)
{
    struct summed t;
    struct ets_summary_file file;
    struct ets_error error;
    (void)state;
    prepare(&t);
    start(&t);
    record_run(&t, 1);
    add_all(&t);
    write_and_open(&t);
    for (size_t size = 0; size < t.written; size++) {
        uint8_t *copy = malloc(size == 0 ? 1 : size); /* for the sanitizer to see its end */
        memcpy(copy, t.file, size);
        assert_int_not_equal(ets_summary_file_open((struct ets_bytes){copy, size}, &file, &error),
                             ETS_OK);
        assert_true(error.message[0] != '\0');
        free(copy);
    }
    for (size_t at = 0; at < t.written; at++) {
        t.file[at] ^= 0x41;
        const struct ets_bytes bytes = {t.file, t.written};
        assert_int_not_equal(ets_summary_file_open(bytes, &file, &error), ETS_OK);
        t.file[at] ^= 0x41;
    }
    bed_close(&t.bed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trace_summary__runs_of_several_traces_add_up),
        cmocka_unit_test(test_trace_summary__warm_up_is_left_out_and_counted),
        cmocka_unit_test(test_trace_summary__parts_of_runs_do_not_count),
        cmocka_unit_test(test_trace_summary__hashes_show_no_name),
        cmocka_unit_test(test_trace_summary__small_memory_is_counted),
        cmocka_unit_test(test_trace_summary__each_method_has_the_row_of_its_runs),
        cmocka_unit_test(test_trace_summary__runs_without_operators_have_a_row_of_their_own),
        cmocka_unit_test(test_trace_summary__reports_count_each_run_once),
        cmocka_unit_test(test_trace_summary__a_method_without_a_name_has_no_hash),
        cmocka_unit_test(test_trace_summary__late_times_weigh_as_early_ones),
        cmocka_unit_test(test_trace_summary__turns_have_their_share),
        cmocka_unit_test(test_trace_summary__a_full_bucket_halves_all),
        cmocka_unit_test(test_trace_summary__buckets_hold_their_times),
        cmocka_unit_test(test_trace_summary__the_sink_may_refuse_at_any_byte),
        cmocka_unit_test(test_trace_summary__damage_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
