/* Reads a stream as it arrives. */
#include "cli/report/stream_input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/core/bounds.h"
#include "cli/core/cli_text.h"
#include "cli/core/command.h"
#include "host/os/os_files.h"
#include "host/os/os_input.h"

/* One read; the most that a stream may have, beyond any device's. */
enum { PIECE = 65536 };
#define MOST_BYTES ((size_t)1 << 30)

int stream_input_open(const char *path, struct stream_input *input)
{
    const bool is_standard = strcmp(path, "-") == 0;
    *input = (struct stream_input){.path = is_standard ? "standard input" : path};
    input->descriptor = is_standard ? ETS_OS_STANDARD_INPUT : ets_os_open_arriving(path);
    const enum ets_os_kind kind =
        input->descriptor < 0 ? ETS_OS_NOTHING : ets_os_look_open(input->descriptor).kind;
    if (kind == ETS_OS_NOTHING) {
        return cli_complain(CLI_INPUT, "%s: %s", cli_path_name(path), strerror(errno));
    }
    input->is_file = kind == ETS_OS_FILE && !is_standard;
    return CLI_OK;
}

static int make_room(struct stream_input *input)
{
    if (input->room - input->size >= PIECE) return CLI_OK;
    if (input->room >= MOST_BYTES) {
        return cli_complain(CLI_INPUT,
                            "%s: more than 1 GiB; keep the stream in a file, and recover it",
                            cli_path_name(input->path));
    }
    const size_t room = input->room > 0 ? 2 * input->room : 4 * PIECE;
    uint8_t *bytes = realloc(input->bytes, room);
    if (bytes == NULL) {
        return cli_complain(CLI_INTERNAL, "%s: no memory for %zu bytes", cli_path_name(input->path),
                            room);
    }
    input->bytes = bytes;
    input->room = room;
    return CLI_OK;
}

int stream_input_read(struct stream_input *input)
{
    const int code = make_room(input);
    if (code != CLI_OK) return code;
    const int64_t size = ets_os_read(input->descriptor, input->bytes + input->size, PIECE);
    if (size < 0 && errno != EAGAIN && errno != EINTR) {
        return cli_complain(CLI_INPUT, "%s: %s", cli_path_name(input->path), strerror(errno));
    }
    if (size > 0) {
        cli_count_input((struct ets_bytes){input->bytes + input->size, (size_t)size});
        input->size += (size_t)size;
    }
    /* before the first bytes, a named pipe may have no writer yet */
    const bool is_over = size == 0 && !input->is_file;
    input->has_ended = is_over && (input->size > 0 || input->descriptor == ETS_OS_STANDARD_INPUT);
    return CLI_OK;
}

int stream_input_waits_for(const struct stream_input *input)
{
    return input->is_file ? -1 : input->descriptor;
}

void stream_input_close(struct stream_input *input)
{
    if (input->descriptor > ETS_OS_STANDARD_INPUT) ets_os_close(input->descriptor);
    free(input->bytes);
}
