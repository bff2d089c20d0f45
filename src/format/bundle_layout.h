/* How a tensor's elements are stored in a bundled program. */
#ifndef ETSCOPE_FORMAT_BUNDLE_LAYOUT_H
#define ETSCOPE_FORMAT_BUNDLE_LAYOUT_H

#include <stdbool.h>

#include "etscope/tensor.h"

/*
 * Fills `rank` dimensions, outermost first. Returns true if the elements lie in this order without
 * gaps, so that they can be stored unchanged. Otherwise the order is the logical one, and the
 * elements must be gathered.
 */
bool ets_bundle_dim_order(const struct ets_tensor *tensor, uint8_t *dim_order_out);

#endif
