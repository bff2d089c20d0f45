/* Adds a finding with its sentence. */
#include <math.h>
#include <string.h>

#include "views/finding_rules.h"

struct ets_finding ets_finding_of(const char *kind, enum ets_severity severity, const char *view)
{
    return (struct ets_finding){.kind = kind,
                                .severity = severity,
                                .share = {NAN, NAN},
                                .view = view,
                                .row = ETS_NO_INDEX,
                                .block = ETS_NO_INDEX};
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

bool ets_finding_add(struct ets_finder *finder, struct ets_finding finding)
{
    struct ets_findings *out = finder->out;
    const char *copy = ets_arena_copy_text(finder->arena, finder->line.text, finder->line.used);
    struct ets_finding *items =
        ets_arena_grow(finder->arena, out->items, out->count, &out->capacity, sizeof *items);
    if (copy == NULL || items == NULL) return false;
    if (finding.block != ETS_NO_INDEX) {
        const char *method = ets_inspection_block(finder->blocks.inspection, finding.block)->method;
        if (method != NULL) finding.method = (struct ets_text){method, strlen(method)};
    }
    finding.sentence = (struct ets_text){copy, finder->line.used};
    finder->line.used = 0;
    out->items = items;
    items[out->count++] = finding;
    return true;
}
