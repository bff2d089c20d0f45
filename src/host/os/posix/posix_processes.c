/* Processes by posix_spawn. */
#define _POSIX_C_SOURCE 200809L
#include "host/os/os_processes.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/os/os_files.h"

extern char **environ;

/* A pipe whose ends no other child inherits. */
static int open_pipe(int ends[2])
{
    if (pipe(ends) != 0) return errno;
    for (int i = 0; i < 2; i++) fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    return 0;
}

static int open_file(posix_spawn_file_actions_t *actions, int stream, const char *path)
{
    const int flags = stream == STDIN_FILENO ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC;
    return path == NULL ? 0 : posix_spawn_file_actions_addopen(actions, stream, path, flags, 0600);
}

/* `feed` and `answer`: the pipes that are asked for. */
static int redirect(posix_spawn_file_actions_t *actions, const struct ets_os_streams *streams,
                    const int feed[2], const int answer[2])
{
    int failed = streams->has_feed
                     ? posix_spawn_file_actions_adddup2(actions, feed[0], STDIN_FILENO)
                     : open_file(actions, STDIN_FILENO, streams->input);
    if (failed == 0 && streams->has_answer) {
        failed = posix_spawn_file_actions_adddup2(actions, answer[1], STDOUT_FILENO);
        if (failed == 0) {
            failed = posix_spawn_file_actions_adddup2(actions, answer[1], STDERR_FILENO);
        }
        return failed;
    }
    if (failed == 0) failed = open_file(actions, STDOUT_FILENO, streams->output);
    return failed == 0 ? open_file(actions, STDERR_FILENO, streams->messages) : failed;
}

static int spawn(const char *const *words, const struct ets_os_streams *streams, const int feed[2],
                 const int answer[2], pid_t *id_out)
{
    posix_spawn_file_actions_t actions;
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed != 0) return failed;
    failed = redirect(&actions, streams, feed, answer);
    if (failed == 0) {
        failed = posix_spawnp(id_out, words[0], &actions, NULL, (char *const *)(uintptr_t)words,
                              environ);
    }
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

static void close_pipe(int ends[2])
{
    for (int i = 0; i < 2; i++) {
        if (ends[i] >= 0) close(ends[i]);
        ends[i] = -1;
    }
}

/* Keeps this side of a pipe. */
static int take_end(int ends[2], int which)
{
    const int end = ends[which];
    ends[which] = -1;
    return end;
}

int ets_os_start(const char *const *words, const struct ets_os_streams *streams,
                 struct ets_os_process *process_out)
{
    int feed[2] = {-1, -1}, answer[2] = {-1, -1}, failed = 0;
    pid_t id = -1;
    FILE *stream = NULL;
    if (streams->has_feed) failed = open_pipe(feed);
    if (failed == 0 && streams->has_answer) failed = open_pipe(answer);
    if (failed == 0 && streams->has_answer) {
        stream = fdopen(answer[0], "r");
        if (stream == NULL) failed = errno;
        else (void)take_end(answer, 0);
    }
    if (failed == 0) failed = spawn(words, streams, feed, answer, &id);
    if (failed == 0) *process_out = (struct ets_os_process){id, stream, take_end(feed, 1)};
    else if (stream != NULL) fclose(stream);
    close_pipe(feed);
    close_pipe(answer);
    return failed;
}

enum ets_os_end ets_os_wait(const struct ets_os_process *process, bool waits, int *code_out)
{
    int status = 0;
    pid_t ended;
    do ended = waitpid((pid_t)process->id, &status, waits ? 0 : WNOHANG);
    while (ended < 0 && errno == EINTR);
    *code_out = errno;
    if (ended < 0) return ETS_OS_LOST;
    if (ended == 0) return ETS_OS_RUNS;
    *code_out = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
    return WIFEXITED(status) ? ETS_OS_EXITED : ETS_OS_SIGNALLED;
}

void ets_os_stop(const struct ets_os_process *process)
{
    kill((pid_t)process->id, SIGTERM);
}

int ets_os_show_in_browser(const char *address, struct ets_os_process *process_out)
{
#ifdef __APPLE__
    const char *const words[] = {"open", address, NULL};
#else
    const char *const words[] = {"xdg-open", address, NULL};
#endif
    /* Browsers talk. */
    const struct ets_os_streams streams = {.output = ets_os_null_device,
                                           .messages = ets_os_null_device};
    return ets_os_start(words, &streams, process_out);
}

long ets_os_process_number(void)
{
    return (long)getpid();
}
