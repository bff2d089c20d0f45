/* Says of each kernel of a report why it is outside of delegates, and what would let it in. */
#include "output/page/page_outsides.h"

#include "base/error.h"
#include "partition/undelegated_kernels.h"
#include "views/delegate_lines.h"

enum { WHY = 0, REMEDY = 1, BY = 2 };

/* What is judged: a trace with the columns of its operators. */
struct judged {
    struct ets_page_document *document;
    const struct ets_studied_trace *trace;
    struct ets_page_column *columns;
};

static bool put_line(const struct judged *of, const struct ets_delegate_line *line,
                     const struct ets_outside *outside)
{
    const uint32_t id = of->trace->first_operator + line->row;
    if (outside->reason.data == NULL) return true;
    if (!ets_page_set_text(of->document, &of->columns[WHY], id, outside->reason)) return false;
    if (!ets_page_set_string(of->document, &of->columns[BY], id,
                             outside->asked->items[0]->release)) {
        return false;
    }
    if (outside->remedy == NULL) return true;
    return ets_page_set_string(of->document, &of->columns[REMEDY], id, outside->remedy);
}

static bool put_section(const struct judged *of, struct ets_arena *arena,
                        const struct ets_delegate_section *section,
                        const struct ets_outside *outsides)
{
    struct ets_delegate_lines lines;
    if (!ets_delegate_lines_collect(arena, section, true, &lines)) return false;
    for (uint32_t i = 0; i < lines.count; i++) {
        const struct ets_delegate_line *line = &lines.items[i];
        const uint32_t step = section->first_step + line->step->instruction;
        if (line->row == ETS_NO_INDEX) continue;
        if (!put_line(of, line, &outsides[step])) return false;
    }
    return true;
}

/* A record or program that does not fit says nothing. */
static enum ets_status put_trace(const struct judged *of, struct ets_arena *arena,
                                 struct ets_study *study, struct ets_error *error)
{
    const uint32_t program = of->trace->source->program;
    const struct ets_delegation *delegation;
    struct ets_delegate_sections sections;
    const struct ets_outside *outsides;
    enum ets_status status = ets_study_delegation(study, program, &delegation, error);
    if (status != ETS_OK) return status == ETS_NO_MEMORY ? status : ETS_OK;
    status = ets_undelegated_kernels_find(arena, ets_study_record(study, program), delegation,
                                          &outsides, error);
    bool ok = status != ETS_OK ||
              ets_delegate_sections_find(arena, delegation, of->trace->inspection, &sections);
    for (uint32_t i = 0; ok && status == ETS_OK && i < sections.count; i++) {
        ok = put_section(of, arena, &sections.items[i], outsides);
    }
    if (!ok) return ets_fail_memory(error, "why operators are outside of delegates");
    return status == ETS_NO_MEMORY ? status : ETS_OK;
}

enum ets_status ets_page_add_outsides(struct ets_page *page, struct ets_error *error)
{
    static const struct ets_page_head heads[] = {{"why_out", ETS_PAGE_TEXT},
                                                 {"remedy", ETS_PAGE_TEXT},
                                                 {"why_out_by", ETS_PAGE_TEXT},
                                                 {NULL, ETS_PAGE_TEXT}};
    struct ets_page_column *columns = ets_page_widen_table(
        &page->document, ets_page_find_table(&page->document, "operators"), heads);
    if (columns == NULL) return ets_fail_memory(error, "why operators are outside of delegates");
    enum ets_status status = ETS_OK;
    for (uint32_t i = 0; status == ETS_OK && i < page->study.sources.trace_count; i++) {
        const struct judged of = {&page->document, &page->study.traces[i], columns};
        const struct ets_study_trace *trace = of.trace->source;
        if (trace->record == ETS_NO_INDEX || trace->program == ETS_NO_INDEX) continue;
        struct ets_arena arena;
        ets_arena_init(&arena, page->document.arena.allocator, 0);
        status = put_trace(&of, &arena, &page->study, error);
        ets_arena_reset(&arena);
    }
    return status;
}
