/* Findings about threads, of a trace with several beside one with a single thread. */
#include <math.h>

#include "advice/finding_rules.h"
#include "views/sentence_numbers.h"
#include "views/thread_scaling.h"

static void say_times(struct ets_text_builder *text, const struct ets_thread_line *lines)
{
    const struct ets_span one = {lines[0].time.median, lines[0].time.median};
    const struct ets_span more = {lines[1].time.median, lines[1].time.median};
    const double scale = ets_shared_time_scale(one.upper, more.upper, 1);
    ets_add_time_in(text, one, 1, scale);
    ets_add_text(text, " with one thread, ");
    ets_add_time_in(text, more, 1, scale);
    ets_add_text(text, " with more");
}

/* What more threads cost, of each run: measured turn by turn. */
static struct ets_saving cost_of_threads(const struct ets_finder *finder,
                                         const struct ets_thread_line *more)
{
    const double run = finder->blocks.items[0].times.statistics.p50;
    struct ets_saving saving = {.ticks = {NAN, NAN}};
    if (more->gain != ETS_THREADS_SLOWER) return saving;
    saving.basis = ETS_SAVING_REMOVED;
    saving.most = 1; /* measured beside each other */
    saving.part = fmax(1 - more->step.low, 0);
    saving.ticks = (struct ets_span){run * fmax(1 - more->step.high, 0), run * saving.part};
    saving.beside = saving.ticks.upper;
    return saving;
}

static bool add_nothing_gained(struct ets_finder *finder, const struct ets_thread_line *lines,
                               struct ets_text operators)
{
    struct ets_finding finding = ets_finding_of("threads_gain_nothing", ETS_SEVERITY_NOTE, "runs");
    finding.block = finder->blocks.items[0].block;
    finding.saving = cost_of_threads(finder, &lines[1]);
    finding.confidence = ETS_CONFIDENCE_HIGH;
    finding.check = ETS_CHECK_THREADS;
    finding.doubt = "another machine, larger inputs, or a machine that is busy otherwise";
    if (finding.saving.basis != ETS_SAVING_NONE) {
        finding.share = (struct ets_span){finding.saving.part, finding.saving.part};
        finding.cost = finding.saving.ticks.upper * finder->blocks.items[0].runs.count;
    }
    ets_find_say(finder, lines[1].gain == ETS_THREADS_SLOWER ? "more threads make runs longer: "
                                                             : "more threads gain nothing: ");
    say_times(&finder->line, lines);
    ets_find_evidence(finder, "%.2f to %.2f times as fast over %u turns", lines[1].step.low,
                      lines[1].step.high, lines[1].turns);
    if (operators.data != NULL) ets_find_evidence(finder, "; %.*s", ETS_TEXT(operators));
    ets_find_propose(finder,
                     "run with one thread: "
                     "get_threadpool()->_unsafe_reset_threadpool(1), before the method is loaded");
    return ets_finding_add(finder, finding);
}

/* Runs are faster, but not all operators. */
static bool add_operators(struct ets_finder *finder, struct ets_text operators)
{
    if (operators.data == NULL) return true;
    struct ets_finding finding =
        ets_finding_of("operators_not_faster", ETS_SEVERITY_NOTE, "operators");
    finding.block = finder->blocks.items[0].block;
    ets_find_say(finder, "%.*s", ETS_TEXT(operators));
    return ets_finding_add(finder, finding);
}

bool ets_find_threads(struct ets_finder *finder)
{
    const struct ets_inspection *one = finder->subject->one_thread;
    const struct ets_inspection *more = finder->subject->inspection;
    struct ets_thread_turns turns[2];
    struct ets_thread_line lines[2];
    struct ets_text operators;
    if (one == NULL || finder->blocks.count != 1 || finder->blocks.tick_ns == 0) return true;
    if (!ets_thread_turns_find(finder->arena, one, 1, &turns[0]) ||
        !ets_thread_turns_find(finder->arena, more, 2, &turns[1])) {
        return false;
    }
    ets_thread_scaling(turns, 2, lines);
    if (lines[1].gain == ETS_THREADS_UNCLEAR) return true;
    if (ets_thread_operators(finder->arena, one, more, 0, &operators, NULL) != ETS_OK) return false;
    if (lines[1].gain == ETS_THREADS_FASTER) return add_operators(finder, operators);
    return add_nothing_gained(finder, lines, operators);
}
