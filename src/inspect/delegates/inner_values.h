/*
 * Which nodes of a record's graph the values within a delegate call are: a payload keeps a debug
 * handle for each of its nodes, which several nodes of the graph may share, and the exporter fuses
 * some into others.
 *
 *     struct ets_inner_value *values = ets_arena_alloc_array(&arena, payload->value_count,
 *                                                            sizeof *values);
 *     ETS_TRY(ets_inner_values_name(&arena, payload, graph, nodes, count, &budget, values, error));
 *     if (values[i].node != NULL) show(values[i].node->name);
 */
#ifndef ETSCOPE_INSPECT_DELEGATES_INNER_VALUES_H
#define ETSCOPE_INSPECT_DELEGATES_INNER_VALUES_H

#include "base/error.h"
#include "dump/extra_taps.h"
#include "etscope/etrecord.h"
#include "etscope/inspect.h"
#include "host/arena.h"
#include "payload/payload.h"

struct ets_inner_value {
    const struct ets_graph_node *node; /* whose first output it is; NULL: not known */
    /* What computes it, where `node` only quantizes the result; else the same. */
    const struct ets_graph_node *maker;
    bool is_channels_last; /* its dims are N, H, W, C where those of the graph are N, C, H, W */
};

/* A budget for calls of a file, which limits the work that a hostile one can cause. */
#define ETS_INNER_VALUES_BUDGET UINT64_C(100000000)

/*
 * Fills values_out[payload->value_count]. `nodes[count]`: those of `graph` that the call computes,
 * in the graph's order. `*budget`: comparisons that remain; without any, values have no names.
 * Status: NO_MEMORY.
 */
enum ets_status ets_inner_values_name(struct ets_arena *arena,
                                      const struct ets_payload_graph *payload,
                                      const struct ets_graph *graph,
                                      const struct ets_graph_node *const *nodes, uint32_t count,
                                      uint64_t *budget, struct ets_inner_value *values_out,
                                      struct ets_error *error);

/* The tensor of a value as the graph has it: with a captured tensor's bytes, dims permuted. */
void ets_inner_value_view(const struct ets_inner_value *value, struct ets_tensor *tensor);

/* A call that gave values from within. */
struct ets_traced_call {
    uint32_t block;
    int64_t chain;
    int32_t instruction;
    struct ets_call_taps taps;
    struct ets_text *operators; /* [taps.count] "Conv2d in XnnpackBackend" */
};

/* Finds those of an inspection, which tells them afterwards. Status: NO_MEMORY. */
enum ets_status ets_inspection_find_taps(struct ets_inspection *inspection,
                                         struct ets_error *error);
/* Whether any call did: times of such runs are not the model's. */
bool ets_inspection_has_taps(const struct ets_inspection *inspection);
/*
 * Which of the arguments that a call logged are values from within: as the trace states it, or a
 * program that was made so. False: none.
 */
bool ets_inspection_taps(const struct ets_inspection *inspection, uint32_t block, int64_t chain,
                         int32_t instruction, struct ets_call_taps *taps_out);
/* What computes argument `argument` of such a call, by the payload; absent: it is the call's own.
 */
struct ets_text ets_inspection_tapped_operator(const struct ets_inspection *inspection,
                                               uint32_t block, int64_t chain, int32_t instruction,
                                               uint32_t argument);
/* The payload of a block's instruction; *payload_out NULL: there is no program, it cannot be read,
 * or it is no delegate call. Status: NO_MEMORY. */
enum ets_status ets_inspection_payload(struct ets_inspection *inspection, uint32_t block,
                                       int64_t chain, int32_t instruction,
                                       const struct ets_payload_graph **payload_out,
                                       struct ets_error *error);
/* The number of the value that a payload calls `id`; ETS_PAYLOAD_NONE: none. */
uint32_t ets_payload_value_of_id(const struct ets_payload_graph *payload, uint32_t id);

#endif
