/* Distinguishes rows that stand for operators and rows that stand for a whole run. */
#ifndef ETSCOPE_VIEWS_OPERATOR_ROWS_H
#define ETSCOPE_VIEWS_OPERATOR_ROWS_H

#include <stdbool.h>

#include "etscope/inspect.h"

/* False for an OPERATOR_CALL wrapper event, unless `all_events`. */
bool ets_operator_row_is_shown(const struct ets_inspection *inspection, bool all_events,
                               uint32_t row);

/*
 * The row of the whole run: Method::execute, or for a load Program::load_method; ETS_NO_INDEX:
 * none.
 */
uint32_t ets_operator_whole_row(const struct ets_inspection *inspection, uint32_t block);

/*
 * An instruction of the program with all that it calls, unless another one encloses it: these add
 * up to the run.
 */
bool ets_row_is_instruction(const struct ets_inspection *inspection, const struct ets_row *row);

/* What a group by operator is named: "Convolution (NHWC, F32)" of "Convolution (NHWC, F32) #3". */
struct ets_text ets_operator_group_name(const struct ets_row *row);

/* The row whose places a row has: itself, or the enclosing row if it stands for no node. */
const struct ets_row *ets_operator_placed_row(const struct ets_inspection *inspection,
                                              const struct ets_row *row);

#endif
