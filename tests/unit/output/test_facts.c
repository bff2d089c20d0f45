/* Facts: the same calls give aligned lines for people and members of a JSON document. */
#define _POSIX_C_SOURCE 200809L
#include "test_inspect_support.h"

#include <math.h>

#include "output/text/facts.h"
#include "test_written_support.h"

typedef void (*tell)(struct ets_facts *facts);

/* What `tell_all` gives people, or as JSON, an object; to be freed. */
static char *told(tell tell_all, bool is_json)
{
    char path[64];
    struct ets_facts facts;
    struct ets_output *output = begin_written(path);
    struct ets_json_writer json = {.output = output};
    ets_facts_init(&facts, is_json ? &json : NULL, is_json ? NULL : output);
    assert_true(ets_facts_are_json(&facts) == is_json);
    ets_json_begin_object(facts.json, NULL);
    tell_all(&facts);
    ets_json_end_object(facts.json);
    struct ets_bytes bytes = take_written(path, output);
    char *text = calloc(bytes.size + 1, 1);
    assert_non_null(text);
    memcpy(text, bytes.data, bytes.size);
    free((void *)(uintptr_t)bytes.data);
    return text;
}

static void assert_told(tell tell_all, const char *people, const char *json)
{
    char *text = told(tell_all, false);
    assert_string_equal(text, people);
    free(text);
    text = told(tell_all, true);
    assert_string_equal(text, json);
    free(text);
}

static void tell_line(struct ets_facts *facts)
{
    ets_facts_line(facts, "runs");
    ets_facts_count(facts, "run_count", 20, "run");
    ets_facts_words(facts, " in %u blocks, ", 2);
    ets_facts_bytes(facts, "bytes", 1536);
    ets_facts_end(facts);
    ets_facts_line(facts, "a label that is long");
    ets_facts_bool(facts, "whole", true, "yes", "no");
    ets_facts_end(facts);
    ets_facts_number_line(facts, "threads", "thread_count", 3);
}

static void test_facts__a_line_of_people_is_members_of_a_document(void **state)
{
    (void)state;
    assert_told(tell_line,
                "  runs           20 runs in 2 blocks, 1.5 KiB\n"
                "  a label that is long yes\n"
                "  threads        3\n",
                "{\"run_count\": 20, \"bytes\": 1536, \"whole\": true, \"thread_count\": 3}");
}

static void tell_for_one(struct ets_facts *facts)
{
    ets_facts_number(facts, "for_json", 1); /* in no line */
    ets_facts_end(facts);
    ets_facts_plain_line(facts, "for people ");
    ets_facts_number(facts, NULL, 2);
    ets_facts_end(facts);
    ets_facts_real(facts, "not_finite", INFINITY);
    ets_facts_string(facts, "absent", NULL);
}

static void test_facts__without_a_line_are_json_and_without_a_key_for_people(void **state)
{
    (void)state;
    assert_told(tell_for_one, "for people 2\n",
                "{\"for_json\": 1, \"not_finite\": null, \"absent\": null}");
}

static void tell_list(struct ets_facts *facts)
{
    const char *const names[] = {"the first of the names", "a second one", "one\x1b[1m", "\"four\"",
                                 "the fifth"};
    ets_facts_line(facts, "names");
    ets_json_begin_array(facts->json, "names");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        ets_facts_item(facts);
        ets_facts_string(facts, ETS_FACTS_ITEM, names[i]);
    }
    ets_facts_end(facts);
    ets_json_end_array(facts->json);
}

static void test_facts__lists_wrap_and_texts_are_escaped(void **state)
{
    (void)state;
    assert_told(tell_list,
                "  names          the first of the names, a second one, one\\x1b[1m, \"four\",\n"
                "                 the fifth\n",
                "{\"names\": [\"the first of the names\", \"a second one\", \"one\\u001b[1m\", "
                "\"\\\"four\\\"\", \"the fifth\"]}");
}

static void tell_values(struct ets_facts *facts)
{
    const struct ets_tensor tensor = {.scalar_type = ETS_SCALAR_FLOAT, .rank = 2, .sizes = {1, 16}};
    const struct ets_value value = {.kind = ETS_VALUE_INT, .as.int_value = -3};
    ets_facts_line(facts, "tensor");
    ets_facts_tensor(facts, &tensor, true);
    ets_facts_end(facts);
    ets_facts_line(facts, "values");
    ets_json_begin_array(facts->json, "values");
    ets_facts_item(facts);
    ets_facts_value(facts, &value);
    ets_facts_end(facts);
    ets_json_end_array(facts->json);
}

static void test_facts__tensors_and_values(void **state)
{
    (void)state;
    assert_told(tell_values,
                "  tensor         float32 [1, <=16]\n"
                "  values         int -3\n",
                "{\"scalar_type\": \"float32\", \"sizes\": [1, 16], "
                "\"values\": [{\"kind\": \"int\", \"value\": -3}]}");
}

static void tell_narrow(struct ets_facts *facts)
{
    facts->width = 40;
    ets_facts_line(facts, "processor");
    ets_facts_words(facts, "a name that is longer than the terminal");
    ets_facts_end(facts);
    ets_facts_line(facts, "engine");
    ets_facts_words(facts, "/a/path/that/is/not/broken/where/it/is.so");
    ets_facts_end(facts);
    ets_facts_plain_line(facts, "folder: 2 models (a.pte, b.pte), 3 traces");
    ets_facts_end(facts);
    ets_facts_plain_line(facts, "  a_name_without_room_in_a_line_of_40_columns.pte  a program");
    ets_facts_end(facts);
    facts->width = 0;
    ets_facts_plain_line(facts, "folder: 2 models (a.pte, b.pte), 3 traces");
    ets_facts_end(facts);
}

static void test_facts__lines_are_wrapped_at_a_width(void **state)
{
    (void)state;
    assert_told(tell_narrow,
                "  processor      a name that is longer\n"
                "                 than the terminal\n"
                "  engine\n"
                "                 /a/path/that/is/not/broken/where/it/is.so\n"
                "folder: 2 models (a.pte, b.pte), 3\n"
                "    traces\n"
                "  a_name_without_room_in_a_line_of_40_columns.pte\n"
                "      a program\n"
                "folder: 2 models (a.pte, b.pte), 3 traces\n",
                "{}");
}

static void tell_long(struct ets_facts *facts)
{
    char text[2 * ETS_FACTS_CHARS];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    ets_facts_line(facts, "long");
    ets_facts_string(facts, "text", text);
    ets_facts_words(facts, "%s", text);
    ets_facts_end(facts);
}

static void test_facts__a_line_is_cut_and_a_member_is_not(void **state)
{
    (void)state;
    char *text = told(tell_long, false);
    assert_true(strlen(text) <= ETS_FACTS_CHARS);
    free(text);
    text = told(tell_long, true);
    assert_int_equal(strlen(text), strlen("{\"text\": \"\"}") + 2 * ETS_FACTS_CHARS - 1);
    free(text);
}

static void tell_paragraph(struct ets_facts *facts)
{
    ets_facts_paragraph(facts,
                        "missing: a library: build it with the option that its page names, "
                        "and set the path to it");
}

static void test_facts__paragraphs_are_for_people_and_wrap(void **state)
{
    (void)state;
    assert_told(tell_paragraph,
                "missing: a library: build it with the option that its page names, and set the\n"
                "  path to it\n",
                "{}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_facts__a_line_of_people_is_members_of_a_document),
        cmocka_unit_test(test_facts__without_a_line_are_json_and_without_a_key_for_people),
        cmocka_unit_test(test_facts__lists_wrap_and_texts_are_escaped),
        cmocka_unit_test(test_facts__tensors_and_values),
        cmocka_unit_test(test_facts__lines_are_wrapped_at_a_width),
        cmocka_unit_test(test_facts__a_line_is_cut_and_a_member_is_not),
        cmocka_unit_test(test_facts__paragraphs_are_for_people_and_wrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
