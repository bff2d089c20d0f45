/* What a report says first of traces that are compared: the answer of `diff`, then what changed. */
#include <math.h>

#include "base/text.h"
#include "inspect/time_details.h"
#include "output/page/page_differences.h"
#include "output/page/page_relations.h"
#include "views/difference_headline.h"
#include "views/sentence_numbers.h"
#include "views/trust.h"

enum { SENTENCE_BYTES = 640, MOST_FINDINGS = 2 };

/* The sentences of the headline; with the name of the trace where there are several before. */
static bool say_headline(struct ets_page *page, uint32_t number, struct ets_sentences *out)
{
    struct ets_arena *arena = &page->document.arena;
    const char *path = page->study.sources.traces[ets_page_before(page, number)].path;
    if (!ets_difference_headline(arena, page->source->differences[number], NULL, out)) return false;
    if (page->source->before_count == 1) return true;
    for (uint32_t i = 0; i < out->count; i++) {
        char room[SENTENCE_BYTES];
        struct ets_text_builder text = {room, sizeof room, 0};
        ets_add_plain_text(&text, "compared with %.80s: %.*s", ets_page_file_name(path),
                           ETS_TEXT(out->items[i]));
        const char *copy = ets_arena_copy_text(arena, room, text.used);
        if (copy == NULL) return false;
        out->items[i] = (struct ets_text){copy, text.used};
    }
    return true;
}

/* How far the measurement before can be believed; what the file discloses is said of the other. */
static bool say_trust(struct ets_page *page, uint32_t number, const char *name,
                      struct ets_sentences *out)
{
    struct ets_arena *arena = &page->document.arena;
    const struct ets_studied_trace *trace = &page->study.traces[ets_page_before(page, number)];
    if (!ets_trust_collect(arena, trace->inspection, ETS_UNTOLD_SOURCE | ETS_UNTOLD_VALUES, out)) {
        return false;
    }
    for (uint32_t i = 0; i < out->count; i++) {
        char room[SENTENCE_BYTES];
        struct ets_text_builder text = {room, sizeof room, 0};
        ets_add_plain_text(&text, "%.80s: %.*s", name, ETS_TEXT(out->items[i]));
        const char *copy = ets_arena_copy_text(arena, room, text.used);
        if (copy == NULL) return false;
        out->items[i] = (struct ets_text){copy, text.used};
    }
    return true;
}

struct survey {
    uint32_t faster, slower, same, differs, undecided, one_sided;
    const struct ets_difference_line *worst; /* the slower one with the largest change; or NULL */
};

static void count_line(struct survey *survey, const struct ets_difference_line *line)
{
    if (line->role != ETS_POOL_WORK) return;
    switch (line->verdict) {
    case ETS_VERDICT_FASTER: survey->faster++; break;
    case ETS_VERDICT_SAME: survey->same++; break;
    case ETS_VERDICT_DIFFERS: survey->differs++; break;
    case ETS_VERDICT_NONE: survey->one_sided++; break;
    case ETS_VERDICT_SLOWER:
        survey->slower++;
        if (line->has_own_clock) break;
        if (survey->worst == NULL || line->change_of_median > survey->worst->change_of_median) {
            survey->worst = line;
        }
        break;
    default: survey->undecided++;
    }
}

static bool add_finding(struct ets_arena *arena, struct ets_findings *findings,
                        const struct ets_text_builder *text, struct ets_finding finding)
{
    const char *copy = ets_arena_copy_text(arena, text->text, text->used);
    finding.sentence = (struct ets_text){copy, text->used};
    finding.share = (struct ets_span){NAN, NAN};
    finding.view = "compare";
    if (copy != NULL) findings->items[findings->count++] = finding;
    return copy != NULL;
}

/* "compared with old.etdp: 12 operators are faster, 3 slower, 5 the same, 7 undecided" */
static bool say_counts(struct ets_page *page, const char *name, const struct survey *survey,
                       struct ets_findings *findings)
{
    char room[SENTENCE_BYTES];
    struct ets_text_builder text = {room, sizeof room, 0};
    ets_add_plain_text(&text,
                       "compared with %.80s, operators that are faster: %u, slower: %u, the same: "
                       "%u, undecided: %u, on one side only: %u",
                       name, survey->faster, survey->slower, survey->same, survey->undecided,
                       survey->one_sided);
    if (survey->differs > 0) {
        ets_add_plain_text(&text, "; %u differ%s between the two recordings", survey->differs,
                           survey->differs == 1 ? "s" : "");
    }
    const bool is_good = survey->faster > 0 && survey->slower == 0;
    const struct ets_finding finding = {.kind = "difference",
                                        .severity = is_good ? ETS_SEVERITY_GOOD : ETS_SEVERITY_NOTE,
                                        .row = ETS_NO_INDEX,
                                        .block = ETS_NO_INDEX};
    return add_finding(&page->document.arena, findings, &text, finding);
}

/* "compared with old.etdp, addmm.out is slower: 3.2 us -> 4.8 us" */
static bool say_worst(struct ets_page *page, const char *name,
                      const struct ets_difference *difference,
                      const struct ets_difference_line *line, struct ets_findings *findings)
{
    const struct ets_difference_side *after = &line->after;
    const struct ets_pool_operator *of = &after->block->operators[after->operators[0]];
    const enum ets_time_unit unit = ets_difference_unit(difference);
    const double tick_ns = unit == ETS_UNIT_CYCLES ? 0 : 1e9 / ets_time_unit_per_second(unit);
    const double times[] = {line->before.median, after->median};
    const double steps[] = {line->before.resolution, after->resolution};
    char room[SENTENCE_BYTES];
    struct ets_text_builder text = {room, sizeof room, 0};
    const double scale = ets_shared_time_scale(times[0], times[1], tick_ns);
    ets_add_plain_text(&text, "compared with %.80s, %.*s is slower: ", name, ETS_TEXT(of->name));
    for (int i = 0; i < 2; i++) {
        if (i == 1) ets_add_plain_text(&text, " -> ");
        ets_add_time_in(&text, (struct ets_span){times[i], times[i] + steps[i]}, tick_ns, scale);
    }
    const uint32_t id = ets_page_operator_id(page, 0, after->block, of);
    const uint32_t first = page->study.traces[0].first_operator; /* 0: ids are rows */
    const struct ets_finding finding = {.kind = "slower_operator",
                                        .severity = ETS_SEVERITY_BAD,
                                        .row = id == ETS_NO_INDEX ? ETS_NO_INDEX : id - first,
                                        .block = ETS_NO_INDEX};
    return add_finding(&page->document.arena, findings, &text, finding);
}

bool ets_page_say_difference(struct ets_page *page, uint32_t number, struct ets_page_words *words)
{
    const struct ets_difference *difference = page->source->differences[number];
    const uint32_t trace = ets_page_before(page, number);
    const char *name = ets_page_file_name(page->study.sources.traces[trace].path);
    struct ets_findings *findings = &words->findings;
    struct ets_agreement agreement;
    struct survey survey = {.faster = 0};
    words->trace = &page->study.traces[0];
    findings->items =
        ets_arena_alloc_array(&page->document.arena, MOST_FINDINGS, sizeof *findings->items);
    if (findings->items == NULL || !say_headline(page, number, &words->headline) ||
        !say_trust(page, number, name, &words->trust)) {
        return false;
    }
    ets_difference_agreement(difference, &agreement);
    if (agreement.is_identical || agreement.is_poor || agreement.captured) return true;
    for (uint32_t i = 0; i < ets_difference_line_count(difference); i++) {
        count_line(&survey, ets_difference_line(difference, i));
    }
    return say_counts(page, name, &survey, findings) &&
           (survey.worst == NULL || say_worst(page, name, difference, survey.worst, findings));
}
