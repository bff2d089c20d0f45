/* KV caches of programs, where the file tells them, and none where it does not. */
#include "test_files_support.h"

#include "memory/kv_cache.h"

static struct ets_kv_caches find(const char *name)
{
    struct ets_program program;
    struct ets_kv_caches caches;
    struct ets_error error = {.message = ""};
    struct ets_file *file = open_file(name);
    assert_int_equal(ets_program_init(&program, ets_file_bytes(file), &error), ETS_OK);
    assert_int_equal(ets_kv_caches_find(&program, &caches, &error), ETS_OK);
    caches.method.data = NULL; /* of the file */
    ets_file_close(file);
    return caches;
}

static void test_kv_cache__caches_that_operators_write_are_found(void **state)
{
    (void)state;
    const struct ets_kv_caches caches = find("llama/kv_sdpa.pte");
    const struct ets_tensor *tensor = &caches.cache.kinds[0].tensor;
    assert_int_equal(caches.method_count, 1);
    assert_int_equal(caches.cache.kind_count, 1);
    assert_int_equal(caches.cache.tensor_count, caches.cache.kinds[0].count);
    assert_int_equal(tensor->rank, 4);
    assert_int_equal(tensor->sizes[1], caches.context);
    assert_null(tensor->data);
    assert_true(caches.bytes == caches.cache.bytes);
    assert_true(caches.cache.token_bytes * caches.context == caches.bytes);
    assert_true(ets_tensor_count(tensor) * 4 * caches.cache.tensor_count == caches.bytes);
}

static void test_kv_cache__states_of_other_models_are_none(void **state)
{
    static const char *const others[] = {"mlp_portable/model.pte", "plans/cases.pte",
                                         "schema/everything.pte"};
    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const struct ets_kv_caches caches = find(others[i]);
        assert_int_equal(caches.method_count, 0);
        assert_int_equal(caches.cache.tensor_count, 0);
        assert_true(caches.bytes == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kv_cache__caches_that_operators_write_are_found),
        cmocka_unit_test(test_kv_cache__states_of_other_models_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
