/* Cuts texts that are wider than their column. */
#ifndef ETSCOPE_OUTPUT_TABLE_CELL_CUT_H
#define ETSCOPE_OUTPUT_TABLE_CELL_CUT_H

#include "output/table/cell_text.h"

/* Bytes that stay before and behind the mark. */
struct ets_cell_cut {
    size_t head, tail;
};

struct ets_cell_cut ets_cell_cut(const struct ets_shown_column *shown, const char *data,
                                 size_t size, uint32_t room);

/* The texts of a column, to see which of them look alike when they are cut. */
struct ets_cut_text {
    uint64_t whole, cut; /* hashes; whole 0: it is not cut */
};

/* How many of `count` texts look like another one. Sorts them. */
uint32_t ets_count_alike(struct ets_cut_text *texts, uint32_t count);

/* What a text looks like in the column. */
struct ets_cut_text ets_cut_text_of(const struct ets_shown_column *shown, const char *data,
                                    size_t size, uint32_t room);

#endif
