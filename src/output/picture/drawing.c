/* What pictures share whatever they are written as: the head, labels that fit, steps of axes. */
#include "output/picture/drawing.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

enum { HEADLINE = 17, NOTE = 16, LEGEND = 18, KEY = 12, BETWEEN = 18, LEAST_LETTERS = 3 };

/* How much wider bold letters of headlines are. */
static const double BOLD = 1.22;

static double letter_width(const struct ets_drawing *d, unsigned char byte)
{
    if ((byte & 0xC0) == 0x80) return 0; /* the rest of a character */
    if (d->kind->letter > 0) return d->kind->letter;
    if (byte >= 0x80 || strchr("MWmw@%", byte) != NULL) return 9.5;
    if (strchr("iljtfI.,:;'|()[]!/ ", byte) != NULL) return 4.3;
    return byte >= 'A' && byte <= 'Z' ? 7.7 : 6.7;
}

/* About how wide a text is. */
static double text_width(const struct ets_drawing *d, struct ets_text text)
{
    double width = 0;
    for (size_t i = 0; i < text.size; i++) width += letter_width(d, (unsigned char)text.data[i]);
    return width;
}

/* The first bytes of a text that fit into `room` pixels, whole characters. */
static size_t text_fitting(const struct ets_drawing *d, struct ets_text text, double room)
{
    double width = 0;
    size_t whole = 0;
    for (size_t i = 0; i < text.size; i++) {
        const unsigned char byte = (unsigned char)text.data[i];
        if ((byte & 0xC0) != 0x80) {
            if (width > room) break;
            whole = i;
        }
        width += letter_width(d, byte);
    }
    return width <= room ? text.size : whole;
}

double ets_axis_step(double span, int most)
{
    const double power = pow(10, floor(log10(span / most)));
    static const double steps[] = {1, 2, 5, 10};
    size_t i = 0;
    while (i < 3 && steps[i] * power * most < span) i++;
    return steps[i] * power;
}

/* The next line of a headline: up to the last space that fits. */
static struct ets_text take_line(const struct ets_drawing *d, struct ets_text *rest, double room)
{
    size_t size = text_fitting(d, *rest, room / BOLD);
    if (size < rest->size) {
        size_t space = size;
        while (space > 0 && rest->data[space] != ' ') space--;
        if (space > 0) size = space;
        else if (size == 0) size = rest->size;
    }
    const struct ets_text line = {rest->data, size};
    if (size < rest->size && rest->data[size] == ' ') size++;
    *rest = (struct ets_text){rest->data + size, rest->size - size};
    return line;
}

static double put_headline(struct ets_drawing *d, struct ets_text rest, bool is_drawn)
{
    double y = 4;
    while (rest.size > 0) {
        const struct ets_text line = take_line(d, &rest, d->width - 2 * ETS_PICTURE_MARGIN);
        y += HEADLINE;
        if (!is_drawn) continue;
        d->kind->text(d, ETS_INK_TEXT, true, ETS_PICTURE_MARGIN, y, ETS_ALIGN_LEFT, line);
    }
    return y + 6;
}

static double put_note(struct ets_drawing *d, struct ets_text rest, double y, bool is_drawn)
{
    while (rest.size > 0) {
        const struct ets_text line =
            take_line(d, &rest, (d->width - 2 * ETS_PICTURE_MARGIN) * BOLD);
        y += NOTE;
        if (!is_drawn) continue;
        d->kind->text(d, ETS_INK_SOFT, false, ETS_PICTURE_MARGIN, y - 2, ETS_ALIGN_LEFT, line);
    }
    return y;
}

static double put_legends(struct ets_drawing *d, const struct ets_drawing_head *head, double y,
                          bool is_drawn)
{
    double x = ETS_PICTURE_MARGIN;
    for (int i = 0; i < head->legend_count; i++) {
        const struct ets_legend *legend = &head->legends[i];
        const struct ets_text text = {legend->text, strlen(legend->text)};
        const double width = KEY + 5 + text_width(d, text);
        if (x > ETS_PICTURE_MARGIN && x + width > d->width - ETS_PICTURE_MARGIN) {
            x = ETS_PICTURE_MARGIN;
            y += LEGEND;
        }
        if (is_drawn) {
            ets_draw_box(d, legend->ink, legend->box, (struct ets_area){x, y + 3, KEY, KEY - 2});
            ets_draw_text(d, ETS_INK_SOFT, x + KEY + 5, y + 12, ETS_ALIGN_LEFT, text);
        }
        x += width + BETWEEN;
    }
    return head->legend_count > 0 ? y + LEGEND + 6 : y + 4;
}

bool ets_draw_begin(struct ets_drawing *d, const struct ets_picture_options *options,
                    struct ets_arena *arena, struct ets_output *output,
                    const struct ets_drawing_head *head)
{
    *d = (struct ets_drawing){
        .kind = options->format == ETS_PICTURE_PNG ? &ets_png_drawing : &ets_svg_drawing,
        .output = output,
        .arena = arena,
        .width = options->width,
    };
    const double below = put_headline(d, head->headline, false);
    const double top = put_legends(d, head, below, false);
    d->note = head->note;
    d->bottom = top + fmin(head->height, ETS_PICTURE_TALLEST);
    d->height = (int)ceil(put_note(d, d->note, d->bottom, false)) + ETS_PICTURE_MARGIN;
    if (!d->kind->begin(d, head->title)) return false;
    put_headline(d, head->headline, true);
    put_legends(d, head, below, true);
    d->top = top;
    return true;
}

void ets_draw_end(struct ets_drawing *d)
{
    put_note(d, d->note, d->bottom, true);
    d->kind->end(d);
}

void ets_draw_group(struct ets_drawing *d, struct ets_text title)
{
    d->kind->group(d, title);
}

void ets_draw_group_end(struct ets_drawing *d)
{
    d->kind->group_end(d);
}

void ets_draw_box(struct ets_drawing *d, enum ets_ink ink, enum ets_box box, struct ets_area area)
{
    if (!(area.width > 0 && area.height > 0)) return;
    area.y += d->top;
    d->kind->box(d, ink, box, area);
}

void ets_draw_line(struct ets_drawing *d, enum ets_ink ink, struct ets_area from_by)
{
    from_by.y += d->top;
    d->kind->line(d, ink, from_by);
}

void ets_draw_text(struct ets_drawing *d, enum ets_ink ink, double x, double y,
                   enum ets_align align, struct ets_text text)
{
    d->kind->text(d, ink, false, x, y + d->top, align, text);
}

void ets_draw_label(struct ets_drawing *d, struct ets_area area, struct ets_text text)
{
    static const char dots[] = "\xe2\x80\xa6";
    char cut[256];
    const double room = area.width - 6, y = area.y + area.height / 2 + 4;
    if (text_width(d, text) <= room && text.size < sizeof cut - sizeof dots) {
        ets_draw_text(d, ETS_INK_TEXT, area.x + 3, y, ETS_ALIGN_LEFT, text);
        return;
    }
    if (text.size > sizeof cut - sizeof dots) text.size = sizeof cut - sizeof dots;
    const size_t size = text_fitting(d, text, room - 9);
    if (room < 0 || size < LEAST_LETTERS) return;
    memcpy(cut, text.data, size);
    memcpy(cut + size, dots, sizeof dots);
    ets_draw_text(d, ETS_INK_TEXT, area.x + 3, y, ETS_ALIGN_LEFT,
                  (struct ets_text){cut, size + sizeof dots - 1});
}
