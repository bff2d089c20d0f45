/* Values of the extra block among those of the ETDump: their order, place, numbers and lists. */
#include "test_inspect_support.h"

#include "test_little_support.h"

#include <stdbool.h>

#include "base/crc32.h"
#include "etscope/experimental/captured_values.h"
#include "etscope/trace.h"
#include "output/sql/sql.h"
#include "output/table/tensor_table.h"

static const float numbers[4] = {1, 2, 3, 6};

static struct ets_tensor vector(int64_t size)
{
    return (struct ets_tensor){.scalar_type = ETS_SCALAR_FLOAT,
                               .rank = 1,
                               .sizes = {size},
                               .strides = {1},
                               .data = LITTLE(numbers),
                               .data_bytes = (size_t)size * sizeof *numbers};
}

static void record_values(struct ets_trace *trace, struct ets_trace_thread *thread)
{
    const struct ets_trace_reducer reducer = {.what = ETS_TRACE_INTERMEDIATES, .first_count = 2};
    const struct ets_trace_run run = {.name = "Execute", .method = "forward"};
    const struct ets_trace_delegate part = {"inner", 0};
    const struct ets_tensor one = vector(4), list[] = {vector(2), vector(1)};
    assert_int_equal(ets_trace_set_reducer(trace, &reducer), ETS_OK);
    ets_trace_begin_run(thread, &run);
    ets_trace_set_instruction(thread, 0, 3);
    const struct ets_trace_span span =
        ets_trace_begin(thread, ETS_TRACE_OPERATORS, "native_call_add.out");
    ets_trace_log_tensor(thread, NULL, &one, 0);
    ets_trace_log_int(thread, NULL, 7, 0);
    ets_trace_log_string(thread, NULL, "mode", 0);
    ets_trace_log_tensors(thread, NULL, list, COUNT(list), 0);
    ets_trace_end(thread, span);
    ets_trace_set_instruction(thread, 0, 4);
    ets_trace_log_string(thread, &part, "", 0);
    ets_trace_set_instruction(thread, -1, 0);
    ets_trace_log_tensor(thread, NULL, &one, 1); /* no sink: its shape alone */
    ets_trace_end_run(thread);
}

/* The dump of that, to be freed. */
static struct ets_bytes record(void)
{
    static uint64_t buffer[1024];
    struct ets_trace trace;
    struct ets_trace_thread thread;
    size_t size;
    const struct ets_trace_config config = {
        .buffer = buffer, .buffer_bytes = sizeof buffer, .what = 0x3f};
    assert_int_equal(ets_trace_init(&trace, &config), ETS_OK);
    ets_trace_thread_init(&thread, &trace);
    record_values(&trace, &thread);
    ets_trace_finish(&trace);
    assert_int_equal(ets_trace_dump_size(&trace, &size, NULL), ETS_OK);
    uint8_t *data = malloc(size);
    assert_non_null(data);
    assert_int_equal(ets_trace_write_buffer(&trace, data, size, &size, NULL), ETS_OK);
    return (struct ets_bytes){data, size};
}

struct expected {
    uint32_t event, index, item, item_count;
    int32_t type, instruction;
    bool has_statistics, is_output;
    enum ets_status status;
    const char *name, *text; /* NULL: absent */
};

static const struct expected wanted[] = {
    {ETS_NO_INDEX, 0, 0, 0, ETS_DEBUG_TENSOR, 3, true, false, ETS_NOT_FOUND, "add.out", NULL},
    {0, 1, 0, 0, ETS_DEBUG_INT, 3, false, false, ETS_OK, "add.out", NULL},
    {ETS_NO_INDEX, 2, 0, 0, ETS_DEBUG_STRING, 3, false, false, ETS_UNSUPPORTED, "add.out", "mode"},
    {ETS_NO_INDEX, 3, 0, 2, ETS_DEBUG_TENSOR_LIST, 3, true, false, ETS_NOT_FOUND, "add.out", NULL},
    {ETS_NO_INDEX, 3, 1, 2, ETS_DEBUG_TENSOR_LIST, 3, true, false, ETS_NOT_FOUND, "add.out", NULL},
    {ETS_NO_INDEX, 0, 0, 0, ETS_DEBUG_STRING, 4, false, false, ETS_UNSUPPORTED, "inner", ""},
    {ETS_NO_INDEX, 0, 0, 0, ETS_DEBUG_TENSOR, 0, false, true, ETS_NOT_FOUND, "(output)", NULL},
};

static void check_value(const struct ets_inspection *inspection,
                        const struct ets_captured_value *value, const struct expected *expected)
{
    const struct ets_text name = ets_captured_value_operator(inspection, value);
    assert_int_equal(value->event, expected->event);
    assert_int_equal(value->run, 0);
    assert_int_equal(value->instruction, expected->instruction);
    assert_int_equal(value->index, expected->index);
    assert_int_equal(value->item, expected->item);
    assert_int_equal(value->item_count, expected->item_count);
    assert_int_equal(value->type, expected->type);
    assert_int_equal(value->status, expected->status);
    assert_int_equal(value->has_statistics, expected->has_statistics);
    assert_int_equal(value->is_output, expected->is_output);
    assert_text(name, expected->name);
    if (expected->text == NULL) assert_null(value->text.data);
    else assert_text(value->text, expected->text);
    if (value->status != ETS_OK) assert_true(value->reason.message[0] != '\0');
    if (!value->has_statistics) return;
    assert_true(value->statistics.min == 1);
    assert_int_equal(value->statistics.count, (uint64_t)value->tensor.sizes[0]);
}

static void test_extra_values__stand_where_they_were_logged(void **state)
{
    (void)state;
    const struct ets_bytes dump = record();
    struct ets_inspection *inspection = inspect(dump, (struct ets_inspect_options){.record = NULL});
    struct ets_captured_values values;
    struct ets_captured_value value;
    ets_captured_values_init(&values, inspection, (struct ets_bytes){NULL, 0}, NULL);
    for (size_t i = 0; i < COUNT(wanted); i++) {
        assert_int_equal(ets_captured_values_next(&values, &value), 1);
        check_value(inspection, &value, &wanted[i]);
    }
    assert_int_equal(ets_captured_values_next(&values, &value), 0);
    assert_int_equal(ets_captured_values_next(&values, &value), 0);
    ets_inspection_close(inspection);
    free((void *)(uintptr_t)dump.data);
}

static uint32_t count_values(const struct ets_inspection *inspection,
                             struct ets_captured_filter filter)
{
    struct ets_captured_values values;
    struct ets_captured_value value;
    uint32_t count = 0;
    ets_captured_values_init(&values, inspection, (struct ets_bytes){NULL, 0}, &filter);
    while (ets_captured_values_next(&values, &value)) count++;
    return count;
}

static void test_extra_values__filters_hold_for_them(void **state)
{
    (void)state;
    const uint32_t any = ETS_NO_INDEX;
    const struct ets_bytes dump = record();
    struct ets_inspection *inspection = inspect(dump, (struct ets_inspect_options){.record = NULL});
    assert_int_equal(count_values(inspection, (struct ets_captured_filter){any, any, any, 0, NULL}),
                     7);
    assert_int_equal(count_values(inspection, (struct ets_captured_filter){any, any, any, 1, NULL}),
                     1);
    assert_int_equal(count_values(inspection, (struct ets_captured_filter){0, 0, any, 0, NULL}), 7);
    assert_int_equal(count_values(inspection, (struct ets_captured_filter){any, 1, any, 0, NULL}),
                     0);
    assert_int_equal(count_values(inspection, (struct ets_captured_filter){any, any, 0, 0, NULL}),
                     1);
    ets_inspection_close(inspection);
    free((void *)(uintptr_t)dump.data);
}

/* They have no event, and are in the run that logged them all the same. */
static void test_extra_values__are_in_sql(void **state)
{
    (void)state;
    const struct ets_bytes dump = record();
    struct ets_inspection *inspection = inspect(dump, (struct ets_inspect_options){.record = NULL});
    const struct ets_study_trace trace = {.path = "made.etdp",
                                          .inspection = inspection,
                                          .record = ETS_NO_INDEX,
                                          .program = ETS_NO_INDEX};
    const struct ets_study_sources sources = {.traces = &trace, .trace_count = 1};
    struct ets_sql *sql = NULL;
    struct ets_table *table;
    const enum ets_status status = ets_sql_open(&sources, NULL, &sql, NULL);
    if (status == ETS_OK) {
        assert_int_equal(ets_table_open(NULL, &table, NULL), ETS_OK);
        assert_int_equal(ets_sql_query(sql,
                                       "select event, run, kind, dtype, status, max from tensors "
                                       "where event is null and status <> 'no_numbers'",
                                       table, NULL),
                         ETS_OK);
        char *text = print_table(table, (struct ets_table_style){.format = ETS_FORMAT_CSV});
        assert_string_equal(text,
                            "event,run,kind,dtype,status,max\n"
                            ",0,tensor,float32,reduced,6.0\n"
                            ",0,tensor_list,float32,reduced,2.0\n"
                            ",0,tensor_list,float32,reduced,1.0\n"
                            ",0,tensor,float32,unrecorded,\n");
        free(text);
        ets_table_close(table);
    }
    ets_sql_close(sql);
    ets_inspection_close(inspection);
    free((void *)(uintptr_t)dump.data);
    if (status == ETS_UNAVAILABLE) SKIP_BECAUSE("this build has no SQL");
    assert_int_equal(status, ETS_OK);
}

/* Each byte of the block made wrong under a sum that is right: a table comes of all of them. */
static void test_extra_values__lies_with_a_good_sum_are_survived(void **state)
{
    (void)state;
    struct ets_trace_extra extra;
    const struct ets_bytes dump = record();
    assert_int_equal(ets_trace_extra_init(&extra, dump, NULL), ETS_OK);
    const size_t start = (size_t)(extra.entries.data - dump.data), end = dump.size - 16;
    uint8_t *bytes = malloc(dump.size);
    assert_non_null(bytes);
    for (size_t at = start; at < end; at++) {
        memcpy(bytes, dump.data, dump.size);
        bytes[at] ^= at % 2 == 0 ? 0xff : 0x01;
        const uint32_t crc = ets_crc32(0, bytes + start, end - start);
        for (unsigned k = 0; k < 4; k++) bytes[end + 4 + k] = (uint8_t)(crc >> 8 * k);
        struct ets_inspection *inspection = inspect((struct ets_bytes){bytes, dump.size},
                                                    (struct ets_inspect_options){.record = NULL});
        const struct ets_tensor_table_options options = {
            .filter = {ETS_NO_INDEX, ETS_NO_INDEX, ETS_NO_INDEX, 0}};
        struct ets_table *table;
        assert_int_equal(ets_table_open(NULL, &table, NULL), ETS_OK);
        assert_int_equal(ets_tensor_table_fill(table, inspection, &options, NULL, NULL), ETS_OK);
        assert_in_range(ets_table_row_count(table), 1, 2 * COUNT(wanted)); /* with headings */
        ets_table_close(table);
        ets_inspection_close(inspection);
    }
    free(bytes);
    free((void *)(uintptr_t)dump.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_extra_values__stand_where_they_were_logged),
        cmocka_unit_test(test_extra_values__filters_hold_for_them),
        cmocka_unit_test(test_extra_values__are_in_sql),
        cmocka_unit_test(test_extra_values__lies_with_a_good_sum_are_survived),
    };
    return cmocka_run_group_tests_name("values of the extra block", tests, NULL, NULL);
}
