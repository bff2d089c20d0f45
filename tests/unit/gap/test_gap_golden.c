/* Rows of the numeric gap against what upstream's Inspector gave for the same files (golden.json).
 */
#include "test_inspect_support.h"

#include "test_engine_support.h"

#include <math.h>

#include "etscope/experimental/comparators.h"
#include "gap/upstream_pairs.h"
#include "numerics/upstream_gap.h"

#include "etscope/experimental/captured_values.h"
#include "etscope/experimental/gap.h"
#include "record/json.h"

/* Those that upstream can compare; it fails on cond, map_loop, multi_method and types. */
static const char *const models[] = {
    "conv_portable", "conv_xnnpack",        "conv_xnnpack_int8",   "dynamic",      "gpt_portable",
    "gpt_xnnpack",   "linear_fp32_xnnpack", "linear_int8_xnnpack", "mlp_portable", "mlp_xnnpack"};

enum { GOLDEN_ROWS = 70 };

struct fixture {
    const char *model;
    struct ets_file *record_file, *trace, *buffer, *golden;
    struct ets_etrecord *record;
    struct ets_inspection *inspection;
    struct ets_gap_report *report;
    struct ets_json json;
    char *text;
    const char *reference;
    uint32_t compared; /* rows whose numbers were */
};

static void open_all(struct fixture *f, const char *model)
{
    struct ets_json_failure failure;
    f->model = model;
    f->record_file = open_fixture(model, "model.etrecord");
    f->trace = open_fixture(model, "debug.etdp");
    f->buffer = open_fixture(model, "debug.bin");
    f->golden = open_fixture(model, "golden.json");
    f->record = open_record(ets_file_bytes(f->record_file));
    f->inspection =
        inspect(ets_file_bytes(f->trace), (struct ets_inspect_options){.record = f->record});
    const struct ets_bytes bytes = ets_file_bytes(f->golden);
    f->text = malloc(bytes.size + 1);
    assert_non_null(f->text);
    memcpy(f->text, bytes.data, bytes.size);
    f->text[bytes.size] = '\0';
    ets_json_init(&f->json, NULL);
    assert_int_equal(ets_json_parse(&f->json, f->text, bytes.size, &failure), ETS_OK);
    const struct ets_gap_options options = {.inspection = f->inspection,
                                            .record = f->record,
                                            .debug_buffer = ets_file_bytes(f->buffer),
                                            .run = ETS_NO_INDEX,
                                            .reference = f->reference};
    struct ets_error error = {.status = ETS_OK};
    if (ets_gap_open(&options, &f->report, &error) != ETS_OK) fail_msg("%s", error.message);
}

static void close_all(struct fixture *f)
{
    ets_gap_close(f->report);
    ets_inspection_close(f->inspection);
    ets_etrecord_close(f->record);
    ets_json_reset(&f->json);
    free(f->text);
    ets_file_close(f->record_file);
    ets_file_close(f->trace);
    ets_file_close(f->buffer);
    ets_file_close(f->golden);
}

static void require(const struct fixture *f, uint32_t row, int holds, const char *what)
{
    if (!holds) fail_msg("%s, row %u: %s differs", f->model, row, what);
}

static void compare_ops(const struct fixture *f, uint32_t row, const struct ets_gap_pair *pair,
                        const struct ets_json_value *expected)
{
    const struct ets_json_value *aot = ets_json_get(expected, "aot_ops");
    const struct ets_json_value *runtime = ets_json_get(expected, "runtime_ops");
    require(f, row, aot->size == pair->aot_op_count, "number of aot_ops");
    require(f, row, runtime->size == pair->runtime_op_count, "number of runtime_ops");
    const struct ets_json_value *name = ets_json_first(aot);
    for (uint32_t i = 0; i < pair->aot_op_count; i++, name = ets_json_next(name)) {
        require(f, row, ets_json_text_is(name, pair->aot_ops[i]->name.data), "aot_ops");
    }
    name = ets_json_first(runtime);
    for (uint32_t i = 0; i < pair->runtime_op_count; i++, name = ets_json_next(name)) {
        require(f, row, ets_json_text_is(name, pair->runtime_ops[i]), "runtime_ops");
    }
}

static void compare_handles(const struct fixture *f, uint32_t row, const struct ets_gap_pair *pair,
                            const struct ets_json_value *expected)
{
    require(f, row, expected->size == pair->handle_count, "number of handles");
    const struct ets_json_value *handle = ets_json_first(expected);
    for (uint32_t i = 0; i < pair->handle_count; i++, handle = ets_json_next(handle)) {
        require(f, row, handle->as.integer == pair->handles[i], "handles");
    }
}

static double number_of(const struct ets_json_value *value)
{
    return value->kind == ETS_JSON_DOUBLE ? value->as.number : (double)value->as.integer;
}

/* What the device computed: shape, and the first numbers, which golden.json rounded to 10 digits.
 */
static void compare_value(const struct fixture *f, uint32_t row, const struct ets_gap_pair *pair,
                          const struct ets_json_value *expected)
{
    struct ets_captured_values values;
    struct ets_captured_value value;
    const struct ets_captured_filter filter = {
        .block = ETS_NO_INDEX, .run = ETS_NO_INDEX, .event = pair->event};
    ets_captured_values_init(&values, f->inspection, ets_file_bytes(f->buffer), &filter);
    require(f, row, ets_captured_values_next(&values, &value) && value.status == ETS_OK, "value");
    const struct ets_json_value *shape = ets_json_get(expected, "shape");
    require(f, row, shape->size == value.tensor.rank, "rank");
    const struct ets_json_value *size = ets_json_first(shape);
    for (uint32_t i = 0; i < shape->size; i++, size = ets_json_next(size)) {
        require(f, row, size->as.integer == value.tensor.sizes[i], "shape");
    }
    struct ets_elements elements;
    double number;
    const struct ets_json_value *data = ets_json_get(expected, "data");
    assert_int_equal(ets_elements_init(&elements, &value.tensor, NULL), ETS_OK);
    const struct ets_json_value *other = ets_json_first(data);
    for (uint32_t i = 0; i < data->size; i++, other = ets_json_next(other)) {
        require(f, row, ets_elements_next(&elements, &number), "number of elements");
        const double off = number - number_of(other);
        require(f, row, off < 1e-9 && off > -1e-9, "an element");
    }
}

static uint32_t compare_model(const char *model)
{
    struct fixture f = {.reference = NULL};
    const struct ets_gap_pair *pairs;
    uint32_t count;
    open_all(&f, model);
    const struct ets_json_value *rows = ets_json_get(ets_json_get(f.json.values, "gap"), "MSE");
    assert_int_equal(ets_gap_upstream_pairs(f.report, &pairs, &count, NULL), ETS_OK);
    require(&f, 0, count == rows->size, "number of rows");
    const struct ets_json_value *row = ets_json_first(rows);
    for (uint32_t i = 0; i < count; i++, row = ets_json_next(row)) {
        compare_handles(&f, i, &pairs[i], ets_json_get(row, "aot_debug_handle"));
        compare_handles(&f, i, &pairs[i], ets_json_get(row, "runtime_debug_handle"));
        compare_ops(&f, i, &pairs[i], row);
        compare_value(&f, i, &pairs[i], ets_json_get(row, "runtime_intermediate_output"));
    }
    close_all(&f);
    return count;
}

static void test_gap_golden__rows_are_upstreams(void **state)
{
    (void)state;
    uint32_t count = 0;
    for (size_t i = 0; i < COUNT(models); i++) count += compare_model(models[i]);
    assert_int_equal(count, GOLDEN_ROWS);
}

/* The methods of one program have handles of their own: rows are of the report's alone. */
static void test_gap_golden__rows_are_of_one_method(void **state)
{
    (void)state;
    struct fixture f = {.reference = NULL};
    const struct ets_gap_pair *pairs;
    uint32_t count, compared = 0;
    open_all(&f, "multi_method");
    const uint32_t first = ets_gap_run(f.report);
    for (uint32_t run = first; run < ets_inspection_run_count(f.inspection); run++) {
        struct ets_gap_report *report = NULL;
        const struct ets_gap_options options = {
            .inspection = f.inspection, .record = f.record, .run = run};
        if (ets_gap_open(&options, &report, NULL) != ETS_OK) continue;
        assert_int_equal(ets_gap_upstream_pairs(report, &pairs, &count, NULL), ETS_OK);
        for (uint32_t i = 0; i < count; i++, compared++) {
            assert_int_equal(ets_inspection_events(f.inspection)->run[pairs[i].event], run);
        }
        ets_gap_close(report);
    }
    assert_int_equal(compared, 1 + 2 + 3); /* decode, encode, forward */
    close_all(&f);
}

/* golden.json has the default reference alone; these counts are upstream's, too. */
static void test_gap_golden__rows_with_the_edge_program_are_as_many(void **state)
{
    static const struct {
        const char *model;
        uint32_t rows;
    } counts[] = {
        {"conv_portable", 6}, {"gpt_portable", 29}, {"gpt_xnnpack", 11}, {"mlp_portable", 4}};
    (void)state;
    for (size_t i = 0; i < COUNT(counts); i++) {
        struct fixture f = {.reference = "edge_dialect_exported_program"};
        const struct ets_gap_pair *pairs;
        uint32_t count;
        open_all(&f, counts[i].model);
        assert_int_equal(ets_gap_upstream_pairs(f.report, &pairs, &count, NULL), ETS_OK);
        require(&f, 0, count == counts[i].rows, "number of rows");
        close_all(&f);
    }
}

static const struct ets_json_value *gap_of_row(const struct fixture *f, const char *distance,
                                               uint32_t row)
{
    const struct ets_json_value *rows = ets_json_get(ets_json_get(f->json.values, "gap"), distance);
    const struct ets_json_value *at = ets_json_first(rows);
    for (uint32_t i = 0; i < row; i++) at = ets_json_next(at);
    return ets_json_first(ets_json_get(at, "gap"));
}

/*
 * What two references in float32, upstream's PyTorch and the runtime's kernels, agree in: MSE to
 * 1e-9 of the signal's power, L1 to 1e-6 of the signal's, SNR above 100 dB where upstream's is (or
 * infinite, which golden.json writes as null), and else to a tenth of a dB.
 */
static enum ets_status compare_numbers(void *context, uint32_t pair,
                                       const struct ets_tensor *reference,
                                       const struct ets_tensor *device, struct ets_error *error)
{
    struct fixture *f = context;
    struct ets_tensor shaped = *device; /* upstream lets [1, 16, 192] meet [16, 192] */
    struct ets_gap gap;
    struct ets_tensor_statistics summary;
    assert_int_equal(ets_tensor_count(reference), ets_tensor_count(device));
    assert_true(ets_tensor_is_contiguous(device));
    shaped.rank = reference->rank;
    memcpy(shaped.sizes, reference->sizes, sizeof shaped.sizes);
    ets_tensor_set_contiguous(&shaped);
    assert_int_equal(ets_gap_of(reference, &shaped, &gap, error), ETS_OK);
    assert_int_equal(ets_tensor_statistics_of(reference, 0, &summary), ETS_OK);
    const double mse = number_of(gap_of_row(f, "MSE", pair));
    const double l1 = number_of(gap_of_row(f, "L1", pair));
    const struct ets_json_value *snr = gap_of_row(f, "SNR", pair);
    require(f, pair, fabs(gap.mse - mse) <= 1e-9 * gap.signal + 1e-10, "MSE");
    require(f, pair, fabs(gap.l1 - l1) <= 1e-6 * summary.absolute_sum + 1e-10, "L1");
    if (ets_json_is(snr, ETS_JSON_NULL) || number_of(snr) > 100) {
        require(f, pair, !(ets_gap_snr(&gap) <= 100), "SNR");
    } else {
        require(f, pair, fabs(ets_gap_snr(&gap) - number_of(snr)) < 0.1, "SNR");
    }
    f->compared++;
    return ETS_OK;
}

static uint32_t compare_model_numbers(const char *model)
{
    struct fixture f = {.compared = 0};
    struct ets_error error = {.status = ETS_OK};
    const struct ets_gap_evaluation evaluation = {.engine = engine};
    open_all(&f, model);
    if (ets_gap_upstream_evaluate(f.report, &evaluation, compare_numbers, &f, &error) != ETS_OK) {
        fail_msg("%s: %s", model, error.message);
    }
    close_all(&f);
    return f.compared;
}

static void test_gap_golden__numbers_are_upstreams(void **state)
{
    (void)state;
    uint32_t count = 0;
    if (engine == NULL) SKIP_BECAUSE(NO_ENGINE);
    for (size_t i = 0; i < COUNT(models); i++) count += compare_model_numbers(models[i]);
    assert_int_equal(count, GOLDEN_ROWS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gap_golden__rows_are_upstreams),
        cmocka_unit_test(test_gap_golden__rows_are_of_one_method),
        cmocka_unit_test(test_gap_golden__rows_with_the_edge_program_are_as_many),
        cmocka_unit_test(test_gap_golden__numbers_are_upstreams),
    };
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
