/* Which array of a .npz that `tensors --save` wrote belongs to which tensor of another trace. */
#ifndef ETSCOPE_CLI_TENSORS_ARRAY_PAIRS_H
#define ETSCOPE_CLI_TENSORS_ARRAY_PAIRS_H

#include "cli/open/arrays.h"
#include "cli/open/captured.h"

/*
 * Another build of a model has other event numbers. Where both have equally many tensors of an
 * operator and a shape in a run, those are paired in their order; where not, by their whole names.
 */
struct cli_array_pairs {
    const struct cli_arrays *arrays;
    struct cli_pair_name *of_arrays, *of_tensors;
    size_t tensor_count;
};

/* Of all that the trace captured, chosen or not. Returns an exit code. Close in any case. */
int cli_array_pairs_open(const struct cli_captured *captured, const struct cli_arrays *arrays,
                         struct cli_array_pairs *pairs_out);
void cli_array_pairs_close(struct cli_array_pairs *pairs);

/* The array for the tensor of that name, as cli_captured_name gives it; arrays->count: none. */
size_t cli_array_pairs_find(const struct cli_array_pairs *pairs, const char *name,
                            const struct ets_tensor *tensor);

#endif
