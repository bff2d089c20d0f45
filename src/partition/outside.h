/*
 * Why an operator stayed outside of delegates.
 *
 *     struct ets_partition *partition;
 *     ETS_TRY(ets_partition_open(&arena, graph, &asked, &partition, error));
 *     struct ets_outside outside;
 *     if (!ets_outside_find(&arena, partition, nodes, count, kernel, &outside)) return no_memory;
 *     if (outside.kind == ETS_OUTSIDE_REFUSED) print(outside.reason, outside.remedy);
 *
 * No file keeps what the partitioner said, so its rules are applied to the edge graph of the
 * record, which is the graph that the partitioner saw. The rules are those of XnnpackPartitioner in
 * ExecuTorch 1.5.1 (backends/xnnpack/partition/config); of other partitioners only the operators
 * that they take in some form are known. Another version may decide otherwise.
 */
#ifndef ETSCOPE_PARTITION_OUTSIDE_H
#define ETSCOPE_PARTITION_OUTSIDE_H

#include <stdbool.h>

#include "etscope/inspect.h"
#include "host/arena.h"

enum ets_outside_kind {
    ETS_OUTSIDE_UNKNOWN = 0, /* the record has no node of the instruction, or does not decide */
    ETS_OUTSIDE_NO_RULE = 1, /* the partitioner has no rule for the operator */
    ETS_OUTSIDE_REFUSED = 2, /* a rule refuses it */
    ETS_OUTSIDE_TAKEN = 3    /* the rules take it: something else kept it out */
};

struct ets_judgement;

/* A partitioner, and what is known of it. */
struct ets_partitioner {
    const char *backend, *name; /* "VulkanBackend", "VulkanPartitioner" */
    const char *release;        /* "VulkanPartitioner in ExecuTorch 1.5.1" */
    const char *engine;         /* as prose calls the backend: "Vulkan" */
    const char *basis;          /* of verdicts: "rules", or "operator list" */
    enum ets_outside_kind (*judge)(struct ets_judgement *judgement);
};

/* The partitioners that a method was given to; the verdict is that of the first. */
struct ets_asked {
    const struct ets_partitioner *items[6];
    uint32_t count;
};

struct ets_outside {
    enum ets_outside_kind kind;
    const char *rule;       /* a name for programs: "keepdim", "no_rule"; NULL: UNKNOWN */
    struct ets_text reason; /* "keepdim=False; only keepdim=True is taken"; of several partitioners
                               each with its name; data NULL: nothing is known */
    const char *remedy;     /* "keepdim=True, then flatten"; NULL: none is known */
    const struct ets_graph_node *node; /* that was judged, or NULL */
    const struct ets_asked *asked;     /* by whose rules; NULL: no node was judged */
};

/* A graph with what makes and uses its values. */
struct ets_partition;

/* Both are borrowed. `asked`: at least one partitioner; NULL: nothing is to be judged. Returns
 * false if memory runs out. */
bool ets_partition_open(struct ets_arena *arena, const struct ets_graph *graph,
                        const struct ets_asked *asked, struct ets_partition **partition_out);

/*
 * Judges the nodes of a kernel call. `kernel` is the operator that the program calls
 * ("aten::mean.out"): of several nodes the one of that name counts, and of several of these the
 * first that a rule refuses. Returns false if memory runs out.
 */
bool ets_outside_find(struct ets_arena *arena, const struct ets_partition *partition,
                      const struct ets_row_node *nodes, size_t count, struct ets_text kernel,
                      struct ets_outside *outside_out);

/* "no_rule", "refused", "taken"; NULL for UNKNOWN */
const char *ets_outside_kind_name(enum ets_outside_kind kind);

#endif
