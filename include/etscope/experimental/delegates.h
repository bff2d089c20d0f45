/*
 * delegates.h - what of a program was delegated where, what stands between, and what crosses.
 *
 * Experimental: this header may change in any version, names and meanings included.
 *
 *     struct ets_delegation *delegations;
 *     struct ets_delegation_options options = {.program = &program, .record = record};
 *     if (ets_delegation_open(&options, &delegations, &error) == ETS_OK) {
 *         for (uint32_t i = 0; i < ets_delegation_count(delegations); i++) {
 *             const struct ets_delegation_step *step = ets_delegation_step_at(delegations, i);
 *             printf("%.*s: %u operators inside, %llu bytes in\n", (int)step->name.size,
 *                    step->name.data, step->unit_count, (unsigned long long)step->input_bytes);
 *         }
 *         ets_delegation_close(delegations);
 *     }
 *
 * Everything handed out is borrowed until close; the program and the record must live until then.
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
    struct ets_etrecord *record;           /* NULL: no handles, nodes and source lines */
    const char *method;                    /* NULL: all */
    const struct ets_allocator *allocator; /* NULL: the C library's */
};

/* What a delegate runs as one, and reports as one event. */
struct ets_delegate_unit {
    struct ets_text event; /* identifier of the event: as the backend's map has it, or as the rule
                              for the payload foretells it; absent: not known */
    enum ets_tie tie;      /* where this comes from: MAP, NODE, NEAR; CALL: a graph node of a call
                              of which no more is known */
    size_t payload_node_count;
    const struct ets_payload_node *payload_nodes;
    size_t handle_count;
    const int64_t *handles;
    size_t node_count; /* of the record's graph, behind the handles */
    const struct ets_row_node *nodes;
};

/* An instruction of chain 0: a delegate call, or what was left outside. */
struct ets_delegation_step {
    uint32_t method; /* in the program */
    const char *method_name;
    uint32_t instruction;
    enum ets_instruction_kind kind;
    uint32_t partition;   /* number of the delegate call in its method, from 0; else ETS_NO_INDEX */
    int32_t delegate;     /* in the method's delegates; -1: no delegate call */
    struct ets_text name; /* backend, or operator "aten::add.out"; absent for other kinds */
    /* The tensors that the instruction takes and gives, constants left out. */
    uint32_t input_count, output_count;
    uint64_t input_bytes, output_bytes;
    int is_upper_bound; /* 1: shapes are dynamic; the bytes are at most these */
    size_t handle_count;
    const int64_t *handles;
    size_t node_count;
    const struct ets_row_node *nodes;
    uint32_t unit_count; /* of a delegate call */
    const struct ets_delegate_unit *units;
    const char *reason; /* why it is not known what the units' events are, or NULL */
};

/*
 * Reads every method's delegate calls. Statuses: NOT_FOUND where `method` is not in the program;
 * MISMATCH where the record has a backend or an operator at an instruction that is none of it;
 * those of the record's readers; NO_MEMORY. Payloads that cannot be read are no error but a
 * `reason`.
 */
ETS_API enum ets_status ets_delegation_open(const struct ets_delegation_options *options,
                                            struct ets_delegation **delegations_out,
                                            struct ets_error *error);
ETS_API void ets_delegation_close(struct ets_delegation *delegations); /* NULL is allowed */

/* By method, then by instruction. */
ETS_API uint32_t ets_delegation_count(const struct ets_delegation *delegations);
ETS_API const struct ets_delegation_step *ets_delegation_step_at(
    const struct ets_delegation *delegations, uint32_t index);

#ifdef __cplusplus
}
#endif

#endif
