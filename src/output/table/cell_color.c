/* The colours of cells on a terminal: what a cell means, how hot a time is, how large a share. */
#include "output/table/cell_color.h"

#include <math.h>

/* From these parts of the largest time on, a time is hot, or warm. */
static const double hot = 0.5, warm = 0.1;

static const char *heat_color(double part)
{
    if (part >= hot) return "\033[1;31m";
    return part >= warm ? "\033[33m" : NULL;
}

const char *ets_cell_color(const struct ets_shown_column *shown, const struct ets_cell *cell)
{
    switch ((enum ets_meaning)cell->meaning) {
    case ETS_MEANS_BETTER: return "\033[32m";
    case ETS_MEANS_WORSE: return "\033[31m";
    case ETS_MEANS_WARNING: return "\033[33m";
    case ETS_MEANS_GUILTY: return "\033[1;31m";
    case ETS_MEANS_NOTHING: break;
    }
    if (shown->largest <= 0 || cell->kind != CELL_REAL) return NULL;
    return heat_color(cell->lower / shown->largest);
}

uint32_t ets_cell_bar(const struct ets_shown_column *shown, const struct ets_cell *cell)
{
    const struct ets_column *column = shown->column;
    if (column->kind != ETS_COLUMN_SHARE || column->is_signed || column->is_no_part ||
        cell->kind != CELL_REAL)
        return 0;
    const double share = cell->lower; /* of a range what is certain */
    if (!(share > 0)) return 0;
    return (uint32_t)lround(fmin(share, 1) * shown->width);
}
