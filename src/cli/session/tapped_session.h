/*
 * --capture delegates: runs a program that also gives the values within its delegates, and beside
 * it, on the same inputs, the program as it is: outputs and operators must be the same.
 */
#ifndef ETSCOPE_CLI_SESSION_TAPPED_SESSION_H
#define ETSCOPE_CLI_SESSION_TAPPED_SESSION_H

#include "cli/session/session.h"

struct cli_tapped;

/* Makes the changed program of session->model. Returns an exit code. */
int cli_tapped_open(const struct cli_session *session, struct cli_tapped **tapped_out);
void cli_tapped_close(struct cli_tapped *tapped); /* NULL is allowed */

/* The program to run. */
struct ets_bytes cli_tapped_program(const struct cli_tapped *tapped);
/* Tells the trace which arguments are values from within. Returns an exit code. */
int cli_tapped_tell(const struct cli_tapped *tapped, struct ets_extra_growth *told);

/*
 * Keeps the outputs that a run of the program as it is has just given, or of the changed one
 * compares them. Returns an exit code.
 */
int cli_tapped_see(struct cli_tapped *tapped, const struct cli_session *session,
                   struct ets_engine_method *method, const char *name);
/* Keeps the operators of the program as it is. Returns an exit code. */
int cli_tapped_keep_plain(struct cli_tapped *tapped, struct ets_bytes trace);
/* Compares operators, and says how both came out. Returns an exit code. */
int cli_tapped_conclude(struct cli_tapped *tapped, struct ets_bytes trace, bool is_strict);
uint32_t cli_tapped_count(const struct cli_tapped *tapped); /* values */

#endif
