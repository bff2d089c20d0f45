/* Loops that no record holds yet, from graphs as torch.export has them. */
#include "test_reference_support.h"

#include "numerics/element.h"
#include "record/etrecord_internal.h"
#include "record/graph_reader.h"
#include "reference/reference.h"

struct loop {
    struct ets_file *file;
    struct ets_arena arena;
    const struct ets_graph *graph;
    struct ets_etrecord record; /* an empty one */
    struct ets_reference *reference;
};

static void open_loop(const char *name, struct loop *loop)
{
    const struct ets_text entry = {"loop", 4};
    *loop = (struct loop){.file = open_fixture("reference", name)};
    ets_arena_init(&loop->arena, NULL, 0);
    assert_int_equal(
        ets_graph_read(entry, ets_file_bytes(loop->file), 0, &loop->arena, &loop->graph, NULL),
        ETS_OK);
    const struct ets_reference_options options = {
        .engine = engine, .record = &loop->record, .graph = loop->graph};
    loop->reference = open_reference(&options);
}

static void close_loop(struct loop *loop)
{
    ets_reference_close(loop->reference);
    ets_arena_reset(&loop->arena);
    ets_file_close(loop->file);
}

static struct ets_value tensor_over(enum ets_scalar_type type, const void *data, size_t bytes,
                                    uint32_t rank, int64_t rows, int64_t columns)
{
    struct ets_value value = {.kind = ETS_VALUE_TENSOR};
    value.as.tensor = (struct ets_tensor){.scalar_type = type,
                                          .rank = rank,
                                          .sizes = {rows, columns},
                                          .data = data,
                                          .data_bytes = bytes};
    ets_tensor_set_contiguous(&value.as.tensor);
    return value;
}

static void assert_floats(const struct ets_value *value, const float *expected, size_t count)
{
    assert_int_equal(value->kind, ETS_VALUE_TENSOR);
    assert_int_equal(value->as.tensor.data_bytes, count * sizeof *expected);
    assert_memory_equal(value->as.tensor.data, expected, count * sizeof *expected);
}

static void test_scan(void **state)
{
    NEEDS_ENGINE();
    struct loop loop;
    open_loop("scan.json", &loop);
    static const float FIRST[3] = {1, 2, 3}, FACTOR[3] = {10, 100, 1000};
    static const float ROWS[12] = {1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4};
    static const float LAST[3] = {11, 12, 13};
    static const float ALL[12] = {20, 300, 4000, 40, 500, 6000, 70, 800, 9000, 110, 1200, 13000};
    const struct ets_value inputs[] = {
        tensor_over(ETS_SCALAR_FLOAT, FIRST, sizeof FIRST, 1, 3, 0),
        tensor_over(ETS_SCALAR_FLOAT, ROWS, sizeof ROWS, 2, 4, 3),
        tensor_over(ETS_SCALAR_FLOAT, FACTOR, sizeof FACTOR, 1, 3, 0),
    };
    struct shown shown = {.graph = loop.graph};
    run_reference(loop.reference, inputs, 3, keep_shown, &shown);
    assert_int_equal(shown.count, 4 * 2 + 2);
    assert_floats(&shown.outputs[0], LAST, 3);
    assert_floats(&shown.outputs[1], ALL, 12);
    free_shown(&shown);
    close_loop(&loop);
}

static void test_while(void **state)
{
    NEEDS_ENGINE();
    struct loop loop;
    open_loop("while.json", &loop);
    static const float X[3] = {1, 2, 3};
    /* From 2 to 5 in three turns; from 9 in none. */
    for (int64_t start = 2; start <= 9; start += 7) {
        const float turns = start == 2 ? 8 : 1;
        const float expected[3] = {X[0] * turns, X[1] * turns, X[2] * turns};
        const struct ets_value inputs[] = {
            tensor_over(ETS_SCALAR_LONG, &start, sizeof start, 0, 0, 0),
            tensor_over(ETS_SCALAR_FLOAT, X, sizeof X, 1, 3, 0),
        };
        struct shown shown = {.graph = loop.graph};
        run_reference(loop.reference, inputs, 2, keep_shown, &shown);
        assert_int_equal(shown.count, start == 2 ? 4 + 3 * 2 + 2 : 1 + 2);
        assert_floats(&shown.outputs[1], expected, 3);
        const struct ets_tensor *count = &shown.outputs[0].as.tensor;
        assert_true(ets_element_load(count->data, count->scalar_type, 0) ==
                    (start == 2 ? 5.0 : 9.0));
        free_shown(&shown);
    }
    close_loop(&loop);
}

static void test_endless(void **state)
{
    NEEDS_ENGINE();
    struct loop loop;
    struct ets_error error = {.status = ETS_OK};
    open_loop("endless.json", &loop);
    const unsigned char truth = 1;
    const struct ets_value input = tensor_over(ETS_SCALAR_BOOL, &truth, 1, 0, 0, 0);
    assert_int_equal(ets_reference_run(loop.reference, &input, 1, NULL, NULL, &error), ETS_LIMIT);
    assert_non_null(strstr(error.message, "loop: the graph's loops take more than"));
    close_loop(&loop);
}

/* Rows without elements take no memory, however many there are. */
static void test_rows_of_nothing(void **state)
{
    NEEDS_ENGINE();
    struct ets_arena arena;
    struct ets_etrecord record = {.entries = NULL};
    struct ets_error error = {.status = ETS_OK};
    const struct ets_graph *graph;
    struct ets_file *file = open_fixture("reference", "scan.json");
    struct ets_bytes text = ets_file_bytes(file);
    char *copy = test_malloc(text.size + 64), *to = copy;
    static const char rows[] = "{\"as_int\":4},{\"as_int\":3}",
                      many[] = "{\"as_int\":1099511627776},{\"as_int\":0}";
    for (size_t i = 0; i < text.size;) {
        const int is_rows =
            text.size - i > sizeof rows && memcmp(text.data + i, rows, sizeof rows - 1) == 0;
        if (is_rows) to += sprintf(to, "%s", many);
        else *to++ = (char)text.data[i];
        i += is_rows ? sizeof rows - 1 : 1;
    }
    text = (struct ets_bytes){(const uint8_t *)copy, (size_t)(to - copy)};
    ets_arena_init(&arena, NULL, 0);
    assert_int_equal(ets_graph_read((struct ets_text){"loop", 4}, text, 0, &arena, &graph, NULL),
                     ETS_OK);
    const struct ets_reference_options options = {
        .engine = engine, .record = &record, .graph = graph};
    struct ets_reference *reference = open_reference(&options);
    static const float ones[3] = {1, 1, 1};
    const struct ets_value inputs[] = {
        tensor_over(ETS_SCALAR_FLOAT, ones, sizeof ones, 1, 3, 0),
        tensor_over(ETS_SCALAR_FLOAT, ones, 0, 2, INT64_C(1) << 40, 0),
        tensor_over(ETS_SCALAR_FLOAT, ones, sizeof ones, 1, 3, 0),
    };
    assert_int_equal(ets_reference_run(reference, inputs, 3, NULL, NULL, &error), ETS_LIMIT);
    assert_non_null(strstr(error.message, "loops take more than"));
    ets_reference_close(reference);
    ets_arena_reset(&arena);
    test_free(copy);
    ets_file_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scan),
        cmocka_unit_test(test_while),
        cmocka_unit_test(test_endless),
        cmocka_unit_test(test_rows_of_nothing),
    };
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
