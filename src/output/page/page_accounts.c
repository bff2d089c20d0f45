/* The table `accounts`: where a run goes, as inspect --tree tells it. */
#include <math.h>

#include "output/page/page_views.h"
#include "views/account_lines.h"
#include "views/account_words.h"

/* clang-format off */
#define BOUNDS(name) {name, ETS_PAGE_REAL}, {name "_upper", ETS_PAGE_REAL}

static const struct ets_page_head columns[] = {
    {"block", ETS_PAGE_INTEGER},
    {"parent", ETS_PAGE_INTEGER},
    {"depth", ETS_PAGE_INTEGER},
    {"operator", ETS_PAGE_INTEGER},
    {"kind", ETS_PAGE_TEXT},
    {"name", ETS_PAGE_TEXT},
    {"added", ETS_PAGE_INTEGER},
    BOUNDS("mid"), BOUNDS("share"), BOUNDS("self_mid"), BOUNDS("self_share"),
    {NULL, ETS_PAGE_TEXT},
};
/* clang-format on */

static void put_times(const struct ets_page_block *block, const struct ets_account_line *line,
                      const struct ets_account_times *times, bool has_time, bool has_share)
{
    const struct ets_span span =
        ets_account_span(has_time ? times->middle : NAN, times->below, times->above);
    ets_page_put_time(block, span);
    ets_page_put_share(block, span, has_share ? line->root : NAN);
}

static void put_line(const struct ets_page_block *block, const struct ets_account_line *line,
                     int64_t parent)
{
    char name[ETS_ACCOUNT_NAME];
    struct ets_page_document *document = block->document;
    struct ets_page_table *table = block->table;
    const bool is_added = ets_account_line_is_added(line);
    const bool has_self = ets_account_line_has_self(line);
    ets_page_put_integer(document, table, (int64_t)block->trace->first_block + block->index);
    if (parent < 0) ets_page_put_null(document, table);
    else ets_page_put_integer(document, table, parent);
    ets_page_put_integer(document, table, line->depth);
    if (line->node == NULL) ets_page_put_null(document, table);
    else
        ets_page_put_integer(document, table,
                             (int64_t)block->trace->first_operator + line->node->row);
    ets_page_put_string(document, table, ets_account_line_kind(line));
    ets_page_put_text(document, table, ets_account_line_name(line, name, sizeof name));
    ets_page_put_integer(document, table, is_added);
    put_times(block, line, &line->inclusive, !ets_account_line_is_unknown(line), is_added);
    put_times(block, line, &line->self, has_self, has_self);
}

static bool put_lines(const struct ets_page_block *block, const struct ets_account_lines *lines)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < lines->count; i++) {
        if (lines->items[i].depth > most) most = lines->items[i].depth;
    }
    int64_t *above = ets_arena_alloc_array(block->arena, (size_t)most + 1, sizeof *above);
    if (above == NULL) return false;
    const uint32_t first = block->table->row_count;
    for (uint32_t i = 0; i < lines->count; i++) {
        const uint32_t depth = lines->items[i].depth;
        above[depth] = (int64_t)first + i;
        put_line(block, &lines->items[i], depth > 0 ? above[depth - 1] : -1);
    }
    return true;
}

static bool fill(const struct ets_page_block *block)
{
    const struct ets_account_options options = {.block = ETS_NO_INDEX, .run = ETS_NO_INDEX};
    struct ets_account_lines lines;
    if (ets_account_lines_open(block->arena, block->trace->inspection, &options, block->index,
                               &lines, NULL) != ETS_OK) {
        return false;
    }
    const bool ok = put_lines(block, &lines);
    ets_account_lines_close(&lines);
    return ok;
}

const struct ets_page_view ets_page_accounts = {"accounts", columns, fill};
