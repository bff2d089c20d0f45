/* The lines of a difference as they are shown. */
#include "test_compare_support.h"

#include "views/difference_view.h"

static const struct made_operator base[] = {{"native_call_add.out", 1000, 0},
                                            {"native_call_mul.out", 500, 0},
                                            {"native_call_relu.out", 200, 0}};

enum { RUNS = 12 };

/* The same with `mul.out` slower by 100 and an operator more. */
static const struct made_operator changed[] = {{"native_call_add.out", 1000, 0},
                                               {"native_call_mul.out", 600, 0},
                                               {"native_call_relu.out", 200, 0},
                                               {"native_call_exp.out", 300, 0}};

static struct ets_difference_view collect(const struct compared *compared, struct ets_arena *arena,
                                          enum ets_sort_by sort, uint32_t top)
{
    const struct ets_difference_order_options order = {.sort = sort, .top = top};
    struct ets_difference_view view;
    ets_arena_init(arena, NULL, 0);
    assert_true(ets_difference_view_collect(arena, compared->difference, 0, &order, &view));
    return view;
}

static void assert_names(const struct ets_difference_view *view, const char *const *names,
                         uint32_t count)
{
    assert_int_equal(view->count, count);
    for (uint32_t i = 0; i < count; i++) assert_text(view->lines[i].named_by->name, names[i]);
}

static void view__lines_stand_in_the_order_that_is_asked_for(void **state)
{
    (void)state;
    static const char *const by_change[] = {"Method::execute", "exp.out",  "mul.out",
                                            "add.out",         "relu.out", "(between operators)"};
    static const char *const by_name[] = {
        "Method::execute", "(between operators)", "add.out", "exp.out", "mul.out", "relu.out"};
    struct made a = inspect_program(base, 3, RUNS), b = inspect_program(changed, 4, RUNS);
    struct compared compared;
    struct ets_arena arena;
    compare(a.inspection, b.inspection, &compared);
    struct ets_difference_view view = collect(&compared, &arena, ETS_SORT_CHANGE, 0);
    assert_names(&view, by_change, 6);
    ets_arena_reset(&arena);
    view = collect(&compared, &arena, ETS_SORT_NAME, 0);
    assert_names(&view, by_name, 6);
    ets_arena_reset(&arena);
    view = collect(&compared, &arena, ETS_SORT_CHANGE, 1);
    assert_names(&view, by_change, 2); /* frames do not count */
    ets_arena_reset(&arena);
    compared_close(&compared);
    made_close(&a);
    made_close(&b);
}

static void view__tells_the_part_of_the_change_and_both_sides(void **state)
{
    (void)state;
    struct made a = inspect_program(base, 3, RUNS), b = inspect_program(changed, 4, RUNS);
    struct compared compared;
    struct ets_arena arena;
    compare(a.inspection, b.inspection, &compared);
    const struct ets_difference_view view = collect(&compared, &arena, ETS_SORT_CHANGE, 0);
    assert_text(view.named_by->name, "Execute");
    assert_int_equal(view.lines[0].depth, 0);
    assert_true(view.lines[0].contribution == 1 && view.lines[0].instruction == -1);
    const struct ets_difference_view_line *added = &view.lines[1], *slower = &view.lines[2];
    assert_int_equal(added->depth, 1);
    assert_true(added->contribution == 0.75 && slower->contribution == 0.25);
    assert_int_equal(added->before.count, 0);
    assert_int_equal(added->after.count, 1);
    assert_text(added->after.items[0], "exp.out");
    assert_int_equal(added->instruction, 3);
    assert_int_equal(slower->before.count, 1);
    assert_int_equal(slower->sources.count + slower->modules.count, 0); /* no record */
    assert_int_equal(slower->tie, ETS_TIE_NONE);
    const struct ets_difference_contents contents = ets_difference_survey(compared.difference);
    assert_true(contents.has_changes && !contents.has_handles);
    ets_arena_reset(&arena);
    compared_close(&compared);
    made_close(&a);
    made_close(&b);
}

static void view__without_memory_there_is_none(void **state)
{
    (void)state;
    struct made a = inspect_program(base, 3, RUNS), b = inspect_program(changed, 4, RUNS);
    const struct ets_difference_order_options order = {.sort = ETS_SORT_CHANGE};
    struct compared compared;
    bool is_collected = false;
    compare(a.inspection, b.inspection, &compared);
    for (unsigned long n = 0; !is_collected; n++) {
        struct failing failing = {.fail_at = n};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        struct ets_difference_view view;
        struct ets_arena arena;
        ets_arena_init(&arena, &allocator, 0);
        is_collected = ets_difference_view_collect(&arena, compared.difference, 0, &order, &view);
        ets_arena_reset(&arena);
        assert_int_equal(failing.live, 0);
        assert_true(n < 100);
    }
    compared_close(&compared);
    made_close(&a);
    made_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(view__lines_stand_in_the_order_that_is_asked_for),
        cmocka_unit_test(view__tells_the_part_of_the_change_and_both_sides),
        cmocka_unit_test(view__without_memory_there_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
