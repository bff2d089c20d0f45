/*
 * Decides whether the recordings are enough for a rule relative to the base. A rule of +5% fails if
 * the value is over the limit and the permutation test says slower. It passes if the value is
 * within the limit and a change of 5 % would have been seen: half of the change's 95 % interval is
 * at most that wide.
 */
#include "compare/budget_recordings.h"

#include <math.h>

#include "compare/permutation_test.h"
#include "compare/recordings.h"

static const double LEVEL = 0.05;

/* Runs per recording may differ by this part where the metric depends on their number. */
static const double LENGTHS = 0.1;

/* What the verdicts of one rule and block are judged by. */
struct scale {
    const struct ets_budget_rule *rule;
    const struct ets_difference *difference;
    struct ets_recordings sides[2];
    uint32_t now; /* recordings of the side that has fewer */
    uint32_t blocks;
};

double ets_budget_limit_of(const struct ets_budget_rule *rule, double base)
{
    double widest = 0;
    for (uint32_t i = 0; i < rule->bound_count; i++) {
        const struct ets_budget_bound *bound = &rule->bounds[i];
        const bool is_absolute = bound->limit == ETS_LIMIT_TIME || bound->limit == ETS_LIMIT_RATE;
        const double limit = is_absolute                           ? bound->value
                             : bound->limit == ETS_LIMIT_OVER_TIME ? base + bound->value
                                                                   : base * (1 + bound->value);
        if (i == 0 || limit > widest) widest = limit;
    }
    return widest;
}

static double mean_of(const double *values, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) sum += values[i];
    return sum / count;
}

/* Whether the metric of the sides differs because their recordings have unequally many runs. */
static bool has_other_lengths(const struct scale *s)
{
    const enum ets_budget_metric metric = s->rule->metric;
    if (metric == ETS_METRIC_P50 || metric == ETS_METRIC_AVG || metric == ETS_METRIC_RATE) {
        return false;
    }
    const double least = fmin(s->sides[0].least_runs, s->sides[1].least_runs);
    const double most = fmax(s->sides[0].most_runs, s->sides[1].most_runs);
    return most - least > LENGTHS * most;
}

static void doubt(struct ets_budget_verdict *verdict, enum ets_budget_uncertainty why)
{
    verdict->result = ETS_BUDGET_UNDECIDED;
    verdict->doubt = why;
}

static void need(const struct scale *s, const struct ets_line_test *test, double change,
                 struct ets_budget_verdict *verdict)
{
    if (s->now >= ETS_LEAST_RECORDINGS && ets_recordings_are_apart(s->sides)) {
        doubt(verdict, ETS_DOUBT_APART); /* more of the same kind decide nothing */
        return;
    }
    const uint32_t least = ets_difference_is_whole(s->difference, verdict->line)
                               ? ETS_LEAST_RECORDINGS
                               : ETS_ADVISED_RECORDINGS;
    doubt(verdict, ETS_DOUBT_RECORDINGS);
    verdict->recordings_needed = ets_recordings_needed(change, test->deviation, s->now, least);
}

/* Over the limit: broken, if the test confirms it. */
static void judge_over(const struct scale *s, const struct ets_line_test *test, double room,
                       struct ets_budget_verdict *verdict)
{
    const struct ets_difference_line *line = ets_difference_line(s->difference, verdict->line);
    const double change = verdict->value - verdict->base;
    const bool must_be_faster = s->rule->bounds[0].value < 0;
    const bool is_above = change > 0 && change > test->spread;
    const bool is_broken = is_above && verdict->p < LEVEL && !ets_difference_is_coarse(line);
    if (is_broken && !must_be_faster && ets_recordings_are_apart(s->sides)) {
        doubt(verdict, ETS_DOUBT_APART);
    } else if (must_be_faster || is_broken) {
        verdict->result = ETS_BUDGET_FAIL;
    } else if (!(fabs(room) > 0)) {
        doubt(verdict, ETS_DOUBT_ROOM);
    } else if (!is_above) {
        doubt(verdict, ETS_DOUBT_SPREAD);
    } else if (verdict->p < LEVEL) {
        doubt(verdict, ETS_DOUBT_CLOCK);
    } else {
        need(s, test, change, verdict);
    }
}

/* Within the limit: held, if a change of the rule's size would have been seen, or is impossible. */
static void judge_within(const struct scale *s, const struct ets_line_test *test, double room,
                         struct ets_budget_verdict *verdict)
{
    const struct ets_interval *interval = &test->interval;
    if (s->rule->bounds[0].value < 0 && ets_recordings_are_apart(s->sides)) {
        doubt(verdict, ETS_DOUBT_APART); /* the gain may be the machine's */
        return;
    }
    if (interval->high <= verdict->limit - verdict->base ||
        (interval->high - interval->low) / 2 <= fabs(room)) {
        verdict->result = ETS_BUDGET_PASS;
    } else if (!(fabs(room) > 0)) {
        doubt(verdict, ETS_DOUBT_ROOM);
    } else {
        need(s, test, room, verdict);
    }
}

static void weigh_line(const struct scale *s, const double *values,
                       const struct ets_line_test *test, struct ets_budget_verdict *verdict)
{
    const struct ets_difference_line *line = ets_difference_line(s->difference, verdict->line);
    const double step = line->before.resolution;
    verdict->base = mean_of(values, s->sides[ETS_BEFORE].count);
    verdict->value = mean_of(values + s->sides[ETS_BEFORE].count, s->sides[ETS_AFTER].count);
    /* the true value is above the reading of a coarse clock */
    verdict->limit = ets_budget_limit_of(s->rule, verdict->base + step);
    verdict->noise = test->spread;
    verdict->spread = verdict->base > 0 ? test->spread / verdict->base : NAN;
    verdict->p = fmin(1, test->adjusted_p * s->blocks);
    verdict->before_recordings = s->sides[ETS_BEFORE].count;
    verdict->after_recordings = s->sides[ETS_AFTER].count;
    const double room = verdict->limit - verdict->base - step;
    const bool is_over = verdict->value > verdict->limit;
    verdict->room = room / verdict->base;
    if (s->difference->agreement.is_identical && !is_over) verdict->result = ETS_BUDGET_PASS;
    else if (s->now < ETS_LEAST_RECORDINGS) need(s, test, room, verdict);
    else if (has_other_lengths(s)) doubt(verdict, ETS_DOUBT_LENGTH);
    else if (is_over) judge_over(s, test, room, verdict);
    else judge_within(s, test, room, verdict);
}

static void put_new(const struct scale *s, struct ets_budget_verdict *verdict)
{
    const struct ets_difference_line *line = ets_difference_line(s->difference, verdict->line);
    verdict->value = ets_metric_of(&line->after.times, s->rule->metric);
    verdict->result = ETS_BUDGET_NEW;
}

static bool weigh(struct ets_arena *arena, struct scale *s, struct ets_budget_verdict *verdicts,
                  uint32_t count)
{
    const struct ets_difference_line *first = ets_difference_line(s->difference, verdicts->line);
    const struct ets_difference_block *block = ets_difference_block(s->difference, first->block);
    const uint32_t runs[] = {block->before == NULL ? 0 : block->before->run_count,
                             block->after->run_count};
    double *scratch = ets_arena_alloc_array(arena, (size_t)runs[0] + runs[1], sizeof *scratch);
    if (scratch == NULL || !ets_recordings_find(arena, block->before, &s->sides[ETS_BEFORE]) ||
        !ets_recordings_find(arena, block->after, &s->sides[ETS_AFTER])) {
        return false;
    }
    const uint32_t left = s->sides[ETS_BEFORE].count, right = s->sides[ETS_AFTER].count;
    double *values = ets_arena_alloc_array(arena, (size_t)count * (left + right), sizeof *values);
    struct ets_line_test *tests = ets_arena_alloc_array(arena, count, sizeof *tests);
    if (values == NULL || tests == NULL) return false;
    struct ets_family family = {.before = left, .after = right, .values = values};
    for (uint32_t i = 0; i < count; i++) {
        const struct ets_difference_line *line =
            ets_difference_line(s->difference, verdicts[i].line);
        double *of_line = values + (size_t)family.line_count * (left + right);
        if (line->before.operator_count == 0) continue;
        family.line_count++;
        ets_recordings_values(&s->sides[ETS_BEFORE], line->before.per_run, s->rule->metric, scratch,
                              of_line);
        ets_recordings_values(&s->sides[ETS_AFTER], line->after.per_run, s->rule->metric, scratch,
                              of_line + left);
    }
    s->now = left < right ? left : right;
    if (family.line_count > 0 && !ets_family_test(arena, &family, tests)) return false;
    for (uint32_t i = 0, at = 0; i < count; i++) {
        const struct ets_difference_line *line =
            ets_difference_line(s->difference, verdicts[i].line);
        if (line->before.operator_count == 0) {
            put_new(s, &verdicts[i]);
            continue;
        }
        if (verdicts[i].doubt == ETS_DOUBT_NONE) {
            weigh_line(s, values + (size_t)at * (left + right), &tests[at], &verdicts[i]);
        }
        at++;
    }
    return true;
}

bool ets_budget_weigh(const struct ets_budget_rule *rule, const struct ets_difference *difference,
                      struct ets_budget_verdict *verdicts, uint32_t count, uint32_t blocks)
{
    struct ets_arena arena;
    struct scale s = {.rule = rule, .difference = difference, .blocks = blocks};
    ets_arena_init(&arena, difference->arena.allocator, 0);
    const bool ok = weigh(&arena, &s, verdicts, count);
    ets_arena_reset(&arena);
    return ok;
}
