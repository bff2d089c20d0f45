/* How much of the captured values was compared. */
#include "views/gap_coverage.h"

#include <math.h>

/* What may be another value than it was paired with says nothing. */
static bool is_doubtful(const struct ets_gap_conclusion *verdict, const struct ets_gap_row *row)
{
    return verdict->doubtful > 0 && row->finding == ETS_GAP_UNKNOWN;
}

struct ets_gap_coverage ets_gap_coverage_of(const struct ets_gap_report *report)
{
    const struct ets_gap_conclusion *verdict = ets_gap_conclusion(report);
    struct ets_gap_coverage coverage = {.values = ets_gap_row_count(report),
                                        .outputs = verdict->output_count,
                                        .outputs_compared = verdict->outputs_compared,
                                        .largest = -1};
    for (uint32_t i = 0; i < ets_gap_row_count(report); i++) {
        const struct ets_gap_row *row = ets_gap_row(report, i);
        if (!row->has_total || is_doubtful(verdict, row)) continue;
        const double error = ets_comparison_relative_rms(&row->total);
        coverage.compared++;
        coverage.agreeing += row->finding == ETS_GAP_AGREES;
        if (error > coverage.largest) coverage.worst = i;
        coverage.largest = fmax(coverage.largest, error);
    }
    return coverage;
}

void ets_gap_say_uncompared(struct ets_gap_words *words, const char *separator,
                            const struct ets_gap_conclusion *verdict)
{
    const uint32_t missing = verdict->output_count - verdict->outputs_compared;
    if (missing == 0) return;
    say(words, "%s", separator);
    if (verdict->output_count == 1) say(words, "the output was not compared (");
    else if (missing == verdict->output_count) say(words, "the outputs were not compared (");
    else say(words, "%u of %u outputs were not compared (", missing, verdict->output_count);
    say_text(words, verdict->uncompared_output->name);
    say(words, ": %s)", verdict->uncompared_reason);
}

size_t ets_gap_describe_coverage(const struct ets_gap_report *report, char *text, size_t room)
{
    struct ets_gap_words words = {{text, room, 0}, NULL};
    const struct ets_gap_coverage coverage = ets_gap_coverage_of(report);
    if (room > 0) text[0] = '\0';
    say(&words, "%u of %u values compared", coverage.compared, coverage.values);
    if (coverage.compared > 0) {
        say(&words, ", %u agree%s", coverage.agreeing, coverage.agreeing == 1 ? "s" : "");
    }
    ets_gap_say_uncompared(&words, "; ", ets_gap_conclusion(report));
    return words.builder.used;
}
