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

enum ets_source_match {
    ETS_SOURCE_AGREES,
    ETS_SOURCE_DIFFERS,
    ETS_SOURCE_UNKNOWN /* the ETRecord has no text of the line */
};

/* Compares the frame's line with the text that the ETRecord has of it. */
enum ets_source_match ets_source_text_compare(const struct ets_source_text *source,
                                              const struct ets_graph_frame *frame);

/* The first frame whose line does not agree; NULL: all do. */
const struct ets_graph_frame *ets_source_text_difference(const struct ets_source_text *source,
                                                         const struct ets_place *places,
                                                         uint32_t count);

/* Marks the lines to show around a line. */
void ets_source_text_show(struct ets_source_text *source,
                          const struct ets_annotate_options *options, uint32_t line);

#endif
