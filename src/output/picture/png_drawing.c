/* Shapes as PNG: twice as many pixels, the colours of the light theme, letters of the font. */
#include "output/picture/drawing.h"

#include <math.h>
#include <string.h>

#include "output/picture/bitmap_font.h"
#include "output/picture/png.h"

enum { SCALE = 2, HATCH = 10, HATCH_WIDTH = 4, DASH = 8, LETTER = 6 };

static const struct ets_colour palette[ETS_INK_COUNT] = {
    [ETS_INK_PAPER] = {255, 255, 255},    [ETS_INK_TEXT] = {34, 34, 34},
    [ETS_INK_SOFT] = {85, 85, 85},        [ETS_INK_GRID] = {221, 221, 221},
    [ETS_INK_FRAME] = {216, 220, 226},    [ETS_INK_KERNEL] = {169, 203, 240},
    [ETS_INK_DELEGATE] = {163, 217, 177}, [ETS_INK_INSIDE] = {207, 238, 214},
    [ETS_INK_REST] = {241, 227, 192},     [ETS_INK_TOTAL] = {91, 100, 112},
    [ETS_INK_FASTER] = {47, 109, 181},    [ETS_INK_SLOWER] = {209, 114, 42},
    [ETS_INK_UNCLEAR] = {139, 146, 156},  [ETS_INK_POINT] = {47, 109, 181},
    [ETS_INK_MARK] = {209, 36, 47},       [ETS_INK_SHADE] = {243, 234, 210},
    [ETS_INK_BAND] = {201, 220, 242},     [ETS_INK_NARROW] = {143, 163, 184},
};

static bool begin(struct ets_drawing *d, const char *title)
{
    (void)title;
    const size_t pixels = (size_t)d->width * SCALE * (size_t)d->height * SCALE;
    d->pixels = ets_arena_alloc(d->arena, pixels);
    if (d->pixels == NULL) return false;
    memset(d->pixels, ETS_INK_PAPER, pixels);
    return true;
}

static void end(struct ets_drawing *d)
{
    const struct ets_picture picture = {(uint32_t)d->width * SCALE,
                                        (uint32_t)d->height * SCALE,
                                        d->pixels,
                                        palette,
                                        ETS_INK_COUNT,
                                        true};
    ets_png_write(&picture, d->output);
}

static void group(struct ets_drawing *d, struct ets_text title)
{
    (void)d;
    (void)title;
}

static void group_end(struct ets_drawing *d)
{
    (void)d;
}

static int pixel_of(double place)
{
    return (int)lround(fmin(fmax(place, -1), 1e6) * SCALE);
}

static void put(struct ets_drawing *d, int x, int y, enum ets_ink ink)
{
    if (x < 0 || y < 0 || x >= d->width * SCALE || y >= d->height * SCALE) return;
    d->pixels[(size_t)y * (size_t)(d->width * SCALE) + (size_t)x] = (uint8_t)ink;
}

static enum ets_ink ink_at(enum ets_ink ink, enum ets_box box, int x, int y, bool is_border)
{
    if (box == ETS_BOX_HATCHED && (x + y) % HATCH < HATCH_WIDTH) return ETS_INK_PAPER;
    if (!is_border) return ink;
    if (box == ETS_BOX_DASHED) return (x + y) % DASH < DASH / 2 + 1 ? ETS_INK_TEXT : ink;
    return ink;
}

static void box(struct ets_drawing *d, enum ets_ink ink, enum ets_box box, struct ets_area area)
{
    const int left = pixel_of(area.x), top = pixel_of(area.y);
    const int right = pixel_of(area.x + area.width), bottom = pixel_of(area.y + area.height);
    const bool is_dot = ink == ETS_INK_POINT || ink == ETS_INK_MARK;
    const int gap = right - left > 3 && bottom - top > 3 && box != ETS_BOX_DASHED && !is_dot;
    for (int y = top; y < bottom - gap; y++) {
        for (int x = left; x < (right > left ? right - gap : left + 1); x++) {
            const bool is_border = x == left || y == top || x == right - 1 || y == bottom - 1;
            put(d, x, y, ink_at(ink, box, x, y, is_border));
        }
    }
}

static void line(struct ets_drawing *d, enum ets_ink ink, struct ets_area from_by)
{
    const double length = fmin(fmax(fabs(from_by.width), fabs(from_by.height)), ETS_PICTURE_MOST);
    const int steps = (int)ceil(length * SCALE);
    for (int i = 0; i <= steps; i++) {
        const double part = steps == 0 ? 0 : (double)i / steps;
        const int x = pixel_of(from_by.x + part * from_by.width);
        const int y = pixel_of(from_by.y + part * from_by.height);
        for (int k = 0; k < SCALE; k++) {
            put(d, x + (fabs(from_by.height) > fabs(from_by.width) ? k : 0),
                y + (fabs(from_by.height) > fabs(from_by.width) ? 0 : k), ink);
        }
    }
}

static void put_glyph(struct ets_drawing *d, enum ets_ink ink, bool is_bold, int x, int y,
                      const uint8_t *rows)
{
    for (int i = 0; i < ETS_GLYPH_HEIGHT * SCALE; i++) {
        for (int k = 0; k < ETS_GLYPH_WIDTH * SCALE; k++) {
            if ((rows[i / SCALE] >> (ETS_GLYPH_WIDTH - 1 - k / SCALE) & 1) == 0) continue;
            put(d, x + k, y + i, ink);
            if (is_bold) put(d, x + k + 1, y + i, ink);
        }
    }
}

/* Where the next character begins; what the font has not is '?', and an ellipsis two points. */
static size_t next_character(struct ets_text text, size_t at, const char **letters)
{
    size_t next = at + 1;
    while (next < text.size && ((unsigned char)text.data[next] & 0xC0) == 0x80) next++;
    if (next == at + 1) *letters = NULL;
    else *letters = next == at + 3 && memcmp(text.data + at, "\xe2\x80\xa6", 3) == 0 ? ".." : "?";
    return next;
}

static size_t count_letters(struct ets_text text)
{
    const char *letters;
    size_t count = 0;
    for (size_t i = 0; i < text.size;) {
        i = next_character(text, i, &letters);
        count += letters == NULL ? 1 : strlen(letters);
    }
    return count;
}

static void text(struct ets_drawing *d, enum ets_ink ink, bool is_bold, double x, double y,
                 enum ets_align align, struct ets_text text)
{
    const double advance = is_bold ? LETTER + 0.5 : LETTER;
    const double width = (double)count_letters(text) * advance;
    double at = x - (align == ETS_ALIGN_MIDDLE ? width / 2 : align == ETS_ALIGN_RIGHT ? width : 0);
    const int top = pixel_of(y - ETS_GLYPH_HEIGHT);
    for (size_t i = 0; i < text.size;) {
        const char *letters;
        const char own[2] = {text.data[i], '\0'};
        i = next_character(text, i, &letters);
        for (const char *c = letters == NULL ? own : letters; *c != '\0'; c++) {
            put_glyph(d, ink, is_bold, pixel_of(at), top, ets_glyph(*c));
            at += advance;
        }
    }
}

const struct ets_drawing_kind ets_png_drawing = {LETTER,    begin, end,  group,
                                                 group_end, box,   line, text};
