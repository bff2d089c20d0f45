/* The lines of a source file: from the file itself, or those that the record holds. */
#ifndef ETSCOPE_OUTPUT_TABLE_SOURCE_TEXT_H
#define ETSCOPE_OUTPUT_TABLE_SOURCE_TEXT_H

#include "output/table/annotate_table.h"
#include "views/source_lines.h"

struct ets_source_text {
    struct ets_text *lines; /* [count], line 1 first; NULL: the file is not there */
    uint32_t count;
    uint8_t *is_shown; /* [count] */
};

/* False where memory ran out. `text` is borrowed. */
bool ets_source_text_split(struct ets_arena *arena, struct ets_bytes text,
                           struct ets_source_text *source_out);

/* 0 where the file has the lines that the record holds of it, and at least one; else the first line
 * that differs. */
uint32_t ets_source_text_difference(const struct ets_source_text *source,
                                    const struct ets_place *places, uint32_t count);

/* Marks what is to be shown around a line. */
void ets_source_text_show(struct ets_source_text *source,
                          const struct ets_annotate_options *options, uint32_t line);

#endif
