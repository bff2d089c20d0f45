/* Keeps in a trace what its runs were given, so that `gap` can evaluate the reference on it. */
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
 * Adds the inputs of a method in a test case (-1: in none). Inputs of more than 16 MiB in all, and
 * kinds that have no bytes, are not kept. False: no memory.
 */
bool ets_extra_inputs_add(struct ets_extra_inputs *kept, const char *method, int32_t test_case,
                          const struct ets_value *values, size_t count);
/*
 * The trace with the entries in its extra block: `*grown_out` is to be freed, and NULL if there is
 * nothing to add. False: no memory.
 */
bool ets_extra_inputs_append(const struct ets_extra_inputs *kept, struct ets_bytes trace,
                             uint8_t **grown_out, size_t *size_out);
void ets_extra_inputs_close(struct ets_extra_inputs *kept);

#endif
