/* The tables of compared traces: what `diff` tells, with the ids of both sides. */
#include "output/page/page_differences.h"

#include <math.h>

#include "compare/compare_names.h"
#include "views/difference_headline.h"
#include "views/difference_view.h"

/* clang-format off */
#define BOUNDS(name) {name, ETS_PAGE_REAL}, {name "_upper", ETS_PAGE_REAL}

static const struct ets_page_head comparison_columns[] = {
    {"trace", ETS_PAGE_INTEGER}, {"sentence", ETS_PAGE_TEXT}, {NULL, ETS_PAGE_TEXT}};

static const struct ets_page_head block_columns[] = {
    {"trace", ETS_PAGE_INTEGER}, {"before", ETS_PAGE_INTEGER}, {"after", ETS_PAGE_INTEGER},
    {"name", ETS_PAGE_TEXT}, {"method", ETS_PAGE_TEXT}, {"matched_by", ETS_PAGE_TEXT},
    {"runs_before", ETS_PAGE_INTEGER}, {"runs_after", ETS_PAGE_INTEGER},
    {"total", ETS_PAGE_INTEGER}, {NULL, ETS_PAGE_TEXT}};

static const struct ets_page_head line_columns[] = {
    {"block", ETS_PAGE_INTEGER}, {"parent", ETS_PAGE_INTEGER}, {"depth", ETS_PAGE_INTEGER},
    {"instruction", ETS_PAGE_INTEGER}, {"name", ETS_PAGE_TEXT}, {"kind", ETS_PAGE_TEXT},
    BOUNDS("before"), BOUNDS("after"), {"change", ETS_PAGE_REAL}, {"ratio", ETS_PAGE_REAL},
    {"change_low", ETS_PAGE_REAL}, {"change_high", ETS_PAGE_REAL},
    {"contribution", ETS_PAGE_REAL}, {"p", ETS_PAGE_REAL}, {"adjusted_p", ETS_PAGE_REAL},
    {"verdict", ETS_PAGE_TEXT}, {"reason", ETS_PAGE_TEXT},
    {"source", ETS_PAGE_TEXT}, {"module", ETS_PAGE_TEXT}, {NULL, ETS_PAGE_TEXT}};

static const struct ets_page_head operator_columns[] = {
    {"difference", ETS_PAGE_INTEGER}, {"is_after", ETS_PAGE_INTEGER},
    {"operator", ETS_PAGE_INTEGER}, {NULL, ETS_PAGE_TEXT}};
/* clang-format on */

/* What rows are made of: a trace before, and one block of its difference. */
struct maker {
    struct ets_page *page;
    struct ets_page_document *document;
    struct ets_page_table *comparisons, *blocks, *lines, *operators;
    const struct ets_difference *difference;
    uint32_t trace;
    uint32_t *row_of; /* [line of the difference] */
    struct ets_arena arena;
};

uint32_t ets_page_block_id(const struct ets_page *page, uint32_t first_trace,
                           const struct ets_pool_block *block)
{
    if (block == NULL || block->part_count == 0) return ETS_NO_INDEX;
    const struct ets_pool_part *part = &block->parts[0];
    return page->study.traces[first_trace + part->inspection].first_block + part->block;
}

uint32_t ets_page_operator_id(const struct ets_page *page, uint32_t first_trace,
                              const struct ets_pool_block *block,
                              const struct ets_pool_operator *of)
{
    for (uint32_t i = 0; of->row != NULL && i < block->part_count; i++) {
        const struct ets_pool_part *part = &block->parts[i];
        const struct ets_studied_trace *trace = &page->study.traces[first_trace + part->inspection];
        const uint32_t row =
            ets_inspection_block(trace->inspection, part->block)->first_row + of->row_offset;
        if (ets_inspection_row(trace->inspection, row) == of->row) {
            return trace->first_operator + row;
        }
    }
    return ETS_NO_INDEX;
}

static void put_index(struct maker *m, struct ets_page_table *table, uint32_t index)
{
    if (index == ETS_NO_INDEX) ets_page_put_null(m->document, table);
    else ets_page_put_integer(m->document, table, index);
}

static void put_time(struct maker *m, const struct ets_difference_line *line, double time)
{
    ets_page_put_real(m->document, m->lines, line->has_own_clock ? NAN : time);
}

static void put_median(struct maker *m, const struct ets_difference_line *line,
                       const struct ets_difference_side *side)
{
    put_time(m, line, side->median);
    put_time(m, line, side->resolution > 0 ? side->median + side->resolution : NAN);
}

static bool put_list(struct maker *m, const struct ets_text_list *list)
{
    size_t size = 0;
    for (size_t i = 0; i < list->count; i++) size += list->items[i].size + 2;
    if (size == 0) {
        ets_page_put_null(m->document, m->lines);
        return true;
    }
    struct ets_text_builder text = {ets_arena_alloc(&m->arena, size + 1), size + 1, 0};
    if (text.text == NULL) return false;
    for (size_t i = 0; i < list->count; i++) {
        ets_add_text(&text, "%s%.*s", i == 0 ? "" : ", ", ETS_TEXT(list->items[i]));
    }
    ets_page_put_text(m->document, m->lines, ets_built_text(&text));
    return true;
}

static void put_reason(struct maker *m, const struct ets_difference_line *line)
{
    char room[128];
    struct ets_text_builder text = {room, sizeof room, 0};
    ets_difference_add_reason(&text, line);
    if (text.used == 0) ets_page_put_null(m->document, m->lines);
    else ets_page_put_text(m->document, m->lines, ets_built_text(&text));
}

static void put_operators(struct maker *m, const struct ets_difference_side *side,
                          uint32_t first_trace, bool is_after)
{
    for (uint32_t i = 0; i < side->operator_count; i++) {
        const struct ets_pool_operator *of = &side->block->operators[side->operators[i]];
        const uint32_t id = ets_page_operator_id(m->page, first_trace, side->block, of);
        if (id == ETS_NO_INDEX) continue;
        ets_page_put_integer(m->document, m->operators, m->lines->row_count);
        ets_page_put_integer(m->document, m->operators, is_after);
        ets_page_put_integer(m->document, m->operators, id);
    }
}

static bool put_line(struct maker *m, uint32_t block, const struct ets_difference_view_line *shown)
{
    const struct ets_difference_line *of = shown->of;
    struct ets_page_table *table = m->lines;
    char room[512];
    struct ets_text_builder name = {room, sizeof room, 0};
    const char *kind = ets_change_name(of->change), *verdict = ets_verdict_name(of->verdict);
    put_operators(m, &of->before, m->trace, false);
    put_operators(m, &of->after, 0, true);
    m->row_of[shown->index] = table->row_count;
    ets_difference_add_name(&name, shown);
    ets_page_put_integer(m->document, table, block);
    put_index(m, table, of->parent == ETS_NO_INDEX ? ETS_NO_INDEX : m->row_of[of->parent]);
    ets_page_put_integer(m->document, table, shown->depth);
    put_index(m, table, shown->instruction < 0 ? ETS_NO_INDEX : (uint32_t)shown->instruction);
    ets_page_put_text(m->document, table, ets_built_text(&name));
    ets_page_put_string(m->document, table, *kind == '\0' ? NULL : kind);
    put_median(m, of, &of->before);
    put_median(m, of, &of->after);
    put_time(m, of, of->change_of_median);
    ets_page_put_real(m->document, table, of->ratio);
    put_time(m, of, of->interval.low);
    put_time(m, of, of->interval.high);
    ets_page_put_real(m->document, table, shown->contribution);
    ets_page_put_real(m->document, table, of->p);
    ets_page_put_real(m->document, table, of->adjusted_p);
    ets_page_put_string(m->document, table, *verdict == '\0' ? NULL : verdict);
    put_reason(m, of);
    return put_list(m, &shown->sources) && put_list(m, &shown->modules);
}

static uint32_t runs_of(const struct ets_pool_block *block)
{
    return block == NULL ? 0 : block->run_count;
}

static bool put_block(struct maker *m, uint32_t index)
{
    static const struct ets_difference_order_options order = {.sort = ETS_SORT_ORDER};
    struct ets_difference_view view;
    if (!ets_difference_view_collect(&m->arena, m->difference, index, &order, &view)) return false;
    const struct ets_difference_block *of = view.block;
    const uint32_t row = m->blocks->row_count;
    for (uint32_t i = 0; i < view.count; i++) {
        if (!put_line(m, row, &view.lines[i])) return false;
    }
    ets_page_put_integer(m->document, m->blocks, m->trace);
    put_index(m, m->blocks, ets_page_block_id(m->page, m->trace, of->before));
    put_index(m, m->blocks, ets_page_block_id(m->page, 0, of->after));
    ets_page_put_text(m->document, m->blocks, view.named_by->name);
    ets_page_put_string(m->document, m->blocks, view.named_by->method);
    ets_page_put_string(m->document, m->blocks, ets_matched_by_name(of->matched_by));
    ets_page_put_integer(m->document, m->blocks, runs_of(of->before));
    ets_page_put_integer(m->document, m->blocks, runs_of(of->after));
    put_index(m, m->blocks, of->total == ETS_NO_INDEX ? ETS_NO_INDEX : m->row_of[of->total]);
    return !m->document->has_failed;
}

static bool put_difference(struct maker *m)
{
    struct ets_sentences headline;
    const uint32_t count = ets_difference_line_count(m->difference);
    m->row_of = ets_arena_alloc_array(&m->arena, (size_t)count + 1, sizeof *m->row_of);
    if (m->row_of == NULL || !ets_difference_headline(&m->arena, m->difference, NULL, &headline)) {
        return false;
    }
    for (uint32_t i = 0; i < headline.count; i++) {
        ets_page_put_integer(m->document, m->comparisons, m->trace);
        ets_page_put_text(m->document, m->comparisons, headline.items[i]);
    }
    for (uint32_t b = 0; b < ets_difference_block_count(m->difference); b++) {
        if (!put_block(m, b)) return false;
    }
    return true;
}

bool ets_page_add_differences(struct ets_page *page)
{
    struct ets_page_document *document = &page->document;
    struct maker m = {.page = page, .document = document};
    if (page->source->before_count == 0) return true;
    m.comparisons = ets_page_add_named_table(document, "comparisons", comparison_columns);
    m.blocks = ets_page_add_named_table(document, "difference_blocks", block_columns);
    m.lines = ets_page_add_named_table(document, "differences", line_columns);
    m.operators = ets_page_add_named_table(document, "difference_operators", operator_columns);
    bool ok = m.comparisons != NULL && m.blocks != NULL && m.lines != NULL && m.operators != NULL;
    for (uint32_t i = 0; ok && i < page->source->before_count; i++) {
        m.difference = page->source->differences[i];
        m.trace = ets_page_before(page, i);
        ets_arena_init(&m.arena, document->arena.allocator, 0);
        ok = put_difference(&m);
        ets_arena_reset(&m.arena);
    }
    return ok;
}
