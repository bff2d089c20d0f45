/* Pairs the arrays of a .npz file written by `tensors --save` with the tensors of another trace. */
#ifndef ETSCOPE_CLI_TENSORS_ARRAY_PAIRS_H
#define ETSCOPE_CLI_TENSORS_ARRAY_PAIRS_H

#include "cli/files/arrays.h"
#include "cli/tensors/captured.h"

/*
 * Another build of a model has other event numbers. If both have equally many tensors of an
 * operator and shape in a run, these are paired in order; otherwise by their full names.
 */
struct cli_array_pairs {
    const struct cli_arrays *arrays;
    struct cli_pair_name *of_arrays, *of_tensors;
    size_t tensor_count;
};

/*
 * Pairs all captured tensors, selected or not. Returns an exit code; close it even after a failure.
 */
int cli_array_pairs_open(const struct cli_captured *captured, const struct cli_arrays *arrays,
                         struct cli_array_pairs *pairs_out);
void cli_array_pairs_close(struct cli_array_pairs *pairs);

/* The array for the tensor with this name (cli_captured_name); arrays->count: none. */
size_t cli_array_pairs_find(const struct cli_array_pairs *pairs, const char *name,
                            const struct ets_tensor *tensor);

#endif
