/* Tables for machines: quoting, escapes, numbers, units in names. */
#include "test_inspect_support.h"

#include <math.h>

#include "host/output.h"

static const struct ets_column columns[] = {
    {.name = "name"},
    {.name = "list", .kind = ETS_COLUMN_LIST, .first_of_list = 1},
    {.name = "avg", .kind = ETS_COLUMN_TIME},
    {.name = "ticks", .kind = ETS_COLUMN_TICKS},
    {.name = "size", .kind = ETS_COLUMN_BYTES, .machine_only = 1},
    {.name = "share", .kind = ETS_COLUMN_SHARE, .human_only = 1},
};

static struct ets_table *new_table(void)
{
    struct ets_table *table;
    assert_int_equal(ets_table_open(NULL, &table, NULL), ETS_OK);
    for (size_t i = 0; i < COUNT(columns); i++) ets_table_add_column(table, &columns[i]);
    return table;
}

static void put_row(struct ets_table *table, const char *name, const struct ets_text *items,
                    size_t count, double ns)
{
    ets_table_add_row(table, 1);
    ets_table_put_string(table, name);
    ets_table_put_list(table, items, count);
    ets_table_put_bounds(table, ns, ns + 1000);
    ets_table_put_real(table, 12);
    ets_table_put_integer(table, INT64_MIN);
    ets_table_put_real(table, 0.5);
}

static struct ets_table *two_rows(void)
{
    static const struct ets_text items[] = {{"a", 1}, {"b\"c", 3}};
    struct ets_table *table = new_table();
    ets_table_add_section(table, (struct ets_text){"Section", 7});
    put_row(table, "one,\"two\"\tthree\nfour", items, 2, 1500);
    put_row(table, NULL, items, 1, NAN);
    return table;
}

static void assert_printed(const struct ets_table *table, enum ets_format format, const char *unit,
                           const char *expected)
{
    char *text = print_table(table, (struct ets_table_style){.format = format, .time_unit = unit});
    assert_string_equal(text, expected);
    free(text);
}

static void test_table_records__quotes_where_it_must(void **state)
{
    (void)state;
    struct ets_table *table = two_rows();
    assert_printed(table, ETS_FORMAT_CSV, NULL,
                   "name,list,avg_ns,ticks_cycles,size_bytes\n"
                   "\"one,\"\"two\"\"\tthree\nfour\",\"a, b\"\"c\",1500.0,12.0,"
                   "-9223372036854775808\n"
                   ",a,,12.0,-9223372036854775808\n");
    assert_printed(table, ETS_FORMAT_TSV, "us",
                   "name\tlist\tavg_us\tticks_cycles\tsize_bytes\n"
                   "\"one,\"\"two\"\"\tthree\nfour\"\t\"a, b\"\"c\"\t1.5\t12.0\t"
                   "-9223372036854775808\n"
                   "\ta\t\t12.0\t-9223372036854775808\n");
    ets_table_close(table);
}

static void test_table_records__json_is_one_array_or_lines(void **state)
{
    (void)state;
    static const char first[] =
        "{\"name\": \"one,\\\"two\\\"\\u0009three\\u000afour\", \"list\": [\"a\", \"b\\\"c\"], "
        "\"avg_ms\": 0.0015, \"ticks_cycles\": 12.0, \"size_bytes\": -9223372036854775808}";
    static const char second[] =
        "{\"name\": null, \"list\": [\"a\"], \"avg_ms\": null, "
        "\"ticks_cycles\": 12.0, \"size_bytes\": -9223372036854775808}";
    char expected[1024];
    struct ets_table *table = two_rows();
    snprintf(expected, sizeof expected, "[\n %s,\n %s\n]\n", first, second);
    assert_printed(table, ETS_FORMAT_JSON, "ms", expected);
    snprintf(expected, sizeof expected, "%s\n%s\n", first, second);
    assert_printed(table, ETS_FORMAT_JSONL, "ms", expected);
    ets_table_close(table);
    table = new_table();
    assert_printed(table, ETS_FORMAT_JSON, NULL, "[]\n");
    assert_printed(table, ETS_FORMAT_JSONL, NULL, "");
    assert_printed(table, ETS_FORMAT_CSV, NULL, "name,list,avg_ns,ticks_cycles,size_bytes\n");
    ets_table_close(table);
}

static void test_table_records__json_is_always_utf8(void **state)
{
    (void)state;
    static const struct {
        struct ets_text name;
        const char *json;
    } cases[] = {
        {{"\033[2J\x7f", 5}, "\"\\u001b[2J\\u007f\""},
        {{"a\0b", 3}, "\"a\\u0000b\""},
        {{"\xff\xc0\xaf", 3}, "\"\\ufffd\\ufffd\\ufffd\""},
        {{"\xed\xa0\x80", 3}, "\"\\ufffd\\ufffd\\ufffd\""},
        {{"\xf4\x90\x80\x80", 4}, "\"\\ufffd\\ufffd\\ufffd\\ufffd\""},
        {{"cut \xe2\x82", 6}, "\"cut \\ufffd\\ufffd\""},
        {{"back\\slash", 10}, "\"back\\\\slash\""},
        {{"\xe2\x82\xac\xf0\x9f\x8e\xbc", 7}, "\"\xe2\x82\xac\xf0\x9f\x8e\xbc\""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct ets_table *table;
        char expected[128];
        assert_int_equal(ets_table_open(NULL, &table, NULL), ETS_OK);
        ets_table_add_column(table, &columns[0]);
        ets_table_add_row(table, 0);
        ets_table_put_text(table, cases[i].name);
        snprintf(expected, sizeof expected, "{\"name\": %s}\n", cases[i].json);
        assert_printed(table, ETS_FORMAT_JSONL, NULL, expected);
        ets_table_close(table);
    }
}

static void test_table_records__formats_have_names(void **state)
{
    (void)state;
    enum ets_format format = ETS_FORMAT_TABLE;
    assert_true(ets_format_find("markdown", &format));
    assert_int_equal(format, ETS_FORMAT_MARKDOWN);
    assert_true(ets_format_find("jsonl", &format));
    assert_int_equal(format, ETS_FORMAT_JSONL);
    assert_false(ets_format_find("Table", &format));
    assert_false(ets_format_find("", &format));
}

/* More cells than columns, cells before the first row: passed over. */
static void test_table_records__headings_and_notes_are_told_to_documents(void **state)
{
    (void)state;
    struct ets_table *table = two_rows();
    struct ets_text note;
    uint32_t row = 0;
    assert_int_equal(ets_table_next_note(table, &row, &note), 0);
    ets_table_add_note(table, (struct ets_text){"first", 5});
    ets_table_add_section(table, (struct ets_text){"Other", 5});
    ets_table_add_note(table, (struct ets_text){"second", 6});
    assert_memory_equal(ets_table_heading(table).data, "Section", 7);
    row = 0;
    assert_int_equal(ets_table_next_note(table, &row, &note), 1);
    assert_memory_equal(note.data, "first", 5);
    assert_int_equal(ets_table_next_note(table, &row, &note), 1);
    assert_memory_equal(note.data, "second", 6);
    assert_int_equal(ets_table_next_note(table, &row, &note), 0);
    char *text =
        print_table(table, (struct ets_table_style){.format = ETS_FORMAT_JSON, .is_part = 1});
    assert_int_equal(text[strlen(text) - 1], ']');
    free(text);
    ets_table_close(table);
    assert_int_equal(ets_table_open(NULL, &table, NULL), ETS_OK);
    ets_table_add_section(table, (struct ets_text){"of no column", 12});
    assert_null(ets_table_heading(table).data);
    ets_table_close(table);
}

static void test_table_records__names_of_any_length_are_escaped(void **state)
{
    (void)state;
    static const struct ets_column odd[] = {
        {.name = "a \"name\" with a\ttab", .kind = ETS_COLUMN_TIME, .has_bounds = 1},
        {.name = "a_name_that_takes_more_than_the_64_bytes_which_most_names_would_do_with"},
    };
    struct ets_table *table;
    assert_int_equal(ets_table_open(NULL, &table, NULL), ETS_OK);
    for (size_t i = 0; i < COUNT(odd); i++) ets_table_add_column(table, &odd[i]);
    ets_table_add_row(table, 0);
    ets_table_put_bounds(table, 1000, 2000);
    ets_table_put_nothing(table);
    assert_printed(table, ETS_FORMAT_JSONL, "us",
                   "{\"a \\\"name\\\" with a\\u0009tab_us\": 1.0, "
                   "\"a \\\"name\\\" with a\\u0009tab_us_upper\": 2.0, "
                   "\"a_name_that_takes_more_than_the_64_bytes_which_most_names_would_do_with\": "
                   "null}\n");
    ets_table_close(table);
}

static void test_table_records__stray_cells_do_no_harm(void **state)
{
    (void)state;
    struct ets_table *table;
    assert_int_equal(ets_table_open(NULL, &table, NULL), ETS_OK);
    ets_table_add_column(table, &columns[0]);
    ets_table_put_string(table, "too early");
    ets_table_add_row(table, 0);
    ets_table_put_string(table, "in place");
    ets_table_put_string(table, "too many");
    ets_table_add_row(table, 0);
    assert_printed(table, ETS_FORMAT_TSV, NULL, "name\nin place\n\n");
    ets_table_close(table);
}

static void test_table_records__a_failed_allocation_is_told_by_write(void **state)
{
    (void)state;
    const enum ets_format formats[] = {ETS_FORMAT_TABLE, ETS_FORMAT_CSV, ETS_FORMAT_JSON,
                                       ETS_FORMAT_MARKDOWN};
    int succeeded = 0;
    for (unsigned long n = 0; !succeeded; n++) {
        struct failing failing = {.fail_at = n};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        struct ets_table *table = NULL;
        struct ets_error error = {.status = ETS_OK};
        enum ets_status status = ets_table_open(&allocator, &table, &error);
        if (status == ETS_OK) {
            const struct ets_text items[] = {{"item", 4}};
            for (size_t i = 0; i < COUNT(columns); i++) ets_table_add_column(table, &columns[i]);
            for (int i = 0; i < 500; i++) put_row(table, "a name of some length", items, 1, i);
            for (size_t i = 0; i < COUNT(formats) && status == ETS_OK; i++) {
                struct ets_output *output;
                const struct ets_table_style style = {.format = formats[i]};
                assert_int_equal(ets_output_open("/dev/null", &output, NULL), ETS_OK);
                status = ets_table_write(table, &style, output, &error);
                ets_output_discard(output);
            }
            ets_table_close(table);
        }
        succeeded = status == ETS_OK;
        assert_true(succeeded || (status == ETS_NO_MEMORY && error.status == ETS_NO_MEMORY));
        assert_int_equal(failing.live, 0);
        assert_true(n < 1000);
    }
}

static void assert_field(const struct ets_table *table, uint32_t index, const char *name,
                         enum ets_column_kind expected)
{
    char room[64];
    enum ets_column_kind kind;
    assert_int_equal(ets_table_field(table, index, room, sizeof room, &kind), strlen(name));
    assert_string_equal(room, name);
    assert_int_equal(kind, expected);
}

static void test_table_records__names_of_fields_have_units_and_bounds(void **state)
{
    (void)state;
    static const struct ets_column bounded = {
        .name = "mid", .kind = ETS_COLUMN_TIME, .has_bounds = 1};
    char room[4];
    enum ets_column_kind kind;
    struct ets_table *table = new_table();
    ets_table_add_column(table, &bounded);
    assert_field(table, 0, "name", ETS_COLUMN_TEXT);
    assert_field(table, 2, "avg_ns", ETS_COLUMN_TIME);
    assert_field(table, 3, "ticks_cycles", ETS_COLUMN_TICKS);
    assert_field(table, 4, "size_bytes", ETS_COLUMN_BYTES);
    assert_field(table, 5, "mid_ns", ETS_COLUMN_TIME); /* people's share is none */
    assert_field(table, 6, "mid_ns_upper", ETS_COLUMN_TIME);
    assert_int_equal(ets_table_field(table, 7, room, sizeof room, &kind), 0);
    assert_int_equal(ets_table_field(table, 6, room, sizeof room, &kind), 12);
    assert_string_equal(room, "mid");
    ets_table_close(table);
}

static void test_table_records__leads(void **state)
{
    (void)state;
    struct ets_table *table = new_table();
    assert_null(ets_table_lead(table, 0).data);
    ets_table_add_lead(table, (struct ets_text){"first", 5});
    ets_table_add_lead(table, (struct ets_text){"second", 6});
    assert_text(ets_table_lead(table, 1), "second");
    assert_null(ets_table_lead(table, 2).data);
    ets_table_close(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_records__quotes_where_it_must),
        cmocka_unit_test(test_table_records__json_is_one_array_or_lines),
        cmocka_unit_test(test_table_records__json_is_always_utf8),
        cmocka_unit_test(test_table_records__formats_have_names),
        cmocka_unit_test(test_table_records__headings_and_notes_are_told_to_documents),
        cmocka_unit_test(test_table_records__names_of_any_length_are_escaped),
        cmocka_unit_test(test_table_records__stray_cells_do_no_harm),
        cmocka_unit_test(test_table_records__a_failed_allocation_is_told_by_write),
        cmocka_unit_test(test_table_records__names_of_fields_have_units_and_bounds),
        cmocka_unit_test(test_table_records__leads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
