/*
 * Which instructions take a value: in the graph by its edges, and of a captured output by the
 * arguments of the program or, without it, by the bytes of what later delegate calls took. This
 * tells outputs of one shape apart.
 */
#ifndef ETSCOPE_GAP_CONSUMERS_H
#define ETSCOPE_GAP_CONSUMERS_H

#include "gap/instructions.h"

struct gap_consumers {
    const struct ets_gap_report *report;
    const struct gap_instructions *instructions;
    uint32_t *first, *users; /* those of edge value v: users[first[v]] up to users[first[v + 1]];
                                the number of instructions stands for outputs of the method */
    bool *is_open;           /* [edge value] a node without an instruction takes it, too */
    uint32_t *input_count;   /* [instruction] a call's captured values before its outputs */
    uint64_t budget;         /* remaining comparisons, which limits hostile files */
};

/* Finds the users of each edge value; fill `input_count` then. Statuses: NO_MEMORY. */
enum ets_status ets_gap_consumers_find(struct gap_consumers *consumers,
                                       const struct gap_instructions *instructions,
                                       struct ets_gap_report *report, struct ets_error *error);

/*
 * Whether captured value `index`, an output of a call, can be edge value `value`: those that take
 * the edge value take it, and of the users of the call's other values no other does. What is not
 * known speaks against nothing. `others[other_count]`: edge values that leave the call.
 */
bool ets_gap_may_be(struct gap_consumers *consumers, uint32_t index, uint32_t value,
                    const uint32_t *others, uint32_t other_count);

#endif
