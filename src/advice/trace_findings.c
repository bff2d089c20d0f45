/* Findings about the trace: what is slow outside of runs, what is damaged, lost or not known. */
#include "advice/finding_rules.h"
#include "base/error.h"
#include "base/text.h"
#include "inspect/time_details.h"
#include "views/sentence_numbers.h"

/* A load is told if it takes at least so many runs. */
enum { MANY_RUNS = 100 };

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* The mean time of the loads of a trace, beside the run of its longest method. */
bool ets_find_load(struct ets_finder *finder)
{
    const struct ets_inspection *inspection = finder->blocks.inspection;
    double load = 0;
    uint32_t row = ETS_NO_INDEX;
    for (uint32_t b = 0; b < ets_inspection_block_count(inspection); b++) {
        const uint32_t whole = ets_operator_whole_row(inspection, b);
        struct ets_statistics times;
        struct ets_error error;
        if (whole == ETS_NO_INDEX || ets_inspection_total_row(inspection, b) != ETS_NO_INDEX) {
            continue;
        }
        if (ets_inspection_row_statistics(inspection, whole, ETS_NO_INDEX, &times, &error) !=
            ETS_OK) {
            return false;
        }
        if (!(times.max > load)) continue;
        load = times.max;
        row = whole;
    }
    if (row == ETS_NO_INDEX || finder->blocks.count == 0) return true;
    const double run = finder->blocks.items[0].times.statistics.p50;
    if (!(load >= MANY_RUNS * run)) return true;
    struct ets_finding finding = ets_finding_of("load", ETS_SEVERITY_NOTE, "operators");
    finding.row = row;
    ets_find_say(finder, "loading takes ");
    ets_add_time(&finder->line, (struct ets_span){load, load}, finder->blocks.tick_ns);
    ets_find_say(finder, ", as long as %.0f runs", load / run);
    return ets_finding_add(finder, finding);
}

bool ets_find_clocks(struct ets_finder *finder)
{
    const struct ets_inspection *inspection = finder->blocks.inspection;
    uint32_t count = 0;
    struct ets_finding finding = ets_finding_of("delegate_clock", ETS_SEVERITY_NOTE, "operators");
    for (uint32_t i = 0; i < ets_inspection_row_count(inspection); i++) {
        const struct ets_row *row = ets_inspection_row(inspection, i);
        if (row->clock == NULL || row->clock->state != ETS_CLOCK_UNKNOWN) continue;
        if (count++ == 0) finding.row = i;
    }
    if (count == 0) return true;
    const struct ets_row *first = ets_inspection_row(inspection, finding.row);
    finding.block = first->block;
    ets_find_say(finder, "the clock of %s is not known, so its %u operator%s no times: %s",
                 first->backend != NULL ? first->backend : "a delegate", count,
                 count == 1 ? " has" : "s have", first->clock->reason);
    return ets_finding_add(finder, finding);
}

/* What the recorder could not keep. */
bool ets_find_losses(struct ets_finder *finder)
{
    const struct ets_trace_facts *facts = ets_inspection_trace(finder->blocks.inspection);
    if (facts == NULL) return true;
    const uint64_t lost = (uint64_t)facts->state.dropped + facts->state.overwritten;
    if (lost == 0 && facts->lost_frames == 0) return true;
    if (lost > 0) {
        ets_find_say(finder, "%llu event%s lost", (unsigned long long)lost,
                     lost == 1 ? " was" : "s were");
    }
    if (facts->lost_frames > 0) {
        ets_find_say(finder, "%s%u frame%s of the stream %s lost", lost > 0 ? ", " : "",
                     facts->lost_frames, plural(facts->lost_frames),
                     facts->lost_frames == 1 ? "was" : "were");
    }
    ets_find_say(finder, ": the trace is incomplete");
    return ets_finding_add(finder, ets_finding_of("lost_events", ETS_SEVERITY_BAD, "runs"));
}

bool ets_find_damage(struct ets_finder *finder)
{
    const struct ets_inspection *inspection = finder->blocks.inspection;
    const uint32_t count = ets_inspection_damage_total(inspection);
    if (count == 0) return true;
    const struct ets_damage *first = ets_inspection_damage(inspection, 0);
    ets_find_say(finder, "%u part%s of the trace %s damaged%s byte %llu: %s", count, plural(count),
                 count == 1 ? "is" : "are", count == 1 ? ", at" : ", first at",
                 (unsigned long long)first->offset, first->reason);
    return ets_finding_add(finder, ets_finding_of("damage", ETS_SEVERITY_BAD, "runs"));
}

bool ets_find_other_program(struct ets_finder *finder)
{
    if (!ets_inspection_is_other_program(finder->blocks.inspection)) return true;
    ets_find_say(finder,
                 "the trace has the fingerprint of another program: names and lines may be "
                 "wrong");
    return ets_finding_add(finder, ets_finding_of("other_program", ETS_SEVERITY_BAD, "operators"));
}
