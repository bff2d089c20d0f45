/* Texts: equality, and what of them may reach a terminal. */
#ifndef ETSCOPE_CLI_CORE_CLI_TEXT_H
#define ETSCOPE_CLI_CORE_CLI_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "etscope/base.h"

/* Of a terminated string, without its end. */
struct ets_text cli_text(const char *string);
bool cli_text_is(struct ets_text text, const char *expected); /* absent: it is nothing */
/* False where `word` is nothing else. */
bool cli_ends_with(const char *word, const char *ending);

/* Writes `text` as it may reach a terminal. */
void cli_print_text(FILE *stream, const char *text);

/* How a file is called in messages: "standard input" for "-". */
const char *cli_path_name(const char *path);

#endif
