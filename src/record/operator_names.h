/* Common names of kernels, operators and graph nodes. */
#ifndef ETSCOPE_RECORD_OPERATOR_NAMES_H
#define ETSCOPE_RECORD_OPERATOR_NAMES_H

#include <stdbool.h>

#include "base/text.h"
#include "etscope/etrecord.h"

/* The base name of what a node computes: of an operator that export wrapped because it writes to
 * its arguments (auto_functionalized_v2), "update_cache". */
struct ets_text ets_node_operator(const struct ets_graph_node *node);

/*
 * Whether a node of this base name may run as an instruction `kernel` (a base name) without debug
 * handle: under its own name, or turned into it by a pass that ran after the record was made (mm
 * into linear).
 */
bool ets_kernel_is_fused(struct ets_text kernel); /* whether there is such a pass */
bool ets_node_is_fused_into(struct ets_text node, struct ets_text kernel);

/* What the names of a node and of the kernel at its debug handle say of each other. */
enum ets_agreement {
    ETS_NAMES_AGREE,
    ETS_NAMES_UNDECIDED, /* a kernel of another library, which a pass chose: cortex_m::... */
    ETS_NAMES_DIFFER
};
/* `kernel` is "aten::linear", or "linear.out" as kernels report themselves. */
enum ets_agreement ets_node_runs_as(struct ets_text node, struct ets_text kernel);

#endif
