/* What upstream's Inspector attaches to the events of one block from an ETRecord. */
#ifndef ETSCOPE_INSPECT_UPSTREAM_UPSTREAM_JOIN_H
#define ETSCOPE_INSPECT_UPSTREAM_UPSTREAM_JOIN_H

#include <stdbool.h>

#include "inspect/inspection.h"
#include "inspect/upstream/upstream_view.h"

/*
 * Fills handles, op_types, backend and nodes of `events`. `block`: index of one of our blocks.
 * `mended`: by exact identifiers and the block's own method, not as upstream does.
 */
enum ets_status ets_upstream_join(struct ets_inspection *inspection, uint32_t block, bool mended,
                                  struct ets_upstream_event *events, uint32_t count,
                                  struct ets_error *error);

#endif
