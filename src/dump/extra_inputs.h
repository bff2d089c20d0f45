/* Keeps in a trace what its runs were given: `gap` evaluates the reference on the elements, costs
 * are of the sizes. */
#ifndef ETSCOPE_DUMP_EXTRA_INPUTS_H
#define ETSCOPE_DUMP_EXTRA_INPUTS_H

#include <stdbool.h>

#include "etscope/tensor.h"

/* Entries of the extra block as they grow; all zero: none. */
struct ets_extra_inputs {
    uint8_t *bytes;
    size_t size, room;
};

/*
 * Adds the inputs of a method in a test case (-1: in none), with the elements of tensors or their
 * types and sizes alone. Of inputs of more than 16 MiB in all no elements are kept; of kinds that
 * have no bytes, nothing. False: no memory.
 */
bool ets_extra_inputs_add(struct ets_extra_inputs *kept, const char *method, int32_t test_case,
                          const struct ets_value *values, size_t count, bool has_elements);
/*
 * The trace with the entries in its extra block: `*grown_out` is to be freed, and NULL if there is
 * nothing to add. False: no memory.
 */
bool ets_extra_inputs_append(const struct ets_extra_inputs *kept, struct ets_bytes trace,
                             uint8_t **grown_out, size_t *size_out);
void ets_extra_inputs_close(struct ets_extra_inputs *kept);

#endif
