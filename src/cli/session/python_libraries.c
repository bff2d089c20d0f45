/* Asks a Python for its executorch's libraries, in a separate process. */
#define _POSIX_C_SOURCE 200809L
#include "cli/session/python_libraries.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define MARK "etscope-library="

/* Imports neither: torch takes seconds. Other output of Python, such as warnings, has no mark. */
static char question[] =
    "import sys\n"
    "sys.path = [path for path in sys.path if path]\n" /* not the working directory's modules */
    "import glob, importlib.util, os, sysconfig\n"
    "def folder(name):\n"
    "    found = importlib.util.find_spec(name)\n"
    "    places = found and found.submodule_search_locations\n"
    "    return list(places)[0] if places else sys.exit(name + ' is not installed in it')\n"
    "folder('torch')\n"
    "place = os.path.join(folder('executorch'), 'extension', 'llm', 'custom_ops')\n"
    "operators = glob.glob(os.path.join(place, 'libcustom_ops_aot_lib.*'))\n"
    "operators or sys.exit('its executorch has no libcustom_ops_aot_lib')\n"
    "v = sysconfig.get_config_var\n"
    "names = [name for name in (v('INSTSONAME'), v('LDLIBRARY')) if name]\n"
    "places = (v('LIBDIR') or '', os.path.join(sys.base_prefix, 'lib'))\n"
    "paths = [os.path.join(p, n) for p in places for n in names if not n.endswith('.a')]\n"
    "python = [path for path in paths if os.path.exists(path)]\n"
    "python or sys.exit('it has no shared libpython: ' + (' '.join(paths) or 'it is static'))\n"
    "print('\\n" MARK "' + python[0] + '\\n" MARK "' + operators[0])\n";

/* Starts `python -c question`; `*from` reads its output. Returns 0 or an errno. */
static int start(const char *python, pid_t *process, int *from)
{
    posix_spawn_file_actions_t actions;
    static char option[] = "-c";
    char *words[] = {NULL, option, question, NULL};
    int ends[2];
    *from = -1;
    if (pipe(ends) != 0) return errno;
    int failed = ENOMEM;
    if ((words[0] = strdup(python)) != NULL) failed = posix_spawn_file_actions_init(&actions);
    if (failed == 0) {
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
        posix_spawn_file_actions_addclose(&actions, ends[0]);
        failed = posix_spawnp(process, python, &actions, NULL, words, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    free(words[0]);
    close(ends[1]);
    if (failed != 0) close(ends[0]);
    else *from = ends[0];
    return failed;
}

/* Keeps the marked lines, and the last of the others, which is the reason of a failure. */
static int read_answer(FILE *answer, struct cli_python_libraries *found, char *reason,
                       size_t capacity)
{
    char line[CLI_PATH_BYTES + sizeof MARK];
    const size_t mark_length = strlen(MARK);
    while (fgets(line, sizeof line, answer) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, MARK, mark_length) != 0) {
            if (line[0] != '\0') snprintf(reason, capacity, "%.*s", (int)capacity - 1, line);
        } else if (found->count < CLI_PYTHON_LIBRARIES) {
            snprintf(found->paths[found->count++], CLI_PATH_BYTES, "%.*s", CLI_PATH_BYTES - 1,
                     line + mark_length);
        }
    }
    return ferror(answer) ? CLI_RUNTIME : CLI_OK;
}

int cli_python_libraries(const struct cli_arguments *arguments, struct cli_python_libraries *found)
{
    const char *python = cli_value(arguments, "--python");
    char reason[256] = "it names no library";
    pid_t process;
    int from = -1, status = -1;
    found->count = 0;
    if (python == NULL) return CLI_OK;
    const int failed = start(python, &process, &from);
    if (failed != 0) return cli_complain(CLI_RUNTIME, "--python %s: %s", python, strerror(failed));
    FILE *answer = fdopen(from, "r");
    int code = CLI_INTERNAL;
    if (answer == NULL) {
        close(from);
    } else {
        code = read_answer(answer, found, reason, sizeof reason);
        fclose(answer);
    }
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
    if (code == CLI_OK && status == 0 && found->count > 0) return CLI_OK;
    return cli_complain(CLI_RUNTIME, "--python %s: %s", python, reason);
}
