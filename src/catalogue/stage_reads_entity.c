/*
 * What the stages of a generation read for each token: a row for each block of prefill or decode
 * whose runs tell their tokens.
 */
#include <math.h>

#include "base/error.h"
#include "catalogue/entities.h"

static const struct ets_token_reads *of(const struct ets_entity_row *row)
{
    return row->item;
}

static struct ets_datum get_block(const struct ets_entity_row *row)
{
    return ets_datum_integer((int64_t)row->number);
}

static struct ets_datum get_trace(const struct ets_entity_row *row)
{
    return ets_datum_integer(row->trace - row->study->traces);
}

static struct ets_datum get_stage(const struct ets_entity_row *row)
{
    return ets_datum_string(ets_run_stage_name(of(row)->stage));
}

static struct ets_datum get_tokens(const struct ets_entity_row *row)
{
    return ets_datum_real(of(row)->tokens_per_run);
}

static struct ets_datum get_first_position(const struct ets_entity_row *row)
{
    return ets_datum_count(of(row)->tokens.first_position);
}

static struct ets_datum get_last_position(const struct ets_entity_row *row)
{
    return ets_datum_count(of(row)->tokens.last_position);
}

/* What is known of the work. */
static bool has_numbers(const struct ets_entity_row *row)
{
    const enum ets_cost_state state = ets_cost_state(of(row)->cost);
    return state == ETS_COST_KNOWN || state == ETS_COST_PARTIAL;
}

static struct ets_datum count(const struct ets_entity_row *row, uint64_t number)
{
    return has_numbers(row) ? ets_datum_count(number) : ets_datum_nothing();
}

static struct ets_datum get_flops(const struct ets_entity_row *row)
{
    return count(row, ets_cost_flops(of(row)->cost));
}

static struct ets_datum get_weights(const struct ets_entity_row *row)
{
    return count(row, of(row)->cost->weight_bytes);
}

static struct ets_datum get_cache(const struct ets_entity_row *row)
{
    return count(row, of(row)->cost->state_bytes);
}

static struct ets_datum get_cost(const struct ets_entity_row *row)
{
    return ets_datum_string(of(row)->known);
}

static struct ets_datum get_calls(const struct ets_entity_row *row)
{
    return ets_datum_integer((int64_t)of(row)->tokens.kernel_calls +
                             of(row)->tokens.delegate_calls);
}

static struct ets_datum get_share(const struct ets_entity_row *row)
{
    return ets_datum_real(of(row)->is_held ? of(row)->roof.least_share : NAN);
}

static struct ets_datum get_level(const struct ets_entity_row *row)
{
    return ets_datum_string(of(row)->level);
}

static struct ets_datum get_verdict(const struct ets_entity_row *row)
{
    return ets_datum_string(of(row)->verdict);
}

static struct ets_datum get_reason(const struct ets_entity_row *row)
{
    return ets_datum_string(of(row)->reason);
}

/* clang-format off */
static const struct ets_entity_column columns[] = {
    {"block", ETS_QUANTITY_INTEGER, false, ETS_SEEN_BY_RELATIONS, "id in `blocks`", get_block},
    {"trace", ETS_QUANTITY_INTEGER, false, ETS_SEEN_BY_RELATIONS, "id in `traces`", get_trace},
    {"stage", ETS_QUANTITY_TEXT, false, ETS_SEEN_BY_RELATIONS, "prefill, decode or encode", get_stage},
    {"tokens", ETS_QUANTITY_REAL, false, ETS_SEEN_BY_RELATIONS, "that a run computes; the mean", get_tokens},
    {"first_position", ETS_QUANTITY_INTEGER, false, ETS_SEEN_BY_RELATIONS, "of a run; the numbers are those of the mean position", get_first_position},
    {"last_position", ETS_QUANTITY_INTEGER, false, ETS_SEEN_BY_RELATIONS, "of a run", get_last_position},
    {"flops", ETS_QUANTITY_INTEGER, false, ETS_SEEN_BY_RELATIONS, "operations of a run", get_flops},
    {"weight", ETS_QUANTITY_BYTES, false, ETS_SEEN_BY_RELATIONS, "weights that a run reads, as stored", get_weights},
    {"cache", ETS_QUANTITY_BYTES, false, ETS_SEEN_BY_RELATIONS, "KV cache that a run reads, and other state", get_cache},
    {"cost", ETS_QUANTITY_TEXT, false, ETS_SEEN_BY_RELATIONS, "known, at most (upper bounds), example (sizes of the example inputs), partial, unknown", get_cost},
    {"calls", ETS_QUANTITY_INTEGER, false, ETS_SEEN_BY_RELATIONS, "kernel and delegate calls of a run", get_calls},
    {"of_read_bandwidth", ETS_QUANTITY_SHARE, false, ETS_SEEN_BY_RELATIONS, "weights and cache against the machine's read bandwidth; null without a machine, or if it was not measured", get_share},
    {"level", ETS_QUANTITY_TEXT, false, ETS_SEEN_BY_RELATIONS, "the cache that holds weights and cache, or memory", get_level},
    {"verdict", ETS_QUANTITY_TEXT, false, ETS_SEEN_BY_RELATIONS, "memory-bound, compute-bound, overhead-bound, below the roof, unknown; null without a machine", get_verdict},
    {"verdict_reason", ETS_QUANTITY_TEXT, false, ETS_SEEN_BY_RELATIONS, "why the verdict is unknown", get_reason},
    {NULL, ETS_QUANTITY_TEXT, false, ETS_SEEN_BY_ALL, NULL, NULL},
};
/* clang-format on */

static enum ets_status prepare(struct ets_study *study, struct ets_error *error)
{
    for (uint32_t i = 0; i < study->sources.trace_count; i++) {
        if (!ets_study_token_reads(study, &study->traces[i])) {
            return ets_fail_memory(error, "what the stages of a generation read");
        }
    }
    return ETS_OK;
}

static uint64_t count_rows(const struct ets_study *study)
{
    return study->block_count;
}

/* Blocks of no generation have no row. */
static bool find(struct ets_entity_row *row)
{
    const struct ets_study *study = row->study;
    uint32_t trace = study->sources.trace_count;
    while (trace > 0 && study->traces[trace - 1].first_block > row->number) trace--;
    if (trace == 0) return false;
    row->trace = &study->traces[trace - 1];
    if (row->trace->token_reads == NULL) return false;
    const struct ets_token_reads *reads =
        &row->trace->token_reads[row->number - row->trace->first_block];
    row->item = reads;
    return reads->stage != ETS_STAGE_NONE;
}

const struct ets_entity ets_stage_reads_entity = {
    .name = "stage_reads",
    .meaning = "What prefill and decode read for each run, of traces that tell tokens.",
    .columns = columns,
    .prepare = prepare,
    .count = count_rows,
    .find = find,
};
