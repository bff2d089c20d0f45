/* What upstream's Inspector attaches to the events of one block from an ETRecord. */
#ifndef ETSCOPE_INSPECT_UPSTREAM_JOIN_H
#define ETSCOPE_INSPECT_UPSTREAM_JOIN_H

#include "inspect/inspection.h"

/* Fills handles, op_types, backend and nodes of `events`. `block`: index of one of our blocks. */
enum ets_status ets_upstream_join(struct ets_inspection *inspection, uint32_t block,
                                  struct ets_upstream_event *events, uint32_t count,
                                  struct ets_error *error);

#endif
