/* Adds a finding with its texts. */
#include <math.h>
#include <string.h>

#include "advice/finding_rules.h"
#include "inspect/time_details.h"

struct ets_finding ets_finding_of(const char *kind, enum ets_severity severity, const char *view)
{
    return (struct ets_finding){.kind = kind,
                                .severity = severity,
                                .share = {NAN, NAN},
                                .view = view,
                                .row = ETS_NO_INDEX,
                                .block = ETS_NO_INDEX,
                                .saving = {.ticks = {NAN, NAN}}};
}

struct ets_finding ets_finding_timed(const struct ets_finder *finder, const char *kind,
                                     struct ets_span share, const char *view)
{
    struct ets_finding finding = ets_finding_of(kind, ETS_SEVERITY_NOTE, view);
    finding.share = share;
    finding.block = finder->block->block;
    finding.cost =
        (share.lower + share.upper) / 2 * finder->block->runs.whole * finder->block->runs.count;
    return finding;
}

/* Moves what grew to the arena; nothing is no text. */
static bool keep(struct ets_arena *arena, struct ets_text_builder *builder,
                 struct ets_text *text_out)
{
    const size_t size = builder->used;
    builder->used = 0;
    if (size == 0) return true;
    const char *copy = ets_arena_copy_text(arena, builder->text, size);
    if (copy == NULL) return false;
    *text_out = (struct ets_text){copy, size};
    return true;
}

/*
 * What followed advice saved, by the time of what went away (docs/advice.md): with one thread 97.5
 * % of 156 measurements were below 1.10, and with several 95 % below 1.97: between calls of a
 * delegate its threads fall asleep. The least of all changes but two was 0.05.
 */
static const double LEAST_PART = 0.05, MOST_ONE_THREAD = 1.1, MOST_THREADS = 2;

/* The range of what is saved around ticks.upper, the time of what goes away. */
static void widen_saving(const struct ets_finder *finder, struct ets_saving *saving)
{
    const bool has_one = ets_inspection_pool_threads(finder->subject->inspection) == 1;
    if (saving->most > 0) return; /* the rule knows it */
    saving->most = has_one || !finder->method.has_delegate ? MOST_ONE_THREAD : MOST_THREADS;
    if (saving->basis == ETS_SAVING_BOUND) saving->ticks.lower = LEAST_PART * saving->ticks.upper;
    saving->ticks.upper *= saving->most;
}

/*
 * A saving is seen between two medians, each known to half of its interval: the one after as well
 * as this one. With what lies beside the rows it can be no more than a run.
 */
static void limit_saving(const struct ets_finder *finder, struct ets_finding *finding)
{
    struct ets_saving *saving = &finding->saving;
    for (uint32_t i = 0; i < finder->blocks.count; i++) {
        const struct ets_timed_block *block = &finder->blocks.items[i];
        const struct ets_spread *spread = &block->times.spread;
        const double run = block->times.statistics.p50;
        if (block->block != finding->block || !(saving->ticks.upper > 0)) continue;
        saving->away = fmin(saving->ticks.upper, run);
        saving->away_part = saving->away / run;
        widen_saving(finder, saving);
        saving->measured = (struct ets_span){saving->ticks.lower, fmin(saving->ticks.upper, run)};
        saving->unsure = fmax(0, spread->median_high - spread->median_low);
        saving->ticks.upper = fmin(saving->ticks.upper + saving->unsure, run);
        saving->ticks.lower = fmax(0, saving->ticks.lower - saving->unsure);
        saving->part = saving->ticks.upper / run;
    }
}

bool ets_finding_add(struct ets_finder *finder, struct ets_finding finding)
{
    struct ets_findings *out = finder->out;
    struct ets_finding *items =
        ets_arena_grow(finder->arena, out->items, out->count, &out->capacity, sizeof *items);
    if (items == NULL || !keep(finder->arena, &finder->line, &finding.sentence) ||
        !keep(finder->arena, &finder->action, &finding.action) ||
        !keep(finder->arena, &finder->evidence, &finding.evidence)) {
        return false;
    }
    limit_saving(finder, &finding);
    if (finding.block != ETS_NO_INDEX && finding.method.data == NULL) {
        const char *method = ets_inspection_block(finder->blocks.inspection, finding.block)->method;
        if (method != NULL) finding.method = (struct ets_text){method, strlen(method)};
    }
    out->items = items;
    items[out->count++] = finding;
    return true;
}

bool ets_finding_is_shown(const struct ets_finding *finding)
{
    const bool is_expensive = (finding->instruction_count > 0 || finding->row_count > 0) &&
                              finding->share.lower >= ETS_EXPENSIVE_SHARE;
    return is_expensive || finding->severity == ETS_SEVERITY_BAD ||
           ets_finding_is_advice(finding) || strcmp(finding->view, "numbers") == 0;
}
