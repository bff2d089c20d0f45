/* A tensor's numbers as cells of a picture, and below it what the colours mean. */
#include "output/picture/heat_map.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "host/arena.h"
#include "numerics/magnitudes.h"
#include "numerics/tensor_grid.h"
#include "output/picture/bitmap_font.h"
#include "output/picture/png.h"

/* The palette: numbers, and behind them what is none. */
enum {
    SHADES = 240,
    COLOUR_NAN = SHADES,
    COLOUR_PLUS_INFINITY,
    COLOUR_MINUS_INFINITY,
    COLOUR_PAPER,
    COLOUR_GAP,
    COLOUR_INK,
    COLOUR_COUNT
};

/* In pixels. */
enum {
    WANTED_SIDE = 640, /* small tensors are enlarged to about this, */
    LARGEST_CELL = 32, /* by at most this */
    STRIP_HEIGHT = 48,
    MARGIN = 8,
    LEAST_WIDTH = 340,
    BAR_HEIGHT = 14,
    DOT = 2, /* of a letter */
    LETTER_WIDTH = (ETS_GLYPH_WIDTH + 1) * DOT,
    LETTER_HEIGHT = ETS_GLYPH_HEIGHT * DOT,
    LEGEND_HEIGHT = MARGIN + BAR_HEIGHT + MARGIN / 2 + LETTER_HEIGHT + MARGIN
};

struct drawing {
    struct ets_arena arena;
    struct ets_heat_map map;
    struct ets_tensor_grid grid;
    double *cells;                    /* by the grid */
    uint32_t cell_width, cell_height; /* in pixels */
    uint32_t gap;                     /* between tiles */
    uint8_t *pixels;
    bool has_minus_infinity, has_plus_infinity;
};

/* Which dimensions are tiles, rows and columns, and how many elements a cell takes. */
static void lay_out(struct drawing *d, const struct ets_tensor *tensor)
{
    struct ets_heat_map *map = &d->map;
    ets_tensor_grid_of(tensor, ETS_HEAT_MAP_CELLS, ETS_HEAT_MAP_TILES, &d->grid);
    map->rows = d->grid.rows;
    map->columns = d->grid.columns;
    map->tile_count = d->grid.tile_count;
    map->tiles_shown = d->grid.tiles_shown;
    map->cell_columns = d->grid.cell_columns;
    map->cell_rows = d->grid.cell_rows;
}

/* Pixels of a cell, and of the whole. */
static void choose_sizes(struct drawing *d)
{
    const uint64_t across = d->grid.tiles_across * d->grid.tile_width,
                   down = d->grid.tiles_down * d->grid.tile_height;
    const uint64_t longest = across > down ? across : down;
    uint64_t side = WANTED_SIDE / longest;
    if (side < 1) side = 1;
    if (side > LARGEST_CELL) side = LARGEST_CELL;
    d->cell_width = d->cell_height = (uint32_t)side;
    if (down == 1 && across > 1) d->cell_height = STRIP_HEIGHT;
    d->gap = d->map.tiles_shown > 1 ? 2 : 0;
    const uint64_t width = across * d->cell_width + (d->grid.tiles_across - 1) * d->gap;
    const uint64_t height = down * d->cell_height + (d->grid.tiles_down - 1) * d->gap;
    d->map.width = (uint32_t)(width < LEAST_WIDTH ? LEAST_WIDTH : width) + 2 * MARGIN;
    d->map.height = (uint32_t)height + MARGIN + LEGEND_HEIGHT;
}

static void take(struct drawing *d, uint64_t index, double value)
{
    struct ets_heat_map *map = &d->map;
    if (isnan(value)) {
        map->nan_count++;
    } else if (isinf(value)) {
        map->infinite_count++;
        if (value < 0) d->has_minus_infinity = true;
        else d->has_plus_infinity = true;
    } else {
        if (!(value >= map->low)) map->low = value;
        if (!(value <= map->high)) map->high = value;
    }
    const uint64_t cell = ets_tensor_grid_cell(&d->grid, index);
    if (cell != ETS_GRID_NONE) d->cells[cell] = ets_farther(d->cells[cell], value);
}

/* The colour of a number. */
static uint8_t shade(const struct ets_heat_map *map, double value)
{
    if (isnan(value)) return COLOUR_NAN;
    if (isinf(value)) return value < 0 ? COLOUR_MINUS_INFINITY : COLOUR_PLUS_INFINITY;
    /* Halves, as the span of doubles may be more than a double. */
    const double span = map->high / 2 - map->low / 2;
    const double share = span > 0 ? (value / 2 - map->low / 2) / span : 0.5;
    const int index = (int)(share * SHADES);
    return (uint8_t)(index < 0 ? 0 : index < SHADES ? index : SHADES - 1);
}

static void fill(struct drawing *d, uint64_t x, uint64_t y, uint32_t width, uint32_t height,
                 uint8_t colour)
{
    for (uint32_t i = 0; i < height; i++) {
        memset(d->pixels + (y + i) * d->map.width + x, colour, width);
    }
}

static void draw_tile(struct drawing *d, uint64_t tile)
{
    const uint64_t step_x = d->grid.tile_width * d->cell_width + d->gap;
    const uint64_t step_y = d->grid.tile_height * d->cell_height + d->gap;
    const uint64_t left = MARGIN + tile % d->grid.tiles_across * step_x;
    const uint64_t top = MARGIN + tile / d->grid.tiles_across * step_y;
    if (d->gap > 0) {
        fill(d, left - d->gap, top - d->gap, (uint32_t)step_x + d->gap, (uint32_t)step_y + d->gap,
             COLOUR_GAP);
    }
    const double *cells = d->cells + tile * d->grid.tile_height * d->grid.tile_width;
    for (uint64_t y = 0; y < d->grid.tile_height; y++) {
        for (uint64_t x = 0; x < d->grid.tile_width; x++) {
            fill(d, left + x * d->cell_width, top + y * d->cell_height, d->cell_width,
                 d->cell_height, shade(&d->map, cells[y * d->grid.tile_width + x]));
        }
    }
}

static uint64_t draw_text(struct drawing *d, uint64_t x, uint64_t y, const char *text)
{
    for (; *text != '\0'; text++, x += LETTER_WIDTH) {
        const uint8_t *rows = ets_glyph(*text);
        for (uint32_t i = 0; i < ETS_GLYPH_HEIGHT; i++) {
            for (uint32_t k = 0; k < ETS_GLYPH_WIDTH; k++) {
                if ((rows[i] >> (ETS_GLYPH_WIDTH - 1 - k) & 1) == 0) continue;
                fill(d, x + k * DOT, y + i * DOT, DOT, DOT, COLOUR_INK);
            }
        }
    }
    return x;
}

static uint64_t draw_mark(struct drawing *d, uint64_t x, uint64_t y, uint8_t colour,
                          const char *name)
{
    fill(d, x, y, BAR_HEIGHT, BAR_HEIGHT, colour);
    return draw_text(d, x + BAR_HEIGHT + MARGIN / 2, y, name) + MARGIN;
}

/* The bar of colours with the numbers at its ends, and the marks that the picture has. */
static void draw_legend(struct drawing *d)
{
    const struct ets_heat_map *map = &d->map;
    const uint32_t top = map->height - LEGEND_HEIGHT + MARGIN,
                   below = top + BAR_HEIGHT + MARGIN / 2;
    const uint32_t marks = (map->nan_count > 0 ? 3 * LETTER_WIDTH + 32 : 0) +
                           (d->has_plus_infinity ? 3 * LETTER_WIDTH + 32 : 0) +
                           (d->has_minus_infinity ? 4 * LETTER_WIDTH + 32 : 0);
    const uint32_t bar = (map->width < 680 ? map->width : 680) - 2 * MARGIN - marks;
    char low[32], high[32];
    uint64_t x = MARGIN;
    if (!isnan(map->low)) {
        for (uint32_t i = 0; i < bar; i++) {
            fill(d, MARGIN + i, top, 1, BAR_HEIGHT,
                 map->low < map->high ? (uint8_t)((uint64_t)i * SHADES / bar) : SHADES / 2);
        }
        snprintf(low, sizeof low, "%.4g", map->low);
        snprintf(high, sizeof high, "%.4g", map->high);
        draw_text(d, MARGIN, below, low);
        const uint32_t size = (uint32_t)strlen(high) * LETTER_WIDTH;
        if (map->low < map->high) draw_text(d, MARGIN + bar - size, below, high);
        if (map->is_signed) draw_text(d, MARGIN + bar / 2 - LETTER_WIDTH / 2, below, "0");
        x += bar + MARGIN;
    }
    if (map->nan_count > 0) x = draw_mark(d, x, top, COLOUR_NAN, "nan");
    if (d->has_plus_infinity) x = draw_mark(d, x, top, COLOUR_PLUS_INFINITY, "inf");
    if (d->has_minus_infinity) draw_mark(d, x, top, COLOUR_MINUS_INFINITY, "-inf");
}

static void fill_palette(bool is_signed, struct ets_colour palette[COLOUR_COUNT])
{
    for (int i = 0; i < SHADES; i++) {
        const double share = i / (double)(SHADES - 1);
        palette[i] = is_signed ? ets_colour_signed(2 * share - 1) : ets_colour_rising(share);
    }
    palette[COLOUR_NAN] = (struct ets_colour){255, 0, 255};
    palette[COLOUR_PLUS_INFINITY] = (struct ets_colour){0, 255, 0};
    palette[COLOUR_MINUS_INFINITY] = (struct ets_colour){0, 255, 255};
    palette[COLOUR_PAPER] = (struct ets_colour){236, 236, 236};
    palette[COLOUR_GAP] = (struct ets_colour){128, 128, 128};
    palette[COLOUR_INK] = (struct ets_colour){0, 0, 0};
}

static void settle_range(struct ets_heat_map *map)
{
    map->is_signed = map->low < 0 && map->high > 0;
    if (!map->is_signed) return;
    if (map->high < -map->low) map->high = -map->low;
    map->low = -map->high;
}

static enum ets_status draw(struct drawing *d, const struct ets_tensor *tensor,
                            const struct ets_tensor *reference, struct ets_output *output,
                            struct ets_error *error)
{
    struct ets_magnitudes magnitudes;
    struct ets_colour palette[COLOUR_COUNT];
    double value;
    ETS_TRY(ets_magnitudes_init(&magnitudes, tensor, reference, error));
    lay_out(d, tensor);
    choose_sizes(d);
    const uint64_t cells = ets_tensor_grid_cells(&d->grid);
    const uint64_t pixels = (uint64_t)d->map.width * d->map.height;
    d->cells = ets_arena_alloc_array(&d->arena, (size_t)cells, sizeof *d->cells);
    d->pixels = ets_arena_alloc(&d->arena, (size_t)pixels);
    if (d->cells == NULL || d->pixels == NULL) {
        return ets_fail_memory(error, "the picture");
    }
    for (uint64_t i = 0; ets_magnitudes_next(&magnitudes, &value); i++) take(d, i, value);
    settle_range(&d->map);
    memset(d->pixels, COLOUR_PAPER, (size_t)pixels);
    for (uint64_t i = 0; i < d->map.tiles_shown; i++) draw_tile(d, i);
    draw_legend(d);
    fill_palette(d->map.is_signed, palette);
    const struct ets_picture picture = {d->map.width, d->map.height, d->pixels,
                                        palette,      COLOUR_COUNT,  false};
    ets_png_write(&picture, output);
    return ETS_OK;
}

enum ets_status ets_heat_map_write(const struct ets_tensor *tensor,
                                   const struct ets_tensor *reference,
                                   const struct ets_allocator *allocator, struct ets_output *output,
                                   struct ets_heat_map *drawn_out, struct ets_error *error)
{
    struct drawing d = {.map = {.low = (double)NAN, .high = (double)NAN}};
    ets_arena_init(&d.arena, allocator, 0);
    const enum ets_status status = draw(&d, tensor, reference, output, error);
    ets_arena_reset(&d.arena);
    if (status == ETS_OK && drawn_out != NULL) *drawn_out = d.map;
    return status;
}
