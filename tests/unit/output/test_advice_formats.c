/* Advice with names that a stranger chose, in formats that others read. */
#define _GNU_SOURCE
#include <math.h>
#include <string.h>

#include "output/text/advice_sarif.h"
#include "output/text/advice_text.h"
#include "test_files_support.h"

static const char *const checks[ETS_CHECK_COUNT] = {NULL};

static struct ets_text text_of(const char *string)
{
    return (struct ets_text){string, strlen(string)};
}

typedef void writer(const struct ets_advice_page *page, struct ets_output *output);

/* Whether what is written of one finding holds `part`. */
static bool writes(writer *write, const char *file, enum ets_severity severity, const char *part)
{
    char *text;
    size_t size;
    struct ets_error error;
    struct ets_output *output;
    const struct ets_graph_frame frame = {.file = text_of(file), .line = 7, .place = text_of(file)};
    const struct ets_graph_frame *const frames[] = {&frame};
    const struct ets_text module = text_of("a*b_c");
    const struct ets_finding finding = {.kind = "kind",
                                        .severity = severity,
                                        .sentence = text_of("it <b>is</b>"),
                                        .action = text_of("do"),
                                        .saving = {.ticks = {NAN, NAN}},
                                        .frames = frames,
                                        .frame_count = 1,
                                        .modules = &module,
                                        .module_count = 1};
    const struct ets_finding *const findings[] = {&finding};
    const struct ets_advice_page page = {
        .checks = checks, .headline = "1 thing to do", .findings = findings, .count = 1};
    assert_int_equal(ets_output_open_memory(&output, &text, &size, &error), ETS_OK);
    write(&page, output);
    assert_int_equal(ets_output_commit(output, &error), ETS_OK);
    const bool is_found = memmem(text, size, part, strlen(part)) != NULL;
    ets_output_free(text);
    return is_found;
}

static void test_advice_formats__paths_are_relative_references(void **state)
{
    (void)state;
    writer *const sarif = ets_advice_write_sarif;
    assert_true(writes(sarif, "models/net.py", ETS_SEVERITY_NOTE, "\"models/net.py\""));
    assert_true(writes(sarif, "a b/%n.py", ETS_SEVERITY_NOTE, "\"a%20b/%25n.py\""));
    assert_true(writes(sarif, "javascript:x", ETS_SEVERITY_NOTE, "\"javascript%3Ax\""));
    assert_true(writes(sarif, "m\xc3\xa4.py", ETS_SEVERITY_NOTE, "\"m%C3%A4.py\""));
    assert_false(writes(sarif, "models/net.py", ETS_SEVERITY_GOOD, "models/net.py"));
}

static void test_advice_formats__markdown_is_no_markup(void **state)
{
    (void)state;
    writer *const markdown = ets_advice_write_markdown;
    assert_true(writes(markdown, "a.py", ETS_SEVERITY_NOTE, "it \\<b\\>is\\</b\\>"));
    assert_true(writes(markdown, "[x](y).py", ETS_SEVERITY_NOTE, "\\[x\\](y).py"));
    assert_true(writes(markdown, "a.py", ETS_SEVERITY_NOTE, "module a\\*b\\_c"));
    assert_true(writes(markdown, "a.py", ETS_SEVERITY_BAD, "WRONG: **it"));
}

static void write_text(const struct ets_advice_page *page, struct ets_output *output)
{
    ets_advice_write_text(page, 0, false, output);
}

/* What needs no action has no number, so that numbers add up to those of the first line. */
static void test_advice_formats__observations_are_not_counted(void **state)
{
    static const struct {
        writer *write;
        const char *expected;
    } cases[] = {{write_text, "\n -  slow\n\n 1  fast\n    do      so\n"},
                 {ets_advice_write_markdown, "\n- **slow**\n1. **fast**\n"}};
    const struct ets_finding slow = {.severity = ETS_SEVERITY_NOTE,
                                     .sentence = text_of("slow"),
                                     .saving = {.ticks = {NAN, NAN}}};
    struct ets_finding fast = slow;
    (void)state;
    fast.sentence = text_of("fast");
    fast.action = text_of("so");
    const struct ets_finding *const findings[] = {&slow, &fast};
    const struct ets_advice_page page = {
        .checks = checks, .headline = "1 thing to do", .findings = findings, .count = 2};
    for (int i = 0; i < 2; i++) {
        char *text;
        size_t size;
        struct ets_error error;
        struct ets_output *output;
        assert_int_equal(ets_output_open_memory(&output, &text, &size, &error), ETS_OK);
        cases[i].write(&page, output);
        assert_int_equal(ets_output_commit(output, &error), ETS_OK);
        assert_non_null(memmem(text, size, cases[i].expected, strlen(cases[i].expected)));
        ets_output_free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_advice_formats__paths_are_relative_references),
        cmocka_unit_test(test_advice_formats__markdown_is_no_markup),
        cmocka_unit_test(test_advice_formats__observations_are_not_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
