/*
 * Verdicts on outputs. Each oddity of ExecuTorch's verify_method_outputs has a test here that says
 * what is right instead.
 */
#include "test_bundle_support.h"
#include "verify/computing.h"

#include <math.h>

#include "etscope/verify.h"

static const struct ets_tolerance exact = {.relative = 0},
                                  loose = {.relative = 1e-3, .absolute = 1e-5};

static struct ets_output_verdict verify(const struct ets_value *expected,
                                        const struct ets_value *actual,
                                        const struct ets_tolerance *tolerance)
{
    struct ets_output_verdict verdict;
    assert_int_equal(ets_verify_output(expected, actual, tolerance, &verdict, NULL), ETS_OK);
    return verdict;
}

static enum ets_output_result of_floats(float expected, float actual,
                                        const struct ets_tolerance *tolerance)
{
    const struct ets_value a = float_vector(&expected, 1), b = float_vector(&actual, 1);
    return verify(&a, &b, tolerance).verdict;
}

/* Upstream aborts the process. */
static void test_verify__other_strides_are_no_difference(void **unused)
{
    (void)unused;
    const float rows[] = {0, 1, 2, 3, 4, 5}, columns[] = {0, 3, 1, 4, 2, 5};
    struct ets_value a = tensor_value(ETS_SCALAR_FLOAT, 2, (int64_t[]){2, 3}, rows), b = a;
    b.as.tensor.strides[0] = 1;
    b.as.tensor.strides[1] = 2;
    b.as.tensor.data = LITTLE(columns);
    const struct ets_output_verdict verdict = verify(&a, &b, &exact);
    assert_int_equal(verdict.verdict, ETS_RESULT_CLOSE);
    assert_true(verdict.comparison.layouts_differ);
    b.as.tensor.data = LITTLE(rows);
    assert_int_equal(verify(&a, &b, &exact).verdict, ETS_RESULT_DIFFERENT);
    assert_int_equal(verify(&a, &b, &exact).closeness.first_index, 1);
}

/* Upstream takes NaN for -Infinity. */
static void test_verify__nan_is_minus_infinity_to_nobody(void **unused)
{
    (void)unused;
    assert_int_equal(of_floats(NAN, -INFINITY, &loose), ETS_RESULT_DIFFERENT);
    assert_int_equal(of_floats(-INFINITY, NAN, &loose), ETS_RESULT_DIFFERENT);
    assert_int_equal(of_floats(NAN, INFINITY, &loose), ETS_RESULT_DIFFERENT);
    assert_int_equal(of_floats(NAN, NAN, &loose), ETS_RESULT_CLOSE);
    assert_int_equal(of_floats(-INFINITY, -INFINITY, &exact), ETS_RESULT_CLOSE);
    assert_int_equal(of_floats(-INFINITY, INFINITY, &loose), ETS_RESULT_DIFFERENT);
    assert_int_equal(of_floats(1, INFINITY, &loose), ETS_RESULT_DIFFERENT);
}

/* Upstream scales it by what came out, so that an output which is far too large passes. */
static void test_verify__relative_tolerance_scales_with_what_is_expected(void **unused)
{
    (void)unused;
    const struct ets_tolerance half = {.relative = 0.5};
    assert_int_equal(of_floats(1, 1.5f, &half), ETS_RESULT_CLOSE);
    assert_int_equal(of_floats(1, 1.9f, &half), ETS_RESULT_DIFFERENT);
    assert_int_equal(of_floats(1, 0.5f, &half), ETS_RESULT_CLOSE);
    const struct ets_tolerance twice = {.relative = 1};
    assert_int_equal(of_floats(1, 1e30f, &twice), ETS_RESULT_DIFFERENT);
}

/* Upstream compares these bit by bit, whatever the tolerance. */
static void test_verify__bfloat16_and_integers_have_tolerances(void **unused)
{
    (void)unused;
    const uint16_t a[] = {0x3f80, 0x8000}, b[] = {0x3f81, 0x0000}; /* 1, -0; 1.0078, 0 */
    const struct ets_value x = tensor_value(ETS_SCALAR_BFLOAT16, 1, (int64_t[]){2}, a);
    const struct ets_value y = tensor_value(ETS_SCALAR_BFLOAT16, 1, (int64_t[]){2}, b);
    const struct ets_tolerance hundredth = {.relative = 1e-2}, one = {.absolute = 1};
    assert_int_equal(verify(&x, &y, &hundredth).verdict, ETS_RESULT_CLOSE);
    assert_int_equal(verify(&x, &y, &exact).closeness.outside_count, 1); /* -0 is 0 */
    const int8_t left[] = {10, 20}, right[] = {10, 21};
    const struct ets_value p = tensor_value(ETS_SCALAR_CHAR, 1, (int64_t[]){2}, left);
    const struct ets_value q = tensor_value(ETS_SCALAR_CHAR, 1, (int64_t[]){2}, right);
    assert_int_equal(verify(&p, &q, &one).verdict, ETS_RESULT_CLOSE);
    assert_int_equal(verify(&p, &q, &exact).verdict, ETS_RESULT_DIFFERENT);
    assert_int_equal(verify(&p, &q, &exact).closeness.worst_index, 1);
}

/* Upstream says of all of these that the data mismatched. */
static void test_verify__shape_type_and_kind_are_told_apart(void **unused)
{
    (void)unused;
    const float numbers[6] = {1, 2, 3, 4, 5, 6};
    const double doubles[2] = {1, 2.5};
    const struct ets_value vector = float_vector(numbers, 6);
    const struct ets_value matrix = tensor_value(ETS_SCALAR_FLOAT, 2, (int64_t[]){2, 3}, numbers);
    const struct ets_value two = float_vector(numbers, 2);
    const struct ets_value wide = tensor_value(ETS_SCALAR_DOUBLE, 1, (int64_t[]){2}, doubles);
    const struct ets_value whole = {.kind = ETS_VALUE_INT, .as.int_value = 3};
    const struct ets_value none = {.kind = ETS_VALUE_NONE}, other = {.kind = ETS_VALUE_OTHER};
    assert_int_equal(verify(&vector, &matrix, &loose).verdict, ETS_RESULT_SHAPE);
    assert_int_equal(verify(&vector, &two, &loose).verdict, ETS_RESULT_SHAPE);
    const struct ets_output_verdict typed = verify(&two, &wide, &loose);
    assert_int_equal(typed.verdict, ETS_RESULT_DTYPE);
    assert_true(typed.has_statistics);
    assert_true(typed.comparison.max_error == 0.5);
    assert_int_equal(verify(&vector, &whole, &loose).verdict, ETS_RESULT_KIND);
    assert_int_equal(verify(&whole, &none, &loose).verdict, ETS_RESULT_KIND);
    assert_int_equal(verify(&none, &none, &loose).verdict, ETS_RESULT_CLOSE);
    assert_int_equal(verify(&other, &other, &loose).verdict, ETS_RESULT_KIND);
}

/* Upstream refuses expected outputs that are no tensors. */
static void test_verify__plain_numbers_are_compared(void **unused)
{
    (void)unused;
    const struct ets_value five = {.kind = ETS_VALUE_INT, .as.int_value = 5};
    const struct ets_value six = {.kind = ETS_VALUE_INT, .as.int_value = 6};
    const struct ets_value yes = {.kind = ETS_VALUE_BOOL, .as.bool_value = 1};
    const struct ets_value real = {.kind = ETS_VALUE_DOUBLE, .as.double_value = 5};
    assert_int_equal(verify(&five, &five, &exact).verdict, ETS_RESULT_CLOSE);
    assert_int_equal(verify(&five, &six, &exact).verdict, ETS_RESULT_DIFFERENT);
    assert_int_equal(verify(&yes, &yes, &exact).verdict, ETS_RESULT_CLOSE);
    assert_int_equal(verify(&five, &real, &exact).verdict, ETS_RESULT_KIND);
    const struct ets_value near = {.kind = ETS_VALUE_DOUBLE, .as.double_value = 5.25};
    assert_true(verify(&five, &six, &exact).comparison.max_error == 1);
    assert_true(verify(&real, &near, &exact).comparison.max_error == 0.25);
}

static void test_verify__bits_are_compared_as_bytes(void **unused)
{
    (void)unused;
    const uint8_t a[] = {1, 2, 3}, b[] = {1, 2, 4};
    const struct ets_value x = tensor_value(ETS_SCALAR_BITS8, 1, (int64_t[]){3}, a);
    const struct ets_value y = tensor_value(ETS_SCALAR_BITS8, 1, (int64_t[]){3}, b);
    assert_int_equal(verify(&x, &x, &exact).verdict, ETS_RESULT_CLOSE);
    assert_int_equal(verify(&x, &y, &loose).verdict, ETS_RESULT_DIFFERENT);
    assert_false(verify(&x, &y, &loose).has_statistics);
    struct ets_value cut = y;
    struct ets_output_verdict untouched = {.verdict = ETS_RESULT_MISSING};
    cut.as.tensor.rank = ETS_TENSOR_MAX_RANK + 1;
    assert_int_equal(ets_verify_output(&x, &cut, &exact, &untouched, NULL), ETS_INVALID_ARGUMENT);
    cut.as.tensor.rank = 1;
    cut.as.tensor.data_bytes = 2;
    assert_int_equal(ets_verify_output(&x, &cut, &exact, &untouched, NULL), ETS_TRUNCATED);
    assert_int_equal(untouched.verdict, ETS_RESULT_MISSING);
}

static void test_verify__empty_tensors_are_equal(void **unused)
{
    (void)unused;
    const struct ets_value a = float_vector(NULL, 0);
    assert_int_equal(verify(&a, &a, &exact).verdict, ETS_RESULT_CLOSE);
}

static void test_verify__tolerances_by_type_and_rule(void **unused)
{
    (void)unused;
    const struct ets_text forward = {"forward", 7}, encode = {"encode", 6};
    const struct ets_tolerance_rule rules[] = {
        {NULL, -1, -1, -1, 0.5, -1, -1},
        {"forward", -1, 2, -1, -1, 0.25, 0.125},
        {NULL, 1, -1, ETS_SCALAR_FLOAT, 0.125, 0.0625, 0},
    };
    struct ets_tolerance t;
    ets_tolerance_for(NULL, 0, forward, 0, 0, ETS_SCALAR_FLOAT, &t);
    assert_true(t.relative == 1.3e-6 && t.absolute == 1e-5 && t.of_rms == 1e-5);
    ets_tolerance_for(NULL, 0, forward, 0, 0, ETS_SCALAR_HALF, &t);
    assert_true(t.relative == 1e-3 && t.absolute == 1e-5);
    ets_tolerance_for(NULL, 0, forward, 0, 0, ETS_SCALAR_BFLOAT16, &t);
    assert_true(t.relative == 1.6e-2 && t.absolute == 1e-5);
    ets_tolerance_for(NULL, 0, forward, 0, 0, ETS_SCALAR_COMPLEX_DOUBLE, &t);
    assert_true(t.relative == 1e-7 && t.absolute == 1e-7);
    ets_tolerance_for(NULL, 0, forward, 0, 0, ETS_SCALAR_LONG, &t);
    assert_true(t.relative == 0 && t.absolute == 0 && t.of_rms == 0);
    ets_tolerance_for(rules, 3, encode, 0, 2, ETS_SCALAR_FLOAT, &t);
    assert_true(t.relative == 0.5 && t.absolute == 1e-5);
    ets_tolerance_for(rules, 3, forward, 0, 2, ETS_SCALAR_LONG, &t);
    assert_true(t.relative == 0.5 && t.absolute == 0.25 && t.of_rms == 0.125);
    ets_tolerance_for(rules, 3, forward, 1, 2, ETS_SCALAR_FLOAT, &t);
    assert_true(t.relative == 0.125 && t.absolute == 0.0625 && t.of_rms == 0);
}

static void test_verify__a_part_of_the_root_mean_square_is_allowed(void **unused)
{
    (void)unused;
    const struct ets_tolerance tenth = {.of_rms = 0.1};
    const float expected[] = {3, -4, 0, 5}, close[] = {3.25f, -4, 0.34375f, 5}; /* RMS 3.54 */
    const float outside[] = {3, -4, 0.375f, 5};
    const struct ets_value x = float_vector(expected, 4), y = float_vector(close, 4),
                           z = float_vector(outside, 4);
    assert_int_equal(verify(&x, &y, &tenth).verdict, ETS_RESULT_CLOSE);
    assert_int_equal(verify(&x, &z, &tenth).verdict, ETS_RESULT_DIFFERENT);
    assert_int_equal(verify(&x, &z, &tenth).closeness.worst_index, 2);
    const float tiny[] = {1e-30f, 1e-30f}, off[] = {1.25e-30f, 1e-30f};
    const struct ets_value a = float_vector(tiny, 2), b = float_vector(off, 2);
    assert_int_equal(verify(&a, &b, &tenth).verdict, ETS_RESULT_DIFFERENT);
}

static void test_verify__classes_allow_no_less_than_those_before(void **unused)
{
    (void)unused;
    struct ets_tolerance_rule rules[ETS_TOLERANCE_RULES];
    double last = -1;
    int number = 0;
    const struct ets_tolerance_class *each;
    for (; (each = ets_tolerance_of((enum ets_computes)number)) != NULL; number++) {
        assert_true(each->tolerance.of_rms >= last);
        last = each->tolerance.of_rms;
        const size_t count = ets_computes_rules((enum ets_computes)number, NULL, rules);
        for (size_t i = 0; i < count; i++) {
            assert_true(rules[i].of_rms == each->tolerance.of_rms);
            assert_true(ets_type_computes(rules[i].scalar_type) != ETS_COMPUTES_EXACT);
        }
    }
    assert_int_equal(number, 9);
}

/* A bundle with a case without expected outputs, and one that expects two. */
static void make(struct kept *kept, struct ets_bundle *view)
{
    static const float numbers[] = {1, 2, 3, 4};
    const struct ets_value values[] = {float_vector(numbers, 4), float_vector(numbers, 2)};
    const struct ets_new_case cases[] = {{values, 1, NULL, 0}, {values, 1, values, 2}};
    const struct ets_new_suite suite = {"forward", cases, 2};
    const struct ets_new_bundle bundle = {{(const uint8_t *)"program", 7}, &suite, 1};
    write_and_open(&bundle, kept, view);
}

static void test_verify__a_whole_case_from_the_bundles_bytes(void **unused)
{
    (void)unused;
    static struct kept kept;
    struct ets_bundle view;
    struct ets_case_verdict verdict;
    struct ets_output_verdict verdicts[3];
    struct ets_error error;
    const float right[] = {1, 2, 3, 4}, wrong[] = {1, 2.5f};
    const struct ets_value outputs[] = {float_vector(right, 4), float_vector(wrong, 2),
                                        float_vector(right, 1)};
    make(&kept, &view);
    const struct ets_bytes bytes = {kept.data, kept.size};
    assert_int_equal(
        ets_verify_outputs(bytes, "forward", 1, outputs, 2, NULL, 0, verdicts, 3, &verdict, &error),
        ETS_OK);
    assert_int_equal(verdict.output_count, 2);
    assert_int_equal(verdict.failed_count, 1);
    assert_int_equal(verdict.first_failed, 1);
    assert_int_equal(verdicts[1].closeness.worst_index, 1);
    assert_true(verdicts[1].comparison.max_error == 0.5);
    const struct ets_tolerance_rule rule = {NULL, -1, 1, -1, -1, 0.5, 0};
    assert_int_equal(
        ets_verify_outputs(bytes, "forward", 1, outputs, 2, &rule, 1, NULL, 0, &verdict, &error),
        ETS_OK);
    assert_int_equal(verdict.failed_count, 0);
    assert_int_equal(verdict.first_failed, 2);
}

/* Upstream reads past the end of what is expected, or ignores what is too much. */
static void test_verify__counts_that_differ(void **unused)
{
    (void)unused;
    static struct kept kept;
    struct ets_bundle view;
    struct ets_case_verdict verdict;
    struct ets_output_verdict verdicts[3];
    const float right[] = {1, 2, 3, 4};
    const struct ets_value outputs[] = {float_vector(right, 4), float_vector(right, 2),
                                        float_vector(right, 1)};
    make(&kept, &view);
    const struct ets_bytes bytes = {kept.data, kept.size};
    assert_int_equal(
        ets_verify_outputs(bytes, "forward", 1, outputs, 1, NULL, 0, verdicts, 3, &verdict, NULL),
        ETS_OK);
    assert_int_equal(verdict.failed_count, 1);
    assert_int_equal(verdicts[1].verdict, ETS_RESULT_MISSING);
    assert_int_equal(
        ets_verify_outputs(bytes, "forward", 1, outputs, 3, NULL, 0, verdicts, 3, &verdict, NULL),
        ETS_OK);
    assert_int_equal(verdict.output_count, 3);
    assert_int_equal(verdict.first_failed, 2);
    assert_int_equal(verdicts[2].verdict, ETS_RESULT_UNEXPECTED);
}

/* Upstream: NotSupported and InvalidArgument, without a word of what there is. */
static void test_verify__what_cannot_be_answered_is_a_status(void **unused)
{
    (void)unused;
    static struct kept kept;
    struct ets_bundle view;
    struct ets_case_verdict verdict = {.output_count = 77};
    struct ets_error error;
    const float right[] = {1};
    const struct ets_value output = float_vector(right, 1);
    make(&kept, &view);
    const struct ets_bytes bytes = {kept.data, kept.size}, bare = {kept.data + 128, 7};
    const struct {
        struct ets_bytes bytes;
        const char *method;
        uint32_t test_case;
        enum ets_status status;
        const char *message;
    } cases[] = {
        {bytes, "forward", 0, ETS_NOT_FOUND, "case 0 of forward has no expected outputs"},
        {bytes, "forward", 2, ETS_NOT_FOUND, "there is no case 2"},
        {bytes, "encode", 0, ETS_NOT_FOUND, "no test cases for method 'encode'"},
        {bare, "forward", 0, ETS_WRONG_KIND, "not a bundled program"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(ets_verify_outputs(cases[i].bytes, cases[i].method, cases[i].test_case,
                                            &output, 1, NULL, 0, NULL, 0, &verdict, &error),
                         cases[i].status);
        if (strstr(error.message, cases[i].message) == NULL) fail_msg("%s", error.message);
    }
    assert_int_equal(verdict.output_count, 77);
}

/* Every cut and every changed byte of a bundle: an answer or a status, never more. */
static void test_verify__damaged_bundles(void **unused)
{
    (void)unused;
    static struct kept kept;
    struct ets_bundle view;
    struct ets_case_verdict verdict;
    const float right[] = {1, 2, 3, 4};
    const struct ets_value outputs[] = {float_vector(right, 4), float_vector(right, 2)};
    size_t refused = 0;
    make(&kept, &view);
    for (size_t size = 0; size < kept.size; size++) {
        uint8_t *copy = malloc(size + 1);
        assert_non_null(copy);
        memcpy(copy, kept.data, size);
        assert_int_not_equal(ets_verify_outputs((struct ets_bytes){copy, size}, "forward", 1,
                                                outputs, 2, NULL, 0, NULL, 0, &verdict, NULL),
                             ETS_OK);
        free(copy);
    }
    for (size_t at = 0; at < kept.size; at++) {
        kept.data[at] ^= 0xff;
        struct ets_error error = {.status = ETS_OK};
        const enum ets_status status =
            ets_verify_outputs((struct ets_bytes){kept.data, kept.size}, "forward", 1, outputs, 2,
                               NULL, 0, NULL, 0, &verdict, &error);
        kept.data[at] ^= 0xff;
        assert_int_equal(error.status, status);
        assert_true((status == ETS_OK) == (error.message[0] == '\0'));
        refused += status != ETS_OK;
    }
    assert_in_range(refused, 1, kept.size - 1); /* a value may well be another */
}

static void test_verify__verdicts_have_names(void **unused)
{
    (void)unused;
    assert_string_equal(ets_output_result_name(ETS_RESULT_CLOSE), "close");
    assert_string_equal(ets_output_result_name(ETS_RESULT_UNEXPECTED), "unexpected");
    assert_non_null(ets_output_result_meaning(ETS_RESULT_SHAPE));
    assert_null(ets_output_result_name((enum ets_output_result)7));
    assert_null(ets_output_result_meaning((enum ets_output_result)7));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verify__other_strides_are_no_difference),
        cmocka_unit_test(test_verify__nan_is_minus_infinity_to_nobody),
        cmocka_unit_test(test_verify__relative_tolerance_scales_with_what_is_expected),
        cmocka_unit_test(test_verify__bfloat16_and_integers_have_tolerances),
        cmocka_unit_test(test_verify__shape_type_and_kind_are_told_apart),
        cmocka_unit_test(test_verify__plain_numbers_are_compared),
        cmocka_unit_test(test_verify__bits_are_compared_as_bytes),
        cmocka_unit_test(test_verify__empty_tensors_are_equal),
        cmocka_unit_test(test_verify__tolerances_by_type_and_rule),
        cmocka_unit_test(test_verify__a_part_of_the_root_mean_square_is_allowed),
        cmocka_unit_test(test_verify__classes_allow_no_less_than_those_before),
        cmocka_unit_test(test_verify__a_whole_case_from_the_bundles_bytes),
        cmocka_unit_test(test_verify__counts_that_differ),
        cmocka_unit_test(test_verify__what_cannot_be_answered_is_a_status),
        cmocka_unit_test(test_verify__damaged_bundles),
        cmocka_unit_test(test_verify__verdicts_have_names),
    };
    return cmocka_run_group_tests_name("verify", tests, NULL, NULL);
}
