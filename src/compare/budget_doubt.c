/*
 * Decides whether the runs are enough for a rule relative to the base. A rule of +5% fails if the
 * value is over the limit and the rank test says slower. It passes if the value is within the limit
 * and a change of 5 % would have been seen: half of the shift's 95 % interval is at most that wide.
 * The width is proportional to one over the root of the number of runs, which gives the number of
 * runs needed. For p90 and max, the tails decide (budget_tails.h).
 */
#include "compare/budget_doubt.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "compare/budget_tails.h"
#include "compare/normal.h"

enum { MOST_RUNS = 1000000, FIRST_RUNS = 20 };

static const double LEVEL = 0.05;

static double spread_of(const struct ets_statistics *times)
{
    return times->count < 2 || !(times->p50 > 0) ? NAN : (times->p90 - times->p10) / times->p50;
}

/* The sum of squared deviations of a side's runs from their mean. */
static double squares_of(const struct ets_difference_side *side)
{
    double sum = 0;
    for (uint32_t i = 0; i < side->times.count; i++) {
        const double distance = side->per_run[i] - side->times.mean;
        sum += distance * distance;
    }
    return sum;
}

/* The equivalent number of runs per side: the harmonic mean of both. */
static double equal_runs(const struct ets_difference_line *line)
{
    const double left = line->before.times.count, right = line->after.times.count;
    return 2 * left * right / (left + right);
}

/* Half of the 95 % interval; of too few runs for one, that of normal times. NaN: of one run each.
 */
static double half_interval(const struct ets_difference_line *line)
{
    const double half = (line->shift.high - line->shift.low) / 2;
    const double freedom = (double)line->before.times.count + line->after.times.count - 2;
    if (!isnan(half)) return half;
    const double squares = squares_of(&line->before) + squares_of(&line->after);
    return ets_normal_quantile(LEVEL / 2) * sqrt(squares / freedom * 2 / equal_runs(line));
}

/* The least number of runs per side for which a rank test can be significant at all. */
static double least_runs(double tests)
{
    double runs = 0, ways = 1;
    for (; 2 / ways * tests >= LEVEL; runs++) ways *= (4 * runs + 2) / (runs + 1);
    return runs;
}

/* Rounds up to two digits, because it is an estimate. */
static double round_up(double runs)
{
    double unit = 1;
    while (runs / unit >= 100) unit *= 10;
    return ceil(runs / unit) * unit;
}

/* A value over the limit must also pass the test adjusted for all lines. */
static uint32_t runs_needed(const struct ets_difference_line *line, double room, double tests)
{
    const double half = half_interval(line), now = equal_runs(line);
    const double quantile = ets_normal_quantile(LEVEL / 2 / tests) / ets_normal_quantile(LEVEL / 2);
    if (isnan(half)) return FIRST_RUNS;
    double runs = now * (half / room) * (half / room) * quantile * quantile;
    runs = fmax(fmax(runs, least_runs(tests)), now + 1);
    return runs > MOST_RUNS ? 0 : (uint32_t)round_up(runs);
}

/* The same for p90: from the interval if there is one, or that of normally distributed times. */
static uint32_t tail_runs_needed(const struct ets_difference_line *line, double room, double half)
{
    const double now = equal_runs(line), least = fmax(ETS_BUDGET_P90_RUNS, now + 1);
    const double freedom = (double)line->before.times.count + line->after.times.count - 2;
    const double squares = squares_of(&line->before) + squares_of(&line->after);
    double runs = ETS_BUDGET_P90_RUNS;
    if (isfinite(half)) runs = now * (half / room) * (half / room);
    else if (freedom > 0) runs = ets_tail_runs(sqrt(squares / freedom), room);
    runs = fmax(runs, least);
    return runs > MOST_RUNS ? 0 : (uint32_t)round_up(runs);
}

/* Whether the new runs equal those of a file of the base, to the tick. */
static bool is_recorded_before(const struct ets_difference_line *line)
{
    const struct ets_pool_block *base = line->before.block;
    for (uint32_t p = 0; p < base->part_count; p++) {
        const struct ets_pool_part *part = &base->parts[p];
        if (part->run_count != line->after.times.count) continue;
        if (memcmp(line->before.per_run + part->first_run, line->after.per_run,
                   part->run_count * sizeof *line->after.per_run) == 0) {
            return true;
        }
    }
    return false;
}

/* The change that a rule limits. */
struct change {
    double room; /* allowed by the rule */
    struct ets_tail_shift
        shift; /* 95 % interval; of p90 90 %, each end 95 % sure; NaN: not known */
};

static double half_of(const struct change *change)
{
    return (change->shift.high - change->shift.low) / 2;
}

/* Whether a change of the rule's size would have been seen, or is impossible. */
static bool holds(const struct ets_budget_rule *rule, const struct ets_difference_line *line,
                  const struct ets_budget_verdict *verdict, const struct change *change)
{
    const bool is_below = line->after.times.max <= verdict->limit;
    const bool is_of_tail = rule->metric == ETS_METRIC_P90 || rule->metric == ETS_METRIC_MAX;
    if (is_recorded_before(line)) return true;
    if (is_below && (!is_of_tail || line->verdict == ETS_VERDICT_FASTER)) return true;
    if (rule->metric == ETS_METRIC_MAX) return ets_tail_would_show(line, change->room);
    return change->shift.high <= verdict->limit - verdict->base ||
           half_of(change) <= fabs(change->room);
}

static bool is_broken(const struct ets_budget_rule *rule, const struct ets_difference_line *line,
                      const struct ets_budget_verdict *verdict, const struct change *change)
{
    if (rule->bounds[0].value < 0) return true; /* the new trace must be faster, but is not */
    if (verdict->value <= verdict->noise || line->verdict == ETS_VERDICT_UNKNOWN) return false;
    if (line->verdict == ETS_VERDICT_SLOWER) return true;
    if (rule->metric == ETS_METRIC_MAX) return ets_tail_is_slower(line, verdict->noise);
    return rule->metric == ETS_METRIC_P90 && change->shift.low > 0;
}

/* Why a rule is undecided. */
static void doubt(const struct ets_budget_rule *rule, const struct ets_difference_line *line,
                  uint32_t lines, struct ets_budget_verdict *verdict, const struct change *change)
{
    const bool is_over = verdict->value > verdict->limit;
    verdict->result = ETS_BUDGET_UNDECIDED;
    verdict->room = change->room / verdict->base;
    verdict->spread = fmax(spread_of(&line->before.times), spread_of(&line->after.times));
    if (!(fabs(change->room) > 0)) {
        verdict->doubt = ETS_DOUBT_ROOM;
    } else if (is_over && verdict->value <= verdict->noise) {
        verdict->doubt = ETS_DOUBT_BASE;
    } else if (line->adjusted_p < LEVEL && line->verdict == ETS_VERDICT_UNKNOWN) {
        verdict->doubt = ETS_DOUBT_CLOCK;
    } else if (rule->metric == ETS_METRIC_MAX && equal_runs(line) >= FIRST_RUNS) {
        verdict->doubt = ETS_DOUBT_SLOWEST;
    } else {
        verdict->doubt = ETS_DOUBT_RUNS;
        verdict->runs_needed = rule->metric == ETS_METRIC_MAX ? FIRST_RUNS
                               : rule->metric == ETS_METRIC_P90
                                   ? tail_runs_needed(line, change->room, half_of(change))
                                   : runs_needed(line, change->room, is_over ? lines : 1);
    }
}

void ets_budget_weigh(const struct ets_budget_rule *rule, const struct ets_difference_line *line,
                      uint32_t lines, double *scratch, struct ets_budget_verdict *verdict)
{
    const bool is_over = verdict->value > verdict->limit;
    struct change change = {.room = verdict->limit - verdict->base - line->before.resolution,
                            .shift = {line->shift.low, line->shift.high}};
    if (rule->metric == ETS_METRIC_P90) change.shift = ets_tail_shift_of(line, scratch);
    if (is_over ? is_broken(rule, line, verdict, &change) : holds(rule, line, verdict, &change)) {
        verdict->result = is_over ? ETS_BUDGET_FAIL : ETS_BUDGET_PASS;
    } else {
        doubt(rule, line, lines, verdict, &change);
    }
}
