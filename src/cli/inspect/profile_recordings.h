/* `profile --recordings N` and `profile AFTER --before BEFORE`. */
#ifndef ETSCOPE_CLI_INSPECT_PROFILE_RECORDINGS_H
#define ETSCOPE_CLI_INSPECT_PROFILE_RECORDINGS_H

#include "cli/core/command.h"

bool cli_wants_recordings(const struct cli_arguments *arguments);
/* Records each program several times and shows the difference, or the summary. Returns an exit
 * code. */
int cli_profile_recordings(const struct cli_arguments *arguments);

#endif
