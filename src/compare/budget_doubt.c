/*
 * Whether runs can decide a rule over the base. A rule of +5% is broken where the value is over it
 * and the rank test says slower; it holds where the value is within it and a change of 5 % would
 * have been seen: half of the shift's 95 % interval is no wider. That width goes with one over the
 * root of the number of runs, which gives the number that would be enough.
 */
#include "compare/budget_doubt.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "compare/normal.h"

enum { MOST_RUNS = 1000000, FIRST_RUNS = 20 };

static const double LEVEL = 0.05;

/* Tails: neither the rank test nor the shift looks at them. */
static bool is_of_tail(const struct ets_budget_rule *rule)
{
    return rule->metric == ETS_METRIC_P90 || rule->metric == ETS_METRIC_MAX;
}

static double spread_of(const struct ets_statistics *times)
{
    return times->count < 2 || !(times->p50 > 0) ? NAN : (times->p90 - times->p10) / times->p50;
}

/* The sum of squares of the distances to the mean of a side's runs. */
static double squares_of(const struct ets_difference_side *side)
{
    double sum = 0;
    for (uint32_t i = 0; i < side->times.count; i++) {
        const double distance = side->per_run[i] - side->times.mean;
        sum += distance * distance;
    }
    return sum;
}

/* Runs of each side that tell as much as those of both do: their harmonic mean. */
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

/* The least number of runs of each side whose rank test can come out below the level at all. */
static double least_runs(double tests)
{
    double runs = 0, ways = 1;
    for (; 2 / ways * tests >= LEVEL; runs++) ways *= (4 * runs + 2) / (runs + 1);
    return runs;
}

/* Upwards to two digits: an estimate pretends no more. */
static double round_up(double runs)
{
    double unit = 1;
    while (runs / unit >= 100) unit *= 10;
    return ceil(runs / unit) * unit;
}

/* What is over the limit has to pass the test that is adjusted for all lines. */
static uint32_t runs_needed(const struct ets_difference_line *line, double room, double tests)
{
    const double half = half_interval(line), now = equal_runs(line);
    const double quantile = ets_normal_quantile(LEVEL / 2 / tests) / ets_normal_quantile(LEVEL / 2);
    if (isnan(half)) return FIRST_RUNS;
    double runs = now * (half / room) * (half / room) * quantile * quantile;
    runs = fmax(fmax(runs, least_runs(tests)), now + 1);
    return runs > MOST_RUNS ? 0 : (uint32_t)round_up(runs);
}

/* Whether the new runs are those of a file of the base, to the tick. */
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

/* Whether a change of the rule's size would have been seen, or none can be there. */
static bool holds(const struct ets_budget_rule *rule, const struct ets_difference_line *line,
                  const struct ets_budget_verdict *verdict, double room)
{
    const double half = (line->shift.high - line->shift.low) / 2;
    if (is_of_tail(rule) || line->after.times.max <= verdict->limit) return true;
    if (is_recorded_before(line)) return true;
    return line->shift.high <= verdict->limit - verdict->base || half <= fabs(room);
}

static bool is_broken(const struct ets_budget_rule *rule, const struct ets_difference_line *line,
                      const struct ets_budget_verdict *verdict)
{
    if (rule->bounds[0].value < 0) return true; /* the new trace is to be faster, and is not */
    if (verdict->value <= verdict->noise || line->verdict == ETS_VERDICT_UNKNOWN) return false;
    return is_of_tail(rule) || line->verdict == ETS_VERDICT_SLOWER;
}

void ets_budget_weigh(const struct ets_budget_rule *rule, const struct ets_difference_line *line,
                      uint32_t lines, struct ets_budget_verdict *verdict)
{
    const bool is_over = verdict->value > verdict->limit;
    const double room = verdict->limit - verdict->base - line->before.resolution;
    if (is_over ? is_broken(rule, line, verdict) : holds(rule, line, verdict, room)) {
        verdict->result = is_over ? ETS_BUDGET_FAIL : ETS_BUDGET_PASS;
        return;
    }
    verdict->result = ETS_BUDGET_UNDECIDED;
    verdict->room = room / verdict->base;
    verdict->spread = fmax(spread_of(&line->before.times), spread_of(&line->after.times));
    if (!(fabs(room) > 0)) {
        verdict->doubt = ETS_DOUBT_ROOM;
    } else if (is_over && verdict->value <= verdict->noise) {
        verdict->doubt = ETS_DOUBT_BASE;
    } else if (line->adjusted_p < LEVEL && line->verdict == ETS_VERDICT_UNKNOWN) {
        verdict->doubt = ETS_DOUBT_CLOCK;
    } else {
        verdict->doubt = ETS_DOUBT_RUNS;
        verdict->runs_needed = runs_needed(line, room, is_over ? lines : 1);
    }
}
