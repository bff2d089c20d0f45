/*
 * The inputs that a run was given, where the trace keeps them: `etscope run` appends them to the
 * extra block of a trace with captured tensors. docs/SPEC.md describes the entry.
 */
#ifndef ETSCOPE_INSPECT_GIVEN_INPUTS_H
#define ETSCOPE_INSPECT_GIVEN_INPUTS_H

#include "etscope/inspect.h"
#include "etscope/tensor.h"
#include "host/arena.h"

/*
 * Those of a method in a test case (-1: in none), in order; tensors borrow the trace's bytes.
 * `*count_out` 0: the trace keeps none, or not all. Status: NO_MEMORY.
 */
enum ets_status ets_given_inputs_read(struct ets_arena *arena,
                                      const struct ets_inspection *inspection, const char *method,
                                      int32_t test_case, struct ets_value **values_out,
                                      size_t *count_out, struct ets_error *error);

#endif
