/* A program that takes tokens: recognizes how, as the options say, and whether its weights are
 * given. */
#ifndef ETSCOPE_CLI_TOKENS_TOKEN_PROGRAM_H
#define ETSCOPE_CLI_TOKENS_TOKEN_PROGRAM_H

#include "cli/session/session.h"
#include "generate/recognize.h"

/*
 * Recognizes how the session's program takes tokens, with --map and --feed, and notes it after
 * `title`. The session stays where it is as long as the model. Returns an exit code.
 */
int cli_recognize_tokens(const struct cli_session *session, const char *title,
                         struct ets_token_model *model_out);

/* Reports weights in a .ptd file that was not given. Returns an exit code. */
int cli_check_token_data(const struct cli_session *session, const struct ets_token_model *model);

/* Whether a method runs once, before the tokens, and takes inputs. */
bool cli_tokens_need_inputs(const struct ets_token_model *model);

#endif
