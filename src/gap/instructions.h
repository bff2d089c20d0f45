/*
 * The instructions of the run, and which nodes of the edge program each does. An instruction's
 * handles lead to several nodes where a node was taken apart; its kernel tells which of them it is.
 * What no kernel took belongs to the delegate calls, in the order of execution: a call's list has a
 * handle as often as the call has nodes with it.
 */
#ifndef ETSCOPE_GAP_INSTRUCTIONS_H
#define ETSCOPE_GAP_INSTRUCTIONS_H

#include "gap/gap_parts.h"

struct gap_instruction {
    const struct ets_row *row;
    struct ets_text kernel;  /* base name: "addmm"; absent: not known */
    bool is_call;            /* of a delegate */
    bool is_shared;          /* another instruction has one of its handles */
    bool is_unsure;          /* a call and an instruction of unknown kernel share a handle: which
                                of its nodes is whose cannot be told */
    uint32_t handle_kinds;   /* unlike handles */
    uint32_t node;           /* that the kernel is, of the edge program; GAP_NONE */
    uint32_t first_value;    /* that it captured first; GAP_NONE */
    uint32_t values_per_run; /* largest index + 1 */
};

struct gap_instructions {
    struct gap_instruction *items;
    uint32_t count;
    struct ets_key_table known; /* chain, instruction -> */
    uint32_t *of_value;         /* [value_count] its instruction, or GAP_NONE */
    uint32_t *part;             /* [edge node] the delegate call that has it, or GAP_NONE */
    uint32_t *done_by;          /* [edge node] the instruction that does it, or GAP_NONE */
    uint64_t budget;            /* nodes that may still be looked at: files say how many */
};

/* Statuses: NO_MEMORY. */
enum ets_status ets_gap_instructions_find(struct gap_instructions *instructions,
                                          struct ets_gap_report *report, struct ets_error *error);

/* Whether `tensor` may be this value: a symbolic size fits any. */
bool ets_gap_value_fits(const struct ets_graph_value *expected, const struct ets_tensor *tensor);

#endif
