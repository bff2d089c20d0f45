/*
 * Rows for instructions that captured values but logged no event: in traces filtered to values, and
 * from tracers without times.
 */
#ifndef ETSCOPE_GAP_UNLOGGED_ROWS_H
#define ETSCOPE_GAP_UNLOGGED_ROWS_H

#include "gap/gap_parts.h"

/* Whether `value` belongs to an instruction of the method, not to the inside of a delegate. */
bool ets_gap_value_is_of_instruction(const struct ets_captured_value *value);

/*
 * A row for the instruction from record and program, in the report's arena. NULL: there is no
 * program, and a delegate has other nodes of its handle, so the kernel's node is unknown. Statuses:
 * NO_MEMORY.
 */
enum ets_status ets_gap_unlogged_row(struct ets_gap_report *report,
                                     const struct ets_captured_value *value,
                                     const struct ets_row **row_out, struct ets_error *error);

#endif
