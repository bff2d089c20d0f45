/* Two sets of traces: who is compared with whom, and what the verdicts say where truth is known. */
#include "test_compare_support.h"

#include <math.h>

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

static void record(const struct made_operator *after, uint32_t recordings, uint64_t spread,
                   struct recorded *out)
{
    compare_recordings((const struct made_operator *const[]){base, after}, (const uint32_t[]){4, 4},
                       20, recordings, spread, out);
}

static void verdicts__find_the_one_that_is_slower(void **state)
{
    (void)state;
    struct made_operator slower[4];
    struct recorded recorded;
    memcpy(slower, base, sizeof base);
    slower[2].ticks = 300;
    record(slower, 5, 1, &recorded);
    const struct compared *compared = &recorded.compared;
    const struct ets_difference_line *line = find_line(compared, "relu.out");
    assert_change(line, ETS_CHANGE_NONE, ETS_VERDICT_SLOWER);
    assert_true(fabs(line->change_of_median - 100) < 2);
    assert_true(line->interval.low <= line->change_of_median);
    assert_true(line->interval.high >= line->change_of_median);
    assert_true(line->p_is_exact && fabs(line->p - 2.0 / 252) < 1e-9);
    assert_change(find_line(compared, "add.out"), ETS_CHANGE_NONE, ETS_VERDICT_SAME);
    assert_change(find_line(compared, "mul.out"), ETS_CHANGE_NONE, ETS_VERDICT_SAME);
    assert_change(find_line(compared, "Method::execute"), ETS_CHANGE_NONE, ETS_VERDICT_SLOWER);
    assert_int_equal(ets_difference_line_count(compared->difference), 6);
    recorded_close(&recorded);
}

/* Runs of one process do not count as independent: twenty of them are one recording. */
static void verdicts__of_one_recording_a_side_are_none(void **state)
{
    (void)state;
    struct made_operator slower[4];
    struct recorded recorded;
    memcpy(slower, base, sizeof base);
    slower[0].ticks = 9000;
    record(slower, 1, 1, &recorded);
    const struct compared *compared = &recorded.compared;
    assert_change(find_line(compared, "add.out"), ETS_CHANGE_NONE, ETS_VERDICT_DIFFERS);
    assert_change(find_line(compared, "relu.out"), ETS_CHANGE_NONE, ETS_VERDICT_UNCLEAR);
    assert_int_equal(find_line(compared, "add.out")->doubt, ETS_LINE_ONE_RECORDING);
    recorded_close(&recorded);
}

static void verdicts__of_two_or_three_recordings_say_how_many_would_decide(void **state)
{
    (void)state;
    struct made_operator slower[4];
    memcpy(slower, base, sizeof base);
    slower[0].ticks = 9000;
    for (uint32_t n = 2; n <= 3; n++) {
        struct recorded recorded;
        record(slower, n, 1, &recorded);
        const struct ets_difference_line *whole = find_line(&recorded.compared, "Method::execute");
        assert_change(whole, ETS_CHANGE_NONE, ETS_VERDICT_UNDECIDED);
        assert_int_equal(whole->doubt, ETS_LINE_FEW_RECORDINGS);
        assert_int_equal(whole->recordings_needed, ETS_LEAST_RECORDINGS);
        assert_int_equal(find_line(&recorded.compared, "add.out")->recordings_needed,
                         ETS_ADVISED_RECORDINGS);
        recorded_close(&recorded);
    }
}

/* The recordings of one side differ by more than the sides do. */
static void verdicts__need_more_than_the_spread(void **state)
{
    (void)state;
    struct made_operator slower[4];
    struct recorded recorded;
    memcpy(slower, base, sizeof base);
    slower[0].ticks += 130;
    record(slower, 5, 150, &recorded);
    const struct ets_difference_line *line = find_line(&recorded.compared, "add.out");
    assert_true(line->change_of_median > 100 && line->spread > 0);
    assert_string_equal(ets_verdict_name(line->verdict),
                        line->change_of_median > line->spread ? "slower" : "undecided");
    recorded_close(&recorded);
}

/* One recording, given five times, is one. */
static void copies__count_once(void **state)
{
    (void)state;
    struct made_operator slower[4];
    memcpy(slower, base, sizeof base);
    slower[0].ticks = 9000;
    struct made a = inspect_program(base, 4, 20), b = inspect_program(slower, 4, 20);
    const struct ets_inspection *before[5], *after[5];
    for (int i = 0; i < 5; i++) {
        before[i] = a.inspection;
        after[i] = b.inspection;
    }
    const struct ets_difference_options options = {.least_change = 0.01};
    struct compared compared = {.pools = {open_pool(before, 5), open_pool(after, 5)}};
    assert_int_equal(ets_difference_open(compared.pools[0], compared.pools[1], &options,
                                         &compared.difference, NULL),
                     ETS_OK);
    assert_int_equal(ets_difference_block(compared.difference, 0)->before_recordings, 1);
    assert_change(find_line(&compared, "add.out"), ETS_CHANGE_NONE, ETS_VERDICT_DIFFERS);
    compared_close(&compared);
    made_close(&a);
    made_close(&b);
}

static void changes__below_the_least_are_none(void **state)
{
    (void)state;
    static const struct made_operator before[] = {{"native_call_add.out", 100000, 0}};
    static const struct made_operator after[] = {{"native_call_add.out", 100900, 0}};
    struct recorded recorded;
    compare_recordings((const struct made_operator *const[]){before, after},
                       (const uint32_t[]){1, 1}, 20, 5, 3, &recorded);
    const struct ets_difference_line *line = find_line(&recorded.compared, "add.out");
    assert_true(line->adjusted_p < 0.01);
    assert_change(line, ETS_CHANGE_NONE, ETS_VERDICT_SAME);
    recorded_close(&recorded);
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

static void order__an_operator_that_moved_is_not_removed_and_added(void **state)
{
    (void)state;
    static const struct made_operator before[] = {{"native_call_add.out", 100, 3},
                                                  {"native_call_mul.out", 200, 3},
                                                  {"native_call_add.out", 300, 3},
                                                  {"native_call_relu.out", 400, 3}};
    static const struct made_operator after[] = {{"native_call_relu.out", 400, 3},
                                                 {"native_call_add.out", 300, 3},
                                                 {"native_call_add.out", 100, 3},
                                                 {"native_call_mul.out", 200, 3}};
    struct made a = inspect_program(before, 4, 5), b = inspect_program(after, 4, 5);
    struct compared compared;
    compare(a.inspection, b.inspection, &compared);
    for (uint32_t i = 0; i < ets_difference_line_count(compared.difference); i++) {
        assert_int_equal(ets_difference_line(compared.difference, i)->change, ETS_CHANGE_NONE);
    }
    compared_close(&compared);
    made_close(&a);
    made_close(&b);
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
        cmocka_unit_test(verdicts__of_one_recording_a_side_are_none),
        cmocka_unit_test(verdicts__of_two_or_three_recordings_say_how_many_would_decide),
        cmocka_unit_test(verdicts__need_more_than_the_spread),
        cmocka_unit_test(copies__count_once),
        cmocka_unit_test(changes__below_the_least_are_none),
        cmocka_unit_test(order__survives_operators_put_in_and_taken_out),
        cmocka_unit_test(order__prefers_single_names),
        cmocka_unit_test(order__does_not_part_single_names),
        cmocka_unit_test(order__an_operator_that_moved_is_not_removed_and_added),
        cmocka_unit_test(blocks__are_paired_by_what_they_have_in_common),
        cmocka_unit_test(handles__show_what_was_delegated),
        cmocka_unit_test(quanta__are_ties),
        cmocka_unit_test(every_allocation__may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
