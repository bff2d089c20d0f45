/* The cell that names an operator of a pool, the same in all tables that compare. */
#ifndef ETSCOPE_OUTPUT_TABLE_OPERATOR_CELL_H
#define ETSCOPE_OUTPUT_TABLE_OPERATOR_CELL_H

#include "etscope/experimental/pool.h"
#include "output/table/table.h"

/* "addmm.out", "conv (clock of its own)" */
void ets_put_pool_operator(struct ets_table *table, const struct ets_pool_operator *op);

#endif
