/* Choosing columns of a filled table, and notes behind its rows. */
#include "test_inspect_support.h"

#include "output/table/table.h"

static struct ets_table *fill(const struct ets_allocator *allocator)
{
    struct ets_table *table;
    if (ets_table_open(allocator, &table, NULL) != ETS_OK) return NULL;
    ets_table_add_column(table, &(struct ets_column){.name = "place", .human_only = 1});
    ets_table_add_column(table, &(struct ets_column){.name = "place", .machine_only = 1});
    ets_table_add_column(table, &(struct ets_column){.name = "n", .kind = ETS_COLUMN_INTEGER});
    ets_table_add_section(table, (struct ets_text){"Heading", 7});
    ets_table_add_row(table, 0);
    ets_table_put_string(table, "here");
    ets_table_put_string(table, "models/zoo.py:12");
    ets_table_put_integer(table, 7);
    ets_table_add_note(table, (struct ets_text){"a note", 6});
    return table;
}

static void assert_prints(const char *names, enum ets_format format, const char *expected)
{
    struct ets_table *table = fill(NULL);
    if (names != NULL) {
        assert_int_equal(ets_table_choose_columns(table, names, NULL), ETS_OK);
    }
    char *text = print_table(table, (struct ets_table_style){.format = format});
    assert_string_equal(text, expected);
    free(text);
    ets_table_close(table);
}

static void test_table_columns__chosen_ones_are_for_everyone(void **state)
{
    (void)state;
    assert_prints(NULL, ETS_FORMAT_TABLE, "Heading\nplace  n\nhere   7\na note\n");
    assert_prints(NULL, ETS_FORMAT_CSV, "place,n\nmodels/zoo.py:12,7\n");
    assert_prints("n,place", ETS_FORMAT_TABLE, "Heading\nn  place\n7  here\na note\n");
    assert_prints("n,place", ETS_FORMAT_CSV, "n,place\n7,models/zoo.py:12\n");
    assert_prints("n", ETS_FORMAT_JSONL, "{\"n\": 7}\n");
    assert_prints("n", ETS_FORMAT_MARKDOWN, "**Heading**\n\n| n |\n|---:|\n| 7 |\n\na note\n");
}

static void test_table_columns__chosen_ones_are_never_dropped(void **state)
{
    (void)state;
    static const struct ets_column columns[] = {
        {.name = "operator", .least_width = 4},
        {.name = "n", .kind = ETS_COLUMN_INTEGER, .priority = 9},
        {.name = "place",
         .kind = ETS_COLUMN_LIST,
         .human_only = 1,
         .least_width = 6,
         .cut_at_start = 1,
         .first_of_list = 1},
        {.name = "place", .kind = ETS_COLUMN_LIST, .machine_only = 1},
        {.name = "void", .priority = 2},
    };
    const struct ets_text places[] = {{"zoo.py:12", 9}, {"zoo.py:13", 9}, {"zoo.py:14", 9}};
    struct ets_table *table;
    assert_int_equal(ets_table_open(NULL, &table, NULL), ETS_OK);
    for (size_t i = 0; i < COUNT(columns); i++) ets_table_add_column(table, &columns[i]);
    ets_table_add_row(table, 0);
    ets_table_put_string(table, "convolution");
    ets_table_put_integer(table, 123456);
    ets_table_put_list(table, places, COUNT(places));
    ets_table_put_list(table, places, COUNT(places));
    assert_int_equal(ets_table_choose_columns(table, "operator,n,void,place", NULL), ETS_OK);
    char *text = print_table(
        table, (struct ets_table_style){.format = ETS_FORMAT_TABLE, .width = 26, .ascii = 1});
    assert_string_equal(text,
                        "ope~       n  void  place\n"
                        "con~  123456        ~12 +2\n");
    free(text);
    ets_table_close(table);
}

static void test_table_columns__names_that_are_none_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {"", "m", "n,", ",n", "n,n", "place,n,place"};
    struct ets_table *table = fill(NULL);
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct ets_error error = {.status = ETS_OK};
        assert_int_equal(ets_table_choose_columns(table, wrong[i], &error), ETS_NOT_FOUND);
        assert_true(error.status == ETS_NOT_FOUND && error.message[0] != '\0');
    }
    char *text = print_table(table, (struct ets_table_style){.format = ETS_FORMAT_CSV});
    assert_string_equal(text, "place,n\nmodels/zoo.py:12,7\n"); /* as it was */
    free(text);
    ets_table_close(table);
}

static void test_table_columns__every_failed_allocation_is_told(void **state)
{
    (void)state;
    unsigned long n = 0;
    for (int succeeded = 0; !succeeded; n++) {
        struct failing failing = {.fail_at = n};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        struct ets_table *table = fill(&allocator);
        if (table != NULL) {
            const enum ets_status status = ets_table_choose_columns(table, "n", NULL);
            succeeded = status == ETS_OK;
            if (!succeeded) assert_int_equal(status, ETS_NO_MEMORY);
        }
        ets_table_close(table);
        assert_int_equal(failing.live, 0);
        assert_true(n < 100);
    }
    assert_true(n > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_columns__chosen_ones_are_for_everyone),
        cmocka_unit_test(test_table_columns__chosen_ones_are_never_dropped),
        cmocka_unit_test(test_table_columns__names_that_are_none_are_refused),
        cmocka_unit_test(test_table_columns__every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
