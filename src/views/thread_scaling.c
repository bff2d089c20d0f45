/* Compares numbers of threads turn by turn. */
#include "views/thread_scaling.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "compare/pool_parts.h"
#include "inspect/accounting/accounting.h"
#include "inspect/time_details.h"
#include "views/difference_headline.h"
#include "views/executions.h"
#include "views/sentence_numbers.h"

/* Less is not worth a thread. */
static const double LEAST = 0.05;

enum { SENTENCE_BYTES = 1024, MOST_NAMED = 3, MOST_OPERATORS = 4096 };

static struct ets_turn_ratio summarise(double *values, uint32_t count)
{
    struct ets_statistics s;
    struct ets_spread spread;
    ets_statistics_compute(values, count, &s);
    ets_spread_compute(values, count, &spread);
    return (struct ets_turn_ratio){spread.median_low, count > 0 ? s.p50 : NAN, spread.median_high};
}

/* Ends a turn of the executions from `first` to before `end`. */
static bool end_turn(struct ets_arena *arena, const struct ets_execution *first, uint32_t count,
                     double tick_ns, struct ets_thread_turns *turns)
{
    struct ets_statistics s;
    if (count == 0 || turns->count == ETS_MOST_THREAD_TURNS) return true;
    double *ns = ets_arena_alloc_array(arena, count, sizeof *ns);
    if (ns == NULL) return false;
    for (uint32_t i = 0; i < count; i++) ns[i] = first[i].ticks * tick_ns;
    ets_statistics_compute(ns, count, &s);
    turns->medians[turns->count++] = s.p50;
    turns->runs += count;
    return true;
}

bool ets_thread_turns_find(struct ets_arena *arena, const struct ets_inspection *inspection,
                           uint32_t threads, struct ets_thread_turns *turns_out)
{
    const struct ets_execution_options options = {.block = ETS_NO_INDEX, .run = ETS_NO_INDEX};
    const enum ets_time_unit unit = ets_inspection_tick_unit(inspection, NULL);
    struct ets_executions runs;
    *turns_out = (struct ets_thread_turns){.threads = threads};
    if (unit == ETS_UNIT_CYCLES) return false;
    const double tick_ns = 1e9 / ets_time_unit_per_second(unit);
    if (!ets_executions_collect(arena, inspection, &options, &runs)) return false;
    for (uint32_t i = 0, end; i < runs.count; i = end) {
        /* a run between two executions is a load */
        for (end = i + 1; end < runs.count; end++) {
            if (runs.items[end].run != runs.items[end - 1].run + 1) break;
        }
        if (!end_turn(arena, &runs.items[i], end - i, tick_ns, turns_out)) return false;
    }
    return true;
}

/* How many times as fast `turns` is as `base`. */
static struct ets_turn_ratio times_as_fast(const struct ets_thread_turns *base,
                                           const struct ets_thread_turns *turns, uint32_t count)
{
    double ratios[ETS_MOST_THREAD_TURNS];
    for (uint32_t i = 0; i < count; i++) ratios[i] = base->medians[i] / turns->medians[i];
    return summarise(ratios, count);
}

static enum ets_thread_gain gain_of(const struct ets_turn_ratio *step)
{
    if (isnan(step->low)) return ETS_THREADS_UNCLEAR;
    if (step->low > 1 && step->median >= 1 + LEAST) return ETS_THREADS_FASTER;
    if (step->high < 1 && step->median <= 1 - LEAST) return ETS_THREADS_SLOWER;
    const bool is_nothing = step->high <= 1 + LEAST && step->low >= 1 - LEAST;
    return is_nothing ? ETS_THREADS_NOTHING : ETS_THREADS_UNCLEAR;
}

void ets_thread_scaling(const struct ets_thread_turns *turns, uint32_t count,
                        struct ets_thread_line *lines_out)
{
    uint32_t common = ETS_MOST_THREAD_TURNS, best = 0;
    for (uint32_t i = 0; i < count; i++) common = turns[i].count < common ? turns[i].count : common;
    for (uint32_t i = 0; i < count; i++) {
        double medians[ETS_MOST_THREAD_TURNS];
        memcpy(medians, turns[i].medians, common * sizeof *medians);
        struct ets_thread_line *line = &lines_out[i];
        *line = (struct ets_thread_line){
            .threads = turns[i].threads,
            .runs = turns[i].runs,
            .turns = common,
            .time = summarise(medians, common),
            .speedup = times_as_fast(&turns[0], &turns[i], common),
            .over = turns[best].threads,
            .step = times_as_fast(&turns[best], &turns[i], common),
        };
        line->efficiency = line->speedup.median * turns[0].threads / line->threads;
        if (i == 0) continue;
        line->gain = gain_of(&line->step);
        if (line->gain == ETS_THREADS_FASTER) best = i;
    }
}

uint32_t ets_thread_best(const struct ets_thread_line *lines, uint32_t count)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < count; i++) {
        if (lines[i].gain == ETS_THREADS_FASTER) best = i;
    }
    return best;
}

const char *ets_thread_gain_name(enum ets_thread_gain gain)
{
    static const char *const names[] = {NULL, "faster", "nothing", "slower", "unclear"};
    return names[gain];
}

#define say(text, ...) ets_add_plain_text(text, __VA_ARGS__)

static void say_time(struct ets_text_builder *text, double ns, double scale)
{
    ets_add_time_in(text, (struct ets_span){ns, ns}, 1, scale);
}

static void say_line(struct ets_text_builder *text, const struct ets_thread_line *line,
                     double before_ns)
{
    const bool is_first = text->used == 0;
    const double scale = ets_shared_time_scale(before_ns, line->time.median, 1);
    say(text, "%s%u%s ", is_first ? "" : "; ", line->threads, is_first ? " threads" : "");
    switch (line->gain) {
    case ETS_THREADS_FASTER:
        say(text, "are %.2f times as fast as %u (", line->step.median, line->over);
        say_time(text, before_ns, scale);
        say(text, " -> ");
        say_time(text, line->time.median, scale);
        say(text, ")");
        break;
    case ETS_THREADS_NOTHING:
        say(text, "gain nothing %s %u", is_first ? "over" : "more than", line->over);
        break;
    case ETS_THREADS_SLOWER:
        say(text, "take %.2f times as long as %u", 1 / line->step.median, line->over);
        break;
    default:
        if (isnan(line->step.low)) {
            say(text, "were not measured often enough to say");
        } else {
            say(text, "may be %.2f to %.2f times as fast as %u: more runs would tell",
                line->step.low, line->step.high, line->over);
        }
    }
}

static bool copy(struct ets_arena *arena, const struct ets_text_builder *text,
                 struct ets_text *sentence_out)
{
    const char *made = ets_arena_copy_text(arena, text->text, text->used);
    *sentence_out = (struct ets_text){made, text->used};
    return made != NULL;
}

bool ets_thread_headline(struct ets_arena *arena, const struct ets_thread_line *lines,
                         uint32_t count, struct ets_text *sentence_out)
{
    char room[SENTENCE_BYTES] = "";
    struct ets_text_builder text = {room, sizeof room, 0};
    for (uint32_t i = 1; i < count; i++) {
        double before = NAN;
        for (uint32_t k = 0; k < i; k++) {
            if (lines[k].threads == lines[i].over) before = lines[k].time.median;
        }
        say_line(&text, &lines[i], before);
    }
    return copy(arena, &text, sentence_out);
}

/* An operator by name, over all of its lines that gain nothing. */
struct loser {
    struct ets_text name;
    double time;
};

static bool gains_nothing(const struct ets_difference_line *line)
{
    if (line->role != ETS_POOL_WORK || line->after.operator_count == 0) return false;
    return line->interval.low > -LEAST * line->before.median;
}

static void add_loser(struct loser *losers, uint32_t *count, const struct ets_difference_line *line)
{
    const struct ets_text name = line->after.block->operators[line->after.operators[0]].name;
    uint32_t i = 0;
    while (i < *count && !ets_text_equal(losers[i].name, name)) i++;
    if (i == MOST_OPERATORS) return;
    if (i == *count) losers[(*count)++] = (struct loser){name, 0};
    losers[i].time += line->after.median;
}

static struct loser take_largest(struct loser *losers, uint32_t count)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < count; i++) {
        if (losers[i].time > losers[best].time) best = i;
    }
    const struct loser largest = losers[best];
    losers[best].time = 0;
    return largest;
}

/* Adds the operators of the block that runs longest with more threads. */
static void collect_losers(const struct ets_difference *difference, struct loser *losers,
                           uint32_t *count, double *whole)
{
    for (uint32_t b = 0; b < ets_difference_block_count(difference); b++) {
        const struct ets_difference_block *block = ets_difference_block(difference, b);
        const struct ets_difference_line *total = ets_difference_execution(difference, block);
        if (total == NULL || total->after.median <= *whole) continue;
        *whole = total->after.median;
        *count = 0;
        for (uint32_t i = 0; i < block->line_count; i++) {
            const struct ets_difference_line *line =
                ets_difference_line(difference, block->first_line + i);
            if (gains_nothing(line)) add_loser(losers, count, line);
        }
    }
}

static bool say_losers(struct ets_arena *arena, const struct ets_difference *difference,
                       uint32_t threads, struct ets_text *sentence_out)
{
    char room[SENTENCE_BYTES] = "";
    struct ets_text_builder text = {room, sizeof room, 0};
    struct loser *losers = ets_arena_alloc_array(arena, MOST_OPERATORS, sizeof *losers);
    uint32_t count = 0;
    double whole = 0;
    if (losers == NULL) return false;
    collect_losers(difference, losers, &count, &whole);
    for (uint32_t i = 0; i < MOST_NAMED && i < count; i++) {
        const struct loser of = take_largest(losers, count);
        const double share = of.time / whole;
        if (!(share >= LEAST)) break;
        if (i == 0 && threads > 0) say(&text, "not faster with %u threads: ", threads);
        if (i == 0 && threads == 0) say(&text, "not faster with more threads: ");
        say(&text, "%s%.*s ", i > 0 ? ", " : "", ETS_TEXT(of.name));
        ets_add_share(&text, (struct ets_span){share, share});
    }
    if (text.used == 0) return true;
    say(&text, " of their run");
    return copy(arena, &text, sentence_out);
}

enum ets_status ets_thread_operators(struct ets_arena *arena, const struct ets_inspection *few,
                                     const struct ets_inspection *more, uint32_t threads,
                                     struct ets_text *sentence_out, struct ets_error *error)
{
    const struct ets_difference_options options = {.least_change = LEAST,
                                                   .allocator = arena->allocator};
    const struct ets_pool_options pooled = {.allocator = arena->allocator};
    const struct ets_inspection *sides[] = {few, more};
    struct ets_pool *pools[2] = {NULL, NULL};
    struct ets_difference *difference = NULL;
    enum ets_status status = ETS_OK;
    *sentence_out = (struct ets_text){NULL, 0};
    for (int i = 0; i < 2 && status == ETS_OK; i++) {
        status = ets_pool_open(&sides[i], 1, &pooled, &pools[i], error);
    }
    if (status == ETS_OK) {
        status = ets_difference_open(pools[0], pools[1], &options, &difference, error);
    }
    if (status == ETS_OK && !say_losers(arena, difference, threads, sentence_out)) {
        status = ets_fail_memory(error, "the operators that gain nothing");
    }
    ets_difference_close(difference);
    for (int i = 0; i < 2; i++) ets_pool_close(pools[i]);
    return status;
}
