/* Joins the events of one block with an ETRecord, like ExecuTorch's Inspector does. */
#ifndef ETSCOPE_INSPECT_UPSTREAM_UPSTREAM_JOIN_H
#define ETSCOPE_INSPECT_UPSTREAM_UPSTREAM_JOIN_H

#include <stdbool.h>

#include "inspect/inspection.h"
#include "inspect/upstream/upstream_view.h"

/*
 * Fills handles, op_types, backend and nodes of `events`. `block` is the index of one of our
 * blocks. `mended`: use exact identifiers and the block's own method, unlike ExecuTorch.
 */
enum ets_status ets_upstream_join(struct ets_inspection *inspection, uint32_t block, bool mended,
                                  struct ets_upstream_event *events, uint32_t count,
                                  struct ets_error *error);

#endif
