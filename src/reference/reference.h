/*
 * reference.h - a graph of an ETRecord evaluated on the host, value by value, with the runtime's
 * own kernels: what a program should have computed.
 *
 *      *     #include "etscope/numerics.h"
 *
 *     static enum ets_status look(void *context, const struct ets_reference_result *result,
 *                                 struct ets_value *replacement_out, struct ets_error *error)
 *     {
 *         struct ets_tensor_statistics summary;
 *         if (result->value.kind == ETS_VALUE_TENSOR &&
 *             ets_tensor_statistics_of(&result->value.as.tensor, 0, &summary) == ETS_OK) {
 *             printf("%s: %g to %g\n", result->node->name.data, summary.min, summary.max);
 *         }
 *         return ETS_OK;
 *     }
 *
 *     struct ets_reference_options options = {
 *         .engine = engine, .record = record, .graph = aten, .fallback = edge};
 *     struct ets_reference *reference = NULL;
 *     status = ets_reference_open(&options, &reference, &error);
 *     if (status == ETS_OK) {
 *         status = ets_reference_run(reference, inputs, input_count, look, NULL, &error);
 *     }
 *     ets_reference_close(reference);
 *
 * A node is computed by the first of: an expression of kernels and views, where there is one
 * (src/reference/expression_table.c); the kernel that is registered for its operator; the nodes of
 * `fallback` that descend from it by from_node. A node for which there is none of the three is
 * uncovered: its values, and what is computed from them, are not available, unless the caller
 * replaces them. So are values of a node whose kernel refuses its arguments, and outputs of which
 * the fallback does not tell which of its values they are; the reason says so.
 *
 * Conditions, maps, scans and while loops run their bodies, whose nodes are shown each time that
 * they are computed. Sizes that a graph tells as text follow from the inputs, and from numbers that
 * are taken out of tensors.
 *
 * Weights are read in the record's mapped bytes and never copied as a whole (with use_double: one
 * at a time, when used); other values go after their last use. Buffers that the graph changes have
 * the record's values at the start of every run: those of `fallback`, where that has them, as the
 * ATen program's may have been changed between export and saving. One reference belongs to one
 * thread at a time; engine, record and graphs are borrowed until close.
 */
#ifndef ETSCOPE_REFERENCE_REFERENCE_H
#define ETSCOPE_REFERENCE_REFERENCE_H

#include "etscope/base.h"
#include "etscope/engine.h"
#include "etscope/etrecord.h"

struct ets_reference;

struct ets_reference_options {
    const struct ets_engine *engine;
    struct ets_etrecord *record;
    const struct ets_graph *graph;    /* of the record: its ATen program or an edge program */
    const struct ets_graph *fallback; /* the edge program that was made from `graph`; or NULL */
    int use_double; /* 1: floating-point tensors are float64, where a kernel can */
    const struct ets_allocator *allocator; /* NULL: the C library's */
    uint64_t memory_limit; /* bytes that values may take at once; 0: 64 GiB or the host's memory,
                              which it is never above */
};

/* How a node is computed. */
enum ets_reference_route {
    ETS_ROUTE_KERNEL = 0,     /* by one registered kernel */
    ETS_ROUTE_EXPRESSION = 1, /* by kernels, views and copies put together */
    ETS_ROUTE_FALLBACK = 2,   /* by the fallback's nodes that descend from it */
    ETS_ROUTE_UNCOVERED = 3   /* not at all */
};

struct ets_reference_node {
    const struct ets_graph_node *node; /* of `graph` or of its subgraphs */
    enum ets_reference_route route;
    const char *kernel; /* KERNEL: "aten::add.out"; else NULL */
    const char *reason; /* UNCOVERED: what is missing; FALLBACK: why; else NULL */
    int is_single;      /* 1: asked for float64, but computed in the types of the record */
};

/* A value that was computed; lists of tensors give one result for each. */
struct ets_reference_result {
    const struct ets_graph_node *node;
    uint32_t output;        /* among the node's outputs, lists counted through */
    uint32_t output_count;  /* of the node, counted so */
    uint32_t iteration;     /* how often the node was computed before in this run: loops */
    struct ets_value value; /* kind NONE: not available; tensors are borrowed for the call */
    const char *reason;     /* why it is not available; else NULL */
    int is_random;          /* 1: the node draws random numbers: only the device has its value */
};

/*
 * Called for every value in the order of the graph. A `*replacement_out` whose kind is set (it is
 * NONE at first) takes the value's place in all that is computed from it: a tensor of the same
 * shape, whose numbers are copied and converted (INVALID_ARGUMENT: another shape or kind). Where
 * the graph works in place on the value's storage, the numbers are written there, so that other
 * views of it have them, too. A status other than OK ends the run with it.
 */
typedef enum ets_status ets_reference_observer(void *context,
                                               const struct ets_reference_result *result,
                                               struct ets_value *replacement_out,
                                               struct ets_error *error);

/*
 * Makes `graph` ready: finds how each node is computed, and when each value is last used. Statuses:
 * INVALID_ARGUMENT, MALFORMED (a value is used before it is made, or a weight does not fit),
 * NOT_FOUND (a weight is missing: a slim record, with what is then possible), NO_MEMORY, and those
 * of the record's readers.
 */
enum ets_status ets_reference_open(const struct ets_reference_options *options,
                                   struct ets_reference **reference_out, struct ets_error *error);
void ets_reference_close(struct ets_reference *reference); /* NULL is allowed */

/* The nodes of `graph`, and behind them those of its subgraphs, breadth first. */
uint32_t ets_reference_node_count(const struct ets_reference *reference);
const struct ets_reference_node *ets_reference_node(const struct ets_reference *reference,
                                                    uint32_t index);

/*
 * Computes every node on `inputs`, the graph's user inputs in their order, plain numbers included.
 * INVALID_ARGUMENT: their number, a kind, a scalar type, a shape or a plain number is another than
 * the graph's, with what was expected and given. RUNTIME: an assertion of the graph (a node without
 * values) failed, or a condition is no truth value, with the node's name. LIMIT: a size above what
 * a tensor may have, values above 64 GiB or the host's memory at once or 1 TiB in all, or 2^20
 * turns of loops or 2^24 nodes in all. NO_MEMORY, or what the observer returned: it is called often
 * enough to end a run that takes too long, though not in the middle of a product of large matrices.
 */
enum ets_status ets_reference_run(struct ets_reference *reference, const struct ets_value *inputs,
                                  size_t input_count, ets_reference_observer *observer,
                                  void *context, struct ets_error *error);

/* Most bytes that values (weights apart) took at once in the last run. */
uint64_t ets_reference_peak_bytes(const struct ets_reference *reference);

#endif
