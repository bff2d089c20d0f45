/* The shapes of generated inputs: dynamic ones are chosen, or stated. */
#ifndef ETSCOPE_CLI_SESSION_INPUT_SHAPES_H
#define ETSCOPE_CLI_SESSION_INPUT_SHAPES_H

#include "cli/session/session.h"

/*
 * Sets the sizes and strides of a generated input, which come as upper bounds: those of --shape, or
 * with a dynamic shape those of the record's export; else the bounds, with a note. Exit codes.
 */
int cli_input_shape(const struct cli_session *session, const char *method, size_t index,
                    struct ets_tensor *tensor);

/* Every --shape must be of an input that `method` has, and be well formed. Exit codes. */
int cli_input_shapes_check(const struct cli_session *session, const char *method,
                           size_t input_count);

#endif
