/* reference_run.h - an opened reference with its programs, and the state of a run. */
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
    struct ets_size_symbols symbols;
    struct reference_program program, fallback; /* fallback.graph NULL: none */
    struct ets_reference_node *nodes;
    uint32_t node_count;
    struct reference_value *arguments; /* room for the widest step, like the next two */
    struct reference_value *outputs;
    struct reference_shape *shapes;
    ets_reference_observer *observer; /* of the run; may be NULL */
    void *context;
};

struct reference_run;

/* Computes the steps of a plan whose inputs have values. */
typedef enum ets_status reference_plan_runner(struct reference_run *run,
                                              const struct reference_plan *plan);

/* The state of a run. */
struct reference_run {
    struct ets_reference *reference;
    struct ets_error *error;
    reference_plan_runner *run_body; /* runs bodies of control flow, like the plan around them */
    uint32_t turn_count;             /* of all loops, nested loops included */
    uint32_t step_count;             /* computed steps, with repetitions */
};

/* run_inputs.c: sets the inputs of the program: weights and user inputs. */
enum ets_status ets_reference_bind_inputs(struct reference_run *run, const struct ets_value *inputs,
                                          size_t input_count);

/* run_state.c: a buffer as the run before left it; `*is_taken_out` false: that left none. */
enum ets_status ets_reference_start_buffer(struct reference_run *run,
                                           const struct ets_graph_input *input,
                                           const struct ets_graph_value *described,
                                           struct reference_value *value_out, bool *is_taken_out);

/* run_state.c: puts the buffers that the run changed into the options' `end`. */
enum ets_status ets_reference_leave_buffers(struct reference_run *run);

/* run.c */
reference_plan_runner ets_reference_run_plan;

/* run_slots.c: drops all values of a plan. */
void ets_reference_plan_clear(struct reference_run *run, const struct reference_plan *plan);

/* run_slots.c: puts another reference to `value` in an empty slot. */
enum ets_status ets_reference_slot_set(struct reference_run *run, const struct reference_plan *plan,
                                       uint32_t slot, const struct reference_value *value);

/* run_slots.c: the next argument of a step; `*next_read` counts the slots read. */
enum ets_status ets_reference_resolve(struct reference_run *run, const struct reference_plan *plan,
                                      const struct reference_step *step,
                                      const struct ets_graph_argument *argument,
                                      uint32_t *next_read, struct reference_value *value_out);

/* run_slots.c: moves the outputs of a step into their slots, and binds the symbols that they
 * define.
 */
void ets_reference_put_outputs(struct reference_run *run, const struct reference_plan *plan,
                               const struct reference_step *step, struct reference_value *outputs);

/* run_slots.c: binds the symbols that a value defines: data-dependent sizes, extracted numbers. */
void ets_reference_bind_symbols(struct ets_reference *reference,
                                const struct ets_graph_value *described,
                                const struct reference_value *value);

/* control_flow.c: runs COND, MAP, SCAN and WHILE; puts their outputs in their slots. */
enum ets_status ets_reference_run_control(struct reference_run *run,
                                          const struct reference_plan *plan,
                                          struct reference_step *step);

/*
 * control_flow.c: the kind of a control-flow node whose operands and outputs match its bodies, or
 * UNCOVERED with a static reason.
 */
enum reference_step_kind ets_reference_control_find(const struct reference_step *step,
                                                    const char **reason_out);

/* observe.c: shows the outputs of a step, which are in their slots, and takes replacements. */
enum ets_status ets_reference_observe(struct reference_run *run, const struct reference_plan *plan,
                                      struct reference_step *step);

/* run_slots.c: the sizes of a slot, as far as known from the graph and the bound symbols. */
void ets_reference_slot_shape(const struct ets_reference *reference,
                              const struct reference_plan *plan, uint32_t slot,
                              struct reference_shape *shape_out);

/* ownership.c: makes a borrowed storage writable, in all values that share it. */
enum ets_status ets_reference_own(struct reference_run *run, const struct reference_plan *plan,
                                  uint32_t slot);

/* UNAVAILABLE, with a reason that outlives the run. */
static inline struct reference_value reference_unavailable(const char *reason)
{
    return (struct reference_value){.kind = REFERENCE_UNAVAILABLE, .as.reason = reason};
}

#endif
