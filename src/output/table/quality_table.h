/* Two language models token by token, as a table. */
#ifndef ETSCOPE_OUTPUT_TABLE_QUALITY_TABLE_H
#define ETSCOPE_OUTPUT_TABLE_QUALITY_TABLE_H

#include "generate/quality.h"
#include "output/table/table.h"

/*
 * Adds columns, and a row for each token of the text but the first, in their order; with `worst`
 * only so many, those of the largest divergence first. 0: all. Status: NO_MEMORY.
 */
enum ets_status ets_quality_table_fill(struct ets_table *table, const struct ets_quality *quality,
                                       uint32_t worst, struct ets_error *error);

#endif
