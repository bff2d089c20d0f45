/*
 * Boxes that are too narrow to see alone: neighbours in a row are drawn together.
 *
 *     struct ets_narrow_boxes narrow = {.plot = &plot, .drawing = &drawing};
 *     for (each box) if (!ets_narrow_boxes_take(&narrow, row, area, ticks)) draw(box);
 *     ets_narrow_boxes_end(&narrow);
 */
#ifndef ETSCOPE_OUTPUT_PICTURE_NARROW_BOXES_H
#define ETSCOPE_OUTPUT_PICTURE_NARROW_BOXES_H

#include "output/picture/plot.h"

enum { ETS_PLOT_ROWS = 64 };

/* Neighbours that wait to be drawn. */
struct ets_narrow_row {
    struct ets_area area;
    struct ets_span ticks; /* sums */
    uint32_t count;
};

struct ets_narrow_boxes {
    const struct ets_plot *plot;
    struct ets_drawing *drawing;
    struct ets_narrow_row rows[ETS_PLOT_ROWS];
};

/*
 * Takes a box below a pixel and returns true; otherwise draws what waits in its row. Boxes of a row
 * come from left to right.
 */
bool ets_narrow_boxes_take(struct ets_narrow_boxes *narrow, uint32_t row, struct ets_area area,
                           struct ets_span ticks);
void ets_narrow_boxes_end(struct ets_narrow_boxes *narrow);

#endif
