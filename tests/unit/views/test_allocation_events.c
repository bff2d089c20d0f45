/* Allocation events: what an allocator has given, by run and by instruction. */
#include "test_inspect_support.h"

#include "etscope/experimental/row_filter.h"
#include "output/table/allocator_table.h"
#include "views/allocation_events.h"

/* Instruction 0 takes 64 and 16, instruction 1 takes 100; 8 before the run ends, of none. */
static const struct made_event first_run[] = {ALLOCATION(1, 64),
                                              ALLOCATION(1, 16),
                                              CALL("native_call_add.out", 0, 100, 140),
                                              CALL("OPERATOR_CALL", 0, 90, 150),
                                              ALLOCATION(1, 100),
                                              ALLOCATION(7, 5),
                                              CALL("native_call_mul.out", 1, 160, 170),
                                              ALLOCATION(1, 8),
                                              FRAMEWORK("Method::execute", 80, 200)};
static const struct made_event second_run[] = {ALLOCATION(1, 10),
                                               ALLOCATION(1, 20),
                                               CALL("native_call_add.out", 0, 300, 340),
                                               CALL("OPERATOR_CALL", 0, 290, 350),
                                               ALLOCATION(1, 30),
                                               ALLOCATION(7, 40),
                                               CALL("native_call_mul.out", 1, 360, 370),
                                               ALLOCATION(1, INT64_MAX),
                                               FRAMEWORK("Method::execute", 280, 400)};
static const struct made_run runs[] = {
    {"Execute", -1, first_run, COUNT(first_run), 1},
    {"Execute", -1, second_run, COUNT(second_run), 1},
};

static void test_allocation_events__by_allocator(void **state)
{
    (void)state;
    struct made made =
        inspect_runs(runs, COUNT(runs), (struct ets_inspect_options){.record = NULL});
    struct ets_arena arena;
    struct ets_allocation_events view;
    char headline[256];
    ets_arena_init(&arena, NULL, 0);
    assert_true(ets_allocation_events_collect(&arena, made.inspection, &view));
    assert_int_equal(view.allocator_count, 2);
    const struct ets_allocator_use *first = &view.allocators[0], *other = &view.allocators[1];
    assert_text(first->name, "planned");
    assert_null(other->name.data); /* the run has one allocator */
    assert_int_equal(other->number, 7);
    assert_int_equal(first->runs, 2);
    assert_int_equal(first->count, 8);
    assert_int_equal(first->current, INT64_MAX); /* sums do not wrap */
    assert_int_equal(first->peak, INT64_MAX);
    assert_int_equal(first->total, INT64_MAX);
    assert_int_equal(first->step_peak, INT64_MAX);
    assert_int_equal(other->current, 40);
    assert_int_equal(other->peak, 40);
    assert_int_equal(other->total, 45);
    assert_int_equal(other->largest, 40);
    const size_t size = ets_allocation_events_headline(&view, headline, sizeof headline);
    assert_int_equal(size, strlen(headline));
    assert_non_null(strstr(headline, "10 allocations of 2 allocators; planned takes most: "));
    ets_arena_reset(&arena);
    made_close(&made);
}

static void test_allocation_events__one_by_one(void **state)
{
    static const struct {
        uint64_t bytes, current;
        int32_t instruction;
        uint32_t run, allocator;
    } wanted[] = {{64, 64, 0, 0, 0},   {16, 80, 0, 0, 0},
                  {100, 180, 1, 0, 0}, {5, 5, 1, 0, 1},
                  {8, 188, -1, 0, 0},  {10, 10, 0, 1, 0},
                  {20, 30, 0, 1, 0},   {30, 60, 1, 1, 0},
                  {40, 40, 1, 1, 1},   {INT64_MAX, INT64_MAX, -1, 1, 0}};
    (void)state;
    struct made made =
        inspect_runs(runs, COUNT(runs), (struct ets_inspect_options){.record = NULL});
    struct ets_arena arena;
    struct ets_allocation_events view;
    ets_arena_init(&arena, NULL, 0);
    assert_true(ets_allocation_events_collect(&arena, made.inspection, &view));
    assert_int_equal(view.count, COUNT(wanted));
    for (uint32_t i = 0; i < view.count; i++) {
        const struct ets_allocation_event *item = &view.items[i];
        assert_int_equal(item->bytes, wanted[i].bytes);
        assert_int_equal(item->current, wanted[i].current);
        assert_int_equal(item->instruction, wanted[i].instruction);
        assert_int_equal(item->run, wanted[i].run);
        assert_int_equal(item->allocator, wanted[i].allocator);
        assert_ptr_equal(ets_allocation_event_find(&view, item->event), item);
    }
    assert_text(ets_row_operator(ets_inspection_row(made.inspection, view.items[0].row)),
                "add.out");
    assert_null(ets_allocation_event_find(&view, 2)); /* a call */
    ets_arena_reset(&arena);
    made_close(&made);
}

/* What is reset after each instruction needs the most of one instruction. */
static void test_allocation_events__of_an_instruction(void **state)
{
    static const struct made_event events[] = {ALLOCATION(1, 64),
                                               ALLOCATION(1, 16),
                                               CALL("native_call_add.out", 0, 100, 140),
                                               ALLOCATION(1, 70),
                                               CALL("native_call_mul.out", 1, 160, 170),
                                               FRAMEWORK("Method::execute", 80, 200)};
    const struct made_run run[] = {{"Execute", -1, events, COUNT(events), 1}};
    (void)state;
    struct made made = inspect_runs(run, 1, (struct ets_inspect_options){.record = NULL});
    struct ets_arena arena;
    struct ets_allocation_events view;
    ets_arena_init(&arena, NULL, 0);
    assert_true(ets_allocation_events_collect(&arena, made.inspection, &view));
    assert_int_equal(view.allocators[0].peak, 150);
    assert_int_equal(view.allocators[0].step_peak, 80);
    ets_arena_reset(&arena);
    made_close(&made);
}

static void test_allocation_events__tables(void **state)
{
    struct ets_error error = {.status = ETS_OK};
    struct ets_table *table;
    (void)state;
    const struct made_run run[] = {{"Execute", -1, first_run, COUNT(first_run), 1}};
    struct made made = inspect_runs(run, 1, (struct ets_inspect_options){.record = NULL});
    assert_int_equal(ets_table_open(NULL, &table, NULL), ETS_OK);
    assert_int_equal(ets_allocator_table_fill(table, made.inspection, false, &error), ETS_OK);
    char *text = print_table(table, (struct ets_table_style){.format = ETS_FORMAT_CSV});
    assert_string_equal(text,
                        "block_index,block,method,allocator,number,runs,allocations,current_bytes,"
                        "peak_bytes,instruction_peak_bytes,largest_bytes,total_bytes\n"
                        "0,Execute,,planned,1,1,4,188,188,100,100,188\n"
                        "0,Execute,,#7,7,1,1,5,5,5,5,5\n");
    free(text);
    ets_table_close(table);
    assert_int_equal(ets_table_open(NULL, &table, NULL), ETS_OK);
    assert_int_equal(ets_allocator_table_fill(table, made.inspection, true, &error), ETS_OK);
    text = print_table(table, (struct ets_table_style){.format = ETS_FORMAT_CSV});
    assert_non_null(strstr(text, "\n4,0,Execute,,planned,1,100,180,1,mul.out\n"));
    free(text);
    ets_table_close(table);
    made_close(&made);
}

static void test_allocation_events__none_at_all(void **state)
{
    static const struct made_event events[] = {FRAMEWORK("Method::execute", 80, 200)};
    const struct made_run run[] = {{"Execute", -1, events, COUNT(events), 0}};
    struct ets_error error = {.status = ETS_OK};
    struct ets_table *table;
    (void)state;
    struct made made = inspect_runs(run, 1, (struct ets_inspect_options){.record = NULL});
    assert_int_equal(ets_table_open(NULL, &table, NULL), ETS_OK);
    assert_int_equal(ets_allocator_table_fill(table, made.inspection, false, &error), ETS_OK);
    assert_text(ets_table_heading(table), "the trace has no allocation events");
    char *text = print_table(table, (struct ets_table_style){.format = ETS_FORMAT_JSON});
    assert_string_equal(text, "[]\n");
    free(text);
    ets_table_close(table);
    made_close(&made);
}

static void test_allocation_events__every_failed_allocation_is_told(void **state)
{
    (void)state;
    struct made made =
        inspect_runs(runs, COUNT(runs), (struct ets_inspect_options){.record = NULL});
    bool is_done = false;
    for (unsigned long at = 0; !is_done; at++) {
        struct failing failing = {.fail_at = at};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        struct ets_arena arena;
        struct ets_allocation_events view;
        ets_arena_init(&arena, &allocator, 0);
        is_done = ets_allocation_events_collect(&arena, made.inspection, &view);
        ets_arena_reset(&arena);
        assert_int_equal(failing.live, 0);
        assert_true(at < 1000);
    }
    made_close(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_allocation_events__by_allocator),
        cmocka_unit_test(test_allocation_events__one_by_one),
        cmocka_unit_test(test_allocation_events__of_an_instruction),
        cmocka_unit_test(test_allocation_events__tables),
        cmocka_unit_test(test_allocation_events__none_at_all),
        cmocka_unit_test(test_allocation_events__every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests_name("allocation events", tests, NULL, NULL);
}
