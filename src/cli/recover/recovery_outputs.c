/* The files that `recover` writes: the trace, and the debug buffer beside it. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>

#include "cli/core/default_trace.h"
#include "cli/core/input_files.h"
#include "cli/recover/recover.h"
#include "host/os/os_files.h"
#include "host/output.h"

/* Whether nothing can be found beside it later: a device, a pipe. */
static bool is_no_file(const char *path)
{
    return strncmp(path, "/dev/", 5) == 0 || ets_os_look(path).kind > ETS_OS_FILE;
}

/* That of another start would be read as the tensors of this trace. */
static void note_no_debug_buffer(const struct recovery *recovery, bool is_wanted)
{
    const uint32_t others = recovery->found.debug_buffers;
    const char *what = recovery->is_stream ? "stream" : "ETDump";
    if (others > 0) {
        cli_note("no debug buffer is written: the capture has %u, but not of the recovered %s",
                 others, what);
    } else if (is_wanted) {
        cli_note("no debug buffer is written: the capture has none");
    }
}

static int choose_debug_buffer(const char *given, struct recovery *recovery)
{
    int code = CLI_OK;
    if (recovery->is_stream || recovery->found.debug_buffer.size == 0) {
        note_no_debug_buffer(recovery, given != NULL);
        return CLI_OK;
    }
    if (given == NULL && is_no_file(recovery->output_path)) {
        cli_note(
            "the debug buffer is not written, because %s is not a file that others lie "
            "beside; --debug-buffer FILE writes it",
            recovery->output_path);
        return CLI_OK;
    }
    recovery->debug_path = given;
    if (given == NULL) {
        code = cli_default_trace(recovery->output_path, ".bin", "--debug-buffer",
                                 &recovery->made_debug);
        recovery->debug_path = recovery->made_debug;
    }
    if (code != CLI_OK || !cli_is_same_file(recovery->debug_path, recovery->output_path)) {
        return code;
    }
    return cli_complain(CLI_USAGE,
                        "%s would be the output of both the trace and the debug buffer: "
                        "--debug-buffer needs another file",
                        recovery->debug_path);
}

/* Beside the capture, if no output was given; the debug buffer beside the trace. */
int recovery_choose_outputs(const struct cli_arguments *arguments, struct recovery *recovery)
{
    int code = CLI_OK;
    if (recovery->output_path == NULL) {
        const char *ending = recovery->is_summary ? ".etsum" : ".etdp";
        code = cli_default_trace(recovery->path, ending, "-o", &recovery->made);
        recovery->output_path = recovery->made;
    }
    if (code != CLI_OK) return code;
    return choose_debug_buffer(cli_value(arguments, "--debug-buffer"), recovery);
}

/* Opens and fills all outputs, or none. */
static enum ets_status stage(const char *const *paths, const struct ets_bytes *contents,
                             size_t count, struct ets_output **outputs, size_t *failed_out,
                             struct ets_error *error)
{
    for (size_t i = 0; i < count; i++) {
        const enum ets_status status = ets_output_open(paths[i], &outputs[i], error);
        if (status == ETS_OK) {
            ets_output_write(outputs[i], contents[i].data, contents[i].size);
            continue;
        }
        *failed_out = i;
        while (i > 0) ets_output_discard(outputs[--i]);
        return status;
    }
    return ETS_OK;
}

int recovery_write(const struct recovery *recovery)
{
    const char *const paths[] = {recovery->output_path, recovery->debug_path};
    const struct ets_bytes contents[] = {recovery->dump, recovery->found.debug_buffer};
    const size_t count = recovery->debug_path != NULL ? 2 : 1;
    struct ets_output *outputs[2];
    struct ets_error error;
    size_t failed = 0;
    enum ets_status status = stage(paths, contents, count, outputs, &failed, &error);
    if (status == ETS_OK) status = ets_outputs_commit(outputs, count, &failed, &error);
    return status == ETS_OK ? CLI_OK : cli_fail_output(paths[failed], &error);
}
