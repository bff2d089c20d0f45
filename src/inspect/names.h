/* Common names of kernels, operators and graph nodes. */
#ifndef ETSCOPE_INSPECT_NAMES_H
#define ETSCOPE_INSPECT_NAMES_H

#include "etscope/inspect.h"

/* "permute_copy.out" for a row of a kernel's own event, else absent. */
struct ets_text ets_row_kernel(const struct ets_row *row);
/*
 * The common name of an operator's variants: "permute" for "permute_copy.out", "add" for
 * "aten.add.Tensor".
 */
struct ets_text ets_kernel_base_name(struct ets_text kernel);
struct ets_text ets_node_base_name(struct ets_text op);

#endif
