/*
 * Inputs and outputs of delegate calls as values of the edge program. Outputs are the last
 * arguments of the call; the record has their number. The values that leave the partition are
 * matched to them by shape and type, by the instructions that take them, and then in order.
 */
#ifndef ETSCOPE_GAP_PARTITIONS_H
#define ETSCOPE_GAP_PARTITIONS_H

#include "gap/instructions.h"

/* Numbers of edge values, or GAP_NONE. */
struct gap_partitions {
    uint32_t *value_of; /* [value_count of the report] for captured values of delegate calls */
    bool *is_undecided; /* [likewise] an output that can be several values */
};

/* Sets is_argument of the report's values, and value_of. Statuses: NO_MEMORY. */
enum ets_status ets_gap_partitions_match(struct gap_partitions *partitions,
                                         const struct gap_instructions *instructions,
                                         struct ets_gap_report *report, struct ets_error *error);

#endif
