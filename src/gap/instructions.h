/*
 * The instructions of the run, and the nodes of the edge program that each computes. If a node was
 * decomposed, an instruction's handles lead to several nodes, and its kernel decides which one it
 * is. Nodes without a kernel belong to the delegate calls, in order of execution: a call lists a
 * handle as often as it has nodes with it.
 */
#ifndef ETSCOPE_GAP_INSTRUCTIONS_H
#define ETSCOPE_GAP_INSTRUCTIONS_H

#include "gap/gap_parts.h"

struct gap_instruction {
    const struct ets_row *row;
    struct ets_text kernel;  /* base name: "addmm"; absent: unknown */
    bool is_call;            /* of a delegate */
    bool is_shared;          /* another instruction has one of its handles */
    bool is_unsure;          /* a call and an instruction of unknown kernel share a handle, so its
                                nodes cannot be assigned */
    uint32_t handle_kinds;   /* distinct handles */
    uint32_t node;           /* node of the kernel in the edge program; GAP_NONE */
    uint32_t first_value;    /* its first captured value; GAP_NONE */
    uint32_t values_per_run; /* largest index + 1 */
};

struct gap_instructions {
    struct gap_instruction *items;
    uint32_t count;
    struct ets_key_table known; /* chain, instruction -> */
    uint32_t *of_value;         /* [value_count] its instruction, or GAP_NONE */
    uint32_t *part;             /* [edge node] the delegate call that has it, or GAP_NONE */
    uint32_t *done_by;          /* [edge node] the instruction that computes it, or GAP_NONE */
    bool *is_by_order; /* [edge node] several nodes fit, and the order of instructions chose */
    bool *is_sure;     /* [edge node] the program's arguments chose it */
    uint64_t budget;   /* remaining nodes to visit, which limits hostile files */
};

/* Statuses: NO_MEMORY. */
enum ets_status ets_gap_instructions_find(struct gap_instructions *instructions,
                                          struct ets_gap_report *report, struct ets_error *error);

/* Whether `tensor` may be this value; a symbolic size matches any size. */
bool ets_gap_value_fits(const struct ets_graph_value *expected, const struct ets_tensor *tensor);

#endif
