/* Which sizes of a program count tokens. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cost/token_sizes.h"
#include "etscope/file.h"

/* tests/data/llama: tokens [1, at most 63], and a position; widths of 64 and 128. */
static void with_model(void (*check)(const struct ets_method *method))
{
    struct ets_file *file;
    struct ets_program program;
    struct ets_method method;
    assert_int_equal(ets_file_open(TEST_DATA "/llama/kv_sdpa.pte", &file, NULL), ETS_OK);
    assert_int_equal(ets_program_init(&program, ets_file_bytes(file), NULL), ETS_OK);
    assert_int_equal(ets_program_find_method(&program, "forward", &method, NULL), ETS_OK);
    check(&method);
    ets_file_close(file);
}

static void check_model(const struct ets_method *method)
{
    struct ets_token_sizes sizes = {.tokens = 5, .has_position = true, .position = 7};
    ets_token_sizes_find(method, &sizes);
    assert_int_equal(sizes.bound, 63);
    assert_true(sizes.is_distinct);
    assert_true(sizes.is_complete);
    assert_true(ets_token_sizes_take_one(method));
    int64_t dimensions[] = {1, 63, 64};
    assert_true(ets_token_sizes_bind(&sizes, dimensions, 3));
    assert_int_equal(dimensions[1], 5);
    assert_int_equal(dimensions[2], 64);
    sizes = (struct ets_token_sizes){.tokens = 64}; /* no call takes so many */
    ets_token_sizes_find(method, &sizes);
    assert_int_equal(sizes.bound, 0);
    sizes = (struct ets_token_sizes){.tokens = 0};
    ets_token_sizes_find(method, &sizes);
    assert_int_equal(sizes.bound, 0);
}

static void test_token_sizes__the_bound_is_that_of_the_inputs(void **state)
{
    (void)state;
    with_model(check_model);
}

static void test_token_sizes__what_is_not_sure_stays(void **state)
{
    (void)state;
    struct ets_token_sizes sizes = {
        .tokens = 2, .bound = 64, .is_distinct = true, .is_complete = true};
    int64_t scores[] = {4, 64, 64};
    assert_true(ets_token_sizes_bind(&sizes, scores, 3)); /* of queries and keys */
    assert_int_equal(scores[1], 2);
    assert_int_equal(scores[2], 2);
    sizes.is_distinct = false; /* or of a width of 64 */
    int64_t doubtful[] = {1, 64, 64};
    assert_false(ets_token_sizes_bind(&sizes, doubtful, 3));
    assert_int_equal(doubtful[1], 64);
    int64_t other[] = {1, 32};
    assert_false(ets_token_sizes_bind(&sizes, other, 2));
    sizes.is_complete = false; /* another size is dynamic, too: a bound, but a lower one */
    int64_t row[] = {1, 64};
    assert_false(ets_token_sizes_bind(&sizes, row, 2));
    assert_int_equal(row[1], 2);
    const int64_t width[] = {128, 64}, mask[] = {1, 64, 64}, places[] = {64, 16};
    assert_true(ets_token_sizes_are_in(&sizes, width, 2));
    assert_false(ets_token_sizes_are_in(&sizes, mask, 3));
    assert_false(ets_token_sizes_are_in(&sizes, places, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_token_sizes__the_bound_is_that_of_the_inputs),
        cmocka_unit_test(test_token_sizes__what_is_not_sure_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
