/* Events of a page: for each block its sequence once, and two numbers for each event. */
#ifndef ETSCOPE_OUTPUT_PAGE_PAGE_EVENTS_H
#define ETSCOPE_OUTPUT_PAGE_PAGE_EVENTS_H

#include "output/page/page_table.h"
#include "study/study.h"

struct ets_page_matrix {
    uint32_t block; /* id in `blocks` */
    uint32_t position_count, run_count;
    size_t bytes;
    int64_t *operators, *parents; /* [position]; -1: none */
    uint32_t *kept;               /* [run] its number among the block's; NULL: all are kept */
    uint64_t *starts;             /* [run] */
    uint64_t *gaps, *durations;   /* [position * run_count + run]; gaps in two's complement */
};

/*
 * Makes the matrix of a block, or with `has_few` of its fastest, median and slowest run, and
 * appends its packed form. False where memory ran out.
 */
bool ets_page_make_matrix(struct ets_arena *arena, const struct ets_studied_trace *trace,
                          uint32_t block, bool has_few, struct ets_page_matrix *matrix_out,
                          struct ets_page_bytes *bytes);

#endif
