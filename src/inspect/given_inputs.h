/*
 * The inputs that a run was given, where the trace keeps them: etscope's runner appends their sizes
 * to the extra block, and their elements to that of a trace with captured tensors. docs/SPEC.md
 * describes the entries.
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

/*
 * The types and sizes of a method's inputs, and the plain numbers among them: tensors have no data.
 * `*count_out` 0: the trace does not keep them, or its runs had different ones. Status: NO_MEMORY.
 */
enum ets_status ets_given_sizes_read(struct ets_arena *arena,
                                     const struct ets_inspection *inspection, const char *method,
                                     struct ets_value **values_out, size_t *count_out,
                                     struct ets_error *error);

#endif
