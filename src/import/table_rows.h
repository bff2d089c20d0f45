/*
 * Records of a table as text: CSV, values between tabs, or drawn with bars, of which frames and
 * lines between rows are skipped.
 */
#ifndef ETSCOPE_IMPORT_TABLE_ROWS_H
#define ETSCOPE_IMPORT_TABLE_ROWS_H

#include <stdbool.h>

#include "base/error.h"
#include "host/arena.h"

enum { ETS_TABLE_MOST_CELLS = 96 }; /* cells behind them are not read */

struct ets_table_reader {
    struct ets_bytes bytes;
    struct ets_arena *arena;
    size_t at;        /* of the next record */
    size_t record_at; /* of the record that was read last */
    char separator;   /* '\t', ',', or '|' also for bars of box-drawing characters */
    struct ets_text cells[ETS_TABLE_MOST_CELLS];
    uint32_t cell_count;
};

/*
 * Reads the next record into `cells`; *found_out: whether there was one. Statuses: MALFORMED (a
 * quotation mark that nothing closes), NO_MEMORY.
 */
enum ets_status ets_table_next(struct ets_table_reader *reader, bool *found_out,
                               struct ets_error *error);

#endif
