/* Puts times and shares of a block into a table. */
#include "output/page/page_block.h"

#include <math.h>

static void put_span(const struct ets_page_block *block, double lower, double upper)
{
    ets_page_put_real(block->document, block->table, lower);
    if (upper > lower) ets_page_put_real(block->document, block->table, upper);
    else ets_page_put_null(block->document, block->table);
}

void ets_page_put_time(const struct ets_page_block *block, struct ets_span ticks)
{
    put_span(block, ticks.lower * block->trace->tick, ticks.upper * block->trace->tick);
}

void ets_page_put_share(const struct ets_page_block *block, struct ets_span ticks, double whole)
{
    const struct ets_span part = ets_span_part(ticks, whole);
    if (whole > 0) put_span(block, part.lower, part.upper);
    else put_span(block, NAN, NAN);
}
