/*
 * reference_run.h - the inside of an opened reference: its programs, and the state of a run.
 */
#ifndef ETSCOPE_REFERENCE_REFERENCE_RUN_H
#define ETSCOPE_REFERENCE_REFERENCE_RUN_H

#include "host/arena.h"
#include "reference/fallback.h"
#include "reference/reference.h"
#include "reference/reference_plan.h"

struct ets_reference {
    struct ets_arena arena;
    struct ets_reference_options options;
    struct reference_memory memory;
    struct reference_calls calls;
    struct reference_symbols symbols;
    struct reference_program program, fallback; /* fallback.graph NULL: none */
    struct ets_reference_node *nodes;
    uint32_t node_count;
    struct reference_value *arguments; /* room for the widest step, as are the next two */
    struct reference_value *outputs;
    struct reference_shape *shapes;
    ets_reference_observer *observer; /* of the run; may be NULL */
    void *context;
};

struct reference_run;

/* Computes the steps of a plan whose inputs have values. */
typedef enum ets_status reference_plan_runner(struct reference_run *run,
                                              const struct reference_plan *plan);

/* What a run has, and what fails in it. */
struct reference_run {
    struct ets_reference *reference;
    struct ets_error *error;
    reference_plan_runner *run_body; /* of control flow: what runs the plan around it, too */
    uint32_t turn_count;             /* of all loops, inner ones too */
    uint32_t step_count;             /* computed, as often as they were */
};

/* run_inputs.c: gives the inputs of the program their values: weights and the user's. */
enum ets_status ets_reference_bind_inputs(struct reference_run *run, const struct ets_value *inputs,
                                          size_t input_count);

/* run.c */
reference_plan_runner ets_reference_run_plan;

/* run_slots.c: drops all values of a plan. */
void ets_reference_plan_clear(struct reference_run *run, const struct reference_plan *plan);

/* run_slots.c: puts another reference to `value` in a slot that holds nothing. */
enum ets_status ets_reference_slot_set(struct reference_run *run, const struct reference_plan *plan,
                                       uint32_t slot, const struct reference_value *value);

/* run_slots.c: the next argument of a step: `*next_read` counts the slots that were read. */
enum ets_status ets_reference_resolve(struct reference_run *run, const struct reference_plan *plan,
                                      const struct reference_step *step,
                                      const struct ets_graph_argument *argument,
                                      uint32_t *next_read, struct reference_value *value_out);

/* run_slots.c: moves the outputs of a step into their slots, and binds the symbols that they tell.
 */
void ets_reference_put_outputs(struct reference_run *run, const struct reference_plan *plan,
                               const struct reference_step *step, struct reference_value *outputs);

/* run_slots.c: the symbols that a value makes known: a size that depends on data, a number taken
 * out. */
void ets_reference_bind_symbols(struct ets_reference *reference,
                                const struct ets_graph_value *described,
                                const struct reference_value *value);

/* control_flow.c: COND, MAP, SCAN and WHILE; their outputs are in their slots afterwards. */
enum ets_status ets_reference_run_control(struct reference_run *run,
                                          const struct reference_plan *plan,
                                          struct reference_step *step);

/*
 * control_flow.c: the kind of a node with bodies whose operands and outputs fit these, or UNCOVERED
 * with a reason of static storage.
 */
enum reference_step_kind ets_reference_control_find(const struct reference_step *step,
                                                    const char **reason_out);

/* observe.c: shows the outputs of a step that lie in their slots, and takes replacements. */
enum ets_status ets_reference_observe(struct reference_run *run, const struct reference_plan *plan,
                                      struct reference_step *step);

/* run_slots.c: the sizes of a slot as far as the graph and the bound symbols tell them. */
void ets_reference_slot_shape(const struct ets_reference *reference,
                              const struct reference_plan *plan, uint32_t slot,
                              struct reference_shape *shape_out);

/* ownership.c: makes a storage that was borrowed writable, in all values that share it. */
enum ets_status ets_reference_own(struct reference_run *run, const struct reference_plan *plan,
                                  uint32_t slot);

/* UNAVAILABLE, with a reason that outlives the run. */
static inline struct reference_value reference_unavailable(const char *reason)
{
    return (struct reference_value){.kind = REFERENCE_UNAVAILABLE, .as.reason = reason};
}

#endif
