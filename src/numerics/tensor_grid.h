/*
 * A tensor as cells of a picture: which elements a cell stands for, and how cells lie.
 *
 *     struct ets_tensor_grid grid;
 *     ets_tensor_grid_of(&tensor, 32, 1024, &grid);
 *     double *cells = calloc(ets_tensor_grid_cells(&grid), sizeof *cells);
 *     for (uint64_t i = 0; ets_elements_next(&elements, &value); i++) {
 *         const uint64_t cell = ets_tensor_grid_cell(&grid, i);
 *         if (cell != ETS_GRID_NONE) cells[cell] = ets_farther(cells[cell], value);
 *     }
 *
 * Dimensions of size 1 are left out. The last two are columns and rows; a tensor with more becomes
 * tiles, one for each matrix, row by row. Cells are in the order of tiles, then rows.
 */
#ifndef ETSCOPE_NUMERICS_TENSOR_GRID_H
#define ETSCOPE_NUMERICS_TENSOR_GRID_H

#include "etscope/tensor.h"

#define ETS_GRID_NONE UINT64_MAX

struct ets_tensor_grid {
    uint64_t rows, columns;           /* of a tile, in elements */
    uint64_t tile_count, tiles_shown; /* of more than the caller allows, the first */
    uint64_t tiles_down, tiles_across;
    uint64_t cell_rows, cell_columns; /* elements that a cell stands for */
    uint64_t tile_height, tile_width; /* in cells */
};

/*
 * Lays out a tensor with at least one element. `side`: cells along one side of the picture, and
 * `most_tiles` tiles, at most; no more than side x side.
 */
void ets_tensor_grid_of(const struct ets_tensor *tensor, uint64_t side, uint64_t most_tiles,
                        struct ets_tensor_grid *grid_out);

static inline uint64_t ets_tensor_grid_cells(const struct ets_tensor_grid *grid)
{
    return grid->tiles_shown * grid->tile_height * grid->tile_width;
}

/* The cell of element `index`, in row-major order; NONE: it is in a tile that is not shown. */
static inline uint64_t ets_tensor_grid_cell(const struct ets_tensor_grid *grid, uint64_t index)
{
    const uint64_t column = index % grid->columns, row = index / grid->columns % grid->rows;
    const uint64_t tile = index / grid->columns / grid->rows;
    if (tile >= grid->tiles_shown) return ETS_GRID_NONE;
    return (tile * grid->tile_height + row / grid->cell_rows) * grid->tile_width +
           column / grid->cell_columns;
}

/* What a cell shows: of two numbers the one that is farther from 0; NaN is farthest. */
double ets_farther(double kept, double value);

#endif
