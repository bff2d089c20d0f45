/* Comparators as plug-ins: the example, and each way in which one can be wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four headers above. */
#include <cmocka.h>

#include <string.h>
#include <unistd.h>

#include "etscope/experimental/comparator_plugin.h"
#include "host/comparator_library.h"
#include "test_little_support.h"

static void test_comparator_library__the_example_compares(void **unused)
{
    (void)unused;
    const float a[] = {1, -1, 2, 0}, b[] = {-1, -1, 3, 1};
    const struct ets_tensor left = test_vector(ETS_SCALAR_FLOAT, a, 4),
                            right = test_vector(ETS_SCALAR_FLOAT, b, 4);
    struct ets_tensor broken = right;
    struct ets_comparator_library *library;
    const struct ets_comparator *comparator;
    struct ets_error error;
    double result = 0;
    assert_int_equal(ets_comparator_open(PLUGINS "/sign_flips.so", &library, &comparator, &error),
                     ETS_OK);
    assert_string_equal(comparator->name, "sign_flips");
    assert_string_equal(comparator->title, "sign flips");
    assert_int_equal(ets_comparator_run(comparator, &left, &right, &result, &error), ETS_OK);
    assert_true(result == 0.25);
    broken.data_bytes = 3;
    result = 5;
    assert_int_equal(ets_comparator_run(comparator, &left, &broken, &result, &error),
                     ETS_TRUNCATED);
    assert_true(result == 5);
    assert_string_equal(error.message,
                        "comparator sign_flips: the tensor extends past its 3 bytes");
    ets_comparator_close(library);
}

/* A bare name is a file of the current folder. */
static void test_comparator_library__names_without_a_folder(void **unused)
{
    (void)unused;
    char before[4096];
    struct ets_comparator_library *library;
    const struct ets_comparator *comparator;
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(PLUGINS), 0);
    assert_int_equal(ets_comparator_open("sign_flips.so", &library, &comparator, NULL), ETS_OK);
    ets_comparator_close(library);
    assert_int_equal(chdir(before), 0);
}

static void test_comparator_library__each_fault_is_told(void **unused)
{
    (void)unused;
    static const struct {
        const char *path;
        enum ets_status status;
        const char *words;
    } faults[] = {
        {PLUGINS "/no_such.so", ETS_NOT_FOUND, "no such file"},
        {TEST_DATA "/mlp_portable/model.pte", ETS_UNAVAILABLE,
         "cannot be loaded as a comparator: "},
        {PLUGINS "/comparator_no_symbol.so", ETS_WRONG_KIND,
         "does not export ets_comparator_plugin"},
        {PLUGINS "/comparator_nothing.so", ETS_WRONG_KIND, "returns no comparator"},
        {PLUGINS "/comparator_version.so", ETS_MISMATCH, "interface 2"},
        {PLUGINS "/comparator_size.so", ETS_MISMATCH, "recompile it"},
        {PLUGINS "/comparator_no_name.so", ETS_MALFORMED, "name"},
        {PLUGINS "/comparator_bad_name.so", ETS_MALFORMED, "name"},
        {PLUGINS "/comparator_long_name.so", ETS_MALFORMED, "1 to 31"},
        {PLUGINS "/comparator_no_function.so", ETS_MALFORMED, "comparator refuses has no function"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        struct ets_comparator_library *library = NULL;
        const struct ets_comparator *comparator = NULL;
        struct ets_error error;
        assert_int_equal(ets_comparator_open(faults[i].path, &library, &comparator, &error),
                         faults[i].status);
        if (strstr(error.message, faults[i].words) == NULL) fail_msg("%s", error.message);
        assert_int_equal(error.status, faults[i].status);
        assert_true(library == NULL && comparator == NULL);
        assert_int_equal(ets_comparator_open(faults[i].path, &library, &comparator, NULL),
                         faults[i].status);
    }
    ets_comparator_close(NULL);
}

/* One that says no reason is told by its status. */
static void test_comparator_library__refusals_have_a_name(void **unused)
{
    (void)unused;
    const float a[] = {1};
    const struct ets_tensor tensor = test_vector(ETS_SCALAR_FLOAT, a, 1);
    struct ets_comparator_library *library;
    const struct ets_comparator *comparator;
    struct ets_error error;
    double result = 5;
    assert_int_equal(
        ets_comparator_open(PLUGINS "/comparator_refuses.so", &library, &comparator, &error),
        ETS_OK);
    assert_int_equal(ets_comparator_run(comparator, &tensor, &tensor, &result, &error),
                     ETS_UNSUPPORTED);
    assert_string_equal(error.message, "comparator refuses: UNSUPPORTED");
    assert_true(result == 5);
    ets_comparator_close(library);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_comparator_library__the_example_compares),
        cmocka_unit_test(test_comparator_library__names_without_a_folder),
        cmocka_unit_test(test_comparator_library__each_fault_is_told),
        cmocka_unit_test(test_comparator_library__refusals_have_a_name),
    };
    return cmocka_run_group_tests_name("comparator_library", tests, NULL, NULL);
}
