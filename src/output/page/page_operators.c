/* Writes the most expensive operators as a table of the first screen. */
#include "output/page/page_operators.h"

#include <math.h>

#include "output/page/page_markup.h"
#include "views/sentence_numbers.h"
#include "views/timed_blocks.h"

enum { MOST_OPERATORS = 10 };

static void put_row(struct ets_output *output, const struct ets_timed_blocks *blocks,
                    const struct ets_timed_block *block, const struct ets_operator_line *line)
{
    char room[128];
    struct ets_text_builder cell = {room, sizeof room, 0};
    const struct ets_span share = ets_timed_block_share(block, line);
    const double whole = block->runs.whole;
    ets_page_put(output, "<tr><td>");
    ets_page_put_shown(output, line->name);
    if (isnan(line->calls_per_run)) ets_page_put(output, "</td><td></td><td>");
    else ets_output_print(output, "</td><td>%g</td><td>", line->calls_per_run);
    ets_add_time(&cell, (struct ets_span){share.lower * whole, share.upper * whole},
                 blocks->tick_ns);
    ets_page_put_shown(output, ets_built_text(&cell));
    ets_page_put(output, "</td><td>");
    cell.used = 0;
    ets_add_share(&cell, share);
    ets_page_put_shown(output, ets_built_text(&cell));
    ets_page_put(output, "</td></tr>\n");
}

static bool put_block(struct ets_output *output, struct ets_arena *arena,
                      const struct ets_timed_blocks *blocks, const struct ets_timed_block *block)
{
    struct ets_operator_lines lines;
    if (!ets_timed_block_group(arena, blocks, block, ETS_GROUP_OP, NULL, &lines)) return false;
    if (lines.count == 0) return true;
    ets_page_put(output,
                 "<h2>Most expensive operators</h2>\n<table>\n<tr><th>Operator</th>"
                 "<th>Calls per run</th><th>Time per run</th><th>Share</th></tr>\n");
    for (uint32_t i = 0; i < lines.count && i < MOST_OPERATORS; i++) {
        if (!lines.items[i].has_own_clock && !lines.items[i].is_estimate)
            put_row(output, blocks, block, &lines.items[i]);
    }
    ets_page_put(output, "</table>\n");
    return true;
}

bool ets_page_put_operators(struct ets_output *output, const struct ets_page *page)
{
    struct ets_arena arena;
    bool ok = true;
    ets_arena_init(&arena, page->document.arena.allocator, 0);
    for (uint32_t i = 0; ok && i < page->study.sources.trace_count - page->source->before_count;
         i++) {
        struct ets_timed_blocks blocks;
        ok = ets_timed_blocks_find(&arena, page->study.traces[i].inspection, ETS_NO_INDEX,
                                   ETS_NO_INDEX, 0, &blocks);
        if (ok && blocks.count > 0) ok = put_block(output, &arena, &blocks, &blocks.items[0]);
        ets_arena_reset(&arena);
    }
    return ok;
}
