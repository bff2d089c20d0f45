/* The option --save of `tensors`: writes .npy and .npz files. */
#define _DEFAULT_SOURCE
#include "cli/tensors/save_tensors.h"
#include "host/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/core/cli_text.h"
#include "host/os/os_files.h"
#include "record/numpy.h"

enum { PATH_BYTES = 4096, PIECE_BYTES = 1 << 14 };

/* In row-major order, whatever the strides. */
static void write_elements(struct ets_output *output, const struct ets_tensor *tensor)
{
    unsigned char piece[PIECE_BYTES];
    const size_t bytes = ets_scalar_type_bytes((int)tensor->scalar_type);
    const uint64_t count = ets_tensor_count(tensor), most = sizeof piece / bytes;
    for (uint64_t i = 0; i < count; i += most) {
        const size_t here = (size_t)(count - i < most ? count - i : most);
        ets_tensor_gather(tensor, i, here, piece);
        ets_output_write(output, piece, here * bytes);
    }
}

static int write_npy(const char *path, const struct ets_tensor *tensor)
{
    uint8_t header[ETS_NPY_HEADER_BYTES];
    struct ets_tensor row_major = *tensor;
    size_t size;
    struct ets_output *output;
    struct ets_error error;
    ets_tensor_set_contiguous(&row_major);
    if (ets_npy_write_header(&row_major, header, sizeof header, &size, &error) != ETS_OK) {
        cli_note("%s is left out: %s", path, error.message);
        return CLI_OK;
    }
    if (ets_output_open(path, &output, &error) != ETS_OK) return cli_fail_output(path, &error);
    ets_output_write(output, header, size);
    write_elements(output, tensor);
    return ets_output_commit(output, &error) == ETS_OK ? CLI_OK : cli_fail_output(path, &error);
}

static int save_one(const char *path, const struct cli_captured *captured)
{
    struct ets_captured_values values;
    struct ets_captured_value value;
    cli_captured_begin(captured, &values);
    if (!cli_captured_next(captured, &values, &value)) return CLI_OK;
    return write_npy(path, &value.tensor);
}

static int save_folder(const char *folder, const struct cli_captured *captured)
{
    struct ets_captured_values values;
    struct ets_captured_value value;
    int code = CLI_OK;
    const int failed = ets_os_make_folder(folder);
    if (failed != 0 && failed != EEXIST) {
        return cli_complain(CLI_INTERNAL, "%s: %s", folder, strerror(failed));
    }
    cli_captured_begin(captured, &values);
    while (code == CLI_OK && cli_captured_next(captured, &values, &value)) {
        char path[PATH_BYTES], name[CLI_CAPTURED_NAME_BYTES];
        cli_captured_name(captured->inspection, &value, name);
        const int size = snprintf(path, sizeof path, "%s/%s.npy", folder, name);
        if (size < 0 || (size_t)size >= sizeof path) {
            return cli_complain(CLI_USAGE, "--save: the folder's name is too long");
        }
        code = write_npy(path, &value.tensor);
    }
    return code;
}

static enum ets_status add_all(struct ets_npz_writer *writer, const struct cli_captured *captured,
                               struct ets_error *error)
{
    struct ets_captured_values values;
    struct ets_captured_value value;
    cli_captured_begin(captured, &values);
    while (cli_captured_next(captured, &values, &value)) {
        char name[CLI_CAPTURED_NAME_BYTES];
        cli_captured_name(captured->inspection, &value, name);
        const enum ets_status status = ets_npz_writer_add(writer, name, &value.tensor, error);
        if (status == ETS_UNSUPPORTED) cli_note("%s is left out: %s", name, error->message);
        else if (status != ETS_OK) return status;
    }
    return ets_npz_writer_finish(writer, error);
}

static int save_npz(const char *path, const struct cli_captured *captured)
{
    struct ets_output *output;
    struct ets_npz_writer *writer = NULL;
    struct ets_error error;
    if (ets_output_open(path, &output, &error) != ETS_OK) return cli_fail_output(path, &error);
    enum ets_status status = ets_npz_writer_open(output, NULL, &writer, &error);
    if (status == ETS_OK) status = add_all(writer, captured, &error);
    ets_npz_writer_close(writer);
    if (status != ETS_OK) {
        ets_output_discard(output);
        return cli_fail(path, &error);
    }
    return ets_output_commit(output, &error) == ETS_OK ? CLI_OK : cli_fail_output(path, &error);
}

int cli_save_tensors(const char *path, const struct cli_captured *captured)
{
    if (cli_ends_with(path, ".npz")) return save_npz(path, captured);
    if (cli_ends_with(path, ".npy")) return save_one(path, captured);
    return save_folder(path, captured);
}
