/* What programs state of themselves by methods that return constants. */
#include "test_files_support.h"

#include "format/model_numbers.h"

static void test_model_numbers__of_a_language_model(void **state)
{
    struct ets_program program;
    int64_t number = -1;
    struct ets_file *file = open_file("llama/kv_sdpa.pte");
    (void)state;
    assert_int_equal(ets_program_init(&program, ets_file_bytes(file), NULL), ETS_OK);
    assert_true(ets_model_number(&program, "use_kv_cache", &number));
    assert_int_equal(number, 1);
    assert_string_equal(ets_model_context(&program, &number), "get_max_context_len");
    assert_true(number > 1);
    number = -1;
    assert_false(ets_model_number(&program, "forward", &number)); /* it computes */
    assert_false(ets_model_number(&program, "get_nothing", &number));
    assert_int_equal(ets_model_numbers(&program, "get_nothing", &number, 1), 0);
    assert_int_equal(number, -1);
    ets_file_close(file);
}

static void test_model_numbers__other_models_state_no_context(void **state)
{
    struct ets_program program;
    int64_t number = -1;
    struct ets_file *file = open_file("mlp_portable/model.pte");
    (void)state;
    assert_int_equal(ets_program_init(&program, ets_file_bytes(file), NULL), ETS_OK);
    assert_null(ets_model_context(&program, &number));
    ets_file_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_model_numbers__of_a_language_model),
        cmocka_unit_test(test_model_numbers__other_models_state_no_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
