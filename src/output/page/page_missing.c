/* Finds what a page does not tell: for want of a file, or because it was left out. */
#include "output/page/page_parts.h"

static const struct ets_missing left_out[ETS_PAGE_PART_COUNT] = {
    [ETS_PAGE_MOST_RUNS] = {"timeline",
                            "events of all but the fastest, median and slowest run of "
                            "each block are left out"},
    [ETS_PAGE_SOURCE] = {"source", "the texts of source lines are left out"},
    [ETS_PAGE_TENSORS] = {"numbers", "what captured tensors hold is left out"},
    [ETS_PAGE_GRAPH] = {"graph", "what flows between operators is left out"},
    [ETS_PAGE_EVENTS] = {"timeline", "the events of all runs are left out"},
};

/* Whether the sources have the part. */
static bool is_in_sources(const struct ets_page *page, enum ets_page_part part)
{
    const struct ets_study_sources *sources = &page->study.sources;
    uint32_t i = 0;
    switch (part) {
    case ETS_PAGE_MOST_RUNS:
        while (i < page->matrix_count && page->matrices[i].kept == NULL) i++;
        return i < page->matrix_count;
    case ETS_PAGE_SOURCE: return page->study.graph_count > 0;
    case ETS_PAGE_TENSORS:
        while (i < sources->trace_count && sources->traces[i].debug_buffer.data == NULL) i++;
        return i < sources->trace_count;
    case ETS_PAGE_GRAPH: return page->study.graph_count + page->study.method_count > 0;
    default: return page->study.event_count > 0;
    }
}

bool ets_page_missing(const struct ets_page *page, int i, struct ets_page_missing *missing_out)
{
    const struct ets_page_source *source = page->source;
    const int part = i - ETS_MISSING_COUNT;
    const bool is_refused = i == ETS_MISSING_DEBUG_BUFFER && source->gap_reason != NULL;
    if (part >= 0) {
        *missing_out = (struct ets_page_missing){left_out[part], source->left_out[part]};
        return missing_out->option != NULL && is_in_sources(page, (enum ets_page_part)part);
    }
    missing_out->of = ets_missing_without((enum ets_missing_file)i);
    missing_out->option = source->missing_options[i];
    if (is_refused) missing_out->of.sentence = source->gap_reason;
    return missing_out->option != NULL;
}
