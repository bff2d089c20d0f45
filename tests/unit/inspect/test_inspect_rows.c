/* Events into rows and blocks: identity, nesting, loops, clocks. */
#include "test_inspect_support.h"

#include "inspect/upstream/upstream_view.h"

#include "base/load.h"

#include <math.h>

#include "inspect/names.h"
#include "operators/operator_traits.h"

static const struct ets_inspect_options plain = {.tick_unit = ETS_UNIT_NS};

static struct ets_statistics statistics_of(const struct ets_inspection *inspection,
                                           const struct ets_row *row, uint32_t run)
{
    struct ets_statistics s;
    const uint32_t index = (uint32_t)(row - ets_inspection_row(inspection, 0));
    assert_int_equal(ets_inspection_row_statistics(inspection, index, run, &s, NULL), ETS_OK);
    return s;
}

static void test_inspect_rows__events_stand_under_what_encloses_them(void **state)
{
    (void)state;
    const struct made_event events[] = {
        CALL("native_call_add.out", 0, 11, 19), CALL("OPERATOR_CALL", 0, 10, 20),
        DELEGATE("Conv #1", 1, 31, 38),         CALL("DELEGATE_CALL", 1, 30, 40),
        FRAMEWORK("Method::execute", 5, 45),
    };
    const struct made_run runs[] = {{"Execute", -1, events, COUNT(events), 0}};
    struct made made = inspect_runs(runs, 1, plain);
    const struct ets_inspection *inspection = made.inspection;
    assert_int_equal(ets_inspection_row_count(inspection), 5);
    static const uint32_t parents[] = {1, 4, 3, 4, ETS_NO_INDEX}, depths[] = {2, 1, 2, 1, 0};
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(ets_inspection_row(inspection, i)->parent, parents[i]);
        assert_int_equal(ets_inspection_row(inspection, i)->depth, depths[i]);
        assert_int_equal(ets_inspection_events(inspection)->parent[i], parents[i]);
    }
    assert_int_equal(ets_inspection_total_row(inspection, 0), 4);
    assert_int_equal(ets_inspection_row(inspection, 4)->instruction, -1);
    assert_int_equal(ets_inspection_row(inspection, 3)->instruction, 1);
    made_close(&made);
}

/* A block that holds several executions: none of them lies inside another. */
static void test_inspect_rows__executions_of_one_block_do_not_enclose_each_other(void **state)
{
    (void)state;
    const struct made_event events[] = {
        FRAMEWORK("Method::init", 0, 1),           CALL("OPERATOR_CALL", 0, 10, 20),
        FRAMEWORK("Method::execute", 5, 25),       CALL("OPERATOR_CALL", 0, 30, 45),
        FRAMEWORK("Method::execute", 28, 48),      FRAMEWORK("Method::init", 50, 51),
        FRAMEWORK("Program::load_method", 49, 52),
    };
    const struct made_run runs[] = {{"Execute", -1, events, COUNT(events), 0}};
    struct made made = inspect_runs(runs, 1, plain);
    const struct ets_row *execute = find_row(made.inspection, 0, "Method::execute");
    const struct ets_row *call = find_row(made.inspection, 0, "OPERATOR_CALL");
    assert_int_equal(execute->parent, ETS_NO_INDEX);
    assert_int_equal(execute->calls_per_run, 2);
    assert_ptr_equal(ets_inspection_row(made.inspection, call->parent), execute);
    assert_int_equal(call->depth, 1);
    const struct ets_event_table *table = ets_inspection_events(made.inspection);
    assert_int_equal(table->parent[1], 2);
    assert_int_equal(table->parent[3], 4);
    assert_int_equal(table->parent[2], ETS_NO_INDEX);
    assert_int_equal(table->parent[5], 6);
    made_close(&made);
}

/* Whatever the names and their order: following parents ends. */
static void test_inspect_rows__parents_never_form_a_circle(void **state)
{
    (void)state;
    static const char *const names[] = {"Method::init", "Method::execute", "Program::load_method",
                                        "Method::step", "OPERATOR_CALL",   "DELEGATE_CALL"};
    uint32_t seed = 1;
    for (int round = 0; round < 300; round++) {
        struct made_event events[24];
        for (size_t i = 0; i < COUNT(events); i++) {
            seed = seed * 1664525u + 1013904223u;
            const char *name = names[(seed >> 16) % COUNT(names)];
            events[i] = (seed >> 8) % 2 == 0 ? (struct made_event)FRAMEWORK(name, i, i + 1)
                                             : (struct made_event)CALL(name, 0, i, i + 1);
        }
        const struct made_run runs[] = {{"Execute", -1, events, COUNT(events), 0}};
        struct made made = inspect_runs(runs, 1, plain);
        const uint32_t count = ets_inspection_row_count(made.inspection);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t depth = 0, at = ets_inspection_row(made.inspection, i)->parent;
            for (; at != ETS_NO_INDEX; at = ets_inspection_row(made.inspection, at)->parent) {
                assert_true(++depth < count);
            }
            assert_int_equal(ets_inspection_row(made.inspection, i)->depth, depth);
        }
        made_close(&made);
    }
}

static void test_inspect_rows__loops_count_every_iteration(void **state)
{
    (void)state;
    const struct made_event events[] = {
        CALL("native_call_mm.out", 2, 100, 110), CALL("OPERATOR_CALL", 2, 99, 111),
        CALL("native_call_mm.out", 2, 200, 220), CALL("OPERATOR_CALL", 2, 199, 221),
        CALL("native_call_mm.out", 2, 300, 330), CALL("OPERATOR_CALL", 2, 299, 331),
        FRAMEWORK("Method::execute", 90, 340),
    };
    const struct made_run runs[] = {{"Execute", -1, events, COUNT(events), 0},
                                    {"Execute", -1, events, COUNT(events), 0}};
    struct made made = inspect_runs(runs, 2, plain);
    assert_int_equal(ets_inspection_block_count(made.inspection), 1);
    assert_int_equal(ets_inspection_row_count(made.inspection), 3);
    const struct ets_row *row = find_row(made.inspection, 0, "native_call_mm.out");
    assert_int_equal(row->calls_per_run, 3);
    const struct ets_statistics s = statistics_of(made.inspection, row, ETS_NO_INDEX);
    assert_int_equal(s.count, 2);
    assert_true(s.mean == 60 && s.total == 120);
    const uint32_t *list;
    uint32_t count;
    ets_inspection_row_events(made.inspection, 0, &list, &count);
    assert_int_equal(count, 6);
    assert_int_equal(list[1], 2);
    made_close(&made);
}

static void test_inspect_rows__one_run_can_be_asked_for_alone(void **state)
{
    (void)state;
    const struct made_event first[] = {CALL("native_call_a.out", 0, 0, 10)};
    const struct made_event second[] = {CALL("native_call_a.out", 0, 0, 30)};
    const struct made_event other[] = {CALL("native_call_b.out", 0, 0, 50)};
    const struct made_run runs[] = {
        {"Execute", -1, first, 1, 0}, {"Execute", -1, other, 1, 0}, {"Execute", -1, second, 1, 0}};
    struct made made = inspect_runs(runs, 3, plain);
    assert_int_equal(ets_inspection_block_count(made.inspection), 2);
    const struct ets_row *row = find_row(made.inspection, 0, "native_call_a.out");
    assert_true(statistics_of(made.inspection, row, ETS_NO_INDEX).mean == 20);
    assert_true(statistics_of(made.inspection, row, 2).mean == 30);
    assert_int_equal(statistics_of(made.inspection, row, 1).count, 0);
    assert_true(isnan(statistics_of(made.inspection, row, 1).mean));
    made_close(&made);
}

static void test_inspect_rows__shapes_names_and_test_cases_make_blocks(void **state)
{
    (void)state;
    const struct made_event a[] = {CALL("native_call_a.out", 0, 0, 10)};
    const struct made_event ab[] = {CALL("native_call_a.out", 0, 0, 1),
                                    CALL("native_call_b.out", 1, 1, 2)};
    const struct made_event ba[] = {CALL("native_call_b.out", 1, 1, 2),
                                    CALL("native_call_a.out", 0, 0, 1)};
    const struct made_run runs[] = {
        {"Execute", -1, a, 1, 0},    {"Execute", -1, ab, 2, 0}, {"Execute", 0, a, 1, 0},
        {"Execute", 1, a, 1, 0},     {"Other", -1, a, 1, 0},    {"Execute", -1, ba, 2, 0},
        {"Execute", -1, NULL, 0, 0}, {"Execute", 1, a, 1, 0},   {"Execute", -1, ab, 2, 0}};
    static const uint32_t blocks[] = {0, 1, 2, 3, 4, 5, 6, 3, 1};
    struct made made = inspect_runs(runs, COUNT(runs), plain);
    assert_int_equal(ets_inspection_run_count(made.inspection), COUNT(runs));
    assert_int_equal(ets_inspection_block_count(made.inspection), 7);
    for (uint32_t r = 0; r < COUNT(runs); r++) {
        assert_int_equal(ets_inspection_run(made.inspection, r)->block, blocks[r]);
    }
    assert_int_equal(ets_inspection_block(made.inspection, 1)->run_count, 2);
    assert_int_equal(ets_inspection_block(made.inspection, 3)->bundled_input_index, 1);
    assert_int_equal(ets_inspection_block(made.inspection, 6)->row_count, 0);
    assert_false(ets_inspection_run(made.inspection, 6)->has_events);
    assert_int_equal(ets_inspection_total_row(made.inspection, 6), ETS_NO_INDEX);
    made_close(&made);
}

static void test_inspect_rows__delegates_are_known_by_number_or_name(void **state)
{
    (void)state;
    const struct made_event events[] = {DELEGATE_ID(0, 3, 0, 7), DELEGATE_ID(10, 3, 7, 9),
                                        DELEGATE("Conv #1", 3, 9, 12),
                                        CALL("DELEGATE_CALL", 3, 0, 20)};
    const struct made_run runs[] = {{"Execute", -1, events, COUNT(events), 0}};
    struct made made = inspect_runs(runs, 1, plain);
    const struct ets_row *row = ets_inspection_row(made.inspection, 0);
    assert_text(row[0].name, "0");
    assert_int_equal(row[0].delegate_id, 0);
    assert_true(row[0].is_delegated && row[2].is_delegated && !row[3].is_delegated);
    assert_text(row[1].name, "10");
    assert_text(row[2].name, "Conv #1");
    assert_text(row[2].delegate_name, "Conv #1");
    assert_int_equal(row[2].delegate_id, -1);
    assert_int_equal(row[1].parent, 3);
    made_close(&made);
}

/* Whole microseconds in every event of a call are its clock's step; kernels are exact. */
static void test_inspect_rows__a_delegates_whole_microseconds_are_a_step(void **state)
{
    (void)state;
    const struct made_event events[] = {
        DELEGATE("Conv #1", 0, 500, 3500),          DELEGATE("Conv #2", 0, 3500, 3500),
        CALL("DELEGATE_CALL", 0, 400, 4000),        DELEGATE("Exact #1", 1, 5000, 6001),
        DELEGATE("Exact #2", 1, 6001, 7001),        CALL("DELEGATE_CALL", 1, 4900, 7100),
        CALL("native_call_add.out", 2, 8000, 9000), CALL("OPERATOR_CALL", 2, 8000, 9000)};
    static const uint64_t quanta[] = {1000, 1000, 0, 0, 0, 0, 0, 0};
    const struct made_run runs[] = {{"Execute", -1, events, COUNT(events), 0}};
    struct made made = inspect_runs(runs, 1, plain);
    for (uint32_t i = 0; i < COUNT(quanta); i++) {
        assert_int_equal(ets_inspection_row(made.inspection, i)->quantum_ticks, quanta[i]);
    }
    made_close(&made);
    made = inspect_runs(runs, 1, (struct ets_inspect_options){.tick_unit = ETS_UNIT_CYCLES});
    assert_int_equal(ets_inspection_row(made.inspection, 0)->quantum_ticks, 0);
    made_close(&made);
}

static void test_inspect_rows__a_counter_of_32_bits_is_unwrapped(void **state)
{
    (void)state;
    const struct made_event events[] = {
        CALL("wrapped", 0, 4294967290u, 10), CALL("backwards", 1, 4294967296u, 5),
        CALL("widest", 2, 0, UINT64_MAX), CALL("last", 3, 4294967295u, 0)};
    const struct made_run runs[] = {{"Execute", -1, events, COUNT(events), 0}};
    struct made made = inspect_runs(runs, 1, plain);
    assert_int_equal(ets_inspection_ticks(made.inspection, 0), 16);
    assert_int_equal(ets_inspection_ticks(made.inspection, 1), 0);
    assert_true(ets_inspection_ticks(made.inspection, 2) == UINT64_MAX);
    assert_int_equal(ets_inspection_ticks(made.inspection, 3), 1);
    made_close(&made);
}

static void test_inspect_rows__allocations_and_logged_values_are_events_but_no_rows(void **state)
{
    (void)state;
    const struct made_event events[] = {ALLOCATION(1, 4096), LOGGED(0, 7),
                                        CALL("native_call_a.out", 0, 5, 9), ALLOCATION(1, 16),
                                        CALL("OPERATOR_CALL", 0, 4, 10)};
    const struct made_run runs[] = {{"Execute", -1, events, COUNT(events), 1}};
    struct made made = inspect_runs(runs, 1, plain);
    const struct ets_event_table *table = ets_inspection_events(made.inspection);
    assert_int_equal(table->count, 5);
    assert_int_equal(ets_inspection_row_count(made.inspection), 2);
    assert_int_equal(table->kind[0], ETS_EVENT_ALLOCATION);
    assert_int_equal(table->start[0], 1);
    assert_int_equal(table->end[0], 4096);
    assert_int_equal(table->kind[1], ETS_EVENT_DEBUG);
    assert_int_equal(table->row[1], ETS_NO_INDEX);
    assert_int_equal(table->row[2], 0);
    struct ets_debug_value value;
    ets_etdump_debug_value(ets_inspection_dump(made.inspection), table->payload_at[1], &value);
    assert_int_equal(value.int_value, 7);
    made_close(&made);
}

static void test_inspect_rows__an_empty_dump_has_nothing(void **state)
{
    (void)state;
    struct made made = inspect_runs(NULL, 0, plain);
    assert_int_equal(ets_inspection_run_count(made.inspection), 0);
    assert_int_equal(ets_inspection_block_count(made.inspection), 0);
    assert_int_equal(ets_inspection_row_count(made.inspection), 0);
    assert_int_equal(ets_inspection_events(made.inspection)->count, 0);
    const struct ets_upstream_view *view;
    assert_int_equal(
        ets_inspection_upstream_view(made.inspection, ETS_UNIT_NS, ETS_UNIT_MS, &view, NULL),
        ETS_OK);
    assert_int_equal(view->block_count, 0);
    made_close(&made);
}

/* An event table without any of the three payloads, as a newer writer may make. */
static void test_inspect_rows__unknown_kinds_are_counted(void **state)
{
    (void)state;
    const struct made_event events[] = {CALL("a", 0, 1, 2), CALL("b", 1, 3, 4)};
    const struct made_run runs[] = {{"Execute", -1, events, 2, 0}};
    const struct ets_bytes dump = make_dump(runs, 1);
    uint8_t *bytes = (uint8_t *)(uintptr_t)dump.data;
    struct ets_etdump view;
    struct ets_etdump_run run;
    struct ets_etdump_event event;
    assert_int_equal(ets_etdump_init(&view, dump, NULL), ETS_OK);
    ets_etdump_run(&view, 0, &run);
    ets_etdump_event(&view, &run, 0, &event);
    /* The event's table holds one offset; all vtables that name it as slot 0 are emptied for it. */
    uint32_t found = 0;
    for (size_t at = 0; at + 8 <= dump.size && found == 0; at += 4) {
        const uint32_t offset = ets_load_u32(bytes + at);
        if (at + offset != event.payload_at || offset == 0 || at < 4) continue;
        const int32_t back = (int32_t)ets_load_u32(bytes + at - 4);
        uint8_t *vtable = bytes + ((int64_t)at - 4 - back);
        memset(vtable + 4, 0, 2);
        found = 1;
    }
    assert_int_equal(found, 1);
    struct ets_inspection *inspection = inspect(dump, plain);
    const uint32_t unknown = ets_inspection_unknown_event_count(inspection);
    assert_int_equal(unknown + ets_inspection_events(inspection)->count, 2);
    assert_true(unknown >= 1);
    ets_inspection_close(inspection);
    free(bytes);
}

static void test_inspect_rows__other_files_are_refused(void **state)
{
    (void)state;
    struct ets_file *file = open_fixture("mlp_portable", "model.pte");
    struct ets_inspection *inspection = NULL;
    struct ets_error error;
    const struct ets_inspect_options options = {.partial = 1};
    assert_int_equal(ets_inspection_open(ets_file_bytes(file), &options, &inspection, &error),
                     ETS_WRONG_KIND);
    assert_null(inspection);
    ets_file_close(file);
}

static void test_inspect_rows__an_event_without_name_has_no_kernel(void **state)
{
    (void)state;
    const struct ets_text none = ets_operator_base_name((struct ets_text){NULL, 0});
    assert_null(none.data);
    assert_int_equal(none.size, 0);
    assert_null(ets_operator_base_name((struct ets_text){NULL, 0}).data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inspect_rows__events_stand_under_what_encloses_them),
        cmocka_unit_test(test_inspect_rows__executions_of_one_block_do_not_enclose_each_other),
        cmocka_unit_test(test_inspect_rows__parents_never_form_a_circle),
        cmocka_unit_test(test_inspect_rows__loops_count_every_iteration),
        cmocka_unit_test(test_inspect_rows__an_event_without_name_has_no_kernel),
        cmocka_unit_test(test_inspect_rows__one_run_can_be_asked_for_alone),
        cmocka_unit_test(test_inspect_rows__shapes_names_and_test_cases_make_blocks),
        cmocka_unit_test(test_inspect_rows__delegates_are_known_by_number_or_name),
        cmocka_unit_test(test_inspect_rows__a_delegates_whole_microseconds_are_a_step),
        cmocka_unit_test(test_inspect_rows__a_counter_of_32_bits_is_unwrapped),
        cmocka_unit_test(test_inspect_rows__allocations_and_logged_values_are_events_but_no_rows),
        cmocka_unit_test(test_inspect_rows__an_empty_dump_has_nothing),
        cmocka_unit_test(test_inspect_rows__unknown_kinds_are_counted),
        cmocka_unit_test(test_inspect_rows__other_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
