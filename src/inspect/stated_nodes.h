/*
 * What the extra block tells of instructions: of traces that were made of another runtime's
 * profile. Their rows have no record, so these nodes stand in.
 */
#ifndef ETSCOPE_INSPECT_STATED_NODES_H
#define ETSCOPE_INSPECT_STATED_NODES_H

#include <stdbool.h>

#include "etscope/inspect.h"
#include "host/arena.h"
#include "host/key_table.h"

struct ets_stated_node {
    struct ets_graph_node node;
    struct ets_graph_frame frame;
    struct ets_graph_module module;
    struct ets_row_node of_row; /* `node`, for rows */
    const char *backend;        /* NULL: not told */
    uint32_t parent;            /* the instruction of the same chain that encloses it; or none */
};

struct ets_stated_nodes {
    struct ets_text runtime; /* whose profile it was; absent: the trace was recorded */
    bool is_in_cycles;       /* its times are no nanoseconds */
    uint32_t step_ns; /* durations are rounded down to multiples of it; 0 or 1: they are not */
    struct ets_key_table instructions;
    struct ets_stated_node *items; /* [instructions.count] */
};

/* Borrows texts from the block. Status: NO_MEMORY. */
enum ets_status ets_stated_nodes_read(struct ets_arena *arena, const struct ets_trace_extra *extra,
                                      struct ets_stated_nodes *out, struct ets_error *error);
/* NULL: nothing is told. */
const struct ets_stated_node *ets_stated_node_at(const struct ets_stated_nodes *told, int64_t chain,
                                                 int32_t instruction);

/* Whether a dump was made of another runtime's profile. */
bool ets_dump_is_foreign(struct ets_bytes dump);
/* Whether a dump states that its times are cycles, as is_in_cycles of an inspection of it. */
bool ets_dump_is_in_cycles(struct ets_bytes dump);
/* Whose profile an inspected trace was: "ONNX Runtime"; absent: it was recorded by ExecuTorch. */
struct ets_text ets_inspection_runtime(const struct ets_inspection *inspection);
/* Whether an ETRecord was given for it. */
bool ets_inspection_has_record(const struct ets_inspection *inspection);
/* The step to which it rounds durations down; 0: none. */
uint32_t ets_inspection_step_ns(const struct ets_inspection *inspection);

#endif
