/*
 * The operators that a backend's runtime makes of a payload's nodes, and the names that it reports,
 * where that is known.
 *
 *     struct ets_payload_events events;
 *     ETS_TRY(ets_payload_events(&arena, graph, &events, error));
 *     if (events.items == NULL) explain(graph, events.odd_node);
 */
#ifndef ETSCOPE_PAYLOAD_PAYLOAD_EVENTS_H
#define ETSCOPE_PAYLOAD_PAYLOAD_EVENTS_H

#include "base/error.h"
#include "host/arena.h"
#include "payload/payload.h"

/* One operator of the runtime: "Fully Connected (NC, F32) GEMM", and the nodes that it computes. */
struct ets_payload_event {
    const char *name;
    const uint32_t *nodes; /* indices, ascending */
    uint32_t node_count;
};

struct ets_payload_events {
    struct ets_payload_event *items; /* in the order of execution */
    uint32_t count;
    uint32_t odd_node; /* `items` NULL: the first node without a known event */
    bool is_quantized; /* some values have static 8-bit quantization */
    bool has_half;     /* some values are 16-bit floats, which some processors compute as 32-bit */
};

/* Whether events of this backend are known at all. */
bool ets_payload_has_events(const struct ets_payload_graph *graph);

/* Statuses: NO_MEMORY. */
enum ets_status ets_payload_events(struct ets_arena *arena, const struct ets_payload_graph *graph,
                                   struct ets_payload_events *events_out, struct ets_error *error);

#endif
