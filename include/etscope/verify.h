/*
 * verify.h - compares a method's outputs with those that its bundled test case expects.
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
 *                ets_output_result_name(verdicts[verdict.first_failed].verdict),
 *                (unsigned long long)verdicts[verdict.first_failed].closeness.worst_index);
 *     }
 *
 * Link libetscope, or on devices libetscope_verify (CMake: etscope::verify), which holds only what
 * this header needs. It has no heap, stdio, mathematics library or state. A status says whether the
 * outputs could be compared; a verdict says how they compare. Outputs that differ are not an error.
 *
 * Unlike ExecuTorch's verify_method_outputs, it compares the numbers of every type, accepts equal
 * elements in another layout, reports a wrong shape, type or number of outputs separately from
 * wrong values, and scales the relative tolerance by the expected value. docs/compatibility.md
 * lists the differences.
 */
#ifndef ETSCOPE_VERIFY_H
#define ETSCOPE_VERIFY_H

#include "etscope/bundle.h"
#include "etscope/numerics.h"
#include "etscope/program.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(NAME, number, name, meaning) */
#define ETS_RESULT_LIST(X)                                                           \
    X(CLOSE, 0, "close", "equal within the tolerance")                               \
    X(DIFFERENT, 1, "different", "at least one element is outside the tolerance")    \
    X(SHAPE, 2, "shape", "the shape is not the expected one")                        \
    X(DTYPE, 3, "dtype", "the scalar type is not the expected one")                  \
    X(KIND, 4, "kind",                                                               \
      "the kind is not the expected one: a number instead of a tensor, for example") \
    X(MISSING, 5, "missing", "expected, but the method does not return it")          \
    X(UNEXPECTED, 6, "unexpected", "returned, but the test case does not expect it")

enum ets_output_result {
#define ETS_RESULT_ENUM(name, number, text, meaning) ETS_RESULT_##name = number,
    ETS_RESULT_LIST(ETS_RESULT_ENUM)
#undef ETS_RESULT_ENUM
};

/* "close" for ETS_RESULT_CLOSE, and its meaning; NULL for an unknown number. */
ETS_API const char *ets_output_result_name(enum ets_output_result verdict);
ETS_API const char *ets_output_result_meaning(enum ets_output_result verdict);

/*
 * The verdict on one output. If has_statistics is 1, `comparison` and `closeness` are set: shapes
 * and types could be compared as numbers. The scalar types may differ.
 */
struct ets_output_verdict {
    enum ets_output_result verdict;
    struct ets_tolerance tolerance; /* the tolerance used */
    int has_statistics;
    struct ets_comparison comparison; /* reference: expected, other: actual */
    struct ets_closeness closeness;
};

/*
 * A tolerance for some outputs. A negative number or NULL in method, test_case, output or
 * scalar_type matches all. A negative relative, absolute or of_rms is left to other rules.
 */
struct ets_tolerance_rule {
    const char *method;
    int64_t test_case, output;
    int scalar_type; /* of the expected value; plain numbers are int64, bool or float64 */
    double relative, absolute;
    double of_rms; /* 0: use only `relative` and `absolute` */
};

/*
 * The arithmetic of a program, and how far correct results may deviate with it. X(NAME, number,
 * name, relative, absolute, of_rms, where of_rms comes from). `relative` and `absolute` are those
 * of torch.testing.assert_close for the type. `of_rms` is a fraction of the root mean square of the
 * expected values. gap.h judges by of_rms, verify.h by all three. From one class to the next,
 * of_rms never falls. INT4_OF_FLOAT is for int4 weights whose reference has float weights: it
 * includes the error of rounding them to 4 bits.
 */
/* clang-format off */
#define ETS_COMPUTES_LIST(X)                                                                       \
    X(EXACT, 0, "integers", 0, 0, 0, "exact")                                                      \
    X(FLOAT64, 1, "float64", 1e-7, 1e-7, 1e-10, "float64 sums; torch.testing.assert_close")        \
    X(FLOAT32, 2, "float32", 1.3e-6, 1e-5, 1e-5, "80 roundings of 2^-23; torch.testing.assert_close") \
    X(FLOAT16, 3, "float16", 1e-3, 1e-5, 1e-2, "10 roundings of 2^-10; torch.testing.assert_close")   \
    X(BFLOAT16, 4, "bfloat16", 1.6e-2, 1e-5, 5e-2,                                                 \
      "6 roundings of 2^-7; torch.testing.assert_close")                                           \
    X(STATIC_INT8, 5, "static int8", 1.3e-6, 1e-5, 5e-2,                                           \
      "2 steps of 8 bits over 6 standard deviations")                                              \
    X(DYNAMIC_INT8, 6, "dynamic int8", 1.3e-6, 1e-5, 5e-2,                                         \
      "2 steps of 8 bits over 6 standard deviations")                                              \
    X(INT4, 7, "int4 weights", 1.3e-6, 1e-5, 5e-2,                                                 \
      "2 steps of 8 bits over 6 standard deviations")                                              \
    X(INT4_OF_FLOAT, 8, "float weights to int4", 1.3e-6, 1e-5, 0.15,                               \
      "1.4 roundings of 4 bits over 6 standard deviations")
/* clang-format on */

enum ets_computes {
#define ETS_COMPUTES_ENUM(name, number, text, relative, absolute, of_rms, source) \
    ETS_COMPUTES_##name = number,
    ETS_COMPUTES_LIST(ETS_COMPUTES_ENUM)
#undef ETS_COMPUTES_ENUM
};

/* A row of the table. Its texts are static. */
struct ets_tolerance_class {
    const char *name;
    struct ets_tolerance tolerance;
    const char *source;
};

/* NULL for an unknown number. */
ETS_API const struct ets_tolerance_class *ets_tolerance_of(enum ets_computes computes);

/*
 * Compares one output. Plain numbers count as tensors of one element. Elements that are not numbers
 * (bits types) must have equal bytes. Statuses: INVALID_ARGUMENT (a negative tolerance), and those
 * of ets_elements_init.
 */
ETS_API enum ets_status ets_verify_output(const struct ets_value *expected,
                                          const struct ets_value *actual,
                                          const struct ets_tolerance *tolerance,
                                          struct ets_output_verdict *verdict_out,
                                          struct ets_error *error);

struct ets_case_verdict {
    uint32_t output_count; /* the larger of the expected and the returned number */
    uint32_t failed_count; /* outputs whose verdict is not CLOSE */
    uint32_t first_failed; /* output_count: none */
};

/*
 * Compares all outputs of a test case. `verdicts_out` receives the first `verdict_capacity`
 * verdicts (NULL: none). Statuses: NOT_FOUND (the case has no expected outputs to compare with),
 * and those of ets_verify_output.
 */
ETS_API enum ets_status ets_verify_case(
    const struct ets_bundle_suite *suite, const struct ets_bundle_case *test_case,
    const struct ets_value *outputs, uint32_t output_count, const struct ets_tolerance_rule *rules,
    size_t rule_count, struct ets_output_verdict *verdicts_out, uint32_t verdict_capacity,
    struct ets_case_verdict *verdict_out, struct ets_error *error);

/*
 * Does the same from the bytes of a bundle. Further statuses: those of ets_bundle_init; NOT_FOUND
 * (the bundle has no such method, or no such case).
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
