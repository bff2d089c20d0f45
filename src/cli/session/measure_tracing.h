/* Measures what tracing costs the runs of a session. */
#ifndef ETSCOPE_CLI_SESSION_MEASURE_TRACING_H
#define ETSCOPE_CLI_SESSION_MEASURE_TRACING_H

#include "cli/session/session.h"

/*
 * Runs each method that calls delegates with tracing and without, in turns, and adds the difference
 * to `session->told`. Delegates have profilers of their own, which no estimate from the number of
 * events knows. Nothing is added where it takes too long or too much memory, or does not work:
 * the estimate then says what is not in it.
 */
void cli_measure_tracing(struct cli_session *session);

#endif
