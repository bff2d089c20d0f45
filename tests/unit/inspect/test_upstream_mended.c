/* Upstream's view without the quirks that give wrong answers, beside the view that has them. */
#include "test_inspect_support.h"

#include "inspect/upstream/upstream_view.h"

static const struct ets_upstream_view *view_of(const struct made *made, int mended)
{
    const struct ets_upstream_view *view = NULL;
    assert_int_equal((mended ? ets_inspection_mended_view : ets_inspection_upstream_view)(
                         made->inspection, ETS_UNIT_NS, ETS_UNIT_NS, &view, NULL),
                     ETS_OK);
    return view;
}

static void test_upstream_mended__equal_events_are_added_up(void **state)
{
    (void)state;
    const struct made_event events[] = {CALL("a", 0, 10, 13), CALL("b", 1, 14, 15),
                                        CALL("a", 0, 20, 27)};
    const struct made_run runs[] = {{"Execute", -1, events, 3, 0}, {"Execute", -1, events, 3, 0}};
    struct made made = inspect_runs(runs, 2, (struct ets_inspect_options){0});
    const struct ets_upstream_event *mended = &view_of(&made, 1)->blocks[0].events[0];
    const struct ets_upstream_event *kept = &view_of(&made, 0)->blocks[0].events[0];
    assert_int_equal(mended->sample_count, 2);
    for (int i = 0; i < 2; i++) {
        assert_true(mended->raw[i] == 10 && kept->raw[i] == 7);
        assert_int_equal(mended->calls[i], 2);
        assert_int_equal(kept->calls[i], 1);
        assert_int_equal(mended->start_time[i], 10);
        assert_int_equal(kept->start_time[i], 20);
        assert_int_equal(mended->samples[i], 3 * i);
        assert_int_equal(kept->samples[i], 3 * i + 2);
    }
    made_close(&made);
}

static void test_upstream_mended__a_clock_wraps_where_it_ends(void **state)
{
    (void)state;
    const struct made_event events[] = {CALL("a", 0, UINT32_MAX, 9),
                                        DELEGATE("b", 1, UINT32_MAX, 9)};
    const struct made_run runs[] = {{"Execute", -1, events, 2, 0}};
    struct made made = inspect_runs(runs, 1, (struct ets_inspect_options){0});
    for (int i = 0; i < 2; i++) {
        assert_true(view_of(&made, 1)->blocks[0].events[i].raw[0] == 10);
        assert_true(view_of(&made, 0)->blocks[0].events[i].raw[0] == 9);
    }
    made_close(&made);
}

static void test_upstream_mended__a_wider_clock_that_goes_back_gives_0(void **state)
{
    (void)state;
    const struct made_event events[] = {CALL("a", 0, UINT64_C(1) << 40, 9)};
    const struct made_run runs[] = {{"Execute", -1, events, 1, 0}};
    struct made made = inspect_runs(runs, 1, (struct ets_inspect_options){0});
    const struct ets_upstream_view *view;
    assert_true(view_of(&made, 1)->blocks[0].events[0].raw[0] == 0);
    assert_int_equal(
        ets_inspection_upstream_view(made.inspection, ETS_UNIT_NS, ETS_UNIT_NS, &view, NULL),
        ETS_MALFORMED);
    made_close(&made);
}

static void test_upstream_mended__events_outside_of_instructions_have_none(void **state)
{
    (void)state;
    const struct made_event events[] = {CALL("a", 2, 0, 1), FRAMEWORK("Method::execute", 0, 2)};
    const struct made_run runs[] = {{"Execute", -1, events, 2, 0}};
    struct made made = inspect_runs(runs, 1, (struct ets_inspect_options){0});
    const struct ets_upstream_event *mended = view_of(&made, 1)->blocks[0].events;
    assert_int_equal(mended[0].instruction, 2);
    assert_int_equal(mended[1].instruction, -1);
    assert_int_equal(view_of(&made, 0)->blocks[0].events[1].instruction, 0);
    made_close(&made);
}

/* The debug events behind each value: those of the first run's group, outputs apart. */
static void test_upstream_mended__values_are_told_by_their_events(void **state)
{
    (void)state;
    struct ets_file *file = open_fixture("map_loop", "debug.etdp");
    struct ets_inspection *inspection =
        inspect(ets_file_bytes(file), (struct ets_inspect_options){0});
    const struct ets_upstream_view *view;
    assert_int_equal(ets_inspection_mended_view(inspection, ETS_UNIT_NS, ETS_UNIT_MS, &view, NULL),
                     ETS_OK);
    const struct ets_event_table *events = ets_inspection_events(inspection);
    const struct ets_upstream_block *block = &view->blocks[view->block_count - 1];
    uint32_t found = 0, repeated = 0;
    for (uint32_t i = 0; i < block->event_count; i++) {
        const struct ets_upstream_event *event = &block->events[i];
        for (uint32_t k = 0; k < event->debug_event_count; k++) {
            assert_int_equal(events->kind[event->debug_events[k]], ETS_EVENT_DEBUG);
            assert_int_equal(events->instruction[event->debug_events[k]], event->instruction);
        }
        found += event->debug_event_count;
        repeated += event->debug_event_count == 3; /* of three items, one after the other */
    }
    assert_true(found > 0 && repeated > 0);
    assert_int_equal(block->output_count, 1);
    ets_inspection_close(inspection);
    ets_file_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_upstream_mended__equal_events_are_added_up),
        cmocka_unit_test(test_upstream_mended__a_clock_wraps_where_it_ends),
        cmocka_unit_test(test_upstream_mended__a_wider_clock_that_goes_back_gives_0),
        cmocka_unit_test(test_upstream_mended__events_outside_of_instructions_have_none),
        cmocka_unit_test(test_upstream_mended__values_are_told_by_their_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
