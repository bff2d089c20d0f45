/* Delegates on the trace's clock, on one that a regression finds, and on one that it does not. */
#include "test_inspect_support.h"

#include <math.h>

#include "inspect/accounting/accounting.h"

static const struct ets_inspect_options plain = {.tick_unit = ETS_UNIT_NS};

/* Runs of delegate calls at `places` instructions; the delegate counts ticks of its own. */
struct scene {
    uint32_t places, runs;
    double ratio;        /* of a call's shortest place to the next, and so on */
    double ticks_per_ns; /* of the delegate */
    double noise;        /* of a call's overhead, relative to the call */
    double constant;     /* ns of each call that the delegate does not see */
    struct made_event events[64][3 * 8 + 1];
    struct made_run list[64];
};

static double draw(uint32_t *seed) /* -1 to 1 */
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 23) - 1;
}

static struct made play(struct scene *scene)
{
    uint32_t seed = 5;
    for (uint32_t r = 0; r < scene->runs; r++) {
        uint64_t at = 1000003 * (uint64_t)(r + 1);
        const uint64_t start = at;
        struct made_event *events = scene->events[r];
        uint32_t used = 0;
        double work = 10011;
        for (uint32_t p = 0; p < scene->places; p++, work *= scene->ratio) {
            const double spent = work * (1 + 0.1 * draw(&seed));
            const double call = (spent + scene->constant) * (1 + scene->noise * (draw(&seed) + 1));
            const uint64_t ticks = (uint64_t)(spent * scene->ticks_per_ns / 2);
            events[used++] = (struct made_event)DELEGATE("conv", (int32_t)p, 7, 7 + ticks);
            events[used++] =
                (struct made_event)DELEGATE("relu", (int32_t)p, 7 + ticks, 7 + 2 * ticks);
            events[used++] =
                (struct made_event)CALL("DELEGATE_CALL", (int32_t)p, at, at + (uint64_t)call);
            at += (uint64_t)call + 100;
        }
        events[used++] = (struct made_event)FRAMEWORK("Method::execute", start - 50, at);
        scene->list[r] = (struct made_run){"Execute", -1, events, used, 0};
    }
    return inspect_runs(scene->list, scene->runs, plain);
}

static struct scene *prepare(void)
{
    struct scene *scene = calloc(1, sizeof *scene);
    assert_non_null(scene);
    scene->places = 4;
    scene->runs = 20;
    scene->ratio = 2;
    scene->ticks_per_ns = 2.4;
    scene->noise = 0.005;
    scene->constant = 1500;
    return scene;
}

static const struct ets_delegate_clock *clock_of(const struct made *made)
{
    const struct ets_row *row = find_row(made->inspection, 0, "conv");
    assert_non_null(row);
    return row->clock;
}

static void test_delegate_clock__a_line_over_unlike_calls_gives_the_scale(void **state)
{
    (void)state;
    struct scene *scene = prepare();
    struct made made = play(scene);
    const struct ets_delegate_clock *clock = clock_of(&made);
    assert_non_null(clock);
    assert_int_equal(clock->state, ETS_CLOCK_FITTED);
    assert_null(clock->reason);
    assert_int_equal(clock->calls, 80);
    assert_true(fabs(clock->scale - 1 / 2.4) < clock->scale_error + 0.01 / 2.4);
    assert_true(clock->scale_error < 0.05 * clock->scale && clock->residual < 0.01);
    struct ets_accounting *a;
    assert_int_equal(ets_accounting_open(made.inspection, 0, NULL, &a, NULL), ETS_OK);
    int64_t leaves = 0;
    for (uint32_t i = 0; i < ets_accounting_node_count(a); i++) {
        const struct ets_account_node *node = ets_accounting_node(a, i);
        const struct ets_row *row = ets_inspection_row(made.inspection, node->row);
        assert_int_equal(node->is_added, 1);
        if (node->is_leaf) leaves += node->ticks[3];
        if (!row->is_delegated) continue;
        const struct ets_event_table *events = ets_inspection_events(made.inspection);
        const uint32_t *list;
        uint32_t count;
        ets_inspection_row_events(made.inspection, node->row, &list, &count);
        const double truth = (double)(events->end[list[3]] - events->start[list[3]]) / 2.4;
        assert_true(truth >= (double)node->ticks[3] - node->below - 0.01 * truth);
        assert_true(truth <= (double)node->ticks[3] + node->above + 0.01 * truth);
    }
    assert_true(leaves == ets_accounting_node(a, 0)->ticks[3]);
    ets_accounting_close(a);
    made_close(&made);
    free(scene);
}

/* Each condition of the fit, broken alone. */
static void test_delegate_clock__without_its_conditions_a_clock_stays_unknown(void **state)
{
    (void)state;
    static const char *const reasons[] = {"fewer than 20 calls", "calls at fewer than 3 places",
                                          "all calls are of similar length, within a factor of 4",
                                          "calls deviate from a line by more than 5 %",
                                          "a fitted line makes calls shorter than their events"};
    for (size_t i = 0; i < COUNT(reasons); i++) {
        struct scene *scene = prepare();
        if (i == 0) scene->runs = 4;
        if (i == 1) scene->places = 2;
        if (i == 2) scene->ratio = 1.1;
        if (i == 3) scene->noise = 0.3;
        if (i == 4) scene->constant = -8000;
        struct made made = play(scene);
        const struct ets_delegate_clock *clock = clock_of(&made);
        assert_non_null(clock);
        assert_int_equal(clock->state, ETS_CLOCK_UNKNOWN);
        assert_string_equal(clock->reason, reasons[i]);
        assert_true(isnan(clock->scale) && isnan(clock->scale_error));
        made_close(&made);
        free(scene);
    }
}

static void test_delegate_clock__what_is_unknown_is_not_added(void **state)
{
    (void)state;
    struct scene *scene = prepare();
    scene->runs = 1;
    struct made made = play(scene);
    struct ets_accounting *a;
    assert_int_equal(ets_accounting_open(made.inspection, 0, NULL, &a, NULL), ETS_OK);
    int64_t leaves = 0;
    uint32_t left_out = 0;
    for (uint32_t i = 0; i < ets_accounting_node_count(a); i++) {
        const struct ets_account_node *node = ets_accounting_node(a, i);
        const struct ets_row *row = ets_inspection_row(made.inspection, node->row);
        assert_int_equal(node->is_added, !row->is_delegated);
        left_out += node->is_added ? 0 : 1;
        if (node->is_leaf && node->is_added) leaves += node->ticks[0];
    }
    assert_int_equal(left_out, 8);
    assert_true(leaves == ets_accounting_node(a, 0)->ticks[0]);
    ets_accounting_close(a);
    made_close(&made);
    free(scene);
}

static void test_delegate_clock__events_in_line_inside_their_call_are_on_its_clock(void **state)
{
    (void)state;
    const struct made_event events[] = {
        DELEGATE("a", 0, 4294967290u, 4294967295u),
        DELEGATE("b", 0, 2, 9),
        CALL("DELEGATE_CALL", 0, 4294967280u, 20), /* a 32-bit counter wraps inside of it */
        FRAMEWORK("Method::execute", 4294967270u, 30),
    };
    const struct made_run runs[] = {{"Execute", -1, events, COUNT(events), 0}};
    struct made made = inspect_runs(runs, 1, plain);
    assert_null(find_row(made.inspection, 0, "a")->clock);
    assert_null(find_row(made.inspection, 0, "b")->clock);
    made_close(&made);
}

static void test_delegate_clock__events_that_overlap_are_not_added(void **state)
{
    (void)state;
    const struct made_event events[] = {
        DELEGATE("inner", 0, 12, 15),
        DELEGATE("outer", 0, 11, 18),
        CALL("DELEGATE_CALL", 0, 10, 20),
        FRAMEWORK("Method::execute", 5, 30),
    };
    const struct made_run runs[] = {{"Execute", -1, events, COUNT(events), 0}};
    struct made made = inspect_runs(runs, 1, plain);
    const struct ets_delegate_clock *clock = find_row(made.inspection, 0, "inner")->clock;
    assert_non_null(clock);
    assert_int_equal(clock->state, ETS_CLOCK_OVERLAPPING);
    assert_ptr_equal(find_row(made.inspection, 0, "outer")->clock, clock);
    made_close(&made);
}

/* Whole microseconds with starts of another clock: what counts is that the call has room. */
static void test_delegate_clock__whole_steps_need_room_only(void **state)
{
    (void)state;
    const struct made_event events[] = {
        DELEGATE("fits", 0, 0, 3000),
        CALL("DELEGATE_CALL", 0, 10000, 14000),
        DELEGATE("too long", 1, 0, 3000),
        CALL("DELEGATE_CALL", 1, 20000, 22999),
        FRAMEWORK("Method::execute", 5000, 30000),
    };
    const struct made_run runs[] = {{"Execute", -1, events, COUNT(events), 0}};
    struct made made = inspect_runs(runs, 1, plain);
    assert_null(find_row(made.inspection, 0, "fits")->clock);
    assert_int_equal(find_row(made.inspection, 0, "too long")->clock->state, ETS_CLOCK_UNKNOWN);
    made_close(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_delegate_clock__a_line_over_unlike_calls_gives_the_scale),
        cmocka_unit_test(test_delegate_clock__without_its_conditions_a_clock_stays_unknown),
        cmocka_unit_test(test_delegate_clock__what_is_unknown_is_not_added),
        cmocka_unit_test(test_delegate_clock__events_in_line_inside_their_call_are_on_its_clock),
        cmocka_unit_test(test_delegate_clock__events_that_overlap_are_not_added),
        cmocka_unit_test(test_delegate_clock__whole_steps_need_room_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
