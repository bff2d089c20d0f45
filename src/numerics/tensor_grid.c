/* Lays out the elements of a tensor as the cells of a picture. */
#include "numerics/tensor_grid.h"

#include <math.h>

static uint64_t divide_up(uint64_t value, uint64_t by)
{
    return (value + by - 1) / by;
}

/* Columns of tiles that make the picture about as wide as it is high: the square root, rounded. */
static uint64_t choose_across(const struct ets_tensor_grid *grid, uint64_t side)
{
    const double wanted = (double)grid->tiles_shown * (double)grid->rows / (double)grid->columns;
    const uint64_t least = divide_up(grid->tiles_shown, side);
    uint64_t across = least > 1 ? least : 1;
    while (across < grid->tiles_shown && across < side &&
           ((double)across + 0.5) * ((double)across + 0.5) <= wanted) {
        across++;
    }
    return across;
}

void ets_tensor_grid_of(const struct ets_tensor *tensor, uint64_t side, uint64_t most_tiles,
                        struct ets_tensor_grid *grid)
{
    uint32_t used = 0;
    *grid = (struct ets_tensor_grid){.rows = 1, .columns = 1, .tile_count = 1};
    for (uint32_t i = tensor->rank; i-- > 0;) {
        const uint64_t size = (uint64_t)tensor->sizes[i];
        if (size == 1) continue;
        if (used == 0) grid->columns = size;
        else if (used == 1) grid->rows = size;
        else grid->tile_count *= size;
        used++;
    }
    grid->tiles_shown = grid->tile_count < most_tiles ? grid->tile_count : most_tiles;
    grid->tiles_across = choose_across(grid, side);
    grid->tiles_down = divide_up(grid->tiles_shown, grid->tiles_across);
    grid->cell_columns = divide_up(grid->columns, side / grid->tiles_across);
    grid->cell_rows = divide_up(grid->rows, side / grid->tiles_down);
    grid->tile_width = divide_up(grid->columns, grid->cell_columns);
    grid->tile_height = divide_up(grid->rows, grid->cell_rows);
}

double ets_farther(double kept, double value)
{
    if (isnan(kept) || isnan(value)) return isnan(kept) ? kept : value;
    return fabs(value) > fabs(kept) ? value : kept;
}
