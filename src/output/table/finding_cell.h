/* The finding of a value, as tables show it. */
#ifndef ETSCOPE_OUTPUT_TABLE_FINDING_CELL_H
#define ETSCOPE_OUTPUT_TABLE_FINDING_CELL_H

#include "etscope/experimental/gap.h"
#include "output/table/table.h"

void ets_put_finding(struct ets_table *table, enum ets_gap_finding finding);

#endif
