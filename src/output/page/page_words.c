/* Finds what a page says first: of each trace with its model, and of models without a trace. */
#include "base/error.h"
#include "base/text.h"
#include "memory/memory_plan.h"
#include "output/page/page_differences.h"
#include "output/page/page_parts.h"
#include "views/timed_blocks.h"

/* The plan of the method that ran longest; NULL: not known. */
static const struct ets_memory_plan *plan_of(const struct ets_page *page,
                                             const struct ets_sql_trace_data *trace,
                                             const struct ets_timed_blocks *blocks)
{
    const struct ets_block *block =
        blocks->count > 0 ? ets_inspection_block(trace->inspection, blocks->items[0].block) : NULL;
    if (block == NULL || block->method == NULL) return NULL;
    for (uint32_t i = 0; i < page->data.method_count; i++) {
        const struct ets_sql_method *method = &page->data.methods[i];
        if (method->program != trace->source->program) continue;
        if (ets_text_is(method->method.name, block->method)) return method->plan;
    }
    return NULL;
}

/* What several traces of one program have in common is said once. */
static const struct ets_byte_map *bytes_of(const struct ets_page *page, uint32_t number)
{
    const uint32_t program = page->data.traces[number].source->program;
    if (program == ETS_NO_INDEX) return NULL;
    for (uint32_t i = 0; i < number; i++) {
        if (page->data.traces[i].source->program == program) return NULL;
    }
    return page->data.byte_maps[program];
}

static bool say_trace(struct ets_page *page, uint32_t number, struct ets_page_words *words)
{
    struct ets_arena *arena = &page->document.arena;
    const struct ets_sql_trace_data *trace = &page->data.traces[number];
    struct ets_timed_blocks blocks;
    if (!ets_timed_blocks_find(arena, trace->inspection, ETS_NO_INDEX, ETS_NO_INDEX, 0, &blocks)) {
        return false;
    }
    const struct ets_memory_plan *plan = plan_of(page, trace, &blocks);
    const struct ets_gap_report *gap =
        page->source->gaps == NULL ? NULL : page->source->gaps[number];
    const struct ets_memory_options order = {.delegation = NULL};
    struct ets_memory_lines memory;
    if (plan != NULL && !ets_memory_lines_collect(arena, plan, &order, &memory)) return false;
    const struct ets_headline_options options = {
        .block = ETS_NO_INDEX, .run = ETS_NO_INDEX, .plan = plan, .gap = gap};
    const struct ets_findings_subject subject = {.inspection = trace->inspection,
                                                 .memory = plan == NULL ? NULL : &memory,
                                                 .bytes = bytes_of(page, number),
                                                 .gap = gap};
    const unsigned untold = (page->document.has_no_source ? ETS_UNTOLD_SOURCE : 0) |
                            (page->document.has_no_tensors ? ETS_UNTOLD_VALUES : 0);
    words->trace = trace;
    return ets_headline_make(arena, trace->inspection, &options, &words->headline) &&
           ets_findings_collect(arena, &subject, &words->findings) &&
           ets_trust_collect(arena, trace->inspection, untold, &words->trust);
}

static bool has_trace(const struct ets_page *page, uint32_t program)
{
    for (uint32_t i = 0; i < page->data.sources.trace_count; i++) {
        if (page->data.sources.traces[i].program == program) return true;
    }
    return false;
}

/* Of an ETRecord alone there is no run and no plan, only a graph. */
static bool say_record(struct ets_page *page, struct ets_page_words *words)
{
    const struct ets_sql_data *data = &page->data;
    struct ets_arena *arena = &page->document.arena;
    words->headline.items =
        ets_arena_alloc_array(arena, data->graph_count, sizeof *words->headline.items);
    if (words->headline.items == NULL) return false;
    for (uint32_t i = 0; i < data->graph_count; i++) {
        const struct ets_graph *graph = data->graphs[i].graph;
        uint32_t operators = 0;
        char text[256];
        struct ets_text_builder line = {text, sizeof text, 0};
        for (uint32_t n = 0; n < graph->node_count; n++) {
            operators += graph->nodes[n].op.size > 0;
        }
        ets_add_plain_text(&line, "%s: %u operator%s in the exported graph", data->graphs[i].method,
                           operators, operators == 1 ? "" : "s");
        const char *copy = ets_arena_copy_text(arena, line.text, line.used);
        if (copy == NULL) return false;
        words->headline.items[words->headline.count++] = (struct ets_text){copy, line.used};
    }
    return true;
}

enum ets_status ets_page_find_words(struct ets_page *page, struct ets_error *error)
{
    const struct ets_sql_sources *sources = &page->data.sources;
    const size_t room = (size_t)sources->trace_count + sources->program_count + 1;
    page->words = ets_arena_alloc_array(&page->document.arena, room, sizeof *page->words);
    if (page->words == NULL) return ets_fail_memory(error, "the report");
    ETS_TRY(ets_sql_data_byte_maps(&page->data, error));
    for (uint32_t i = 0; i < page->source->before_count; i++) {
        if (!ets_page_say_difference(page, i, &page->words[page->word_count++])) {
            return ets_fail_memory(error, "the comparison of the report");
        }
    }
    for (uint32_t i = 0; i < sources->trace_count - page->source->before_count; i++) {
        if (!say_trace(page, i, &page->words[page->word_count++])) {
            return ets_fail_memory(error, "the findings of the report");
        }
    }
    for (uint32_t i = 0; i < sources->program_count; i++) {
        if (has_trace(page, i)) continue;
        ETS_TRY(ets_page_say_program(page, i, &page->words[page->word_count++], error));
    }
    const bool is_record = page->word_count == 0 && sources->record_count > 0;
    if (is_record && !say_record(page, &page->words[page->word_count++])) {
        return ets_fail_memory(error, "the findings of the report");
    }
    return ETS_OK;
}
