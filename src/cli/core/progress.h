/*
 * The progress of work on a terminal: one line on standard error, rewritten at most five times a
 * second and removed at the end. Nothing if standard error is no terminal. Update it between
 * measured runs, never during one. A line is as long as the terminal is wide.
 */
#ifndef ETSCOPE_CLI_CORE_PROGRESS_H
#define ETSCOPE_CLI_CORE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "etscope/base.h"

struct cli_progress {
    bool is_terminal;
    uint64_t start_ns, shown_ns; /* shown_ns 0: nothing is shown */
};

uint64_t cli_now_ns(void); /* of a monotonic clock */
struct cli_progress cli_progress_start(void);
/* Whether a line at `now_ns` is due: not before half a second has passed. */
bool cli_progress_is_due(const struct cli_progress *progress, uint64_t now_ns);
void cli_progress_show(struct cli_progress *progress, uint64_t now_ns, const char *format, ...)
    ETS_PRINTF(3, 4);
/* "case 12 of 40, 3.1/s, 9 s left", if a line is due. */
void cli_progress_count(struct cli_progress *progress, const char *what, double done, double all);
void cli_progress_end(struct cli_progress *progress);

#endif
