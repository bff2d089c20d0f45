/* The tree of times: what it adds up to, what it leaves over, what it leaves out. */
#include "test_inspect_support.h"

#include <math.h>

#include "inspect/accounting/accounting.h"

static const struct ets_inspect_options plain = {.tick_unit = ETS_UNIT_NS};

static struct ets_accounting *account(const struct ets_inspection *inspection, uint32_t block)
{
    struct ets_accounting *accounting = NULL;
    assert_int_equal(ets_accounting_open(inspection, block, NULL, &accounting, NULL), ETS_OK);
    return accounting;
}

static const struct ets_account_node *find_node(const struct ets_inspection *inspection,
                                                const struct ets_accounting *accounting,
                                                enum ets_account_kind kind, const char *name)
{
    for (uint32_t i = 0; i < ets_accounting_node_count(accounting); i++) {
        const struct ets_account_node *node = ets_accounting_node(accounting, i);
        const struct ets_text row = ets_inspection_row(inspection, node->row)->name;
        if (node->kind == kind && row.size == strlen(name) &&
            memcmp(row.data, name, row.size) == 0) {
            return node;
        }
    }
    fail_msg("no node of %s", name);
    return NULL;
}

/* Ticks of the roots' own events in `run`, straight from the event table. */
static int64_t wall_of_run(const struct ets_inspection *inspection, uint32_t run)
{
    const struct ets_event_table *events = ets_inspection_events(inspection);
    int64_t wall = 0;
    for (uint32_t e = 0; e < events->count; e++) {
        if (events->run[e] != run || events->row[e] == ETS_NO_INDEX) continue;
        if (ets_inspection_row(inspection, events->row[e])->parent != ETS_NO_INDEX) continue;
        wall += (int64_t)ets_inspection_ticks(inspection, e);
    }
    return wall;
}

/* Leaves, and selves, sum up to the wall time of every run. Returns how many runs there were. */
static uint32_t assert_adds_up(const struct ets_inspection *inspection, uint32_t block)
{
    struct ets_accounting *accounting = account(inspection, block);
    const uint32_t *runs;
    const uint32_t count = ets_accounting_runs(accounting, &runs);
    for (uint32_t r = 0; r < count; r++) {
        int64_t leaves = 0, selves = 0;
        for (uint32_t i = 0; i < ets_accounting_node_count(accounting); i++) {
            const struct ets_account_node *node = ets_accounting_node(accounting, i);
            if (node->kind == ETS_ACCOUNT_ROW && node->is_added) selves += node->self[r];
            if (node->is_leaf && node->is_added) leaves += node->ticks[r];
            assert_true(node->parent == ETS_NO_INDEX || node->parent < i);
        }
        assert_int_equal(ets_inspection_run(inspection, runs[r])->block, block);
        assert_true(leaves == wall_of_run(inspection, runs[r]));
        assert_true(selves == leaves);
    }
    ets_accounting_close(accounting);
    return count;
}

static void test_accounting__every_fixture_adds_up_in_every_run(void **state)
{
    (void)state;
    static const char *const models[] = {
        "cond",         "conv_portable", "conv_xnnpack",        "conv_xnnpack_int8",
        "dynamic",      "gpt_portable",  "gpt_xnnpack",         "linear_fp32_xnnpack",
        "map_loop",     "mlp_portable",  "linear_int8_xnnpack", "mlp_xnnpack",
        "multi_method", "types"};
    uint32_t runs = 0;
    for (size_t m = 0; m < COUNT(models); m++) {
        struct ets_file *file = open_fixture(models[m], "profile.etdp");
        struct ets_inspection *inspection = inspect(ets_file_bytes(file), plain);
        for (uint32_t b = 0; b < ets_inspection_block_count(inspection); b++) {
            const uint32_t here = assert_adds_up(inspection, b);
            assert_int_equal(here, ets_inspection_block(inspection, b)->run_count);
            runs += here;
        }
        ets_inspection_close(inspection);
        ets_file_close(file);
    }
    assert_true(runs >= 5 * COUNT(models));
}

/* No rest of a real trace is negative, and no delegate's event is left out. */
static void test_accounting__fixtures_leave_something_over_everywhere(void **state)
{
    (void)state;
    static const char *const models[] = {"gpt_xnnpack", "conv_xnnpack_int8", "map_loop"};
    for (size_t m = 0; m < COUNT(models); m++) {
        struct ets_file *file = open_fixture(models[m], "profile.etdp");
        struct ets_inspection *inspection = inspect(ets_file_bytes(file), plain);
        for (uint32_t b = 0; b < ets_inspection_block_count(inspection); b++) {
            struct ets_accounting *a = account(inspection, b);
            const uint32_t *runs;
            const uint32_t count = ets_accounting_runs(a, &runs);
            for (uint32_t i = 0; i < ets_accounting_node_count(a); i++) {
                const struct ets_account_node *node = ets_accounting_node(a, i);
                assert_true(node->is_added);
                for (uint32_t r = 0; r < count; r++) assert_true(node->self[r] >= 0);
            }
            ets_accounting_close(a);
        }
        ets_inspection_close(inspection);
        ets_file_close(file);
    }
}

static void test_accounting__a_tree_has_rests_where_something_is_inside(void **state)
{
    (void)state;
    const struct made_event events[] = {
        CALL("native_call_add.out", 0, 1011, 1019), CALL("OPERATOR_CALL", 0, 1010, 1020),
        DELEGATE("Conv #1", 1, 1031, 1034),         DELEGATE("Relu #1", 1, 1034, 1038),
        CALL("DELEGATE_CALL", 1, 1030, 1040),       CALL("MOVE_CALL", 2, 1041, 1043),
        FRAMEWORK("Method::execute", 1005, 1045),
    };
    const struct made_run runs[] = {{"Execute", -1, events, COUNT(events), 0}};
    struct made made = inspect_runs(runs, 1, plain);
    struct ets_accounting *a = account(made.inspection, 0);
    static const struct {
        enum ets_account_kind kind;
        const char *row;
        uint32_t depth;
        int is_leaf;
        int64_t ticks, self;
    } expected[] = {
        {ETS_ACCOUNT_ROW, "Method::execute", 0, 0, 40, 18},
        {ETS_ACCOUNT_ROW, "OPERATOR_CALL", 1, 0, 10, 2},
        {ETS_ACCOUNT_ROW, "native_call_add.out", 2, 1, 8, 8},
        {ETS_ACCOUNT_UNACCOUNTED, "OPERATOR_CALL", 2, 1, 2, 2},
        {ETS_ACCOUNT_ROW, "DELEGATE_CALL", 1, 0, 10, 3},
        {ETS_ACCOUNT_ROW, "Conv #1", 2, 1, 3, 3},
        {ETS_ACCOUNT_ROW, "Relu #1", 2, 1, 4, 4},
        {ETS_ACCOUNT_UNACCOUNTED, "DELEGATE_CALL", 2, 1, 3, 3},
        {ETS_ACCOUNT_ROW, "MOVE_CALL", 1, 1, 2, 2},
        {ETS_ACCOUNT_FRAMEWORK, "Method::execute", 1, 1, 18, 18},
    };
    assert_int_equal(ets_accounting_node_count(a), COUNT(expected));
    for (uint32_t i = 0; i < COUNT(expected); i++) {
        const struct ets_account_node *node = ets_accounting_node(a, i);
        assert_int_equal(node->kind, expected[i].kind);
        assert_text(ets_inspection_row(made.inspection, node->row)->name, expected[i].row);
        assert_int_equal(node->depth, expected[i].depth);
        assert_int_equal(node->is_leaf, expected[i].is_leaf);
        assert_true(node->ticks[0] == expected[i].ticks && node->self[0] == expected[i].self);
        assert_true(node->below == 0 && node->above == 0);
    }
    ets_accounting_close(a);
    assert_adds_up(made.inspection, 0);
    made_close(&made);
}

/* One block of an application that neither starts a run for loading nor for each execution. */
static void test_accounting__loading_and_executing_are_trees_of_their_own(void **state)
{
    (void)state;
    const struct made_event events[] = {
        FRAMEWORK("Method::init", 10, 40), FRAMEWORK("Program::load_method", 5, 50),
        CALL("OPERATOR_CALL", 0, 61, 69),  FRAMEWORK("Method::execute", 60, 70),
        CALL("OPERATOR_CALL", 0, 82, 88),  FRAMEWORK("Method::execute", 80, 100),
    };
    const struct made_run runs[] = {{"Default", -1, events, COUNT(events), 0}};
    struct made made = inspect_runs(runs, 1, plain);
    struct ets_accounting *a = account(made.inspection, 0);
    const struct ets_account_node *load =
        find_node(made.inspection, a, ETS_ACCOUNT_ROW, "Program::load_method");
    const struct ets_account_node *execute =
        find_node(made.inspection, a, ETS_ACCOUNT_ROW, "Method::execute");
    assert_true(load->depth == 0 && load->ticks[0] == 45 && load->self[0] == 15);
    assert_true(execute->depth == 0 && execute->ticks[0] == 30 && execute->self[0] == 16);
    assert_true(find_node(made.inspection, a, ETS_ACCOUNT_FRAMEWORK, "Method::execute")->ticks[0] ==
                16);
    ets_accounting_close(a);
    assert_adds_up(made.inspection, 0);
    made_close(&made);
}

/* Steps of whole microseconds: the truth of an event and of what is left lies in the bounds. */
static void test_accounting__bounds_of_steps_hold_the_truth(void **state)
{
    (void)state;
    uint32_t seed = 7;
    for (int round = 0; round < 200; round++) {
        struct made_event events[8] = {0};
        uint64_t truth[6], at = 100000;
        for (uint32_t i = 0; i < 6; i++) {
            seed = seed * 1664525u + 1013904223u;
            truth[i] = seed % 9000;
            events[i] = (struct made_event)DELEGATE("Conv", 0, at, at + truth[i] / 1000 * 1000);
            at += truth[i];
        }
        const uint64_t end = at + seed % 777;
        events[6] = (struct made_event)CALL("DELEGATE_CALL", 0, 100000, end);
        events[7] = (struct made_event)FRAMEWORK("Method::execute", 99900, end + 50);
        const struct made_run runs[] = {{"Execute", -1, events, 8, 0}};
        struct made made = inspect_runs(runs, 1, plain);
        struct ets_accounting *a = account(made.inspection, 0);
        const struct ets_account_node *conv =
            find_node(made.inspection, a, ETS_ACCOUNT_ROW, "Conv");
        const struct ets_account_node *rest =
            find_node(made.inspection, a, ETS_ACCOUNT_UNACCOUNTED, "DELEGATE_CALL");
        double sum = 0;
        for (uint32_t i = 0; i < 6; i++) sum += (double)truth[i];
        const double left = (double)(end - 100000) - sum;
        assert_true(conv->is_added && conv->above == 6000 && conv->below == 0);
        assert_true(sum >= (double)conv->ticks[0] && sum < (double)conv->ticks[0] + conv->above);
        assert_true(rest->below == 6000 && rest->above == 0);
        assert_true(left <= (double)rest->ticks[0] && left > (double)rest->ticks[0] - rest->below);
        ets_accounting_close(a);
        assert_adds_up(made.inspection, 0);
        made_close(&made);
    }
}

/* A rest below 0 is kept: all else would not add up. */
static void test_accounting__what_is_longer_than_its_call_still_adds_up(void **state)
{
    (void)state;
    const struct made_event events[] = {
        CALL("native_call_add.out", 0, 10, 90),
        CALL("OPERATOR_CALL", 0, 10, 20),
        FRAMEWORK("Method::execute", 5, 45),
    };
    const struct made_run runs[] = {{"Execute", -1, events, COUNT(events), 0}};
    struct made made = inspect_runs(runs, 1, plain);
    struct ets_accounting *a = account(made.inspection, 0);
    assert_true(find_node(made.inspection, a, ETS_ACCOUNT_UNACCOUNTED, "OPERATOR_CALL")->ticks[0] ==
                -70);
    ets_accounting_close(a);
    assert_adds_up(made.inspection, 0);
    made_close(&made);
}

static void test_accounting__loops_and_interleaved_blocks_keep_their_runs(void **state)
{
    (void)state;
    const struct made_event loop[] = {
        CALL("native_call_mm.out", 2, 100, 110), CALL("OPERATOR_CALL", 2, 99, 111),
        CALL("native_call_mm.out", 2, 200, 220), CALL("OPERATOR_CALL", 2, 199, 221),
        FRAMEWORK("Method::execute", 90, 340),
    };
    const struct made_event other[] = {FRAMEWORK("Method::execute", 0, 10)};
    const struct made_run runs[] = {{"Execute", -1, other, 1, 0},
                                    {"Execute", -1, loop, COUNT(loop), 0},
                                    {"Execute", -1, other, 1, 0},
                                    {"Execute", -1, loop, COUNT(loop), 0},
                                    {"Empty", -1, NULL, 0, 0}};
    struct made made = inspect_runs(runs, 5, plain);
    struct ets_accounting *a = account(made.inspection, 1);
    const uint32_t *list;
    assert_int_equal(ets_accounting_runs(a, &list), 2);
    assert_true(list[0] == 1 && list[1] == 3);
    assert_true(find_node(made.inspection, a, ETS_ACCOUNT_UNACCOUNTED, "OPERATOR_CALL")->ticks[1] ==
                4);
    ets_accounting_close(a);
    assert_int_equal(assert_adds_up(made.inspection, 0), 2);
    assert_int_equal(assert_adds_up(made.inspection, 1), 2);
    struct ets_accounting *empty = account(made.inspection, 2);
    assert_int_equal(ets_accounting_node_count(empty), 0);
    assert_int_equal(ets_accounting_runs(empty, &list), 0);
    ets_accounting_close(empty);
    made_close(&made);
}

static void test_accounting__every_failed_allocation_is_told(void **state)
{
    (void)state;
    struct ets_file *file = open_fixture("gpt_xnnpack", "profile.etdp");
    struct ets_inspection *inspection = inspect(ets_file_bytes(file), plain);
    unsigned long n = 0;
    for (int succeeded = 0; !succeeded; n++) {
        struct failing failing = {.fail_at = n};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        struct ets_error error = {.status = ETS_OK};
        struct ets_accounting *a = NULL;
        const enum ets_status status = ets_accounting_open(inspection, 1, &allocator, &a, &error);
        succeeded = status == ETS_OK;
        if (succeeded) ets_accounting_close(a);
        else assert_true(status == ETS_NO_MEMORY && error.status == ETS_NO_MEMORY && a == NULL);
        assert_int_equal(failing.live, 0);
        assert_true(n < 1000);
    }
    assert_true(n > 1);
    ets_inspection_close(inspection);
    ets_file_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accounting__every_fixture_adds_up_in_every_run),
        cmocka_unit_test(test_accounting__fixtures_leave_something_over_everywhere),
        cmocka_unit_test(test_accounting__a_tree_has_rests_where_something_is_inside),
        cmocka_unit_test(test_accounting__loading_and_executing_are_trees_of_their_own),
        cmocka_unit_test(test_accounting__bounds_of_steps_hold_the_truth),
        cmocka_unit_test(test_accounting__what_is_longer_than_its_call_still_adds_up),
        cmocka_unit_test(test_accounting__loops_and_interleaved_blocks_keep_their_runs),
        cmocka_unit_test(test_accounting__every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
