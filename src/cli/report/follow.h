/* `report --follow`: the report of a stream while it arrives, for a browser on this machine. */
#ifndef ETSCOPE_CLI_REPORT_FOLLOW_H
#define ETSCOPE_CLI_REPORT_FOLLOW_H

#include "cli/core/command.h"

/* Serves until the stream ends or a signal arrives. Returns an exit code. */
int cli_report_follow(const struct cli_arguments *arguments);

#endif
