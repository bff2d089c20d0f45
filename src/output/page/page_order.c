/* Columns that a report adds: roles of traces, phases of runs, and positions of operators. */
#include "output/page/page_order.h"

#include "inspect/time_details.h"

/* The phases of a block's runs, into two columns. */
static bool put_phases(struct ets_page *page, const struct ets_studied_trace *trace, uint32_t index,
                       struct ets_page_column *columns)
{
    struct ets_arena arena;
    struct ets_run_phases phases;
    const struct ets_inspection *inspection = trace->inspection;
    const struct ets_block *block = ets_inspection_block(inspection, index);
    const uint32_t whole = ets_inspection_total_row(inspection, index), count = block->run_count;
    if (whole == ETS_NO_INDEX) return true;
    ets_arena_init(&arena, page->document.arena.allocator, 0);
    double *ticks = ets_arena_alloc_array(&arena, count, sizeof *ticks);
    int64_t *took = ets_arena_alloc_array(&arena, count, sizeof *took);
    bool ok = ticks != NULL && took != NULL;
    if (ok) {
        ets_inspection_row_ticks(inspection, whole, ETS_NO_INDEX, ticks);
        for (uint32_t i = 0; i < count; i++)
            took[i] = ticks[i] < 9e18 ? (int64_t)ticks[i] : INT64_MAX;
        ok = ets_run_phases_find(took, count, arena.allocator, &phases, NULL) == ETS_OK;
    }
    const bool is_told = ok && phases.state != ETS_PHASE_TOO_FEW;
    for (uint32_t run = block->first_run, i = 0; is_told && ok && i < count; run++) {
        if (ets_inspection_run(inspection, run)->block != index) continue;
        const char *name = i < phases.warm_up ? "warm-up" : "steady";
        const uint32_t row = trace->first_run + run;
        ok = ets_page_set_string(&page->document, &columns[0], row, name);
        ets_page_set_integer(&columns[1], row, ets_run_phases_is_outlier(&phases, i, took[i]));
        i++;
    }
    ets_arena_reset(&arena);
    return ok;
}

bool ets_page_add_phases(struct ets_page *page)
{
    static const struct ets_page_head heads[] = {
        {"phase", ETS_PAGE_TEXT}, {"outlier", ETS_PAGE_INTEGER}, {NULL, ETS_PAGE_TEXT}};
    struct ets_page_column *columns =
        ets_page_widen_table(&page->document, ets_page_find_table(&page->document, "runs"), heads);
    bool ok = columns != NULL;
    for (uint32_t i = 0; i < page->study.sources.trace_count; i++) {
        const struct ets_studied_trace *trace = &page->study.traces[i];
        for (uint32_t b = 0; ok && b < ets_inspection_block_count(trace->inspection); b++) {
            ok = put_phases(page, trace, b, columns);
        }
    }
    return ok;
}

bool ets_page_add_roles(struct ets_page *page)
{
    static const struct ets_page_head heads[] = {{"role", ETS_PAGE_TEXT}, {NULL, ETS_PAGE_TEXT}};
    const uint32_t count = page->study.sources.trace_count;
    struct ets_page_column *column = ets_page_widen_table(
        &page->document, ets_page_find_table(&page->document, "traces"), heads);
    bool ok = column != NULL;
    for (uint32_t i = 0; ok && i < count; i++) {
        const bool is_before = i >= count - page->source->before_count;
        ok = ets_page_set_string(&page->document, column, i, is_before ? "before" : "trace");
    }
    return ok;
}

bool ets_page_add_positions(struct ets_page *page)
{
    static const struct ets_page_head heads[] = {{"position", ETS_PAGE_INTEGER},
                                                 {NULL, ETS_PAGE_TEXT}};
    struct ets_page_column *column = ets_page_widen_table(
        &page->document, ets_page_find_table(&page->document, "operators"), heads);
    if (column == NULL) return false;
    for (uint32_t i = 0; i < page->matrix_count; i++) {
        const struct ets_page_matrix *matrix = &page->matrices[i];
        for (uint32_t at = matrix->position_count; at-- > 0;) { /* the first one stays */
            ets_page_set_integer(column, (uint32_t)matrix->operators[at], at);
        }
    }
    return true;
}
