/* Several traces as one: which blocks are the same, and that the parts of a run sum to the run. */
#include "test_compare_support.h"

#include <stdbool.h>

#include "compare/pool_parts.h"

static const struct made_operator three[] = {{"native_call_add.out", 100, 5},
                                             {"native_call_mul.out", 50, 3},
                                             {"native_call_add.out", 20, 0}};
static const struct made_operator other[] = {{"native_call_add.out", 100, 5},
                                             {"native_call_mul.out", 50, 3}};

static void blocks__of_one_program_are_one(void **state)
{
    (void)state;
    struct made a = inspect_program(three, COUNT(three), 5), b = inspect_program(three, 3, 8);
    struct made c = inspect_program(other, COUNT(other), 2);
    const struct ets_inspection *all[] = {a.inspection, c.inspection, b.inspection};
    struct ets_pool *pool = open_pool(all, COUNT(all));
    assert_int_equal(ets_pool_block_count(pool), 2);
    const struct ets_pool_block *block = ets_pool_block(pool, 0);
    assert_int_equal(block->part_count, 2);
    assert_int_equal(block->run_count, 13);
    assert_int_equal(block->parts[1].inspection, 2);
    assert_int_equal(block->parts[1].first_run, 5);
    assert_int_equal(ets_pool_block(pool, 1)->run_count, 2);
    assert_int_equal(block->operator_count, 5); /* with the total and the rest */
    assert_text(block->operators[0].name, "Method::execute");
    assert_text(block->operators[1].name, "add.out");
    assert_int_equal(block->operators[1].role, ETS_POOL_WORK);
    assert_text(block->operators[4].name, "(between operators)");
    for (uint32_t r = 0; r < 13; r++) { /* runs of the second part come as they were logged */
        assert_true(block->operators[1].per_run[r] == 100 + (r < 5 ? r : r - 5) * 7 % 5);
    }
    ets_pool_close(pool);
    made_close(&a);
    made_close(&b);
    made_close(&c);
}

static void parts__of_each_run_sum_to_the_run(void **state)
{
    (void)state;
    static const char *const models[] = {"mlp_portable", "conv_xnnpack", "map_loop", "cond",
                                         "multi_method"};
    for (size_t m = 0; m < COUNT(models); m++) {
        struct ets_file *file = open_fixture(models[m], "profile.etdp");
        const struct ets_inspection *inspection =
            inspect(ets_file_bytes(file), (struct ets_inspect_options){0});
        struct ets_pool *pool = open_pool(&inspection, 1);
        for (uint32_t b = 0; b < ets_pool_block_count(pool); b++) {
            const struct ets_pool_block *block = ets_pool_block(pool, b);
            for (uint32_t r = 0; block->total != ETS_NO_INDEX && r < block->run_count; r++) {
                double sum = 0;
                bool has_rest = false;
                for (uint32_t i = 0; i < block->operator_count; i++) {
                    const struct ets_pool_operator *op = &block->operators[i];
                    if (op->parent == block->total) sum += op->per_run[r];
                    has_rest |= op->role == ETS_POOL_REST;
                    assert_true(op->parent == ETS_NO_INDEX || op->parent < i);
                }
                if (has_rest) assert_true(sum == block->operators[block->total].per_run[r]);
            }
        }
        ets_pool_close(pool);
        ets_inspection_close((struct ets_inspection *)(uintptr_t)inspection);
        ets_file_close(file);
    }
}

/* The pool keeps the first trace of a kind; the others are gone before it is put together. */
static void traces__come_one_at_a_time(void **state)
{
    (void)state;
    struct ets_pool *pool = NULL;
    struct made first = {.inspection = NULL}, last = {.inspection = NULL};
    int is_kept = 0;
    assert_int_equal(ets_pool_begin(NULL, &pool, NULL), ETS_OK);
    for (uint32_t i = 0; i < 10; i++) {
        const bool is_last = i == 9;
        struct made each = inspect_program(is_last ? other : three, is_last ? 2 : 3, 5);
        assert_int_equal(ets_pool_add(pool, each.inspection, &is_kept, NULL), ETS_OK);
        assert_int_equal(is_kept, i == 0 || is_last);
        if (i == 0) first = each;
        else if (is_last) last = each;
        else made_close(&each);
    }
    assert_int_equal(ets_pool_end(pool, NULL), ETS_OK);
    assert_int_equal(ets_pool_block_count(pool), 2);
    const struct ets_pool_block *block = ets_pool_block(pool, 0);
    assert_int_equal(block->part_count, 9);
    assert_int_equal(block->parts[8].inspection, 8);
    assert_true(block->operators[1].per_run[44] == 100 + 4 * 7 % 5);
    assert_int_equal(ets_pool_block(pool, 1)->parts[0].inspection, 9);
    ets_pool_close(pool);
    made_close(&first);
    made_close(&last);
}

/* Microseconds and nanoseconds are put together as what they are. */
static void times__are_nanoseconds(void **state)
{
    (void)state;
    struct made ns = inspect_program(other, 2, 2);
    struct made us = {.dump = make_program(other, 2, 2)};
    us.inspection = inspect(us.dump, (struct ets_inspect_options){.tick_unit = ETS_UNIT_US});
    const struct ets_inspection *all[] = {ns.inspection, us.inspection};
    struct ets_pool *pool = open_pool(all, 2);
    assert_int_equal(ets_pool_unit(pool), ETS_UNIT_NS);
    const struct ets_pool_operator *op = &ets_pool_block(pool, 0)->operators[1];
    assert_true(op->per_run[0] == 100 && op->per_run[2] == 100000);
    ets_pool_close(pool);
    made_close(&ns);
    made_close(&us);
}

/* Groups by operator or module, in every fixture, have the same operators' time and sum to it. */
static void groups__sum_to_the_run(void **state)
{
    (void)state;
    static const char *const models[] = {"mlp_portable", "conv_xnnpack", "mlp_xnnpack",
                                         "map_loop",     "cond",         "multi_method"};
    for (size_t m = 0; m < 2 * COUNT(models); m++) {
        struct ets_file *file = open_fixture(models[m / 2], "profile.etdp");
        struct ets_inspection *inspection =
            inspect(ets_file_bytes(file), (struct ets_inspect_options){0});
        const struct ets_inspection *all[] = {inspection};
        const struct ets_pool_options options = {.by = m % 2 == 0 ? ETS_POOL_BY_OPERATOR
                                                                  : ETS_POOL_BY_MODULE};
        struct ets_pool *pool = NULL;
        assert_int_equal(ets_pool_open(all, 1, &options, &pool, NULL), ETS_OK);
        for (uint32_t b = 0; b < ets_pool_block_count(pool); b++) {
            const struct ets_pool_block *block = ets_pool_block(pool, b);
            const bool is_load = block->operators[block->operator_count - 1].role != ETS_POOL_REST;
            for (uint32_t r = 0; !is_load && r < block->run_count; r++) {
                double sum = 0, resolution = 0;
                for (uint32_t i = 1; i < block->operator_count; i++) {
                    const struct ets_pool_operator *op = &block->operators[i];
                    assert_int_equal(op->parent == block->total || op->role == ETS_POOL_WORK, 1);
                    assert_true(i == 1 || op->role == ETS_POOL_REST ||
                                ets_text_compare(op[-1].name, op->name) < 0);
                    sum += op->per_run[r];
                    resolution += op->resolution;
                }
                const double whole = block->operators[0].per_run[r];
                assert_true(sum <= whole + resolution && whole <= sum + resolution);
            }
        }
        ets_pool_close(pool);
        ets_inspection_close(inspection);
        ets_file_close(file);
    }
}

static void fail_each_allocation(enum ets_pool_by by)
{
    struct made a = inspect_program(three, 3, 5), b = inspect_program(other, 2, 4);
    const struct ets_inspection *all[] = {a.inspection, b.inspection};
    enum ets_status status = ETS_NO_MEMORY;
    for (unsigned long at = 0; status != ETS_OK; at++) {
        struct failing failing = {.fail_at = at};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        const struct ets_pool_options options = {.steady = 1, .by = by, .allocator = &allocator};
        struct ets_pool *pool = NULL;
        struct ets_error error;
        status = ets_pool_open(all, COUNT(all), &options, &pool, &error);
        if (status != ETS_OK) assert_int_equal(status, ETS_NO_MEMORY);
        else ets_pool_close(pool);
        assert_int_equal(failing.live, 0);
        assert_true(at < 10000);
    }
    made_close(&a);
    made_close(&b);
}

static void every_allocation__may_fail(void **state)
{
    (void)state;
    fail_each_allocation(ETS_POOL_BY_NONE);
    fail_each_allocation(ETS_POOL_BY_OPERATOR);
    fail_each_allocation(ETS_POOL_BY_MODULE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks__of_one_program_are_one),
        cmocka_unit_test(parts__of_each_run_sum_to_the_run),
        cmocka_unit_test(traces__come_one_at_a_time),
        cmocka_unit_test(groups__sum_to_the_run),
        cmocka_unit_test(times__are_nanoseconds),
        cmocka_unit_test(every_allocation__may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
