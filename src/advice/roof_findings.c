/* Findings about operators against the roofs of a machine. */
#include <math.h>

#include "advice/finding_rules.h"
#include "inspect/time_details.h"
#include "views/sentence_numbers.h"

/* A share of its roof below which an operator has room; a time below which a call is short. */
static const double FAR_BELOW = 0.3, SHORT_NS = 10e3, LONG_NS = 50e3;

static const struct ets_headroom *headroom_of(const struct ets_finder *finder)
{
    const struct ets_headroom *all = finder->subject->headrooms;
    return all == NULL ? NULL : &all[finder->block->block];
}

/* Mid of a run, as that of the whole; `runs`: room for the ticks of each run of the block. */
static double mid_of(const struct ets_finder *finder, uint32_t row, double *runs)
{
    struct ets_chosen_times times;
    ets_inspection_row_ticks(finder->subject->inspection, row, ETS_NO_INDEX, runs);
    ets_chosen_runs_summarise(&finder->block->runs, runs, &times);
    return times.middle;
}

static double *room_for_runs(const struct ets_finder *finder, const struct ets_block *block)
{
    return ets_arena_alloc_array(finder->arena, block->run_count, sizeof(double));
}

/* Saves at most its share of the median run. */
static struct ets_finding finding_of_rows(const struct ets_finder *finder, const char *kind,
                                          double mid)
{
    const double share = mid / finder->block->runs.whole;
    struct ets_finding finding =
        ets_finding_timed(finder, kind, (struct ets_span){share, share}, "cost");
    finding.confidence = ETS_CONFIDENCE_LOW;
    finding.check = ETS_CHECK_DIFFERENCE;
    finding.saving.basis = ETS_SAVING_BOUND;
    finding.saving.part = share;
    finding.saving.ticks = (struct ets_span){0, share * finder->block->times.statistics.p50};
    ets_finding_place_parts(finder, &finding);
    ets_finding_name_parts(finder, &finding);
    return finding;
}

static bool add_below(struct ets_finder *finder, uint32_t index, const struct ets_row_headroom *at,
                      double mid)
{
    const struct ets_row *row = ets_inspection_row(finder->subject->inspection, index);
    const double tick_ns = finder->blocks.tick_ns, share = mid / finder->block->runs.whole;
    ets_parts_begin(finder);
    if (!ets_parts_take_row(finder, index)) return false;
    ets_find_say(finder, "%.*s reaches at most ", ETS_TEXT(row->name));
    ets_add_share(&finder->line, (struct ets_span){at->roof.most_share, at->roof.most_share});
    ets_find_say(finder, " of what the machine can do, in ");
    ets_add_share(&finder->line, (struct ets_span){share, share});
    ets_find_say(finder, " of a run");
    const double bound = at->roof.bound_ns / tick_ns;
    const double scale = ets_shared_time_scale(mid, bound, tick_ns);
    ets_add_time_in(&finder->evidence, (struct ets_span){mid, mid}, tick_ns, scale);
    ets_find_evidence(finder, " of a run (mid); the roof is ");
    ets_add_time_in(&finder->evidence, (struct ets_span){bound, bound}, tick_ns, scale);
    ets_find_propose(finder,
                     "try channel counts that are multiples of 8, larger layers instead of "
                     "many small ones, or int8");
    struct ets_finding finding = finding_of_rows(finder, "below_roof", mid);
    const double doubt = bound * (1 - 1 / ETS_ROOF_TOLERANCE);
    finding.saving.ticks.upper = fmin(finding.saving.ticks.upper, at->saved + doubt);
    finding.saving.part = finding.saving.ticks.upper / finder->block->times.statistics.p50;
    finding.doubt =
        "no trace tells why an operator is slow; odd sizes, strides and depthwise "
        "convolutions stay far from the roof";
    return ets_finding_add(finder, finding);
}

/* Long operators of delegates far below their roof; kernels are told by what keeps them outside. */
bool ets_find_below_roof(struct ets_finder *finder)
{
    const struct ets_headroom *headroom = headroom_of(finder);
    const struct ets_block *block =
        ets_inspection_block(finder->subject->inspection, finder->block->block);
    if (headroom == NULL) return true;
    double *runs = room_for_runs(finder, block);
    if (runs == NULL) return false;
    for (uint32_t i = block->first_row; i < block->first_row + block->row_count; i++) {
        const struct ets_row_headroom *at = &headroom->rows[i - headroom->first_row];
        if (!ets_inspection_row(finder->subject->inspection, i)->is_delegated ||
            at->roof.verdict != ETS_ROOF_VERDICT_BELOW_ROOF || !(at->roof.most_share < FAR_BELOW)) {
            continue;
        }
        const double mid = mid_of(finder, i, runs);
        if (mid * finder->blocks.tick_ns < LONG_NS ||
            !(mid >= ETS_FINDING_LEAST_SHARE * finder->block->runs.whole)) {
            continue;
        }
        if (!add_below(finder, i, at, mid)) return false;
    }
    return true;
}

/* What no operator takes of a run, for each call of one. */
static double between_of(const struct ets_finder *finder)
{
    double between = 0, calls = 0;
    for (uint32_t i = 0; i < finder->backends.count; i++) {
        const struct ets_operator_line *line = &finder->backends.items[i];
        if (ets_line_is_between(line)) between += line->times.middle;
        else calls += line->calls_per_run;
    }
    return between > 0 && calls > 0 ? between / calls : 0;
}

/* Whether most of its time is not its work. */
static bool is_call(const struct ets_finder *finder, const struct ets_roof_answer *roof, double mid)
{
    return roof->verdict == ETS_ROOF_VERDICT_OVERHEAD_BOUND &&
           (roof->binding == ETS_ROOF_CALL || 2 * roof->bound_ns < mid * finder->blocks.tick_ns);
}

/* Many short operators, whose calls cost more than their work. */
bool ets_find_small_operators(struct ets_finder *finder)
{
    enum { MANY = 5 };
    static const double MUCH = 0.2;
    const struct ets_headroom *headroom = headroom_of(finder);
    const struct ets_block *block =
        ets_inspection_block(finder->subject->inspection, finder->block->block);
    double sum = 0;
    uint32_t count = 0;
    if (headroom == NULL) return true;
    double *runs = room_for_runs(finder, block);
    if (runs == NULL) return false;
    ets_parts_begin(finder);
    for (uint32_t i = block->first_row; i < block->first_row + block->row_count; i++) {
        const double mid = mid_of(finder, i, runs);
        if (!is_call(finder, &headroom->rows[i - headroom->first_row].roof, mid)) continue;
        const uint32_t calls = ets_inspection_row(finder->subject->inspection, i)->calls_per_run;
        if (!(mid * finder->blocks.tick_ns < SHORT_NS * calls)) continue;
        sum += mid;
        count += calls;
        if (!ets_parts_take_row(finder, i)) return false;
    }
    if (count < MANY || !(sum >= MUCH * finder->block->runs.whole)) return true;
    ets_find_say(finder, "%u short operator calls take ", count);
    ets_add_share(&finder->line, (struct ets_span){sum / finder->block->runs.whole,
                                                   sum / finder->block->runs.whole});
    ets_find_say(finder, " of a run, mostly for being called");
    ets_add_time(&finder->evidence, (struct ets_span){sum, sum}, finder->blocks.tick_ns);
    ets_find_evidence(finder, " of a run (mid)");
    ets_find_propose(finder,
                     "do the same with fewer, larger operators: stack tensors, join layers, "
                     "delegate chains as one");
    struct ets_finding finding = finding_of_rows(finder, "small_operators", sum);
    finding.saving.beside = count * between_of(finder) / finder->block->runs.whole *
                            finder->block->times.statistics.p50;
    finding.saving.ticks.upper += finding.saving.beside;
    finding.doubt = "the tracer itself takes a part of such short calls";
    return ets_finding_add(finder, finding);
}
