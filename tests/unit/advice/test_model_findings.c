/* Duplicates and wrong values: planted in a fixture, absent from it as it is. */
#include "test_gap_support.h"
#include "test_little_support.h"

#include <math.h>

#include "advice/findings.h"

static const struct ets_finding *find(const struct ets_findings *findings, const char *kind)
{
    for (uint32_t i = 0; i < findings->count; i++) {
        if (strcmp(findings->items[i].kind, kind) == 0) return &findings->items[i];
    }
    return NULL;
}

static struct ets_byte_map *open_map(struct ets_bytes bytes)
{
    struct ets_byte_map *map;
    const struct ets_byte_source source = {"file", bytes, NULL};
    const struct ets_byte_options options = {
        .sources = &source, .source_count = 1, .find_duplicates = true};
    assert_int_equal(ets_byte_map_open(&options, NULL, &map, NULL, NULL), ETS_OK);
    return map;
}

static void assert_duplicates(struct ets_bytes bytes, const char *sentence)
{
    struct ets_arena arena;
    struct ets_findings findings;
    struct ets_byte_map *map = open_map(bytes);
    const struct ets_findings_subject subject = {.bytes = map};
    ets_arena_init(&arena, NULL, 0);
    assert_int_equal(ets_findings_collect(&arena, &subject, &findings, NULL), ETS_OK);
    assert_int_equal(findings.count, sentence != NULL);
    if (sentence != NULL) {
        assert_string_equal(findings.items[0].kind, "duplicates");
        assert_text(findings.items[0].sentence, sentence);
    }
    ets_arena_reset(&arena);
    ets_byte_map_close(map);
}

/* The bytes of one weight are made those of another. */
static void test_model_findings__duplicates(void **state)
{
    (void)state;
    struct ets_file *file = open_file("gpt_xnnpack/model.pte");
    const struct ets_bytes bytes = ets_file_bytes(file);
    uint8_t *copy = malloc(bytes.size);
    assert_non_null(copy);
    memcpy(copy, bytes.data, bytes.size);
    assert_duplicates((struct ets_bytes){copy, bytes.size}, NULL);
    struct ets_byte_map *map = open_map(bytes);
    const struct ets_byte_item *first = NULL, *second = NULL;
    for (uint32_t i = 0; i < map->item_count; i++) {
        const struct ets_byte_item *item = &map->items[i];
        if (item->part != ETS_BYTES_WEIGHT) continue;
        if (first == NULL || item->size > first->size) first = item, second = NULL;
        else if (item->size == first->size) second = item;
    }
    assert_non_null(second);
    memcpy(copy + second->offset, copy + first->offset, first->size);
    ets_byte_map_close(map);
    assert_duplicates((struct ets_bytes){copy, bytes.size},
                      "1 duplicate in the program costs 64.0 KiB");
    free(copy);
    ets_file_close(file);
}

/* The captured values themselves, with another number in one node's. */
struct planted {
    const char *node;
    const char *output; /* likewise; NULL: the output agrees, so that nobody is wrong */
    float number;       /* takes the place of an element */
    float numbers[2][64 * 64];
};

static int look_up(void *context, const struct ets_gap_value *value, struct ets_tensor *tensor_out)
{
    struct planted *planted = context;
    *tensor_out = value->captured.tensor;
    const char *name = value->node->name.data;
    const bool is_output = planted->output != NULL && strcmp(name, planted->output) == 0;
    if (strcmp(name, planted->node) != 0 && !is_output) return 1;
    assert_true(tensor_out->data_bytes <= sizeof planted->numbers[0]);
    float *numbers = planted->numbers[is_output];
    memcpy(numbers, tensor_out->data, tensor_out->data_bytes);
    const float number[] = {planted->number};
    memcpy(&numbers[5], LITTLE(number), sizeof number);
    tensor_out->data = numbers;
    return 1;
}

static void find_planted(struct planted *planted, struct ets_arena *arena,
                         struct ets_findings *findings)
{
    struct errors e;
    struct ets_gap_report *report;
    open_errors("mlp_portable", &e);
    const struct ets_gap_options options = {.inspection = e.inspection,
                                            .record = e.record,
                                            .debug_buffer = ets_file_bytes(e.buffer),
                                            .run = ETS_NO_INDEX};
    assert_int_equal(ets_gap_open(&options, &report, NULL), ETS_OK);
    assert_int_equal(ets_gap_compare(report, look_up, planted, NULL), ETS_OK);
    const struct ets_findings_subject subject = {.gap = report};
    assert_int_equal(ets_findings_collect(arena, &subject, findings, NULL), ETS_OK);
    for (uint32_t i = 0; i < findings->count; i++) { /* they outlive what they are about */
        struct ets_finding *item = &findings->items[i];
        const char *place = ets_arena_copy_text(arena, item->place.data, item->place.size);
        if (item->place.data != NULL) item->place.data = place;
    }
    ets_gap_close(report);
    close_errors(&e);
}

static void test_model_findings__a_wrong_operator(void **state)
{
    (void)state;
    struct planted planted = {.node = "linear_1", .output = "softmax", .number = 9};
    struct ets_arena arena;
    struct ets_findings findings;
    ets_arena_init(&arena, NULL, 0);
    find_planted(&planted, &arena, &findings);
    const struct ets_finding *finding = find(&findings, "wrong_operator");
    assert_non_null(finding);
    assert_int_equal(finding->severity, ETS_SEVERITY_BAD);
    assert_text(finding->place, "linear_1");
    assert_text(
        finding->sentence,
        "linear_1 (models/zoo.py:16) is the first value that is off against the given "
        "values: its error is 1; the outputs are off by 0.97; everything before it agrees bit "
        "for bit");
    assert_null(find(&findings, "nan_or_infinity"));
    assert_null(find(&findings, "values_agree"));
    ets_arena_reset(&arena);
}

static void test_model_findings__nan_or_infinity(void **state)
{
    static const float numbers[] = {NAN, INFINITY};
    (void)state;
    for (size_t i = 0; i < COUNT(numbers); i++) {
        struct planted planted = {.node = "linear_1", .number = numbers[i]};
        struct ets_arena arena;
        struct ets_findings findings;
        ets_arena_init(&arena, NULL, 0);
        find_planted(&planted, &arena, &findings);
        const struct ets_finding *finding = find(&findings, "nan_or_infinity");
        assert_non_null(finding);
        assert_int_equal(finding->severity, ETS_SEVERITY_BAD);
        assert_text(finding->place, "linear_1");
        assert_text(finding->sentence,
                    "linear_1 is the first value with NaN or infinity on one side only: 1 "
                    "element");
        ets_arena_reset(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_model_findings__duplicates),
        cmocka_unit_test(test_model_findings__a_wrong_operator),
        cmocka_unit_test(test_model_findings__nan_or_infinity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
