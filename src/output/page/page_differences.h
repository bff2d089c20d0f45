/* What a report tells of traces that are compared: tables, and what is said first. */
#ifndef ETSCOPE_OUTPUT_PAGE_PAGE_DIFFERENCES_H
#define ETSCOPE_OUTPUT_PAGE_PAGE_DIFFERENCES_H

#include "output/page/page_parts.h"

/* The tables `comparisons`, `difference_blocks`, `differences`, `difference_operators`; false: no
 * memory. */
bool ets_page_add_differences(struct ets_page *page);

/* page_difference_words.c: of trace `number` of those before; false: no memory. */
bool ets_page_say_difference(struct ets_page *page, uint32_t number, struct ets_page_words *words);

/* The number of that trace. */
static inline uint32_t ets_page_before(const struct ets_page *page, uint32_t number)
{
    return page->study.sources.trace_count - page->source->before_count + number;
}

/*
 * The id of a block or an operator in the page; ETS_NO_INDEX: it has none. `first_trace`: that of
 * its side.
 */
uint32_t ets_page_block_id(const struct ets_page *page, uint32_t first_trace,
                           const struct ets_pool_block *block);
uint32_t ets_page_operator_id(const struct ets_page *page, uint32_t first_trace,
                              const struct ets_pool_block *block,
                              const struct ets_pool_operator *of);

#endif
