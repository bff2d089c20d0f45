/* Other plans of a plan made by hand. */
#include "test_files_support.h"
#include "views/memory_alternatives.h"

static void test_memory_alternatives__of_the_file_have_its_alignment(void **state)
{
    (void)state;
    struct ets_arena arena;
    struct ets_memory_alternatives found;
    struct ets_error error = {.message = ""};
    struct ets_plan_arena arenas[2] = {{.slack_bytes = UINT64_MAX}, {.slack_bytes = 64}};
    const struct ets_memory_plan plan = {.arenas = arenas,
                                         .arena_count = 2,
                                         .alignment = 4,
                                         .planned_bytes = 100,
                                         .bound_bytes = 96};
    ets_arena_init(&arena, NULL, 0);
    assert_int_equal(ets_memory_alternatives_collect(&arena, &plan, &found, &error), ETS_OK);
    const struct ets_memory_alternative *own = &found.items[0], *bound = own + found.count - 1;
    assert_int_equal(own->kind, ETS_ALTERNATIVE_EXPORTED);
    assert_int_equal(own->alignment, 4);
    assert_int_equal(bound->kind, ETS_ALTERNATIVE_BOUND);
    assert_int_equal(bound->alignment, 4);
    assert_int_equal(bound->bytes, 96);
    assert_int_equal(found.items[1].alignment, 16);
    assert_true(found.items[1].bytes == UINT64_MAX);
    ets_arena_reset(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_alternatives__of_the_file_have_its_alignment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
