/* Words the answer of a difference. */
#include "views/difference_headline.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "compare/other_work.h"
#include "inspect/time_details.h"
#include "views/difference_cause.h"
#include "views/difference_view.h"
#include "views/drift_sentence.h"
#include "views/sentence_numbers.h"

static const double LARGE_RATIO = 1;

enum { SENTENCE_BYTES = 1024, MOST_METHODS = 4 };

struct maker {
    const struct ets_difference *difference;
    struct ets_recording_advice advice;
    double tick_ns; /* 0: cycles */
    double scale;   /* the unit of the sentence */
    char text[SENTENCE_BYTES];
    struct ets_text_builder line;
};

#define say(m, ...) ets_add_plain_text(&(m)->line, __VA_ARGS__)

/* Whether the side has the time of a load. */
static bool is_load(const struct ets_difference_side *side)
{
    return side->operator_count > 0 &&
           ets_text_is(side->block->operators[side->operators[0]].name, "Program::load_method");
}

const struct ets_difference_line *ets_difference_execution(const struct ets_difference *difference,
                                                           const struct ets_difference_block *block)
{
    if (block->total == ETS_NO_INDEX || block->before == NULL || block->after == NULL) return NULL;
    const struct ets_difference_line *line = ets_difference_line(difference, block->total);
    const bool is_timed = line->before.times.count > 0 && line->after.times.count > 0;
    return is_timed && !is_load(&line->before) ? line : NULL;
}

static void say_time(struct maker *m, double time)
{
    ets_add_time_in(&m->line, (struct ets_span){time, time}, m->tick_ns, m->scale);
}

/* "10 times", "12.3 %": how much longer the longer one takes, or how much less the shorter. */
static void say_factor(struct maker *m, double before, double after)
{
    const double factor = fmax(before, after) / fmin(before, after);
    if (factor >= 2) say(m, "%.3g times ", factor);
    else say(m, "%.1f %% ", 100 * fabs(after / before - 1));
}

/* "the recordings differ by 12.3 %", "... by a factor of 10" */
static void say_recordings(struct maker *m, double before, double after)
{
    const double factor = fmax(before, after) / fmin(before, after);
    say(m, "the recordings differ");
    if (!(before > 0 && after > 0)) return;
    if (factor >= 2) say(m, " by a factor of %.3g", factor);
    else say(m, " by %.1f %%", 100 * fabs(after / before - 1));
}

static void say_total(struct maker *m, const struct ets_difference_line *line)
{
    const double before = line->before.median, after = line->after.median;
    const bool is_faster = line->verdict == ETS_VERDICT_FASTER;
    m->scale = ets_time_scale(fmin(before, after), m->tick_ns);
    if ((is_faster || line->verdict == ETS_VERDICT_SLOWER) && before > 0 && after > 0) {
        say_factor(m, before, after);
        say(m, is_faster ? "faster" : "slower");
    } else if (line->verdict == ETS_VERDICT_SAME) {
        say(m, "the same");
    } else if (line->verdict == ETS_VERDICT_DIFFERS) {
        say_recordings(m, before, after);
    } else {
        say(m, "undecided");
    }
    say(m, " (");
    say_time(m, before);
    say(m, " -> ");
    say_time(m, after);
    say(m, ")");
}

static uint32_t fewer(const struct ets_difference_block *block)
{
    const uint32_t before = block->before_recordings, after = block->after_recordings;
    return before < after ? before : after;
}

/* Why the whole is not decided, and what would decide it. */
static void say_doubt(struct maker *m, const struct ets_difference_block *block,
                      const struct ets_difference_line *line)
{
    const uint32_t now = fewer(block);
    switch (line->doubt) {
    case ETS_LINE_ONE_RECORDING:
        say(m, "; one recording a side cannot tell the program from the day: ");
        if (m->advice.more != NULL) say(m, "%s", m->advice.more);
        else say(m, "%d of each would", ETS_ADVISED_RECORDINGS);
        break;
    case ETS_LINE_FEW_RECORDINGS:
        say(m, "; %u and %u recordings cannot decide", block->before_recordings,
            block->after_recordings);
        if (line->recordings_needed > 0) {
            say(m, ": about %u more of each side would", line->recordings_needed - now);
        } else {
            say(m, ", and more hardly would: they differ too much");
        }
        break;
    case ETS_LINE_SPREAD:
        say(m, "; recordings of one side differ by ");
        say_time(m, line->spread);
        say(m,
            ", more than the change: a quieter machine, one thread or longer recordings would "
            "help");
        break;
    case ETS_LINE_CLOCK: say(m, "; the clock is too coarse"); break;
    case ETS_LINE_APART:
        say(m, "; %s: ", ets_apart_words);
        say(m, "%s", m->advice.in_turn != NULL ? m->advice.in_turn : "record both in turn");
        break;
    case ETS_LINE_DECIDED: break;
    }
}

/* "; load +2.21 ms": the line of a block that only loads. */
static void say_load(struct maker *m)
{
    for (uint32_t b = 0; b < ets_difference_block_count(m->difference); b++) {
        const struct ets_difference_block *block = ets_difference_block(m->difference, b);
        if (block->line_count == 0 || block->before == NULL || block->after == NULL) continue;
        const struct ets_difference_line *line =
            ets_difference_line(m->difference, block->first_line);
        const double change = line->change_of_median;
        if (!is_load(&line->before) || !is_load(&line->after) || isnan(change)) continue;
        if (change == 0 || line->verdict == ETS_VERDICT_UNDECIDED) return;
        /* Of one load a side nothing is clear, but some differences are beyond noise. */
        const bool is_large = fabs(line->ratio) >= LARGE_RATIO || line->ratio <= -LARGE_RATIO / 2;
        if (line->verdict == ETS_VERDICT_UNCLEAR && !is_large) return;
        say(m, "; load %s", change < 0 ? "-" : "+");
        say_time(m, fabs(change));
        return;
    }
}

/* "; run 1 of 5 before took 9.7 times the median of all": it may be warm-up. */
static void say_first_run(struct maker *m, const struct ets_difference_side *side,
                          const char *which)
{
    const double first = side->per_run[0], median = side->times.p50;
    if (side->block->part_count > 1 || side->times.count < 3 || !(first >= 1.5 * median)) return;
    if (side->block->parts[0].left_out > 0) return;
    say(m, "; run 1 of %u %s took %.3g times the median", side->times.count, which, first / median);
}

/* One number where both ends read the same. */
static void say_interval(struct maker *m, double low, double high)
{
    char ends[2][32];
    (void)snprintf(ends[0], sizeof ends[0], "%+.1f", low);
    (void)snprintf(ends[1], sizeof ends[1], "%+.1f", high);
    if (strcmp(ends[0], ends[1]) != 0) say(m, "%s..", ends[0]);
    say(m, "%s %%", ends[1]);
}

/* "difference +5.0 %, 95 % interval +4.1..+5.9 %; recordings of one program differ here by 1.2 %"
 */
static void say_noise(struct maker *m, const struct ets_difference_line *line)
{
    const double before = line->before.median / 100;
    if (isnan(line->spread) || !(before > 0)) return;
    say(m, "difference %+.1f %%", line->change_of_median / before);
    if (!isnan(line->interval.low)) {
        say(m, ", 95 %% interval ");
        say_interval(m, line->interval.low / before, line->interval.high / before);
    }
    say(m, "; recordings of one program differ here by %.1f %%", line->spread / before);
}

/* Sides that computed other tokens were given other work: no verdict on the program. */
static void say_other_tokens(struct maker *m, const struct ets_difference_block *block)
{
    const struct ets_pool_block *before = block->before, *after = block->after;
    switch (ets_other_work_find(before, after)) {
    case ETS_OTHER_WORK_TOKENS:
        say(m, " of other work, %u tokens before and %u after", before->tokens, after->tokens);
        break;
    case ETS_OTHER_WORK_POSITION:
        say(m, " at other positions, from token %" PRIu64 " before and %" PRIu64 " after",
            before->position, after->position);
        break;
    case ETS_OTHER_WORK_LENGTH:
        say(m, " at other positions, up to token %" PRIu64 " before and %" PRIu64 " after",
            before->last_position, after->last_position);
        break;
    case ETS_OTHER_WORK_NONE: break;
    }
}

static void say_name(struct maker *m, const struct ets_difference_block *block)
{
    const struct ets_pool_block *named = block->after;
    if (named->method != NULL) say(m, "%s", named->method);
    else say(m, "%.*s", ETS_TEXT(named->name));
    if (named->stage != ETS_STAGE_NONE) say(m, " %s", ets_run_stage_name(named->stage));
    say_other_tokens(m, block);
    say(m, ": ");
}

static bool say_block(struct maker *m, struct ets_arena *arena,
                      const struct ets_difference_block *block,
                      const struct ets_difference_line *total, bool is_first)
{
    say_name(m, block);
    say_total(m, total);
    const bool is_decided =
        total->verdict != ETS_VERDICT_UNDECIDED && total->verdict != ETS_VERDICT_UNCLEAR;
    if (!ets_difference_add_cause(arena, &m->line, is_decided ? ": " : "; ", m->difference, block,
                                  m->tick_ns, m->scale)) {
        return false;
    }
    if (is_first) say_load(m);
    if (total->doubt != ETS_LINE_DECIDED) {
        say_first_run(m, &total->before, "before");
        say_first_run(m, &total->after, "after");
    }
    if (is_first || total->doubt != ETS_LINE_ONE_RECORDING) say_doubt(m, block, total);
    return true;
}

/* The block whose runs took longest before, of those with less than `limit`, or later ones with as
 * much. */
static const struct ets_difference_block *next_block(const struct ets_difference *difference,
                                                     const struct ets_difference_block *last,
                                                     const struct ets_difference_line **total_out)
{
    const struct ets_difference_block *best = NULL;
    const double limit =
        last == NULL ? INFINITY : ets_difference_execution(difference, last)->before.times.total;
    for (uint32_t b = 0; b < ets_difference_block_count(difference); b++) {
        const struct ets_difference_block *block = ets_difference_block(difference, b);
        const struct ets_difference_line *total = ets_difference_execution(difference, block);
        if (total == NULL) continue;
        const double took = total->before.times.total;
        const bool is_left = took < limit || (took == limit && last != NULL && block > last);
        if (!is_left || (best != NULL && took <= (*total_out)->before.times.total)) continue;
        best = block;
        *total_out = total;
    }
    return best;
}

/* That the sides are identical, or cannot be compared: then nothing else. */
static void say_agreement(struct maker *m)
{
    struct ets_agreement agreement;
    ets_difference_agreement(m->difference, &agreement);
    if (agreement.is_identical) {
        say(m,
            "identical: both sides are the same recording; every run of every operator is equal");
    } else if (agreement.is_poor) {
        say(m,
            "only %u of %u operators match: these look like different programs; their times "
            "cannot be compared",
            agreement.matched, agreement.operators);
    } else if (agreement.captured != 0) {
        say(m, "only the runs %s captured tensors, which takes time: the times cannot be compared",
            agreement.captured == 1 ? "before" : "after");
    }
}

static bool end_sentence(struct maker *m, struct ets_arena *arena, struct ets_sentences *out)
{
    const char *copy = ets_arena_copy_text(arena, m->text, m->line.used);
    if (copy == NULL) return false;
    out->items[out->count++] = (struct ets_text){copy, m->line.used};
    m->line.used = 0;
    return true;
}

/* Of sides that drift, which no verdict on medians describes: before all else of the block. */
static bool say_drift(struct maker *m, struct ets_arena *arena,
                      const struct ets_difference_block *block, struct ets_sentences *out)
{
    say_name(m, block);
    if (!ets_add_difference_drift(&m->line, "", block)) {
        m->line.used = 0;
        return true;
    }
    say(m, ": medians describe neither third");
    return end_sentence(m, arena, out);
}

bool ets_difference_headline(struct ets_arena *arena, const struct ets_difference *difference,
                             const struct ets_recording_advice *advice,
                             struct ets_sentences *headline_out)
{
    const enum ets_time_unit unit = ets_difference_unit(difference);
    const struct ets_difference_block *block = NULL;
    const struct ets_difference_line *total = NULL;
    struct maker m = {.difference = difference};
    if (advice != NULL) m.advice = *advice;
    if (unit != ETS_UNIT_CYCLES) m.tick_ns = 1e9 / ets_time_unit_per_second(unit);
    *headline_out = (struct ets_sentences){
        ets_arena_alloc_array(arena, 2 * MOST_METHODS + 1, sizeof *headline_out->items), 0};
    if (headline_out->items == NULL) return false;
    m.line = (struct ets_text_builder){m.text, sizeof m.text, 0};
    say_agreement(&m);
    if (m.line.used > 0) return end_sentence(&m, arena, headline_out);
    for (int i = 0; i < MOST_METHODS && (block = next_block(difference, block, &total)) != NULL;
         i++) {
        if (!say_drift(&m, arena, block, headline_out)) return false;
        if (!say_block(&m, arena, block, total, i == 0)) return false;
        if (!end_sentence(&m, arena, headline_out)) return false;
        if (i > 0) continue;
        say_noise(&m, total);
        if (m.line.used > 0 && !end_sentence(&m, arena, headline_out)) return false;
    }
    return true;
}
