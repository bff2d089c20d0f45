/*
 * The weights that a program really has: what its delegates hold, dequantized, and its tables of
 * embeddings. Programs do not tell the names of modules, so a weight is that layer's whose numbers
 * it is nearest to.
 */
#ifndef ETSCOPE_QUALITY_PROGRAM_WEIGHTS_H
#define ETSCOPE_QUALITY_PROGRAM_WEIGHTS_H

#include "etscope/program.h"
#include "quality/quality_layers.h"

/*
 * Fills `present` and `scheme` of layers that the program has quantized. Others keep what they
 * have. Statuses: NO_MEMORY.
 */
enum ets_status ets_program_weights_take(struct ets_quality_layers *layers,
                                         const struct ets_program *program, struct ets_arena *arena,
                                         struct ets_error *error);

#endif
