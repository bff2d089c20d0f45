/* The cells of a table, for its renderers. */
#ifndef ETSCOPE_OUTPUT_TABLE_TABLE_CELLS_H
#define ETSCOPE_OUTPUT_TABLE_TABLE_CELLS_H

#include <stdbool.h>

#include "base/error.h"
#include "host/arena.h"
#include "host/output.h"
#include "host/strings.h"
#include "output/table/table.h"

enum ets_cell_kind { CELL_NOTHING, CELL_TEXT, CELL_LIST, CELL_INTEGER, CELL_REAL };

/* Kept small: a hostile file can ask for very many. */
struct ets_cell {
    unsigned char kind;    /* enum ets_cell_kind */
    unsigned char meaning; /* enum ets_meaning */
    union {
        struct ets_text text; /* TEXT */
        struct {
            const struct ets_text *items; /* LIST */
            size_t item_count;
        };
        int64_t integer;
        struct {
            double lower, upper; /* REAL: equal where it is exact */
        };
    };
};

struct ets_table_row {
    bool is_section;  /* cells[0] is its heading */
    bool is_note;     /* a section that is a note after other rows */
    bool is_headline; /* a note that is the first of the table's answers */
    bool is_quiet;
    uint32_t depth;
    struct ets_cell *cells; /* [column_count] */
};

struct ets_table {
    struct ets_arena arena, scratch;
    struct ets_column *columns;
    uint32_t column_count, column_capacity;
    struct ets_text *leads; /* above everything */
    uint32_t lead_count, lead_capacity;
    struct ets_table_row *rows;
    uint32_t row_count, row_capacity;
    uint32_t used_cells;        /* of the last row */
    struct ets_strings texts;   /* of all cells, each stored once */
    uint64_t cell_bytes, limit; /* of all cells together; 0: no limit */
    bool no_memory, is_over;
    const struct ets_advice_words *words;
};

/* table_text.c: TABLE and MARKDOWN. table_records.c: all others. */
enum ets_status ets_table_write_text(const struct ets_table *table,
                                     const struct ets_table_style *style, struct ets_output *output,
                                     struct ets_error *error);
enum ets_status ets_table_write_records(const struct ets_table *table,
                                        const struct ets_table_style *style,
                                        struct ets_output *output, struct ets_error *error);

/* Time units, longest first; `ns` is the unit in nanoseconds. */
struct ets_table_unit {
    const char *name;
    double ns;
};
/* The unit named `name`, or NULL. */
const struct ets_table_unit *ets_table_find_unit(const char *name);

#endif
