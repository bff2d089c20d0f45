/* Pictures of compared values: cells as letters, and histograms. */
#ifndef ETSCOPE_OUTPUT_PAGE_PAGE_PICTURES_H
#define ETSCOPE_OUTPUT_PAGE_PAGE_PICTURES_H

#include "etscope/experimental/gap.h"
#include "output/page/page_table.h"

/* The tables, made with the first picture, and how many cells they may still take. */
struct ets_page_pictures {
    struct ets_page_table *pictures, *bins; /* NULL: none yet */
    uint64_t cells_left;
};

enum { ETS_PAGE_PICTURE_CELLS = 36 * 1024 };

/*
 * Adds the pictures of a report, those of wrong values first, then by error, as long as there are
 * cells left. `first_value`: row of its first value in `gap_values`. Statuses: NO_MEMORY.
 */
enum ets_status ets_page_add_pictures(struct ets_page_document *document,
                                      struct ets_page_pictures *pictures,
                                      const struct ets_gap_report *report, uint32_t first_value,
                                      struct ets_error *error);

#endif
