/* The report that `profile --report` writes of the run. */
#ifndef ETSCOPE_CLI_INSPECT_PROFILE_REPORT_H
#define ETSCOPE_CLI_INSPECT_PROFILE_REPORT_H

#include "cli/session/session.h"
#include "cli/traces/inspected.h"

/*
 * Keeps the report of --report among the session's files, if there is the option. `record_path`:
 * of the subject's ETRecord, if it has one. Returns an exit code.
 */
int cli_profile_report(struct cli_session *session, const struct cli_subject *subject,
                       const char *record_path);

#endif
