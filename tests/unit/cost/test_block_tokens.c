/* Which tokens the runs of a block computed. */
#include "test_recorded_runs.h"

#include "cost/block_tokens.h"

enum { RUNS = 12 };

/* Runs of one stage with `tokens` each, from position 8 on. */
static struct ets_block_tokens tokens_of(const uint32_t *tokens, uint32_t only)
{
    static uint8_t bytes[TRACE_BYTES];
    struct ets_run_tokens told[RUNS];
    uint64_t ticks[RUNS], position = 8;
    size_t size;
    uint32_t count = 0;
    for (uint32_t i = 0; i < RUNS; i++) {
        ticks[i] = 1000;
        if (tokens[i] == 0) continue; /* not told */
        told[count++] =
            (struct ets_run_tokens){{"forward", 7}, i, ETS_STAGE_DECODE, tokens[i], position};
        position += tokens[i];
    }
    uint8_t *grown = with_entries(record_runs(bytes, ticks, RUNS), told, count, &size);
    struct ets_inspection *inspection =
        inspect((struct ets_bytes){grown, size}, (struct ets_inspect_options){.record = NULL});
    struct ets_block_tokens found;
    ets_block_tokens_read(inspection, 0, only, &found);
    ets_inspection_close(inspection);
    free(grown);
    return found;
}

static void test_block_tokens__runs_of_one_number_are_at_their_mean(void **state)
{
    (void)state;
    const uint32_t ones[RUNS] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    struct ets_block_tokens found = tokens_of(ones, ETS_NO_INDEX);
    assert_int_equal(found.group_count, 1);
    assert_int_equal(found.runs, RUNS);
    assert_int_equal(found.tokens, RUNS);
    assert_int_equal(found.groups[0].position, 14); /* of 8 to 19: 13.5 */
    assert_int_equal(found.first_position, 8);
    assert_int_equal(found.last_position, 19);
    found = tokens_of(ones, 3);
    assert_int_equal(found.runs, 1);
    assert_int_equal(found.groups[0].position, 11);
}

static void test_block_tokens__numbers_are_apart(void **state)
{
    (void)state;
    const uint32_t pieces[RUNS] = {5, 5, 2, 5, 2, 5, 5, 5, 5, 5, 5, 5};
    const struct ets_block_tokens found = tokens_of(pieces, ETS_NO_INDEX);
    assert_int_equal(found.group_count, 2);
    assert_int_equal(found.groups[0].tokens, 5);
    assert_int_equal(found.groups[0].runs, 10);
    assert_int_equal(found.groups[1].tokens, 2);
    assert_int_equal(found.groups[1].runs, 2);
    assert_int_equal(found.groups[1].position, (18 + 25 + 1) / 2);
    assert_int_equal(found.tokens, 54);
}

static void test_block_tokens__too_many_numbers_are_not_known(void **state)
{
    (void)state;
    const uint32_t all[RUNS] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    assert_int_equal(tokens_of(all, ETS_NO_INDEX).group_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_block_tokens__runs_of_one_number_are_at_their_mean),
        cmocka_unit_test(test_block_tokens__numbers_are_apart),
        cmocka_unit_test(test_block_tokens__too_many_numbers_are_not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
