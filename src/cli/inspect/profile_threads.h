/* `profile --threads 1,2,4`: measures numbers of threads in turns. */
#ifndef ETSCOPE_CLI_INSPECT_PROFILE_THREADS_H
#define ETSCOPE_CLI_INSPECT_PROFILE_THREADS_H

#include "cli/core/command.h"

/* Whether --threads is a list. */
bool cli_wants_thread_counts(const struct cli_arguments *arguments);
int cli_profile_threads(const struct cli_arguments *arguments);

#endif
