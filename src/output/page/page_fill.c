/* Fills the tables that only a report has, block by block. */
#include "output/page/page_fill.h"

#include "base/error.h"
#include "output/page/page_differences.h"
#include "output/page/page_order.h"
#include "output/page/page_outsides.h"
#include "output/page/page_stacks.h"
#include "output/page/page_views.h"

static const struct ets_page_view *const views[] = {
    &ets_page_lines,    &ets_page_stacks,  &ets_page_operator_times,
    &ets_page_accounts, &ets_page_modules,
};

static bool fill_trace(struct ets_page_block block, const struct ets_page_view *view)
{
    struct ets_arena arena;
    bool ok = true;
    ets_arena_init(&arena, block.document->arena.allocator, 0);
    block.arena = &arena;
    for (uint32_t i = 0; ok && i < ets_inspection_block_count(block.trace->inspection); i++) {
        block.index = i;
        ok = view->fill(&block) && !block.document->has_failed;
        ets_arena_reset(&arena);
    }
    return ok;
}

static bool add_view(struct ets_page *page, const struct ets_page_view *view)
{
    struct ets_page_table *table =
        ets_page_add_named_table(&page->document, view->name, view->columns);
    bool ok = table != NULL;
    for (uint32_t i = 0; ok && i < page->study.sources.trace_count; i++) {
        const struct ets_page_block block = {.document = &page->document,
                                             .table = table,
                                             .study = &page->study,
                                             .trace = &page->study.traces[i]};
        ok = fill_trace(block, view);
    }
    return ok;
}

enum ets_status ets_page_add_views(struct ets_page *page, struct ets_error *error)
{
    bool ok = ets_page_add_roles(page) && ets_page_add_phases(page) &&
              ets_page_add_positions(page) && ets_page_add_stack_column(&page->document);
    for (size_t i = 0; ok && i < sizeof views / sizeof *views; i++) ok = add_view(page, views[i]);
    ok = ok && ets_page_add_differences(page);
    return ok ? ets_page_add_outsides(page, error)
              : ets_fail_memory(error, "the tables of the report");
}
