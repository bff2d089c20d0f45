/* The table `lines`: what source lines cost, as annotate tells it. */
#include <math.h>

#include "output/page/page_lines.h"
#include "output/page/page_views.h"

static const struct ets_page_head columns[] = {
    {"block", ETS_PAGE_INTEGER},
    {"file", ETS_PAGE_TEXT},
    {"line", ETS_PAGE_INTEGER},
    {"function", ETS_PAGE_TEXT},
    {"code", ETS_PAGE_TEXT},
    {"mid", ETS_PAGE_REAL},
    {"mid_upper", ETS_PAGE_REAL},
    {"share", ETS_PAGE_REAL},
    {"share_upper", ETS_PAGE_REAL},
    {"calls", ETS_PAGE_REAL},
    {"written_bytes", ETS_PAGE_INTEGER},
    {"error", ETS_PAGE_REAL},
    {NULL, ETS_PAGE_TEXT},
};

static void put_numbers(const struct ets_page_block *block, const struct ets_place *place,
                        double total)
{
    const double ticks = place->is_counted ? place->self.middle : NAN;
    const struct ets_span span = ets_span_of(ticks, place->own_error, 1);
    const double calls = place->calls_per_run > 0 ? place->calls_per_run : NAN;
    const double bytes = place->is_counted ? place->bytes_per_run : NAN;
    ets_page_put_time(block, span);
    ets_page_put_share(block, span, total);
    ets_page_put_real(block->document, block->table, calls);
    if (bytes < 9e15) ets_page_put_integer(block->document, block->table, (int64_t)bytes);
    else ets_page_put_null(block->document, block->table);
    ets_page_put_null(block->document, block->table); /* no values were compared */
}

static void put_line(const struct ets_page_block *block, const struct ets_source_lines *lines,
                     const struct ets_place *place)
{
    static const struct ets_text none = {NULL, 0};
    struct ets_page_document *document = block->document;
    const struct ets_graph_frame *frame = place->frame;
    const bool has_code = frame != NULL && !document->has_no_source;
    const struct ets_text code = has_code ? frame->code : none;
    ets_page_put_integer(document, block->table, block->trace->first_block + block->index);
    ets_page_put_text(document, block->table, frame != NULL ? frame->file : none);
    if (frame != NULL) ets_page_put_integer(document, block->table, frame->line);
    else ets_page_put_null(document, block->table);
    ets_page_put_text(document, block->table, frame != NULL ? frame->function : none);
    ets_page_put_text(document, block->table, frame != NULL ? code : place->name);
    put_numbers(block, place, lines->total);
}

bool ets_page_collect_lines(const struct ets_page_block *block, struct ets_page_work *of)
{
    const struct ets_delegation *delegations = NULL;
    const struct ets_study_trace *source = block->trace->source;
    const struct ets_inspection *inspection = block->trace->inspection;
    *of = (struct ets_page_work){.lines.count = 0};
    if (source->record == ETS_NO_INDEX) return true; /* nothing tells lines */
    if (!ets_work_collect(block->arena, inspection, block->index, ETS_WORK_KNOWN, NULL,
                          &of->work)) {
        return false;
    }
    if (of->work.count == 0) return true;
    /* Where they disagree, only the record's graph tells bytes. */
    if (source->program != ETS_NO_INDEX &&
        ets_study_delegation(block->study, source->program, &delegations, NULL) == ETS_NO_MEMORY) {
        return false;
    }
    return ets_chosen_runs_find(block->arena, inspection, block->index, ETS_NO_INDEX, 0,
                                &of->runs) &&
           ets_source_lines_collect(block->arena, &of->work, &of->runs, delegations, NULL, false,
                                    &of->lines);
}

static bool fill(const struct ets_page_block *block)
{
    struct ets_page_work of;
    if (!ets_page_collect_lines(block, &of)) return false;
    for (uint32_t i = 0; i < of.lines.count; i++) {
        const struct ets_place *place = &of.lines.places[i];
        if (place->is_counted || place->counted_at.count > 0) put_line(block, &of.lines, place);
    }
    return true;
}

const struct ets_page_view ets_page_lines = {"lines", columns, fill};
