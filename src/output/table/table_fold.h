/* What a table for people does not repeat: equal rows, and cells that are as their parent's. */
#ifndef ETSCOPE_OUTPUT_TABLE_TABLE_FOLD_H
#define ETSCOPE_OUTPUT_TABLE_TABLE_FOLD_H

#include "output/table/cell_text.h"

/* Of one row. */
struct ets_row_fold {
    uint32_t count;  /* rows it stands for, itself included; 0: one before stands for it */
    uint32_t parent; /* the row that it is indented under; UINT32_MAX: none */
};

/*
 * Fills `folds`, [row_count], by the columns that people see. Rows are folded where a column counts
 * repeats and `is_unfolded` is false.
 */
void ets_table_find_folds(const struct ets_table *table, const struct ets_shown_column *shown,
                          uint32_t shown_count, bool is_unfolded, struct ets_row_fold *folds);

/* Whether a cell is that of the row it is indented under, and is left blank for it. */
bool ets_table_is_as_parent(const struct ets_table *table, const struct ets_shown_column *shown,
                            const struct ets_row_fold *folds, uint32_t row);

#endif
