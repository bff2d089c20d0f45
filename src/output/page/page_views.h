/* Tables that only a report has (docs/report-format.md): each is a file, page_fill.c lists them. */
#ifndef ETSCOPE_OUTPUT_PAGE_PAGE_VIEWS_H
#define ETSCOPE_OUTPUT_PAGE_PAGE_VIEWS_H

#include "output/page/page_block.h"

/* page_lines.c, page_stacks.c, page_times.c, page_accounts.c */
extern const struct ets_page_view ets_page_lines, ets_page_stacks, ets_page_operator_times,
    ets_page_accounts, ets_page_modules;

#endif
