/*
 * The tables `gap_pictures` and `gap_bins`. A cell is a letter: 63 levels from the low end of the
 * scale to the high one, and signs for what is no finite number. A scale with numbers of both signs
 * has 0 in its middle.
 */
#include "output/page/page_pictures.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "numerics/value_picture.h"

enum { LEVELS = 63 };

static const struct ets_page_head picture_columns[] = {
    {"value", ETS_PAGE_INTEGER},
    {"side", ETS_PAGE_TEXT},
    {"low", ETS_PAGE_REAL},
    {"high", ETS_PAGE_REAL},
    {"rows", ETS_PAGE_INTEGER},
    {"columns", ETS_PAGE_INTEGER},
    {"tiles", ETS_PAGE_INTEGER},
    {"tiles_shown", ETS_PAGE_INTEGER},
    {"tiles_across", ETS_PAGE_INTEGER},
    {"tile_height", ETS_PAGE_INTEGER},
    {"tile_width", ETS_PAGE_INTEGER},
    {"cell_rows", ETS_PAGE_INTEGER},
    {"cell_columns", ETS_PAGE_INTEGER},
    {"levels", ETS_PAGE_TEXT},
    {NULL, ETS_PAGE_TEXT},
};

static const struct ets_page_head bin_columns[] = {
    {"value", ETS_PAGE_INTEGER},  {"low", ETS_PAGE_REAL},          {"high", ETS_PAGE_REAL},
    {"device", ETS_PAGE_INTEGER}, {"reference", ETS_PAGE_INTEGER}, {NULL, ETS_PAGE_TEXT},
};

/* What a scale goes from and to; the middle is 0 if it has both signs. */
struct scale {
    double low, high;
};

static struct scale scale_of(double low, double high)
{
    const double most = fmax(fabs(low), fabs(high));
    if (low < 0 && high > 0) return (struct scale){-most, most};
    return (struct scale){low, high};
}

static char letter_of(const struct scale *scale, double value)
{
    static const char letters[LEVELS + 1] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+";
    if (isnan(value)) return '?';
    if (isinf(value)) return value < 0 ? '<' : '>';
    /* Halves, as the span of doubles may be more than a double. */
    const double span = scale->high / 2 - scale->low / 2;
    const double share = span > 0 ? (value / 2 - scale->low / 2) / span : 0.5;
    const int level = (int)(share * (LEVELS - 1) + 0.5);
    return letters[level < 0 ? 0 : level < LEVELS ? level : LEVELS - 1];
}

static struct ets_text letters_of(struct ets_page_document *document, const struct scale *scale,
                                  const double *cells, uint64_t count)
{
    char *text = ets_arena_alloc(&document->arena, (size_t)count + 1);
    for (uint64_t i = 0; text != NULL && i < count; i++) text[i] = letter_of(scale, cells[i]);
    return (struct ets_text){text, text == NULL ? 0 : (size_t)count};
}

static bool put_side(struct ets_page_document *document, struct ets_page_table *table,
                     uint32_t value, const struct ets_value_picture *picture,
                     enum ets_value_side side)
{
    static const char *const names[] = {"device", "reference", "difference"};
    const struct ets_tensor_grid *grid = &picture->grid;
    const bool is_difference = side == ETS_SIDE_DIFFERENCE;
    const double most = fmax(fabs(picture->least), fabs(picture->most));
    const struct scale scale =
        is_difference ? (struct scale){-most, most} : scale_of(picture->low, picture->high);
    const uint64_t counts[] = {grid->rows,        grid->columns,      grid->tile_count,
                               grid->tiles_shown, grid->tiles_across, grid->tile_height,
                               grid->tile_width,  grid->cell_rows,    grid->cell_columns};
    const struct ets_text letters =
        letters_of(document, &scale, picture->cells[side], ets_tensor_grid_cells(grid));
    if (letters.data == NULL) return false;
    ets_page_put_integer(document, table, value);
    ets_page_put_string(document, table, names[side]);
    ets_page_put_real(document, table, scale.low);
    ets_page_put_real(document, table, scale.high);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        ets_page_put_integer(document, table, (int64_t)counts[i]);
    }
    ets_page_put_text(document, table, letters);
    return true;
}

static void put_bins(struct ets_page_document *document, struct ets_page_table *table,
                     uint32_t value, const struct ets_value_picture *picture)
{
    const double step = picture->high / ETS_VALUE_BINS - picture->low / ETS_VALUE_BINS;
    if (!(picture->low < picture->high)) return;
    for (int i = 0; i < ETS_VALUE_BINS; i++) {
        const bool is_last = i + 1 == ETS_VALUE_BINS;
        ets_page_put_integer(document, table, value);
        ets_page_put_real(document, table, picture->low + i * step);
        ets_page_put_real(document, table, is_last ? picture->high : picture->low + (i + 1) * step);
        ets_page_put_integer(document, table, (int64_t)picture->bins[ETS_SIDE_DEVICE][i]);
        ets_page_put_integer(document, table, (int64_t)picture->bins[ETS_SIDE_REFERENCE][i]);
    }
}

/* A picture that may be taken, by how much it is wanted. */
struct candidate {
    const struct ets_gap_row *row;
    uint32_t number;
    int rank;
    double error;
};

/* Wrong values before those that others made wrong, and these before right ones. */
static int rank_of(enum ets_gap_finding finding)
{
    switch (finding) {
    case ETS_GAP_GUILTY: return 0;
    case ETS_GAP_SUSPECT:
    case ETS_GAP_HARMLESS:
    case ETS_GAP_OFF: return 1;
    case ETS_GAP_INHERITED:
    case ETS_GAP_INEXACT: return 2;
    case ETS_GAP_AGREES:
    case ETS_GAP_UNKNOWN: break;
    }
    return 3;
}

static int compare_candidates(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
    if (a->error != b->error) return a->error > b->error ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static uint32_t list(const struct ets_gap_report *report, struct candidate *candidates)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < ets_gap_row_count(report); i++) {
        const struct ets_gap_row *row = ets_gap_row(report, i);
        if (row->picture == NULL || row->has_total == 0) continue;
        const double error = ets_comparison_relative_rms(&row->total);
        candidates[count++] =
            (struct candidate){row, i, rank_of(row->finding), isnan(error) ? INFINITY : error};
    }
    return count;
}

static bool make_tables(struct ets_page_document *document, struct ets_page_pictures *pictures)
{
    if (pictures->pictures != NULL) return true;
    pictures->pictures = ets_page_add_named_table(document, "gap_pictures", picture_columns);
    pictures->bins = ets_page_add_named_table(document, "gap_bins", bin_columns);
    return pictures->pictures != NULL && pictures->bins != NULL;
}

static bool put_picture(struct ets_page_document *document, struct ets_page_pictures *pictures,
                        uint32_t value, const struct ets_value_picture *picture)
{
    if (!make_tables(document, pictures)) return false;
    for (int side = 0; side < ETS_SIDE_COUNT; side++) {
        if (!put_side(document, pictures->pictures, value, picture, (enum ets_value_side)side)) {
            return false;
        }
    }
    put_bins(document, pictures->bins, value, picture);
    return true;
}

enum ets_status ets_page_add_pictures(struct ets_page_document *document,
                                      struct ets_page_pictures *pictures,
                                      const struct ets_gap_report *report, uint32_t first_value,
                                      struct ets_error *error)
{
    const uint32_t rows = ets_gap_row_count(report);
    struct candidate *candidates =
        ets_arena_alloc_array(&document->arena, rows, sizeof *candidates);
    if (candidates == NULL) return ets_fail_memory(error, "the pictures of the report");
    const uint32_t count = list(report, candidates);
    qsort(candidates, count, sizeof *candidates, compare_candidates);
    for (uint32_t i = 0; i < count; i++) {
        const struct ets_value_picture *picture = candidates[i].row->picture;
        const uint64_t cells = ETS_SIDE_COUNT * ets_tensor_grid_cells(&picture->grid);
        if (cells > pictures->cells_left) continue; /* a smaller one may fit */
        pictures->cells_left -= cells;
        if (!put_picture(document, pictures, first_value + candidates[i].number, picture)) {
            return ets_fail_memory(error, "the pictures of the report");
        }
    }
    return ETS_OK;
}
