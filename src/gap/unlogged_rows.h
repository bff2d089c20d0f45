/* Rows for instructions that captured values but logged no event of their own: traces of a filter
 * for values alone, and of tracers that take no times. */
#ifndef ETSCOPE_GAP_UNLOGGED_ROWS_H
#define ETSCOPE_GAP_UNLOGGED_ROWS_H

#include "gap/gap_parts.h"

/* Whether `value` was captured of an instruction of the method itself, not inside of a delegate. */
bool ets_gap_value_is_of_instruction(const struct ets_captured_value *value);

/*
 * What record and program tell of the instruction, in the report's arena. NULL: no program does,
 * and which of a handle's nodes a kernel is cannot be guessed where delegates took others of them.
 * Statuses: NO_MEMORY.
 */
enum ets_status ets_gap_unlogged_row(struct ets_gap_report *report,
                                     const struct ets_captured_value *value,
                                     const struct ets_row **row_out, struct ets_error *error);

#endif
