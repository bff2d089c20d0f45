/* Runs this program again, so that a measurement has a process of its own. */
#define _POSIX_C_SOURCE 200809L
#include "cli/session/child.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/core/command.h"
#include "cli/session/session.h"

extern char **environ;

void cli_child_add(struct cli_child_words *words, const char *word)
{
    if (words->count == 0) words->count = 1;
    if (words->count + 1 < CLI_CHILD_WORDS) words->items[words->count] = (char *)(uintptr_t)word;
    words->count++; /* too many are refused when it runs */
}

/* This program: where a loader that runs it tells, or the system, else as the shell finds it. */
static const char *find_self(char path[4096])
{
    const char *told = getenv("ETSCOPE_SELF");
    if (told != NULL && *told != '\0') return told;
    const ssize_t size = readlink("/proc/self/exe", path, 4095);
    if (size <= 0) return "etscope";
    path[size] = '\0';
    return path;
}

static int redirect(posix_spawn_file_actions_t *actions, int stream, const char *path)
{
    return posix_spawn_file_actions_addopen(actions, stream, path, O_WRONLY | O_CREAT | O_TRUNC,
                                            0600);
}

static int start(const char *self, char **words, const char *output, const char *messages,
                 pid_t *process)
{
    posix_spawn_file_actions_t actions;
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed != 0) return failed;
    failed = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (failed == 0 && output != NULL) failed = redirect(&actions, STDOUT_FILENO, output);
    if (failed == 0 && messages != NULL) failed = redirect(&actions, STDERR_FILENO, messages);
    if (failed == 0) failed = posix_spawnp(process, self, &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

int cli_child_run(struct cli_child_words *words, const char *output, const char *messages)
{
    char path[4096];
    const char *self = find_self(path);
    pid_t process;
    int status = 0;
    if (words->count + 1 > CLI_CHILD_WORDS) {
        return cli_complain(CLI_USAGE, "too many options for a process of its own");
    }
    words->items[0] = (char *)(uintptr_t)self;
    words->items[words->count] = NULL;
    const int failed = start(self, words->items, output, messages, &process);
    if (failed != 0) return cli_complain(CLI_UNAVAILABLE, "%s: %s", self, strerror(failed));
    while (waitpid(process, &status, 0) < 0) {
        if (errno != EINTR) return cli_complain(CLI_INTERNAL, "%s: %s", self, strerror(errno));
    }
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    return cli_complain(CLI_RUNTIME, "a recording ended by signal %d", WTERMSIG(status));
}

int cli_child_trace_path(const char *path, const char *name, unsigned number, char *path_out)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    const bool has_ending = dot != NULL && (slash == NULL || dot > slash + 1) && dot != path;
    const int size = snprintf(path_out, CLI_PATH_BYTES, "%.*s.%s-%u%s",
                              (int)(has_ending ? (size_t)(dot - path) : strlen(path)), path, name,
                              number, has_ending ? dot : "");
    if (size >= 0 && size < CLI_PATH_BYTES) return CLI_OK;
    return cli_complain(CLI_USAGE, "%s: the path is too long", path);
}

int cli_child_folder(char *folder, size_t room)
{
    const char *parent = getenv("TMPDIR");
    const int size = snprintf(folder, room, "%s/etscope-XXXXXX",
                              parent == NULL || *parent == '\0' ? "/tmp" : parent);
    if (size > 0 && (size_t)size < room && mkdtemp(folder) != NULL) return CLI_OK;
    folder[0] = '\0';
    return cli_complain(CLI_INTERNAL, "no folder for the recordings: set TMPDIR");
}
