/* Inspections of damaged dumps, and without memory. */
#include "test_inspect_support.h"

#include "host/output.h"
#include "inspect/upstream/upstream_view.h"

#include "output/table/account_table.h"
#include "output/table/operator_table.h"
#include "output/table/tensor_table.h"
#include "views/account_lines.h"
#include "views/operator_options.h"

static volatile double sink;

/* Everything that can be asked of an inspection. */
static void walk(struct ets_inspection *inspection)
{
    struct ets_table *table;
    const struct ets_upstream_view *view;
    for (uint32_t i = 0; i < ets_inspection_row_count(inspection); i++) {
        struct ets_statistics s;
        const struct ets_row *row = ets_inspection_row(inspection, i);
        assert_int_equal(ets_inspection_row_statistics(inspection, i, ETS_NO_INDEX, &s, NULL),
                         ETS_OK);
        assert_true(row->parent == ETS_NO_INDEX ||
                    ets_inspection_row(inspection, row->parent)->block == row->block);
        sink = s.mean + (double)row->node_count;
    }
    static const enum ets_group_by groups[] = {ETS_GROUP_NONE, ETS_GROUP_OP, ETS_GROUP_SOURCE};
    for (size_t i = 0; i < COUNT(groups); i++) {
        const struct ets_operator_options options = {
            .group_by = groups[i], .block = ETS_NO_INDEX, .run = ETS_NO_INDEX};
        const struct ets_table_style style = {.width = 80};
        struct ets_output *output;
        assert_int_equal(ets_table_open(NULL, &table, NULL), ETS_OK);
        assert_int_equal(ets_operator_table_fill(table, inspection, &options, NULL), ETS_OK);
        assert_int_equal(ets_output_open("/dev/null", &output, NULL), ETS_OK);
        assert_int_equal(ets_table_write(table, &style, output, NULL), ETS_OK);
        ets_output_discard(output);
        ets_table_close(table);
    }
    const struct ets_account_options tree = {
        .block = ETS_NO_INDEX, .run = ETS_NO_INDEX, .steady = 1};
    assert_int_equal(ets_table_open(NULL, &table, NULL), ETS_OK);
    assert_int_equal(ets_account_table_fill(table, inspection, &tree, NULL), ETS_OK);
    assert_int_equal(ets_table_choose_columns(table, "self_ticks,operator", NULL), ETS_OK);
    ets_table_close(table);
    static const uint8_t debug_buffer[600]; /* holds some of the tensors */
    const struct ets_tensor_table_options tensors = {
        .debug_buffer = {debug_buffer, sizeof debug_buffer},
        .filter = {.block = ETS_NO_INDEX, .run = ETS_NO_INDEX, .event = ETS_NO_INDEX}};
    assert_int_equal(ets_table_open(NULL, &table, NULL), ETS_OK);
    assert_int_equal(ets_tensor_table_fill(table, inspection, &tensors, NULL, NULL), ETS_OK);
    ets_table_close(table);
    struct ets_error error;
    const enum ets_status status =
        ets_inspection_upstream_view(inspection, ETS_UNIT_NS, ETS_UNIT_MS, &view, &error);
    assert_true(status == ETS_OK || status == ETS_MALFORMED);
    assert_int_equal(
        ets_inspection_mended_view(inspection, ETS_UNIT_NS, ETS_UNIT_MS, &view, &error), ETS_OK);
}

/* Opens bytes[0, size) as a dump in a heap block of that size. Returns 1 where it could be read. */
static int try_dump(const uint8_t *bytes, size_t size, struct ets_etrecord *record)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    const struct ets_inspect_options options = {
        .record = record, .partial = 1, .allow_mismatch = 1};
    struct ets_inspection *inspection = NULL;
    struct ets_error error = {.status = ETS_OK};
    const enum ets_status status =
        ets_inspection_open((struct ets_bytes){copy, size}, &options, &inspection, &error);
    if (status == ETS_OK) walk(inspection);
    else assert_true(error.status == status && error.message[0] != '\0' && inspection == NULL);
    ets_inspection_close(inspection);
    free(copy);
    return status == ETS_OK;
}

struct subject {
    struct ets_file *dump_file, *record_file;
    struct ets_etrecord *record;
    struct ets_bytes dump;
};

static struct subject open_subject(const char *model, const char *dump)
{
    struct subject subject = {.dump_file = open_fixture(model, dump),
                              .record_file = open_fixture(model, "model.etrecord")};
    subject.record = open_record(ets_file_bytes(subject.record_file));
    subject.dump = ets_file_bytes(subject.dump_file);
    return subject;
}

static void close_subject(struct subject *subject)
{
    ets_etrecord_close(subject->record);
    ets_file_close(subject->record_file);
    ets_file_close(subject->dump_file);
}

static void test_inspect_faults__every_truncation_is_survived(void **state)
{
    (void)state;
    static const char *const models[] = {"linear_fp32_xnnpack", "map_loop"};
    for (size_t m = 0; m < COUNT(models); m++) {
        struct subject subject = open_subject(models[m], m == 0 ? "profile.etdp" : "debug.etdp");
        int read = 0;
        for (size_t size = first_fault(m); size < subject.dump.size; size += FAULT_STRIDE) {
            read += try_dump(subject.dump.data, size, subject.record);
        }
        read += try_dump(subject.dump.data, subject.dump.size, subject.record);
        assert_true(read > 1); /* the whole, and parts */
        close_subject(&subject);
    }
}

static void test_inspect_faults__every_flipped_byte_is_survived(void **state)
{
    (void)state;
    static const char *const dumps[] = {"profile.etdp", "debug.etdp"};
    for (size_t d = 0; d < COUNT(dumps); d++) {
        struct subject subject = open_subject("mlp_xnnpack", dumps[d]);
        uint8_t *bytes = malloc(subject.dump.size);
        assert_non_null(bytes);
        memcpy(bytes, subject.dump.data, subject.dump.size);
        for (size_t at = first_fault(d); at < subject.dump.size; at += FAULT_STRIDE) {
            const uint8_t flips[] = {(uint8_t)(1u << at % 8), 0xff};
            for (size_t k = 0; k < COUNT(flips); k++) {
                bytes[at] ^= flips[k];
                (void)try_dump(bytes, subject.dump.size, subject.record);
                bytes[at] ^= flips[k];
            }
        }
        assert_true(try_dump(bytes, subject.dump.size, subject.record));
        free(bytes);
        close_subject(&subject);
    }
}

/* Record, inspection and view out of one allocator. */
static enum ets_status inspect_with(const struct ets_allocator *allocator,
                                    const struct subject *subject, struct ets_error *error)
{
    struct ets_etrecord *record = NULL;
    struct ets_inspection *inspection = NULL;
    const struct ets_upstream_view *view;
    enum ets_status status =
        ets_etrecord_open(ets_file_bytes(subject->record_file), allocator, &record, error);
    const struct ets_inspect_options options = {.record = record, .allocator = allocator};
    if (status == ETS_OK) status = ets_inspection_open(subject->dump, &options, &inspection, error);
    if (status == ETS_OK) {
        status = ets_inspection_upstream_view(inspection, ETS_UNIT_NS, ETS_UNIT_MS, &view, error);
    }
    for (uint32_t i = 0; status == ETS_OK && i < ets_inspection_row_count(inspection); i++) {
        struct ets_statistics s;
        status = ets_inspection_row_statistics(inspection, i, ETS_NO_INDEX, &s, error);
    }
    ets_inspection_close(inspection);
    ets_etrecord_close(record);
    return status;
}

static void test_inspect_faults__every_failed_allocation_is_told(void **state)
{
    (void)state;
    static const char *const models[] = {"mlp_xnnpack", "multi_method", "cond"};
    for (size_t m = 0; m < COUNT(models); m++) {
        struct subject subject = open_subject(models[m], "profile.etdp");
        unsigned long n = 0;
        struct ets_error error = {.status = ETS_OK}, last;
        for (int succeeded = 0; !succeeded; n++) {
            struct failing failing = {.fail_at = n};
            const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
            last = error;
            const enum ets_status status = inspect_with(&allocator, &subject, &error);
            succeeded = status == ETS_OK;
            if (!succeeded) assert_int_equal(status, ETS_NO_MEMORY);
            if (!succeeded) assert_int_equal(error.status, ETS_NO_MEMORY);
            assert_int_equal(failing.live, 0);
            assert_true(n < 10000);
        }
        assert_true(n > 5);
        assert_string_equal(last.message, "no memory for a row's times");
        close_subject(&subject);
    }
}

/* Many blocks, each of its own shape: none of the steps looks at all of them for each. */
static void test_inspect_faults__many_shapes_are_many_blocks(void **state)
{
    (void)state;
    enum { RUNS = 3000 };
    struct made_run *runs = calloc(RUNS, sizeof *runs);
    struct made_event *events = calloc(RUNS, sizeof *events);
    assert_non_null(runs);
    assert_non_null(events);
    for (uint32_t i = 0; i < RUNS; i++) {
        events[i] = (struct made_event)CALL("native_call_a.out", (int32_t)i, i, i + 5);
        runs[i] = (struct made_run){"Execute", -1, &events[i], 1, 0};
    }
    struct made made = inspect_runs(runs, RUNS, (struct ets_inspect_options){.partial = 0});
    assert_int_equal(ets_inspection_block_count(made.inspection), RUNS);
    walk(made.inspection);
    made_close(&made);
    free(events);
    free(runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inspect_faults__every_truncation_is_survived),
        cmocka_unit_test(test_inspect_faults__every_flipped_byte_is_survived),
        cmocka_unit_test(test_inspect_faults__every_failed_allocation_is_told),
        cmocka_unit_test(test_inspect_faults__many_shapes_are_many_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
