/* Captured values: their rows, plain numbers, lists, and tensors whose bytes cannot be had. */
#include "test_inspect_support.h"
#include "trace/etdump_writer.h"

#include "etscope/experimental/captured_values.h"
#include "etscope/numerics.h"
#include "output/table/tensor_table.h"
#include "test_little_support.h"

/* A dump of one run, whose debug events are told by this table. */
struct logged {
    struct ets_etdump_record record;
    struct ets_tensor tensors[3];
    int64_t offsets[3];
};

#define MATRIX(first, second)                                                                     \
    {                                                                                             \
        .scalar_type = ETS_SCALAR_FLOAT, .rank = 2, .sizes = {2, 3}, .strides = { first, second } \
    }
#define DEBUG_AT(at, type, ...)                                                             \
    {                                                                                       \
        .kind = ETS_EVENT_DEBUG, .chain = 0, .instruction = at, .value_type = type,         \
        .delegate_id = -1, .name = ETS_ETDUMP_NO_NAME, .delegate_name = ETS_ETDUMP_NO_NAME, \
        __VA_ARGS__                                                                         \
    }
#define PROFILE_AT(at, text)                                                                       \
    {                                                                                              \
        .kind = ETS_EVENT_PROFILE, .chain = 0, .instruction = at, .name = text, .delegate_id = -1, \
        .delegate_name = ETS_ETDUMP_NO_NAME, .start_ticks = 1, .end_ticks = 2                      \
    }

enum { NAME_RUN, NAME_ADD, NAME_INNER };

static const struct logged events[] = {
    {.record = DEBUG_AT(3, ETS_DEBUG_TENSOR, .tensor_count = 1), {MATRIX(3, 1)}, {0}},
    {.record = DEBUG_AT(3, ETS_DEBUG_TENSOR, .tensor_count = 1), {MATRIX(1, 2)}, {0}},
    {.record = DEBUG_AT(3, ETS_DEBUG_TENSOR_LIST, .tensor_count = 3),
     {MATRIX(3, 1), MATRIX(3, 1), MATRIX(0, 1)},
     {-1, 4, 0}},
    {.record = DEBUG_AT(3, ETS_DEBUG_TENSOR_LIST, .tensor_count = 0), {{0}}, {0}},
    {.record = PROFILE_AT(3, NAME_ADD), {{0}}, {0}},
    {.record = {.kind = ETS_EVENT_DEBUG,
                .chain = 0,
                .instruction = 4,
                .name = ETS_ETDUMP_NO_NAME,
                .delegate_id = -1,
                .delegate_name = NAME_INNER,
                .value_type = ETS_DEBUG_INT,
                .int_value = -7},
     {{0}},
     {0}},
    {.record = PROFILE_AT(4, NAME_ADD), {{0}}, {0}},
    {.record = DEBUG_AT(5, ETS_DEBUG_DOUBLE, .double_value = 0.5), {{0}}, {0}},
    {.record = DEBUG_AT(5, ETS_DEBUG_BOOL, .int_value = 1, .is_output = 1), {{0}}, {0}},
    {.record = DEBUG_AT(5, ETS_DEBUG_NULL, .int_value = 0), {{0}}, {0}},
};

static enum ets_status get_run(void *context, uint32_t run, struct ets_etdump_run_record *out)
{
    (void)context;
    (void)run;
    out->name = NAME_RUN;
    out->event_count = COUNT(events);
    return ETS_OK;
}

static enum ets_status get_event(void *context, uint32_t run, uint32_t index,
                                 struct ets_etdump_record *out)
{
    (void)context;
    (void)run;
    *out = events[index].record;
    return ETS_OK;
}

static enum ets_status get_tensor(void *context, uint32_t run, uint32_t event, uint32_t index,
                                  struct ets_tensor *tensor_out, int64_t *offset_out)
{
    (void)context;
    (void)run;
    *tensor_out = events[event].tensors[index];
    *offset_out = events[event].offsets[index];
    return ETS_OK;
}

static const float numbers[6] = {1, 2, 3, 4, 5, 6};
static struct ets_bytes buffer; /* the numbers; set by main */
static const struct ets_captured_filter all = {ETS_NO_INDEX, ETS_NO_INDEX, ETS_NO_INDEX, 0, NULL};

struct fixture {
    uint8_t bytes[4096];
    struct ets_inspection *inspection;
};

static struct fixture *open_made(void)
{
    struct fixture *made = malloc(sizeof *made);
    assert_non_null(made);
    struct ets_etdump_name names[] = {
        {{"Execute", 7}, 0}, {{"native_call_add.out", 19}, 0}, {{"inner", 5}, 0}};
    const struct ets_etdump_source source = {.names = names,
                                             .name_count = COUNT(names),
                                             .run_count = 1,
                                             .run = get_run,
                                             .event = get_event,
                                             .tensor = get_tensor};
    size_t size;
    assert_int_equal(ets_etdump_write_buffer(&source, made->bytes, sizeof made->bytes, &size, NULL),
                     ETS_OK);
    made->inspection = inspect((struct ets_bytes){made->bytes, size},
                               (struct ets_inspect_options){.record = NULL});
    return made;
}

static void close_made(struct fixture *made)
{
    ets_inspection_close(made->inspection);
    free(made);
}

struct expected {
    uint32_t event, item, index;
    enum ets_status status;
    const char *name; /* NULL: absent */
};

static void test_captured_values__one_after_the_other(void **state)
{
    (void)state;
    static const struct expected wanted[] = {{0, 0, 0, ETS_OK, "add.out"},
                                             {1, 0, 1, ETS_OK, "add.out"},
                                             {2, 0, 2, ETS_NOT_FOUND, "add.out"},
                                             {2, 1, 2, ETS_TRUNCATED, "add.out"},
                                             {2, 2, 2, ETS_MALFORMED, "add.out"},
                                             {5, 0, 0, ETS_OK, "inner"},
                                             {7, 0, 0, ETS_OK, NULL},
                                             {8, 0, 1, ETS_OK, "(output)"},
                                             {9, 0, 2, ETS_UNSUPPORTED, NULL}};
    struct fixture *made = open_made();
    struct ets_captured_values values;
    struct ets_captured_value value;
    ets_captured_values_init(&values, made->inspection, buffer, NULL);
    for (size_t i = 0; i < COUNT(wanted); i++) {
        assert_int_equal(ets_captured_values_next(&values, &value), 1);
        assert_int_equal(value.event, wanted[i].event);
        assert_int_equal(value.item, wanted[i].item);
        assert_int_equal(value.index, wanted[i].index);
        assert_int_equal(value.status, wanted[i].status);
        assert_int_equal(value.item_count, wanted[i].event == 2 ? 3 : 0);
        assert_true((value.tensor.data != NULL) == (value.status == ETS_OK));
        if (value.status != ETS_OK) assert_true(value.reason.message[0] != '\0');
        const struct ets_text name = ets_captured_value_operator(made->inspection, &value);
        if (wanted[i].name == NULL) assert_int_equal(name.size, 0);
        else assert_text(name, wanted[i].name);
        struct ets_tensor_statistics summary;
        if (value.status != ETS_OK) continue;
        assert_int_equal(ets_tensor_statistics_of(&value.tensor, 8, &summary), ETS_OK);
        const double firsts[] = {[0] = 1, [1] = 1, [5] = -7, [7] = 0.5, [8] = 1};
        assert_true(summary.first[0] == firsts[value.event]);
        if (value.event == 1) assert_true(summary.first[1] == 3); /* column by column */
    }
    assert_int_equal(ets_captured_values_next(&values, &value), 0);
    assert_int_equal(ets_captured_values_next(&values, &value), 0);
    close_made(made);
}

static void test_captured_values__without_a_debug_buffer(void **state)
{
    (void)state;
    struct fixture *made = open_made();
    struct ets_captured_values values;
    struct ets_captured_value value;
    const struct ets_captured_filter filter = {ETS_NO_INDEX, 0, 0, 0, NULL};
    ets_captured_values_init(&values, made->inspection, (struct ets_bytes){NULL, 0}, &filter);
    assert_int_equal(ets_captured_values_next(&values, &value), 1);
    assert_int_equal(value.status, ETS_NOT_FOUND);
    assert_true(value.has_tensor && value.offset == 0);
    assert_int_equal(ets_captured_values_next(&values, &value), 0);
    close_made(made);
}

static void test_captured_values__table_tells_what_it_has_no_numbers_for(void **state)
{
    (void)state;
    struct fixture *made = open_made();
    struct ets_table *table;
    struct ets_tensor_table_gaps gaps;
    const struct ets_tensor_table_options options = {
        .debug_buffer = buffer, .filter = all, .columns = "event,kind,status,strides,sum"};
    struct ets_tensor_table_options good = options;
    struct ets_error error;
    good.columns = "event,kind,status,shape,mean";
    assert_int_equal(ets_table_open(NULL, &table, NULL), ETS_OK);
    assert_int_equal(ets_tensor_table_fill(table, made->inspection, &options, NULL, &error),
                     ETS_NOT_FOUND);
    assert_non_null(strstr(error.message, "\"sum\""));
    assert_string_equal(ets_table_column_name(table, 0), "block"); /* all names there are */
    ets_table_close(table);
    assert_int_equal(ets_table_open(NULL, &table, NULL), ETS_OK);
    assert_int_equal(ets_tensor_table_fill(table, made->inspection, &good, &gaps, NULL), ETS_OK);
    assert_int_equal(gaps.unrecorded, 1);
    assert_int_equal(gaps.outside, 1);
    assert_int_equal(gaps.unreadable, 2);
    assert_non_null(strstr(gaps.unreadable_reason.message, "overlap"));
    char *text = print_table(table, (struct ets_table_style){.format = ETS_FORMAT_CSV});
    assert_string_equal(text,
                        "event,kind,status,shape,mean\n"
                        "0,tensor,ok,\"2, 3\",3.5\n"
                        "1,tensor,ok,\"2, 3\",3.5\n"
                        "2,tensor_list,unrecorded,\"2, 3\",\n"
                        "2,tensor_list,outside,\"2, 3\",\n"
                        "2,tensor_list,malformed,\"2, 3\",\n"
                        "5,int,ok,,-7.0\n"
                        "7,double,ok,,0.5\n"
                        "8,bool,ok,,1.0\n"
                        "9,null,no_numbers,,\n");
    free(text);
    ets_table_close(table);
    close_made(made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_captured_values__one_after_the_other),
        cmocka_unit_test(test_captured_values__without_a_debug_buffer),
        cmocka_unit_test(test_captured_values__table_tells_what_it_has_no_numbers_for),
    };
    buffer = (struct ets_bytes){LITTLE(numbers), sizeof numbers};
    return cmocka_run_group_tests_name("captured values", tests, NULL, NULL);
}
