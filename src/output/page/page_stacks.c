/* The table `stacks`: what source lines cost with what they called, as a tree; and whose they are.
 */
#include <math.h>
#include <string.h>

#include "output/page/page_lines.h"
#include "output/page/page_stacks.h"
#include "output/page/page_views.h"
#include "views/source_stacks.h"

/* clang-format off */
#define BOUNDS(name) {name, ETS_PAGE_REAL}, {name "_upper", ETS_PAGE_REAL}

static const struct ets_page_head columns[] = {
    {"block", ETS_PAGE_INTEGER},
    {"parent", ETS_PAGE_INTEGER},
    {"depth", ETS_PAGE_INTEGER},
    {"file", ETS_PAGE_TEXT},
    {"line", ETS_PAGE_INTEGER},
    {"function", ETS_PAGE_TEXT},
    {"code", ETS_PAGE_TEXT},
    {"calls", ETS_PAGE_REAL},
    BOUNDS("mid"), BOUNDS("share"), BOUNDS("self_mid"), BOUNDS("self_share"),
    {NULL, ETS_PAGE_TEXT},
};
/* clang-format on */

static void put_place(const struct ets_page_block *block, const struct ets_stack_line *line)
{
    struct ets_page_document *document = block->document;
    const struct ets_graph_frame *frame = line->frame;
    if (frame == NULL) {
        ets_page_put_null(document, block->table);
        ets_page_put_null(document, block->table);
        ets_page_put_null(document, block->table);
        ets_page_put_text(document, block->table, line->name);
        return;
    }
    ets_page_put_text(document, block->table, frame->file);
    ets_page_put_integer(document, block->table, frame->line);
    ets_page_put_text(document, block->table, frame->function);
    ets_page_put_text(document, block->table, frame->code);
}

static void put_line(const struct ets_page_block *block, const struct ets_source_stacks *stacks,
                     const struct ets_stack_line *line, uint32_t first)
{
    struct ets_page_document *document = block->document;
    const double own = line->has_self ? line->self.middle : NAN;
    const struct ets_span self = ets_span_of(own, line->self_error, 1);
    const struct ets_span all = ets_span_of(line->inclusive.middle, line->error, 1);
    ets_page_put_integer(document, block->table, block->trace->first_block + block->index);
    if (line->parent == ETS_NO_INDEX) ets_page_put_null(document, block->table);
    else ets_page_put_integer(document, block->table, (int64_t)first + line->parent);
    ets_page_put_integer(document, block->table, line->depth);
    put_place(block, line);
    ets_page_put_real(document, block->table, line->calls_per_run > 0 ? line->calls_per_run : NAN);
    ets_page_put_time(block, all);
    ets_page_put_share(block, all, stacks->total);
    ets_page_put_time(block, self);
    ets_page_put_share(block, self, stacks->total);
}

/* Says of each operator which row of the table it is counted at. */
static void put_operators(const struct ets_page_block *block, const struct ets_page_work *of,
                          const struct ets_source_stacks *stacks, uint32_t first)
{
    struct ets_page_table *operators = ets_page_find_table(block->document, "operators");
    struct ets_page_column *column = &operators->columns[operators->column_count - 1];
    while (strcmp(column->name, "stack") != 0) column--;
    for (uint32_t i = 0; i < of->work.count; i++) {
        ets_page_set_integer(column, block->trace->first_operator + of->work.pieces[i].row,
                             (int64_t)first + stacks->line_of_piece[i]);
    }
}

static bool fill(const struct ets_page_block *block)
{
    struct ets_page_work of;
    struct ets_source_stacks stacks;
    if (block->document->has_no_source) return true;
    if (!ets_page_collect_lines(block, &of)) return false;
    if (of.lines.count == 0) return true;
    if (!ets_source_stacks_collect(block->arena, &of.work, &of.runs, &of.lines, &stacks)) {
        return false;
    }
    const uint32_t first = block->table->row_count;
    for (uint32_t i = 0; i < stacks.count; i++) put_line(block, &stacks, &stacks.items[i], first);
    put_operators(block, &of, &stacks, first);
    return true;
}

bool ets_page_add_stack_column(struct ets_page_document *document)
{
    static const struct ets_page_head heads[] = {{"stack", ETS_PAGE_INTEGER},
                                                 {NULL, ETS_PAGE_TEXT}};
    return ets_page_widen_table(document, ets_page_find_table(document, "operators"), heads) !=
           NULL;
}

const struct ets_page_view ets_page_stacks = {"stacks", columns, fill};
