/* The options and commands to advise for each kind of advice of the library. */
#ifndef ETSCOPE_CLI_CORE_WHAT_TO_TYPE_H
#define ETSCOPE_CLI_CORE_WHAT_TO_TYPE_H

#include "views/advice_words.h"

extern const struct ets_advice_words cli_advice;

enum { CLI_REASON_CHARS = 512 };

/* The message of an error, followed by its advice. Returns `text`. */
const char *cli_reason(const struct ets_error *error, char text[CLI_REASON_CHARS]);

#endif
