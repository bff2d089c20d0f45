/* Reports: how numbers are coded, texts that are no UTF-8 or try to end a script, and every
 * allocation failed. */
#include "test_inspect_support.h"

#include <math.h>

#include "host/output.h"
#include "output/page/page.h"
#include "output/page/page_pack.h"
#include "test_faults_support.h"

static void assert_coded(const struct ets_page_bytes *bytes, const char *expected, size_t size)
{
    assert_int_equal(bytes->size, size);
    assert_memory_equal(bytes->data, expected, size);
}

static void test_page__numbers_are_coded_in_seven_bits_and_zigzag(void **state)
{
    static const struct {
        int64_t value;
        const char *coded;
        size_t size;
    } cases[] = {{0, "\0", 1},
                 {-1, "\1", 1},
                 {1, "\2", 1},
                 {-64, "\x7f", 1},
                 {64, "\x80\1", 2},
                 {-65, "\x81\1", 2},
                 {8191, "\xfe\x7f", 2},
                 {INT64_MAX, "\xfe\xff\xff\xff\xff\xff\xff\xff\xff\1", 10},
                 {INT64_MIN, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\1", 10}};
    struct ets_arena arena;
    (void)state;
    ets_arena_init(&arena, NULL, 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct ets_page_bytes bytes = {NULL, 0, 0};
        assert_true(ets_page_put_signed(&arena, &bytes, (uint64_t)cases[i].value));
        assert_coded(&bytes, cases[i].coded, cases[i].size);
    }
    ets_arena_reset(&arena);
}

static void test_page__columns_hold_bits_of_what_is_there(void **state)
{
    static const struct ets_page_head heads[] = {{"number", ETS_PAGE_INTEGER},
                                                 {"time", ETS_PAGE_REAL},
                                                 {"name", ETS_PAGE_TEXT},
                                                 {NULL, ETS_PAGE_TEXT}};
    static const struct ets_page_head more[] = {{"phase", ETS_PAGE_TEXT}, {NULL, ETS_PAGE_TEXT}};
    struct ets_page_document *document = calloc(1, sizeof *document);
    struct ets_page_bytes texts = {NULL, 0, 0};
    (void)state;
    assert_non_null(document);
    ets_arena_init(&document->arena, NULL, 0);
    struct ets_page_table *table = ets_page_add_named_table(document, "made", heads);
    assert_non_null(table);
    for (int i = 0; i < 9; i++) {
        if (i == 1) ets_page_put_null(document, table);
        else ets_page_put_integer(document, table, i == 0 ? INT64_MAX : INT64_MIN);
        ets_page_put_real(document, table, i == 8 ? 1.5 : (double)NAN);
        ets_page_put_text(document, table, (struct ets_text){"a\xff", 2});
    }
    struct ets_page_column *added = ets_page_widen_table(document, table, more);
    assert_non_null(added);
    assert_true(ets_page_set_string(document, added, 8, "steady"));
    assert_true(ets_page_pack_table(document, table));
    assert_true(ets_page_pack_texts(document, &texts));
    assert_int_equal(table->row_count, 9);
    /* bits, the largest number, then the step of one to the smallest, which wraps */
    assert_coded(&table->columns[0].packed,
                 "\xfd\1\xfe\xff\xff\xff\xff\xff\xff\xff\xff\1\2\0\0\0\0\0\0", 19);
    assert_coded(&table->columns[1].packed, "\0\1\0\0\0\0\0\0\xf8\x3f", 10);
    assert_coded(&table->columns[2].packed, "\0\0\0\0\0\0\0\0\0", 9); /* no nulls: no bits */
    assert_coded(&table->columns[3].packed, "\0\1\1", 3);
    assert_coded(&texts, "\2\4\6a\xef\xbf\xbdsteady", 13);
    struct ets_arena arena = document->arena;
    ets_arena_reset(&arena);
    free(document);
}

struct report {
    struct ets_file *dump, *record_file, *program_file;
    struct ets_study_record record;
    struct ets_study_program program;
    struct ets_program opened;
    struct ets_study_trace trace;
    struct ets_inspection *inspection;
    struct ets_study_sources sources;
    struct ets_page_input input;
    struct ets_page_source source;
};

static void open_report(struct report *r, const char *input)
{
    const char *model = "conv_xnnpack_int8";
    *r = (struct report){.dump = open_fixture(model, "profile.etdp")};
    r->record_file = open_fixture(model, "model.etrecord");
    r->program_file = open_fixture(model, "model.pte");
    r->record =
        (struct ets_study_record){"model.etrecord", open_record(ets_file_bytes(r->record_file))};
    assert_int_equal(ets_program_init(&r->opened, ets_file_bytes(r->program_file), NULL), ETS_OK);
    r->program = (struct ets_study_program){"model.pte", &r->opened};
    r->inspection =
        inspect(ets_file_bytes(r->dump),
                (struct ets_inspect_options){.record = r->record.record, .program = &r->opened});
    r->trace = (struct ets_study_trace){.path = input, .inspection = r->inspection};
    r->sources = (struct ets_study_sources){.traces = &r->trace,
                                            .trace_count = 1,
                                            .records = &r->record,
                                            .record_count = 1,
                                            .programs = &r->program,
                                            .program_count = 1};
    r->input = (struct ets_page_input){"trace", input, "an ETDump", 1};
    r->source = (struct ets_page_source){
        .sources = &r->sources, .inputs = &r->input, .input_count = 1, .writer = "etscope"};
}

static void close_report(struct report *r)
{
    ets_inspection_close(r->inspection);
    ets_etrecord_close(r->record.record);
    ets_file_close(r->program_file);
    ets_file_close(r->record_file);
    ets_file_close(r->dump);
}

/* The page as a text that the caller frees; NULL where memory ran out. */
static char *write_with(const struct ets_allocator *allocator, const struct report *r,
                        struct ets_error *error)
{
    struct ets_page *page;
    struct ets_output *output;
    char *text = NULL;
    size_t size = 0;
    if (ets_page_open(&r->source, allocator, &page, error) != ETS_OK) return NULL;
    assert_int_equal(ets_output_open_memory(&output, &text, &size, NULL), ETS_OK);
    const enum ets_status status = ets_page_write_html(page, output, error);
    assert_int_equal(ets_output_commit(output, NULL), ETS_OK);
    ets_page_close(page);
    if (status == ETS_OK) return text;
    ets_output_free(text);
    return NULL;
}

static void test_page__no_name_is_markup(void **state)
{
    struct report r;
    struct ets_error error;
    (void)state;
    open_report(&r, "folder/</script><b>\xe2\x80\xa8\xe2\x80\xaex");
    char *text = write_with(NULL, &r, &error);
    assert_non_null(text);
    assert_null(strstr(text, "<b>"));
    assert_null(strstr(text, "\xe2\x80\xa8"));
    assert_non_null(strstr(text, "<title>script&gt;&lt;b&gt;\\u2028\\u202ex - report"));
    assert_non_null(strstr(text, "\"script>\\u003cb>"));
    ets_output_free(text);
    close_report(&r);
}

static void test_page__what_no_browser_reads_is_refused(void **state)
{
    struct report r;
    struct ets_error error;
    struct ets_page *page;
    (void)state;
    open_report(&r, "profile.etdp");
    r.source.most_bytes = 5000;
    assert_int_equal(ets_page_open(&r.source, NULL, &page, &error), ETS_LIMIT);
    assert_non_null(strstr(error.message, "more than the 5000 that a browser can read"));
    r.source.most_bytes = 2;
    assert_int_equal(ets_page_open(&r.source, NULL, &page, &error), ETS_LIMIT);
    assert_non_null(strstr(error.message, "events, more than a browser can read"));
    r.source.left_out[ETS_PAGE_EVENTS] = "x"; /* then the tables are too large */
    assert_int_equal(ets_page_open(&r.source, NULL, &page, &error), ETS_LIMIT);
    assert_null(strstr(error.message, "events"));
    close_report(&r);
}

static void assert_every_allocation_may_fail(const struct report *r)
{
    unsigned long fail_at = 0;
    for (bool is_written = false; !is_written; fail_at += FAULT_STRIDE) {
        struct failing failing = {.fail_at = fail_at};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        struct ets_error error = {.status = ETS_OK};
        char *text = write_with(&allocator, r, &error);
        is_written = text != NULL;
        if (!is_written) assert_int_equal(error.status, ETS_NO_MEMORY);
        assert_int_equal(failing.live, 0);
        ets_output_free(text);
    }
    assert_true(fail_at > 100);
}

static void test_page__every_allocation_may_fail(void **state)
{
    struct report r;
    open_report(&r, "profile.etdp");
    r.source.left_out[ETS_PAGE_MOST_RUNS] = *state;
    assert_every_allocation_may_fail(&r);
    close_report(&r);
}

/* The report compared with another trace of its model. */
struct compared {
    struct report r;
    struct ets_file *dump;
    struct ets_study_trace traces[2];
    struct ets_pool *pools[2];
    struct ets_difference *difference;
};

static struct ets_pool *pool_of(const struct ets_inspection *inspection)
{
    struct ets_pool *pool;
    int is_kept;
    assert_int_equal(ets_pool_begin(NULL, &pool, NULL), ETS_OK);
    assert_int_equal(ets_pool_add(pool, inspection, &is_kept, NULL), ETS_OK);
    assert_int_equal(ets_pool_end(pool, NULL), ETS_OK);
    return pool;
}

static void open_compared(struct compared *c)
{
    static const struct ets_difference_options options = {.least_change = 0.01};
    struct ets_error error;
    open_report(&c->r, "profile.etdp");
    c->dump = open_fixture("conv_xnnpack_int8", "profile.etdp"); /* as of a slower clock */
    c->traces[0] = c->r.trace;
    c->traces[1] = c->r.trace;
    c->traces[1].path = "old.etdp";
    c->traces[1].inspection =
        inspect(ets_file_bytes(c->dump), (struct ets_inspect_options){.record = c->r.record.record,
                                                                      .program = &c->r.opened,
                                                                      .tick_unit = ETS_UNIT_US});
    for (int i = 0; i < 2; i++) c->pools[i] = pool_of(c->traces[i].inspection);
    assert_int_equal(
        ets_difference_open(c->pools[1], c->pools[0], &options, &c->difference, &error), ETS_OK);
    c->r.sources.traces = c->traces;
    c->r.sources.trace_count = 2;
    c->r.source.before_count = 1;
    c->r.source.differences = (const struct ets_difference *const *)&c->difference;
}

static void close_compared(struct compared *c)
{
    ets_difference_close(c->difference);
    for (int i = 0; i < 2; i++) ets_pool_close(c->pools[i]);
    ets_inspection_close((struct ets_inspection *)c->traces[1].inspection);
    ets_file_close(c->dump);
    close_report(&c->r);
}

static void test_page__a_trace_before_is_compared(void **state)
{
    struct compared c;
    struct ets_error error;
    (void)state;
    open_compared(&c);
    char *text = write_with(NULL, &c.r, &error);
    assert_non_null(text);
    assert_non_null(strstr(text, "compared with old.etdp, operators that are faster: "));
    static const char *const tables[] = {"comparisons", "difference_blocks", "differences",
                                         "difference_operators"};
    for (size_t i = 0; i < COUNT(tables); i++) {
        char section[64];
        snprintf(section, sizeof section, "id=\"etscope-table-%s\"", tables[i]);
        assert_non_null(strstr(text, section));
    }
    ets_output_free(text);
    close_compared(&c);
}

static void test_page__every_allocation_of_a_comparison_may_fail(void **state)
{
    struct compared c;
    (void)state;
    open_compared(&c);
    assert_every_allocation_may_fail(&c.r);
    close_compared(&c);
}

int main(void)
{
    static char few_runs[] = "an option";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_page__numbers_are_coded_in_seven_bits_and_zigzag),
        cmocka_unit_test(test_page__columns_hold_bits_of_what_is_there),
        cmocka_unit_test(test_page__no_name_is_markup),
        cmocka_unit_test(test_page__what_no_browser_reads_is_refused),
        cmocka_unit_test(test_page__every_allocation_may_fail),
        cmocka_unit_test(test_page__a_trace_before_is_compared),
        cmocka_unit_test(test_page__every_allocation_of_a_comparison_may_fail),
        cmocka_unit_test_prestate(test_page__every_allocation_may_fail, few_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
