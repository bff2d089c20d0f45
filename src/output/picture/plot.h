/*
 * What the pictures of a trace share: the block that they show, its headline, and words for times.
 *
 *     struct ets_plot plot;
 *     enum ets_status status = ets_plot_open(&plot, inspection, &options, allocator, &error);
 *     if (status == ETS_OK) draw(&plot);
 *     ets_plot_close(&plot);
 */
#ifndef ETSCOPE_OUTPUT_PICTURE_PLOT_H
#define ETSCOPE_OUTPUT_PICTURE_PLOT_H

#include "host/text_builder.h"
#include "output/picture/drawing.h"
#include "views/timed_blocks.h"

struct ets_plot_options {
    struct ets_picture_options picture;
    uint32_t block; /* ETS_NO_INDEX: the one whose runs took most */
    uint32_t run;   /* only this run; ETS_NO_INDEX: all, or the steady ones */
    int steady;     /* 1: without warm-up */
};

struct ets_plot {
    const struct ets_inspection *inspection;
    const struct ets_plot_options *options;
    struct ets_arena arena;
    struct ets_timed_blocks blocks;
    const struct ets_timed_block *block; /* that is shown */
    double tick_ns;                      /* 0: cycles */
    struct ets_text_builder headline;
    char headline_room[1024];
};

/*
 * Chooses the block and words its headline, from the first `sentences` of ets_headline_make. Close
 * it even after a failure. Statuses: NOT_FOUND (no run executed a method), NO_MEMORY.
 */
enum ets_status ets_plot_open(struct ets_plot *plot, const struct ets_inspection *inspection,
                              const struct ets_plot_options *options, uint32_t sentences,
                              const struct ets_allocator *allocator, struct ets_error *error);
void ets_plot_close(struct ets_plot *plot);

/* Room for ets_plot_title. */
enum { ETS_PLOT_TITLE = 400 };

/* "addmm.out: 12.3 us (4.5 %)"; a long name is cut, `share` NULL: no part. */
void ets_plot_title(const struct ets_plot *plot, struct ets_text_builder *title,
                    struct ets_text name, struct ets_span ticks, const struct ets_span *share);

#endif
