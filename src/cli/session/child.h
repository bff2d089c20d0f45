/* Runs this program again in a process of its own. */
#ifndef ETSCOPE_CLI_SESSION_CHILD_H
#define ETSCOPE_CLI_SESSION_CHILD_H

#include <stddef.h>

enum { CLI_CHILD_WORDS = 600 };

/* The words of a command, without the program's own name. */
struct cli_child_words {
    char *items[CLI_CHILD_WORDS]; /* items[0] is set by cli_child_run */
    unsigned count;               /* from 1 */
};

void cli_child_add(struct cli_child_words *words, const char *word);

/* Where a child's output and messages go: the name of a file, or one of these. */
#define CLI_CHILD_DROPPED "/dev/null"
#define CLI_CHILD_HEARD NULL /* messages: to those of this process */
#define CLI_CHILD_SHOWN NULL /* output: to that of this process */

/* Runs `words` and waits. Returns its exit code, or one of this process after a message. */
int cli_child_run(struct cli_child_words *words, const char *output, const char *messages);

/*
 * The trace of one recording of several, in CLI_PATH_BYTES: of "trace.etdp" and "before" it is
 * "trace.before-1.etdp". Returns an exit code.
 */
int cli_child_trace_path(const char *path, const char *name, unsigned number, char *path_out);

/* A folder for the files of children, in TMPDIR; the caller removes it. Returns an exit code. */
int cli_child_folder(char *folder, size_t room);

#endif
