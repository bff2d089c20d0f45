/* The tables `operator_times` and `modules`: times with their bounds, as inspect tells them. */
#include <math.h>

#include "output/page/page_views.h"
#include "views/operator_lines.h"

/* clang-format off */
#define BOUNDS(name) {name, ETS_PAGE_REAL}, {name "_upper", ETS_PAGE_REAL}

static const struct ets_page_head row_columns[] = {
    {"operator", ETS_PAGE_INTEGER},
    BOUNDS("avg"), BOUNDS("p50"), BOUNDS("mid"), BOUNDS("min"), BOUNDS("max"), BOUNDS("p10"),
    BOUNDS("p90"), BOUNDS("p99"), BOUNDS("ci_low"), BOUNDS("ci_high"), BOUNDS("total"),
    BOUNDS("share"),
    {NULL, ETS_PAGE_TEXT},
};

static const struct ets_page_head module_columns[] = {
    {"block", ETS_PAGE_INTEGER},
    {"parent", ETS_PAGE_INTEGER},
    {"depth", ETS_PAGE_INTEGER},
    {"path", ETS_PAGE_TEXT},
    {"calls", ETS_PAGE_REAL},
    BOUNDS("mid"), BOUNDS("share"), BOUNDS("self_mid"), BOUNDS("self_share"),
    {NULL, ETS_PAGE_TEXT},
};
/* clang-format on */

/* A statistic of the line's calls in `runs` runs. */
static struct ets_span span_of(const struct ets_operator_line *line, double ticks, double runs)
{
    return ets_span_of(line->has_own_clock || line->is_estimate ? NAN : ticks, line->error, runs);
}

static void put_row(const struct ets_page_block *block, const struct ets_chosen_runs *runs,
                    const struct ets_operator_line *line)
{
    const struct ets_statistics *times = &line->times.statistics;
    const struct ets_spread *spread = &line->times.spread;
    const double per_run[] = {
        times->mean, times->p50, line->times.middle, times->min,         times->max,
        times->p10,  times->p90, spread->p99,        spread->median_low, spread->median_high};
    ets_page_put_integer(block->document, block->table,
                         (int64_t)block->trace->first_operator + line->row);
    for (size_t i = 0; i < sizeof per_run / sizeof *per_run; i++) {
        ets_page_put_time(block, span_of(line, per_run[i], 1));
    }
    ets_page_put_time(block, span_of(line, times->total, times->count));
    ets_page_put_share(block, span_of(line, line->times.middle, 1), runs->whole);
}

static void put_module(const struct ets_page_block *block, const struct ets_chosen_runs *runs,
                       const struct ets_operator_line *line, uint32_t first)
{
    struct ets_page_document *document = block->document;
    const struct ets_span self = ets_span_of(line->self.middle, line->self_error, 1);
    ets_page_put_integer(document, block->table, (int64_t)block->trace->first_block + block->index);
    if (line->parent == ETS_NO_INDEX) ets_page_put_null(document, block->table);
    else ets_page_put_integer(document, block->table, (int64_t)first + line->parent);
    ets_page_put_integer(document, block->table, line->depth);
    ets_page_put_text(document, block->table, line->name);
    ets_page_put_real(document, block->table,
                      line->calls_per_run > 0 && !line->is_rest ? line->calls_per_run : NAN);
    ets_page_put_time(block, span_of(line, line->times.middle, 1));
    ets_page_put_share(block, span_of(line, line->times.middle, 1), runs->whole);
    ets_page_put_time(block, self);
    ets_page_put_share(block, self, runs->whole);
}

static bool fill_rows(const struct ets_page_block *block)
{
    const struct ets_operator_options options = {
        .block = ETS_NO_INDEX, .run = ETS_NO_INDEX, .all_events = 1};
    const struct ets_inspection *inspection = block->trace->inspection;
    struct ets_chosen_runs runs;
    struct ets_operator_lines lines;
    if (!ets_chosen_runs_find(block->arena, inspection, block->index, ETS_NO_INDEX, 0, &runs) ||
        !ets_operator_lines_by_row(block->arena, inspection, &options, &runs, block->index,
                                   &lines)) {
        return false;
    }
    for (uint32_t i = 0; i < lines.count; i++) put_row(block, &runs, &lines.items[i]);
    return true;
}

static bool fill_modules(const struct ets_page_block *block)
{
    const struct ets_operator_options options = {
        .group_by = ETS_GROUP_MODULE, .block = ETS_NO_INDEX, .run = ETS_NO_INDEX};
    const struct ets_inspection *inspection = block->trace->inspection;
    struct ets_chosen_runs runs;
    struct ets_operator_lines lines;
    if (block->trace->source->record == ETS_NO_INDEX) return true; /* nothing tells modules */
    if (!ets_chosen_runs_find(block->arena, inspection, block->index, ETS_NO_INDEX, 0, &runs) ||
        !ets_operator_lines_by_group(block->arena, inspection, &options, &runs, block->index,
                                     &lines)) {
        return false;
    }
    const uint32_t first = block->table->row_count;
    for (uint32_t i = 0; i < lines.count; i++) put_module(block, &runs, &lines.items[i], first);
    return true;
}

const struct ets_page_view ets_page_operator_times = {"operator_times", row_columns, fill_rows};
const struct ets_page_view ets_page_modules = {"modules", module_columns, fill_modules};
