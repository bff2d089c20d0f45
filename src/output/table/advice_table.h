/* The table of `advise` for programs: a row for each finding. */
#ifndef ETSCOPE_OUTPUT_TABLE_ADVICE_TABLE_H
#define ETSCOPE_OUTPUT_TABLE_ADVICE_TABLE_H

#include "output/table/table.h"
#include "output/text/advice_text.h"

/* Status: NO_MEMORY, when the table is written. */
void ets_advice_table_fill(struct ets_table *table, const struct ets_advice_page *page);

#endif
