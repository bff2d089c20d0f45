/*
 * Tests the times of each line of a comparison, and gives its verdict. Lines of blocks with equally
 * many recordings are tested together.
 */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "compare/difference_parts.h"
#include "compare/permutation_test.h"
#include "compare/recordings.h"
#include "compare/significance.h"

/* A block with the recordings of its sides. */
struct subject {
    const struct ets_difference_block *block;
    struct ets_recordings sides[2];
    bool is_apart; /* one side was recorded after the other */
};

struct judge {
    struct ets_difference *difference;
    struct ets_arena arena;
    struct subject *subjects; /* [block], those with equally many recordings together */
    double *before, *after;   /* scratch: a line's times */
    uint32_t families;        /* number of tests that adjust by permutation */
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

/* Whether both sides have times that can be compared. */
static bool is_tested(const struct ets_difference_line *line)
{
    return line->before.times.count > 0 && line->after.times.count > 0 && !is_of_two_clocks(line);
}

static void describe_side(struct judge *judge, const struct ets_recordings *recordings,
                          struct ets_difference_side *side)
{
    const uint32_t count = side->operator_count == 0 ? 0 : side->block->run_count;
    double *values = judge->after, sum = 0;
    for (uint32_t i = 0; i < count; i++) values[i] = side->per_run[i];
    ets_statistics_compute(values, count, &side->times);
    side->median = NAN;
    if (count == 0) return;
    ets_recordings_values(recordings, side->per_run, ETS_METRIC_P50, judge->before, values);
    for (uint32_t r = 0; r < recordings->count; r++) sum += values[r];
    side->median = sum / recordings->count;
}

/* Times, medians and their change. */
static void describe(struct judge *judge, const struct subject *subject,
                     struct ets_difference_line *line)
{
    describe_side(judge, &subject->sides[ETS_BEFORE], &line->before);
    describe_side(judge, &subject->sides[ETS_AFTER], &line->after);
    const double before = isnan(line->before.median) ? 0 : line->before.median;
    const double after = isnan(line->after.median) ? 0 : line->after.median;
    line->change_of_median = is_of_two_clocks(line) ? NAN : after - before;
    line->ratio = before > 0 ? line->change_of_median / before : NAN;
    line->interval = (struct ets_interval){NAN, NAN};
    line->spread = line->p = line->adjusted_p = NAN;
}

bool ets_difference_is_coarse(const struct ets_difference_line *line)
{
    const struct ets_difference_side *sides[] = {&line->before, &line->after};
    const double step = fmax(line->before.resolution, line->after.resolution);
    bool one_reading = line->before.resolution == line->after.resolution;
    for (int s = 0; s < 2; s++) {
        const struct ets_pool_operator *op = &sides[s]->block->operators[sides[s]->operators[0]];
        if (sides[s]->operator_count != 1 || op->calls != 1) one_reading = false;
    }
    return !one_reading && fabs(line->change_of_median) < step;
}

static void put_verdict(struct ets_difference_line *line, enum ets_verdict verdict,
                        enum ets_line_doubt doubt)
{
    line->verdict = verdict;
    line->doubt = doubt;
}

/* The least change that counts. */
static double least_of(const struct judge *judge, const struct ets_difference_line *line)
{
    return judge->difference->options.least_change * line->before.median;
}

/* Rounds to whole clock steps, so that indistinguishable times are ties. */
static void quantise(double *values, uint32_t count, double step)
{
    for (uint32_t i = 0; i < count; i++) values[i] = floor(values[i] / step) * step;
}

static uint32_t sort_side(const struct ets_recordings *recordings,
                          const struct ets_difference_side *side, double *values)
{
    struct ets_statistics sorted;
    const uint32_t count = ets_recordings_runs(recordings, side->per_run, values);
    ets_statistics_compute(values, count, &sorted);
    return count;
}

/* Compares the runs of two recordings. Returns the part of all pairs that is larger after. */
static double compare_runs(struct judge *judge, const struct subject *subject,
                           struct ets_difference_line *line)
{
    const double step = fmax(line->before.resolution, line->after.resolution);
    const uint32_t left = sort_side(&subject->sides[ETS_BEFORE], &line->before, judge->before);
    const uint32_t right = sort_side(&subject->sides[ETS_AFTER], &line->after, judge->after);
    struct ets_rank_test test;
    line->interval = ets_median_change(judge->before, left, judge->after, right);
    if (step > 0) {
        quantise(judge->before, left, step);
        quantise(judge->after, right, step);
    }
    ets_rank_test(judge->before, left, judge->after, right, &test);
    line->p = test.p;
    line->p_is_exact = test.is_exact;
    return test.u / ((double)left * right);
}

/* Whether two recordings differ, by the adjusted test and by their medians. */
static void judge_recordings(const struct judge *judge, double larger,
                             struct ets_difference_line *line)
{
    const double change = larger > 0.5 ? line->change_of_median : -line->change_of_median;
    const bool is_clear = line->adjusted_p < judge->difference->options.false_discovery &&
                          change > 0 && change >= least_of(judge, line);
    const bool differs = is_clear && !ets_difference_is_coarse(line);
    put_verdict(line, differs ? ETS_VERDICT_DIFFERS : ETS_VERDICT_UNCLEAR,
                is_clear && !differs ? ETS_LINE_CLOCK : ETS_LINE_ONE_RECORDING);
}

/* Lines of blocks with one recording a side. */
static enum ets_status test_pairs(struct judge *judge, const struct subject *subjects,
                                  uint32_t count, struct ets_error *error)
{
    struct ets_difference_line *lines = judge->difference->lines;
    const uint32_t all = judge->difference->line_count;
    double *p = ets_arena_alloc_array(&judge->arena, (size_t)all * 3, sizeof *p);
    if (p == NULL) return ets_fail_difference(error);
    double *larger = p + all, *adjusted = larger + all;
    for (uint32_t i = 0; i < all; i++) p[i] = NAN;
    for (uint32_t b = 0; b < count; b++) {
        const struct ets_difference_block *block = subjects[b].block;
        for (uint32_t i = block->first_line; i < block->first_line + block->line_count; i++) {
            if (!is_tested(&lines[i])) continue;
            larger[i] = compare_runs(judge, &subjects[b], &lines[i]);
            p[i] = lines[i].p;
        }
    }
    ETS_TRY(ets_false_discovery(p, all, judge->arena.allocator, adjusted, error));
    for (uint32_t i = 0; i < all; i++) {
        if (isnan(p[i])) continue;
        lines[i].adjusted_p = adjusted[i];
        judge_recordings(judge, larger[i], &lines[i]);
    }
    return ETS_OK;
}

/* What would decide a line: a change that shows, or an interval within the least change. */
static void find_needed(const struct judge *judge, const struct ets_line_test *test, uint32_t now,
                        uint32_t least_recordings, bool is_apart, struct ets_difference_line *line)
{
    const double change = fabs(line->change_of_median), least = least_of(judge, line);
    const bool is_small = change < least;
    if (is_apart && now >= ETS_LEAST_RECORDINGS) { /* more of the same kind decide nothing */
        put_verdict(line, ETS_VERDICT_UNDECIDED, ETS_LINE_APART);
        return;
    }
    if (!is_small && change <= test->spread && now >= ETS_LEAST_RECORDINGS) {
        put_verdict(line, ETS_VERDICT_UNDECIDED, ETS_LINE_SPREAD);
        return;
    }
    put_verdict(line, ETS_VERDICT_UNDECIDED, ETS_LINE_FEW_RECORDINGS);
    line->recordings_needed = ets_recordings_needed(is_small ? least - change : change,
                                                    test->deviation, now, least_recordings);
}

static void judge_test(const struct judge *judge, const struct ets_line_test *test,
                       const struct subject *subject, bool is_whole,
                       struct ets_difference_line *line)
{
    const double change = fabs(line->change_of_median), least = least_of(judge, line);
    const uint32_t left = subject->sides[0].count, right = subject->sides[1].count;
    const uint32_t now = left < right ? left : right;
    const bool is_enough = now >= ETS_LEAST_RECORDINGS;
    const bool is_clear = is_enough && change > 0 && change >= least && change > test->spread &&
                          line->adjusted_p < judge->difference->options.false_discovery;
    const bool is_same = is_enough && line->interval.low >= -least && line->interval.high <= least;
    if (is_clear && ets_difference_is_coarse(line)) {
        put_verdict(line, ETS_VERDICT_UNDECIDED, ETS_LINE_CLOCK);
    } else if (subject->is_apart && (is_clear || is_same)) {
        put_verdict(line, is_clear ? ETS_VERDICT_DIFFERS : ETS_VERDICT_UNCLEAR, ETS_LINE_APART);
    } else if (is_clear) {
        put_verdict(line, line->change_of_median > 0 ? ETS_VERDICT_SLOWER : ETS_VERDICT_FASTER,
                    ETS_LINE_DECIDED);
    } else if (is_same) {
        put_verdict(line, ETS_VERDICT_SAME, ETS_LINE_DECIDED);
    } else {
        find_needed(judge, test, now, is_whole ? ETS_LEAST_RECORDINGS : ETS_ADVISED_RECORDINGS,
                    subject->is_apart, line);
    }
}

bool ets_difference_is_whole(const struct ets_difference *difference, uint32_t index)
{
    const struct ets_difference_line *line = &difference->lines[index];
    if (difference->blocks[line->block].total != index || line->before.operator_count == 0) {
        return false;
    }
    const struct ets_text name = line->before.block->operators[line->before.operators[0]].name;
    return !ets_text_is(name, "Program::load_method");
}

/* The lines of blocks with equally many recordings, as values for the test. */
struct lines {
    struct ets_family family;
    uint32_t *index; /* [line] */
    const struct subject **subject;
    double *values;
    uint8_t *is_whole;
};

static void add_line(struct judge *judge, const struct subject *subject, uint32_t index,
                     struct lines *lines)
{
    const struct ets_difference_line *line = &judge->difference->lines[index];
    const uint32_t before = lines->family.before, at = lines->family.line_count++;
    double *values = lines->values + (size_t)at * (before + lines->family.after);
    lines->index[at] = index;
    lines->subject[at] = subject;
    lines->is_whole[at] = ets_difference_is_whole(judge->difference, index);
    ets_recordings_values(&subject->sides[ETS_BEFORE], line->before.per_run, ETS_METRIC_P50,
                          judge->before, values);
    ets_recordings_values(&subject->sides[ETS_AFTER], line->after.per_run, ETS_METRIC_P50,
                          judge->before, values + before);
}

static bool collect_lines(struct judge *judge, struct ets_arena *arena,
                          const struct subject *subjects, uint32_t count, struct lines *lines)
{
    size_t most = 0;
    for (uint32_t b = 0; b < count; b++) most += subjects[b].block->line_count;
    *lines = (struct lines){.family = {.before = subjects->sides[ETS_BEFORE].count,
                                       .after = subjects->sides[ETS_AFTER].count}};
    const uint32_t all = lines->family.before + lines->family.after;
    lines->index = ets_arena_alloc_array(arena, most, sizeof *lines->index);
    lines->subject = ets_arena_alloc_array(arena, most, sizeof *lines->subject);
    lines->values = ets_arena_alloc_array(arena, most * all, sizeof *lines->values);
    lines->is_whole = ets_arena_alloc_array(arena, most, sizeof *lines->is_whole);
    if (!lines->index || !lines->subject || !lines->values || !lines->is_whole) return false;
    lines->family.values = lines->values;
    lines->family.is_apart = lines->is_whole;
    for (uint32_t b = 0; b < count; b++) {
        const struct ets_difference_block *block = subjects[b].block;
        for (uint32_t i = block->first_line; i < block->first_line + block->line_count; i++) {
            if (is_tested(&judge->difference->lines[i])) add_line(judge, &subjects[b], i, lines);
        }
    }
    return true;
}

static bool test_family(struct judge *judge, struct ets_arena *arena,
                        const struct subject *subjects, uint32_t count)
{
    struct lines lines;
    if (!collect_lines(judge, arena, subjects, count, &lines)) return false;
    struct ets_line_test *tests =
        ets_arena_alloc_array(arena, lines.family.line_count, sizeof *tests);
    if (tests == NULL || !ets_family_test(arena, &lines.family, tests)) return false;
    for (uint32_t i = 0; i < lines.family.line_count; i++) {
        struct ets_difference_line *line = &judge->difference->lines[lines.index[i]];
        line->interval = tests[i].interval;
        line->spread = tests[i].spread;
        line->p = tests[i].p;
        line->p_is_exact = tests[i].is_exact;
        line->adjusted_p = fmin(1, tests[i].adjusted_p * judge->families);
        judge_test(judge, &tests[i], lines.subject[i], lines.is_whole[i] != 0, line);
    }
    return true;
}

static bool is_equal(const struct subject *left, const struct subject *right)
{
    return left->sides[0].count == right->sides[0].count &&
           left->sides[1].count == right->sides[1].count;
}

static bool is_pair(const struct subject *subject)
{
    return subject->sides[0].count == 1 && subject->sides[1].count == 1;
}

static bool is_two_sided(const struct subject *subject)
{
    return subject->sides[0].count > 0 && subject->sides[1].count > 0;
}

static uint32_t end_of(const struct judge *judge, uint32_t first)
{
    uint32_t end = first + 1;
    while (end < judge->difference->block_count &&
           is_equal(&judge->subjects[first], &judge->subjects[end])) {
        end++;
    }
    return end;
}

static enum ets_status test_all(struct judge *judge, struct ets_error *error)
{
    const uint32_t count = judge->difference->block_count;
    for (uint32_t b = 0; b < count; b = end_of(judge, b)) {
        const struct subject *subject = &judge->subjects[b];
        judge->families += is_two_sided(subject) && !is_pair(subject);
    }
    for (uint32_t b = 0, end; b < count; b = end) {
        const struct subject *subject = &judge->subjects[b];
        struct ets_arena arena;
        end = end_of(judge, b);
        if (!is_two_sided(subject)) continue;
        if (is_pair(subject)) {
            ETS_TRY(test_pairs(judge, subject, end - b, error));
            continue;
        }
        ets_arena_init(&arena, judge->arena.allocator, 0);
        const bool ok = test_family(judge, &arena, subject, end - b);
        ets_arena_reset(&arena);
        if (!ok) return ets_fail_difference(error);
    }
    return ETS_OK;
}

static int by_recordings(const void *left, const void *right)
{
    const struct subject *a = left, *b = right;
    for (int s = 0; s < 2; s++) {
        if (a->sides[s].count != b->sides[s].count) {
            return a->sides[s].count < b->sides[s].count ? -1 : 1;
        }
    }
    return (a->block > b->block) - (a->block < b->block);
}

static bool find_subjects(struct judge *judge)
{
    struct ets_difference *difference = judge->difference;
    const uint32_t count = difference->block_count;
    judge->subjects = ets_arena_alloc_array(&judge->arena, count, sizeof *judge->subjects);
    if (judge->subjects == NULL) return false;
    for (uint32_t b = 0; b < count; b++) {
        struct ets_difference_block *block = &difference->blocks[b];
        struct subject *subject = &judge->subjects[b];
        subject->block = block;
        if (!ets_recordings_find(&judge->arena, block->before, &subject->sides[ETS_BEFORE]) ||
            !ets_recordings_find(&judge->arena, block->after, &subject->sides[ETS_AFTER])) {
            return false;
        }
        subject->is_apart = ets_recordings_are_apart(subject->sides);
        block->before_recordings = subject->sides[ETS_BEFORE].count;
        block->after_recordings = subject->sides[ETS_AFTER].count;
        for (uint32_t i = block->first_line; i < block->first_line + block->line_count; i++) {
            describe(judge, subject, &difference->lines[i]);
            put_verdict(&difference->lines[i], ETS_VERDICT_NONE, ETS_LINE_DECIDED);
        }
    }
    if (count > 0) qsort(judge->subjects, count, sizeof *judge->subjects, by_recordings);
    return true;
}

/* All times are equal: nothing differs, whatever the number of recordings. */
static void judge_identical(struct ets_difference *difference)
{
    for (uint32_t i = 0; i < difference->line_count; i++) {
        if (is_tested(&difference->lines[i])) {
            put_verdict(&difference->lines[i], ETS_VERDICT_SAME, ETS_LINE_DECIDED);
        }
    }
}

enum ets_status ets_difference_judge(struct ets_difference *difference, struct ets_error *error)
{
    const uint32_t runs = most_runs(difference);
    struct judge judge = {.difference = difference};
    enum ets_status status = ETS_OK;
    ets_arena_init(&judge.arena, difference->arena.allocator, 0);
    judge.before = ets_arena_alloc_array(&judge.arena, runs, sizeof *judge.before);
    judge.after = ets_arena_alloc_array(&judge.arena, runs, sizeof *judge.after);
    if (judge.before == NULL || judge.after == NULL || !find_subjects(&judge)) {
        status = ets_fail_difference(error);
    }
    if (status == ETS_OK) status = test_all(&judge, error);
    if (status == ETS_OK && difference->agreement.is_identical) judge_identical(difference);
    ets_arena_reset(&judge.arena);
    return status;
}
