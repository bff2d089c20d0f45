/* Work by lines of source: sums to the tick, files that are and are not what was exported, memory.
 */
#include "test_gap_support.h"

#include <math.h>

#include "output/table/annotate_table.h"
#include "output/table/run_table.h"
#include "output/table/source_text.h"
#include "views/source_lines.h"

struct subject {
    struct ets_file *dump, *record_file, *program_file;
    struct ets_etrecord *record;
    struct ets_program program;
    struct ets_inspection *inspection;
};

static void open_subject(const char *model, struct subject *s)
{
    *s = (struct subject){.dump = open_fixture(model, "profile.etdp")};
    s->record_file = open_fixture(model, "model.etrecord");
    s->record = open_record(ets_file_bytes(s->record_file));
    s->program_file = open_fixture(model, "model.pte");
    assert_int_equal(ets_program_init(&s->program, ets_file_bytes(s->program_file), NULL), ETS_OK);
    s->inspection =
        inspect(ets_file_bytes(s->dump),
                (struct ets_inspect_options){.record = s->record, .program = &s->program});
}

static void close_subject(struct subject *s)
{
    ets_inspection_close(s->inspection);
    ets_etrecord_close(s->record);
    ets_file_close(s->program_file);
    ets_file_close(s->record_file);
    ets_file_close(s->dump);
}

static bool collect(struct ets_arena *arena, const struct ets_inspection *inspection,
                    uint32_t block, struct ets_source_lines *lines)
{
    struct ets_work work;
    struct ets_chosen_runs runs;
    return ets_chosen_runs_find(arena, inspection, block, ETS_NO_INDEX, 0, &runs) &&
           ets_work_collect(arena, inspection, block, ETS_WORK_KNOWN, NULL, &work) &&
           ets_source_lines_collect(arena, &work, &runs, NULL, NULL, false, lines);
}

static void test_annotate__lines_add_up_to_the_run(void **state)
{
    (void)state;
    static const char *const models[] = {"gpt_xnnpack", "conv_xnnpack", "cond", "multi_method"};
    for (size_t m = 0; m < COUNT(models); m++) {
        struct subject s;
        open_subject(models[m], &s);
        for (uint32_t b = 0; b < ets_inspection_block_count(s.inspection); b++) {
            const uint32_t total = ets_inspection_total_row(s.inspection, b);
            struct ets_statistics expected;
            struct ets_source_lines lines;
            struct ets_arena arena;
            if (total == ETS_NO_INDEX) continue;
            ets_inspection_row_statistics(s.inspection, total, ETS_NO_INDEX, &expected, NULL);
            ets_arena_init(&arena, NULL, 0);
            assert_true(collect(&arena, s.inspection, b, &lines));
            double sum = 0;
            for (uint32_t i = 0; i < lines.count; i++) {
                if (lines.places[i].is_counted) sum += lines.places[i].self.statistics.total;
                assert_int_equal(lines.places[i].frame != NULL, i < lines.on_lines);
            }
            assert_true(sum == expected.total);
            ets_arena_reset(&arena);
        }
        close_subject(&s);
    }
}

static void test_annotate__survives_every_failed_allocation(void **state)
{
    (void)state;
    struct subject s;
    bool ok = false;
    open_subject("conv_xnnpack", &s);
    uint32_t block = 0;
    while (ets_inspection_total_row(s.inspection, block) == ETS_NO_INDEX) block++;
    for (unsigned long fail_at = 0; !ok; fail_at++) {
        struct failing failing = {.fail_at = fail_at};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        struct ets_arena arena;
        struct ets_source_lines lines;
        ets_arena_init(&arena, &allocator, 0);
        ok = collect(&arena, s.inspection, block, &lines);
        ets_arena_reset(&arena);
        assert_int_equal(failing.live, 0);
        assert_true(fail_at < 1000);
    }
    close_subject(&s);
}

static bool collect_errors(struct ets_arena *arena, const struct errors *e,
                           const struct ets_row_filter *filter, struct ets_line_errors *errors,
                           struct ets_source_lines *lines)
{
    struct ets_work work;
    struct ets_chosen_runs runs;
    const uint32_t block = ets_inspection_run(e->inspection, ets_gap_run(e->report))->block;
    return ets_line_errors_collect(arena, e->inspection, e->report, block, filter, errors) &&
           ets_chosen_runs_find(arena, e->inspection, block, ETS_NO_INDEX, 0, &runs) &&
           ets_work_collect(arena, e->inspection, block, ETS_WORK_KNOWN, NULL, &work) &&
           ets_source_lines_collect(arena, &work, &runs, NULL, errors, false, lines);
}

static void test_annotate__every_error_is_at_a_line(void **state)
{
    (void)state;
    static const char *const models[] = {"gpt_portable", "gpt_xnnpack", "conv_xnnpack_int8"};
    static const struct ets_row_filter none = {.name = NULL}, nowhere = {.module = "nowhere"};
    for (size_t m = 0; m < COUNT(models); m++) {
        struct errors e;
        struct ets_arena arena;
        struct ets_line_errors errors;
        struct ets_source_lines lines;
        open_errors(models[m], &e);
        ets_arena_init(&arena, NULL, 0);
        assert_true(collect_errors(&arena, &e, &none, &errors, &lines));
        assert_true(errors.count > 0);
        for (uint32_t i = 0; i < errors.count; i++) {
            const struct ets_graph_node *node = errors.items[i].row->value->node;
            const struct ets_graph_frame *frame = ets_graph_user_frame(node);
            uint32_t at = 0;
            while (at < lines.count && (frame == NULL || lines.places[at].frame == NULL ||
                                        lines.places[at].frame->line != frame->line)) {
                at++;
            }
            assert_true(frame == NULL || at < lines.on_lines);
            if (frame != NULL) {
                assert_false(ets_line_error_is_worse(&errors.items[i], lines.places[at].error));
            }
        }
        assert_true(collect_errors(&arena, &e, &nowhere, &errors, &lines));
        assert_int_equal(errors.count, 0);
        ets_arena_reset(&arena);
        close_errors(&e);
    }
}

static void test_annotate__errors_survive_every_failed_allocation(void **state)
{
    (void)state;
    static const struct ets_row_filter none = {.name = NULL};
    struct errors e;
    bool ok = false;
    open_errors("gpt_xnnpack", &e);
    for (unsigned long fail_at = 0; !ok; fail_at++) {
        struct failing failing = {.fail_at = fail_at};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        struct ets_arena arena;
        struct ets_line_errors errors;
        struct ets_source_lines lines;
        ets_arena_init(&arena, &allocator, 0);
        ok = collect_errors(&arena, &e, &none, &errors, &lines);
        ets_arena_reset(&arena);
        assert_int_equal(failing.live, 0);
        assert_true(fail_at < 1000);
    }
    close_errors(&e);
}

static void test_annotate__what_stands_out_is_worse(void **state)
{
    (void)state;
    static const struct ets_gap_row rows[] = {
        {.finding = ETS_GAP_AGREES, .has_own = 1, .own_error = 0},
        {.finding = ETS_GAP_AGREES, .has_own = 1, .own_error = 1e-7},
        {.finding = ETS_GAP_INHERITED, .has_own = 1, .own_error = 0},
        {.finding = ETS_GAP_OFF, .has_own = 1, .own_error = 0.01},
        {.finding = ETS_GAP_SUSPECT, .has_own = 1, .own_error = 0.5},
        {.finding = ETS_GAP_GUILTY, .has_own = 1, .own_error = 0.2},
        {.finding = ETS_GAP_GUILTY, .has_own = 1, .own_error = INFINITY},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct ets_line_error one = {.row = &rows[i]};
        assert_true(ets_line_error_is_worse(&one, NULL));
        for (size_t k = 0; k < COUNT(rows); k++) {
            const struct ets_line_error other = {.row = &rows[k]};
            assert_int_equal(ets_line_error_is_worse(&one, &other), i > k);
        }
    }
}

static struct ets_source_text split(struct ets_arena *arena, const char *text)
{
    struct ets_source_text source;
    const struct ets_bytes bytes = {(const uint8_t *)text, strlen(text)};
    assert_true(ets_source_text_split(arena, bytes, &source));
    return source;
}

/* "x": shown, ".": not. */
static void assert_shown(const struct ets_source_text *source, const char *expected)
{
    assert_int_equal(source->count, strlen(expected));
    for (uint32_t i = 0; i < source->count; i++) {
        assert_int_equal(source->is_shown[i], expected[i] == 'x');
    }
}

static void test_annotate__functions_are_found_by_indentation(void **state)
{
    (void)state;
    static const char text[] =
        "import x\n"           /* 1 */
        "class A:\n"           /* 2 */
        "  def f(self):\n"     /* 3 */
        "    if a:\n"          /* 4 */
        "      b()\n"          /* 5 */
        "\n"                   /* 6 */
        "    c()\r\n"          /* 7 */
        "\n"                   /* 8 */
        "  def g(self): d()\n" /* 9 */
        "e()\n"                /* 10 */
        "f()";                 /* 11 */
    static const struct {
        struct ets_annotate_options options;
        uint32_t line;
        const char *expected;
    } cases[] = {
        {{.lines = ETS_LINES_FUNCTIONS}, 5, "..xxxxx...."},
        {{.lines = ETS_LINES_FUNCTIONS}, 7, "..xxxxx...."},
        {{.lines = ETS_LINES_FUNCTIONS}, 10, ".......xxxx"},
        {{.lines = ETS_LINES_FUNCTIONS}, 1, "xxx........"},
        {{.lines = ETS_LINES_FUNCTIONS}, 0, "..........."},
        {{.lines = ETS_LINES_FUNCTIONS}, 12, "..........."},
        {{.lines = ETS_LINES_CONTEXT, .context = 1}, 11, ".........xx"},
        {{.lines = ETS_LINES_CONTEXT, .context = UINT32_MAX}, 5, "xxxxxxxxxxx"},
        {{.lines = ETS_LINES_ALL}, 3, "xxxxxxxxxxx"},
        {{.lines = ETS_LINES_COUNTED}, 3, "..x........"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct ets_arena arena;
        ets_arena_init(&arena, NULL, 0);
        struct ets_source_text source = split(&arena, text);
        ets_source_text_show(&source, &cases[i].options, cases[i].line);
        assert_shown(&source, cases[i].expected);
        assert_text(source.lines[6], "    c()");
        ets_arena_reset(&arena);
    }
}

static void test_annotate__a_file_must_have_the_records_lines(void **state)
{
    (void)state;
    static const struct ets_graph_frame two = {.line = 2, .code = {"b()", 3}};
    static const struct ets_graph_frame bare = {.line = 1};
    static const struct ets_place known[] = {{.frame = &bare}, {.frame = &two}};
    static const struct {
        const char *text;
        uint32_t expected;
    } cases[] = {{"a\n\t b() \n", 0}, {"a\nb()", 0}, {"a\nc()\n", 2}, {"a\n", 2}, {"", 2}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct ets_arena arena;
        ets_arena_init(&arena, NULL, 0);
        const struct ets_source_text source = split(&arena, cases[i].text);
        const bool agrees = cases[i].expected == 0;
        assert_ptr_equal(ets_source_text_difference(&source, known + 1, 1), agrees ? NULL : &two);
        assert_int_equal(ets_source_text_compare(&source, &two),
                         agrees ? ETS_SOURCE_AGREES : ETS_SOURCE_DIFFERS);
        assert_ptr_equal(ets_source_text_difference(&source, known, 2), &bare);
        assert_int_equal(ets_source_text_compare(&source, &bare), ETS_SOURCE_UNKNOWN);
        ets_arena_reset(&arena);
    }
}

static void test_annotate__tables_of_a_dump_without_runs_are_empty(void **state)
{
    (void)state;
    struct made made =
        inspect_runs(NULL, 0, (struct ets_inspect_options){.tick_unit = ETS_UNIT_NS});
    struct ets_table *table;
    const struct ets_annotate_options annotate = {.block = ETS_NO_INDEX, .run = ETS_NO_INDEX};
    const struct ets_run_table_options runs = {.of = {.block = ETS_NO_INDEX, .run = ETS_NO_INDEX}};
    assert_int_equal(ets_table_open(NULL, &table, NULL), ETS_OK);
    assert_int_equal(ets_annotate_table_fill(table, made.inspection, &annotate, NULL, NULL),
                     ETS_OK);
    assert_int_equal(ets_table_row_count(table), 0);
    ets_table_close(table);
    assert_int_equal(ets_table_open(NULL, &table, NULL), ETS_OK);
    assert_int_equal(ets_run_table_fill(table, made.inspection, &runs, NULL), ETS_OK);
    assert_int_equal(ets_table_row_count(table), 0);
    ets_table_close(table);
    made_close(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_annotate__lines_add_up_to_the_run),
        cmocka_unit_test(test_annotate__survives_every_failed_allocation),
        cmocka_unit_test(test_annotate__every_error_is_at_a_line),
        cmocka_unit_test(test_annotate__errors_survive_every_failed_allocation),
        cmocka_unit_test(test_annotate__what_stands_out_is_worse),
        cmocka_unit_test(test_annotate__functions_are_found_by_indentation),
        cmocka_unit_test(test_annotate__a_file_must_have_the_records_lines),
        cmocka_unit_test(test_annotate__tables_of_a_dump_without_runs_are_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
