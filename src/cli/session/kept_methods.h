/*
 * Methods that test cases run on: newly loaded for each, so that no case sees buffers that another
 * changed; or, with --in-turn, loaded once, so that cases are the steps of one sequence.
 *
 *     struct cli_kept_methods methods = {.keeps = cli_has(arguments, "--in-turn")};
 *     status = cli_method_begin(&methods, session, "forward", &method, &error);
 *     ... run it ...
 *     cli_method_end(&methods, session, method);
 *     cli_kept_methods_close(&methods, session);
 */
#ifndef ETSCOPE_CLI_SESSION_KEPT_METHODS_H
#define ETSCOPE_CLI_SESSION_KEPT_METHODS_H

#include "cli/session/session.h"

enum { CLI_KEPT_METHODS = 64 };

struct cli_kept_methods {
    bool keeps;
    struct {
        const char *name; /* borrowed */
        struct ets_engine_method *method;
    } items[CLI_KEPT_METHODS];
    uint32_t count;
};

/* `name` stays where it is until the methods are closed. Statuses: those of the engine. */
enum ets_status cli_method_begin(struct cli_kept_methods *methods,
                                 const struct cli_session *session, const char *name,
                                 struct ets_engine_method **method_out, struct ets_error *error);
/* Closes it unless it is kept. NULL is allowed. */
void cli_method_end(struct cli_kept_methods *methods, const struct cli_session *session,
                    struct ets_engine_method *method);
void cli_kept_methods_close(struct cli_kept_methods *methods, const struct cli_session *session);

#endif
