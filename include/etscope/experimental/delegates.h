/*
 * delegates.h - lists what a program delegates, which operators are left out, and which tensors
 * cross the boundary.
 *
 * Experimental: this header may change in any version, names and meanings included.
 *
 *     struct ets_delegation *delegations;
 *     struct ets_delegation_options options = {.program = &program, .record = record};
 *     if (ets_delegation_open(&options, &delegations, &error) == ETS_OK) {
 *         for (uint32_t i = 0; i < ets_delegation_count(delegations); i++) {
 *             const struct ets_delegation_step *step = ets_delegation_step_at(delegations, i);
 *             printf("%.*s: %u operators inside, %llu bytes in\n", ETS_TEXT(step->name),
 *                    step->unit_count, (unsigned long long)step->input_bytes);
 *         }
 *         ets_delegation_close(delegations);
 *     }
 *
 * Everything returned is valid until close. The program and the record must live until then.
 */
#ifndef ETSCOPE_DELEGATES_H
#define ETSCOPE_DELEGATES_H

#include "etscope/inspect.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ets_delegation;

struct ets_delegation_options {
    const struct ets_program *program;
    struct ets_etrecord *record;           /* NULL: no handles, nodes or source lines */
    const char *method;                    /* NULL: all */
    const struct ets_allocator *allocator; /* NULL: the C library's */
};

/* A unit of work that a delegate reports as one event. */
struct ets_delegate_unit {
    struct ets_text event; /* identifier of the event, from the backend's map or predicted from
                              the payload; absent: unknown */
    enum ets_tie tie;      /* source of `event`: MAP, NODE or NEAR. CALL: a graph node of a call
                              of which nothing else is known */
    size_t payload_node_count;
    const struct ets_unit_node *payload_nodes;
    size_t handle_count;
    const int64_t *handles;
    size_t node_count; /* nodes of the record's graph with these handles */
    const struct ets_row_node *nodes;
    int is_counted_elsewhere; /* 1: the nodes' work is another unit's: of a constant, or of several
                                 units with the same handles all but one */
};

/* An instruction of chain 0: a delegate call, or an operator that was not delegated. */
struct ets_delegation_step {
    uint32_t method; /* in the program */
    const char *method_name;
    uint32_t instruction;
    enum ets_instruction_kind kind;
    uint32_t partition;   /* number of the delegate call in its method, from 0; else ETS_NO_INDEX */
    int32_t delegate;     /* in the method's delegates; -1: not a delegate call */
    struct ets_text name; /* backend, or operator "aten::add.out"; absent for other kinds */
    /* The tensors that the instruction reads and writes, without constants. */
    uint32_t input_count, output_count;
    uint64_t input_bytes, output_bytes;
    int is_upper_bound; /* 1: shapes are dynamic, and the bytes are upper bounds */
    size_t handle_count;
    const int64_t *handles;
    size_t node_count;
    const struct ets_row_node *nodes;
    uint32_t unit_count; /* of a delegate call */
    const struct ets_delegate_unit *units;
    const char *reason; /* why the events of the units are unknown, or NULL */
};

/*
 * Reads the delegate calls of every method. Statuses: NOT_FOUND (`method` is not in the program),
 * MISMATCH (the record has a backend or operator at an instruction that is neither), those of the
 * record's readers, NO_MEMORY. A payload that cannot be read is not an error; it has a `reason`.
 */
ETS_API enum ets_status ets_delegation_open(const struct ets_delegation_options *options,
                                            struct ets_delegation **delegations_out,
                                            struct ets_error *error);
ETS_API void ets_delegation_close(struct ets_delegation *delegations); /* NULL is allowed */

/* Sorted by method, then by instruction. */
ETS_API uint32_t ets_delegation_count(const struct ets_delegation *delegations);
ETS_API const struct ets_delegation_step *ets_delegation_step_at(
    const struct ets_delegation *delegations, uint32_t index);

#ifdef __cplusplus
}
#endif

#endif
