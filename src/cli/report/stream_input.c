/* Reads a stream as it arrives. */
#define _POSIX_C_SOURCE 200809L
#include "cli/report/stream_input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/core/bounds.h"
#include "cli/core/cli_text.h"
#include "cli/core/command.h"

/* One read; the most that a stream may have, beyond any device's. */
enum { PIECE = 65536 };
#define MOST_BYTES ((size_t)1 << 30)

int stream_input_open(const char *path, struct stream_input *input)
{
    struct stat info;
    const int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    const bool is_standard = strcmp(path, "-") == 0;
    *input = (struct stream_input){.path = is_standard ? "standard input" : path};
    input->descriptor = is_standard ? STDIN_FILENO : open(path, flags);
    if (input->descriptor < 0 || fstat(input->descriptor, &info) != 0) {
        return cli_complain(CLI_INPUT, "%s: %s", cli_path_name(path), strerror(errno));
    }
    input->is_file = S_ISREG(info.st_mode) && !is_standard;
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
    const ssize_t size = read(input->descriptor, input->bytes + input->size, PIECE);
    if (size < 0 && errno != EAGAIN && errno != EINTR) {
        return cli_complain(CLI_INPUT, "%s: %s", cli_path_name(input->path), strerror(errno));
    }
    if (size > 0) {
        cli_count_input((struct ets_bytes){input->bytes + input->size, (size_t)size});
        input->size += (size_t)size;
    }
    /* before the first bytes, a named pipe may have no writer yet */
    const bool is_over = size == 0 && !input->is_file;
    input->has_ended = is_over && (input->size > 0 || input->descriptor == STDIN_FILENO);
    return CLI_OK;
}

int stream_input_waits_for(const struct stream_input *input)
{
    return input->is_file ? -1 : input->descriptor;
}

void stream_input_close(struct stream_input *input)
{
    if (input->descriptor > STDIN_FILENO) close(input->descriptor);
    free(input->bytes);
}
