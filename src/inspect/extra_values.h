/* Values that are in the extra block, because ETDump has no field for them. */
#ifndef ETSCOPE_INSPECT_EXTRA_VALUES_H
#define ETSCOPE_INSPECT_EXTRA_VALUES_H

#include "etscope/experimental/captured_values.h"

/* Fills `values->extra` with the block's next value; before = ETS_NO_INDEX: no more values. */
void ets_extra_values_next(struct ets_captured_values *values);

#endif
