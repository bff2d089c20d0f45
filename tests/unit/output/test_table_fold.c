/* Rows that repeat, and cells that are as their parent's. */
#include "test_inspect_support.h"

struct repeat {
    uint32_t depth;
    int64_t number; /* -1: none */
    const char *name, *place, *more;
};

static struct ets_table *fill(const struct repeat *rows, size_t count)
{
    static const struct ets_column columns[] = {
        {.name = "n", .title = "#", .kind = ETS_COLUMN_INTEGER, .is_ordinal = 1},
        {.name = "operator", .least_width = 8, .cut_in_middle = 1, .counts_repeats = 1},
        {.name = "place", .blank_as_parent = 1},
        {.name = "more", .priority = 1},
    };
    struct ets_table *table;
    assert_int_equal(ets_table_open(NULL, &table, NULL), ETS_OK);
    for (size_t i = 0; i < COUNT(columns); i++) ets_table_add_column(table, &columns[i]);
    for (size_t i = 0; i < count; i++) {
        if (rows[i].name == NULL) {
            ets_table_add_section(table, (struct ets_text){"Section", 7});
            continue;
        }
        ets_table_add_row(table, rows[i].depth);
        if (rows[i].number < 0) ets_table_put_nothing(table);
        else ets_table_put_integer(table, rows[i].number);
        ets_table_put_string(table, rows[i].name);
        ets_table_put_string(table, rows[i].place);
        ets_table_put_string(table, rows[i].more);
    }
    return table;
}

static void assert_prints(const struct repeat *rows, size_t count, struct ets_table_style style,
                          const char *names, const char *expected)
{
    struct ets_table *table = fill(rows, count);
    if (names != NULL) assert_int_equal(ets_table_choose_columns(table, names, NULL), ETS_OK);
    char *text = print_table(table, style);
    assert_string_equal(text, expected);
    free(text);
    ets_table_close(table);
}

static const struct repeat repeated[] = {
    {0, 0, "add", "a", "u"},  {0, 1, "add", "a", "u"},  {0, 2, "add", "a", "u"},
    {0, 4, "add", "a", "u"}, /* 3 lies between */
    {0, 5, "add", "b", "u"},  {0, 6, "add", "b", "v"},  {0, 7, "call", "b", "v"},
    {0, 8, "call", "b", "v"}, {1, -1, "mul", "b", "v"}, {1, -1, "mul", "b", "v"},
    {1, -1, "mul", "c", "v"},
};

static void test_table_fold__rows_that_look_the_same_are_one(void **state)
{
    (void)state;
    assert_prints(repeated, COUNT(repeated), (struct ets_table_style){.width = 0}, NULL,
                  "  #  operator  place  more\n"
                  "0-2  add x3    a      u\n"
                  "  4  add       a      u\n"
                  "  5  add       b      u\n"
                  "  6  add       b      v\n"
                  "  7  call      b      v\n"
                  "  8  call      b      v\n" /* has rows of its own */
                  "       mul x2         v\n"
                  "       mul     c      v\n");
}

static void test_table_fold__all_rows_are_there_for_who_asks_and_for_machines(void **state)
{
    (void)state;
    assert_prints(repeated, 3, (struct ets_table_style){.is_unfolded = 1}, "n,operator",
                  "#  operator\n0  add\n1  add\n2  add\n");
    assert_prints(&repeated[7], 2, (struct ets_table_style){.is_unfolded = 1}, "operator,place",
                  "operator  place\ncall      b\n  mul     b\n");
    assert_prints(repeated, 3, (struct ets_table_style){.format = ETS_FORMAT_CSV}, "n,operator",
                  "n,operator\n0,add\n1,add\n2,add\n");
    assert_prints(repeated, 3, (struct ets_table_style){.format = ETS_FORMAT_MARKDOWN},
                  "n,operator", "| # | operator |\n|---:|---|\n| 0-2 | add x3 |\n");
}

static void test_table_fold__what_a_narrow_table_drops_tells_no_rows_apart(void **state)
{
    (void)state;
    assert_prints(&repeated[4], 2, (struct ets_table_style){.width = 15}, "operator,place",
                  "operator  place\nadd x2    b\n");
    assert_prints(&repeated[4], 2, (struct ets_table_style){.width = 30}, "operator,more",
                  "operator  more\nadd       u\nadd       v\n");
}

static void test_table_fold__sections_part_rows(void **state)
{
    (void)state;
    static const struct repeat parted[] = {
        {0, 0, "add", "a", "u"}, {0, 0, NULL, NULL, NULL}, {1, 1, "add", "a", "u"}};
    assert_prints(parted, 3, (struct ets_table_style){.width = 0}, "n,operator,place",
                  "#  operator  place\n0  add       a\n"
                  "\nSection\n#  operator  place\n1    add     a\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_fold__rows_that_look_the_same_are_one),
        cmocka_unit_test(test_table_fold__all_rows_are_there_for_who_asks_and_for_machines),
        cmocka_unit_test(test_table_fold__what_a_narrow_table_drops_tells_no_rows_apart),
        cmocka_unit_test(test_table_fold__sections_part_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
