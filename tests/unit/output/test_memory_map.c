/* The map of a plan made by hand. */
#define _GNU_SOURCE
#include <string.h>

#include "output/text/memory_map.h"
#include "test_files_support.h"

static void test_memory_map__ends_the_line_of_a_long_name(void **state)
{
    (void)state;
    static char name[600], *text;
    size_t size;
    uint64_t live[] = {256};
    struct ets_error error;
    struct ets_output *output;
    const struct ets_plan_tensor tensor = {
        .kind = ETS_PLAN_INTERMEDIATE, .bytes = 256, .base = ETS_PLAN_NONE};
    struct ets_plan_arena arena = {
        .planned = {.memory_id = 1, .bytes = 256}, .peak_bytes = 256, .live = live};
    const struct ets_memory_plan plan = {
        .arenas = &arena, .arena_count = 1, .step_count = 1, .planned_bytes = 256};
    memset(name, 'a', sizeof name);
    struct ets_memory_line items[2] = {{.tensor = &tensor, .producer = {name, sizeof name}},
                                       {.tensor = &tensor}};
    const struct ets_memory_lines lines = {.plan = &plan, .items = items, .count = 2};
    const struct ets_memory_map_style style = {.width = 60};
    assert_int_equal(ets_output_open_memory(&output, &text, &size, &error), ETS_OK);
    assert_int_equal(ets_memory_map_write(&lines, &style, NULL, output, &error), ETS_OK);
    assert_int_equal(ets_output_commit(output, &error), ETS_OK);
    assert_non_null(memmem(text, size, "a\nB ", 4));
    assert_memory_equal(text + size - strlen("(intermediate)\n"), "(intermediate)\n",
                        strlen("(intermediate)\n"));
    ets_output_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_map__ends_the_line_of_a_long_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
