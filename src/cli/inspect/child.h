/* Runs this program again in a process of its own. */
#ifndef ETSCOPE_CLI_INSPECT_CHILD_H
#define ETSCOPE_CLI_INSPECT_CHILD_H

#include <stdbool.h>

enum { CLI_CHILD_WORDS = 600 };

/* The words of a command, without the program's own name. */
struct cli_child_words {
    char *items[CLI_CHILD_WORDS]; /* items[0] is set by cli_child_run */
    unsigned count;               /* from 1 */
};

void cli_child_add(struct cli_child_words *words, const char *word);

/*
 * Runs `words` and waits. Its output is dropped, its messages too unless `is_heard`. Returns its
 * exit code, or one of this process after a message.
 */
int cli_child_run(struct cli_child_words *words, bool is_heard);

#endif
