/*
 * heat_map.h - a tensor, or the difference of two, as a picture: PNG with a colour bar.
 *
 *     struct ets_heat_map drawn;
 *     if (ets_heat_map_write(&tensor, NULL, NULL, output, &drawn, &error) == ETS_OK) {
 *         printf("%u x %u pixels, %g to %g\n", drawn.width, drawn.height, drawn.low, drawn.high);
 *     }
 *
 * Dimensions of size 1 are left out. A vector is drawn as a strip and a matrix as it is; a tensor
 * with more dimensions becomes tiles, one per matrix of the last two dimensions, row by row.
 * Numbers on one side of 0 are coloured from dark blue to yellow. Numbers of both signs are
 * coloured from blue through white (0) to red, with the same scale on both sides. Equal steps of
 * the number are equal steps of lightness (OKLab). NaN is magenta, infinity green and minus
 * infinity cyan; no finite number has these colours.
 */
#ifndef ETSCOPE_OUTPUT_PICTURE_HEAT_MAP_H
#define ETSCOPE_OUTPUT_PICTURE_HEAT_MAP_H

#include "etscope/base.h"
#include "etscope/file.h"
#include "etscope/tensor.h"
#include "host/output.h"

/* Cells along one side of a picture, and tiles in it, at most. */
#define ETS_HEAT_MAP_CELLS 1024
#define ETS_HEAT_MAP_TILES 1024

/* What was drawn. */
struct ets_heat_map {
    uint32_t width, height; /* in pixels */
    double low, high;       /* numbers at the ends of the colour bar; NaN: no number is finite */
    int is_signed;          /* 1: 0 is white, and low is -high */
    uint64_t rows, columns; /* of a tile, in elements */
    uint64_t tile_count, tiles_shown; /* of more than ETS_HEAT_MAP_TILES, the first */
    /* A cell stands for this many elements and shows the one farthest from 0. */
    uint64_t cell_rows, cell_columns;
    uint64_t nan_count, infinite_count;
};

/*
 * Draws `tensor`, or with a `reference` (otherwise NULL) `tensor` minus `reference`. Where both are
 * NaN, or the same infinity, the difference is 0. Complex numbers are drawn by their magnitude.
 * Statuses: those of ets_elements_init; MISMATCH (another shape, or only one is complex);
 * INVALID_ARGUMENT (a tensor without elements); NO_MEMORY.
 */
ETS_API enum ets_status ets_heat_map_write(const struct ets_tensor *tensor,
                                           const struct ets_tensor *reference,
                                           const struct ets_allocator *allocator,
                                           struct ets_output *output,
                                           struct ets_heat_map *drawn_out, struct ets_error *error);

#endif
