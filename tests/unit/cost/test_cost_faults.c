/* Costs where memory runs out at every allocation, and of every cut of a program. */
#include "test_faults_support.h"
#include "test_files_support.h"

#include "cost/row_costs.h"
#include "cost/step_costs.h"

static struct ets_bytes file_of(const char *name, struct ets_file **file_out)
{
    char path[512];
    snprintf(path, sizeof path, TEST_DATA "/%s", name);
    assert_int_equal(ets_file_open(path, file_out, NULL), ETS_OK);
    return ets_file_bytes(*file_out);
}

/* Counts with an allocator that fails from call `fail_at` on. */
static enum ets_status count_steps(const struct ets_program *program, struct ets_etrecord *record,
                                   const struct ets_delegation *delegation, struct failing *failing)
{
    struct ets_arena arena;
    struct ets_step_costs costs;
    const struct ets_allocator allocator = {failing_reallocate, failing_release, failing};
    struct ets_error error = {.status = ETS_OK};
    ets_arena_init(&arena, &allocator, 0);
    const enum ets_status status =
        ets_step_costs_find(&arena, program, record, delegation, &costs, &error);
    assert_int_equal(error.status, status);
    ets_arena_reset(&arena);
    assert_int_equal(failing->live, 0);
    return status;
}

static void test_cost_faults__no_memory_at_any_allocation(void **state)
{
    static const char *const folders[] = {"conv_xnnpack", "cond", "multi_method"};
    (void)state;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char name[64];
        struct ets_file *program_file, *record_file;
        struct ets_program program;
        struct ets_etrecord *record;
        struct ets_delegation *delegation;
        snprintf(name, sizeof name, "%s/model.pte", folders[i]);
        assert_int_equal(ets_program_init(&program, file_of(name, &program_file), NULL), ETS_OK);
        snprintf(name, sizeof name, "%s/model.etrecord", folders[i]);
        assert_int_equal(ets_etrecord_open(file_of(name, &record_file), NULL, &record, NULL),
                         ETS_OK);
        const struct ets_delegation_options options = {.program = &program, .record = record};
        assert_int_equal(ets_delegation_open(&options, &delegation, NULL), ETS_OK);
        unsigned long failures = 0;
        struct failing failing = {.fail_at = 0};
        while (count_steps(&program, record, delegation, &failing) != ETS_OK) {
            failing = (struct failing){.fail_at = ++failures};
        }
        assert_true(failures > 3);
        ets_delegation_close(delegation);
        ets_etrecord_close(record);
        ets_file_close(record_file);
        ets_file_close(program_file);
    }
}

static void test_cost_faults__rows_without_memory(void **state)
{
    (void)state;
    struct ets_file *program_file, *trace_file;
    struct ets_program program;
    struct ets_inspection *inspection;
    assert_int_equal(
        ets_program_init(&program, file_of("conv_xnnpack/model.pte", &program_file), NULL), ETS_OK);
    const struct ets_inspect_options options = {.program = &program};
    assert_int_equal(ets_inspection_open(file_of("conv_xnnpack/profile.etdp", &trace_file),
                                         &options, &inspection, NULL),
                     ETS_OK);
    enum ets_status status = ETS_NO_MEMORY;
    for (unsigned long i = 0; status != ETS_OK; i++) {
        struct failing failing = {.fail_at = i};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        struct ets_arena arena;
        struct ets_costs costs;
        ets_arena_init(&arena, &allocator, 0);
        status = ets_row_costs_find(&arena, inspection, &costs, NULL);
        assert_true(status == ETS_OK || status == ETS_NO_MEMORY);
        ets_arena_reset(&arena);
        assert_int_equal(failing.live, 0);
    }
    ets_inspection_close(inspection);
    ets_file_close(trace_file);
    ets_file_close(program_file);
}

static void test_cost_faults__a_token_without_memory(void **state)
{
    (void)state;
    struct ets_file *file;
    struct ets_program program;
    struct ets_cost cost;
    const struct ets_token_sizes sizes = {.tokens = 1, .has_position = true, .position = 7};
    assert_int_equal(ets_program_init(&program, file_of("llama/kv_sdpa.pte", &file), NULL), ETS_OK);
    enum ets_status status = ETS_NO_MEMORY;
    for (unsigned long i = 0; status != ETS_OK; i++) {
        struct failing failing = {.fail_at = i};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        struct ets_arena arena;
        ets_arena_init(&arena, &allocator, 0);
        status = ets_call_cost_find(&arena, &program, "forward", &sizes, &cost, NULL);
        assert_true(status == ETS_OK || status == ETS_NO_MEMORY);
        ets_arena_reset(&arena);
        assert_int_equal(failing.live, 0);
    }
    assert_int_equal(ets_cost_state(&cost), ETS_COST_KNOWN);
    assert_false(cost.at_most);
    ets_file_close(file);
}

/* What verifies after one byte was changed has numbers that fit, or none. */
static void test_cost_faults__changed_bytes(void **state)
{
    (void)state;
    struct ets_file *file;
    const struct ets_bytes whole = file_of("mlp_xnnpack/model.pte", &file);
    uint8_t *copy = malloc(whole.size);
    assert_non_null(copy);
    memcpy(copy, whole.data, whole.size);
    unsigned counted = 0;
    for (size_t i = 0; i < whole.size; i++) {
        struct ets_program program;
        struct ets_delegation *delegation;
        copy[i] ^= 0xff;
        if (ets_program_init(&program, (struct ets_bytes){copy, whole.size}, NULL) == ETS_OK) {
            const struct ets_delegation_options options = {.program = &program};
            if (ets_delegation_open(&options, &delegation, NULL) == ETS_OK) {
                struct ets_arena arena;
                struct ets_step_costs costs;
                ets_arena_init(&arena, NULL, 0);
                assert_int_equal(
                    ets_step_costs_find(&arena, &program, NULL, delegation, &costs, NULL), ETS_OK);
                for (uint32_t m = 0; m < program.method_count; m++) {
                    const struct ets_cost *cost = &costs.methods[m].total.cost;
                    assert_true(ets_cost_flops(cost) <= INT64_MAX);
                    assert_true(ets_cost_bytes(cost) <= INT64_MAX);
                    counted += ets_cost_state(cost) != ETS_COST_NONE;
                }
                ets_arena_reset(&arena);
                ets_delegation_close(delegation);
            }
        }
        copy[i] ^= 0xff;
    }
    assert_true(counted > 100);
    free(copy);
    ets_file_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cost_faults__no_memory_at_any_allocation),
        cmocka_unit_test(test_cost_faults__rows_without_memory),
        cmocka_unit_test(test_cost_faults__a_token_without_memory),
        cmocka_unit_test(test_cost_faults__changed_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
