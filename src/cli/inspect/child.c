/* Runs this program again, so that a measurement has a process of its own. */
#define _POSIX_C_SOURCE 200809L
#include "cli/inspect/child.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/core/command.h"

extern char **environ;

void cli_child_add(struct cli_child_words *words, const char *word)
{
    if (words->count == 0) words->count = 1;
    if (words->count + 1 < CLI_CHILD_WORDS) words->items[words->count] = (char *)(uintptr_t)word;
    words->count++; /* too many are refused when it runs */
}

/* This program: where the system tells it, else as the shell finds it. */
static const char *find_self(char path[4096])
{
    const ssize_t size = readlink("/proc/self/exe", path, 4095);
    if (size <= 0) return "etscope";
    path[size] = '\0';
    return path;
}

static int start(const char *self, char **words, bool is_heard, pid_t *process)
{
    posix_spawn_file_actions_t actions;
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed != 0) return failed;
    failed = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (failed == 0) {
        failed =
            posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    }
    if (failed == 0 && !is_heard) {
        failed =
            posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    }
    if (failed == 0) failed = posix_spawnp(process, self, &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

int cli_child_run(struct cli_child_words *words, bool is_heard)
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
    const int failed = start(self, words->items, is_heard, &process);
    if (failed != 0) return cli_complain(CLI_UNAVAILABLE, "%s: %s", self, strerror(failed));
    while (waitpid(process, &status, 0) < 0) {
        if (errno != EINTR) return cli_complain(CLI_INTERNAL, "%s: %s", self, strerror(errno));
    }
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    return cli_complain(CLI_RUNTIME, "a recording ended by signal %d", WTERMSIG(status));
}
