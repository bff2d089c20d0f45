/*
 * fallback.h - computes a node with the nodes of another graph that descend from it.
 *
 * Export passes write into each node which node it was made from, so the edge program shows the
 * parts of an ATen operator without a kernel. A node's descendants are the nodes of the twin graph
 * whose from_node chain holds "<name>.<export_graph_id>". Inside branches and loops they are the
 * nodes whose chain holds the node's name right before the node's own origin.
 *
 * Outputs are matched with values of the twin by type, shape and users: a value that leaves the
 * group of descendants goes to descendants of the nodes that use the output. If several values
 * remain, nothing is guessed, and the node stays uncovered.
 */
#ifndef ETSCOPE_REFERENCE_FALLBACK_H
#define ETSCOPE_REFERENCE_FALLBACK_H

#include "reference/reference_plan.h"

/* The source of a value of the twin. */
struct reference_leaf {
    uint32_t twin_slot;
    uint32_t slot;                   /* of the plan; or REFERENCE_NO_SLOT */
    const struct ets_tensor *weight; /* one of the twin's, which is used; NULL: `slot` is. Of a
                                        buffer with both: `slot`, if it is of an earlier run */
};

struct reference_fallback {
    const struct reference_plan *twin;
    uint32_t leaf_count, step_count;
    const struct reference_leaf *leaves;
    const uint32_t *steps; /* of the twin, in its order */
    const uint32_t
        *results; /* the twin's slot of each output of the node, or none if it is missing */
};

/* Finds how a step of the twin is computed; can fail only with NO_MEMORY. */
typedef enum ets_status reference_find_step(void *context, struct reference_step *step,
                                            struct ets_error *error);

struct reference_twins; /* a plan and its twin, with the descendants of each step */

enum ets_status ets_reference_twins_new(const struct reference_plan *plan,
                                        const struct reference_plan *twin,
                                        const struct reference_program *twin_program,
                                        uint64_t export_graph_id, struct ets_arena *arena,
                                        struct reference_twins **twins_out,
                                        struct ets_error *error);

/*
 * Finds how the descendants of step `number` of the plan compute it. `*fallback_out` NULL: they
 * cannot; the reason is in `reason_room`. NO_MEMORY.
 */
enum ets_status ets_reference_fallback_find(struct reference_twins *twins, uint32_t number,
                                            reference_find_step *find, void *context,
                                            struct reference_fallback **fallback_out,
                                            char reason_room[160], struct ets_error *error);

/* The twin's body for body `which` of a step, if one control-flow node descends from the step. */
const struct reference_plan *ets_reference_twin_body(const struct reference_twins *twins,
                                                     uint32_t number, unsigned which);

#endif
