/* Keeps in a trace what its runs were given: `gap` evaluates the reference on the elements, costs
 * are of the sizes. */
#ifndef ETSCOPE_DUMP_EXTRA_INPUTS_H
#define ETSCOPE_DUMP_EXTRA_INPUTS_H

#include <stdbool.h>

#include "dump/extra_growth.h"
#include "etscope/tensor.h"

/*
 * Adds the inputs of a method in a test case (-1: in none), with the elements of tensors or their
 * types and sizes alone. Of inputs of more than 16 MiB in all no elements are kept; of kinds that
 * have no bytes, nothing. False: no memory.
 */
bool ets_extra_inputs_add(struct ets_extra_growth *kept, const char *method, int32_t test_case,
                          const struct ets_value *values, size_t count, bool has_elements);

#endif
