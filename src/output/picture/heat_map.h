/*
 * heat_map.h - a tensor, or the difference of two, as a picture: PNG with a colour bar.
 *
 *     struct ets_heat_map drawn;
 *     if (ets_heat_map_write(&tensor, NULL, NULL, output, &drawn, &error) == ETS_OK) {
 *         printf("%u x %u pixels, %g to %g\n", drawn.width, drawn.height, drawn.low, drawn.high);
 *     }
 *
 * Dimensions of size 1 are left out. A vector is a strip, a matrix is drawn as it is, and of more
 * dimensions the matrices of the last two are tiles, row by row. Numbers that are all on one side
 * of 0 go from dark blue to yellow; numbers of both signs from blue through white, which is 0, to
 * red, with the same scale on both sides. Steps of the number are even steps of lightness (OKLab).
 * NaN is magenta, infinity pure green, minus infinity cyan: colours that no number has.
 */
#ifndef ETSCOPE_OUTPUT_PICTURE_HEAT_MAP_H
#define ETSCOPE_OUTPUT_PICTURE_HEAT_MAP_H

#include "etscope/base.h"
#include "etscope/file.h"
#include "etscope/tensor.h"

/* Cells along one side of a picture, and tiles in it, at most. */
#define ETS_HEAT_MAP_CELLS 1024
#define ETS_HEAT_MAP_TILES 1024

/* What was drawn. */
struct ets_heat_map {
    uint32_t width, height; /* in pixels */
    double low, high;       /* numbers at the ends of the colour bar; NaN: none is finite */
    int is_signed;          /* 1: 0 is white, and low is -high */
    uint64_t rows, columns; /* of a tile, in elements */
    uint64_t tile_count, tiles_shown; /* of more than ETS_HEAT_MAP_TILES, the first */
    /* A cell is this many elements and shows the number of them that is farthest from 0. */
    uint64_t cell_rows, cell_columns;
    uint64_t nan_count, infinite_count;
};

/*
 * Draws `tensor`, or with a `reference` (else NULL) what `tensor` has more than it, element by
 * element; NaNs of both, and equal infinities, are no difference. Complex numbers are drawn by
 * their magnitude. Statuses: those of ets_elements_init; MISMATCH (another shape, or only one is
 * complex); INVALID_ARGUMENT (a tensor without elements); NO_MEMORY.
 */
ETS_API enum ets_status ets_heat_map_write(const struct ets_tensor *tensor,
                                           const struct ets_tensor *reference,
                                           const struct ets_allocator *allocator,
                                           struct ets_output *output,
                                           struct ets_heat_map *drawn_out, struct ets_error *error);

#endif
