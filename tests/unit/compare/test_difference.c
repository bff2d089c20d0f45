/* Two sets of traces: who is compared with whom, and what the verdicts say where truth is known. */
#include "test_compare_support.h"

#include "compare/compare_names.h"

static const struct made_operator base[] = {{"native_call_add.out", 1000, 30},
                                            {"native_call_mul.out", 500, 20},
                                            {"native_call_relu.out", 200, 10},
                                            {"native_call_mul.out", 300, 15}};

static void assert_change(const struct ets_difference_line *line, enum ets_change change,
                          enum ets_verdict verdict)
{
    assert_string_equal(ets_change_name(line->change), ets_change_name(change));
    assert_string_equal(ets_verdict_name(line->verdict), ets_verdict_name(verdict));
}

static void verdicts__find_the_one_that_is_slower(void **state)
{
    (void)state;
    struct made_operator slower[4];
    memcpy(slower, base, sizeof base);
    slower[2].ticks = 300;
    struct made a = inspect_program(base, 4, 20), b = inspect_program(slower, 4, 20);
    struct compared compared;
    compare(a.inspection, b.inspection, &compared);
    const struct ets_difference_line *line = find_line(&compared, "relu.out");
    assert_change(line, ETS_CHANGE_NONE, ETS_VERDICT_SLOWER);
    assert_true(line->change_of_median == 100 && line->shift.low <= 100 && line->shift.high >= 100);
    assert_change(find_line(&compared, "add.out"), ETS_CHANGE_NONE, ETS_VERDICT_SAME);
    assert_change(find_line(&compared, "mul.out"), ETS_CHANGE_NONE, ETS_VERDICT_SAME);
    assert_change(find_line(&compared, "Method::execute"), ETS_CHANGE_NONE, ETS_VERDICT_SLOWER);
    assert_int_equal(ets_difference_line_count(compared.difference), 6);
    compared_close(&compared);
    compare(b.inspection, a.inspection, &compared);
    assert_change(find_line(&compared, "relu.out"), ETS_CHANGE_NONE, ETS_VERDICT_FASTER);
    compared_close(&compared);
    made_close(&a);
    made_close(&b);
}

static void verdicts__of_too_few_runs_are_unknown(void **state)
{
    (void)state;
    struct made_operator slower[4];
    memcpy(slower, base, sizeof base);
    slower[0].ticks = 9000;
    struct made a = inspect_program(base, 4, 3), b = inspect_program(slower, 4, 3);
    struct compared compared;
    compare(a.inspection, b.inspection, &compared);
    for (uint32_t i = 0; i < ets_difference_line_count(compared.difference); i++) {
        assert_change(ets_difference_line(compared.difference, i), ETS_CHANGE_NONE,
                      ETS_VERDICT_UNKNOWN);
    }
    compared_close(&compared);
    made_close(&a);
    made_close(&b);
}

static void changes__below_the_least_are_none(void **state)
{
    (void)state;
    static const struct made_operator before[] = {{"native_call_add.out", 100000, 0}};
    static const struct made_operator after[] = {{"native_call_add.out", 100900, 0}};
    struct made a = inspect_program(before, 1, 20), b = inspect_program(after, 1, 20);
    struct compared compared;
    compare(a.inspection, b.inspection, &compared);
    const struct ets_difference_line *line = find_line(&compared, "add.out");
    assert_true(line->adjusted_p < 0.001);
    assert_change(line, ETS_CHANGE_NONE, ETS_VERDICT_SAME);
    compared_close(&compared);
    made_close(&a);
    made_close(&b);
}

enum { FEW_STEPS_RUNS = 20, FEW_STEPS_MOST = 31 };

/* `count` operators of one time, but that the first takes a step of 1000 in `steps` of the runs. */
static struct made inspect_few_steps(int count, int steps)
{
    static struct made_event events[FEW_STEPS_RUNS][FEW_STEPS_MOST + 1];
    static struct made_run runs[FEW_STEPS_RUNS];
    for (int r = 0; r < FEW_STEPS_RUNS; r++) {
        for (int i = 0; i < count; i++) {
            const uint64_t start = 1000 + 2000 * (uint64_t)i;
            const uint64_t end = start + (i > 0 ? 500 : r < steps ? 1000 : 0);
            events[r][i] = (struct made_event)CALL("native_call_add.out", i, start, end);
        }
        events[r][count] = (struct made_event)FRAMEWORK("Method::execute", 5, 100000);
        runs[r] = (struct made_run){"Execute", -1, events[r], (size_t)count + 1, 0};
    }
    return inspect_runs(runs, FEW_STEPS_RUNS, (struct ets_inspect_options){0});
}

/* That some runs differ shows in the ranks; the shift of them all is none. */
static void changes__of_nothing_are_no_verdict(void **state)
{
    (void)state;
    static const struct {
        int operators, steps;
        enum ets_verdict verdict;
        int is_certain;
    } cases[] = {{1, 8, ETS_VERDICT_UNCLEAR, 1},
                 {1, 6, ETS_VERDICT_SAME, 1},
                 {FEW_STEPS_MOST, 5, ETS_VERDICT_SAME, 0}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct made a = inspect_few_steps(cases[i].operators, 0),
                    b = inspect_few_steps(cases[i].operators, cases[i].steps);
        struct compared compared;
        compare(a.inspection, b.inspection, &compared);
        const struct ets_difference_line *line = find_line(&compared, "add.out");
        assert_true(line->test.p < 0.05 && line->shift.estimate == 0);
        assert_int_equal(line->adjusted_p < 0.05, cases[i].is_certain);
        assert_change(line, ETS_CHANGE_NONE, cases[i].verdict);
        compared_close(&compared);
        made_close(&a);
        made_close(&b);
    }
}

/* An operator that was put in moves all others by one, and takes none of their places. */
static void order__survives_operators_put_in_and_taken_out(void **state)
{
    (void)state;
    const struct made_operator changed[] = {base[0],
                                            {"native_call_sigmoid.out", 400, 3},
                                            base[1],
                                            base[3],
                                            {"native_call_tanh.out", 10, 3}};
    struct made a = inspect_program(base, 4, 20), b = inspect_program(changed, 5, 20);
    struct compared compared;
    compare(a.inspection, b.inspection, &compared);
    const struct ets_difference *d = compared.difference;
    static const char *const names[] = {
        "Method::execute", "add.out", "sigmoid.out", "mul.out",
        "relu.out",        "mul.out", "tanh.out",    "(between operators)"};
    static const enum ets_change changes[] = {
        ETS_CHANGE_NONE,    ETS_CHANGE_NONE, ETS_CHANGE_ADDED, ETS_CHANGE_NONE,
        ETS_CHANGE_REMOVED, ETS_CHANGE_NONE, ETS_CHANGE_ADDED, ETS_CHANGE_NONE};
    assert_int_equal(ets_difference_line_count(d), COUNT(names));
    for (uint32_t i = 0; i < COUNT(names); i++) {
        const struct ets_difference_line *line = ets_difference_line(d, i);
        const struct ets_difference_side *side =
            line->after.operator_count > 0 ? &line->after : &line->before;
        assert_text(side->block->operators[side->operators[0]].name, names[i]);
        assert_int_equal(line->change, changes[i]);
        assert_int_equal(line->parent, i == 0 ? ETS_NO_INDEX : 0);
    }
    assert_true(ets_difference_line(d, 3)->before.times.p50 > 490);
    assert_true(ets_difference_line(d, 5)->before.times.p50 < 320);
    assert_int_equal(ets_difference_block(d, 0)->by_handles, 0);
    compared_close(&compared);
    made_close(&a);
    made_close(&b);
}

static void assert_pairs(const struct made_operator *before, uint32_t before_count,
                         const struct made_operator *after, uint32_t after_count,
                         const char *const *paired)
{
    struct made a = inspect_program(before, before_count, 5),
                b = inspect_program(after, after_count, 5);
    struct compared compared;
    compare(a.inspection, b.inspection, &compared);
    for (; *paired != NULL; paired++) {
        const struct ets_difference_line *line = find_line(&compared, *paired);
        assert_string_equal(ets_change_name(line->change), ets_change_name(ETS_CHANGE_NONE));
        assert_int_equal(line->before.operator_count, 1);
        assert_int_equal(line->after.operator_count, 1);
    }
    compared_close(&compared);
    made_close(&a);
    made_close(&b);
}

/* Of sequences of one length the one with a name that is there once: of two builds of a model. */
static void order__prefers_single_names(void **state)
{
    (void)state;
    static const struct made_operator floats[] = {{"native_call_add.out", 1000, 30},
                                                  {"native_call_mean.out", 500, 20},
                                                  {"native_call_add.out", 300, 15}};
    static const struct made_operator int8[] = {{"native_call_add.out", 400, 30},
                                                {"native_call_mul.out", 200, 20},
                                                {"native_call_add.out", 300, 20},
                                                {"native_call_mean.out", 500, 15}};
    assert_pairs(floats, 3, int8, 4, (const char *const[]){"mean.out", NULL});
    assert_pairs(int8, 4, floats, 3, (const char *const[]){"mean.out", NULL});
}

static void order__does_not_part_single_names(void **state)
{
    (void)state;
    static const struct made_operator before[] = {{"native_call_mean.out", 500, 20},
                                                  {"native_call_relu.out", 200, 10},
                                                  {"native_call_add.out", 300, 15},
                                                  {"native_call_mul.out", 300, 15}};
    static const struct made_operator after[] = {{"native_call_sub.out", 200, 10},
                                                 {"native_call_relu.out", 200, 10},
                                                 {"native_call_add.out", 300, 15},
                                                 {"native_call_mean.out", 500, 20},
                                                 {"native_call_sub.out", 200, 10}};
    assert_pairs(before, 4, after, 5,
                 (const char *const[]){"mean.out", "relu.out", "add.out", NULL});
    assert_pairs(after, 5, before, 4,
                 (const char *const[]){"mean.out", "relu.out", "add.out", NULL});
}

/* Two methods in one trace, run in another order in the other: no record says which is which. */
static void blocks__are_paired_by_what_they_have_in_common(void **state)
{
    (void)state;
    static const struct made_event encode[] = {CALL("native_call_add.out", 0, 10, 20),
                                               CALL("native_call_mul.out", 1, 20, 30),
                                               FRAMEWORK("Method::execute", 5, 40)};
    static const struct made_event decode[] = {CALL("native_call_tanh.out", 0, 10, 20),
                                               CALL("native_call_relu.out", 1, 20, 30),
                                               FRAMEWORK("Method::execute", 5, 45)};
    const struct made_run forth[] = {{"Execute", -1, encode, 3, 0}, {"Execute", -1, decode, 3, 0}};
    const struct made_run back[] = {forth[1], forth[0]};
    struct made a = inspect_runs(forth, 2, (struct ets_inspect_options){0});
    struct made b = inspect_runs(back, 2, (struct ets_inspect_options){0});
    struct compared compared;
    compare(a.inspection, b.inspection, &compared);
    assert_int_equal(ets_difference_block_count(compared.difference), 2);
    for (uint32_t i = 0; i < ets_difference_line_count(compared.difference); i++) {
        const struct ets_difference_line *line = ets_difference_line(compared.difference, i);
        assert_int_equal(line->change, ETS_CHANGE_NONE);
        assert_true(line->change_of_median == 0);
    }
    compared_close(&compared);
    made_close(&a);
    made_close(&b);
}

/* A fixture's trace, joined to its record. */
struct joined {
    struct ets_file *dump, *record_file;
    struct ets_etrecord *record;
    struct ets_inspection *inspection;
};

static void join(const char *model, struct joined *joined)
{
    joined->dump = open_fixture(model, "profile.etdp");
    joined->record_file = open_fixture(model, "model.etrecord");
    joined->record = open_record(ets_file_bytes(joined->record_file));
    joined->inspection = inspect(ets_file_bytes(joined->dump),
                                 (struct ets_inspect_options){.record = joined->record});
}

static void joined_close(struct joined *joined)
{
    ets_inspection_close(joined->inspection);
    ets_etrecord_close(joined->record);
    ets_file_close(joined->record_file);
    ets_file_close(joined->dump);
}

/* Six kernels became one delegate call: one line, whose sides are what did the same work. */
static void handles__show_what_was_delegated(void **state)
{
    (void)state;
    struct joined portable, xnnpack;
    join("mlp_portable", &portable);
    join("mlp_xnnpack", &xnnpack);
    struct compared compared;
    compare(portable.inspection, xnnpack.inspection, &compared);
    const struct ets_difference_line *line = find_line(&compared, "addmm.out");
    assert_int_equal(line->change, ETS_CHANGE_DELEGATED);
    assert_int_equal(line->before.operator_count, 6);
    assert_int_equal(line->after.operator_count, 1);
    double sum = 0;
    for (uint32_t k = 0; k < 6; k++) {
        sum += line->before.block->operators[line->before.operators[k]].per_run[0];
    }
    assert_true(sum == line->before.per_run[0]);
    assert_int_equal(ets_difference_block(compared.difference, line->block)->by_handles, 1);
    compared_close(&compared);
    compare(xnnpack.inspection, portable.inspection, &compared);
    assert_int_equal(find_line(&compared, "addmm.out")->change, ETS_CHANGE_UNDELEGATED);
    compared_close(&compared);
    joined_close(&portable);
    joined_close(&xnnpack);
}

/* What the clock of XNNPACK counts in whole microseconds ties; the call around it does not. */
static void quanta__are_ties(void **state)
{
    (void)state;
    struct joined a;
    join("conv_xnnpack", &a);
    struct compared compared;
    compare(a.inspection, a.inspection, &compared);
    uint32_t inner = 0;
    for (uint32_t i = 0; i < ets_difference_line_count(compared.difference); i++) {
        const struct ets_difference_line *line = ets_difference_line(compared.difference, i);
        assert_int_equal(line->change, ETS_CHANGE_NONE);
        assert_int_not_equal(line->verdict, ETS_VERDICT_SLOWER);
        assert_true(line->change_of_median == 0);
        if (line->role != ETS_POOL_INNER) continue;
        inner++;
        assert_true(line->after.resolution == 1000);
    }
    assert_true(inner > 5);
    compared_close(&compared);
    joined_close(&a);
}

static void every_allocation__may_fail(void **state)
{
    (void)state;
    struct joined portable, xnnpack;
    join("mlp_portable", &portable);
    join("mlp_xnnpack", &xnnpack);
    const struct ets_inspection *left = portable.inspection, *right = xnnpack.inspection;
    struct ets_pool *before = open_pool(&left, 1), *after = open_pool(&right, 1);
    enum ets_status status = ETS_NO_MEMORY;
    for (unsigned long at = 0; status != ETS_OK; at++) {
        struct failing failing = {.fail_at = at};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        const struct ets_difference_options options = {.allocator = &allocator};
        struct ets_difference *difference = NULL;
        struct ets_error error;
        status = ets_difference_open(before, after, &options, &difference, &error);
        if (status != ETS_OK) assert_int_equal(status, ETS_NO_MEMORY);
        else ets_difference_close(difference);
        assert_int_equal(failing.live, 0);
        assert_true(at < 10000);
    }
    ets_pool_close(before);
    ets_pool_close(after);
    joined_close(&portable);
    joined_close(&xnnpack);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts__find_the_one_that_is_slower),
        cmocka_unit_test(verdicts__of_too_few_runs_are_unknown),
        cmocka_unit_test(changes__below_the_least_are_none),
        cmocka_unit_test(changes__of_nothing_are_no_verdict),
        cmocka_unit_test(order__survives_operators_put_in_and_taken_out),
        cmocka_unit_test(order__prefers_single_names),
        cmocka_unit_test(order__does_not_part_single_names),
        cmocka_unit_test(blocks__are_paired_by_what_they_have_in_common),
        cmocka_unit_test(handles__show_what_was_delegated),
        cmocka_unit_test(quanta__are_ties),
        cmocka_unit_test(every_allocation__may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
