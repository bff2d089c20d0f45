/* The arrays of a .npy or .npz file. */
#ifndef ETSCOPE_CLI_FILES_ARRAYS_H
#define ETSCOPE_CLI_FILES_ARRAYS_H

#include "cli/core/command.h"
#include "etscope/file.h"
#include "record/numpy.h"

struct cli_arrays {
    const char *path;
    struct ets_file *file;
    struct ets_npz *npz; /* NULL: a .npy file */
    size_t *order;       /* of a .npz: its indices in the order of the arrays */
    size_t count;
    bool is_numbered; /* all names are arr_N, as np.savez gives to arrays without names */
};

/*
 * Opens `path`. Arrays keep the order of the file, or the order of N if all are named arr_N.
 * Reports errors; returns an exit code; close it even after a failure.
 */
int cli_arrays_open(const char *path, struct cli_arrays *arrays_out);
void cli_arrays_close(struct cli_arrays *arrays);

/* The name of array `index` below `count`; absent in a .npy. */
struct ets_text cli_arrays_name(const struct cli_arrays *arrays, size_t index);
/* The index of the array with this name; `count` if there is none. */
size_t cli_arrays_find(const struct cli_arrays *arrays, struct ets_text name);
/* Reads array `index`, valid until close. Returns an exit code. */
int cli_arrays_read(struct cli_arrays *arrays, size_t index, struct ets_tensor *tensor_out);

#endif
