/*
 * Pairs kernels with nodes by the arguments of the program: a kernel can only be a node that takes
 * the values that the kernel takes. This tells apart nodes of one handle, operator and shape.
 */
#ifndef ETSCOPE_GAP_ARGUMENT_PAIRS_H
#define ETSCOPE_GAP_ARGUMENT_PAIRS_H

#include "gap/instructions.h"

/* Whether the instruction's kernel and captured values can be those of the node. */
typedef bool gap_can_be(const struct gap_instructions *s, const struct ets_gap_report *report,
                        uint32_t instruction, uint32_t node);

/* Sets the nodes of instructions that nothing but one node fits. Does nothing without the program.
 * Statuses: NO_MEMORY. */
enum ets_status ets_gap_arguments_pair(struct gap_instructions *s, struct ets_gap_report *report,
                                       gap_can_be *can_be, struct ets_error *error);

#endif
