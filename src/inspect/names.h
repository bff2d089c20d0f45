/* Names of kernels in rows. */
#ifndef ETSCOPE_INSPECT_NAMES_H
#define ETSCOPE_INSPECT_NAMES_H

#include "etscope/inspect.h"
#include "record/operator_names.h"

/* "permute_copy.out" for a row of a kernel's own event, else absent. */
struct ets_text ets_row_kernel(const struct ets_row *row);

#endif
