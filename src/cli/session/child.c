/* Runs this program again, so that a measurement has a process of its own. */
#include "cli/session/child.h"

#include <stdlib.h>
#include <string.h>

#include "cli/core/command.h"
#include "cli/core/interrupt.h"
#include "cli/session/session.h"
#include "host/os/os_files.h"
#include "host/os/os_libraries.h"
#include "host/os/os_processes.h"

void cli_child_add(struct cli_child_words *words, const char *word)
{
    if (words->count == 0) words->count = 1;
    if (words->count + 1 < CLI_CHILD_WORDS) words->items[words->count] = (char *)(uintptr_t)word;
    words->count++; /* too many are refused when it runs */
}

/* This program: where a loader that runs it tells, or the system, else as the shell finds it. */
static const char *find_self(char path[ETS_OS_PATH_BYTES])
{
    const char *told = getenv("ETSCOPE_SELF");
    if (told != NULL && *told != '\0') return told;
    return ets_os_program(path, ETS_OS_PATH_BYTES) ? path : "etscope";
}

int cli_child_run(struct cli_child_words *words, const char *output, const char *messages)
{
    char path[ETS_OS_PATH_BYTES];
    const char *self = find_self(path);
    const struct ets_os_streams streams = {ets_os_null_device, output, messages, false, false};
    struct ets_os_process process;
    int code = 0;
    if (words->count + 1 > CLI_CHILD_WORDS) {
        return cli_complain(CLI_USAGE, "too many options for a process of its own");
    }
    words->items[0] = (char *)(uintptr_t)self;
    words->items[words->count] = NULL;
    const int failed = ets_os_start((const char *const *)words->items, &streams, &process);
    if (failed != 0) return cli_complain(CLI_UNAVAILABLE, "%s: %s", self, strerror(failed));
    cli_interrupt_pass_to(&process);
    const enum ets_os_end end = ets_os_wait(&process, true, &code);
    cli_interrupt_pass_to(NULL);
    if (end == ETS_OS_SIGNALLED && cli_interrupted() != 0) return CLI_SIGNAL + cli_interrupted();
    if (end == ETS_OS_EXITED) return code;
    if (end == ETS_OS_LOST) return cli_complain(CLI_INTERNAL, "%s: %s", self, strerror(code));
    return cli_complain(CLI_RUNTIME, "a recording ended by signal %d", code);
}

int cli_child_trace_path(const char *path, const char *name, unsigned number, char *path_out)
{
    const char *ending = ets_os_ending(path);
    const int size = snprintf(path_out, CLI_PATH_BYTES, "%.*s.%s-%u%s", (int)(ending - path), path,
                              name, number, ending);
    if (size >= 0 && size < CLI_PATH_BYTES) return CLI_OK;
    return cli_complain(CLI_USAGE, "%s: the path is too long", path);
}

int cli_child_folder(char *folder, size_t room)
{
    if (ets_os_make_temporary_folder(folder, room) == 0) return CLI_OK;
    folder[0] = '\0';
    return cli_complain(CLI_INTERNAL, "no folder for the recordings: set TMPDIR");
}
