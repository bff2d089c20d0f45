/* Checks a delegate's payload against what the record has of its call. */
#ifndef ETSCOPE_INSPECT_DELEGATES_CALL_CHECK_H
#define ETSCOPE_INSPECT_DELEGATES_CALL_CHECK_H

#include "inspect/delegates/delegate_units.h"

/* Handles and nodes that all checks of a file may look at: hostile files repeat them. */
#define ETS_CALL_CHECK_BUDGET (UINT64_C(1) << 28)

/* Whether a node of the graph, or of its branches, has to do with quantization. */
bool ets_graph_quantizes(const struct ets_graph *graph);

/*
 * Whether the payload is of the export that the record describes, as far as both tell. Two exports
 * of one model often have the same instructions, and differ only here. Beyond `*budget`, and where
 * one of them tells nothing, there is no contradiction. Statuses: MISMATCH, with what contradicts
 * what; NO_MEMORY.
 */
enum ets_status ets_delegate_call_check(struct ets_arena *arena,
                                        const struct ets_delegate_call *call, uint64_t *budget,
                                        struct ets_error *error);

#endif
