/*
 * fallback.h - a node computed by the nodes of another graph that descend from it.
 *
 * An export pass writes into each node which node it was made from, so that the edge program says
 * what an ATen operator without a kernel consists of. A node's descendants are those of its graph's
 * twin whose from_node chain holds "<name>.<export_graph_id>", and inside of branches and loops
 * those whose chain holds the node's name right before the node's own origin.
 *
 * Which value of the twin is which output is told by type and shape, and by who uses it: a value
 * that leaves the group of descendants goes to descendants of the nodes that use the output. Where
 * that leaves a choice nothing is guessed: the node stays uncovered.
 */
#ifndef ETSCOPE_REFERENCE_FALLBACK_H
#define ETSCOPE_REFERENCE_FALLBACK_H

#include "reference/reference_plan.h"

/* Where a value of the twin comes from. */
struct reference_leaf {
    uint32_t twin_slot;
    uint32_t slot;                   /* of the plan; or REFERENCE_NO_SLOT: */
    const struct ets_tensor *weight; /* one of the twin's */
};

struct reference_fallback {
    const struct reference_plan *twin;
    uint32_t leaf_count, step_count;
    const struct reference_leaf *leaves;
    const uint32_t *steps;   /* of the twin, in its order */
    const uint32_t *results; /* twin's slot of each output of the node, or none: it is not there */
};

/* Finds how a step of the twin is computed; may fail with NO_MEMORY only. */
typedef enum ets_status reference_find_step(void *context, struct reference_step *step,
                                            struct ets_error *error);

struct reference_twins; /* a plan beside its twin: who descends from whom */

enum ets_status ets_reference_twins_new(const struct reference_plan *plan,
                                        const struct reference_plan *twin,
                                        const struct reference_program *twin_program,
                                        uint64_t export_graph_id, struct ets_arena *arena,
                                        struct reference_twins **twins_out,
                                        struct ets_error *error);

/*
 * How step `number` of the plan is computed by its descendants; `*fallback_out` NULL: not at all,
 * with the reason in `reason_room`. NO_MEMORY.
 */
enum ets_status ets_reference_fallback_find(struct reference_twins *twins, uint32_t number,
                                            reference_find_step *find, void *context,
                                            struct reference_fallback **fallback_out,
                                            char reason_room[160], struct ets_error *error);

/* The twin's body of a step's body `which`, where one control-flow node descends from the step. */
const struct reference_plan *ets_reference_twin_body(const struct reference_twins *twins,
                                                     uint32_t number, unsigned which);

#endif
