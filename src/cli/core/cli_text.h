/* Texts: comparison, and safe printing to a terminal. */
#ifndef ETSCOPE_CLI_CORE_CLI_TEXT_H
#define ETSCOPE_CLI_CORE_CLI_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "etscope/base.h"
#include "host/arena.h"

/* The text of a terminated string. */
struct ets_text cli_text(const char *string);
bool cli_text_is(struct ets_text text, const char *expected); /* false if absent */
/* False if `word` is only the ending. */
bool cli_ends_with(const char *word, const char *ending);

/* Writes `text` safely for a terminal. */
void cli_print_text(FILE *stream, const char *text);

/* A path as a word of a POSIX shell: "a.pte", "'my model.pte'", "./-a.pte". NULL: no memory. */
const char *cli_shell_word(struct ets_arena *arena, const char *path);

/* The name of a file in messages: "standard input" for "-". */
const char *cli_path_name(const char *path);

#endif
