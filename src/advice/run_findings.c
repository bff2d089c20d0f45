/* Findings about the runs of a block, and whether it is joined with its model. */
#include <math.h>

#include "advice/finding_rules.h"
#include "inspect/accounting/accounting.h"
#include "inspect/time_details.h"
#include "views/phase_text.h"
#include "views/sentence_numbers.h"

/* An interval of the median that is this narrow leaves little to ask. */
static const double NARROW = 0.05;

struct measured_runs {
    uint32_t *runs; /* of the trace */
    int64_t *ticks;
    uint32_t count;
    struct ets_run_phases phases;
    enum ets_run_stage stage;
};

static bool measure(struct ets_finder *finder, struct measured_runs *m)
{
    const struct ets_inspection *inspection = finder->blocks.inspection;
    const uint32_t index = finder->block->block;
    const struct ets_block *block = ets_inspection_block(inspection, index);
    const uint32_t count = m->count = block->run_count;
    m->stage = block->stage;
    double *ticks = ets_arena_alloc_array(finder->arena, count, sizeof *ticks);
    m->ticks = ets_arena_alloc_array(finder->arena, count, sizeof *m->ticks);
    m->runs = ets_arena_alloc_array(finder->arena, count, sizeof *m->runs);
    if (ticks == NULL || m->ticks == NULL || m->runs == NULL) return false;
    ets_inspection_row_ticks(inspection, ets_inspection_total_row(inspection, index), ETS_NO_INDEX,
                             ticks);
    for (uint32_t run = block->first_run, i = 0; i < count; run++) {
        if (ets_inspection_run(inspection, run)->block != index) continue;
        m->ticks[i] = ticks[i] < 9e18 ? (int64_t)ticks[i] : INT64_MAX;
        m->runs[i++] = run;
    }
    return ets_run_phases_find(m->ticks, count, finder->arena->allocator, &m->phases, NULL) ==
           ETS_OK;
}

/* "steady: 95 % interval of the median 51.0..52.1 us, 2.1 % of it" */
static bool find_steady(struct ets_finder *finder, const struct ets_run_phases *phases)
{
    const struct ets_chosen_times *times = &finder->block->times;
    const double low = times->spread.median_low, high = times->spread.median_high;
    const double width = (high - low) / times->statistics.p50;
    if (phases->state != ETS_PHASE_STEADY || !(width <= NARROW)) return true;
    ets_find_say(finder, "steady: the 95 %% interval of this recording's median is ");
    ets_add_share(&finder->line, (struct ets_span){width, width});
    ets_find_say(finder, " wide");
    struct ets_finding finding = ets_finding_of("steady", ETS_SEVERITY_GOOD, "runs");
    finding.block = finder->block->block;
    return ets_finding_add(finder, finding);
}

/* The sentence below the table; its kind is what is worst in it. */
bool ets_find_phases(struct ets_finder *finder)
{
    char text[512];
    struct measured_runs m;
    if (!measure(finder, &m)) return false;
    const struct ets_run_phases *phases = &m.phases;
    if (ets_run_phases_print(phases, m.runs, m.ticks, m.stage, text, sizeof text) == 0) {
        return find_steady(finder, phases);
    }
    const char *kind = phases->state == ETS_PHASE_DRIFTING  ? "drift"
                       : phases->warm_up > 0                ? "warm_up"
                       : phases->state == ETS_PHASE_TOO_FEW ? "first_run"
                                                            : "outliers";
    struct ets_finding finding = ets_finding_of(kind, ETS_SEVERITY_NOTE, "runs");
    finding.block = finder->block->block;
    ets_find_say(finder, "%s", text);
    if (phases->warm_up > 0) {
        ets_add_advice(&finder->line, finder->subject->words, ETS_ADVICE_STEADY);
    }
    return ets_finding_add(finder, finding);
}

bool ets_find_few_runs(struct ets_finder *finder)
{
    const uint32_t count =
        ets_inspection_block(finder->blocks.inspection, finder->block->block)->run_count;
    struct ets_finding finding = ets_finding_of("few_runs", ETS_SEVERITY_NOTE, "runs");
    finding.block = finder->block->block;
    if (count >= 8) return true;
    ets_find_say(finder, "%u run%s too few to find warm-up and drift, which need 8", count,
                 count == 1 ? " is" : "s are");
    ets_find_propose(finder, "measure 20 runs or more");
    finding.confidence = ETS_CONFIDENCE_HIGH;
    finding.check = ETS_CHECK_RUNS;
    return ets_finding_add(finder, finding);
}

bool ets_find_unjoined(struct ets_finder *finder)
{
    const struct ets_block *block =
        ets_inspection_block(finder->blocks.inspection, finder->block->block);
    struct ets_finding finding = ets_finding_of("not_joined", ETS_SEVERITY_BAD, "operators");
    finding.block = finder->block->block;
    if (block->method_state == ETS_METHOD_MISMATCH) {
        ets_find_say(finder, "the model and the trace do not belong together: %s", block->reason);
    } else if (block->method_state == ETS_METHOD_AMBIGUOUS) {
        ets_find_say(finder, "several methods fit the trace, so that it has no source lines: %s",
                     block->method);
        ets_add_advice(&finder->line, finder->subject->words, ETS_ADVICE_METHOD);
    } else {
        return true;
    }
    return ets_finding_add(finder, finding);
}

/* How much of the runs no event covers, which copying the tensors may be. */
static bool prove_not_reported(struct ets_finder *finder)
{
    struct ets_operator_lines lines;
    if (!ets_timed_block_group(finder->arena, &finder->blocks, finder->block, ETS_GROUP_OP, NULL,
                               &lines)) {
        return false;
    }
    for (uint32_t i = 0; i < lines.count; i++) {
        const struct ets_span share = ets_timed_block_share(finder->block, &lines.items[i]);
        if (!lines.items[i].is_rest || share.lower < ETS_FINDING_LEAST_SHARE) continue;
        ets_find_evidence(finder, "; ");
        ets_add_share(&finder->evidence, share);
        ets_find_evidence(finder,
                          " of a run is inside delegate calls, but in no event that they report: "
                          "copying these tensors may take it");
    }
    return true;
}

/* Tensors that were captured in the runs that are measured. */
bool ets_find_captured(struct ets_finder *finder)
{
    const uint64_t count = finder->blocks.captured[finder->block->block];
    if (count == 0) return true;
    ets_find_say(finder,
                 "tensors were captured in these runs, so their times are not those of the model, "
                 "and no saving is told");
    ets_find_evidence(finder, "%llu event%s with captured tensors", (unsigned long long)count,
                      count == 1 ? "" : "s");
    if (!prove_not_reported(finder)) return false;
    ets_find_propose(finder, "run the program once more without capturing, and examine that trace");
    struct ets_finding finding = ets_finding_of("captured", ETS_SEVERITY_NOTE, "runs");
    finding.block = finder->block->block;
    finding.cost = 2 * finder->block->runs.whole * finder->block->runs.count; /* before all times */
    finding.confidence = ETS_CONFIDENCE_HIGH;
    finding.check = ETS_CHECK_RUNS;
    return ets_finding_add(finder, finding);
}

/* A recorder that takes a good part of what it records. */
bool ets_find_overhead(struct ets_finder *finder)
{
    const struct ets_inspection *inspection = finder->blocks.inspection;
    const struct ets_block *block = ets_inspection_block(inspection, finder->block->block);
    uint32_t run = block->first_run;
    while (ets_inspection_run(inspection, run)->block != finder->block->block) run++;
    const struct ets_tracing_cost cost = ets_inspection_tracing_cost(inspection, run);
    const double whole = finder->block->times.statistics.p50 * finder->blocks.tick_ns;
    const struct ets_span share = {cost.low / whole, cost.high / whole};
    if (cost.is_subtracted || !(cost.ns / whole >= ETS_FINDING_LEAST_SHARE)) return true;
    const bool is_delegates = cost.pairs > 0 || cost.lacks_profilers; /* nothing can be done */
    ets_find_say(finder, "recording takes ");
    if (cost.lacks_profilers) ets_find_say(finder, "at least ");
    ets_add_share(&finder->line, share);
    ets_find_say(finder, " of a run, by %s",
                 cost.pairs > 0 ? "runs with and without it" : "the recorder's own measurement");
    if (is_delegates) {
        ets_find_say(finder, "; compare times only with those that were recorded in the same way");
    } else {
        ets_find_propose(finder, "subtract the measured cost of recording, or record fewer events");
    }
    struct ets_finding finding = ets_finding_timed(finder, "recording", share, "runs");
    if (is_delegates) finding.severity = ETS_SEVERITY_NOTE;
    finding.confidence = ETS_CONFIDENCE_HIGH;
    finding.check = ETS_CHECK_RUNS;
    return ets_finding_add(finder, finding);
}
