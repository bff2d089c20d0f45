/* Compares outputs with the expected outputs of a test case, with a verdict for each. */
#include "etscope/verify.h"
#include "numerics/element.h"
#include "numerics/number_tensor.h"
#include "verify/computing.h"

#include <float.h>
#include <stdbool.h>

#include "base/error.h"

const char *ets_output_result_name(enum ets_output_result verdict)
{
    switch (verdict) {
#define NAME(name, number, text, meaning) \
    case ETS_RESULT_##name: return text;
        ETS_RESULT_LIST(NAME)
#undef NAME
    }
    return NULL;
}

const char *ets_output_result_meaning(enum ets_output_result verdict)
{
    switch (verdict) {
#define MEANING(name, number, text, meaning) \
    case ETS_RESULT_##name: return meaning;
        ETS_RESULT_LIST(MEANING)
#undef MEANING
    }
    return NULL;
}

static bool is_same_shape(const struct ets_tensor *a, const struct ets_tensor *b)
{
    if (a->rank != b->rank) return false;
    for (uint32_t i = 0; i < a->rank; i++) {
        if (a->sizes[i] != b->sizes[i]) return false;
    }
    return true;
}

/* Compares elements that are not numbers by their bytes. UNSUPPORTED: another dimension order. */
static enum ets_status compare_bytes(const struct ets_tensor *expected,
                                     const struct ets_tensor *actual, bool *is_equal_out,
                                     struct ets_error *error)
{
    const uint64_t extent = ets_tensor_extent(expected);
    if (extent == UINT64_MAX || extent > expected->data_bytes || extent > actual->data_bytes ||
        (extent > 0 && (expected->data == NULL || actual->data == NULL))) {
        return ets_fail(error, ETS_TRUNCATED, ETS_NO_OFFSET, "a tensor extends past its bytes");
    }
    if (!ets_tensor_is_contiguous(expected) || !ets_tensor_is_contiguous(actual)) {
        return ets_fail(error, ETS_UNSUPPORTED, ETS_NO_OFFSET,
                        "a %s tensor is compared by its bytes, but has another dimension order",
                        ets_scalar_type_name(expected->scalar_type));
    }
    const uint8_t *a = expected->data, *b = actual->data;
    size_t i = 0;
    while (i < extent && a[i] == b[i]) i++;
    *is_equal_out = i == extent;
    return ETS_OK;
}

/* The square root of a number from 0, by Newton: there is no mathematics library here. */
static double square_root(double number)
{
    double root = number > 1 ? number : 1;
    if (!(number > 0)) return 0;
    for (int i = 0; i < 1100; i++) {
        const double next = (root + number / root) / 2;
        if (!(next < root)) break;
        root = next;
    }
    return root;
}

/* The tolerance with its part of what is expected. */
static struct ets_tolerance with_rms(const struct ets_tolerance *tolerance,
                                     const struct ets_comparison *sums)
{
    struct ets_tolerance all = *tolerance;
    if (tolerance->of_rms > 0 && sums->finite_count > 0 && sums->reference_square_sum < 1e300) {
        all.absolute += tolerance->of_rms *
                        square_root(sums->reference_square_sum / (double)sums->finite_count);
    }
    return all;
}

/* Where no error is above the absolute tolerance alone, there is nothing to go over again. */
static enum ets_status check_closeness(const struct ets_tensor *expected,
                                       const struct ets_tensor *actual,
                                       struct ets_output_verdict *out, struct ets_error *error)
{
    const struct ets_comparison *sums = &out->comparison;
    const bool is_valid = out->tolerance.relative >= 0 && out->tolerance.absolute >= 0;
    const struct ets_tolerance tolerance =
        is_valid ? with_rms(&out->tolerance, sums) : out->tolerance;
    if (is_valid && !tolerance.nan_differs && sums->broken_count == 0 &&
        sums->max_error <= tolerance.absolute) {
        out->closeness = (struct ets_closeness){.count = sums->count};
        return ETS_OK;
    }
    return ets_closeness_of(expected, actual, &tolerance, &out->closeness, error);
}

static enum ets_status compare_tensors(const struct ets_tensor *expected,
                                       const struct ets_tensor *actual,
                                       struct ets_output_verdict *out, struct ets_error *error)
{
    const uint32_t components = ets_scalar_component_count(expected->scalar_type);
    const bool is_same_type = expected->scalar_type == actual->scalar_type;
    if (expected->rank > ETS_TENSOR_MAX_RANK || actual->rank > ETS_TENSOR_MAX_RANK) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET, "a tensor's rank is over %d",
                        ETS_TENSOR_MAX_RANK);
    }
    if (!is_same_shape(expected, actual)) {
        out->verdict = ETS_RESULT_SHAPE;
        return ETS_OK;
    }
    out->verdict = is_same_type ? ETS_RESULT_CLOSE : ETS_RESULT_DTYPE;
    if (components == 0) {
        bool is_equal = true;
        if (!is_same_type) return ETS_OK;
        ETS_TRY(compare_bytes(expected, actual, &is_equal, error));
        if (!is_equal) out->verdict = ETS_RESULT_DIFFERENT;
        return ETS_OK;
    }
    if (ets_scalar_component_count(actual->scalar_type) != components) return ETS_OK;
    ETS_TRY(ets_comparison_of(expected, actual, &out->comparison, error));
    ETS_TRY(check_closeness(expected, actual, out, error));
    out->has_statistics = 1;
    if (is_same_type && out->closeness.outside_count > 0) out->verdict = ETS_RESULT_DIFFERENT;
    return ETS_OK;
}

enum ets_status ets_verify_output(const struct ets_value *expected, const struct ets_value *actual,
                                  const struct ets_tolerance *tolerance,
                                  struct ets_output_verdict *verdict_out, struct ets_error *error)
{
    struct ets_output_verdict verdict = {.verdict = ETS_RESULT_KIND, .tolerance = *tolerance};
    struct ets_tensor left, right;
    uint8_t left_room[ETS_NUMBER_BYTES], right_room[ETS_NUMBER_BYTES];
    const bool are_tensors = ets_tensor_of_value(expected, ETS_SCALAR_BOOL, left_room, &left) &&
                             ets_tensor_of_value(actual, ETS_SCALAR_BOOL, right_room, &right);
    if (expected->kind == actual->kind && are_tensors) {
        ETS_TRY(compare_tensors(&left, &right, &verdict, error));
    } else if (expected->kind == ETS_VALUE_NONE && actual->kind == ETS_VALUE_NONE) {
        verdict.verdict = ETS_RESULT_CLOSE;
    }
    *verdict_out = verdict;
    return ETS_OK;
}

static int scalar_type_of(const struct ets_value *value)
{
    struct ets_tensor tensor;
    uint8_t room[ETS_NUMBER_BYTES];
    const bool is_tensor = ets_tensor_of_value(value, ETS_SCALAR_BOOL, room, &tensor);
    return is_tensor ? (int)tensor.scalar_type : -1;
}

enum ets_status ets_verify_case(const struct ets_bundle_suite *suite,
                                const struct ets_bundle_case *test_case,
                                const struct ets_value *outputs, uint32_t output_count,
                                const struct ets_tolerance_rule *rules, size_t rule_count,
                                struct ets_output_verdict *verdicts_out, uint32_t verdict_capacity,
                                struct ets_case_verdict *verdict_out, struct ets_error *error)
{
    const uint32_t expected_count = test_case->expected_count;
    if (expected_count == 0) {
        return ets_fail(error, ETS_NOT_FOUND, ETS_NO_OFFSET,
                        "case %u of %.*s has no expected outputs", (unsigned)test_case->index,
                        suite->method_name.size < 64 ? (int)suite->method_name.size : 64,
                        suite->method_name.data);
    }
    const uint32_t count = expected_count > output_count ? expected_count : output_count;
    struct ets_case_verdict result = {.output_count = count, .first_failed = count};
    for (uint32_t i = 0; i < count; i++) {
        struct ets_output_verdict verdict = {.verdict = ETS_RESULT_UNEXPECTED};
        struct ets_value expected;
        if (i < expected_count) {
            ets_bundle_expected(test_case, i, &expected);
            ets_tolerance_for(rules, rule_count, suite->method_name, test_case->index, i,
                              scalar_type_of(&expected), &verdict.tolerance);
            verdict.verdict = ETS_RESULT_MISSING;
        }
        if (i < expected_count && i < output_count) {
            const struct ets_tolerance tolerance = verdict.tolerance;
            ETS_TRY(ets_verify_output(&expected, &outputs[i], &tolerance, &verdict, error));
        }
        if (verdict.verdict != ETS_RESULT_CLOSE && result.failed_count++ == 0) {
            result.first_failed = i;
        }
        if (verdicts_out != NULL && i < verdict_capacity) verdicts_out[i] = verdict;
    }
    *verdict_out = result;
    return ETS_OK;
}

enum ets_status ets_verify_outputs(struct ets_bytes bundle, const char *method, uint32_t test_case,
                                   const struct ets_value *outputs, uint32_t output_count,
                                   const struct ets_tolerance_rule *rules, size_t rule_count,
                                   struct ets_output_verdict *verdicts_out,
                                   uint32_t verdict_capacity, struct ets_case_verdict *verdict_out,
                                   struct ets_error *error)
{
    struct ets_bundle view;
    struct ets_bundle_suite suite;
    struct ets_bundle_case bundled;
    ETS_TRY(ets_bundle_init(&view, bundle, error));
    ETS_TRY(ets_bundle_find_suite(&view, method, &suite, error));
    if (test_case >= suite.case_count) {
        return ets_fail(error, ETS_NOT_FOUND, ETS_NO_OFFSET,
                        "%s has %u test cases, from 0; there is no case %u", method,
                        (unsigned)suite.case_count, (unsigned)test_case);
    }
    ets_bundle_case(&suite, test_case, &bundled);
    return ets_verify_case(&suite, &bundled, outputs, output_count, rules, rule_count, verdicts_out,
                           verdict_capacity, verdict_out, error);
}
