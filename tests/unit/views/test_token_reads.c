/* What is said of the bytes that a stage of a generation reads. */
#include "test_recorded_runs.h"

#include <math.h>

#include "test_machine_support.h"
#include "views/token_reads.h"

static const struct ets_cost known = {
    .operators = 10, .weight_bytes = 4096, .bytes_read = 3000, .state_bytes = 2048};

/* Decode of one token at positions 8 to 11, 1 us each. */
static struct ets_token_reads decode(const struct ets_cost *cost)
{
    return (struct ets_token_reads){
        .stage = ETS_STAGE_DECODE,
        .cost = cost,
        .tokens = {.groups = {{1, 4, 10}},
                   .group_count = 1,
                   .runs = 4,
                   .tokens = 4,
                   .kernel_calls = 3,
                   .delegate_calls = 2,
                   .first_position = 8,
                   .last_position = 11},
        .tokens_per_run = 1,
        .weight_bytes = (double)cost->weight_bytes,
        .cache_bytes = (double)cost->state_bytes,
        .ns = 1000,
    };
}

static void check(const struct ets_token_reads *reads, const char *expected)
{
    char room[512] = "";
    struct ets_text_builder text = {room, sizeof room, 0};
    ets_add_token_reads(&text, reads);
    assert_string_equal(room, expected);
}

static void test_token_reads__say_bytes_position_and_rate(void **state)
{
    (void)state;
    struct ets_token_reads reads = decode(&known);
    check(&reads,
          "decode reads 4.0 KiB of weights and 2.0 KiB of cache a token at position 10, the "
          "mean of 8 to 11, 6.14 GB/s");
    reads.ns = NAN;
    reads.cache_bytes = 0;
    reads.stage = ETS_STAGE_PREFILL;
    reads.tokens_per_run = 8;
    reads.tokens.last_position = 8;
    check(&reads, "prefill reads 4.0 KiB of weights for 8 tokens at position 8");
    reads.stage = ETS_STAGE_NONE;
    check(&reads, "");
}

static void test_token_reads__bounds_and_parts_are_no_rates(void **state)
{
    (void)state;
    struct ets_cost cost = known;
    cost.at_most = true;
    struct ets_token_reads reads = decode(&cost);
    check(&reads,
          "decode reads at most 4.0 KiB of weights and 2.0 KiB of cache a token at position "
          "10, the mean of 8 to 11");
    cost.unknown = 1;
    cost.reason = ETS_COST_NO_RULE;
    check(&reads,
          "decode reads 4.0 KiB of weights and 2.0 KiB of cache a token at position 10, the "
          "mean of 8 to 11 in what is counted");
    cost.at_most = false;
    check(&reads,
          "decode reads at least 4.0 KiB of weights and 2.0 KiB of cache a token at position "
          "10, the mean of 8 to 11 in what is counted");
}

static void test_token_reads__say_what_holds_them_back(void **state)
{
    (void)state;
    struct ets_token_reads reads = decode(&known);
    reads.is_held = true;
    reads.level = "L2";
    reads.verdict = "overhead-bound";
    reads.roof =
        (struct ets_roof_answer){.verdict = ETS_ROOF_VERDICT_OVERHEAD_BOUND, .least_share = 0.125};
    check(&reads,
          "decode reads 4.0 KiB of weights and 2.0 KiB of cache a token at position 10, the "
          "mean of 8 to 11: 12 % of this machine's read bandwidth of L2, overhead-bound: 5 "
          "calls, 200 ns each");
    reads.reason = "no roof for products of int4";
    reads.roof.verdict = ETS_ROOF_VERDICT_UNKNOWN;
    reads.roof.reason = ETS_ROOF_NO_INT4;
    check(&reads,
          "decode reads 4.0 KiB of weights and 2.0 KiB of cache a token at position 10, the "
          "mean of 8 to 11: 12 % of this machine's read bandwidth of L2, not judged: no roof "
          "for products of int4");
    reads.roof.reason = ETS_ROOF_NOT_MEASURED;
    reads.roof.least_share = NAN;
    check(&reads,
          "decode reads 4.0 KiB of weights and 2.0 KiB of cache a token at position 10, the "
          "mean of 8 to 11; the machine's read bandwidth was not measured");
}

/* The verdict on decode with 5 calls, of which one takes `inner` of 20 us. */
static enum ets_roof_verdict judge(uint64_t inner)
{
    static uint8_t bytes[TRACE_BYTES];
    static const struct ets_roof read = {ETS_ROOF_READ, 1, 96 << 20, 8000, 1e3, 50, 0};
    const struct ets_text method = {"forward", 7};
    const uint64_t ticks[] = {20000 - inner, 20000 - inner}, inners[] = {inner, inner};
    const struct ets_run_tokens told[] = {{method, 0, ETS_STAGE_DECODE, 1, 8},
                                          {method, 1, ETS_STAGE_DECODE, 1, 9}};
    size_t size;
    uint8_t *grown = with_entries(record_instructions(bytes, ticks, inners, 2), told, 2, &size);
    struct ets_inspection *inspection =
        inspect((struct ets_bytes){grown, size}, (struct ets_inspect_options){.record = NULL});
    struct ets_roof roofs[sizeof made_roofs / sizeof *made_roofs + 1];
    struct ets_machine machine = made_machine;
    memcpy(roofs, made_roofs, sizeof made_roofs);
    roofs[machine.roof_count++] = read;
    machine.roofs = roofs;
    struct ets_arena arena;
    struct ets_token_reads reads;
    ets_arena_init(&arena, NULL, 0);
    const struct ets_total_cost total = {.cost = known};
    const struct ets_block_tokens tokens = decode(&known).tokens;
    const struct ets_cost rows[8] = {{.operators = 0}};
    const struct ets_costs costs = {rows, &total, &tokens};
    assert_int_equal(ets_inspection_block_count(inspection), 1);
    const struct ets_token_reads_question question = {&costs, 0, 20000, 1, &machine, 1};
    assert_true(ets_token_reads_find(&arena, inspection, &question, &reads));
    ets_arena_reset(&arena);
    ets_inspection_close(inspection);
    free(grown);
    return reads.roof.verdict;
}

static void test_token_reads__one_long_call_is_no_overhead(void **state)
{
    (void)state;
    assert_int_equal(judge(4000), ETS_ROOF_VERDICT_OVERHEAD_BOUND);
    assert_int_equal(judge(15000), ETS_ROOF_VERDICT_BELOW_ROOF);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_token_reads__say_bytes_position_and_rate),
        cmocka_unit_test(test_token_reads__bounds_and_parts_are_no_rates),
        cmocka_unit_test(test_token_reads__say_what_holds_them_back),
        cmocka_unit_test(test_token_reads__one_long_call_is_no_overhead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
