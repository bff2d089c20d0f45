/* The gap where memory ends, inputs are off, and values lie elsewhere. */
#include "test_inspect_support.h"

#include "test_engine_support.h"

#include <math.h>

#include "gap/gap_details.h"
#include "gap/upstream_pairs.h"
#include "numerics/element.h"

#include "base/load.h"
#include "etscope/experimental/gap.h"
#include "etscope/inspect.h"
#include "test_little_support.h"
#include "views/gap_headline.h"

/* A comparator of the caller's, which compares what has more than one dimension. */
static enum ets_status count_dimensions(const struct ets_tensor *reference,
                                        const struct ets_tensor *other, double *result_out,
                                        struct ets_error *error)
{
    (void)other;
    if (reference->rank < 2) {
        strcpy(error->message, "too few dimensions");
        return ETS_UNSUPPORTED;
    }
    *result_out = reference->rank;
    return ETS_OK;
}

static const struct ets_comparator dimensions = {ETS_COMPARATOR_INTERFACE_VERSION,
                                                 sizeof(struct ets_comparator), "dimensions", NULL,
                                                 count_dimensions};
static const struct ets_comparator *const comparators[] = {&dimensions};

struct fixture {
    struct ets_file *record_file, *trace, *buffer;
    struct ets_etrecord *record;
    struct ets_inspection *inspection;
    struct ets_gap_options options;
};

static void open_trace(struct fixture *f, const char *folder, const char *name, const char *trace)
{
    char file[64];
    snprintf(file, sizeof file, "%s.etrecord", name);
    f->record_file = open_fixture(folder, file);
    snprintf(file, sizeof file, "%s.etdp", trace);
    f->trace = open_fixture(folder, file);
    snprintf(file, sizeof file, "%s.bin", trace);
    f->buffer = open_fixture(folder, file);
    f->record = open_record(ets_file_bytes(f->record_file));
    f->inspection =
        inspect(ets_file_bytes(f->trace), (struct ets_inspect_options){.record = f->record});
    f->options = (struct ets_gap_options){.inspection = f->inspection,
                                          .record = f->record,
                                          .debug_buffer = ets_file_bytes(f->buffer),
                                          .comparators = comparators,
                                          .comparator_count = 1,
                                          .pictures = 2,
                                          .run = ETS_NO_INDEX};
}

/* `name`: "model" for a fixture that is like most. */
static void open_files(struct fixture *f, const char *folder, const char *name)
{
    open_trace(f, folder, name, strcmp(name, "model") == 0 ? "debug" : name);
}

static void close_files(struct fixture *f)
{
    ets_inspection_close(f->inspection);
    ets_etrecord_close(f->record);
    ets_file_close(f->record_file);
    ets_file_close(f->trace);
    ets_file_close(f->buffer);
}

static enum ets_status ignore_pair(void *context, uint32_t pair, const struct ets_tensor *reference,
                                   const struct ets_tensor *device, struct ets_error *error)
{
    (void)context;
    (void)pair;
    (void)reference;
    (void)device;
    (void)error;
    return ETS_OK;
}

/* Everything that allocates; the first status that is not OK. */
static enum ets_status use_all(struct fixture *f, struct ets_etrecord *other,
                               struct ets_error *error)
{
    struct ets_gap_report *report = NULL;
    const struct ets_gap_pair *pairs;
    const struct ets_gap_evaluation evaluation = {.engine = engine};
    const struct ets_gap_evaluation in_double = {.engine = engine, .use_double = 1};
    uint32_t count, rows;
    enum ets_status status = ets_gap_open(&f->options, &report, error);
    if (status == ETS_OK) status = ets_gap_upstream_pairs(report, &pairs, &count, error);
    if (status == ETS_OK && engine != NULL) {
        status = ets_gap_evaluate(report, &evaluation, error);
        if (status == ETS_OK) {
            status = ets_gap_region(report, 0, NULL, 0, &count, NULL, 0, &rows, error);
        }
        if (status == ETS_OK) {
            status = ets_gap_upstream_evaluate(report, &evaluation, ignore_pair, NULL, error);
        }
        if (status == ETS_OK && other != NULL) {
            status = ets_gap_evaluate_other(report, other, &in_double, error);
        }
        if (status == ETS_OK) status = ets_gap_evaluate(report, &in_double, error);
    }
    if (status == ETS_OK) status = ets_gap_compare_report(report, report, error);
    ets_gap_close(report);
    return status;
}

static void fail_every_allocation(struct fixture *f, struct ets_etrecord *other)
{
    enum ets_status status = ETS_NO_MEMORY;
    assert_int_equal(use_all(f, other, NULL), ETS_OK); /* what the record keeps is then read */
    for (uint64_t at = 0; status != ETS_OK; at++) {
        struct ets_error error = {.status = ETS_OK};
        struct failing failing = {.fail_at = at};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        f->options.allocator = &allocator;
        status = use_all(f, other, &error);
        assert_int_equal(failing.live, 0);
        if (status == ETS_OK) break;
        if (status != ETS_NO_MEMORY)
            fail_msg("allocation %llu: %s", (unsigned long long)at, error.message);
        assert_int_equal(error.status, ETS_NO_MEMORY);
    }
}

static void test_gap_faults__every_allocation_may_fail(void **state)
{
    static const char *const models[] = {"mlp_portable", "mlp_xnnpack", "cond"};
    (void)state;
    for (size_t i = 0; i < COUNT(models); i++) {
        struct fixture f;
        open_files(&f, models[i], "model");
        fail_every_allocation(&f, NULL);
        close_files(&f);
    }
}

static void test_gap_faults__every_allocation_of_a_later_run_may_fail(void **state)
{
    (void)state;
    struct fixture f;
    open_trace(&f, "state", "cache", "stepped");
    f.options.run = 3;
    fail_every_allocation(&f, NULL);
    close_files(&f);
}

static void fail_with_record(const char *folder, const char *name, const char *other_name)
{
    struct fixture f;
    open_files(&f, folder, name);
    struct ets_file *file = open_fixture(folder, other_name);
    struct ets_etrecord *other = open_record(ets_file_bytes(file));
    fail_every_allocation(&f, other);
    ets_etrecord_close(other);
    ets_file_close(file);
    close_files(&f);
}

static void test_gap_faults__every_allocation_with_another_record_may_fail(void **state)
{
    (void)state;
    fail_with_record("quantized", "int8", "float.etrecord");
    fail_with_record("quantized", "int8", "int8.etrecord");
    fail_with_record("saturated", "int8", "float.etrecord");
    fail_with_record("mixed", "half", "float.etrecord"); /* its inputs are converted */
}

/* The place of a table's field, or NULL. `at` holds the offset of the table. */
static uint8_t *field(uint8_t *at, unsigned slot)
{
    uint8_t *table = at + ets_load_u32(at);
    const uint8_t *vtable = table - (int32_t)ets_load_u32(table);
    if (4 + 2 * slot >= ets_load_u16(vtable)) return NULL;
    const uint16_t place = ets_load_u16(vtable + 4 + 2 * slot);
    return place == 0 ? NULL : table + place;
}

/* Leaves the events of time out of a size-prefixed ETDump. */
static void leave_out_times(uint8_t *dump)
{
    uint8_t *runs = field(dump + 4, 1);
    runs += ets_load_u32(runs);
    for (uint32_t r = 0; r < ets_load_u32(runs); r++) {
        uint8_t *events = field(runs + 4 + 4 * (size_t)r, 3);
        uint32_t kept = 0;
        if (events == NULL) continue;
        events += ets_load_u32(events);
        for (uint32_t e = 0; e < ets_load_u32(events); e++) {
            uint8_t *from = events + 4 + 4 * (size_t)e, *to = events + 4 + 4 * (size_t)kept;
            if (field(from, 0) != NULL) continue;
            const uint32_t offset = ets_load_u32(from) + (uint32_t)(from - to);
            for (int i = 0; i < 4; i++) to[i] = (uint8_t)(offset >> 8 * i);
            kept++;
        }
        for (int i = 0; i < 4; i++) events[i] = (uint8_t)(kept >> 8 * i);
    }
}

static void test_gap_faults__instructions_without_events_are_the_programs(void **state)
{
    static const char *const models[] = {"mlp_portable", "mlp_xnnpack"};
    (void)state;
    for (size_t i = 0; i < COUNT(models); i++) {
        struct fixture f;
        struct ets_program program;
        open_files(&f, models[i], "model");
        struct ets_file *file = open_fixture(models[i], "model.pte");
        assert_int_equal(ets_program_init(&program, ets_file_bytes(file), NULL), ETS_OK);
        const struct ets_bytes trace = ets_file_bytes(f.trace);
        uint8_t *dump = malloc(trace.size);
        assert_non_null(dump);
        memcpy(dump, trace.data, trace.size);
        leave_out_times(dump);
        struct ets_inspection *timed = f.inspection;
        f.inspection =
            inspect((struct ets_bytes){dump, trace.size},
                    (struct ets_inspect_options){.record = f.record, .program = &program});
        assert_int_equal(ets_inspection_row_count(f.inspection), 0);
        struct ets_gap_report *with, *without;
        assert_int_equal(ets_gap_open(&f.options, &with, NULL), ETS_OK);
        f.options.inspection = f.inspection;
        assert_int_equal(ets_gap_open(&f.options, &without, NULL), ETS_OK);
        assert_int_equal(ets_gap_value_count(without), ets_gap_value_count(with));
        for (uint32_t k = 0; k < ets_gap_value_count(with); k++) {
            const struct ets_gap_value *value = ets_gap_value(without, k);
            assert_ptr_equal(value->node, ets_gap_value(with, k)->node);
            assert_int_equal(value->match, ets_gap_value(with, k)->match);
        }
        ets_gap_close(without);
        ets_gap_close(with);
        fail_every_allocation(&f, NULL);
        ets_inspection_close(timed);
        close_files(&f);
        ets_file_close(file);
        free(dump);
    }
}

static void test_gap_faults__a_run_without_values_is_said(void **state)
{
    struct fixture f;
    struct ets_gap_report *report = NULL;
    struct ets_error error;
    (void)state;
    open_files(&f, "multi_method", "model");
    f.options.run = 0; /* loads a method */
    assert_int_equal(ets_gap_open(&f.options, &report, &error), ETS_NOT_FOUND);
    assert_string_equal(error.message, "run 0 captured no values");
    assert_null(report);
    close_files(&f);
}

static float load_float(const void *at)
{
    return (float)ets_element_load(at, ETS_SCALAR_FLOAT, 0);
}

static void store_float(void *at, float number)
{
    const float numbers[] = {number};
    memcpy(at, LITTLE(numbers), sizeof numbers);
}

/* The reference's own values, off by a little at one node. */
struct planted {
    const char *node;
    float numbers[64 * 64];
};

static int look_up(void *context, const struct ets_gap_value *value, struct ets_tensor *tensor_out)
{
    struct planted *planted = context;
    *tensor_out = value->captured.tensor;
    if (strcmp(value->node->name.data, planted->node) != 0) return 1;
    assert_true(tensor_out->data_bytes <= sizeof planted->numbers);
    memcpy(planted->numbers, tensor_out->data, tensor_out->data_bytes);
    store_float(&planted->numbers[5], load_float(&planted->numbers[5]) + 1);
    tensor_out->data = planted->numbers;
    return 1;
}

static void test_gap_faults__given_values_name_the_first_that_is_off(void **state)
{
    struct fixture f;
    struct ets_gap_report *report;
    struct planted planted = {.node = "linear_1"};
    char headline[256];
    (void)state;
    open_files(&f, "mlp_portable", "model");
    assert_int_equal(ets_gap_open(&f.options, &report, NULL), ETS_OK);
    assert_int_equal(ets_gap_compare(report, look_up, &planted, NULL), ETS_OK);
    assert_int_equal(ets_gap_row_count(report), 4);
    const struct ets_gap_conclusion *verdict = ets_gap_conclusion(report);
    assert_int_equal(verdict->guilty, ETS_NO_INDEX); /* the output agrees */
    assert_int_equal(verdict->stands_out, 2);
    assert_int_equal(verdict->suspects, 0);
    const struct ets_gap_row *row = ets_gap_row(report, 2);
    assert_string_equal(row->value->node->name.data, "linear_1");
    assert_int_equal(row->total.max_error_index, 5);
    assert_false(row->has_own);
    ets_gap_headline(report, NULL, headline, sizeof headline);
    assert_non_null(strstr(headline, "the output agrees with the given values"));
    assert_non_null(
        strstr(headline, "; inside, linear_1 (models/zoo.py:16) stands out: its error is"));
    for (size_t room = 0; room < 40; room++) { /* cut, never beyond */
        char small[41];
        memset(small, 'x', sizeof small);
        ets_gap_headline(report, NULL, small, room);
        assert_int_equal(small[room], 'x');
    }
    ets_gap_close(report);
    close_files(&f);
}

/* The device's own values, and those of two nodes a little larger. */
static int look_up_scaled(void *context, const struct ets_gap_value *value,
                          struct ets_tensor *tensor_out)
{
    float *numbers = context;
    const int is_source = strcmp(value->node->name.data, "linear_1") == 0;
    *tensor_out = value->captured.tensor;
    if (!is_source && strcmp(value->node->name.data, "softmax") != 0) return 1;
    memcpy(numbers, tensor_out->data, tensor_out->data_bytes);
    for (size_t i = 0; i < tensor_out->data_bytes / sizeof *numbers; i++) {
        store_float(&numbers[i], load_float(&numbers[i]) * (is_source ? 1.0002F : 1.0001F));
    }
    tensor_out->data = numbers;
    return 1;
}

/* linear_1 is small beside what goes into it, which excuses its error, but not that of softmax. */
static void test_gap_faults__an_excused_error_is_inherited(void **state)
{
    struct fixture f;
    struct ets_gap_report *report;
    float numbers[64 * 64];
    char headline[512];
    (void)state;
    open_files(&f, "mlp_portable", "model");
    const struct ets_bytes whole = f.options.debug_buffer;
    uint8_t *buffer = malloc(whole.size);
    assert_non_null(buffer);
    memcpy(buffer, whole.data, whole.size);
    f.options.debug_buffer.data = buffer;
    assert_int_equal(ets_gap_open(&f.options, &report, NULL), ETS_OK);
    for (uint32_t i = 0; i < ets_gap_value_count(report); i++) {
        const struct ets_gap_value *value = ets_gap_value(report, i);
        if (value->node == NULL || strcmp(value->node->name.data, "linear_1") != 0) continue;
        for (size_t at = 0; at < value->captured.tensor.data_bytes; at += sizeof(float)) {
            store_float(buffer + value->captured.offset + at, 1e-4F);
        }
    }
    assert_int_equal(ets_gap_compare(report, look_up_scaled, numbers, NULL), ETS_OK);
    assert_int_equal(ets_gap_row(report, 2)->finding, ETS_GAP_AGREES);
    assert_int_equal(ets_gap_row(report, 3)->finding, ETS_GAP_INHERITED);
    assert_int_equal(ets_gap_conclusion(report)->guilty, ETS_NO_INDEX);
    ets_gap_headline(report, NULL, headline, sizeof headline);
    assert_non_null(strstr(headline,
                           "no operator stands out: 1 of 4 values differ from the given values; "
                           "the largest error is 0.0002 in linear_1 (models/zoo.py:16)"));
    ets_gap_close(report);
    free(buffer);
    close_files(&f);
}

/* Values that are replaced all over: a graph's names do not matter then. */
static void test_gap_faults__regions_are_what_lies_between_captured_values(void **state)
{
    struct fixture f;
    struct ets_gap_report *report;
    const struct ets_graph_node *nodes[8];
    uint32_t rows[8], node_count, row_count;
    struct planted planted = {.node = ""};
    (void)state;
    open_files(&f, "mlp_xnnpack", "model");
    assert_int_equal(ets_gap_open(&f.options, &report, NULL), ETS_OK);
    assert_int_equal(ets_gap_compare(report, look_up, &planted, NULL), ETS_OK);
    assert_int_equal(ets_gap_region(report, 0, nodes, 8, &node_count, rows, 8, &row_count, NULL),
                     ETS_OK);
    assert_int_equal(node_count, 4);
    assert_int_equal(row_count, 0);
    assert_string_equal(nodes[0]->name.data, "linear");
    assert_string_equal(nodes[3]->name.data, "softmax");
    assert_int_equal(ets_gap_hidden_count(report), 3);
    assert_int_equal(ets_gap_hidden(report, 0)->instruction, 0);
    assert_string_equal(ets_gap_hidden(report, 0)->backend, "XnnpackBackend");
    ets_gap_close(report);
    close_files(&f);
}

static void test_gap_faults__callers_comparators_see_each_row(void **state)
{
    (void)state;
    struct fixture f;
    struct ets_gap_report *report;
    struct ets_error error;
    if (engine == NULL) SKIP_BECAUSE(NO_ENGINE);
    open_files(&f, "dynamic", "model");
    assert_int_equal(ets_gap_open(&f.options, &report, &error), ETS_OK);
    assert_null(ets_gap_comparator_reason(report, 0));
    const struct ets_gap_evaluation how = {.engine = engine};
    assert_int_equal(ets_gap_evaluate(report, &how, &error), ETS_OK);
    for (uint32_t i = 0; i < ets_gap_row_count(report); i++) {
        const struct ets_gap_row *row = ets_gap_row(report, i);
        assert_true(row->has_total);
        const uint32_t rank = row->value->captured.tensor.rank;
        assert_true(rank < 2 ? isnan(row->compared[0]) : row->compared[0] == rank);
    }
    ets_gap_close(report);
    close_files(&f);
}

static void test_gap_faults__pictures_are_of_the_largest_errors(void **state)
{
    (void)state;
    struct fixture f;
    struct ets_gap_report *report;
    struct ets_error error;
    uint32_t drawn = 0;
    double least_drawn = INFINITY, most_other = 0;
    if (engine == NULL) SKIP_BECAUSE(NO_ENGINE);
    open_files(&f, "gpt_xnnpack", "model");
    assert_int_equal(ets_gap_open(&f.options, &report, &error), ETS_OK);
    const struct ets_gap_evaluation how = {.engine = engine, .use_double = 1};
    assert_int_equal(ets_gap_evaluate(report, &how, &error), ETS_OK);
    for (uint32_t i = 0; i < ets_gap_row_count(report); i++) {
        const struct ets_gap_row *row = ets_gap_row(report, i);
        const double total = ets_comparison_relative_rms(&row->total);
        if (row->picture != NULL) least_drawn = fmin(least_drawn, total);
        else most_other = fmax(most_other, total);
        drawn += row->picture != NULL;
    }
    assert_int_equal(drawn, 2);
    assert_true(most_other > 0 && least_drawn >= most_other);
    ets_gap_close(report);
    close_files(&f);
}

static void count_progress(void *context, uint64_t done, uint64_t all)
{
    uint64_t *last = context;
    assert_true(done == *last + 1 && done <= all);
    *last = done;
}

static void test_gap_faults__each_value_is_told_to_the_caller(void **state)
{
    (void)state;
    struct fixture f;
    struct ets_gap_report *report;
    struct ets_error error;
    uint64_t last = 0;
    if (engine == NULL) SKIP_BECAUSE(NO_ENGINE);
    open_files(&f, "dynamic", "model");
    assert_int_equal(ets_gap_open(&f.options, &report, &error), ETS_OK);
    const struct ets_gap_evaluation how = {
        .engine = engine, .use_double = 1, .progress = count_progress, .progress_context = &last};
    assert_int_equal(ets_gap_evaluate(report, &how, &error), ETS_OK);
    assert_true(last >= 2 * (uint64_t)ets_gap_row_count(report));
    ets_gap_close(report);
    close_files(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gap_faults__pictures_are_of_the_largest_errors),
        cmocka_unit_test(test_gap_faults__each_value_is_told_to_the_caller),
        cmocka_unit_test(test_gap_faults__every_allocation_may_fail),
        cmocka_unit_test(test_gap_faults__every_allocation_of_a_later_run_may_fail),
        cmocka_unit_test(test_gap_faults__every_allocation_with_another_record_may_fail),
        cmocka_unit_test(test_gap_faults__instructions_without_events_are_the_programs),
        cmocka_unit_test(test_gap_faults__callers_comparators_see_each_row),
        cmocka_unit_test(test_gap_faults__a_run_without_values_is_said),
        cmocka_unit_test(test_gap_faults__given_values_name_the_first_that_is_off),
        cmocka_unit_test(test_gap_faults__an_excused_error_is_inherited),
        cmocka_unit_test(test_gap_faults__regions_are_what_lies_between_captured_values),
    };
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
