/*
 * Predicts which operators the XNNPACK runtime makes of a payload's nodes, and the names that it
 * reports. Source: observation of XNNPACK's subgraph optimisation on payloads of ExecuTorch 1.5.1's
 * exporter on x86-64. On other processors the names differ after the operator's type.
 */
#ifndef ETSCOPE_INSPECT_DELEGATES_XNNPACK_EVENTS_H
#define ETSCOPE_INSPECT_DELEGATES_XNNPACK_EVENTS_H

#include <stdbool.h>

#include "base/error.h"
#include "format/xnnpack.h"
#include "host/arena.h"

/* One operator of the runtime: "Fully Connected (NC, F32) GEMM", and the nodes that it computes. */
struct ets_xnnpack_event {
    const char *name;
    const uint32_t *nodes; /* indices, ascending */
    uint32_t node_count;
};

struct ets_xnnpack_events {
    struct ets_xnnpack_event *items; /* in the order of execution */
    uint32_t count;
    uint32_t odd_node; /* `items` NULL: the first node without a known event */
    bool is_quantized; /* some values have static 8-bit quantisation */
    bool has_half;     /* some values are 16-bit floats, which some processors compute as 32-bit */
};

/* Statuses: NO_MEMORY. */
enum ets_status ets_xnnpack_events(struct ets_arena *arena, const struct ets_xnnpack *payload,
                                   struct ets_xnnpack_events *events_out, struct ets_error *error);

#endif
