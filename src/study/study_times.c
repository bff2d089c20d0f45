/* What is known of the times of a trace: its rows, their work against a machine, allocations. */
#include "cost/row_costs.h"
#include "study/study.h"
#include "views/chosen_runs.h"
#include "views/work.h"

bool ets_study_times(struct ets_study *study, struct ets_studied_trace *trace)
{
    if (trace->times == NULL)
        trace->times = ets_row_times_collect(&study->arena, trace->inspection);
    return trace->times != NULL;
}

bool ets_study_allocations(struct ets_study *study, struct ets_studied_trace *trace)
{
    if (trace->allocations != NULL) return true;
    struct ets_allocation_events *events = ets_arena_alloc(&study->arena, sizeof *events);
    if (events == NULL ||
        !ets_allocation_events_collect(&study->arena, trace->inspection, events)) {
        return false;
    }
    trace->allocations = events;
    return true;
}

bool ets_study_row_costs(struct ets_study *study, struct ets_studied_trace *trace)
{
    if (trace->costs.rows != NULL) return true;
    return ets_row_costs_find(&study->arena, trace->inspection, &trace->costs, NULL) == ETS_OK;
}
static bool judge_block(struct ets_study *study, struct ets_studied_trace *trace, uint32_t block)
{
    struct ets_chosen_runs runs;
    const struct ets_headroom_options options = {
        .machine = study->sources.machine,
        .threads = study->sources.threads,
        .tick_ns = trace->unit == ETS_UNIT_NS ? trace->tick : 0};
    return ets_chosen_runs_find(&study->arena, trace->inspection, block, ETS_NO_INDEX, 0, &runs) &&
           ets_headroom_find(&study->arena, trace->inspection, &trace->costs, &options, &runs,
                             block, &trace->headrooms[block]);
}

bool ets_study_headrooms(struct ets_study *study, struct ets_studied_trace *trace)
{
    if (trace->headrooms != NULL) return true;
    const uint32_t blocks = ets_inspection_block_count(trace->inspection);
    trace->headrooms = ets_arena_alloc_array(&study->arena, blocks, sizeof *trace->headrooms);
    bool ok = trace->headrooms != NULL && ets_study_row_costs(study, trace);
    for (uint32_t b = 0; ok && b < blocks; b++) {
        ok = judge_block(study, trace, b);
    }
    if (!ok) trace->headrooms = NULL;
    return ok;
}

static bool has_stages(const struct ets_inspection *inspection)
{
    for (uint32_t b = 0; b < ets_inspection_block_count(inspection); b++) {
        if (ets_inspection_block(inspection, b)->stage != ETS_STAGE_NONE) return true;
    }
    return false;
}

bool ets_study_token_reads(struct ets_study *study, struct ets_studied_trace *trace)
{
    const struct ets_inspection *inspection = trace->inspection;
    const uint32_t blocks = ets_inspection_block_count(inspection);
    if (trace->token_reads != NULL || !has_stages(inspection)) return true;
    if (!ets_study_row_costs(study, trace)) return false;
    struct ets_token_reads *reads = ets_arena_alloc_array(&study->arena, blocks, sizeof *reads);
    bool ok = reads != NULL;
    for (uint32_t b = 0; ok && b < blocks; b++) {
        struct ets_chosen_runs runs;
        ok = ets_chosen_runs_find(&study->arena, inspection, b, ETS_NO_INDEX, 0, &runs);
        if (!ok) break;
        const struct ets_token_reads_question question = {
            &trace->costs,
            b,
            trace->unit == ETS_UNIT_NS ? runs.whole * trace->tick : 0,
            trace->tick,
            study->sources.machine,
            study->sources.threads};
        ok = ets_token_reads_find(&study->arena, inspection, &question, &reads[b]);
    }
    if (ok) trace->token_reads = reads;
    return ok;
}
