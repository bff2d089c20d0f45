/* Which findings make `advise` fail: the values of --fail-on. */
#ifndef ETSCOPE_CLI_ADVISE_FAIL_ON_H
#define ETSCOPE_CLI_ADVISE_FAIL_ON_H

#include "advice/findings.h"
#include "cli/core/command.h"

/* Checks the values. Returns an exit code. */
int cli_check_fail_on(const struct cli_arguments *arguments);
/* Whether a finding fails by one of them. */
bool cli_fails(const struct cli_arguments *arguments, const struct ets_finding *finding);

#endif
