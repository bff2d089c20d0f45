/* Colours of tables: what cells mean, bars of shares, heat of times; and none where they would
 * harm. */
#include "test_inspect_support.h"

#include "output/table/cell_color.h"

#define END ETS_COLOR_END
#define BAR ETS_COLOR_BAR

static struct ets_table *fill(const struct ets_allocator *allocator)
{
    static const struct ets_column columns[] = {
        {.name = "operator"},
        {.name = "mid", .kind = ETS_COLUMN_TIME, .has_bounds = 1, .heat = 1},
        {.name = "share", .kind = ETS_COLUMN_SHARE},
        {.name = "verdict"},
    };
    static const enum ets_meaning meanings[] = {ETS_MEANS_WORSE, ETS_MEANS_BETTER, ETS_MEANS_GUILTY,
                                                ETS_MEANS_WARNING};
    static const char *const verdicts[] = {"slower", "faster", "guilty", "unclear"};
    static const double times[] = {600, 120, 30, 0};
    struct ets_table *table;
    if (ets_table_open(allocator, &table, NULL) != ETS_OK) return NULL;
    for (size_t i = 0; i < COUNT(columns); i++) ets_table_add_column(table, &columns[i]);
    for (size_t i = 0; i < COUNT(times); i++) {
        ets_table_add_row(table, 0);
        ets_table_put_string(table, "add.out");
        ets_table_put_bounds(table, times[i], i == 3 ? 500 : times[i]); /* "<500" is nothing sure */
        ets_table_put_real(table, times[i] / 600);
        ets_table_put_string(table, verdicts[i]);
        ets_table_mark_cell(table, meanings[i]);
    }
    ets_table_quiet_row(table);
    return table;
}

/* Removes escape sequences in place. */
static void strip(char *text)
{
    char *to = text;
    for (const char *at = text; *at != '\0'; at++) {
        if (*at != '\033') *to++ = *at;
        else at += strcspn(at, "m");
    }
    *to = '\0';
}

static void test_table_color__cells_show_their_meaning(void **state)
{
    (void)state;
    struct ets_table *table = fill(NULL);
    char *text = print_table(table, (struct ets_table_style){.is_colored = 1});
    assert_string_equal(text,
                        "\033[2moperator  mid ns   share  verdict\n\033[0m"
                        "add.out   \033[1;31m   600" END "  " BAR "100.0%" END
                        "  \033[31mslower" END
                        "\n"
                        "add.out   \033[33m   120" END "  " BAR " " END "20.0%  \033[32mfaster" END
                        "\n"
                        "add.out       30    5.0%  \033[1;31mguilty" END
                        "\n"
                        "\033[2madd.out     <500    0.0%  unclear\n\033[0m");
    free(text);
    ets_table_close(table);
}

static void test_table_color__changes_neither_widths_nor_other_formats(void **state)
{
    (void)state;
    for (int format = ETS_FORMAT_TABLE; format <= ETS_FORMAT_MARKDOWN; format++) {
        for (uint32_t width = 0; width <= 40; width += 20) {
            struct ets_table *table = fill(NULL);
            const struct ets_table_style plain = {.format = (enum ets_format)format,
                                                  .width = width};
            struct ets_table_style colored = plain;
            colored.is_colored = 1;
            char *expected = print_table(table, plain), *text = print_table(table, colored);
            assert_null(strchr(expected, '\033'));
            if (format == ETS_FORMAT_TABLE) strip(text);
            assert_string_equal(text, expected);
            free(text);
            free(expected);
            ets_table_close(table);
        }
    }
}

static void test_table_color__a_mark_without_a_cell_is_nothing(void **state)
{
    (void)state;
    struct ets_table *table;
    assert_int_equal(ets_table_open(NULL, &table, NULL), ETS_OK);
    ets_table_mark_cell(table, ETS_MEANS_WORSE);
    ets_table_add_column(table, &(struct ets_column){.name = "n"});
    ets_table_add_row(table, 0);
    ets_table_mark_cell(table, ETS_MEANS_WORSE);
    ets_table_put_string(table, "x");
    char *text = print_table(table, (struct ets_table_style){.is_colored = 1});
    assert_string_equal(text, "\033[2mn\n\033[0mx\n");
    free(text);
    ets_table_close(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_color__cells_show_their_meaning),
        cmocka_unit_test(test_table_color__changes_neither_widths_nor_other_formats),
        cmocka_unit_test(test_table_color__a_mark_without_a_cell_is_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
