/* Draws the steps from the time before to the time after. */
#include "output/picture/waterfall_picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "compare/compare_names.h"
#include "inspect/time_details.h"
#include "views/difference_headline.h"
#include "views/difference_view.h"
#include "views/sentence_numbers.h"

/* Pixels; the names take a third of the width. */
enum { ROW = 22, TOP = 22, CHANGE = 130, GAP = 8, LABEL_PIXELS = 90 };
enum { MOST_STEPS = 16, TEXT_BYTES = 400, NAME_BYTES = 160 };

/* Of the longer time: with less change, the axis does not begin at 0. */
static const double MOSTLY_SAME = 0.75;

struct picture {
    const struct ets_difference *difference;
    const struct ets_picture_options *options;
    struct ets_arena arena;
    struct ets_difference_view view;
    const struct ets_difference_line *total;
    const struct ets_difference_view_line **steps; /* [step_count], the largest first */
    uint32_t step_count, shown;
    double tick_ns;
    double low, high; /* times at the ends of the axis */
    double left, width;
    struct ets_drawing drawing;
};

static double median(const struct ets_difference_side *side)
{
    return side->times.count == 0 ? 0 : side->median;
}

static struct ets_span span_of(const struct ets_difference_side *side)
{
    return (struct ets_span){median(side), median(side) + side->resolution};
}

/* The block that a method executed on both sides and that took longest. */
static uint32_t choose_block(struct picture *p)
{
    uint32_t chosen = ETS_NO_INDEX;
    for (uint32_t i = 0; i < ets_difference_block_count(p->difference); i++) {
        const struct ets_difference_line *total =
            ets_difference_execution(p->difference, ets_difference_block(p->difference, i));
        if (total == NULL) continue;
        if (p->total != NULL && total->before.times.total <= p->total->before.times.total) continue;
        p->total = total;
        chosen = i;
    }
    return chosen;
}

static int compare_steps(const void *left, const void *right)
{
    const struct ets_difference_view_line *a =
        *(const struct ets_difference_view_line *const *)left;
    const struct ets_difference_view_line *b =
        *(const struct ets_difference_view_line *const *)right;
    const double one = fabs(a->of->change_of_median), two = fabs(b->of->change_of_median);
    if (one != two) return one > two ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

/* Lines directly inside of the whole run: together they are its change. */
static bool list_steps(struct picture *p, uint32_t block)
{
    const struct ets_difference_order_options order = {.sort = ETS_SORT_CHANGE};
    if (!ets_difference_view_collect(&p->arena, p->difference, block, &order, &p->view)) {
        return false;
    }
    p->steps = ets_arena_alloc_array(&p->arena, p->view.count, sizeof *p->steps);
    if (p->steps == NULL) return false;
    for (uint32_t i = 0; i < p->view.count; i++) {
        const struct ets_difference_view_line *line = &p->view.lines[i];
        const double change = line->of->change_of_median;
        const bool is_known = !line->of->has_own_clock && isfinite(change) && change != 0;
        const bool is_part = line->of->parent == p->view.block->total;
        if (is_known && is_part) p->steps[p->step_count++] = line;
    }
    if (p->step_count > 0) qsort(p->steps, p->step_count, sizeof *p->steps, compare_steps);
    p->shown = p->step_count < MOST_STEPS ? p->step_count : MOST_STEPS;
    return true;
}

static double place(const struct picture *p, double time)
{
    const double within = fmin(fmax(time, p->low), p->high);
    return p->left + (within - p->low) / (p->high - p->low) * p->width;
}

/* From 0; but where little changed, from near the times, so that the steps are seen. */
static void find_axis(struct picture *p)
{
    double at = median(&p->total->before);
    p->low = fmin(at, median(&p->total->after));
    p->high = fmax(span_of(&p->total->before).upper, span_of(&p->total->after).upper);
    for (uint32_t i = 0; i < p->shown; i++) {
        at += p->steps[i]->of->change_of_median;
        p->low = fmin(p->low, at);
        p->high = fmax(p->high, at);
    }
    const bool is_near = p->low < p->high && p->low > p->high * MOSTLY_SAME;
    if (is_near) p->low -= (p->high - p->low) / 2;
    else p->low = fmin(p->low, 0);
    if (!(p->high > p->low)) p->high = p->low + 1;
    p->left = p->options->width / 3.0;
    p->width = p->options->width - p->left - CHANGE - ETS_PICTURE_MARGIN;
}

static void add_signed(const struct picture *p, struct ets_text_builder *text, double time,
                       double scale)
{
    const double size = fabs(time);
    ets_add_text(text, "%s", time > 0 ? "+" : time < 0 ? "-" : "");
    ets_add_time_in(text, (struct ets_span){size, size}, p->tick_ns, scale);
}

static void put_axis(struct picture *p, double bottom)
{
    const double step = ets_axis_step(p->high - p->low, (int)fmax(p->width / LABEL_PIXELS, 1));
    for (double at = ceil(p->low / step) * step; at <= p->high; at += step) {
        char text[48];
        struct ets_text_builder label = {text, sizeof text, 0};
        const double x = place(p, at);
        if (fabs(at) < step / 2) ets_add_text(&label, "0");
        else if (at > 0) ets_add_time(&label, (struct ets_span){at, at}, p->tick_ns);
        else add_signed(p, &label, at, ets_time_scale(-at, p->tick_ns));
        ets_draw_line(&p->drawing, ETS_INK_GRID,
                      (struct ets_area){x, TOP - 6, 0, bottom - TOP + 6});
        ets_draw_text(&p->drawing, ETS_INK_SOFT, x, TOP - 9, ETS_ALIGN_MIDDLE,
                      ets_built_text(&label));
    }
}

/* One line of the picture: its name, a bar, and what it says. */
struct row {
    struct ets_text name, says, title;
    enum ets_ink ink;
    enum ets_box box;
    double from, to;
    const struct ets_interval *interval; /* NULL: none to draw */
};

static void put_row(struct picture *p, uint32_t number, const struct row *row)
{
    const double y = TOP + number * ROW, middle = y + ROW / 2.0;
    const double from = place(p, row->from), to = place(p, row->to);
    ets_draw_group(&p->drawing, row->title);
    ets_draw_label(
        &p->drawing,
        (struct ets_area){ETS_PICTURE_MARGIN - 3, y, p->left - GAP - ETS_PICTURE_MARGIN, ROW},
        row->name);
    ets_draw_box(&p->drawing, row->ink, row->box,
                 (struct ets_area){fmin(from, to), y + 3, fmax(fabs(to - from), 1), ROW - 6});
    if (row->interval != NULL) {
        const double low = place(p, row->from + row->interval->low);
        const double high = place(p, row->from + row->interval->high);
        ets_draw_line(&p->drawing, ETS_INK_TOTAL, (struct ets_area){low, middle, high - low, 0});
    }
    ets_draw_text(&p->drawing, ETS_INK_SOFT, p->left + p->width + GAP, middle + 4, ETS_ALIGN_LEFT,
                  row->says);
    ets_draw_group_end(&p->drawing);
}

static void put_total(struct picture *p, uint32_t number, const char *name,
                      const struct ets_difference_side *side)
{
    char text[64], all[96];
    struct ets_text_builder says = {text, sizeof text, 0}, title = {all, sizeof all, 0};
    ets_add_time(&says, span_of(side), p->tick_ns);
    ets_add_text(&title, "%s: %s", name, text);
    const struct row row = {.name = {name, strlen(name)},
                            .says = ets_built_text(&says),
                            .title = ets_built_text(&title),
                            .ink = ETS_INK_TOTAL,
                            .from = p->low,
                            .to = median(side)};
    put_row(p, number, &row);
}

static bool is_coarse(const struct ets_difference_line *line)
{
    return line->before.resolution > 0 || line->after.resolution > 0;
}

static enum ets_ink ink_of(enum ets_verdict verdict)
{
    if (verdict == ETS_VERDICT_FASTER) return ETS_INK_FASTER;
    return verdict == ETS_VERDICT_SLOWER ? ETS_INK_SLOWER : ETS_INK_UNCLEAR;
}

static const char *words_of(const struct ets_difference_line *line)
{
    if (line->change == ETS_CHANGE_ADDED) return "added";
    if (line->change == ETS_CHANGE_REMOVED) return "removed";
    return ets_verdict_name(line->verdict);
}

/* "addmm.out: 12.3 us -> 4.5 us, -7.8 us (95 % interval -9.1 us to -6.2 us), faster" */
static void word_step(const struct picture *p, const struct ets_difference_view_line *line,
                      struct ets_text_builder *name, struct ets_text_builder *title)
{
    char room[TEXT_BYTES];
    struct ets_text_builder whole = {room, sizeof room, 0};
    const struct ets_difference_line *of = line->of;
    if (line->instruction >= 0) ets_add_text(name, "#%d ", (int)line->instruction);
    ets_difference_add_name(&whole, line);
    ets_add_shown_text(name, ets_built_text(&whole));
    const double scale = ets_shared_time_scale(of->before.median, of->after.median, p->tick_ns);
    ets_add_text(title, "%s: ", name->text);
    if (of->before.times.count > 0) ets_add_time_in(title, span_of(&of->before), p->tick_ns, scale);
    else ets_add_text(title, "nothing");
    ets_add_text(title, " -> ");
    if (of->after.times.count > 0) ets_add_time_in(title, span_of(&of->after), p->tick_ns, scale);
    else ets_add_text(title, "nothing");
    ets_add_text(title, ", ");
    add_signed(p, title, of->change_of_median, scale);
    if (!isnan(of->interval.low)) {
        ets_add_text(title, " (95 %% interval ");
        add_signed(p, title, of->interval.low, scale);
        ets_add_text(title, " to ");
        add_signed(p, title, of->interval.high, scale);
        ets_add_text(title, ")");
    }
    if (*words_of(of) != '\0') ets_add_text(title, ", %s", words_of(of));
}

static void put_step(struct picture *p, uint32_t number,
                     const struct ets_difference_view_line *line, double from)
{
    char name_room[NAME_BYTES], title_room[TEXT_BYTES], text[64];
    struct ets_text_builder name = {name_room, sizeof name_room, 0};
    struct ets_text_builder title = {title_room, sizeof title_room, 0};
    struct ets_text_builder says = {text, sizeof text, 0};
    const struct ets_difference_line *of = line->of;
    word_step(p, line, &name, &title);
    add_signed(p, &says, of->change_of_median,
               ets_time_scale(fabs(of->change_of_median), p->tick_ns));
    if (*words_of(of) != '\0') ets_add_text(&says, "  %s", words_of(of));
    const struct row row = {.name = ets_built_text(&name),
                            .says = ets_built_text(&says),
                            .title = ets_built_text(&title),
                            .ink = ink_of(of->verdict),
                            .box = is_coarse(of) ? ETS_BOX_HATCHED : ETS_BOX_SOLID,
                            .from = from,
                            .to = from + of->change_of_median,
                            .interval = isnan(of->interval.low) ? NULL : &of->interval};
    put_row(p, number, &row);
}

static void put_others(struct picture *p, uint32_t number, double from)
{
    char text[64], name[64];
    struct ets_text_builder says = {text, sizeof text, 0}, named = {name, sizeof name, 0};
    const double to = median(&p->total->after);
    add_signed(p, &says, to - from, ets_time_scale(fabs(to - from), p->tick_ns));
    if (p->step_count > p->shown) {
        ets_add_text(&named, "(%u others, and the rest)", p->step_count - p->shown);
    } else {
        ets_add_text(&named, "(the rest)");
    }
    const struct row row = {.name = ets_built_text(&named),
                            .says = ets_built_text(&says),
                            .title = ets_built_text(&named),
                            .ink = ETS_INK_UNCLEAR,
                            .from = from,
                            .to = to};
    put_row(p, number, &row);
}

static void put_steps(struct picture *p)
{
    double at = median(&p->total->before);
    put_total(p, 0, "before", &p->total->before);
    for (uint32_t i = 0; i < p->shown; i++) {
        put_step(p, i + 1, p->steps[i], at);
        at += p->steps[i]->of->change_of_median;
    }
    put_others(p, p->shown + 1, at);
    put_total(p, p->shown + 2, "after", &p->total->after);
}

static void add_note(const struct picture *p, struct ets_text_builder *note)
{
    ets_add_text(note,
                 "changes of medians; thin lines: 95 %% intervals; medians of parts do not add "
                 "up to that of the whole: the rest is in the last step");
    if (p->low <= 0) return;
    ets_add_text(note, "; the axis begins at ");
    ets_add_time(note, (struct ets_span){p->low, p->low}, p->tick_ns);
}

/* Only what the picture has. */
static int list_legends(const struct picture *p, struct ets_legend legends[5])
{
    static const struct ets_legend all[] = {{ETS_INK_TOTAL, ETS_BOX_SOLID, "median of a run"},
                                            {ETS_INK_FASTER, ETS_BOX_SOLID, "faster"},
                                            {ETS_INK_SLOWER, ETS_BOX_SOLID, "slower"},
                                            {ETS_INK_UNCLEAR, ETS_BOX_SOLID, "no verdict"},
                                            {ETS_INK_UNCLEAR, ETS_BOX_HATCHED, "coarse clock"}};
    bool is_shown[5] = {true, false, false, true, false};
    int count = 0;
    for (uint32_t i = 0; i < p->shown; i++) {
        const struct ets_difference_line *of = p->steps[i]->of;
        is_shown[1] |= of->verdict == ETS_VERDICT_FASTER;
        is_shown[2] |= of->verdict == ETS_VERDICT_SLOWER;
        is_shown[4] |= is_coarse(of);
    }
    for (int i = 0; i < 5; i++) {
        if (is_shown[i]) legends[count++] = all[i];
    }
    return count;
}

static bool draw(struct picture *p, struct ets_output *output)
{
    struct ets_legend legends[5];
    char words[320];
    struct ets_text_builder note = {words, sizeof words, 0};
    char room[1024];
    struct ets_text_builder text = {room, sizeof room, 0};
    struct ets_sentences headline;
    if (!ets_difference_headline(&p->arena, p->difference, NULL, &headline)) return false;
    for (uint32_t i = 0; i < headline.count && i < 2; i++) {
        ets_add_text(&text, "%s%.*s", i > 0 ? ". " : "", ETS_TEXT(headline.items[i]));
    }
    find_axis(p);
    add_note(p, &note);
    const double bottom = TOP + (p->shown + 3) * ROW;
    const struct ets_drawing_head head = {.title = "What changed between two traces",
                                          .headline = ets_built_text(&text),
                                          .legends = legends,
                                          .legend_count = list_legends(p, legends),
                                          .height = bottom,
                                          .note = ets_built_text(&note)};
    if (!ets_draw_begin(&p->drawing, p->options, &p->arena, output, &head)) return false;
    put_axis(p, bottom);
    put_steps(p);
    ets_draw_end(&p->drawing);
    return true;
}

static enum ets_status find_and_draw(struct picture *p, struct ets_output *output,
                                     struct ets_error *error)
{
    const enum ets_time_unit unit = ets_difference_unit(p->difference);
    const uint32_t block = choose_block(p);
    p->tick_ns = unit == ETS_UNIT_CYCLES ? 0 : 1;
    if (block == ETS_NO_INDEX) {
        return ets_fail(error, ETS_NOT_FOUND, ETS_NO_OFFSET,
                        "no method ran in both traces: there is nothing to draw");
    }
    return list_steps(p, block) && draw(p, output)
               ? ETS_OK
               : ets_fail_memory(error, "the picture of a difference");
}

enum ets_status ets_waterfall_picture_write(const struct ets_difference *difference,
                                            const struct ets_picture_options *options,
                                            const struct ets_allocator *allocator,
                                            struct ets_output *output, struct ets_error *error)
{
    struct picture p = {.difference = difference, .options = options};
    ets_arena_init(&p.arena, allocator, 0);
    const enum ets_status status = find_and_draw(&p, output, error);
    ets_arena_reset(&p.arena);
    return status;
}
