/* The columns of the annotated source, line by line. */
#ifndef ETSCOPE_OUTPUT_TABLE_ANNOTATE_CELLS_H
#define ETSCOPE_OUTPUT_TABLE_ANNOTATE_CELLS_H

#include "output/table/annotate_table.h"
#include "output/table/recorded_frames.h"
#include "views/headroom.h"
#include "views/source_lines.h"

struct annotate_filler {
    struct ets_table *table;
    const struct ets_inspection *inspection;
    const struct ets_annotate_options *options;
    struct ets_annotate_gaps *gaps;
    const struct ets_block *block; /* available */
    uint32_t block_index;
    struct ets_arena *arena;       /* of one block */
    double tick_ns;                /* 0: the clock has no unit */
    const struct ets_costs *costs; /* NULL: none */
    double flops_unit;             /* that people see flops in */
    bool has_roofs;                /* `headroom` is found for each block */
    struct ets_headroom headroom;  /* of the block */
    struct ets_chosen_runs runs;
    struct ets_source_lines work;        /* of the block */
    struct ets_recorded_frames recorded; /* of all blocks, if source files are shown */
};

/* A row of the table: a source line, with or without data. */
struct annotate_line {
    const struct annotate_filler *f; /* filled in by ets_annotate_put_line */
    const struct ets_place *place;   /* NULL: nothing is known */
    struct ets_text file, code;
    uint32_t line; /* 0: none */
    double total;
};

void ets_annotate_add_columns(struct annotate_filler *filler);
void ets_annotate_put_line(const struct annotate_filler *filler, struct annotate_line line);
/* Whether there is data about the line. */
bool ets_annotate_has_line(const struct annotate_filler *filler, const struct ets_place *place);

#endif
