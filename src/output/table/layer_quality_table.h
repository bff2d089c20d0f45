/* What each layer's quantization adds to the divergence of a language model, as a table. */
#ifndef ETSCOPE_OUTPUT_TABLE_LAYER_QUALITY_TABLE_H
#define ETSCOPE_OUTPUT_TABLE_LAYER_QUALITY_TABLE_H

#include "output/table/table.h"
#include "quality/layer_study.h"

/* Adds columns, and a row for each layer in the study's order; only `most` rows, 0: all. */
void ets_layer_quality_table_fill(struct ets_table *table, const struct ets_layer_study *study,
                                  uint32_t most);

#endif
