/* Starts `python -c SCRIPT` and reads what it prints. */
#include "cli/session/ask_python.h"

#include <stdlib.h>
#include <string.h>

#include "cli/core/command.h"
#include "host/os/os_processes.h"

enum { REASON_CHARS = 256 };

struct line {
    char *text; /* without its end */
    size_t room;
};

static bool grow(struct line *line)
{
    const size_t room = 2 * line->room + 256;
    char *grown = realloc(line->text, room);
    if (grown == NULL) return false;
    line->text = grown;
    line->room = room;
    return true;
}

/* false: the end, or no memory. */
static bool read_line(FILE *file, struct line *line)
{
    size_t used = 0;
    int c;
    while ((c = getc(file)) != EOF && c != '\n') {
        if (used + 1 >= line->room && !grow(line)) return false;
        line->text[used++] = (char)c;
    }
    if ((c == EOF && used == 0) || (line->room == 0 && !grow(line))) return false;
    if (used > 0 && line->text[used - 1] == '\r') used--; /* Python's, on Windows */
    line->text[used] = '\0';
    return true;
}

static int read_answer(const struct cli_question *question, FILE *answer, char *reason)
{
    const size_t mark = strlen(question->mark);
    struct line line = {NULL, 0};
    bool is_fine = true;
    while (is_fine && read_line(answer, &line)) {
        if (strncmp(line.text, question->mark, mark) == 0) {
            is_fine = question->take(question->context, line.text + mark);
        } else if (line.text[0] != '\0') {
            snprintf(reason, REASON_CHARS, "%.*s", REASON_CHARS - 1, line.text);
        }
    }
    free(line.text);
    return is_fine && feof(answer) ? CLI_OK : CLI_RUNTIME;
}

int cli_ask_python(const struct cli_question *question, const char *blamed)
{
    const char *const words[] = {question->python,   "-c", question->script, question->words[0],
                                 question->words[1], NULL};
    const struct ets_os_streams streams = {.input = question->input, .has_answer = true};
    char reason[REASON_CHARS];
    struct ets_os_process process;
    int status = 0;
    snprintf(reason, sizeof reason, "%s", question->usual_reason);
    const int failed = ets_os_start(words, &streams, &process);
    if (failed != 0) return cli_complain(CLI_RUNTIME, "%s: %s", blamed, strerror(failed));
    const int code = read_answer(question, process.answer, reason);
    fclose(process.answer);
    const enum ets_os_end end = ets_os_wait(&process, true, &status);
    if (code == CLI_OK && end == ETS_OS_EXITED && status == 0) return CLI_OK;
    return cli_complain(CLI_RUNTIME, "%s: %s", blamed, reason);
}
