/* Opens .npy and .npz files as a list of named arrays. */
#include "cli/files/arrays.h"

#include <stdlib.h>
#include <string.h>

#include "cli/core/cli_text.h"
#include "etscope/file.h"
#include "record/numpy.h"

/* N of "arr_N"; -1: another name. */
static long long number_of(struct ets_text name)
{
    long long number = 0;
    if (name.size < 5 || name.size > 15 || memcmp(name.data, "arr_", 4) != 0) return -1;
    for (size_t i = 4; i < name.size; i++) {
        if (name.data[i] < '0' || name.data[i] > '9') return -1;
        number = number * 10 + (name.data[i] - '0');
    }
    return number;
}

/* Sorts a few indices by number; they are already sorted unless the file was repacked. */
static void sort_numbered(struct cli_arrays *arrays)
{
    for (size_t i = 1; i < arrays->count; i++) {
        const size_t moved = arrays->order[i];
        const long long number = number_of(ets_npz_name(arrays->npz, moved));
        size_t k = i;
        for (; k > 0; k--) {
            if (number_of(ets_npz_name(arrays->npz, arrays->order[k - 1])) <= number) break;
            arrays->order[k] = arrays->order[k - 1];
        }
        arrays->order[k] = moved;
    }
}

static int open_npz(struct cli_arrays *arrays)
{
    struct ets_error error;
    if (ets_npz_open(ets_file_bytes(arrays->file), NULL, &arrays->npz, &error) != ETS_OK) {
        return cli_fail(arrays->path, &error);
    }
    const size_t count = ets_npz_count(arrays->npz);
    arrays->order = calloc(count + 1, sizeof *arrays->order);
    if (arrays->order == NULL) return cli_complain(CLI_INTERNAL, "no memory for %s", arrays->path);
    arrays->is_numbered = true;
    for (size_t i = 0; i < count; i++) {
        arrays->order[i] = i;
        if (number_of(ets_npz_name(arrays->npz, i)) < 0) arrays->is_numbered = false;
    }
    arrays->count = count;
    if (arrays->is_numbered) sort_numbered(arrays);
    return CLI_OK;
}

int cli_arrays_open(const char *path, struct cli_arrays *arrays_out)
{
    struct ets_error error;
    *arrays_out = (struct cli_arrays){.path = path};
    if (cli_file_open(path, &arrays_out->file, &error) != ETS_OK) return cli_fail(path, &error);
    const enum ets_kind kind = ets_kind_sniff(ets_file_bytes(arrays_out->file));
    arrays_out->count = 1;
    if (cli_ends_with(path, ".bin")) return CLI_OK; /* bytes, whatever they look like */
    if (kind == ETS_KIND_ZIP || kind == ETS_KIND_ETRECORD) return open_npz(arrays_out);
    return CLI_OK;
}

void cli_arrays_close(struct cli_arrays *arrays)
{
    ets_npz_close(arrays->npz);
    ets_file_close(arrays->file);
    free(arrays->order);
}

struct ets_text cli_arrays_name(const struct cli_arrays *arrays, size_t index)
{
    if (arrays->npz == NULL) return (struct ets_text){NULL, 0};
    return ets_npz_name(arrays->npz, arrays->order[index]);
}

size_t cli_arrays_find(const struct cli_arrays *arrays, struct ets_text name)
{
    if (arrays->npz == NULL) return arrays->count;
    const size_t found = ets_npz_find(arrays->npz, name);
    size_t index = 0;
    while (index < arrays->count && arrays->order[index] != found) index++;
    return index;
}

int cli_arrays_read(struct cli_arrays *arrays, size_t index, struct ets_tensor *tensor_out)
{
    struct ets_error error;
    const enum ets_status status =
        arrays->npz == NULL ? ets_npy_read(ets_file_bytes(arrays->file), tensor_out, &error)
                            : ets_npz_read(arrays->npz, arrays->order[index], tensor_out, &error);
    return status == ETS_OK ? CLI_OK : cli_fail(arrays->path, &error);
}
