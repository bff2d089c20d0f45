/* Details of a gap report besides values and rows. */
#ifndef ETSCOPE_GAP_GAP_DETAILS_H
#define ETSCOPE_GAP_GAP_DETAILS_H

#include <stdbool.h>

#include "etscope/experimental/gap.h"

/* 1: the reference is the method's edge program instead of its ATen program. */
int ets_gap_is_edge(const struct ets_gap_report *report);

uint32_t ets_gap_hidden_count(const struct ets_gap_report *report);
const struct ets_gap_hidden *ets_gap_hidden(const struct ets_gap_report *report, uint32_t index);

/* The row that is guilty, or that stands out where all outputs agree; ETS_NO_INDEX: none. */
static inline uint32_t ets_gap_cause(const struct ets_gap_conclusion *verdict)
{
    return verdict->guilty != ETS_NO_INDEX ? verdict->guilty : verdict->stands_out;
}

/*
 * Whether one loud channel of an activation sets the step of all, so that the others are off: the
 * program quantizes it with one scale. The rule is in docs/numerics.md.
 */
bool ets_gap_channel_sets_step(const struct ets_gap_report *report, const struct ets_gap_row *row);

/* Whether the one scale of a weight is the cause of an error: the rule is in docs/numerics.md.
 * NULL: it is not. */
bool ets_gap_weight_is_cause(const struct ets_gap_weight_use *weight);

/* The comparators of the options; NULL: none. */
const struct ets_comparator *const *ets_gap_comparators(const struct ets_gap_report *report,
                                                        uint32_t *count_out);

#endif
