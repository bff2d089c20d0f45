/* How kernels, operators and graph nodes name the same thing. */
#ifndef ETSCOPE_INSPECT_NAMES_H
#define ETSCOPE_INSPECT_NAMES_H

#include "etscope/inspect.h"

/* "permute_copy.out" of a row that is a kernel's own event, else absent. */
struct ets_text ets_row_kernel(const struct ets_row *row);
/* "permute" of "permute_copy.out", "add" of "aten.add.Tensor": what an operator's variants share.
 */
struct ets_text ets_kernel_base_name(struct ets_text kernel);
struct ets_text ets_node_base_name(struct ets_text op);

#endif
