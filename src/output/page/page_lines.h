/* The work of a block by source line, which several tables of a report are made of. */
#ifndef ETSCOPE_OUTPUT_PAGE_PAGE_LINES_H
#define ETSCOPE_OUTPUT_PAGE_PAGE_LINES_H

#include "output/page/page_block.h"
#include "views/source_lines.h"

struct ets_page_work {
    struct ets_work work;
    struct ets_chosen_runs runs;
    struct ets_source_lines lines; /* none where no record tells them */
};

/* In the arena of the block; false: no memory. */
bool ets_page_collect_lines(const struct ets_page_block *block, struct ets_page_work *work_out);

#endif
