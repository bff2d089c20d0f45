/* Which rows of an inspection stand for an operator, and which for the whole of a block. */
#ifndef ETSCOPE_VIEWS_OPERATOR_ROWS_H
#define ETSCOPE_VIEWS_OPERATOR_ROWS_H

#include <stdbool.h>

#include "etscope/inspect.h"

/* False for an OPERATOR_CALL around a kernel that reports itself, unless `all_events`. */
bool ets_operator_row_is_shown(const struct ets_inspection *inspection, bool all_events,
                               uint32_t row);

/* The row that shares are of: Method::execute, of a load Program::load_method; ETS_NO_INDEX: none.
 */
uint32_t ets_operator_whole_row(const struct ets_inspection *inspection, uint32_t block);

/* Whose places a row has: its own, or those of the row around it where it stands for no node. */
const struct ets_row *ets_operator_placed_row(const struct ets_inspection *inspection,
                                              const struct ets_row *row);

#endif
