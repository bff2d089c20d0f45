/* What operators of different runtimes have in common: their kind. */
#ifndef ETSCOPE_COMPARE_OPERATOR_KINDS_H
#define ETSCOPE_COMPARE_OPERATOR_KINDS_H

#include <stdbool.h>

#include "host/arena.h"

/*
 * "linear" for "addmm.out", "FusedGemm", "FULLY_CONNECTED" and "Fully Connected (NC, F32) GEMM #1".
 * A name that no table knows is its letters and digits, without prefix, overload and variant, in
 * lower case. False: no memory.
 */
bool ets_operator_kind(struct ets_arena *arena, struct ets_text name, struct ets_text *kind_out);

#endif
