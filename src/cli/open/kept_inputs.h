/* Keeps in a trace what its runs were given, so that `gap` can evaluate the reference on it. */
#ifndef ETSCOPE_CLI_OPEN_KEPT_INPUTS_H
#define ETSCOPE_CLI_OPEN_KEPT_INPUTS_H

#include <stdbool.h>

#include "etscope/engine.h"

/* Entries of the extra block as they grow; all zero: none. */
struct cli_kept_inputs {
    uint8_t *bytes;
    size_t size, room;
};

/*
 * Adds the inputs of a method in a test case (-1: in none). Inputs of more than 16 MiB in all, and
 * kinds that have no bytes, are not kept. False: no memory.
 */
bool cli_kept_inputs_add(struct cli_kept_inputs *kept, const char *method, int32_t test_case,
                         const struct ets_value *values, size_t count);
/*
 * The trace with the entries in its extra block: `*grown_out` is to be freed, and NULL if there is
 * nothing to add. False: no memory.
 */
bool cli_kept_inputs_append(const struct cli_kept_inputs *kept, struct ets_bytes trace,
                            uint8_t **grown_out, size_t *size_out);
void cli_kept_inputs_close(struct cli_kept_inputs *kept);

#endif
