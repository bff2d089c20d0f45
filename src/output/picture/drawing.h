/*
 * Shapes of a picture, written as SVG (readable on light and on dark) or as PNG (light).
 *
 *     struct ets_drawing d;
 *     const struct ets_drawing_head head = {.title = "Runs", .headline = sentence, .height = 200};
 *     if (ets_draw_begin(&d, &options, arena, output, &head)) {
 *         ets_draw_group(&d, title);
 *         ets_draw_box(&d, ETS_INK_KERNEL, ETS_BOX_SOLID, (struct ets_area){0, 0, 90, 18});
 *         ets_draw_label(&d, (struct ets_area){0, 0, 90, 18}, name);
 *         ets_draw_group_end(&d);
 *         ets_draw_end(&d);
 *     }
 *
 * Lengths are pixels of SVG; a PNG has twice as many. y is 0 below headline and legend. Texts may
 * come from files: they are escaped, and cut where they do not fit.
 */
#ifndef ETSCOPE_OUTPUT_PICTURE_DRAWING_H
#define ETSCOPE_OUTPUT_PICTURE_DRAWING_H

#include <stdbool.h>

#include "host/arena.h"
#include "host/output.h"

/* What a colour stands for. */
enum ets_ink {
    ETS_INK_PAPER,
    ETS_INK_TEXT,
    ETS_INK_SOFT, /* text that is less important */
    ETS_INK_GRID,
    ETS_INK_FRAME, /* encloses others */
    ETS_INK_KERNEL,
    ETS_INK_DELEGATE,
    ETS_INK_INSIDE, /* reported by a delegate */
    ETS_INK_REST,   /* between the others */
    ETS_INK_NARROW, /* several that are too narrow to see alone */
    ETS_INK_TOTAL,
    ETS_INK_FASTER,
    ETS_INK_SLOWER,
    ETS_INK_UNCLEAR,
    ETS_INK_POINT, /* a measured value */
    ETS_INK_MARK,  /* an outlier */
    ETS_INK_BAND,  /* an interval */
    ETS_INK_SHADE, /* behind values */
    ETS_INK_COUNT
};

enum ets_box {
    ETS_BOX_SOLID,
    ETS_BOX_HATCHED, /* undecided */
    ETS_BOX_DASHED   /* filled, with a dashed border: its place is derived */
};

enum ets_align { ETS_ALIGN_LEFT, ETS_ALIGN_MIDDLE, ETS_ALIGN_RIGHT };

enum ets_picture_format { ETS_PICTURE_SVG, ETS_PICTURE_PNG };

struct ets_picture_options {
    enum ets_picture_format format;
    int width; /* ETS_PICTURE_LEAST to ETS_PICTURE_MOST */
};

enum {
    ETS_PICTURE_WIDTH = 960,
    ETS_PICTURE_LEAST = 320,
    ETS_PICTURE_MOST = 4000,
    ETS_PICTURE_TALLEST = 4000,
    ETS_PICTURE_MARGIN = 8,
    ETS_LABEL_HEIGHT = 14
};

struct ets_area {
    double x, y, width, height;
};

struct ets_legend {
    enum ets_ink ink;
    enum ets_box box;
    const char *text;
};

struct ets_drawing_head {
    const char *title;                /* names the kind of picture */
    struct ets_text headline;         /* the answer, in as many lines as it needs */
    const struct ets_legend *legends; /* [legend_count] */
    int legend_count;
    double height;        /* of what is drawn below, at most ETS_PICTURE_TALLEST */
    struct ets_text note; /* stands under it, in as many lines as it needs */
};

struct ets_drawing;

/* A back end. */
struct ets_drawing_kind {
    double letter; /* width of a letter; 0: as in most fonts, by the letter */
    bool (*begin)(struct ets_drawing *drawing, const char *title); /* false: no memory */
    void (*end)(struct ets_drawing *drawing);
    void (*group)(struct ets_drawing *drawing, struct ets_text title);
    void (*group_end)(struct ets_drawing *drawing);
    void (*box)(struct ets_drawing *drawing, enum ets_ink ink, enum ets_box box,
                struct ets_area area);
    void (*line)(struct ets_drawing *drawing, enum ets_ink ink, struct ets_area from_by);
    void (*text)(struct ets_drawing *drawing, enum ets_ink ink, bool is_bold, double x, double y,
                 enum ets_align align, struct ets_text text);
};
extern const struct ets_drawing_kind ets_svg_drawing, ets_png_drawing;

struct ets_drawing {
    const struct ets_drawing_kind *kind;
    struct ets_output *output;
    struct ets_arena *arena;
    int width, height; /* of the whole picture */
    double top;        /* where y is 0 */
    double bottom;     /* of what is drawn, from the top of the picture */
    struct ets_text note;
    uint8_t *pixels; /* of a PNG */
};

/* Begins a picture with its headline and legend; texts of `head` live until the end. Returns false
 * if memory runs out. */
bool ets_draw_begin(struct ets_drawing *drawing, const struct ets_picture_options *options,
                    struct ets_arena *arena, struct ets_output *output,
                    const struct ets_drawing_head *head);
void ets_draw_end(struct ets_drawing *drawing);

/* Shapes that belong together; `title` is shown by browsers under the pointer. */
void ets_draw_group(struct ets_drawing *drawing, struct ets_text title);
void ets_draw_group_end(struct ets_drawing *drawing);

void ets_draw_box(struct ets_drawing *drawing, enum ets_ink ink, enum ets_box box,
                  struct ets_area area);
/* From (x, y) by width to the right and height down. */
void ets_draw_line(struct ets_drawing *drawing, enum ets_ink ink, struct ets_area from_by);
/* y is the base line. */
void ets_draw_text(struct ets_drawing *drawing, enum ets_ink ink, double x, double y,
                   enum ets_align align, struct ets_text text);
/* Text inside of an area, cut to it; nothing where not even a few letters fit. */
void ets_draw_label(struct ets_drawing *drawing, struct ets_area area, struct ets_text text);

/* The step of 1, 2 or 5 times a power of ten with at most `most` steps in `span` (above 0). */
double ets_axis_step(double span, int most);

#endif
