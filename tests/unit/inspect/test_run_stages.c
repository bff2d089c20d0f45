/* What runs of a language model compute: entries of the extra block, and what is assumed. */
#include "test_recorded_runs.h"

#include "base/extra_keys.h"
#include "inspect/time_details.h"

enum { RUNS = 5 };

static struct ets_bytes record(uint8_t bytes[TRACE_BYTES])
{
    static const uint64_t ticks[RUNS] = {10, 10, 10, 10, 10};
    return record_runs(bytes, ticks, RUNS);
}

static struct ets_inspection *open_with(struct ets_bytes trace, uint32_t prompt)
{
    struct ets_inspection *inspection;
    struct ets_error error;
    const struct ets_inspect_options options = {.prompt = prompt};
    assert_int_equal(ets_inspection_open(trace, &options, &inspection, &error), ETS_OK);
    return inspection;
}

static uint32_t count_blocks_of(const struct ets_inspection *inspection, enum ets_run_stage stage)
{
    uint32_t count = 0;
    for (uint32_t b = 0; b < ets_inspection_block_count(inspection); b++) {
        count += ets_inspection_block(inspection, b)->stage == stage;
    }
    return count;
}

static const struct ets_run *executed(const struct ets_inspection *inspection, uint32_t number)
{
    for (uint32_t i = 0; i < ets_inspection_run_count(inspection); i++) {
        const struct ets_run *run = ets_inspection_run(inspection, i);
        if (run->purpose == ETS_TRACE_EXECUTE && number-- == 0) return run;
    }
    fail();
    return NULL;
}

static void stages__divide_the_runs_of_a_method(void **state)
{
    (void)state;
    uint8_t room[TRACE_BYTES];
    const struct ets_bytes recorded = record(room);
    struct ets_inspection *inspection = open_with(recorded, 0);
    assert_int_equal(count_blocks_of(inspection, ETS_STAGE_PREFILL), 0);
    assert_int_equal(executed(inspection, 0)->tokens, 0);
    const uint32_t blocks = ets_inspection_block_count(inspection);
    ets_inspection_close(inspection);

    const struct ets_text method = {"forward", 7}, other = {"decode", 6};
    const struct ets_run_tokens runs[] = {
        {method, 0, ETS_STAGE_PREFILL, 8, 0}, {other, 1, ETS_STAGE_DECODE, 9, 9},
        {method, 2, ETS_STAGE_DECODE, 1, 9},  {method, 1, ETS_STAGE_DECODE, 1, 8},
        {method, 77, ETS_STAGE_DECODE, 1, 8},
    };
    size_t size;
    uint8_t *grown = with_entries(recorded, runs, COUNT(runs), &size);
    inspection = open_with((struct ets_bytes){grown, size}, 100); /* the trace knows better */
    assert_int_equal(ets_inspection_block_count(inspection), blocks + 2);
    assert_int_equal(count_blocks_of(inspection, ETS_STAGE_PREFILL), 1);
    assert_int_equal(count_blocks_of(inspection, ETS_STAGE_DECODE), 1);
    assert_int_equal(executed(inspection, 0)->tokens, 8);
    assert_int_equal(executed(inspection, 1)->position, 8);
    assert_int_equal(executed(inspection, 2)->position, 9);
    assert_int_equal(executed(inspection, 2)->stage, ETS_STAGE_DECODE);
    assert_int_equal(executed(inspection, 3)->stage, ETS_STAGE_NONE);
    ets_inspection_close(inspection);
    free(grown);
}

static void stages__are_one_block_of_many_test_cases(void **state)
{
    (void)state;
    static const uint64_t ticks[RUNS] = {10, 10, 10, 10, 10};
    uint8_t room[TRACE_BYTES];
    const struct ets_bytes recorded = record_any(room, ticks, NULL, RUNS, 1);
    struct ets_inspection *inspection = open_with(recorded, 0);
    assert_int_equal(count_blocks_of(inspection, ETS_STAGE_NONE), RUNS); /* a block for each case */
    ets_inspection_close(inspection);
    inspection = open_with(recorded, 8);
    assert_int_equal(ets_inspection_block_count(inspection), 2);
    for (uint32_t b = 0; b < 2; b++) {
        const struct ets_block *block = ets_inspection_block(inspection, b);
        assert_int_equal(block->bundled_input_index, -1);
        assert_int_equal(block->run_count, block->stage == ETS_STAGE_PREFILL ? 1 : RUNS - 1);
    }
    assert_int_equal(executed(inspection, 3)->bundled_input_index, 3);
    ets_inspection_close(inspection);
}

static void stages__are_assumed_from_a_prompt(void **state)
{
    (void)state;
    uint8_t room[TRACE_BYTES];
    const struct ets_bytes recorded = record(room);
    struct ets_inspection *inspection = open_with(recorded, 8);
    assert_int_equal(count_blocks_of(inspection, ETS_STAGE_PREFILL), 1);
    assert_int_equal(count_blocks_of(inspection, ETS_STAGE_DECODE), 1);
    assert_int_equal(executed(inspection, 0)->tokens, 8);
    assert_int_equal(executed(inspection, 4)->tokens, 1);
    assert_int_equal(executed(inspection, 4)->position, 11);
    ets_inspection_close(inspection);
}

static void stages__of_entries_that_make_no_sense_are_skipped(void **state)
{
    (void)state;
    uint8_t room[TRACE_BYTES];
    const struct ets_bytes recorded = record(room);
    const struct ets_text method = {"forward", 7};
    const struct ets_run_tokens runs[] = {
        {method, 0, ETS_STAGE_NONE, 8, 0},
        {method, 1, ETS_STAGE_COUNT, 8, 0},
        {method, 2, ETS_STAGE_DECODE, 0, 0},
        {method, 3, ETS_STAGE_DECODE, UINT32_MAX, 0},
        {method, 4, ETS_STAGE_DECODE, 1, UINT64_MAX},
    };
    size_t size, at = 0;
    uint8_t *grown = with_entries(recorded, runs, COUNT(runs), &size);
    struct ets_trace_extra extra;
    struct ets_run_tokens told;
    assert_int_equal(ets_trace_extra_init(&extra, (struct ets_bytes){grown, size}, NULL), ETS_OK);
    assert_false(ets_run_tokens_next(&extra, &at, &told));
    free(grown);

    /* An entry that is cut short. */
    for (size_t bytes = 0; bytes < 20; bytes++) {
        struct ets_extra_growth growth = {.bytes = NULL};
        uint8_t *entry = ets_extra_growth_put(&growth, ETS_EXTRA_TOKENS, bytes);
        assert_non_null(entry);
        memset(entry, 1, bytes);
        assert_true(ets_extra_growth_append(&growth, recorded, &grown, &size));
        ets_extra_growth_close(&growth);
        assert_int_equal(ets_trace_extra_init(&extra, (struct ets_bytes){grown, size}, NULL),
                         ETS_OK);
        at = 0;
        assert_false(ets_run_tokens_next(&extra, &at, &told));
        free(grown);
    }
}

static void stages__have_names(void **state)
{
    (void)state;
    assert_null(ets_run_stage_name(ETS_STAGE_NONE));
    assert_string_equal(ets_run_stage_name(ETS_STAGE_PREFILL), "prefill");
    assert_string_equal(ets_run_stage_name(ETS_STAGE_DECODE), "decode");
    assert_string_equal(ets_run_stage_name(ETS_STAGE_ENCODE), "encode");
    assert_null(ets_run_stage_name(ETS_STAGE_COUNT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stages__divide_the_runs_of_a_method),
        cmocka_unit_test(stages__are_one_block_of_many_test_cases),
        cmocka_unit_test(stages__are_assumed_from_a_prompt),
        cmocka_unit_test(stages__of_entries_that_make_no_sense_are_skipped),
        cmocka_unit_test(stages__have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
