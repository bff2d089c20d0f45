/* Starts `python -c SCRIPT` and reads what it prints. */
#define _POSIX_C_SOURCE 200809L
#include "cli/session/ask_python.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/core/command.h"

extern char **environ;

enum { REASON_CHARS = 256 };

static int redirect(posix_spawn_file_actions_t *actions, const int ends[2], const char *input)
{
    int failed = 0;
    if (input != NULL) {
        failed = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, input, O_RDONLY, 0);
    }
    if (failed == 0) failed = posix_spawn_file_actions_adddup2(actions, ends[1], STDOUT_FILENO);
    if (failed == 0) failed = posix_spawn_file_actions_adddup2(actions, ends[1], STDERR_FILENO);
    return failed == 0 ? posix_spawn_file_actions_addclose(actions, ends[0]) : failed;
}

/* `*from` reads its output. Returns 0 or an errno. */
static int start(const struct cli_question *question, pid_t *process, int *from)
{
    posix_spawn_file_actions_t actions;
    const char *words[] = {question->python,   "-c", question->script, question->words[0],
                           question->words[1], NULL};
    char *copies[sizeof words / sizeof *words] = {NULL};
    int ends[2], failed = 0;
    if (pipe(ends) != 0) return errno;
    for (size_t i = 0; words[i] != NULL && failed == 0; i++) {
        if ((copies[i] = strdup(words[i])) == NULL) failed = ENOMEM;
    }
    if (failed == 0 && (failed = posix_spawn_file_actions_init(&actions)) == 0) {
        failed = redirect(&actions, ends, question->input);
        if (failed == 0) {
            failed = posix_spawnp(process, question->python, &actions, NULL, copies, environ);
        }
        posix_spawn_file_actions_destroy(&actions);
    }
    for (size_t i = 0; copies[i] != NULL; i++) free(copies[i]);
    close(ends[1]);
    if (failed != 0) close(ends[0]);
    else *from = ends[0];
    return failed;
}

static int read_answer(const struct cli_question *question, FILE *answer, char *reason)
{
    const size_t mark = strlen(question->mark);
    char *line = NULL;
    size_t room = 0;
    bool is_fine = true;
    while (is_fine && getline(&line, &room, answer) >= 0) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, question->mark, mark) == 0) {
            is_fine = question->take(question->context, line + mark);
        } else if (line[0] != '\0') {
            snprintf(reason, REASON_CHARS, "%.*s", REASON_CHARS - 1, line);
        }
    }
    free(line);
    return is_fine && !ferror(answer) ? CLI_OK : CLI_RUNTIME;
}

int cli_ask_python(const struct cli_question *question, const char *blamed)
{
    char reason[REASON_CHARS];
    pid_t process;
    int from = -1, status = -1, code = CLI_RUNTIME;
    snprintf(reason, sizeof reason, "%s", question->usual_reason);
    const int failed = start(question, &process, &from);
    if (failed != 0) return cli_complain(CLI_RUNTIME, "%s: %s", blamed, strerror(failed));
    FILE *answer = fdopen(from, "r");
    if (answer == NULL) {
        close(from);
    } else {
        code = read_answer(question, answer, reason);
        fclose(answer);
    }
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
    if (code == CLI_OK && status == 0) return CLI_OK;
    return cli_complain(CLI_RUNTIME, "%s: %s", blamed, reason);
}
