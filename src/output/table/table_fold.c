/* What a table for people does not repeat: equal rows, and cells that are as their parent's. */
#include "output/table/table_fold.h"

/* Texts and lists are stored once, so that equal ones have one address. */
static bool is_equal(const struct ets_cell *a, const struct ets_cell *b)
{
    if (a->kind != b->kind || a->meaning != b->meaning) return false;
    switch ((enum ets_cell_kind)a->kind) {
    case CELL_TEXT: return a->text.data == b->text.data && a->text.size == b->text.size;
    case CELL_LIST: return a->items == b->items && a->item_count == b->item_count;
    case CELL_INTEGER: return a->integer == b->integer;
    case CELL_REAL:
        return !(a->lower < b->lower || a->lower > b->lower || a->upper < b->upper ||
                 a->upper > b->upper);
    case CELL_NOTHING: break;
    }
    return true;
}

/* Whether `next` is the number behind `cell`; neither row has one. */
static bool follows(const struct ets_cell *cell, const struct ets_cell *next)
{
    if (cell->kind == CELL_NOTHING) return next->kind == CELL_NOTHING;
    return cell->kind == CELL_INTEGER && next->kind == CELL_INTEGER && cell->integer < INT64_MAX &&
           next->integer == cell->integer + 1;
}

/* Whether a row only repeats the one before it. */
static bool repeats(const struct ets_table *table, const struct ets_shown_column *shown,
                    uint32_t shown_count, uint32_t row)
{
    const struct ets_table_row *before = &table->rows[row - 1], *this = &table->rows[row];
    const bool has_children = row + 1 < table->row_count && !table->rows[row + 1].is_section &&
                              table->rows[row + 1].depth > this->depth;
    if (before->is_section || this->is_section || has_children) return false;
    if (before->depth != this->depth || before->is_quiet != this->is_quiet) return false;
    for (uint32_t i = 0; i < shown_count; i++) {
        const struct ets_cell *a = &before->cells[shown[i].index];
        const struct ets_cell *b = &this->cells[shown[i].index];
        if (shown[i].column->is_ordinal ? !follows(a, b) : !is_equal(a, b)) return false;
    }
    return true;
}

static uint32_t parent_of(const struct ets_table *table, const struct ets_row_fold *folds,
                          uint32_t row)
{
    if (row == 0 || table->rows[row].is_section || table->rows[row - 1].is_section) {
        return UINT32_MAX;
    }
    uint32_t parent = row - 1;
    while (parent != UINT32_MAX && table->rows[parent].depth >= table->rows[row].depth) {
        parent = folds[parent].parent;
    }
    return parent;
}

void ets_table_find_folds(const struct ets_table *table, const struct ets_shown_column *shown,
                          uint32_t shown_count, bool is_unfolded, struct ets_row_fold *folds)
{
    bool counts = false;
    for (uint32_t i = 0; i < shown_count; i++) counts |= shown[i].column->counts_repeats != 0;
    uint32_t first = 0; /* of the rows that are folded at present */
    for (uint32_t row = 0; row < table->row_count; row++) {
        folds[row] = (struct ets_row_fold){1, parent_of(table, folds, row)};
        if (counts && !is_unfolded && row > 0 && repeats(table, shown, shown_count, row)) {
            folds[first].count++;
            folds[row].count = 0;
        } else {
            first = row;
        }
    }
}

bool ets_table_is_as_parent(const struct ets_table *table, const struct ets_shown_column *shown,
                            const struct ets_row_fold *folds, uint32_t row)
{
    const uint32_t parent = folds[row].parent;
    return shown->column->blank_as_parent && parent != UINT32_MAX &&
           is_equal(&table->rows[row].cells[shown->index],
                    &table->rows[parent].cells[shown->index]);
}
