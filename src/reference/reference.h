/*
 * reference.h - evaluates a graph of an ETRecord on the host, value by value, with the runtime's
 * own kernels: what a program should have computed.
 *
 *     #include "etscope/numerics.h"
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
 * A node is computed by the first of these that exists: an expression of kernels and views
 * (src/reference/expression_table.c), the kernel registered for its operator, or the nodes of
 * `fallback` that descend from it by from_node. Otherwise it is uncovered: its values, and values
 * computed from them, are not available, unless the caller replaces them. Values are also not
 * available if a kernel refuses its arguments, or if several values of the fallback could be an
 * output. The reason says so.
 *
 * Conditions, maps, scans and while loops run their bodies; the observer sees their nodes each time
 * they are computed. Symbolic sizes are computed from the inputs, and from numbers read from
 * tensors.
 *
 * Weights are read from the record's mapped bytes and never copied all at once (with use_double:
 * one at a time, when used). Other values are freed after their last use. At the start of each run,
 * buffers that the graph changes have the values of `start`, or the record's: those of `fallback`
 * if it has them, because the ATen program's may have changed between export and saving. Use a
 * reference from one thread at a time. Engine, record and graphs are borrowed until close.
 */
#ifndef ETSCOPE_REFERENCE_REFERENCE_H
#define ETSCOPE_REFERENCE_REFERENCE_H

#include "etscope/base.h"
#include "etscope/engine.h"
#include "etscope/etrecord.h"

struct ets_reference;
struct ets_reference_state;

/* Numbers in place of a weight's. */
struct ets_reference_weight {
    struct ets_text source;   /* as the graph's input names it */
    struct ets_tensor tensor; /* of the weight's shape; borrowed until close */
};

struct ets_reference_options {
    const struct ets_engine *engine;
    struct ets_etrecord *record;
    const struct ets_graph *graph;    /* of the record: its ATen program or an edge program */
    const struct ets_graph *fallback; /* the edge program that was made from `graph`; or NULL */
    int use_double; /* 1: floating-point tensors are float64, if a kernel supports it */
    const struct ets_allocator *allocator; /* NULL: the C library's */
    uint64_t memory_limit; /* bytes that values may take at once, at most the host's memory;
                              0: 64 GiB */
    const struct ets_reference_state *start; /* buffers as earlier runs left them; NULL: as the
                                                record has them (reference_state.h) */
    struct ets_reference_state *end; /* takes the buffers that a run changes, if it ends well; may
                                        be `start`; NULL: they are dropped */
    const struct ets_reference_weight *weights; /* [weight_count] in place of the record's */
    uint32_t weight_count;
};

/* How a node is computed. */
enum ets_reference_route {
    ETS_ROUTE_KERNEL = 0,     /* by one registered kernel */
    ETS_ROUTE_EXPRESSION = 1, /* by a combination of kernels, views and copies */
    ETS_ROUTE_FALLBACK = 2,   /* by the nodes of the fallback that descend from it */
    ETS_ROUTE_UNCOVERED = 3   /* not at all */
};

struct ets_reference_node {
    const struct ets_graph_node *node; /* of `graph` or of its subgraphs */
    enum ets_reference_route route;
    const char *kernel; /* KERNEL: "aten::add.out"; else NULL */
    const char *reason; /* UNCOVERED: what is missing; FALLBACK: why it is used; else NULL */
    int is_single;      /* 1: computed in the types of the record instead of float64 */
};

/* A computed value; a list of tensors gives one result per item. */
struct ets_reference_result {
    const struct ets_graph_node *node;
    uint32_t output;        /* among the node's outputs, items of lists included */
    uint32_t output_count;  /* of the node, items of lists included */
    uint32_t iteration;     /* earlier computations of the node in this run, in loops */
    struct ets_value value; /* kind NONE: not available; tensors are borrowed for the call */
    const char *reason;     /* why it is not available; else NULL */
    int is_random;          /* 1: the node draws random numbers, so only the device has its value */
};

/*
 * Called for every value in graph order. To replace the value in later computations, set
 * `*replacement_out` (its kind is NONE at first) to a tensor of the same shape; its numbers are
 * copied and converted (INVALID_ARGUMENT: another shape or kind). If the graph works in place on
 * the value's storage, the numbers are written there, so that other views see them. A status other
 * than OK ends the run and is returned.
 */
typedef enum ets_status ets_reference_observer(void *context,
                                               const struct ets_reference_result *result,
                                               struct ets_value *replacement_out,
                                               struct ets_error *error);

/*
 * Prepares `graph`: finds how to compute each node, and the last use of each value. Statuses:
 * INVALID_ARGUMENT, MALFORMED (a value is used before it is defined, or a weight has the wrong type
 * or shape), NOT_FOUND (a weight is missing, as in a slim record), NO_MEMORY, and those of the
 * record's readers.
 */
enum ets_status ets_reference_open(const struct ets_reference_options *options,
                                   struct ets_reference **reference_out, struct ets_error *error);
void ets_reference_close(struct ets_reference *reference); /* NULL is allowed */

/* In place of the number of inputs of a run. */
#define ETS_REFERENCE_UNKNOWN_INPUTS SIZE_MAX

/* The nodes of `graph`, followed by those of its subgraphs, breadth first. */
uint32_t ets_reference_node_count(const struct ets_reference *reference);
const struct ets_reference_node *ets_reference_node(const struct ets_reference *reference,
                                                    uint32_t index);

/*
 * Computes every node on `inputs`, the graph's user inputs in order, plain numbers included.
 * Instead of their number, ETS_REFERENCE_UNKNOWN_INPUTS: they are not known, and only what the
 * observer replaces, and what follows from that, is computed.
 * Statuses: INVALID_ARGUMENT: the number of inputs, or a kind, scalar type, shape or plain number
 * differs from the graph's; the message says what was expected and given. RUNTIME: an assertion of
 * the graph (a node without values) failed, or a condition is not a boolean; the message names the
 * node. LIMIT: a tensor that is too large, values above 64 GiB or the host's memory at once or 1
 * TiB in total, 2^20 loop iterations or 2^24 nodes in total. NO_MEMORY. The status of the observer:
 * it is called often enough to end a run that takes too long, except during a product of large
 * matrices.
 */
enum ets_status ets_reference_run(struct ets_reference *reference, const struct ets_value *inputs,
                                  size_t input_count, ets_reference_observer *observer,
                                  void *context, struct ets_error *error);

/* The most bytes that values (without weights) took at once in the last run. */
uint64_t ets_reference_peak_bytes(const struct ets_reference *reference);

#endif
