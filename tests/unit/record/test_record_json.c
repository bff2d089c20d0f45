/* Numbers, depth and damage of JSON; arguments of every kind. */
#include "test_record_support.h"

#include <math.h>

#include "record/graph_reader.h"
#include "record/json.h"

static enum ets_status parse(struct ets_json *json, char *text, struct ets_json_failure *failure)
{
    return ets_json_parse(json, text, strlen(text), failure);
}

static void check_double(const char *text, double expected)
{
    char copy[64];
    struct ets_json json;
    struct ets_json_failure failure;
    snprintf(copy, sizeof copy, "[%s]", text);
    ets_json_init(&json, NULL);
    assert_int_equal(parse(&json, copy, &failure), ETS_OK);
    assert_int_equal(json.values[1].kind, ETS_JSON_DOUBLE);
    if (isnan(expected)) assert_true(isnan(json.values[1].as.number));
    else assert_true(json.values[1].as.number == expected);
    ets_json_reset(&json);
}

static void test_json__reads_what_python_writes(void **state)
{
    (void)state;
    check_double("NaN", NAN);
    check_double("Infinity", INFINITY);
    check_double("-Infinity", -INFINITY);
    check_double("1e-05", 1e-05);
    check_double("0.1", 0.1);
    check_double("-2.2250738585072014e-308", -2.2250738585072014e-308);
    check_double("1.7976931348623157e+308", 1.7976931348623157e+308);
    check_double("18446744073709551616", 18446744073709551616.0);
    check_double("184467440737095516159", 184467440737095516159.0);
    check_double("-9223372036854775809", -9223372036854775808.0);
}

static void test_json__refuses_what_is_almost_a_number(void **state)
{
    (void)state;
    static const char *const texts[] = {"[NaN.5]",
                                        "[-NaN]",
                                        "[NaN0]",
                                        "[Inf]",
                                        "[Infinity1]",
                                        "[1.7976931348623159e308]",
                                        "[-1.7976931348623159e308]"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char copy[64];
        struct ets_json json;
        struct ets_json_failure failure;
        snprintf(copy, sizeof copy, "%s", texts[i]);
        ets_json_init(&json, NULL);
        assert_int_equal(parse(&json, copy, &failure), ETS_MALFORMED);
        assert_true(failure.offset <= strlen(texts[i]));
        ets_json_reset(&json);
    }
}

static void test_json__keeps_integers_exact(void **state)
{
    (void)state;
    char text[] = "[9223372036854775807, -9223372036854775808, 18446744073709551615, 0, -1]";
    struct ets_json json;
    struct ets_json_failure failure;
    ets_json_init(&json, NULL);
    assert_int_equal(parse(&json, text, &failure), ETS_OK);
    assert_true(json.values[1].as.integer == INT64_MAX);
    assert_true(json.values[2].as.integer == INT64_MIN);
    assert_int_equal(json.values[3].kind, ETS_JSON_UINT);
    assert_true(json.values[3].as.uinteger == UINT64_MAX);
    assert_int_equal(json.values[4].as.integer, 0);
    assert_int_equal(json.values[5].as.integer, -1);
    ets_json_reset(&json);
}

static void test_json__a_surrogate_alone_is_a_replacement_character(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        {"[\"a\\udc80b\"]", "a\357\277\275b"},
        {"[\"\\ud83d\\ude00\"]", "\xf0\x9f\x98\x80"},
        {"[\"\\uD83D\\u0041\"]", "\357\277\275A"},
        {"[\"\\udc80\\udc81\"]", "\xef\xbf\xbd\xef\xbf\xbd"},
        {"[\"\\\\udc80\"]", "\\udc80"},
        {"[\"\\ud800\"]", "\xef\xbf\xbd"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char copy[64];
        struct ets_json json;
        struct ets_json_failure failure;
        snprintf(copy, sizeof copy, "%s", texts[i][0]);
        ets_json_init(&json, NULL);
        assert_int_equal(parse(&json, copy, &failure), ETS_OK);
        assert_true(ets_json_text_is(&json.values[1], texts[i][1]));
        ets_json_reset(&json);
    }
}

static void test_json__walks_containers(void **state)
{
    (void)state;
    char text[] = "{\"a\": [1, [2, 3], {}], \"b\": {\"c\": \"x\\u0041\\n\"}, \"d\": null}";
    struct ets_json json;
    struct ets_json_failure failure;
    ets_json_init(&json, NULL);
    assert_int_equal(parse(&json, text, &failure), ETS_OK);
    assert_int_equal(json.values[0].size, 3);
    assert_int_equal(ets_json_get(json.values, "a")->size, 3);
    const struct ets_json_value *c = ets_json_get(ets_json_get(json.values, "b"), "c");
    assert_string_equal(c->as.text, "xA\n");
    assert_true(ets_json_is(ets_json_get(json.values, "d"), ETS_JSON_NULL));
    assert_null(ets_json_get(json.values, "e"));
    ets_json_reset(&json);
}

static void check_broken(const char *text, size_t size, enum ets_status expected, size_t offset)
{
    struct ets_json json;
    struct ets_json_failure failure;
    char *copy = malloc(size + 1);
    memcpy(copy, text, size);
    copy[size] = '\0';
    ets_json_init(&json, NULL);
    assert_int_equal(ets_json_parse(&json, copy, size, &failure), expected);
    if (offset != SIZE_MAX) assert_int_equal(failure.offset, offset);
    assert_non_null(failure.text);
    ets_json_reset(&json);
    free(copy);
}

static void test_json__refuses_damage_and_excess(void **state)
{
    (void)state;
    enum { DEEP = 5000 };
    char deep[DEEP];
    memset(deep, '[', sizeof deep);
    check_broken(deep, sizeof deep, ETS_LIMIT, ETS_JSON_MAX_DEPTH);
    deep[0] = '[';
    memset(deep + 1, '7', sizeof deep - 2);
    deep[1] = '-';
    deep[2] = '0';
    deep[3] = '.';
    deep[DEEP - 1] = ']';
    check_broken(deep, sizeof deep, ETS_LIMIT, 1);
    check_broken("", 0, ETS_MALFORMED, 0);
    check_broken("[1, ]", 5, ETS_MALFORMED, 4);
    check_broken("{\"a\": 1} x", 10, ETS_MALFORMED, 9);
    check_broken("[1]\0[2]", 7, ETS_MALFORMED, 3);
    check_broken("[1e999]", 7, ETS_MALFORMED, 1);
}

/* A program of one node with one input. */
static const struct ets_graph *read_argument(struct ets_arena *arena, const char *argument)
{
    char json[1024];
    struct ets_error error;
    const struct ets_graph *graph = NULL;
    const int size = snprintf(json, sizeof json,
                              "{\"graph_module\": {\"graph\": {\"nodes\": [{\"name\": \"n\", "
                              "\"target\": \"_operator.mul\", \"inputs\": [{\"name\": \"a\", "
                              "\"arg\": %s}]}]}}}",
                              argument);
    ets_arena_init(arena, NULL, 0);
    const struct ets_bytes bytes = {(const uint8_t *)json, (size_t)size};
    const enum ets_status status =
        ets_graph_read((struct ets_text){"program", 7}, bytes, 0, arena, &graph, &error);
    if (status != ETS_OK) print_error("%s\n", error.message);
    assert_int_equal(status, ETS_OK);
    assert_string_equal(graph->nodes[0].op.data, "mul");
    return graph;
}

static void check_argument(const char *json, enum ets_argument_kind kind, int64_t number,
                           const char *name)
{
    struct ets_arena arena;
    const struct ets_graph_argument *argument = read_argument(&arena, json)->nodes[0].inputs;
    assert_string_equal(argument->label.data, "a");
    assert_int_equal(argument->kind, kind);
    assert_true(argument->int_value == number);
    if (name != NULL) assert_string_equal(argument->name.data, name);
    ets_arena_reset(&arena);
}

static void test_argument__of_every_kind(void **state)
{
    (void)state;
    check_argument("{\"as_none\": []}", ETS_ARGUMENT_NONE, 0, NULL);
    check_argument("{\"as_tensor\": {\"name\": \"x\"}}", ETS_ARGUMENT_TENSOR, 0, "x");
    check_argument("{\"as_int\": 9223372036854775807}", ETS_ARGUMENT_INT, INT64_MAX, NULL);
    check_argument("{\"as_bool\": true}", ETS_ARGUMENT_BOOL, 1, NULL);
    check_argument("{\"as_string\": \"s\"}", ETS_ARGUMENT_STRING, 0, "s");
    check_argument("{\"as_sym_int\": {\"as_name\": \"s0\"}}", ETS_ARGUMENT_SYMBOL, 0, "s0");
    check_argument("{\"as_sym_int\": {\"as_int\": 4}}", ETS_ARGUMENT_INT, 4, NULL);
    check_argument("{\"as_scalar_type\": 7}", ETS_ARGUMENT_SCALAR_TYPE, ETS_SCALAR_FLOAT, NULL);
    check_argument("{\"as_scalar_type\": 12}", ETS_ARGUMENT_SCALAR_TYPE, ETS_SCALAR_BOOL, NULL);
    check_argument("{\"as_scalar_type\": 13}", ETS_ARGUMENT_SCALAR_TYPE, ETS_SCALAR_BFLOAT16, NULL);
    check_argument("{\"as_scalar_type\": 14}", ETS_ARGUMENT_SCALAR_TYPE, ETS_SCALAR_UINT16, NULL);
    check_argument("{\"as_scalar_type\": 99}", ETS_ARGUMENT_SCALAR_TYPE, -1, NULL);
    check_argument("{\"as_memory_format\": 1}", ETS_ARGUMENT_MEMORY_FORMAT, 1, NULL);
    check_argument("{\"as_layout\": 7}", ETS_ARGUMENT_LAYOUT, 7, NULL);
    check_argument("{\"as_device\": {\"type\": \"cpu\"}}", ETS_ARGUMENT_DEVICE, 0, "cpu");
    check_argument("{\"as_device\": {\"type\": \"cuda\", \"index\": 1}}", ETS_ARGUMENT_DEVICE, 0,
                   "cuda:1");
    check_argument("{\"as_operator\": \"op\"}", ETS_ARGUMENT_TARGET, 0, "op");
    check_argument("{\"as_something_new\": 3}", ETS_ARGUMENT_OTHER, 0, "as_something_new");
}

static void test_argument__lists_keep_their_items(void **state)
{
    (void)state;
    struct ets_arena arena;
    const struct ets_graph_argument *list =
        read_argument(&arena,
                      "{\"as_optional_tensors\": [{\"as_tensor\": {\"name\": \"x\"}}, "
                      "{\"as_none\": []}]}")
            ->nodes[0]
            .inputs;
    assert_int_equal(list->kind, ETS_ARGUMENT_LIST);
    assert_int_equal(list->item_count, 2);
    assert_string_equal(list->items[0].name.data, "x");
    assert_int_equal(list->items[1].kind, ETS_ARGUMENT_NONE);
    ets_arena_reset(&arena);
    list = read_argument(&arena, "{\"as_floats\": [NaN, -Infinity, 3, 0.5]}")->nodes[0].inputs;
    assert_true(isnan(list->items[0].float_value));
    assert_true(list->items[1].float_value == -INFINITY);
    assert_int_equal(list->items[2].kind, ETS_ARGUMENT_FLOAT);
    assert_true(list->items[2].float_value == 3);
    ets_arena_reset(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json__reads_what_python_writes),
        cmocka_unit_test(test_json__refuses_what_is_almost_a_number),
        cmocka_unit_test(test_json__keeps_integers_exact),
        cmocka_unit_test(test_json__a_surrogate_alone_is_a_replacement_character),
        cmocka_unit_test(test_json__walks_containers),
        cmocka_unit_test(test_json__refuses_damage_and_excess),
        cmocka_unit_test(test_argument__of_every_kind),
        cmocka_unit_test(test_argument__lists_keep_their_items),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
