/* Words the answer of a difference. */
#include "views/difference_headline.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "inspect/time_details.h"
#include "views/sentence_numbers.h"

enum { SENTENCE_BYTES = 512, MOST_METHODS = 4 };

struct maker {
    const struct ets_difference *difference;
    double tick_ns; /* 0: cycles */
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
    ets_add_time(&m->line, (struct ets_span){time, time}, m->tick_ns);
}

/* "10 times", "12.3 %": how much longer the longer one takes, or how much less the shorter. */
static void say_factor(struct maker *m, double before, double after)
{
    const double factor = fmax(before, after) / fmin(before, after);
    if (factor >= 2) say(m, "%.3g times ", factor);
    else say(m, "%.1f %% ", 100 * fabs(after / before - 1));
}

static void say_total(struct maker *m, const struct ets_difference_line *line)
{
    const double before = line->before.times.p50, after = line->after.times.p50;
    const bool is_faster = line->verdict == ETS_VERDICT_FASTER;
    if ((is_faster || line->verdict == ETS_VERDICT_SLOWER) && before > 0 && after > 0) {
        say_factor(m, before, after);
        say(m, is_faster ? "faster (" : "slower (");
    } else if (line->verdict == ETS_VERDICT_SAME) {
        say(m, "the same (");
    } else if (line->verdict == ETS_VERDICT_UNCLEAR) {
        say(m, "no clear difference (");
    } else {
        say(m, "too few runs or too coarse a clock for a verdict (");
    }
    say_time(m, before);
    say(m, " -> ");
    say_time(m, after);
    say(m, ")");
}

/* Operators of the side before that are kernels. */
static uint32_t count_kernels(const struct ets_pool_block *block)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < block->operator_count; i++) {
        const struct ets_pool_operator *of = &block->operators[i];
        count += of->role == ETS_POOL_WORK && of->row != NULL &&
                 strcmp(ets_row_backend(of->row), "portable") == 0;
    }
    return count;
}

/* "; XnnpackBackend took 50 of 106 operators", or gave them back. */
static void say_delegation(struct maker *m, const struct ets_difference_block *block,
                           enum ets_change change)
{
    const bool is_taken = change == ETS_CHANGE_DELEGATED;
    const char *backend = NULL;
    uint32_t moved = 0;
    for (uint32_t i = 0; i < block->line_count; i++) {
        const struct ets_difference_line *line =
            ets_difference_line(m->difference, block->first_line + i);
        if (line->change != change || line->role != ETS_POOL_WORK) continue;
        const struct ets_difference_side *kernels = is_taken ? &line->before : &line->after;
        const struct ets_difference_side *call = is_taken ? &line->after : &line->before;
        moved += kernels->operator_count;
        if (call->operator_count == 0) continue;
        const struct ets_row *row = call->block->operators[call->operators[0]].row;
        if (row != NULL && backend == NULL) backend = ets_row_backend(row);
    }
    if (moved == 0 || backend == NULL) return;
    const uint32_t all = count_kernels(is_taken ? block->before : block->after);
    if (is_taken) say(m, "; %s took %u of %u kernels", backend, moved, all);
    else say(m, "; %u of %u kernels were in %s before", moved, all, backend);
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
        if (change == 0) return;
        say(m, "; load %s", change < 0 ? "-" : "+");
        say_time(m, fabs(change));
        return;
    }
}

static void say_block(struct maker *m, const struct ets_difference_block *block,
                      const struct ets_difference_line *total)
{
    const struct ets_pool_block *named = block->after;
    if (named->method != NULL) say(m, "%s: ", named->method);
    else say(m, "%.*s: ", ETS_TEXT(named->name));
    say_total(m, total);
    say_delegation(m, block, ETS_CHANGE_DELEGATED);
    say_delegation(m, block, ETS_CHANGE_UNDELEGATED);
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

bool ets_difference_headline(struct ets_arena *arena, const struct ets_difference *difference,
                             struct ets_sentences *headline_out)
{
    const enum ets_time_unit unit = ets_difference_unit(difference);
    const struct ets_difference_block *block = NULL;
    const struct ets_difference_line *total = NULL;
    struct maker m = {.difference = difference};
    if (unit != ETS_UNIT_CYCLES) m.tick_ns = 1e9 / ets_time_unit_per_second(unit);
    *headline_out = (struct ets_sentences){
        ets_arena_alloc_array(arena, MOST_METHODS, sizeof *headline_out->items), 0};
    if (headline_out->items == NULL) return false;
    m.line = (struct ets_text_builder){m.text, sizeof m.text, 0};
    say_agreement(&m);
    if (m.line.used > 0) return end_sentence(&m, arena, headline_out);
    while (headline_out->count < MOST_METHODS &&
           (block = next_block(difference, block, &total)) != NULL) {
        say_block(&m, block, total);
        if (headline_out->count == 0) say_load(&m);
        if (!end_sentence(&m, arena, headline_out)) return false;
    }
    return true;
}
