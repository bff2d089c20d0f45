/*
 * p90: its bounds are runs. The number of runs above the true p90 is binomial with probability 0.1
 * for any distribution of times, so the k-th slowest run is an upper bound with 95 % certainty, for
 * a k that depends only on n. The bounds of a difference combine those of both sides by roots of
 * sums of squares.
 *
 * The slowest run: if both sides are equal, every order of all runs is equally likely. It is then
 * unlikely that the j slowest are all new runs: j = 5 for equal numbers of runs.
 */
#include "compare/budget_tails.h"

#include <math.h>
#include <string.h>

#include "base/quantile.h"
#include "compare/normal.h"
#include "etscope/experimental/budget.h"

static const double ABOVE = 0.1, LEVEL = 0.05;

/*
 * The ranks of the bounds, counted from the slowest, 0: `*low_out` is count if no run is low
 * enough, `*high_out` is -1 if none is high enough.
 */
static void find_ranks(uint32_t count, double *low_out, double *high_out)
{
    enum { MANY = 1000 };
    const double mean = count * ABOVE, deviation = sqrt(mean * (1 - ABOVE));
    if (count > MANY) {
        const double reach = ets_normal_quantile(LEVEL) * deviation;
        *low_out = ceil(mean + reach);
        *high_out = floor(mean - reach) - 1;
        return;
    }
    double chance = pow(1 - ABOVE, count), sum = 0; /* that k runs lie above p90 */
    *high_out = -1;
    for (uint32_t k = 0; k <= count; k++) {
        sum += chance;
        if (sum <= LEVEL) *high_out = k;
        *low_out = k;
        if (sum >= 1 - LEVEL) return;
        chance *= (double)(count - k) / (k + 1) * ABOVE / (1 - ABOVE);
    }
}

struct bounds {
    double low, p90, high;
};

static struct bounds bounds_of(const struct ets_difference_side *side, double *scratch)
{
    const uint32_t count = side->times.count;
    double low, high;
    memcpy(scratch, side->per_run, count * sizeof *scratch);
    ets_sort_doubles(scratch, count);
    find_ranks(count, &low, &high);
    const struct bounds bounds = {low >= count ? -INFINITY : scratch[count - 1 - (uint32_t)low],
                                  ets_quantile(scratch, count, 1 - ABOVE),
                                  high < 0 ? INFINITY : scratch[count - 1 - (uint32_t)high]};
    return bounds;
}

struct ets_tail_shift ets_tail_shift_of(const struct ets_difference_line *line, double *scratch)
{
    const struct bounds before = bounds_of(&line->before, scratch);
    const struct bounds after = bounds_of(&line->after, scratch);
    const double shift = after.p90 - before.p90;
    return (struct ets_tail_shift){
        shift - hypot(fmax(after.p90 - after.low, 0), fmax(before.high - before.p90, 0)),
        shift + hypot(fmax(after.high - after.p90, 0), fmax(before.p90 - before.low, 0))};
}

double ets_tail_runs(double deviation, double room)
{
    const double density = 0.17550, quantile = ets_normal_quantile(LEVEL); /* normal, at p90 */
    const double half = quantile * sqrt(2 * ABOVE * (1 - ABOVE)) / density * deviation;
    return fmax(half * half / (room * room), ETS_BUDGET_P90_RUNS);
}

/* Whether it is unlikely that the `count` slowest of `all` runs are all among `own` runs. */
static bool is_rare(uint32_t count, uint32_t own, uint32_t all)
{
    double chance = 1;
    for (uint32_t i = 0; i < count && i < own && chance > LEVEL; i++) {
        chance *= (double)(own - i) / (all - i);
    }
    return chance <= LEVEL;
}

static uint32_t count_above(const struct ets_difference_side *side, double time)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < side->times.count; i++) count += side->per_run[i] > time;
    return count;
}

bool ets_tail_is_slower(const struct ets_difference_line *line, double slowest)
{
    const uint32_t own = line->after.times.count;
    return is_rare(count_above(&line->after, slowest), own, own + line->before.times.count);
}

bool ets_tail_would_show(const struct ets_difference_line *line, double room)
{
    const uint32_t own = line->before.times.count, count = line->after.times.count;
    const uint32_t above = count_above(&line->before, line->before.times.max - room);
    const double share = (double)above / own;
    return is_rare((uint32_t)floor(share * count), count, count + own);
}
