/*
 * reference_plan.h - a graph as steps over numbered values, planned once and run many times.
 *
 * Each name of a value has a number, its slot. A name must be new where it is defined and known
 * where it is used, so there are no cycles. All memory is in the reference's arena.
 */
#ifndef ETSCOPE_REFERENCE_REFERENCE_PLAN_H
#define ETSCOPE_REFERENCE_REFERENCE_PLAN_H

#include "host/strings.h"
#include "record/size_expression.h"
#include "reference/node_call.h"
#include "reference/reference.h"

#define REFERENCE_NO_SLOT ETS_STRING_NONE
#define REFERENCE_NO_STEP UINT32_MAX
#define REFERENCE_MOST_WRITTEN 4 /* arguments that one operator writes */

enum reference_step_kind {
    REFERENCE_CALL, /* by ets_reference_node_call */
    REFERENCE_FALL_BACK,
    REFERENCE_COND,
    REFERENCE_MAP,
    REFERENCE_SCAN,
    REFERENCE_WHILE,
    REFERENCE_UNCOVERED
};

struct reference_fallback;
struct reference_plan;

struct reference_step {
    const struct ets_graph_node *node;
    enum reference_step_kind kind;
    bool is_in_place; /* writes its first argument, and returns it */
    bool is_found;    /* `kind`, `operator_` and `reason` are set */
    bool is_random;   /* UNCOVERED: it draws random numbers */
    const struct reference_operator *operator_;
    const char *kernel;
    const struct ets_tensor
        *part;            /* CALL without operator: the tensor that it takes from a weight */
    const char *reason;   /* UNCOVERED; terminated */
    uint32_t read_count;  /* of the arguments */
    uint32_t write_count; /* outputs, items of lists included */
    uint32_t death_count;
    const uint32_t *reads;  /* slots of the arguments that name a value, in order */
    const uint32_t *writes; /* slots, or REFERENCE_NO_SLOT */
    const uint32_t *deaths; /* slots that no later step needs */
    uint32_t written[REFERENCE_MOST_WRITTEN]; /* slots of `reads` that it writes */
    uint32_t written_count;
    struct reference_fallback *fallback;
    const struct reference_plan *bodies[2]; /* of control flow */
    struct ets_reference_node *shown;       /* NULL: of the fallback's graph */
    uint32_t times;                         /* computations in this run */
    char *failure;                          /* room for the runtime's message; or NULL */
    const char *unavailable;                /* why it was not computed the last time; or NULL */
};

struct reference_plan {
    const struct ets_graph *graph;
    struct ets_strings names;
    uint32_t slot_count;                      /* REFERENCE_NO_SLOT among them */
    const struct ets_graph_value **described; /* [slot_count] description in the graph; or NULL */
    uint32_t *producers;                      /* [slot_count] step; REFERENCE_NO_STEP: an input */
    uint32_t *storage_of;                     /* [slot_count] a slot that may share the storage */
    bool *is_written;                         /* a step writes to this storage */
    struct reference_value *values;           /* [slot_count] of the run */
    const uint32_t *inputs;                   /* [graph->input_count] slots */
    const uint32_t *outputs;      /* [graph->output_count] slots, or none for a constant */
    struct reference_step *steps; /* [step_count] one per node */
    uint32_t step_count;
};

/* A program's graph and its subgraphs, with the weights of its inputs. */
struct reference_program {
    const struct ets_graph *graph;
    struct reference_plan *plans; /* [plan_count] the graph, then graph->subgraphs */
    uint32_t plan_count;
    const struct ets_tensor **weights; /* [graph->input_count] NULL: a user input, or wrapped */
    const char **wrapped; /* [graph->input_count] why a weight is not a tensor; or NULL */
};

/*
 * Reads `graph` and its subgraphs into `program`, without kinds and deaths. MALFORMED, NO_MEMORY;
 * the message names the node.
 */
enum ets_status ets_reference_program_read(const struct ets_graph *graph, struct ets_arena *arena,
                                           struct ets_size_symbols *symbols,
                                           struct reference_program *program_out,
                                           struct ets_error *error);

/* Fills `deaths` of all steps, after they and their fallbacks are known. NO_MEMORY. */
enum ets_status ets_reference_plan_deaths(struct reference_plan *plan, struct ets_arena *arena,
                                          struct ets_error *error);

/* The representative of all slots that may share a storage through views and operators in place. */
uint32_t ets_reference_plan_storage(const struct reference_plan *plan, uint32_t slot);

/* Whether a step from `first` to before `end` writes to that storage. */
bool ets_reference_plan_is_written(const struct reference_plan *plan, uint32_t slot, uint32_t first,
                                   uint32_t end);

#endif
