/* Checks that new test cases fit the program that they are bundled with. */
#include <stdbool.h>

#include "base/error.h"
#include "etscope/bundle.h"
#include "format/program_parts.h"

/* The subject of a check, for messages. */
struct argument {
    const char *method, *what;
    uint32_t test_case, index;
};

/* "float32 [2, 16]", "an int". */
struct description {
    char text[96];
};

static struct description describe_tensor(const struct ets_tensor *tensor)
{
    struct description out;
    const char *name = ets_scalar_type_name(tensor->scalar_type);
    size_t used = ets_print_text(out.text, sizeof out.text, "%s [", name != NULL ? name : "?");
    for (uint32_t i = 0; i < tensor->rank && i < ETS_TENSOR_MAX_RANK; i++) {
        used += ets_print_text(out.text + used, sizeof out.text - used, "%s%lld", i > 0 ? ", " : "",
                               (long long)tensor->sizes[i]);
    }
    ets_print_text(out.text + used, sizeof out.text - used, "]");
    return out;
}

static const char *kind_name(enum ets_value_kind kind)
{
    static const char *const names[] = {"nothing", "a tensor", "an int", "a bool", "a double"};
    return kind <= ETS_VALUE_DOUBLE ? names[kind] : "another kind of value";
}

static struct description describe(const struct ets_value *value)
{
    struct description out;
    if (value->kind == ETS_VALUE_TENSOR) return describe_tensor(&value->as.tensor);
    ets_print_text(out.text, sizeof out.text, "%s", kind_name(value->kind));
    return out;
}

static enum ets_status fail(const struct argument *a, const char *expected, const char *given,
                            struct ets_error *error)
{
    return ets_fail(error, ETS_MISMATCH, ETS_NO_OFFSET, "%s, case %u: %s %u is %s, not %s",
                    a->method, (unsigned)a->test_case, a->what, (unsigned)a->index, expected,
                    given);
}

/* The kind of a bundle's value for a value of the program; OTHER if bundles cannot hold it. */
static enum ets_value_kind kind_of(const struct ets_evalue *value)
{
    switch (value->kind) {
    case ETS_EVALUE_TENSOR: return ETS_VALUE_TENSOR;
    case ETS_EVALUE_INT: return ETS_VALUE_INT;
    case ETS_EVALUE_BOOL: return ETS_VALUE_BOOL;
    case ETS_EVALUE_DOUBLE: return ETS_VALUE_DOUBLE;
    case ETS_EVALUE_NULL: return ETS_VALUE_NONE;
    default: return ETS_VALUE_OTHER;
    }
}

static bool fits(const struct ets_program_tensor *wanted, const struct ets_tensor *given)
{
    if (wanted->tensor.scalar_type != given->scalar_type || wanted->tensor.rank != given->rank) {
        return false;
    }
    for (uint32_t i = 0; i < given->rank; i++) {
        const int64_t size = wanted->tensor.sizes[i];
        const bool is_static = wanted->dynamism == ETS_SHAPE_STATIC;
        if (is_static ? given->sizes[i] != size : given->sizes[i] > size) {
            /* The sizes of an unbound shape are not limits. */
            if (wanted->dynamism != ETS_SHAPE_UNBOUND) return false;
        }
    }
    return true;
}

/* The runtime refuses plain numbers that differ from those of the export. */
static bool is_baked(const struct ets_evalue *wanted, const struct ets_value *given)
{
    switch (given->kind) {
    case ETS_VALUE_INT: return wanted->int_value == given->as.int_value;
    case ETS_VALUE_BOOL: return (wanted->int_value != 0) == (given->as.bool_value != 0);
    case ETS_VALUE_DOUBLE: return wanted->double_value == given->as.double_value;
    default: return true;
    }
}

static enum ets_status check_input(const struct argument *a, const struct ets_evalue *wanted,
                                   const struct ets_value *given, struct ets_error *error)
{
    const enum ets_value_kind kind = kind_of(wanted);
    if (kind == ETS_VALUE_OTHER || kind == ETS_VALUE_NONE) {
        return ets_fail(error, ETS_UNSUPPORTED, ETS_NO_OFFSET,
                        "%s: input %u has a kind that bundles cannot hold", a->method,
                        (unsigned)a->index);
    }
    const struct description found = describe(given);
    if (kind == ETS_VALUE_TENSOR) {
        const struct description expected = describe_tensor(&wanted->tensor.tensor);
        const bool is_right =
            given->kind == ETS_VALUE_TENSOR && fits(&wanted->tensor, &given->as.tensor);
        return is_right ? ETS_OK : fail(a, expected.text, found.text, error);
    }
    if (given->kind != kind) return fail(a, kind_name(kind), found.text, error);
    return is_baked(wanted, given)
               ? ETS_OK
               : fail(a, "the number that the program was exported with", "this one", error);
}

static enum ets_status check_expected(const struct argument *a, const struct ets_evalue *wanted,
                                      const struct ets_value *given, struct ets_error *error)
{
    const enum ets_value_kind kind = kind_of(wanted);
    if (kind == ETS_VALUE_OTHER) return ETS_OK;
    const struct description found = describe(given);
    if (given->kind != kind) return fail(a, kind_name(kind), found.text, error);
    if (kind != ETS_VALUE_TENSOR || fits(&wanted->tensor, &given->as.tensor)) return ETS_OK;
    const struct description expected = describe_tensor(&wanted->tensor.tensor);
    return fail(a, expected.text, found.text, error);
}

static enum ets_status check_count(const struct argument *a, uint32_t wanted, uint32_t given,
                                   struct ets_error *error)
{
    if (wanted == given) return ETS_OK;
    return ets_fail(error, ETS_MISMATCH, ETS_NO_OFFSET, "%s, case %u: has %u %ss instead of %u",
                    a->method, (unsigned)a->test_case, (unsigned)given, a->what, (unsigned)wanted);
}

static enum ets_status check_case(const struct ets_method *method, const struct ets_new_case *given,
                                  struct argument *a, struct ets_error *error)
{
    struct ets_evalue wanted;
    a->what = "input";
    ETS_TRY(check_count(a, method->input_count, given->input_count, error));
    for (a->index = 0; a->index < given->input_count; a->index++) {
        ets_method_input(method, a->index, &wanted);
        ETS_TRY(check_input(a, &wanted, &given->inputs[a->index], error));
    }
    if (given->expected_count == 0) return ETS_OK;
    a->what = "expected output";
    ETS_TRY(check_count(a, method->output_count, given->expected_count, error));
    for (a->index = 0; a->index < given->expected_count; a->index++) {
        ets_method_output(method, a->index, &wanted);
        ETS_TRY(check_expected(a, &wanted, &given->expected[a->index], error));
    }
    return ETS_OK;
}

enum ets_status ets_new_bundle_check(const struct ets_new_bundle *bundle,
                                     const struct ets_program *program, struct ets_error *error)
{
    size_t size;
    for (uint32_t i = 0; i < bundle->suite_count; i++) {
        const struct ets_new_suite *suite = &bundle->suites[i];
        struct ets_method method;
        struct argument a = {.method = suite->method};
        const enum ets_status status =
            ets_program_find_method(program, suite->method, &method, error);
        if (status != ETS_OK) {
            if (error != NULL && status == ETS_NOT_FOUND) error->status = ETS_MISMATCH;
            return status == ETS_NOT_FOUND ? ETS_MISMATCH : status;
        }
        for (; a.test_case < suite->case_count; a.test_case++) {
            ETS_TRY(check_case(&method, &suite->cases[a.test_case], &a, error));
        }
    }
    return ets_bundle_write_size(bundle, &size, error);
}
