/* A node of an XNNPACK payload, and what differs of it, in words. */
#ifndef ETSCOPE_OUTPUT_TABLE_PAYLOAD_NODE_TEXT_H
#define ETSCOPE_OUTPUT_TABLE_PAYLOAD_NODE_TEXT_H

#include "host/text_builder.h"
#include "views/program_changes.h"

/* "FullyConnected, node 3", with " of delegate 2" where there are several */
void ets_add_payload_node(struct ets_text_builder *text, const struct ets_program_change_line *line,
                          int side);
/* "input 1 fp32 [8, 16], clamp [0, 6]": what differs, or of a node on one side what it makes. */
void ets_add_payload_node_side(struct ets_text_builder *text,
                               const struct ets_program_change_line *line, int side);
/* "delegate 0, node 3 (FullyConnected)", and for a constant in another form ", as qint8 [8, 16]" */
void ets_add_constant_holder(struct ets_text_builder *text,
                             const struct ets_program_change_line *line);

#endif
