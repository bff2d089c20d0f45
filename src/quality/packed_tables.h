/*
 * Tables of embeddings as quantized_decomposed::embedding_{byte,4bit,2bit} take them: integers of
 * 8, 4 or 2 bits, the first of a byte's in its highest 4 bits or its lowest 2, with a scale for
 * each group of a row.
 */
#ifndef ETSCOPE_QUALITY_PACKED_TABLES_H
#define ETSCOPE_QUALITY_PACKED_TABLES_H

#include "quality/graph_weights.h"

bool ets_quality_is_packed_lookup(const struct ets_graph_node *node);

/* Of an operator's name: 8, 4 or 2; 0: it is another operator. */
uint32_t ets_quality_packed_bits(struct ets_text op);

/*
 * Unpacks a table [rows][columns * bits / 8]; `zeros` NULL: none. NULL: they do not fit, or no
 * memory.
 */
float *ets_quality_unpack(uint32_t bits, const struct ets_tensor *table,
                          const struct ets_tensor *scales, const struct ets_tensor *zeros,
                          struct ets_arena *arena);

/* The table's numbers, [rows][columns]; NULL: it has others, or no memory. */
float *ets_quality_packed_table(const struct ets_graph_weights *weights,
                                const struct ets_graph_node *node, uint64_t rows, uint64_t columns,
                                struct ets_arena *arena);

#endif
