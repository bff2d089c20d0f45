/* Tables for people: width, units, bounds, and names that mean harm. */
#include "test_inspect_support.h"

#include <math.h>

static struct ets_table *new_table(const struct ets_column *columns, size_t count)
{
    struct ets_table *table;
    assert_int_equal(ets_table_open(NULL, &table, NULL), ETS_OK);
    for (size_t i = 0; i < count; i++) ets_table_add_column(table, &columns[i]);
    return table;
}

static void assert_printed(struct ets_table *table, struct ets_table_style style,
                           const char *expected)
{
    char *text = print_table(table, style);
    assert_string_equal(text, expected);
    free(text);
}

/* Characters of the longest line; lines must not end in a space. */
static size_t longest_line(const char *text)
{
    size_t longest = 0;
    while (*text != '\0') {
        const char *end = strchr(text, '\n');
        size_t characters = 0;
        assert_non_null(end);
        for (const char *at = text; at < end; at++) {
            characters += ((unsigned char)*at & 0xc0) != 0x80;
        }
        assert_true(end == text || end[-1] != ' ');
        if (characters > longest) longest = characters;
        text = end + 1;
    }
    return longest;
}

static void test_table_text__aligns_indents_and_heads_sections(void **state)
{
    (void)state;
    const struct ets_column columns[] = {{.name = "name"},
                                         {.name = "n", .kind = ETS_COLUMN_INTEGER, .title = "#"},
                                         {.name = "last"}};
    struct ets_table *table = new_table(columns, 3);
    ets_table_add_section(table, (struct ets_text){"One", 3});
    ets_table_add_row(table, 0);
    ets_table_put_string(table, "outer");
    ets_table_put_integer(table, 5);
    ets_table_put_string(table, "x");
    ets_table_add_row(table, 1);
    ets_table_put_string(table, "inner");
    ets_table_put_integer(table, -123);
    ets_table_put_nothing(table);
    ets_table_add_section(table, (struct ets_text){"Two", 3});
    ets_table_add_row(table, 0);
    ets_table_put_string(table, "z");
    ets_table_put_integer(table, 7);
    assert_int_equal(ets_table_row_count(table), 5);
    assert_printed(table, (struct ets_table_style){.format = ETS_FORMAT_TABLE},
                   "One\n"
                   "name        #  last\n"
                   "outer       5  x\n"
                   "  inner  -123\n"
                   "\nTwo\n"
                   "name        #  last\n"
                   "z           7\n");
    assert_printed(table, (struct ets_table_style){.format = ETS_FORMAT_MARKDOWN},
                   "**One**\n\n"
                   "| name | # | last |\n|---|---:|---|\n"
                   "| outer | 5 | x |\n"
                   "| &nbsp; inner | -123 |  |\n"
                   "\n**Two**\n\n"
                   "| name | # | last |\n|---|---:|---|\n"
                   "| z | 7 |  |\n");
    ets_table_close(table);
}

static struct ets_table *wide_table(void)
{
    const struct ets_column columns[] = {
        {.name = "operator", .least_width = 10},
        {.name = "keep", .kind = ETS_COLUMN_INTEGER},
        {.name = "second", .kind = ETS_COLUMN_INTEGER, .priority = 2},
        {.name = "first", .kind = ETS_COLUMN_INTEGER, .priority = 3},
        {.name = "path", .least_width = 8, .cut_at_start = 1},
    };
    struct ets_table *table = new_table(columns, 5);
    ets_table_add_row(table, 0);
    ets_table_put_string(table, "a name of forty characters, or so it is!");
    for (int i = 1; i <= 3; i++) ets_table_put_integer(table, i * 1111);
    ets_table_put_string(table, "models/deeply/nested/zoo.py:16");
    return table;
}

/* Where the usual cut makes two names look the same, more of the end stays. */
static void test_table_text__cut_names_stay_distinct(void **state)
{
    static const struct ets_column column = {
        .name = "operator", .least_width = 20, .cut_in_middle = 1};
    static const char *const alike[] = {"DELEGATE_CALL -> 18 operators",
                                        "addmm.out -> DELEGATE_CALL",
                                        "DELEGATE_CALL -> 12 operators"};
    struct ets_table *table;
    (void)state;
    for (int last = 1; last <= 2; last++) {
        assert_int_equal(ets_table_open(NULL, &table, NULL), ETS_OK);
        ets_table_add_column(table, &column);
        for (int i = 0; i <= last; i++) {
            ets_table_add_row(table, 0);
            ets_table_put_string(table, alike[i]);
        }
        assert_printed(table, (struct ets_table_style){.width = 22, .ascii = 1},
                       last == 1 ? "operator\n"
                                   "DELEGATE_CAL~operators\n"
                                   "addmm.out ->~GATE_CALL\n"
                                 : "operator\n"
                                   "DELEGATE_C~8 operators\n"
                                   "addmm.out ~LEGATE_CALL\n"
                                   "DELEGATE_C~2 operators\n");
        ets_table_close(table);
    }
}

/* A note behind a label goes on below the note, not below the label. */
static void test_table_text__notes_hang_below_their_text(void **state)
{
    static const struct ets_column column = {.name = "n", .kind = ETS_COLUMN_INTEGER};
    static const char *const notes[] = {"a note that has no label at all",
                                        "  from   one two three four five six",
                                        "  indented without a label, too"};
    struct ets_table *table;
    (void)state;
    assert_int_equal(ets_table_open(NULL, &table, NULL), ETS_OK);
    ets_table_add_column(table, &column);
    ets_table_add_row(table, 0);
    ets_table_put_integer(table, 7);
    for (int i = 0; i < 3; i++) {
        ets_table_add_note(table, (struct ets_text){notes[i], strlen(notes[i])});
    }
    assert_printed(table, (struct ets_table_style){.width = 24},
                   "n\n7\n"
                   "a note that has no label\nat all\n"
                   "  from   one two three\n         four five six\n"
                   "  indented without a\n  label, too\n");
    ets_table_close(table);
}

static void test_table_text__fits_its_width(void **state)
{
    (void)state;
    struct ets_table *table = wide_table();
    const struct {
        uint32_t width;
        const char *text;
    } cases[] = {
        {0,
         "operator                                  keep  second  first  path\n"
         "a name of forty characters, or so it is!  1111    2222   3333  "
         "models/deeply/nested/zoo.py:16\n"},
        {34,
         "operator    keep  second  path\n"
         "a name of\xe2\x80\xa6  1111    2222  \xe2\x80\xa6o.py:16\n"},
        {26, "operator    keep  path\na name of\xe2\x80\xa6  1111  \xe2\x80\xa6o.py:16\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct ets_table_style style = {.width = cases[i].width};
        char *text = print_table(table, style);
        assert_string_equal(text, cases[i].text);
        free(text);
    }
    char *ascii = print_table(table, (struct ets_table_style){.width = 40, .ascii = 1});
    assert_non_null(strchr(ascii, '~'));
    for (const char *at = ascii; *at != '\0'; at++) assert_true((unsigned char)*at < 0x80);
    free(ascii);
    ets_table_close(table);
}

/* U+6F22 takes two columns, U+0301 none; of a character that half fits, its column stays empty. */
static void test_table_text__wide_and_combining_characters_are_counted_in_columns(void **state)
{
    (void)state;
    static const char *const texts[] = {"\u6f22\u5b57\u6a21\u578b", "cafe\u0301", "\U0001f680ab"};
    const struct ets_column columns[] = {{.name = "name", .least_width = 4}, {.name = "n"}};
    struct ets_table *table = new_table(columns, 2);
    for (size_t i = 0; i < COUNT(texts); i++) {
        ets_table_add_row(table, 0);
        ets_table_put_string(table, texts[i]);
        ets_table_put_string(table, "x");
    }
    assert_printed(table, (struct ets_table_style){.width = 0},
                   "name      n\n\u6f22\u5b57\u6a21\u578b  x\ncafe\u0301      x\n"
                   "\U0001f680ab      x\n");
    assert_printed(table, (struct ets_table_style){.width = 9},
                   "name    n\n\u6f22\u5b57\u2026   x\ncafe\u0301    x\n\U0001f680ab    x\n");
    assert_printed(table, (struct ets_table_style){.width = 7},
                   "name  n\n\u6f22\u2026   x\ncafe\u0301  x\n\U0001f680ab  x\n");
    ets_table_close(table);
    const struct ets_column paths[] = {{.name = "path", .least_width = 4, .cut_at_start = 1}};
    table = new_table(paths, 1);
    ets_table_add_row(table, 0);
    ets_table_put_string(table, texts[0]);
    assert_printed(table, (struct ets_table_style){.width = 6}, "path\n\u2026\u6a21\u578b\n");
    ets_table_close(table);
}

/* Headings are wrapped, as notes are, but for Markdown. */
static void test_table_text__headings_keep_the_width(void **state)
{
    (void)state;
    const struct ets_column column = {.name = "n", .kind = ETS_COLUMN_INTEGER};
    struct ets_table *table = new_table(&column, 1);
    ets_table_add_section(table,
                          (struct ets_text){"Execute - 50 runs, only the 49 steady ones", 42});
    ets_table_add_row(table, 0);
    ets_table_put_integer(table, 7);
    assert_printed(table, (struct ets_table_style){.width = 24},
                   "Execute - 50 runs, only\nthe 49 steady ones\nn\n7\n");
    assert_printed(table, (struct ets_table_style){.width = 42},
                   "Execute - 50 runs, only the 49 steady ones\nn\n7\n");
    assert_printed(table, (struct ets_table_style){.width = 24, .format = ETS_FORMAT_MARKDOWN},
                   "**Execute - 50 runs, only the 49 steady ones**\n\n| n |\n|---:|\n| 7 |\n");
    ets_table_close(table);
}

static void test_table_text__every_width_is_kept_down_to_the_least(void **state)
{
    (void)state;
    struct ets_table *table = wide_table();
    for (uint32_t width = 26; width <= 200; width++) {
        char *text = print_table(table, (struct ets_table_style){.width = width});
        assert_true(longest_line(text) <= width);
        assert_int_equal(strstr(text, "second") != NULL, width >= 34);
        assert_int_equal(strstr(text, "first") != NULL, width >= 41);
        free(text);
    }
    ets_table_close(table);
}

static struct ets_table *paths_table(const char *const *paths, size_t count)
{
    const struct ets_column columns[] = {
        {.name = "n", .kind = ETS_COLUMN_INTEGER},
        {.name = "calls", .kind = ETS_COLUMN_INTEGER, .priority = 1, .dull_at_one = 1},
        {.name = "extra", .kind = ETS_COLUMN_INTEGER, .priority = 5},
        {.name = "path", .least_width = 8, .cut_at_start = 1},
    };
    struct ets_table *table = new_table(columns, 4);
    for (size_t i = 0; i < count; i++) {
        ets_table_add_row(table, 0);
        ets_table_put_integer(table, (int64_t)i);
        ets_table_put_integer(table, 1);
        ets_table_put_integer(table, 12345);
        ets_table_put_string(table, paths[i]);
    }
    return table;
}

/* A column of ones goes first, then the folder of all paths, then the extras. */
static void test_table_text__what_all_rows_share_goes_first(void **state)
{
    (void)state;
    static const char *const paths[] = {"/home/me/net/a.py:1", "(whole call)",
                                        "/home/me/net/sub/b.py:22", NULL};
    struct ets_table *table = paths_table(paths, 4);
    assert_printed(table, (struct ets_table_style){.width = 35},
                   "n  extra  path\n"
                   "0  12345  /home/me/net/a.py:1\n"
                   "1  12345  (whole call)\n"
                   "2  12345  /home/me/net/sub/b.py:22\n"
                   "3  12345\n");
    assert_printed(table, (struct ets_table_style){.width = 33},
                   "n  extra  path\n"
                   "0  12345  \u2026/a.py:1\n"
                   "1  12345  (whole call)\n"
                   "2  12345  \u2026/sub/b.py:22\n"
                   "3  12345\n");
    assert_printed(table, (struct ets_table_style){.width = 14, .ascii = 1},
                   "n  path\n"
                   "0  ~/a.py:1\n"
                   "1  ~hole call)\n"
                   "2  ~/b.py:22\n"
                   "3\n");
    ets_table_close(table);
}

static void test_table_text__folders_are_shared_by_whole_names(void **state)
{
    (void)state;
    static const struct {
        const char *paths[2], *shown[2];
    } cases[] = {
        {{"/home/net/a.py:1", "/home/net2/a.py:1"}, {"\u2026/net/a.py:1", "\u2026/net2/a.py:1"}},
        {{"/home/net/a.py:1", "/home/b.py:1"}, {"\u2026/net/a.py:1", "\u2026/b.py:1"}},
        {{"models/a.py:1", "models/a.py:1"}, {"\u2026/a.py:1", "\u2026/a.py:1"}},
        {{"/opt/torch/a.py:1", "/home/b.py:1"}, {"\u2026/torch/a.py:1", "/home/b.py:1"}},
        {{"a.py:12345678901", "/home/b.py:1"}, {"a.py:12345678901", "\u2026/b.py:1"}},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct ets_table *table = paths_table(cases[i].paths, 2);
        char *text = print_table(table, (struct ets_table_style){.width = i == 3 ? 18 : 20});
        for (int row = 0; row < 2; row++) assert_non_null(strstr(text, cases[i].shown[row]));
        free(text);
        ets_table_close(table);
    }
}

/* Columns from priority 5 on go before any text is cut. */
static void test_table_text__extras_go_before_texts_are_cut(void **state)
{
    (void)state;
    const struct ets_column columns[] = {
        {.name = "operator", .least_width = 4},
        {.name = "extra", .kind = ETS_COLUMN_INTEGER, .priority = 5}};
    struct ets_table *table = new_table(columns, 2);
    ets_table_add_row(table, 0);
    ets_table_put_string(table, "twenty characters ok");
    ets_table_put_integer(table, 1);
    const struct ets_table_style fits = {.width = 27}, tight = {.width = 26}, cut = {.width = 10};
    assert_printed(table, fits, "operator              extra\ntwenty characters ok      1\n");
    assert_printed(table, tight, "operator\ntwenty characters ok\n");
    assert_printed(table, cut, "operator\ntwenty ch\xe2\x80\xa6\n");
    ets_table_close(table);
}

static char *print_one(struct ets_column column, struct ets_text text, struct ets_table_style style)
{
    struct ets_table *table = new_table(&column, 1);
    ets_table_add_section(table, text);
    ets_table_add_row(table, 0);
    ets_table_put_text(table, text);
    char *printed = print_table(table, style);
    ets_table_close(table);
    return printed;
}

/* Escape sequences, line breaks, the second control block, bytes that are no UTF-8. */
static void test_table_text__no_control_character_gets_out(void **state)
{
    (void)state;
    static const struct {
        struct ets_text name;
        const char *shown;
    } cases[] = {
        {{"\033[2J\033]0;x\007", 10}, "\\x1b[2J\\x1b]0;x\\x07"},
        {{"a\nb\rc\td", 7}, "a\\x0ab\\x0dc\\x09d"},
        {{"nul\0inside", 10}, "nul\\x00inside"},
        {{"del\x7f", 4}, "del\\x7f"},
        {{"csi \xc2\x9b"
          "2J",
          8},
         "csi \\xc2\\x9b2J"},
        {{"lone \x9b\xff", 7}, "lone \\x9b\\xff"},
        {{"cut \xe2\x82", 6}, "cut \\xe2\\x82"},
        {{"overlong \xc0\xaf", 11}, "overlong \\xc0\\xaf"},
        {{"surrogate \xed\xa0\x80", 13}, "surrogate \\xed\\xa0\\x80"},
        {{"gr\xc3\xb6\xc3\x9f"
          "e \xe2\x82\xac \xf0\x9f\x8e\xbc",
          16},
         "gr\xc3\xb6\xc3\x9f"
         "e \xe2\x82\xac \xf0\x9f\x8e\xbc"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char expected[256];
        snprintf(expected, sizeof expected, "%s\nname\n%s\n", cases[i].shown, cases[i].shown);
        char *text = print_one((struct ets_column){.name = "name"}, cases[i].name,
                               (struct ets_table_style){.format = ETS_FORMAT_TABLE});
        assert_string_equal(text, expected);
        free(text);
        text = print_one((struct ets_column){.name = "name"}, cases[i].name,
                         (struct ets_table_style){.format = ETS_FORMAT_MARKDOWN});
        for (const char *at = text; *at != '\0'; at++) {
            assert_true(*at == '\n' || (unsigned char)*at >= 0x20);
        }
        free(text);
        text = print_one((struct ets_column){.name = "name"}, cases[i].name,
                         (struct ets_table_style){.ascii = 1});
        for (const char *at = text; *at != '\0'; at++) assert_true((unsigned char)*at < 0x7f);
        free(text);
    }
}

static void test_table_text__long_names_are_cut_between_characters(void **state)
{
    (void)state;
    char name[9001];
    for (size_t i = 0; i < 3000; i++) memcpy(name + 3 * i, "\xe2\x82\xac", 3);
    const struct ets_column column = {.name = "name", .least_width = 5};
    char *text =
        print_one(column, (struct ets_text){name, 9000}, (struct ets_table_style){.width = 20});
    assert_true(strlen(text) > 0);
    const char *line = strstr(text, "\nname\n") + 6;
    assert_int_equal(strcspn(line, "\n"), 20 * 3);
    assert_memory_equal(line + 19 * 3, "\xe2\x80\xa6", 3);
    assert_int_equal((strcspn(text, "\n")) % 3, 0);
    free(text);
}

static void test_table_text__no_cell_is_wider_than_160_columns(void **state)
{
    (void)state;
    char name[4000];
    memset(name, 'n', sizeof name);
    const struct ets_column column = {.name = "name", .least_width = 5};
    char *text =
        print_one(column, (struct ets_text){name, sizeof name}, (struct ets_table_style){0});
    const char *line = strstr(text, "\nname\n") + 6;
    assert_int_equal(strcspn(line, "\n"), 159 + 3);
    assert_memory_equal(line + 159, "\xe2\x80\xa6", 3);
    free(text);
    /* Whole where it fits, and in the formats for programs. */
    text = print_one(column, (struct ets_text){name, 160}, (struct ets_table_style){0});
    line = strstr(text, "\nname\n") + 6;
    assert_int_equal(strspn(line, "n"), 160);
    free(text);
    text = print_one(column, (struct ets_text){name, sizeof name},
                     (struct ets_table_style){.format = ETS_FORMAT_CSV});
    assert_int_equal(strspn(strchr(text, '\n') + 1, "n"), sizeof name);
    free(text);
}

static void test_table_text__markdown_shows_names_as_they_are(void **state)
{
    (void)state;
    static const struct {
        const char *name, *shown;
    } cases[] = {
        {"a|b\\c", "a\\|b\\\\c"},
        {"<img src=x>", "\\<img src=x>"},
        {"<1", "<1"},
        {"[x](http://y)", "\\[x\\](http://y)"},
        {"*bold* `code` ~no~", "\\*bold\\* \\`code\\` \\~no\\~"},
        {"native_call_add.out", "native_call_add.out"},
        {"aten._softmax.default", "aten.\\_softmax.default"},
        {"add_", "add\\_"},
        {"&lt; a & b", "\\&lt; a & b"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char expected[256];
        snprintf(expected, sizeof expected, "**%s**\n\n| name |\n|---|\n| %s |\n", cases[i].shown,
                 cases[i].shown);
        char *text = print_one((struct ets_column){.name = "name"},
                               (struct ets_text){cases[i].name, strlen(cases[i].name)},
                               (struct ets_table_style){.format = ETS_FORMAT_MARKDOWN});
        assert_string_equal(text, expected);
        free(text);
    }
}

static void assert_cell(enum ets_column_kind kind, double lower, double upper, const char *unit,
                        const char *expected)
{
    const struct ets_column column = {.name = "v", .kind = kind};
    struct ets_table *table = new_table(&column, 1);
    ets_table_add_row(table, 0);
    ets_table_put_bounds(table, lower, upper);
    char *text = print_table(table, (struct ets_table_style){.time_unit = unit});
    const char *end = text + strlen(text) - 1, *start = end;
    while (start > text && start[-1] != ' ' && start[-1] != '\n') start--;
    assert_int_equal((size_t)(end - start), strlen(expected));
    assert_memory_equal(start, expected, strlen(expected));
    free(text);
    ets_table_close(table);
}

static void test_table_text__bounds_and_small_values_are_not_hidden(void **state)
{
    (void)state;
    assert_cell(ETS_COLUMN_TIME, 1234, 1234, "us", "1.234");
    assert_cell(ETS_COLUMN_TIME, 0, 0, "us", "0.000");
    assert_cell(ETS_COLUMN_TIME, 0.4, 0.4, "us", "<0.001");
    assert_cell(ETS_COLUMN_TIME, 700, 700, "ns", "700");
    assert_cell(ETS_COLUMN_TIME, 0, 1000, "us", "<1");
    assert_cell(ETS_COLUMN_TIME, 3000, 4000, "us", "3..4");
    assert_cell(ETS_COLUMN_TIME, 6600, 7600, "us", "6.6..7.6");
    assert_cell(ETS_COLUMN_TIME, NAN, NAN, "us", "-");
    assert_cell(ETS_COLUMN_SHARE, 0.5, 0.5, NULL, "50.0%");
    assert_cell(ETS_COLUMN_SHARE, 0.0001, 0.0001, NULL, "<0.1%");
    assert_cell(ETS_COLUMN_SHARE, 0, 0, NULL, "0.0%");
    assert_cell(ETS_COLUMN_SHARE, 0, 0.02, NULL, "<2.0%");
    assert_cell(ETS_COLUMN_SHARE, 0.1, 0.2, NULL, "10.0..20.0%");
    assert_cell(ETS_COLUMN_TICKS, 12345678, 12345678, NULL, "12345678");
    assert_cell(ETS_COLUMN_REAL, 2.5, 2.5, NULL, "2.5");
}

/* Bounds that read the same are no range: "81.6..81.6%" says nothing. */
static void test_table_text__ranges_have_two_ends(void **state)
{
    (void)state;
    static const struct {
        enum ets_column_kind kind;
        int is_signed;
        double lower, upper;
        const char *expected;
    } cases[] = {{ETS_COLUMN_SHARE, 0, 0.81612, 0.81638, "81.6%"},
                 {ETS_COLUMN_SHARE, 0, 0.8164, 0.8166, "81.6..81.7%"},
                 {ETS_COLUMN_TIME, 0, 100.01, 100.02, "100"},
                 {ETS_COLUMN_TIME, 1, 1.00001, 1.00002, "+1"},
                 {ETS_COLUMN_TIME, 1, -1, 1, "-1..+1"},
                 {ETS_COLUMN_REAL, 0, 2.0000001, 2.0000002, "2"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct ets_column column = {
            .name = "v", .kind = cases[i].kind, .has_bounds = 1, .is_signed = cases[i].is_signed};
        struct ets_table *table = new_table(&column, 1);
        ets_table_add_row(table, 0);
        ets_table_put_bounds(table, cases[i].lower, cases[i].upper);
        char *text =
            print_table(table, (struct ets_table_style){.has_bounds = 1, .time_unit = "ns"});
        const char *line = strchr(text, '\n') + 1;
        line += strspn(line, " ");
        assert_int_equal(strcspn(line, "\n"), strlen(cases[i].expected));
        assert_memory_equal(line, cases[i].expected, strlen(cases[i].expected));
        free(text);
        ets_table_close(table);
    }
}

static void test_table_text__units_stand_in_the_heading(void **state)
{
    (void)state;
    static const struct {
        double ns;
        const char *heading;
    } cases[] = {
        {999, "v ns\n"}, {5e4, "v us\n"}, {9.9e7, "v us\n"}, {2e8, "v ms\n"}, {3e11, "v s\n"}};
    const struct ets_column column = {.name = "v", .kind = ETS_COLUMN_TIME};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct ets_table *table = new_table(&column, 1);
        ets_table_add_row(table, 0);
        ets_table_put_real(table, cases[i].ns);
        char *text = print_table(table, (struct ets_table_style){.format = ETS_FORMAT_TABLE});
        assert_non_null(strstr(text, cases[i].heading));
        free(text);
        ets_table_close(table);
    }
    const struct ets_column ticks = {.name = "v", .kind = ETS_COLUMN_TICKS};
    struct ets_table *table = new_table(&ticks, 1);
    ets_table_add_row(table, 0);
    ets_table_put_real(table, 1);
    assert_printed(table, (struct ets_table_style){.format = ETS_FORMAT_TABLE},
                   "v cycles\n       1\n");
    ets_table_close(table);
}

static void test_table_text__empty_columns_are_left_out(void **state)
{
    (void)state;
    const struct ets_column columns[] = {
        {.name = "a"},
        {.name = "b"},
        {.name = "c", .kind = ETS_COLUMN_LIST},
        {.name = "d", .machine_only = 1},
        {.name = "e", .kind = ETS_COLUMN_LIST, .first_of_list = 1}};
    const struct ets_text items[] = {{"p", 1}, {"q", 1}, {"r", 1}};
    struct ets_table *table = new_table(columns, 5);
    ets_table_add_row(table, 0);
    ets_table_put_string(table, "x");
    ets_table_put_string(table, NULL);
    ets_table_put_list(table, NULL, 0);
    ets_table_put_string(table, "hidden");
    ets_table_put_list(table, items, 3);
    assert_printed(table, (struct ets_table_style){.format = ETS_FORMAT_TABLE}, "a  e\nx  p +2\n");
    ets_table_close(table);
}

/* A range that is narrow becomes one number inside of it; others and --bounds keep both ends. */
static void test_table_text__narrow_ranges_are_one_number(void **state)
{
    (void)state;
    const struct ets_column columns[] = {
        {.name = "t", .kind = ETS_COLUMN_TIME, .has_bounds = 1},
        {.name = "s", .kind = ETS_COLUMN_SHARE, .has_bounds = 1},
        {.name = "r", .kind = ETS_COLUMN_REAL},
    };
    static const struct {
        double lower, upper;
        const char *shown, *bounds;
    } cases[] = {{518.2, 522.2, "~520", "518.2..522.2"},
                 {3, 4, "3..4", "3..4"},
                 {0, 5, "<5", "<5"},
                 {900, 1000, "~950", "900..1000"},
                 {899, 1000, "899..1000", "899..1000"},
                 {100, 100.25, "~100.1", "100..100.2"},
                 {100.01, 100.04, "~100.03", "100"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (int bounds = 0; bounds < 2; bounds++) {
            char expected[64];
            struct ets_table *table = new_table(columns, 1);
            ets_table_add_row(table, 0);
            ets_table_put_bounds(table, cases[i].lower, cases[i].upper);
            char *text = print_table(
                table, (struct ets_table_style){.has_bounds = bounds, .time_unit = "ns"});
            (void)snprintf(expected, sizeof expected, "\n%*s\n", (int)strcspn(text, "\n"),
                           bounds ? cases[i].bounds : cases[i].shown);
            assert_string_equal(strchr(text, '\n'), expected);
            free(text);
            ets_table_close(table);
        }
    }
    for (double lower = 1; lower < 1e9; lower *= 1.37) {
        for (double part = 1e-7; part < 0.09; part *= 3.1) {
            struct ets_table *table = new_table(&columns[2], 1);
            const double upper = lower * (1 + part);
            ets_table_add_row(table, 0);
            ets_table_put_bounds(table, lower, upper);
            char *text = print_table(table, (struct ets_table_style){.ascii = 1});
            const char *about = strchr(text, '~');
            assert_non_null(about);
            const double shown = strtod(about + 1, NULL);
            assert_true(shown >= lower * (1 - 1e-12) && shown <= upper * (1 + 1e-12));
            free(text);
            ets_table_close(table);
        }
    }
}

static void test_table_text__large_parts_are_factors(void **state)
{
    (void)state;
    const struct ets_column columns[] = {
        {.name = "share", .kind = ETS_COLUMN_SHARE},
        {.name = "change", .kind = ETS_COLUMN_SHARE, .is_signed = 1},
        {.name = "of", .kind = ETS_COLUMN_REAL, .is_factor = 1},
    };
    static const double values[] = {22.308, 9.5, 0.9866, 2230.8};
    struct ets_table *table = new_table(columns, COUNT(columns));
    for (size_t i = 0; i < COUNT(values); i++) {
        ets_table_add_row(table, 0);
        for (size_t c = 0; c < COUNT(columns); c++) ets_table_put_real(table, values[i]);
    }
    assert_printed(table, (struct ets_table_style){.format = ETS_FORMAT_TABLE},
                   " share  change      of\n"
                   " 22.3x   23.3x   22.3x\n"
                   "950.0%   10.5x   9.50x\n"
                   " 98.7%  +98.7%  0.987x\n"
                   " 2231x   2232x   2231x\n");
    ets_table_close(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_text__aligns_indents_and_heads_sections),
        cmocka_unit_test(test_table_text__cut_names_stay_distinct),
        cmocka_unit_test(test_table_text__fits_its_width),
        cmocka_unit_test(test_table_text__notes_hang_below_their_text),
        cmocka_unit_test(test_table_text__wide_and_combining_characters_are_counted_in_columns),
        cmocka_unit_test(test_table_text__every_width_is_kept_down_to_the_least),
        cmocka_unit_test(test_table_text__headings_keep_the_width),
        cmocka_unit_test(test_table_text__what_all_rows_share_goes_first),
        cmocka_unit_test(test_table_text__folders_are_shared_by_whole_names),
        cmocka_unit_test(test_table_text__extras_go_before_texts_are_cut),
        cmocka_unit_test(test_table_text__no_control_character_gets_out),
        cmocka_unit_test(test_table_text__long_names_are_cut_between_characters),
        cmocka_unit_test(test_table_text__no_cell_is_wider_than_160_columns),
        cmocka_unit_test(test_table_text__markdown_shows_names_as_they_are),
        cmocka_unit_test(test_table_text__bounds_and_small_values_are_not_hidden),
        cmocka_unit_test(test_table_text__ranges_have_two_ends),
        cmocka_unit_test(test_table_text__units_stand_in_the_heading),
        cmocka_unit_test(test_table_text__empty_columns_are_left_out),
        cmocka_unit_test(test_table_text__narrow_ranges_are_one_number),
        cmocka_unit_test(test_table_text__large_parts_are_factors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
