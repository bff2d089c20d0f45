/* Tables without memory: each allocation of each table may fail, which is told and loses nothing.
 */
#include "test_model_support.h"

#include "compare/pool_parts.h"
#include "etscope/experimental/delegates.h"
#include "etscope/experimental/pool.h"
#include "output/table/account_table.h"
#include "output/table/annotate_table.h"
#include "output/table/delegate_table.h"
#include "output/table/operator_table.h"
#include "output/table/pool_table.h"
#include "output/table/program_tables.h"
#include "output/table/run_table.h"
#include "output/table/trace_tables.h"
#include "test_machine_support.h"

struct subject {
    struct model model;
    struct ets_delegation *delegations;
    struct ets_pool *pool;
};

/* Fills an empty table with something of the subject. */
typedef enum ets_status fill_table(struct ets_table *table, const struct subject *subject,
                                   struct ets_error *error);

/* In place: the delegations borrow the program, too. */
static void open_subject(const char *name, struct subject *s)
{
    open_model(name, &s->model);
    const struct ets_delegation_options options = {.program = &s->model.program,
                                                   .record = s->model.record};
    assert_int_equal(ets_delegation_open(&options, &s->delegations, NULL), ETS_OK);
    const struct ets_inspection *const both[] = {s->model.inspection, s->model.inspection};
    assert_int_equal(ets_pool_open(both, 2, NULL, &s->pool, NULL), ETS_OK);
}

static void close_subject(struct subject *s)
{
    ets_pool_close(s->pool);
    ets_delegation_close(s->delegations);
    close_model(&s->model);
}

/* Opens, fills and writes a table. */
static enum ets_status show_with(const struct ets_allocator *allocator, fill_table *fill,
                                 const struct subject *s, struct ets_error *error)
{
    const struct ets_table_style style = {.format = ETS_FORMAT_JSON};
    struct ets_table *table = NULL;
    enum ets_status status = ets_table_open(allocator, &table, error);
    if (status == ETS_OK) status = fill(table, s, error);
    if (status == ETS_OK) {
        struct ets_output *output;
        assert_int_equal(ets_output_open("/dev/null", &output, NULL), ETS_OK);
        status = ets_table_write(table, &style, output, error);
        ets_output_discard(output);
    }
    ets_table_close(table);
    return status;
}

static void assert_failures_are_told(const char *model, fill_table *fill)
{
    struct subject s;
    open_subject(model, &s);
    enum ets_status status = ETS_NO_MEMORY;
    unsigned long n = 0;
    for (; status != ETS_OK; n++) {
        struct failing failing = {.fail_at = n};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        struct ets_error error = {.status = ETS_OK};
        status = show_with(&allocator, fill, &s, &error);
        assert_int_equal(status, error.status);
        if (status == ETS_OK) assert_true(failing.calls <= n); /* nothing was left out */
        else assert_int_equal(status, ETS_NO_MEMORY);
        if (status != ETS_OK) assert_memory_equal(error.message, "no memory ", 10);
        assert_int_equal(failing.live, 0);
        assert_true(n < 10000);
    }
    assert_true(n > 2);
    close_subject(&s);
}

static enum ets_status fill_delegates(struct ets_table *table, const struct subject *s,
                                      struct ets_error *error)
{
    const struct ets_delegate_table_options options = {.inspection = s->model.inspection};
    return ets_delegate_table_fill(table, s->delegations, &options, error);
}

static void test_table_faults__of_delegates(void **state)
{
    (void)state;
    assert_failures_are_told("conv_xnnpack", fill_delegates);
    assert_failures_are_told("multi_method", fill_delegates);
}

/* What both say of a machine's roofs. */
static enum ets_status fill_delegates_held(struct ets_table *table, const struct subject *s,
                                           struct ets_error *error)
{
    const struct ets_delegate_table_options options = {.inspection = s->model.inspection,
                                                       .tick_unit = ETS_UNIT_NS,
                                                       .program = &s->model.program,
                                                       .machine = &made_machine,
                                                       .threads = 1};
    return ets_delegate_table_fill(table, s->delegations, &options, error);
}

static enum ets_status fill_lines_held(struct ets_table *table, const struct subject *s,
                                       struct ets_error *error)
{
    const struct ets_annotate_options options = {.block = ETS_NO_INDEX,
                                                 .run = ETS_NO_INDEX,
                                                 .has_costs = 1,
                                                 .machine = &made_machine,
                                                 .threads = 1};
    return ets_annotate_table_fill(table, s->model.inspection, &options, NULL, error);
}

static void test_table_faults__of_what_is_held_against_a_machine(void **state)
{
    (void)state;
    assert_failures_are_told("conv_xnnpack", fill_delegates_held);
    assert_failures_are_told("conv_xnnpack", fill_lines_held);
}

static enum ets_status fill_tree(struct ets_table *table, const struct subject *s,
                                 struct ets_error *error)
{
    const struct ets_account_options options = {
        .block = ETS_NO_INDEX, .run = ETS_NO_INDEX, .steady = 1, .top = 3};
    return ets_account_table_fill(table, s->model.inspection, &options, error);
}

static void test_table_faults__of_the_tree(void **state)
{
    (void)state;
    assert_failures_are_told("conv_xnnpack", fill_tree);
    assert_failures_are_told("cond", fill_tree);
}

static enum ets_status fill_pool(struct ets_table *table, const struct subject *s,
                                 struct ets_error *error)
{
    const char *const files[] = {"first.etdp", "second.etdp"};
    const struct ets_pool_table_options options = {.files = files, .by_time = 1};
    return ets_pool_table_fill(table, s->pool, &options, error);
}

static void test_table_faults__of_several_traces(void **state)
{
    (void)state;
    assert_failures_are_told("conv_xnnpack", fill_pool);
    assert_failures_are_told("mlp_portable", fill_pool);
}

static enum ets_status fill_difference(struct ets_table *table, const struct subject *s,
                                       struct ets_error *error)
{
    const struct ets_inspection *const both[] = {s->model.inspection, s->model.inspection};
    const struct ets_trace_side sides[2] = {{both, 1}, {both, 2}};
    const struct ets_trace_difference_options options = {.steady = 1, .sort = ETS_SORT_CHANGE};
    return ets_trace_difference_of(table, sides, &options, error);
}

static void test_table_faults__of_a_difference(void **state)
{
    (void)state;
    assert_failures_are_told("conv_xnnpack", fill_difference);
}

static enum ets_status fill_steps(struct ets_table *table, const struct subject *s,
                                  struct ets_error *error)
{
    return ets_memory_table_fill(table, &s->model.program, s->model.record, NULL, ETS_MEMORY_STEPS,
                                 error);
}

static void test_table_faults__of_live_bytes(void **state)
{
    (void)state;
    assert_failures_are_told("cond", fill_steps);
}

static enum ets_status fill_methods(struct ets_table *table, const struct subject *s,
                                    struct ets_error *error)
{
    const struct ets_run_table_options options = {
        .of = {.block = ETS_NO_INDEX, .run = ETS_NO_INDEX, .steady = 1}};
    return ets_run_table_fill(table, s->model.inspection, &options, error);
}

static enum ets_status fill_runs(struct ets_table *table, const struct subject *s,
                                 struct ets_error *error)
{
    const struct ets_run_table_options options = {
        .of = {.one_by_one = true, .block = ETS_NO_INDEX, .run = ETS_NO_INDEX}};
    return ets_run_table_fill(table, s->model.inspection, &options, error);
}

static void test_table_faults__of_runs(void **state)
{
    (void)state;
    assert_failures_are_told("multi_method", fill_methods);
    assert_failures_are_told("multi_method", fill_runs);
}

static enum ets_status fill_operators(struct ets_table *table, const struct subject *s,
                                      struct ets_error *error)
{
    const struct ets_operator_options options = {
        .block = ETS_NO_INDEX, .run = ETS_NO_INDEX, .steady = 1};
    return ets_operator_table_fill(table, s->model.inspection, &options, error);
}

static enum ets_status fill_modules(struct ets_table *table, const struct subject *s,
                                    struct ets_error *error)
{
    const struct ets_operator_options options = {
        .group_by = ETS_GROUP_MODULE, .block = ETS_NO_INDEX, .run = ETS_NO_INDEX};
    return ets_operator_table_fill(table, s->model.inspection, &options, error);
}

static enum ets_status fill_source_lines(struct ets_table *table, const struct subject *s,
                                         struct ets_error *error)
{
    const struct ets_operator_options options = {
        .group_by = ETS_GROUP_SOURCE, .block = ETS_NO_INDEX, .run = ETS_NO_INDEX};
    return ets_operator_table_fill(table, s->model.inspection, &options, error);
}

static enum ets_status fill_roofs(struct ets_table *table, const struct subject *s,
                                  struct ets_error *error)
{
    const struct ets_operator_options options = {.group_by = ETS_GROUP_MODULE,
                                                 .block = ETS_NO_INDEX,
                                                 .run = ETS_NO_INDEX,
                                                 .has_costs = 1,
                                                 .machine = &made_machine,
                                                 .threads = 1};
    return ets_operator_table_fill(table, s->model.inspection, &options, error);
}

static void test_table_faults__of_operators(void **state)
{
    (void)state;
    assert_failures_are_told("conv_xnnpack", fill_operators);
    assert_failures_are_told("conv_xnnpack", fill_modules);
    assert_failures_are_told("multi_method", fill_source_lines);
    assert_failures_are_told("gpt_portable", fill_roofs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_faults__of_delegates),
        cmocka_unit_test(test_table_faults__of_what_is_held_against_a_machine),
        cmocka_unit_test(test_table_faults__of_the_tree),
        cmocka_unit_test(test_table_faults__of_several_traces),
        cmocka_unit_test(test_table_faults__of_a_difference),
        cmocka_unit_test(test_table_faults__of_live_bytes),
        cmocka_unit_test(test_table_faults__of_runs),
        cmocka_unit_test(test_table_faults__of_operators),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
