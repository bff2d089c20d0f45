/* Draws the events of a run over time. */
#include "output/picture/timeline_picture.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/text.h"
#include "inspect/patterns.h"
#include "inspect/time_details.h"
#include "output/picture/narrow_boxes.h"
#include "views/operator_rows.h"
#include "views/sentence_numbers.h"

/* Pixels. */
enum { ROW = 22, AXIS = 20, LABEL_PIXELS = 90 };

/* An event that is drawn, in ticks since the run began. */
struct bar {
    double start;
    struct ets_span ticks;
    const struct ets_row *row;
    uint32_t depth;
    bool has_inside;
};

struct picture {
    struct ets_plot *plot;
    const struct ets_event_table *events;
    const struct ets_run *run;
    uint32_t number; /* of the run in the trace */
    struct bar *bars;
    uint32_t bar_count, rows;
    uint32_t not_drawn;
    uint64_t began;
    double ticks; /* of all */
    struct ets_narrow_boxes narrow;
    struct ets_drawing drawing;
};

/* The chosen run whose time is nearest to their median. */
static bool choose_run(struct picture *p)
{
    struct ets_plot *plot = p->plot;
    const struct ets_timed_block *shown = plot->block;
    const struct ets_block *block = ets_inspection_block(plot->inspection, shown->block);
    const uint32_t total = ets_inspection_total_row(plot->inspection, shown->block);
    const uint32_t end = shown->runs.first + shown->runs.count;
    double *ticks = ets_arena_alloc_array(&plot->arena, block->run_count, sizeof *ticks);
    double nearest = INFINITY;
    uint32_t index = 0; /* in the block */
    if (ticks == NULL) return false;
    ets_inspection_row_ticks(plot->inspection, total, ETS_NO_INDEX, ticks);
    for (uint32_t i = block->first_run; index < end; i++) {
        if (ets_inspection_run(plot->inspection, i)->block != shown->block) continue;
        const double away = fabs(ticks[index] - shown->times.statistics.p50);
        if (index++ < shown->runs.first || away >= nearest) continue;
        nearest = away;
        p->number = i;
    }
    p->run = ets_inspection_run(plot->inspection, p->number);
    return true;
}

/* A counter of 32 bits may have begun again. */
static double since(const struct picture *p, uint64_t time)
{
    if (time < p->began && p->began <= UINT32_MAX) time += (uint64_t)1 << 32;
    return time < p->began ? -(double)(p->began - time) : (double)(time - p->began);
}

static bool is_event(const struct picture *p, uint32_t event)
{
    return p->events->kind[event] == ETS_EVENT_PROFILE && p->events->row[event] != ETS_NO_INDEX;
}

static bool is_shown(const struct picture *p, uint32_t event)
{
    return ets_operator_row_is_shown(p->plot->inspection, false, p->events->row[event]);
}

/* Events that are shown around an event. */
static uint32_t depth_of(const struct picture *p, uint32_t event)
{
    uint32_t depth = 0, around = p->events->parent[event];
    for (int i = 0; around != ETS_NO_INDEX && i < ETS_PLOT_ROWS; i++) {
        depth += is_event(p, around) && is_shown(p, around);
        around = p->events->parent[around];
    }
    return depth;
}

/* False where the place of an event is not known. */
static bool place(const struct picture *p, uint32_t event, struct bar *bar)
{
    const struct ets_row *row = ets_inspection_row(p->plot->inspection, p->events->row[event]);
    const double ticks = (double)ets_inspection_ticks(p->plot->inspection, event);
    const uint32_t parent = p->events->parent[event];
    *bar = (struct bar){.start = since(p, p->events->start[event]),
                        .ticks = {ticks, ticks + (double)row->quantum_ticks} /* of one call */,
                        .row = row,
                        .depth = depth_of(p, event)};
    if (ets_row_has_own_clock(row) || bar->depth + 1 >= ETS_PLOT_ROWS) return false;
    if (!row->is_delegated) return true;
    if (parent == ETS_NO_INDEX) return false;
    const double around = since(p, p->events->start[parent]);
    return bar->start >= around &&
           bar->start + ticks <= around + (double)ets_inspection_ticks(p->plot->inspection, parent);
}

static void find_ends(struct picture *p)
{
    const uint32_t first = p->run->first_event, end = first + p->run->event_count;
    p->began = UINT64_MAX;
    for (uint32_t i = first; i < end; i++) {
        if (!is_event(p, i) || p->events->parent[i] != ETS_NO_INDEX) continue;
        if (p->events->start[i] < p->began) p->began = p->events->start[i];
    }
    for (uint32_t i = first; i < end; i++) {
        if (!is_event(p, i) || p->events->parent[i] != ETS_NO_INDEX) continue;
        const double ticks = (double)ets_inspection_ticks(p->plot->inspection, i);
        p->ticks = fmax(p->ticks, since(p, p->events->start[i]) + ticks);
    }
}

static int compare_bars(const void *left, const void *right)
{
    const struct bar *a = left, *b = right;
    if (a->start != b->start) return a->start < b->start ? -1 : 1;
    return (a->depth > b->depth) - (a->depth < b->depth);
}

/* Also marks what has shown events inside, by the order of logging: parents come last. */
static bool list_bars(struct picture *p)
{
    const uint32_t first = p->run->first_event, count = p->run->event_count;
    bool *has_inside = ets_arena_alloc_array(&p->plot->arena, count, sizeof *has_inside);
    p->bars = ets_arena_alloc_array(&p->plot->arena, count, sizeof *p->bars);
    if (has_inside == NULL || p->bars == NULL) return false;
    for (uint32_t i = first; i < first + count; i++) {
        const uint32_t parent = p->events->parent[i];
        if (is_event(p, i) && parent >= first && parent < first + count) {
            has_inside[parent - first] = true;
        }
    }
    for (uint32_t i = first; i < first + count; i++) {
        struct bar bar;
        if (!is_event(p, i) || !is_shown(p, i)) continue;
        if (!place(p, i, &bar)) {
            p->not_drawn++;
            continue;
        }
        bar.has_inside = has_inside[i - first];
        p->bars[p->bar_count++] = bar;
        if (bar.depth >= p->rows) p->rows = bar.depth + 1;
    }
    if (p->bar_count > 0) qsort(p->bars, p->bar_count, sizeof *p->bars, compare_bars);
    return true;
}

static double pixels_of_tick(const struct picture *p)
{
    return (p->plot->options->picture.width - 2 * ETS_PICTURE_MARGIN) / p->ticks;
}

static enum ets_ink ink_of(const struct bar *bar)
{
    if (bar->row->is_delegated) return ETS_INK_INSIDE;
    if (ets_text_is(ets_row_operator(bar->row), "DELEGATE_CALL")) return ETS_INK_DELEGATE;
    return bar->has_inside ? ETS_INK_FRAME : ETS_INK_KERNEL;
}

static void put_bar(struct picture *p, const struct bar *bar)
{
    char text[ETS_PLOT_TITLE], name[200];
    struct ets_text_builder title = {text, sizeof text, 0}, named = {name, sizeof name, 0};
    const struct ets_area area = {ETS_PICTURE_MARGIN + bar->start * pixels_of_tick(p),
                                  AXIS + bar->depth * ROW, bar->ticks.lower * pixels_of_tick(p),
                                  ROW - 1};
    if (ets_narrow_boxes_take(&p->narrow, bar->depth, area, bar->ticks)) return;
    ets_add_shown_text(&named, ets_row_operator(bar->row));
    if (ink_of(bar) == ETS_INK_DELEGATE && bar->row->backend != NULL) {
        ets_add_text(&named, " %s", bar->row->backend);
    }
    ets_plot_title(p->plot, &title, ets_built_text(&named), bar->ticks, NULL);
    if (bar->start > 0) {
        ets_add_text(&title, ", begins at ");
        ets_add_time(&title, (struct ets_span){bar->start, bar->start}, p->plot->tick_ns);
    }
    ets_draw_group(&p->drawing, ets_built_text(&title));
    ets_draw_box(&p->drawing, ink_of(bar),
                 bar->row->quantum_ticks > 0 ? ETS_BOX_HATCHED : ETS_BOX_SOLID, area);
    ets_draw_label(&p->drawing, area, ets_plot_label(ets_built_text(&title)));
    ets_draw_group_end(&p->drawing);
}

static void put_axis(struct picture *p)
{
    const double width = p->plot->options->picture.width - 2 * ETS_PICTURE_MARGIN;
    const double step = ets_axis_step(p->ticks, (int)(width / LABEL_PIXELS));
    for (double at = 0; at <= p->ticks; at += step) {
        char text[48];
        struct ets_text_builder label = {text, sizeof text, 0};
        const double x = ETS_PICTURE_MARGIN + at * pixels_of_tick(p);
        if (at > 0) ets_add_time(&label, (struct ets_span){at, at}, p->plot->tick_ns);
        else ets_add_text(&label, "0");
        ets_draw_line(&p->drawing, ETS_INK_GRID,
                      (struct ets_area){x, AXIS - 6, 0, p->rows * ROW + 6});
        ets_draw_text(&p->drawing, ETS_INK_SOFT, x, AXIS - 9,
                      at == 0                          ? ETS_ALIGN_LEFT
                      : x > width - LABEL_PIXELS / 3.0 ? ETS_ALIGN_RIGHT
                                                       : ETS_ALIGN_MIDDLE,
                      ets_built_text(&label));
    }
}

static int list_legends(const struct picture *p, struct ets_legend legends[6])
{
    static const struct ets_legend all[] = {
        {ETS_INK_FRAME, ETS_BOX_SOLID, "around calls"},
        {ETS_INK_KERNEL, ETS_BOX_SOLID, "kernel"},
        {ETS_INK_DELEGATE, ETS_BOX_SOLID, "delegate call"},
        {ETS_INK_INSIDE, ETS_BOX_SOLID, "reported by a delegate"},
        {ETS_INK_INSIDE, ETS_BOX_HATCHED, "reported by a delegate, to a step of its coarse clock"},
        {ETS_INK_NARROW, ETS_BOX_SOLID, "several, narrower than a pixel"}};
    bool is_shown[6] = {false};
    int count = 0;
    for (uint32_t i = 0; i < p->bar_count; i++) {
        const bool is_hatched = p->bars[i].row->quantum_ticks > 0;
        const enum ets_ink ink = ink_of(&p->bars[i]);
        for (int k = 0; k < 5; k++) {
            const bool is_box = (all[k].box == ETS_BOX_HATCHED) == is_hatched;
            is_shown[k] |= all[k].ink == ink && is_box;
        }
        is_shown[5] |= p->bars[i].ticks.lower * pixels_of_tick(p) < 1;
    }
    for (int k = 0; k < 6; k++) {
        if (is_shown[k]) legends[count++] = all[k];
    }
    return count;
}

static bool draw(struct picture *p, struct ets_output *output)
{
    struct ets_legend legends[6];
    const struct ets_span ticks = {p->ticks, p->ticks};
    char text[160] = "";
    struct ets_text_builder note = {text, sizeof text, 0};
    if (p->not_drawn > 0) {
        ets_add_text(&note, "not drawn: %u of a delegate that do not tell when they ran",
                     p->not_drawn);
    }
    ets_add_text(&p->plot->headline, ". Run %u of the trace: ", p->number);
    ets_add_time(&p->plot->headline, ticks, p->plot->tick_ns);
    const struct ets_drawing_head head = {.title = "Timeline of a run",
                                          .headline = ets_built_text(&p->plot->headline),
                                          .legends = legends,
                                          .legend_count = list_legends(p, legends),
                                          .height = AXIS + p->rows * ROW,
                                          .note = ets_built_text(&note)};
    if (!ets_draw_begin(&p->drawing, &p->plot->options->picture, &p->plot->arena, output, &head)) {
        return false;
    }
    p->narrow = (struct ets_narrow_boxes){.plot = p->plot, .drawing = &p->drawing};
    put_axis(p);
    for (uint32_t i = 0; i < p->bar_count; i++) put_bar(p, &p->bars[i]);
    ets_narrow_boxes_end(&p->narrow);
    ets_draw_end(&p->drawing);
    return true;
}

enum ets_status ets_timeline_picture_write(const struct ets_inspection *inspection,
                                           const struct ets_plot_options *options,
                                           const struct ets_allocator *allocator,
                                           struct ets_output *output, struct ets_error *error)
{
    struct ets_plot plot;
    struct picture p = {.plot = &plot, .events = ets_inspection_events(inspection)};
    enum ets_status status = ets_plot_open(&plot, inspection, options, 1, allocator, error);
    if (status == ETS_OK) {
        bool ok = choose_run(&p);
        if (ok) find_ends(&p);
        ok = ok && list_bars(&p) && draw(&p, output);
        if (!ok) status = ets_fail_memory(error, "the picture of a timeline");
    }
    ets_plot_close(&plot);
    return status;
}
