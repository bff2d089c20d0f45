/* The text of a cell as people see it. */
#ifndef ETSCOPE_OUTPUT_TABLE_CELL_TEXT_H
#define ETSCOPE_OUTPUT_TABLE_CELL_TEXT_H

#include "output/table/table_cells.h"

enum {
    ETS_CELL_BYTES = 4096,
    ETS_CELL_NUMBER_CHARS = 64,
    ETS_KEPT_TAIL = 9 /* columns behind a cut in the middle, if they tell texts apart: "GEMM #12" */
};

/* A column as it will be shown. */
struct ets_shown_column {
    const struct ets_column *column;
    uint32_t index;                    /* in the table */
    const struct ets_table_unit *unit; /* TIME */
    uint32_t width;                    /* columns of the terminal */
    bool is_right;                     /* aligned */
    bool has_bounds;                   /* narrow ranges are shown as such */
    double largest;                    /* of its times, where they have heat; else 0 */
    uint32_t tail;                     /* columns that stay behind a cut in the middle */
    size_t shared; /* bytes of the folder that all its paths are in, not shown */
};

/* A bounded line of text being composed. */
struct ets_cell_text {
    char data[ETS_CELL_BYTES];
    size_t size;
    bool ascii; /* no character beyond */
};

/* Text from a file: what is not plain must not reach a terminal. */
void ets_cell_append_visible(struct ets_cell_text *out, struct ets_text text);

/* Fills `out` with the cell of a column in a row. */
void ets_cell_compose(struct ets_cell_text *out, const struct ets_shown_column *shown,
                      const struct ets_table_row *row);
/* Adds `mark` and a number. */
void ets_cell_append_count(struct ets_cell_text *out, const char *mark, uint64_t count);
bool ets_cell_has_folder(const struct ets_cell_text *text);

#endif
