/* Draws the time of each run. */
#include "output/picture/runs_picture.h"

#include <math.h>

#include "base/error.h"
#include "views/account_lines.h"
#include "views/account_words.h"
#include "views/phase_text.h"
#include "views/sentence_numbers.h"

/* Pixels. */
enum {
    LEFT = 76,
    LEFT_OF_CYCLES = 130,
    TOP = 4,
    HEIGHT = 240,
    AXIS = 34,
    DOT = 6,
    LEAST_HEIGHT = 2,
    RUN_LETTERS = 60
};

struct picture {
    struct ets_plot *plot;
    struct ets_account_lines lines;
    const struct ets_account_line *whole;
    struct ets_drawing drawing;
    uint32_t runs_of_bar; /* neighbours that one bar stands for; 1: each run is a dot */
    double low, high;     /* ticks at the ends of the axis */
    double most;          /* ticks of the slowest run */
    uint32_t beyond;      /* runs that are slower than the axis is high */
    double left, width;   /* of the plot */
};

static struct ets_span span_of(const struct picture *p, double ticks)
{
    const struct ets_account_times *times = &p->whole->inclusive;
    return ets_account_span(fmax(ticks, 0), times->below, times->above);
}

static double place_x(const struct picture *p, double run)
{
    return p->left + (run + 0.5) / p->lines.run_count * p->width;
}

static double place_y(const struct picture *p, double ticks)
{
    return TOP + HEIGHT * (p->high - fmin(ticks, p->high)) / (p->high - p->low);
}

/*
 * From 0, or where all runs are alike, so that their differences are seen. The few runs that are
 * many times slower than nine of ten would press all others together: they lie at the upper edge.
 */
static void find_axis(struct picture *p)
{
    enum { MANY_TIMES = 3 };
    const double usual = span_of(p, p->whole->inclusive.statistics.p90).upper * MANY_TIMES;
    double least = INFINITY, most = 0;
    for (uint32_t i = 0; i < p->lines.run_count; i++) {
        const struct ets_span span = span_of(p, (double)p->lines.whole[i]);
        least = fmin(least, span.lower);
        p->most = fmax(p->most, span.upper);
        if (span.upper <= usual) most = fmax(most, span.upper);
        else p->beyond++;
    }
    if (!(most > 0)) most = 1;
    const double margin = (most - least) * 0.1;
    p->high = most + (margin > 0 ? margin : most * 0.1);
    p->low = least > most / 2 ? fmax(least - (margin > 0 ? margin : most * 0.1), 0) : 0;
}

static void put_times_axis(struct picture *p)
{
    const double step = ets_axis_step(p->high - p->low, 6);
    for (double at = ceil(p->low / step) * step; at <= p->high; at += step) {
        char text[48];
        struct ets_text_builder label = {text, sizeof text, 0};
        const double y = place_y(p, at);
        if (at > 0) ets_add_time(&label, (struct ets_span){at, at}, p->plot->tick_ns);
        else ets_add_text(&label, "0");
        ets_draw_line(&p->drawing, ETS_INK_GRID, (struct ets_area){p->left, y, p->width, 0});
        ets_draw_text(&p->drawing, ETS_INK_SOFT, p->left - 6, y + 4, ETS_ALIGN_RIGHT,
                      ets_built_text(&label));
    }
}

static void put_runs_axis(struct picture *p)
{
    const double most = fmax(p->width / RUN_LETTERS, 1);
    const double step = fmax(ets_axis_step(p->lines.run_count, (int)most), 1);
    const double y = TOP + HEIGHT + 14;
    for (double at = 0; at < p->lines.run_count; at += step) {
        char text[24];
        struct ets_text_builder label = {text, sizeof text, 0};
        ets_add_text(&label, "%u", p->lines.runs[(uint32_t)at]);
        ets_draw_text(&p->drawing, ETS_INK_SOFT, place_x(p, at), y, ETS_ALIGN_MIDDLE,
                      ets_built_text(&label));
    }
    ets_draw_text(&p->drawing, ETS_INK_SOFT, p->left + p->width, y + 15, ETS_ALIGN_RIGHT,
                  (struct ets_text){"number of the run in the trace", 30});
}

static void put_warm_up(struct picture *p)
{
    const uint32_t runs = p->lines.phases.warm_up;
    const double width = p->width * runs / p->lines.run_count;
    if (runs == 0) return;
    ets_draw_box(&p->drawing, ETS_INK_SHADE, ETS_BOX_SOLID,
                 (struct ets_area){p->left, TOP, width, HEIGHT});
}

/* Over the runs that they are of. */
static void put_median(struct picture *p)
{
    const struct ets_account_times *times = &p->whole->inclusive;
    const struct ets_span span = span_of(p, times->statistics.p50);
    const double x = place_x(p, p->lines.range_first - 0.5);
    const double width = p->width * p->lines.range_count / p->lines.run_count;
    char text[160];
    struct ets_text_builder title = {text, sizeof text, 0};
    ets_add_text(&title, "median: ");
    const double scale = ets_time_scale(span.upper, p->plot->tick_ns);
    ets_add_time_in(&title, span, p->plot->tick_ns, scale);
    if (!isnan(times->spread.median_low)) {
        const double high = place_y(p, span_of(p, times->spread.median_high).upper);
        const double low = place_y(p, span_of(p, times->spread.median_low).lower);
        ets_add_text(&title, ", 95 %% confidence interval ");
        ets_add_time_in(&title,
                        (struct ets_span){span_of(p, times->spread.median_low).lower,
                                          span_of(p, times->spread.median_high).upper},
                        p->plot->tick_ns, scale);
        ets_draw_group(&p->drawing, ets_built_text(&title));
        ets_draw_box(&p->drawing, ETS_INK_BAND, ETS_BOX_SOLID,
                     (struct ets_area){x, high, width, fmax(low - high, 1)});
    } else {
        ets_draw_group(&p->drawing, ets_built_text(&title));
    }
    const double y = place_y(p, span.upper);
    ets_draw_box(&p->drawing, ETS_INK_TOTAL, ETS_BOX_SOLID,
                 (struct ets_area){x, y - 0.75, width, place_y(p, span.lower) - y + 1.5});
    ets_draw_group_end(&p->drawing);
}

static void put_run(struct picture *p, uint32_t index)
{
    const struct ets_run_phases *phases = &p->lines.phases;
    const int64_t ticks = p->lines.whole[index];
    const struct ets_span span = span_of(p, (double)ticks);
    const bool is_off = ets_run_phases_is_outlier(phases, index, ticks) != 0;
    const double y = place_y(p, span.upper);
    char text[96];
    struct ets_text_builder title = {text, sizeof text, 0};
    ets_add_text(&title, "run %u: ", p->lines.runs[index]);
    ets_add_time(&title, span, p->plot->tick_ns);
    if (index < phases->warm_up) ets_add_text(&title, ", warm-up");
    else if (is_off) ets_add_text(&title, ", outlier");
    ets_draw_group(&p->drawing, ets_built_text(&title));
    ets_draw_box(&p->drawing, is_off ? ETS_INK_MARK : ETS_INK_POINT, ETS_BOX_SOLID,
                 (struct ets_area){place_x(p, index) - DOT / 2.0, y - DOT / 2.0, DOT,
                                   place_y(p, span.lower) - y + DOT});
    ets_draw_group_end(&p->drawing);
}

/* Several neighbours as one bar. */
static void put_bar(struct picture *p, uint32_t first, uint32_t count)
{
    struct ets_span span = {INFINITY, 0};
    bool is_off = false;
    for (uint32_t i = first; i < first + count; i++) {
        const int64_t ticks = p->lines.whole[i];
        span.lower = fmin(span.lower, span_of(p, (double)ticks).lower);
        span.upper = fmax(span.upper, span_of(p, (double)ticks).upper);
        is_off |= ets_run_phases_is_outlier(&p->lines.phases, i, ticks) != 0;
    }
    const double x = place_x(p, first - 0.5), y = place_y(p, span.upper);
    char text[96];
    struct ets_text_builder title = {text, sizeof text, 0};
    ets_add_text(&title, "runs %u to %u: ", p->lines.runs[first], p->lines.runs[first + count - 1]);
    ets_add_time(&title, span, p->plot->tick_ns);
    ets_draw_group(&p->drawing, ets_built_text(&title));
    ets_draw_box(&p->drawing, is_off ? ETS_INK_MARK : ETS_INK_POINT, ETS_BOX_SOLID,
                 (struct ets_area){x, y, place_x(p, first + count - 0.5) - x,
                                   fmax(place_y(p, span.lower) - y, LEAST_HEIGHT)});
    ets_draw_group_end(&p->drawing);
}

static void put_runs(struct picture *p)
{
    for (uint32_t i = 0; i < p->lines.run_count; i += p->runs_of_bar) {
        const uint32_t left = p->lines.run_count - i;
        if (p->runs_of_bar == 1) put_run(p, i);
        else put_bar(p, i, left < p->runs_of_bar ? left : p->runs_of_bar);
    }
}

static void add_note(const struct picture *p, struct ets_text_builder *note)
{
    note->used = ets_run_phases_print(&p->lines.phases, p->lines.runs, p->lines.whole,
                                      p->lines.stage, note->text, note->room);
    if (p->beyond == 0) return;
    ets_add_text(note, "%sat the upper edge: %u slower, up to ", note->used > 0 ? "; " : "",
                 p->beyond);
    ets_add_time(note, (struct ets_span){p->most, p->most}, p->plot->tick_ns);
}

static int list_legends(const struct picture *p, struct ets_legend legends[5])
{
    const struct ets_legend all[] = {
        {ETS_INK_POINT, ETS_BOX_SOLID,
         p->runs_of_bar == 1 ? "run" : "neighbouring runs, from the fastest to the slowest"},
        {ETS_INK_MARK, ETS_BOX_SOLID, p->runs_of_bar == 1 ? "outlier" : "with an outlier"},
        {ETS_INK_SHADE, ETS_BOX_SOLID, "warm-up"},
        {ETS_INK_TOTAL, ETS_BOX_SOLID,
         p->lines.range_count < p->lines.run_count ? "median of the steady runs" : "median"},
        {ETS_INK_BAND, ETS_BOX_SOLID, "95 % confidence interval of the median"}};
    const bool is_shown[] = {true, p->lines.phases.outliers > 0, p->lines.phases.warm_up > 0, true,
                             !isnan(p->whole->inclusive.spread.median_low)};
    int count = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (is_shown[i]) legends[count++] = all[i];
    }
    return count;
}

static bool draw(struct picture *p, struct ets_output *output)
{
    enum { LEAST_PIXELS = 3 };
    struct ets_legend legends[5];
    p->left = p->plot->tick_ns > 0 ? LEFT : LEFT_OF_CYCLES;
    p->width = p->plot->options->picture.width - p->left - ETS_PICTURE_MARGIN;
    const uint32_t most = (uint32_t)(p->width / LEAST_PIXELS);
    p->runs_of_bar = (p->lines.run_count + most - 1) / most;
    char text[512];
    struct ets_text_builder note = {text, sizeof text, 0};
    find_axis(p);
    add_note(p, &note);
    const struct ets_drawing_head head = {.title = "Time of each run",
                                          .headline = ets_built_text(&p->plot->headline),
                                          .legends = legends,
                                          .legend_count = list_legends(p, legends),
                                          .height = TOP + HEIGHT + AXIS,
                                          .note = ets_built_text(&note)};
    if (!ets_draw_begin(&p->drawing, &p->plot->options->picture, &p->plot->arena, output, &head)) {
        return false;
    }
    put_warm_up(p);
    put_times_axis(p);
    put_runs_axis(p);
    if (p->runs_of_bar == 1) put_median(p); /* dots stand on it, bars would hide it */
    put_runs(p);
    if (p->runs_of_bar > 1) put_median(p);
    ets_draw_end(&p->drawing);
    return true;
}

static enum ets_status find_and_draw(struct picture *p, struct ets_output *output,
                                     struct ets_error *error)
{
    const struct ets_account_options options = {
        .block = ETS_NO_INDEX, .run = ETS_NO_INDEX, .steady = p->plot->options->steady};
    ETS_TRY(ets_account_lines_open(&p->plot->arena, p->plot->inspection, &options,
                                   p->plot->block->block, &p->lines, error));
    for (uint32_t i = 0; i < p->lines.count; i++) {
        if (p->lines.items[i].is_whole) p->whole = &p->lines.items[i];
    }
    enum ets_status status = ETS_OK;
    if (p->whole == NULL) {
        status = ets_fail(error, ETS_NOT_FOUND, ETS_NO_OFFSET,
                          "no run executed a method: there is nothing to draw");
    } else if (!draw(p, output)) {
        status = ets_fail_memory(error, "the picture of runs");
    }
    ets_account_lines_close(&p->lines);
    return status;
}

enum ets_status ets_runs_picture_write(const struct ets_inspection *inspection,
                                       const struct ets_plot_options *options,
                                       const struct ets_allocator *allocator,
                                       struct ets_output *output, struct ets_error *error)
{
    struct ets_plot plot;
    struct picture p = {.plot = &plot};
    enum ets_status status = ets_plot_open(&plot, inspection, options, 1, allocator, error);
    if (status == ETS_OK) status = find_and_draw(&p, output, error);
    ets_plot_close(&plot);
    return status;
}
