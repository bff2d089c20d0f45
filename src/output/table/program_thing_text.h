/* What a program consists of, in words: as cells show it. */
#ifndef ETSCOPE_OUTPUT_TABLE_PROGRAM_THING_TEXT_H
#define ETSCOPE_OUTPUT_TABLE_PROGRAM_THING_TEXT_H

#include "host/text_builder.h"
#include "views/program_changes.h"

/* "kernel", "constant" */
const char *ets_program_part_name(enum ets_program_part part);
/* "removed", "delegated" */
const char *ets_program_change_name(enum ets_program_change_kind kind);
/* "dim order"; static storage. */
const char *ets_program_field_name(enum ets_program_field field);

/* What the thing of a line is called: "aten::linear.out", "fc.weight", "value 12", "arena 1". */
void ets_add_program_thing(struct ets_text_builder *text, const struct ets_program_changes *view,
                           const struct ets_program_change_line *line);
/* The thing on a side: what differs of it, or where it is on one side only, what it is. */
void ets_add_program_side(struct ets_text_builder *text, const struct ets_program_changes *view,
                          const struct ets_program_change_line *line, int side);
/* "argument 2 of aten::linear.out (instruction 3)" */
void ets_add_value_use(struct ets_text_builder *text, const struct ets_method *method,
                       const struct ets_value_use *use);

#endif
