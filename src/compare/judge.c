/*
 * Tests the times of each line of a comparison. The verdict is faster, slower, same, unclear or
 * unknown.
 */
#include <math.h>

#include "compare/difference_parts.h"
#include "compare/significance.h"

static const double CONFIDENCE = 0.95;

struct judge {
    struct ets_difference *difference;
    double *before, *after; /* scratch: a line's times, sorted */
    double *p;              /* [line] */
};

static uint32_t most_runs(const struct ets_difference *difference)
{
    uint32_t most = 0;
    for (uint32_t b = 0; b < difference->block_count; b++) {
        const struct ets_difference_block *block = &difference->blocks[b];
        if (block->before != NULL && block->before->run_count > most) {
            most = block->before->run_count;
        }
        if (block->after != NULL && block->after->run_count > most) most = block->after->run_count;
    }
    return most;
}

/* Sorts the side's times into `values`, and computes statistics. Returns their number. */
static uint32_t describe(struct ets_difference_side *side, double *values)
{
    const uint32_t count = side->operator_count == 0 ? 0 : side->block->run_count;
    for (uint32_t i = 0; i < count; i++) values[i] = side->per_run[i];
    ets_statistics_compute(values, count, &side->times);
    return count;
}

/* Rounds to whole clock steps, so that indistinguishable times are ties. */
static void quantise(double *values, uint32_t count, double step)
{
    for (uint32_t i = 0; i < count; i++) values[i] = floor(values[i] / step) * step;
}

/* Whether only some of a line's operators are in a delegate's own ticks. */
static bool is_of_two_clocks(const struct ets_difference_line *line)
{
    const struct ets_difference_side *sides[] = {&line->before, &line->after};
    if (!line->has_own_clock) return false;
    for (int s = 0; s < 2; s++) {
        for (uint32_t i = 0; i < sides[s]->operator_count; i++) {
            if (!sides[s]->block->operators[sides[s]->operators[i]].has_own_clock) return true;
        }
    }
    return false;
}

/* Times of two units cannot be compared. */
static void forget(struct ets_difference_line *line)
{
    line->change_of_median = line->ratio = line->test.p = NAN;
    line->shift = (struct ets_shift){NAN, NAN, NAN};
}

static void test(struct judge *judge, struct ets_difference_line *line)
{
    const uint32_t left = describe(&line->before, judge->before);
    const uint32_t right = describe(&line->after, judge->after);
    const double p50_before = left > 0 ? line->before.times.p50 : 0;
    const double p50_after = right > 0 ? line->after.times.p50 : 0;
    line->change_of_median = p50_after - p50_before;
    line->ratio = p50_before > 0 ? line->change_of_median / p50_before : NAN;
    const double step = fmax(line->before.resolution, line->after.resolution);
    if (step > 0) {
        quantise(judge->before, left, step);
        quantise(judge->after, right, step);
    }
    ets_rank_test(judge->before, left, judge->after, right, &line->test);
    ets_shift_of(judge->before, left, judge->after, right, CONFIDENCE, &line->shift);
    if (left == 0 || right == 0) line->test.p = NAN;
    if (is_of_two_clocks(line)) forget(line);
}

/* Whether each side is the sum of several readings of a coarse clock, whose errors add up. */
static bool is_coarse(const struct ets_difference_line *line)
{
    const struct ets_difference_side *sides[] = {&line->before, &line->after};
    const double step = fmax(line->before.resolution, line->after.resolution);
    bool one_reading = line->before.resolution == line->after.resolution;
    for (int s = 0; s < 2; s++) {
        const struct ets_pool_operator *op = &sides[s]->block->operators[sides[s]->operators[0]];
        if (sides[s]->operator_count != 1 || op->calls != 1) one_reading = false;
    }
    return !one_reading && fabs(line->shift.estimate) < step;
}

/* Without a significant change, the interval decides between "same" and "unclear". A median that
 * moved all the same is not "the same". */
static enum ets_verdict same_or_unclear(const struct ets_difference_line *line, double least)
{
    const bool is_within = line->shift.low >= -least && line->shift.high <= least &&
                           fabs(line->change_of_median) <= least;
    return is_within ? ETS_VERDICT_SAME : ETS_VERDICT_UNCLEAR;
}

/* A significant shift. The medians, which are shown beside the verdict, have to say the same. */
static enum ets_verdict faster_or_slower(const struct ets_difference_line *line, double least)
{
    const double pairs = (double)line->before.times.count * line->after.times.count;
    const bool is_slower = line->test.u > pairs / 2;
    const double change = is_slower ? line->change_of_median : -line->change_of_median;
    if (change <= 0 || change < least) return same_or_unclear(line, least);
    return is_slower ? ETS_VERDICT_SLOWER : ETS_VERDICT_FASTER;
}

/* Whether runs of such a number cannot decide: at all, or what one line alone would have decided.
 */
static bool has_too_few_runs(const struct ets_difference *difference,
                             const struct ets_difference_line *line)
{
    const double level = difference->options.false_discovery, least_p = line->test.least_p;
    return least_p >= level || (line->test.p < level && least_p * difference->line_count >= level);
}

static enum ets_verdict verdict_of(const struct ets_difference *difference,
                                   const struct ets_difference_line *line)
{
    const double level = difference->options.false_discovery;
    const double least = difference->options.least_change * line->before.times.p50;
    if (isnan(line->test.p)) return ETS_VERDICT_NONE;
    if (difference->agreement.is_identical) return ETS_VERDICT_SAME;
    if (line->adjusted_p >= level) {
        return has_too_few_runs(difference, line) ? ETS_VERDICT_UNKNOWN
                                                  : same_or_unclear(line, least);
    }
    if (is_coarse(line)) return ETS_VERDICT_UNKNOWN;
    /* A few readings of another step of a coarse clock do not move the median. */
    if (line->shift.estimate == 0 || fabs(line->shift.estimate) < least)
        return same_or_unclear(line, least);
    return faster_or_slower(line, least);
}

enum ets_status ets_difference_judge(struct ets_difference *difference, struct ets_error *error)
{
    const uint32_t count = difference->line_count, runs = most_runs(difference);
    struct ets_arena scratch;
    ets_arena_init(&scratch, difference->arena.allocator, 0);
    struct judge judge = {difference, ets_arena_alloc_array(&scratch, runs, sizeof(double)),
                          ets_arena_alloc_array(&scratch, runs, sizeof(double)),
                          ets_arena_alloc_array(&scratch, count, sizeof(double))};
    double *adjusted = ets_arena_alloc_array(&scratch, count, sizeof *adjusted);
    enum ets_status status = ETS_OK;
    if (!judge.before || !judge.after || !judge.p || !adjusted) {
        status = ets_fail_difference(error);
    }
    for (uint32_t i = 0; i < count && status == ETS_OK; i++) {
        test(&judge, &difference->lines[i]);
        judge.p[i] = difference->lines[i].test.p;
    }
    if (status == ETS_OK) {
        status = ets_false_discovery(judge.p, count, scratch.allocator, adjusted, error);
    }
    for (uint32_t i = 0; i < count && status == ETS_OK; i++) {
        struct ets_difference_line *line = &difference->lines[i];
        line->adjusted_p = adjusted[i];
        line->verdict = verdict_of(difference, line);
    }
    ets_arena_reset(&scratch);
    return status;
}
