/* Words what a trace says about time, delegates and places. */
#include "views/headline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "inspect/accounting/accounting.h"
#include "memory/memory_plan.h"
#include "views/device_facts.h"
#include "views/drift_sentence.h"
#include "views/gap_headline.h"
#include "views/sentence_numbers.h"
#include "views/timed_blocks.h"

enum {
    SENTENCE_BYTES = 1024,
    MOST_METHODS = 4,
    MOST_SENTENCES = 2 * MOST_METHODS + 3,
    MOST_PLACES = 3,
    LONGEST_NAME = 100
};

struct maker {
    struct ets_arena *arena;
    bool is_all_runs; /* not one of them */
    struct ets_timed_blocks blocks;
    struct ets_sentences *out;
    char text[SENTENCE_BYTES];
    struct ets_text_builder line;
};

#define say(m, ...) ets_add_plain_text(&(m)->line, __VA_ARGS__)

static bool end_sentence(struct maker *m)
{
    const char *copy = ets_arena_copy_text(m->arena, m->line.text, m->line.used);
    if (copy == NULL) return false;
    m->out->items[m->out->count++] = (struct ets_text){copy, m->line.used};
    m->line.used = 0;
    return true;
}

static struct ets_span exactly(double ticks)
{
    return (struct ets_span){ticks, ticks};
}

/* How sure the median is. Another recording differs by more than the runs of this one say. */
static void say_spread(struct maker *m, const struct ets_timed_block *block)
{
    const struct ets_statistics *s = &block->times.statistics;
    const double tick_ns = m->blocks.tick_ns, scale = ets_time_scale(s->p50, tick_ns);
    const struct ets_spread *spread = &block->times.spread;
    if (s->count == 1) {
        say(m, " in 1 run: one run does not show how much times vary");
        return;
    }
    say(m, " (median of %u runs%s, ", s->count,
        m->blocks.captured[block->block] > 0
            ? " that captured tensors, which takes part of the time"
            : "");
    if (isnan(spread->median_low)) {
        ets_add_time_in(&m->line, (struct ets_span){s->min, s->max}, tick_ns, scale);
        say(m, "; too few for a 95 %% interval)");
        return;
    }
    say(m, "95 %% interval of this recording ");
    ets_add_time_in(&m->line, (struct ets_span){spread->median_low, spread->median_high}, tick_ns,
                    scale);
    say(m, ", p10 to p90 ");
    ets_add_time_in(&m->line, (struct ets_span){s->p10, s->p90}, tick_ns, scale);
    say(m, ")");
}

/* Tokens in each run of a block; 0: not known, or not the same in all. */
static uint32_t tokens_of(const struct maker *m, const struct ets_timed_block *block)
{
    const struct ets_inspection *inspection = m->blocks.inspection;
    uint32_t tokens = 0;
    for (uint32_t i = 0; i < ets_inspection_run_count(inspection); i++) {
        const struct ets_run *run = ets_inspection_run(inspection, i);
        if (run->block != block->block) continue;
        if (run->tokens == 0 || (tokens != 0 && run->tokens != tokens)) return 0;
        tokens = run->tokens;
    }
    return tokens;
}

/* "41.2 tokens/s, 24.3 ms each", "578 tokens/s, 8 tokens in 13.9 ms", "14.1 ms per run" */
static void say_median(struct maker *m, const struct ets_timed_block *block)
{
    const uint32_t tokens = tokens_of(m, block);
    const double ticks = block->times.statistics.p50, ns = ticks * m->blocks.tick_ns;
    const double rate = tokens > 0 && ns > 0 ? tokens * 1e9 / ns : 0;
    if (rate > 0) say(m, "%.*f tokens/s, ", rate < 10 ? 2 : rate < 100 ? 1 : 0, rate);
    if (rate > 0 && tokens > 1) say(m, "%u tokens in ", tokens);
    ets_add_time(&m->line, exactly(ticks), m->blocks.tick_ns);
    if (rate > 0 && tokens == 1) say(m, " each");
    else if (rate <= 0 && block->times.statistics.count > 1) say(m, " per run");
}

static void say_time(struct maker *m, const struct ets_timed_block *block)
{
    ets_add_timed_block_name(&m->line, &m->blocks, block);
    say(m, ": ");
    say_median(m, block);
    say_spread(m, block);
}

static const char *plural(double count)
{
    return count == 1 ? "" : "s";
}

static int compare_numbers(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* How many different numbers there are; sorts them. */
static uint32_t count_distinct(uint32_t *numbers, uint32_t count)
{
    uint32_t distinct = count > 0;
    if (count > 0) qsort(numbers, count, sizeof *numbers, compare_numbers);
    for (uint32_t i = 1; i < count; i++) distinct += numbers[i] != numbers[i - 1];
    return distinct;
}

/* " at blocks.py:18", " at blocks.py:18 +2": the lines of an operator, the most expensive first. */
static bool say_lines_of(struct maker *m, const struct ets_timed_block *block,
                         struct ets_text operator_name)
{
    const struct ets_operator_options options = {.filter = {.backend = "portable"}};
    struct ets_operator_lines rows;
    uint32_t all = 0, count = 0;
    if (!ets_operator_lines_by_row(m->arena, m->blocks.inspection, &options, &block->runs,
                                   block->block, &rows) ||
        !ets_operator_lines_sort(m->arena, ETS_SORT_TIME, &rows)) {
        return false;
    }
    for (uint32_t i = 0; i < rows.count; i++) all += rows.items[i].lines.count;
    uint32_t *numbers = ets_arena_alloc_array(m->arena, all, sizeof *numbers);
    if (numbers == NULL) return false;
    for (uint32_t i = 0; i < rows.count; i++) {
        const struct ets_numbers *lines = &rows.items[i].lines;
        if (!ets_text_equal(rows.items[i].name, operator_name)) continue;
        for (uint32_t k = 0; k < lines->count; k++) numbers[count++] = lines->items[k];
    }
    if (count == 0) return true;
    const struct ets_text line =
        ets_text_without_folder(ets_places_name(rows.places, ETS_PLACE_LINE, numbers[0]));
    say(m, " at %.*s", line.size > LONGEST_NAME ? LONGEST_NAME : (int)line.size, line.data);
    const uint32_t distinct = count_distinct(numbers, count);
    if (distinct > 1) say(m, " +%u", distinct - 1);
    return true;
}

/* The operator outside of delegates with the most time: "mostly mean.out at net.py:12, 6.1 %". */
static bool say_left_out(struct maker *m, const struct ets_timed_block *block, double share)
{
    struct ets_operator_lines lines;
    if (!ets_timed_block_group(m->arena, &m->blocks, block, ETS_GROUP_OP, "portable", &lines))
        return false;
    if (lines.count == 0) return true;
    const struct ets_operator_line *first = &lines.items[0];
    const struct ets_span own = ets_timed_block_share(block, first);
    const char *how = lines.count == 1 ? "" : own.lower > share / 2 ? "mostly " : "largest: ";
    say(m, " (%s%.*s", how, ETS_TEXT(first->name));
    if (!say_lines_of(m, block, first->name)) return false;
    if (lines.count > 1) {
        say(m, ", ");
        ets_add_share(&m->line, own);
    }
    say(m, ")");
    return true;
}

static bool say_backend(struct maker *m, const struct ets_timed_block *block,
                        const struct ets_operator_line *line, bool is_alone)
{
    const double calls = line->calls_per_run;
    ets_add_share(&m->line, ets_timed_block_share(block, line));
    if (ets_text_is(line->name, "portable")) {
        say(m, " in %g kernel call%s", calls, plural(calls));
        return is_alone || say_left_out(m, block, ets_timed_block_share(block, line).lower);
    }
    if (ets_text_is(line->name, "delegate")) say(m, " in %g delegate call%s", calls, plural(calls));
    else say(m, " in %g call%s of %.*s", calls, plural(calls), ETS_TEXT(line->name));
    return true;
}

/* "84.3 % in 2 calls of XnnpackBackend, 9.5 % in 1 kernel call outside of delegates (mean.out), 6.2
 * % between operators" */
static bool say_delegation(struct maker *m, const struct ets_timed_block *block)
{
    struct ets_operator_lines lines;
    const struct ets_operator_line *rest = NULL;
    if (!ets_timed_block_group(m->arena, &m->blocks, block, ETS_GROUP_BACKEND, NULL, &lines))
        return false;
    for (uint32_t i = 0; i < lines.count; i++) {
        if (ets_line_is_between(&lines.items[i])) rest = &lines.items[i];
    }
    const uint32_t backends = lines.count - (rest != NULL);
    if (backends == 0) {
        say(m, "the operators of these runs are not recorded");
        return true;
    }
    for (uint32_t i = 0; i < lines.count; i++) {
        if (&lines.items[i] == rest) continue;
        if (!say_backend(m, block, &lines.items[i], backends == 1)) return false;
        say(m, ", ");
    }
    if (rest == NULL) {
        m->line.used -= backends > 0 ? 2 : 0;
        return true;
    }
    ets_add_share(&m->line, ets_timed_block_share(block, rest));
    say(m, " between operators");
    return true;
}

/* The line's own share: in a tree, without its parts. */
static struct ets_span own_share(const struct ets_timed_block *block,
                                 const struct ets_operator_lines *lines, uint32_t index)
{
    struct ets_operator_line line = lines->items[index];
    if (lines->is_tree) {
        line.times = line.self;
        line.error = line.self_error;
    }
    return ets_timed_block_share(block, &line);
}

/* Not "(between operators)" or "(XnnpackBackend, not reported)". */
static bool is_a_place(struct ets_text name)
{
    return !ets_text_starts_with(name, "(") || ets_text_is(name, "(model)");
}

/* Of the lines that are not named yet, the one with the largest share. */
static uint32_t next_largest(const struct ets_timed_block *block,
                             const struct ets_operator_lines *lines, const uint32_t *named,
                             uint32_t named_count)
{
    uint32_t best = ETS_NO_INDEX;
    double most = 0;
    for (uint32_t i = 0; i < lines->count; i++) {
        const struct ets_span share = own_share(block, lines, i);
        bool is_named = !is_a_place(lines->items[i].name);
        for (uint32_t k = 0; k < named_count; k++) is_named |= named[k] == i;
        if (is_named || !(share.lower + share.upper > most)) continue;
        most = share.lower + share.upper;
        best = i;
    }
    return best;
}

/* "blocks.py:18", "blocks.py:18 +2" of several, "layers.0 +1". */
static void say_place(struct maker *m, const struct ets_operator_lines *lines,
                      const struct ets_operator_line *line, enum ets_group_by by)
{
    const enum ets_place_kind kind = by == ETS_GROUP_SOURCE ? ETS_PLACE_LINE : ETS_PLACE_MODULE;
    struct ets_text name = line->name;
    if (line->group.count > 0) name = ets_places_name(lines->places, kind, line->group.items[0]);
    if (kind == ETS_PLACE_LINE) name = ets_text_without_folder(name);
    say(m, "%.*s ", name.size > LONGEST_NAME ? LONGEST_NAME : (int)name.size, name.data);
    if (line->group.count > 1) say(m, "+%u ", line->group.count - 1);
}

/* Whether each of the named lines takes at least as much as all that follow, in spite of ranges. */
static bool is_order_decided(const struct ets_timed_block *block,
                             const struct ets_operator_lines *lines, const uint32_t *named,
                             uint32_t named_count)
{
    for (uint32_t k = 0; k < named_count; k++) {
        const double least = own_share(block, lines, named[k]).lower;
        for (uint32_t i = 0; i < lines->count; i++) {
            bool is_before = !is_a_place(lines->items[i].name);
            for (uint32_t j = 0; j <= k; j++) is_before |= named[j] == i;
            if (!is_before && own_share(block, lines, i).upper > least) return false;
        }
    }
    return true;
}

static void say_places(struct maker *m, const struct ets_timed_block *block,
                       const struct ets_operator_lines *lines, enum ets_group_by by)
{
    uint32_t named[MOST_PLACES], count = 0;
    const char *of = by == ETS_GROUP_SOURCE   ? "lines"
                     : by == ETS_GROUP_MODULE ? "modules"
                                              : "operators";
    while (count < MOST_PLACES) {
        named[count] = next_largest(block, lines, named, count);
        if (named[count] == ETS_NO_INDEX) break;
        if (own_share(block, lines, named[count]).lower <= 0) break; /* perhaps nothing at all */
        count++;
    }
    if (count == 0 && named[0] != ETS_NO_INDEX) {
        say(m, "which %s are the most expensive is not decided: the delegate's clock is too coarse",
            of);
    }
    if (count == 0) return;
    say(m,
        is_order_decided(block, lines, named, count) ? "most expensive %s: "
                                                     : "among the most expensive %s: ",
        of);
    for (uint32_t k = 0; k < count; k++) {
        if (k > 0) say(m, ", ");
        say_place(m, lines, &lines->items[named[k]], by);
        ets_add_share(&m->line, own_share(block, lines, named[k]));
    }
}

/* Whether what takes most is in so many modules, as a whole delegate call, that the name of one
 * would tell nothing. */
static bool is_in_too_many(const struct ets_timed_block *block,
                           const struct ets_operator_lines *lines)
{
    enum { TOO_MANY = 8 };
    const uint32_t first = next_largest(block, lines, NULL, 0);
    return first != ETS_NO_INDEX && lines->items[first].group.count > TOO_MANY;
}

/* By line; by module if one line hides several; by operator if lines are not known. */
static bool say_most_expensive(struct maker *m, const struct ets_timed_block *block)
{
    struct ets_operator_lines lines;
    enum ets_group_by by = ETS_GROUP_SOURCE;
    if (!ets_timed_block_group(m->arena, &m->blocks, block, by, NULL, &lines)) return false;
    const uint32_t first = next_largest(block, &lines, NULL, 0);
    if (first == ETS_NO_INDEX || lines.items[first].group.count == 0) by = ETS_GROUP_OP;
    else if (lines.items[first].group.count > 1) by = ETS_GROUP_MODULE;
    else if (lines.crowded.frame != NULL) by = ETS_GROUP_MODULE;
    if (by != ETS_GROUP_SOURCE &&
        !ets_timed_block_group(m->arena, &m->blocks, block, by, NULL, &lines))
        return false;
    if (by == ETS_GROUP_MODULE && is_in_too_many(block, &lines)) {
        by = ETS_GROUP_OP;
        if (!ets_timed_block_group(m->arena, &m->blocks, block, by, NULL, &lines)) return false;
    }
    say_places(m, block, &lines, by);
    return true;
}

/* "forward: runs get slower over time: ...: the median below describes neither"; or nothing. */
static bool say_drift(struct maker *m, const struct ets_timed_block *block)
{
    if (!ets_add_trace_drift(m->arena, &m->blocks, block, &m->line)) return false;
    if (m->line.used == 0) return true;
    say(m, ": the median below describes neither");
    return end_sentence(m);
}

static bool make_one(struct maker *m, const struct ets_timed_block *block)
{
    if (m->is_all_runs && !say_drift(m, block)) return false;
    say_time(m, block);
    if (!end_sentence(m) || !say_delegation(m, block)) return false;
    if (m->line.used > 0 && !end_sentence(m)) return false;
    if (!say_most_expensive(m, block)) return false;
    return m->line.used == 0 || end_sentence(m);
}

static bool make_several(struct maker *m)
{
    for (uint32_t i = 0; m->is_all_runs && i < m->blocks.count && i < MOST_METHODS; i++) {
        if (!say_drift(m, &m->blocks.items[i])) return false;
    }
    for (uint32_t i = 0; i < m->blocks.count && i < MOST_METHODS; i++) {
        say_time(m, &m->blocks.items[i]);
        say(m, "; ");
        if (!say_delegation(m, &m->blocks.items[i])) return false;
        if (i + 1 == MOST_METHODS && m->blocks.count > MOST_METHODS) {
            say(m, "; and %u more", m->blocks.count - MOST_METHODS);
        }
        if (!end_sentence(m)) return false;
    }
    return true;
}

/* "100.0 KiB planned memory, peak 88.0 KiB, 14 % above the lower bound" */
static bool make_memory(struct maker *m, const struct ets_memory_plan *plan)
{
    if (plan->planned_bytes == 0) return true;
    ets_add_bytes(&m->line, plan->planned_bytes);
    say(m, " planned memory, peak %s", plan->is_upper_bound ? "at most " : "");
    ets_add_bytes(&m->line, plan->peak_bytes);
    const double above = 100 * ((double)plan->planned_bytes / (double)plan->bound_bytes - 1);
    if (plan->bound_bytes > 0 && above >= 1) {
        say(m, ", %s%.0f %% above the lower bound", plan->has_branches ? "at least " : "", above);
    }
    return end_sentence(m);
}

/* The method of the only block that executed one; NULL: none, or several. */
static const char *executed_method(const struct ets_inspection *inspection)
{
    const char *method = NULL;
    for (uint32_t i = 0; i < ets_inspection_block_count(inspection); i++) {
        const struct ets_block *block = ets_inspection_block(inspection, i);
        if (ets_inspection_total_row(inspection, i) == ETS_NO_INDEX) continue;
        if (block->method_state != ETS_METHOD_FOUND || method != NULL) return NULL;
        method = block->method;
    }
    return method;
}

/* The plan of that method. Without one the headline has no memory, as without a program. */
static bool find_plan(struct ets_arena *arena, const struct ets_inspection *inspection,
                      const struct ets_program *program, struct ets_memory_plan *plan_out)
{
    struct ets_method method;
    const char *name = executed_method(inspection);
    return program != NULL && name != NULL &&
           ets_program_find_method(program, name, &method, NULL) == ETS_OK &&
           ets_memory_plan_init(plan_out, &method, arena, NULL) == ETS_OK;
}

/* What the device did to the times; nothing where it did not, or does not tell. */
static bool say_throttling(struct maker *m, const struct ets_inspection *inspection)
{
    const struct ets_trace_facts *facts = ets_inspection_trace(inspection);
    if (facts == NULL || !m->is_all_runs) return true;
    ets_add_throttling(&m->line, facts->device);
    return m->line.used == 0 || end_sentence(m);
}

static bool make_numbers(struct maker *m, const struct ets_gap_report *gap,
                         const struct ets_advice_words *words)
{
    m->line.used = ets_gap_headline(gap, words, m->text, sizeof m->text);
    return m->line.used == 0 || end_sentence(m);
}

bool ets_headline_make(struct ets_arena *arena, const struct ets_inspection *inspection,
                       const struct ets_headline_options *options,
                       struct ets_sentences *headline_out)
{
    struct maker m = {
        .arena = arena, .out = headline_out, .is_all_runs = options->run == ETS_NO_INDEX};
    struct ets_memory_plan found;
    const struct ets_memory_plan *plan = options->plan;
    m.line = (struct ets_text_builder){m.text, sizeof m.text, 0};
    *headline_out = (struct ets_sentences){
        ets_arena_alloc_array(arena, MOST_SENTENCES, sizeof *headline_out->items), 0};
    if (headline_out->items == NULL ||
        !ets_timed_blocks_find(arena, inspection, options->block, options->run, options->steady,
                               &m.blocks)) {
        return false;
    }
    if (!say_throttling(&m, inspection)) return false;
    if (m.blocks.count == 1 && !make_one(&m, &m.blocks.items[0])) return false;
    if (m.blocks.count > 1 && !make_several(&m)) return false;
    if (plan == NULL && find_plan(arena, inspection, options->program, &found)) plan = &found;
    if (plan != NULL && !make_memory(&m, plan)) return false;
    return options->gap == NULL || make_numbers(&m, options->gap, options->words);
}
