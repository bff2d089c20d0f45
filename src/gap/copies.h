/*
 * Copies of a node: a lowering gives each user of a quantized value a dequantize node of its own,
 * all with one debug handle. A call that lists the handle does not tell which copy it has: the one
 * whose user it has.
 */
#ifndef ETSCOPE_GAP_COPIES_H
#define ETSCOPE_GAP_COPIES_H

#include "gap/instructions.h"

/* Exchanges copies between calls until each has those that it uses. Statuses: NO_MEMORY. */
enum ets_status ets_gap_copies_settle(struct gap_instructions *instructions,
                                      struct ets_gap_report *report, struct ets_error *error);

/* Whether a node only dequantizes; `from_out`: the value that it takes. */
bool ets_gap_is_copy(const struct gap_graph *graph, uint32_t node, uint32_t *from_out);

#endif
