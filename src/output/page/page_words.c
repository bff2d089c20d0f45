/* Finds what a page says first: of each trace with its model, and of models without a trace. */
#include "base/error.h"
#include "base/text.h"
#include "output/page/page_differences.h"
#include "output/page/page_parts.h"

static bool say_trace(struct ets_page *page, const struct ets_studied_findings *of,
                      struct ets_page_words *words)
{
    struct ets_arena *arena = &page->document.arena;
    const struct ets_study_sources *sources = &page->study.sources;
    const struct ets_studied_trace *trace = &page->study.traces[of->trace];
    const struct ets_headline_options options = {
        .block = ETS_NO_INDEX,
        .run = ETS_NO_INDEX,
        .plan = of->memory == NULL ? NULL : of->memory->plan,
        .gap = sources->gaps == NULL ? NULL : sources->gaps[of->trace]};
    const unsigned untold = (page->document.has_no_source ? ETS_UNTOLD_SOURCE : 0) |
                            (page->document.has_no_tensors ? ETS_UNTOLD_VALUES : 0);
    words->trace = trace;
    words->findings = of->found;
    return ets_headline_make(arena, trace->inspection, &options, &words->headline) &&
           ets_trust_collect(arena, trace->inspection, untold, &words->trust);
}

/* Of an ETRecord alone there is no run and no plan, only a graph. */
static bool say_record(struct ets_page *page, struct ets_page_words *words)
{
    const struct ets_study *study = &page->study;
    struct ets_arena *arena = &page->document.arena;
    words->headline.items =
        ets_arena_alloc_array(arena, study->graph_count, sizeof *words->headline.items);
    if (words->headline.items == NULL) return false;
    for (uint32_t i = 0; i < study->graph_count; i++) {
        const struct ets_graph *graph = study->graphs[i].graph;
        uint32_t operators = 0;
        char text[256];
        struct ets_text_builder line = {text, sizeof text, 0};
        for (uint32_t n = 0; n < graph->node_count; n++) {
            operators += graph->nodes[n].op.size > 0;
        }
        ets_add_plain_text(&line, "%s: %u operator%s in the exported graph",
                           study->graphs[i].method, operators, operators == 1 ? "" : "s");
        const char *copy = ets_arena_copy_text(arena, line.text, line.used);
        if (copy == NULL) return false;
        words->headline.items[words->headline.count++] = (struct ets_text){copy, line.used};
    }
    return true;
}

enum ets_status ets_page_find_words(struct ets_page *page, struct ets_error *error)
{
    const struct ets_study_sources *sources = &page->study.sources;
    ETS_TRY(ets_study_findings(&page->study, error));
    const uint32_t count = page->study.findings_count, before = page->source->before_count;
    page->words = ets_arena_alloc_array(&page->document.arena, (size_t)count + before + 1,
                                        sizeof *page->words);
    if (page->words == NULL) return ets_fail_memory(error, "the report");
    for (uint32_t i = 0; i < before; i++) {
        if (!ets_page_say_difference(page, i, &page->words[page->word_count++])) {
            return ets_fail_memory(error, "the comparison of the report");
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct ets_studied_findings *of = &page->study.findings[i];
        const bool is_program = of->trace == ETS_NO_INDEX;
        if (!is_program && of->trace >= sources->trace_count - before) continue; /* said above */
        struct ets_page_words *words = &page->words[page->word_count++];
        if (is_program) ETS_TRY(ets_page_say_program(page, of, words, error));
        else if (!say_trace(page, of, words)) return ets_fail_memory(error, "the report's words");
    }
    const bool is_record = page->word_count == 0 && sources->record_count > 0;
    if (is_record && !say_record(page, &page->words[page->word_count++])) {
        return ets_fail_memory(error, "the findings of the report");
    }
    return ETS_OK;
}
