/*
 * verify.h - is what a method gave what its bundled test case expects?
 *
 *     // On the target, after the method ran on the inputs of case 0; `bundle` is a whole .bpte.
 *     struct ets_output_verdict verdicts[4];
 *     struct ets_case_verdict verdict;
 *     struct ets_error error;
 *     if (ets_verify_outputs(bundle, "forward", 0, outputs, output_count, NULL, 0, verdicts, 4,
 *                            &verdict, &error) != ETS_OK) {
 *         puts(error.message);
 *     } else if (verdict.failed_count > 0) {
 *         printf("output %u: %s, worst at element %llu\n", verdict.first_failed,
 *                ets_match_name(verdicts[verdict.first_failed].verdict),
 *                (unsigned long long)verdicts[verdict.first_failed].closeness.worst_index);
 *     }
 *
 * Link libetscope, or on devices libetscope_verify (CMake: etscope::verify), which holds no more
 * than this needs. Runs on devices: no heap, no stdio, no mathematics library, no state. A status
 * says whether the question could be answered at all, a verdict what the answer is: that outputs
 * differ is no error. Unlike ExecuTorch's verify_method_outputs, it compares every type by its
 * numbers, takes another layout of equal elements for equal, tells two shapes, types and counts
 * apart from two values, and scales the relative tolerance by what is expected;
 * docs/compatibility.md lists the differences.
 */
#ifndef ETSCOPE_VERIFY_H
#define ETSCOPE_VERIFY_H

#include "etscope/bundle.h"
#include "etscope/comparators.h"
#include "etscope/numerics.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(NAME, number, name, meaning) */
#define ETS_MATCH_LIST(X)                                                            \
    X(CLOSE, 0, "close", "equal within the tolerance")                               \
    X(DIFFERENT, 1, "different", "at least one element is outside of the tolerance") \
    X(SHAPE, 2, "shape", "another shape than expected")                              \
    X(DTYPE, 3, "dtype", "another scalar type than expected")                        \
    X(KIND, 4, "kind", "a number where a tensor was expected, or the like")          \
    X(MISSING, 5, "missing", "expected, but the method has no such output")          \
    X(UNEXPECTED, 6, "unexpected", "the test case says nothing of this output")

enum ets_match {
#define ETS_MATCH_ENUM(name, number, text, meaning) ETS_MATCH_##name = number,
    ETS_MATCH_LIST(ETS_MATCH_ENUM)
#undef ETS_MATCH_ENUM
};

/* "close" for ETS_MATCH_CLOSE, and its meaning; NULL for a number that is none. */
ETS_API const char *ets_match_name(enum ets_match verdict);
ETS_API const char *ets_match_meaning(enum ets_match verdict);

/*
 * What one output turned out to be. The statistics are there where shape and numbers allow, also
 * where the scalar types differ: has_statistics.
 */
struct ets_output_verdict {
    enum ets_match verdict;
    struct ets_tolerance tolerance; /* that was used */
    int has_statistics;
    struct ets_comparison comparison; /* reference: expected, other: actual */
    struct ets_closeness closeness;
};

/*
 * A tolerance for some outputs. What is negative or NULL holds for all (method, test_case, output,
 * scalar_type), or is left to other rules (relative, absolute).
 */
struct ets_tolerance_rule {
    const char *method;
    int64_t test_case, output;
    int scalar_type; /* of the expected value; int64, bool and float64 for plain numbers */
    double relative, absolute;
};

/*
 * The tolerance for one output: by scalar type what torch.testing.assert_close takes (float16 1e-3
 * and 1e-5, bfloat16 1.6e-2 and 1e-5, float32 1.3e-6 and 1e-5, float64 1e-7 and 1e-7, complex as
 * their parts, all else exact), over which the rules that fit are laid in their order.
 */
ETS_API void ets_tolerance_for(const struct ets_tolerance_rule *rules, size_t rule_count,
                               struct ets_text method, uint32_t test_case, uint32_t output,
                               int scalar_type, struct ets_tolerance *tolerance_out);

/*
 * Compares one output. Plain numbers count as tensors of one element; elements that are no numbers
 * (bits types) must be the same bytes. INVALID_ARGUMENT: a tolerance that is negative; otherwise
 * what ets_elements_init says of a tensor that cannot be read.
 */
ETS_API enum ets_status ets_verify_output(const struct ets_value *expected,
                                          const struct ets_value *actual,
                                          const struct ets_tolerance *tolerance,
                                          struct ets_output_verdict *verdict_out,
                                          struct ets_error *error);

struct ets_case_verdict {
    uint32_t output_count; /* the larger one of expected and given outputs */
    uint32_t failed_count; /* outputs whose verdict is not CLOSE */
    uint32_t first_failed; /* output_count: none */
};

/*
 * Compares all outputs of a test case. `verdicts_out` takes the first `verdict_capacity` verdicts
 * (NULL: none). NOT_FOUND: the case has no expected outputs, so that there is nothing to say.
 * Otherwise as ets_verify_output.
 */
ETS_API enum ets_status ets_verify_case(
    const struct ets_bundle_suite *suite, const struct ets_bundle_case *test_case,
    const struct ets_value *outputs, uint32_t output_count, const struct ets_tolerance_rule *rules,
    size_t rule_count, struct ets_output_verdict *verdicts_out, uint32_t verdict_capacity,
    struct ets_case_verdict *verdict_out, struct ets_error *error);

/*
 * The same from the bytes of a bundle. Also: the statuses of ets_bundle_init; NOT_FOUND (no such
 * method in the bundle, or no such case).
 */
ETS_API enum ets_status ets_verify_outputs(
    struct ets_bytes bundle, const char *method, uint32_t test_case,
    const struct ets_value *outputs, uint32_t output_count, const struct ets_tolerance_rule *rules,
    size_t rule_count, struct ets_output_verdict *verdicts_out, uint32_t verdict_capacity,
    struct ets_case_verdict *verdict_out, struct ets_error *error);

#ifdef __cplusplus
}
#endif

#endif
