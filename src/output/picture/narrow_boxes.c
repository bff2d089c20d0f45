/* Draws neighbours that are too narrow to see alone as one box. */
#include "output/picture/narrow_boxes.h"

#include <math.h>

#include "views/sentence_numbers.h"

/* Together they are at most so wide that their titles still tell where they are. */
static const double LEAST_PIXELS = 1, MOST_BETWEEN = 1, MOST_PIXELS = 6;

static void draw(struct ets_narrow_boxes *narrow, struct ets_narrow_row *row)
{
    char text[96];
    struct ets_text_builder title = {text, sizeof text, 0};
    if (row->count == 0) return;
    ets_add_text(&title, "%u narrower than a pixel: ", row->count);
    ets_add_time(&title, row->ticks, narrow->plot->tick_ns);
    if (row->count > 1) ets_add_text(&title, " together");
    ets_draw_group(narrow->drawing, ets_built_text(&title));
    row->area.width = fmax(row->area.width, LEAST_PIXELS / 2);
    ets_draw_box(narrow->drawing, ETS_INK_NARROW, ETS_BOX_SOLID, row->area);
    ets_draw_group_end(narrow->drawing);
    row->count = 0;
}

bool ets_narrow_boxes_take(struct ets_narrow_boxes *narrow, uint32_t number, struct ets_area area,
                           struct ets_span ticks)
{
    struct ets_narrow_row *row = &narrow->rows[number];
    const bool is_narrow = area.width < LEAST_PIXELS;
    const double end = row->area.x + row->area.width;
    const bool is_apart = area.x > end + MOST_BETWEEN || row->area.width > MOST_PIXELS;
    if (!is_narrow || is_apart) draw(narrow, row);
    if (!is_narrow) return false;
    if (row->count == 0) *row = (struct ets_narrow_row){.area = area};
    row->area.width = fmax(area.x + area.width, row->area.x) - row->area.x;
    row->ticks.lower += ticks.lower;
    row->ticks.upper += ticks.upper;
    row->count++;
    return true;
}

void ets_narrow_boxes_end(struct ets_narrow_boxes *narrow)
{
    for (int i = 0; i < ETS_PLOT_ROWS; i++) draw(narrow, &narrow->rows[i]);
}
