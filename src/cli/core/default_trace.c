/* Names the trace that is written beside an input. */
#include "cli/core/default_trace.h"

#include <stdlib.h>
#include <string.h>

#include "cli/core/command.h"
#include "etscope/file.h"
#include "host/os/os_files.h"

/* `path` with another ending; NULL if memory runs out. */
static char *default_output(const char *path, const char *ending)
{
    const size_t length = (size_t)(ets_os_ending(path) - path);
    char *output = malloc(length + strlen(ending) + 1);
    if (output == NULL) return NULL;
    memcpy(output, path, length);
    memcpy(output + length, ending, strlen(ending) + 1);
    return output;
}

/* A default name must not replace an existing file. */
static int check_is_new(const char *path, const char *option)
{
    struct ets_file *file;
    struct ets_error error;
    const enum ets_status status = cli_file_open(path, &file, &error);
    if (status == ETS_OK) ets_file_close(file);
    if (status == ETS_NOT_FOUND) return CLI_OK;
    return cli_complain(CLI_INTERNAL, "%s already exists; name another output with %s", path,
                        option);
}

int cli_default_trace(const char *path, const char *ending, const char *option, char **made_out)
{
    *made_out = default_output(path, ending);
    if (*made_out == NULL) return cli_complain(CLI_INTERNAL, "out of memory");
    return check_is_new(*made_out, option);
}
