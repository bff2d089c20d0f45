/* Values from within delegate calls as values of the edge program. */
#ifndef ETSCOPE_GAP_INSIDES_H
#define ETSCOPE_GAP_INSIDES_H

#include "gap/partitions.h"

/* Sets `inside` of the report's values. */
void ets_gap_mark_insides(struct ets_gap_report *report);

/*
 * Matches what the payload tells of a call, whose nodes of the edge program are `nodes`: values
 * from within, whose tensors are turned to the graph's order of dims, and outputs, for which it
 * decides more surely than shapes and users. Statuses: NO_MEMORY.
 */
enum ets_status ets_gap_match_insides(struct ets_gap_report *report,
                                      const struct gap_instructions *instructions, uint32_t call,
                                      const uint32_t *nodes, uint32_t count,
                                      struct gap_partitions *partitions, uint64_t *budget,
                                      struct ets_error *error);

/* Why a value from within has no edge value. */
const char *ets_gap_why_not_inside(const struct ets_gap_report *report);

#endif
