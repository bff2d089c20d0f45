/*
 * The graphs of programs for TensorBoard's plug-in "graphs": a GraphDef with all of them, and
 * step statistics with the median time of each node.
 *
 *     struct ets_tensorboard_graph graph;
 *     if (!ets_tensorboard_graph_init(&graph, arena)) return no_memory;
 *     status = ets_tensorboard_graph_add(&graph, trace, "profile.etdp/", 1e-3, &missing, error);
 *     if (graph.node_count > 0) put_event(graph.nodes.bytes, graph.nodes.used);
 */
#ifndef ETSCOPE_OUTPUT_EXPORT_TENSORBOARD_GRAPH_H
#define ETSCOPE_OUTPUT_EXPORT_TENSORBOARD_GRAPH_H

#include "host/strings.h"
#include "output/export/export_files.h"
#include "output/export/protobuf_message.h"

/* What the page draws in a minute, and what its server sends; larger graphs are left out. */
enum { ETS_TENSORBOARD_MOST_NODES = 20000, ETS_TENSORBOARD_MOST_BYTES = 1 << 26 };

struct ets_tensorboard_graph {
    struct ets_arena *arena;
    struct ets_strings names; /* of nodes */
    struct ets_message nodes; /* GraphDef */
    struct ets_message times; /* DeviceStepStats: its node_stats */
    struct ets_message node, attribute, value, list;
    uint32_t node_count, time_count;
};

/* False: no memory. */
bool ets_tensorboard_graph_init(struct ets_tensorboard_graph *graph, struct ets_arena *arena);

/*
 * Adds the graphs of the trace's program, or of its record, in the scope `prefix`. Adds nothing
 * where the trace has neither. Where its graphs cannot be read, or are too large, `missing` tells.
 * Status: NO_MEMORY.
 */
enum ets_status ets_tensorboard_graph_add(struct ets_tensorboard_graph *graph,
                                          const struct ets_export_trace *trace, const char *prefix,
                                          double us_per_tick, struct ets_export_missing *missing,
                                          struct ets_error *error);

/* The RunMetadata of the times, into `metadata`. False: no memory. */
bool ets_tensorboard_graph_metadata(struct ets_tensorboard_graph *graph,
                                    struct ets_message *metadata);

#endif
