/* Which tokens each run of a traced generation computed, for its trace. */
#ifndef ETSCOPE_CLI_GENERATE_TRACED_TOKENS_H
#define ETSCOPE_CLI_GENERATE_TRACED_TOKENS_H

#include "cli/session/session.h"
#include "generate/generation.h"

/* Adds to what the session's trace will be told. False: no memory. */
bool cli_tell_tokens(struct cli_session *session, const struct ets_generation *generation);

#endif
