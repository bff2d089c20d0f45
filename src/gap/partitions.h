/*
 * What goes into a delegate call and what comes out of it, as values of the edge program: outputs
 * are the last arguments of the call, as many as the record says; the values that leave the
 * partition are matched to them in order, by shape and type.
 */
#ifndef ETSCOPE_GAP_PARTITIONS_H
#define ETSCOPE_GAP_PARTITIONS_H

#include "gap/instructions.h"

/* Numbers of edge values, or GAP_NONE. */
struct gap_partitions {
    uint32_t *value_of; /* [value_count of the report] of what a delegate call captured */
};

/* Sets is_argument of the report's values, and value_of. Statuses: NO_MEMORY. */
enum ets_status ets_gap_partitions_match(struct gap_partitions *partitions,
                                         const struct gap_instructions *instructions,
                                         struct ets_gap_report *report, struct ets_error *error);

#endif
