/* What a table of a report is filled from: one block of a trace after the other. */
#ifndef ETSCOPE_OUTPUT_PAGE_PAGE_BLOCK_H
#define ETSCOPE_OUTPUT_PAGE_PAGE_BLOCK_H

#include "output/page/page_table.h"
#include "study/study.h"
#include "views/work.h"

/* What rows are made of. */
struct ets_page_block {
    struct ets_page_document *document;
    struct ets_page_table *table;
    struct ets_study *study;
    const struct ets_studied_trace *trace;
    uint32_t index;          /* of the block in its trace */
    struct ets_arena *arena; /* of the block */
};

/* A table: its columns, and its rows of one block. */
struct ets_page_view {
    const char *name;
    const struct ets_page_head *columns;              /* ended by a NULL name */
    bool (*fill)(const struct ets_page_block *block); /* false: no memory */
};

/* Two cells: bounds of a time in the trace's unit, and of a part of a run (`whole` NaN: none). */
void ets_page_put_time(const struct ets_page_block *block, struct ets_span ticks);
void ets_page_put_share(const struct ets_page_block *block, struct ets_span ticks, double whole);

#endif
