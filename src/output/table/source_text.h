/* The lines of a source file: from the file itself, or those stored in the ETRecord. */
#ifndef ETSCOPE_OUTPUT_TABLE_SOURCE_TEXT_H
#define ETSCOPE_OUTPUT_TABLE_SOURCE_TEXT_H

#include "output/table/annotate_table.h"
#include "views/source_lines.h"

struct ets_source_text {
    struct ets_text *lines; /* [count], line 1 first; NULL: the file was not found */
    uint32_t count;
    uint8_t *is_shown; /* [count] */
};

/* False if memory runs out. `text` is borrowed. */
bool ets_source_text_split(struct ets_arena *arena, struct ets_bytes text,
                           struct ets_source_text *source_out);

/* Whether the file has the frame's line, with the text that the ETRecord has of it. */
bool ets_source_text_agrees(const struct ets_source_text *source,
                            const struct ets_graph_frame *frame);

/*
 * 0 if the file has all of its lines in the ETRecord, and there is one; otherwise the first line
 * that differs, or whose text the ETRecord lacks.
 */
uint32_t ets_source_text_difference(const struct ets_source_text *source,
                                    const struct ets_place *places, uint32_t count);

/* Marks the lines to show around a line. */
void ets_source_text_show(struct ets_source_text *source,
                          const struct ets_annotate_options *options, uint32_t line);

#endif
