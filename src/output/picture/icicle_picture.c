/* Lays out an icicle and draws it. */
#include "output/picture/icicle_picture.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "output/picture/icicle_tree.h"
#include "output/picture/narrow_boxes.h"

enum { ROW = 22 };

static const double LEAST_PIXELS = 0.3;

/* What the nodes inside of one take, and how much of it is undecided; index count: of the roots. */
struct inside {
    double lower, range; /* sums of bounds, and of the differences between them */
    double room, scale;  /* pixels to divide by `range`; of a tick of `lower` */
    double next;         /* x of the next node */
};

struct picture {
    struct ets_plot *plot;
    struct ets_icicle tree;
    struct inside *insides; /* [count + 1] */
    struct ets_drawing drawing;
    bool by_module;
    struct ets_narrow_boxes narrow;
    uint32_t rows, too_deep, hatched, root_count;
    bool has_narrow;
};

static struct inside *around(const struct picture *p, const struct ets_icicle_node *node)
{
    return &p->insides[node->parent == ETS_NO_INDEX ? p->tree.count : node->parent];
}

static void add_span(struct inside *inside, struct ets_span span)
{
    inside->lower += fmax(span.lower, 0);
    inside->range += fmax(span.upper, 0) - fmax(span.lower, 0);
}

/* Divides `width` pixels from `x` among what is inside: the lower bounds, then the undecided. */
static void divide(struct inside *inside, double x, double width, double pixels_of_tick)
{
    const double certain = inside->lower * pixels_of_tick;
    inside->next = x;
    inside->scale = certain > width ? width / inside->lower : pixels_of_tick;
    inside->room = fmin(fmax(width - certain, 0), inside->range * pixels_of_tick);
}

static void place(const struct picture *p, uint32_t index, double pixels_of_tick)
{
    struct ets_icicle_node *node = &p->tree.items[index];
    struct inside *inside = around(p, node);
    const double lower = fmax(node->ticks.lower, 0), upper = fmax(node->ticks.upper, 0);
    node->x = inside->next;
    node->certain = lower * inside->scale;
    node->width = node->certain;
    if (inside->range > 0) node->width += inside->room * (upper - lower) / inside->range;
    inside->next += node->width;
    divide(&p->insides[index], node->x, node->width, pixels_of_tick);
}

static bool lay_out(struct picture *p)
{
    const double width = p->plot->options->picture.width - 2 * ETS_PICTURE_MARGIN;
    const double pixels_of_tick = width / p->tree.ticks;
    p->insides =
        ets_arena_alloc_array(&p->plot->arena, (size_t)p->tree.count + 1, sizeof *p->insides);
    if (p->insides == NULL) return false;
    for (uint32_t i = 0; i < p->tree.count; i++) {
        add_span(around(p, &p->tree.items[i]), p->tree.items[i].ticks);
        add_span(&p->insides[i], p->tree.items[i].self);
    }
    divide(&p->insides[p->tree.count], ETS_PICTURE_MARGIN, width, pixels_of_tick);
    for (uint32_t i = 0; i < p->tree.count; i++) {
        const struct ets_icicle_node *node = &p->tree.items[i];
        place(p, i, pixels_of_tick);
        if (node->depth + 1 >= ETS_PLOT_ROWS) p->too_deep++;
        else if (node->depth >= p->rows) p->rows = node->depth + 1;
        p->root_count += node->parent == ETS_NO_INDEX;
        p->has_narrow |= node->width < 1;
        p->hatched += node->width - node->certain >= LEAST_PIXELS;
    }
    return true;
}

/* A single root is the whole run; several, or modules, stand below it. */
static uint32_t rows_above(const struct picture *p)
{
    return p->by_module || p->root_count > 1;
}

static void put_node(struct picture *p, const struct ets_icicle_node *node)
{
    char text[ETS_PLOT_TITLE];
    struct ets_text_builder title = {text, sizeof text, 0};
    struct ets_area area = {node->x, (node->depth + rows_above(p)) * ROW, node->width, ROW - 1};
    if (node->depth + 1 >= ETS_PLOT_ROWS ||
        ets_narrow_boxes_take(&p->narrow, node->depth, area, node->ticks)) {
        return;
    }
    ets_plot_title(p->plot, &title, node->name, node->ticks, &node->share);
    ets_draw_group(&p->drawing, ets_built_text(&title));
    const struct ets_area whole = area;
    area.width = node->certain;
    ets_draw_box(&p->drawing, node->ink, ETS_BOX_SOLID, area);
    area.x += node->certain;
    area.width = node->width - node->certain;
    if (area.width >= LEAST_PIXELS) ets_draw_box(&p->drawing, node->ink, ETS_BOX_HATCHED, area);
    ets_draw_label(&p->drawing, whole, ets_built_text(&title));
    ets_draw_group_end(&p->drawing);
}

/* The whole run, which all others are a part of. */
static void put_run(struct picture *p)
{
    static const char name[] = "one run";
    char text[ETS_PLOT_TITLE];
    struct ets_text_builder title = {text, sizeof text, 0};
    const struct ets_span ticks = {p->tree.ticks, p->tree.ticks}, all = {1, 1};
    const struct ets_area area = {ETS_PICTURE_MARGIN, 0, p->drawing.width - 2 * ETS_PICTURE_MARGIN,
                                  ROW - 1};
    ets_plot_title(p->plot, &title, (struct ets_text){name, sizeof name - 1}, ticks, &all);
    ets_draw_group(&p->drawing, ets_built_text(&title));
    ets_draw_box(&p->drawing, ETS_INK_FRAME, ETS_BOX_SOLID, area);
    ets_draw_label(&p->drawing, area, ets_built_text(&title));
    ets_draw_group_end(&p->drawing);
}

static void add_note(const struct picture *p, struct ets_text_builder *note)
{
    const uint32_t runs = p->plot->block->runs.count;
    if (runs > 1) {
        ets_add_text(note, "times of one run: means over the middle half of %u runs", runs);
    } else {
        ets_add_text(note, "times of one run");
    }
    if (p->too_deep > 0) ets_add_text(note, "; not drawn: %u too deep", p->too_deep);
    if (p->tree.without_time > 0) {
        ets_add_text(note, "%s%u whose clock is unknown or that overlap",
                     p->too_deep > 0 ? ", " : "; not drawn: ", p->tree.without_time);
    }
}

static bool has_ink(const struct picture *p, enum ets_ink ink)
{
    for (uint32_t i = 0; i < p->tree.count; i++) {
        if (p->tree.items[i].ink == ink) return true;
    }
    return ink == ETS_INK_FRAME && !p->by_module;
}

/* Only what the picture has. */
static int list_legends(const struct picture *p, struct ets_legend legends[7])
{
    const struct ets_legend all[] = {
        {ETS_INK_FRAME, ETS_BOX_SOLID, p->by_module ? "module with others" : "around calls"},
        {ETS_INK_KERNEL, ETS_BOX_SOLID, p->by_module ? "module" : "kernel"},
        {ETS_INK_DELEGATE, ETS_BOX_SOLID, "delegate call"},
        {ETS_INK_INSIDE, ETS_BOX_SOLID, "reported by a delegate"},
        {ETS_INK_REST, ETS_BOX_SOLID, p->by_module ? "outside of modules" : "between calls"}};
    int count = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (has_ink(p, all[i].ink)) legends[count++] = all[i];
    }
    if (p->has_narrow) {
        legends[count++] =
            (struct ets_legend){ETS_INK_NARROW, ETS_BOX_SOLID, "several, narrower than a pixel"};
    }
    if (p->hatched > 0) {
        legends[count++] =
            (struct ets_legend){ETS_INK_UNCLEAR, ETS_BOX_HATCHED,
                                "undecided between neighbours: the delegate's clock is too coarse"};
    }
    return count;
}

static bool draw(struct picture *p, struct ets_output *output)
{
    struct ets_legend legends[7];
    char text[256];
    struct ets_text_builder note = {text, sizeof text, 0};
    add_note(p, &note);
    const struct ets_drawing_head head = {.title = p->by_module ? "Time by module" : "Time by call",
                                          .headline = ets_built_text(&p->plot->headline),
                                          .legends = legends,
                                          .legend_count = list_legends(p, legends),
                                          .height = (p->rows + rows_above(p)) * ROW,
                                          .note = ets_built_text(&note)};
    if (!ets_draw_begin(&p->drawing, &p->plot->options->picture, &p->plot->arena, output, &head)) {
        return false;
    }
    p->narrow = (struct ets_narrow_boxes){.plot = p->plot, .drawing = &p->drawing};
    if (rows_above(p) > 0) put_run(p);
    for (uint32_t i = 0; i < p->tree.count; i++) put_node(p, &p->tree.items[i]);
    ets_narrow_boxes_end(&p->narrow);
    ets_draw_end(&p->drawing);
    return true;
}

static enum ets_status find_and_draw(struct picture *p, struct ets_output *output,
                                     struct ets_error *error)
{
    static const char what[] = "the picture of a run";
    if (!p->by_module) ETS_TRY(ets_icicle_calls(p->plot, &p->tree, error));
    else if (!ets_icicle_modules(p->plot, &p->tree)) return ets_fail_memory(error, what);
    return lay_out(p) && draw(p, output) ? ETS_OK : ets_fail_memory(error, what);
}

enum ets_status ets_icicle_picture_write(const struct ets_inspection *inspection,
                                         const struct ets_plot_options *options, bool by_module,
                                         const struct ets_allocator *allocator,
                                         struct ets_output *output, struct ets_error *error)
{
    struct ets_plot plot;
    struct picture p = {.plot = &plot, .by_module = by_module};
    enum ets_status status = ets_plot_open(&plot, inspection, options, 2, allocator, error);
    if (status == ETS_OK) status = find_and_draw(&p, output, error);
    ets_plot_close(&plot);
    return status;
}
