/* What the C library's allocator gives within the budget of a process. */
#include "test_inspect_support.h"

#include "host/arena.h"
#include "host/memory_budget.h"
#include "host/output.h"

#define MIB ((size_t)1 << 20)

static int stop(void **state)
{
    (void)state;
    ets_memory_budget_stop();
    return 0;
}

static void test_memory_budget__without_a_start_all_is_allowed(void **state)
{
    (void)state;
    assert_true(ets_memory_budget_allows(SIZE_MAX));
    ets_memory_budget_count(INT64_MAX);
    assert_true(ets_memory_budget_allows(SIZE_MAX));
    assert_false(ets_memory_budget_was_exceeded());
}

static void test_memory_budget__files_raise_it(void **state)
{
    (void)state;
    ets_memory_budget_start();
    assert_int_equal(ets_memory_budget_total(), 384 * MIB);
    ets_memory_budget_add(MIB);
    assert_int_equal(ets_memory_budget_total(), (384 + 192) * MIB);
    ets_memory_budget_extend(MIB);
    assert_int_equal(ets_memory_budget_total(), (384 + 193) * MIB);
    assert_int_equal(ets_memory_budget_files(), MIB);
    assert_int_equal(ets_memory_bound_bytes(1), 512 * MIB + 256);
    assert_true(ets_memory_bound_bytes(UINT64_MAX) > UINT64_MAX - 256);
}

static void test_memory_budget__allocations_beyond_it_fail(void **state)
{
    (void)state;
    ets_memory_budget_start();
    const struct ets_allocator *allocator = &ets_libc_allocator;
    void *half = allocator->reallocate(NULL, NULL, 200 * MIB);
    assert_non_null(half);
    assert_null(allocator->reallocate(NULL, NULL, 200 * MIB));
    assert_true(ets_memory_budget_was_exceeded());
    assert_null(allocator->reallocate(NULL, half, 400 * MIB));
    half = allocator->reallocate(NULL, half, 20 * MIB);
    void *other = allocator->reallocate(NULL, NULL, 200 * MIB);
    assert_non_null(half);
    assert_non_null(other);
    allocator->release(NULL, other);
    allocator->release(NULL, half);
    allocator->release(NULL, NULL);
    void *most = allocator->reallocate(NULL, NULL, 383 * MIB);
    assert_non_null(most);
    allocator->release(NULL, most);
}

static void test_memory_budget__arenas_draw_from_it_together(void **state)
{
    (void)state;
    struct ets_arena arenas[4];
    ets_memory_budget_start();
    for (size_t i = 0; i < COUNT(arenas); i++) {
        ets_arena_init(&arenas[i], NULL, 0);
        const bool fits = ets_arena_alloc(&arenas[i], 120 * MIB) != NULL;
        assert_int_equal(fits, i < 3);
    }
    for (size_t i = 0; i < COUNT(arenas); i++) ets_arena_reset(&arenas[i]);
    assert_non_null(ets_arena_alloc(&arenas[0], 300 * MIB));
    ets_arena_reset(&arenas[0]);
}

/* Without memory, an output that would replace a file is not committed. */
static void test_memory_budget__a_refusal_spoils_outputs(void **state)
{
    (void)state;
    static const char path[] = "refused.txt";
    struct ets_output *output;
    struct ets_error error;
    ets_memory_note_refusal();
    assert_false(ets_memory_was_refused()); /* nothing is counted yet */
    ets_memory_budget_start();
    assert_int_equal(ets_output_open(path, &output, &error), ETS_OK);
    assert_null(ets_libc_allocator.reallocate(NULL, NULL, SIZE_MAX / 2));
    assert_false(ets_memory_was_refused()); /* the budget refused it, not the C library */
    ets_memory_note_refusal();
    assert_true(ets_memory_was_refused());
    ets_output_write(output, "half", 4);
    assert_int_equal(ets_output_commit(output, &error), ETS_NO_MEMORY);
    assert_string_equal(error.message, "no memory for all of the output");
    assert_null(fopen(path, "rb"));
    ets_memory_budget_start();
    assert_false(ets_memory_was_refused());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_budget__without_a_start_all_is_allowed),
        cmocka_unit_test_teardown(test_memory_budget__files_raise_it, stop),
        cmocka_unit_test_teardown(test_memory_budget__allocations_beyond_it_fail, stop),
        cmocka_unit_test_teardown(test_memory_budget__arenas_draw_from_it_together, stop),
        cmocka_unit_test_teardown(test_memory_budget__a_refusal_spoils_outputs, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
