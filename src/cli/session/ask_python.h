/* Asks a Python a question, in a separate process. */
#ifndef ETSCOPE_CLI_SESSION_ASK_PYTHON_H
#define ETSCOPE_CLI_SESSION_ASK_PYTHON_H

#include <stdbool.h>
#include <stdio.h>

/*
 * Lines of its answer that begin with the mark are for `take`, which returns false to refuse one;
 * other lines, such as warnings, are not, and the last of them is the reason of a failure.
 */
struct cli_question {
    const char *python;   /* a path, or a name in PATH */
    const char *script;   /* of `python -c` */
    const char *words[2]; /* its arguments; NULL: none */
    const char *input;    /* the file of its standard input; NULL: that of this process */
    const char *mark;
    bool (*take)(void *context, const char *text);
    void *context;
    const char *usual_reason; /* of a failure without other lines */
};

/* Asks and waits. Reports a failure after `blamed`, such as "--python python3". Returns an exit
 * code. */
int cli_ask_python(const struct cli_question *question, const char *blamed);

#endif
