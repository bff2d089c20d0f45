/*
 * Reads bundled programs (.bpte): verifies test cases, then returns their inputs and expected
 * outputs.
 */
#include "etscope/bundle.h"

#include "format/descriptor.h"
#include "format/program_parts.h"
#include "format/root_types.h"
#include "format/wrong_kind.h"

/* bundled_program_schema.fbs */
enum { BUNDLE_VERSION, BUNDLE_SUITES, BUNDLE_PROGRAM };
enum { SUITE_METHOD, SUITE_CASES };
enum { CASE_INPUTS, CASE_EXPECTED };
enum { VALUE_TAG, VALUE_MEMBER };
enum { TENSOR_SCALAR_TYPE, TENSOR_SIZES, TENSOR_DATA, TENSOR_DIM_ORDER };

/* Tags of ValueUnion in the schema's order: Bool before Double, unlike ExecuTorch's Python. */
enum { TAG_NONE, TAG_TENSOR, TAG_INT, TAG_BOOL, TAG_DOUBLE };

static const struct ets_fb_field tensor_fields[] = {
    SCALAR("scalar_type", TENSOR_SCALAR_TYPE, ETS_FB_I8),
    SCALARS("sizes", TENSOR_SIZES, ETS_FB_I32),
    BLOB("data", TENSOR_DATA),
    SCALARS("dim_order", TENSOR_DIM_ORDER, ETS_FB_U8),
};
static const struct ets_fb_type tensor_type = TYPE("Tensor", tensor_fields);
static const struct ets_fb_field int_fields[] = {SCALAR("int_val", 0, ETS_FB_I64)};
static const struct ets_fb_type int_type = TYPE("Int", int_fields);
static const struct ets_fb_field bool_fields[] = {SCALAR("bool_val", 0, ETS_FB_BOOL)};
static const struct ets_fb_type bool_type = TYPE("Bool", bool_fields);
static const struct ets_fb_field double_fields[] = {SCALAR("double_val", 0, ETS_FB_F64)};
static const struct ets_fb_type double_type = TYPE("Double", double_fields);

static const struct ets_fb_type *const value_types[] = {
    [TAG_TENSOR] = &tensor_type,
    [TAG_INT] = &int_type,
    [TAG_BOOL] = &bool_type,
    [TAG_DOUBLE] = &double_type,
};
static const struct ets_fb_union value_union = {value_types, COUNT(value_types)};
static const struct ets_fb_field value_fields[] = {
    {"val", VALUE_TAG, ETS_FB_UNION, 0, {.choice = &value_union}},
};
static const struct ets_fb_type value_type = TYPE("Value", value_fields);
static const struct ets_fb_field case_fields[] = {
    TABLES("inputs", CASE_INPUTS, value_type),
    TABLES("expected_outputs", CASE_EXPECTED, value_type),
};
static const struct ets_fb_type case_type = TYPE("BundledMethodTestCase", case_fields);
static const struct ets_fb_field suite_fields[] = {
    {"method_name", SUITE_METHOD, ETS_FB_STRING, ETS_FB_REQUIRED, {0}},
    TABLES("test_cases", SUITE_CASES, case_type),
};
static const struct ets_fb_type suite_type = TYPE("BundledMethodTestSuite", suite_fields);
static const struct ets_fb_field bundle_fields[] = {
    SCALAR("version", BUNDLE_VERSION, ETS_FB_U32),
    TABLES("method_test_suites", BUNDLE_SUITES, suite_type),
    {"program",
     BUNDLE_PROGRAM,
     ETS_FB_SCALARS,
     ETS_FB_REQUIRED | ETS_FB_BLOB,
     {.scalar = ETS_FB_U8}},
};
const struct ets_fb_type ets_bundle_type = TYPE("BundledProgram", bundle_fields);

int ets_bundle_sniff(struct ets_bytes bytes)
{
    return ets_kind_sniff(bytes) == ETS_KIND_BUNDLE;
}

static enum ets_status read_tensor(struct ets_fb table, struct ets_tensor *tensor_out,
                                   struct ets_error *error)
{
    uint64_t needed = 0;
    struct ets_tensor tensor;
    ETS_TRY(ets_parts_read_layout(table.at, ets_fb_i8(table, TENSOR_SCALAR_TYPE, 0),
                                  ets_fb_vector(table, TENSOR_SIZES),
                                  ets_fb_vector(table, TENSOR_DIM_ORDER), &tensor, &needed, error));
    const struct ets_bytes data = ets_fb_bytes(table, TENSOR_DATA);
    if (needed > data.size) {
        return ets_fail(error, ETS_MALFORMED, table.at, "tensor needs %llu bytes but has only %zu",
                        (unsigned long long)needed, data.size);
    }
    /* Extra bytes occur; the runtime ignores them, too. */
    tensor.data = needed != 0 ? data.data : NULL;
    tensor.data_bytes = (size_t)needed;
    *tensor_out = tensor;
    return ETS_OK;
}

static enum ets_status read_value(struct ets_fb table, struct ets_value *value_out,
                                  struct ets_error *error)
{
    const uint8_t tag = ets_fb_u8(table, VALUE_TAG, TAG_NONE);
    if (tag == TAG_NONE || tag > TAG_DOUBLE) {
        /* Its content was not verified and must not be read. */
        value_out->kind = tag == TAG_NONE ? ETS_VALUE_NONE : ETS_VALUE_OTHER;
        return ETS_OK;
    }
    const struct ets_fb member = ets_fb_table(table, VALUE_MEMBER);
    switch (tag) {
    case TAG_TENSOR:
        value_out->kind = ETS_VALUE_TENSOR;
        return read_tensor(member, &value_out->as.tensor, error);
    case TAG_INT:
        value_out->kind = ETS_VALUE_INT;
        value_out->as.int_value = ets_fb_i64(member, 0, 0);
        return ETS_OK;
    case TAG_BOOL:
        value_out->kind = ETS_VALUE_BOOL;
        value_out->as.bool_value = ets_fb_u8(member, 0, 0) != 0;
        return ETS_OK;
    default:
        value_out->kind = ETS_VALUE_DOUBLE;
        value_out->as.double_value = ets_fb_f64(member, 0, 0.0);
        return ETS_OK;
    }
}

static enum ets_status check_values(struct ets_fb_vector values, const char *what,
                                    struct ets_error *error)
{
    for (uint32_t i = 0; i < values.count; i++) {
        struct ets_value value;
        const enum ets_status status = read_value(ets_fb_vector_table(values, i), &value, error);
        if (status != ETS_OK) return ets_parts_fail_within(error, status, "%s %u", what, i);
    }
    return ETS_OK;
}

static enum ets_status check_suite(struct ets_fb suite, struct ets_error *error)
{
    const struct ets_fb_vector cases = ets_fb_vector(suite, SUITE_CASES);
    const struct ets_text name = ets_fb_text(suite, SUITE_METHOD);
    for (uint32_t i = 0; i < cases.count; i++) {
        const struct ets_fb test_case = ets_fb_vector_table(cases, i);
        enum ets_status status =
            check_values(ets_fb_vector(test_case, CASE_INPUTS), "input", error);
        if (status == ETS_OK) {
            status =
                check_values(ets_fb_vector(test_case, CASE_EXPECTED), "expected output", error);
        }
        if (status != ETS_OK) {
            return ets_parts_fail_within(error, status, "method %.*s, case %u",
                                         name.size < 64 ? (int)name.size : 64, name.data, i);
        }
    }
    return ETS_OK;
}

enum ets_status ets_bundle_init(struct ets_bundle *bundle, struct ets_bytes bytes,
                                struct ets_error *error)
{
    if (ets_kind_sniff(bytes) != ETS_KIND_BUNDLE) {
        return ets_fail_kind(error, "a bundled program", bytes, 8);
    }
    struct ets_fb root;
    ETS_TRY(ets_fb_verify_root(bytes, 0, &ets_bundle_type, 0, &root, error));
    const struct ets_fb_vector suites = ets_fb_vector(root, BUNDLE_SUITES);
    for (uint32_t i = 0; i < suites.count; i++) {
        ETS_TRY(check_suite(ets_fb_vector_table(suites, i), error));
    }
    const struct ets_bytes program = ets_fb_bytes(root, BUNDLE_PROGRAM);
    *bundle = (struct ets_bundle){
        .bytes = bytes,
        .program = program,
        .program_offset = (uint64_t)(program.data - bytes.data),
        .version = ets_fb_u32(root, BUNDLE_VERSION, 0),
        .suite_count = suites.count,
        .root_at = root.at,
    };
    return ETS_OK;
}

void ets_bundle_suite(const struct ets_bundle *bundle, uint32_t index,
                      struct ets_bundle_suite *suite_out)
{
    const struct ets_fb root = {bundle->bytes.data, bundle->root_at};
    const struct ets_fb suite = ets_fb_vector_table(ets_fb_vector(root, BUNDLE_SUITES), index);
    *suite_out = (struct ets_bundle_suite){
        .bundle = bundle,
        .method_name = ets_fb_text(suite, SUITE_METHOD),
        .index = index,
        .case_count = ets_fb_vector(suite, SUITE_CASES).count,
        .suite_at = suite.at,
    };
}

enum ets_status ets_bundle_find_suite(const struct ets_bundle *bundle, const char *method,
                                      struct ets_bundle_suite *suite_out, struct ets_error *error)
{
    struct ets_parts_names names = {.size = 0};
    for (uint32_t i = 0; i < bundle->suite_count; i++) {
        struct ets_bundle_suite suite;
        ets_bundle_suite(bundle, i, &suite);
        if (ets_parts_is_text(suite.method_name, method)) {
            *suite_out = suite;
            return ETS_OK;
        }
        ets_parts_add_name(&names, suite.method_name);
    }
    return ets_fail(error, ETS_NOT_FOUND, ETS_NO_OFFSET,
                    "no test cases for method '%s'; the bundle has those of %s", method,
                    names.size != 0 ? names.text : "none");
}

void ets_bundle_case(const struct ets_bundle_suite *suite, uint32_t index,
                     struct ets_bundle_case *case_out)
{
    const struct ets_fb table = {suite->bundle->bytes.data, suite->suite_at};
    const struct ets_fb test_case = ets_fb_vector_table(ets_fb_vector(table, SUITE_CASES), index);
    *case_out = (struct ets_bundle_case){
        .bundle = suite->bundle,
        .index = index,
        .input_count = ets_fb_vector(test_case, CASE_INPUTS).count,
        .expected_count = ets_fb_vector(test_case, CASE_EXPECTED).count,
        .case_at = test_case.at,
    };
}

static void value_of(const struct ets_bundle_case *test_case, unsigned slot, uint32_t index,
                     struct ets_value *value_out)
{
    const struct ets_fb table = {test_case->bundle->bytes.data, test_case->case_at};
    (void)read_value(ets_fb_vector_table(ets_fb_vector(table, slot), index), value_out, NULL);
}

void ets_bundle_input(const struct ets_bundle_case *test_case, uint32_t index,
                      struct ets_value *value_out)
{
    value_of(test_case, CASE_INPUTS, index, value_out);
}

void ets_bundle_expected(const struct ets_bundle_case *test_case, uint32_t index,
                         struct ets_value *value_out)
{
    value_of(test_case, CASE_EXPECTED, index, value_out);
}
