/* Loads methods for test cases, anew or once. */
#include "cli/session/kept_methods.h"

#include <stdio.h>
#include <string.h>

enum ets_status cli_method_begin(struct cli_kept_methods *methods,
                                 const struct cli_session *session, const char *name,
                                 struct ets_engine_method **method_out, struct ets_error *error)
{
    for (uint32_t i = 0; i < methods->count; i++) {
        if (strcmp(methods->items[i].name, name) != 0) continue;
        *method_out = methods->items[i].method;
        return ETS_OK;
    }
    const enum ets_status status =
        session->engine->method_open(session->program, name, method_out, error);
    if (status != ETS_OK || !methods->keeps) return status;
    if (methods->count == CLI_KEPT_METHODS) { /* no program has so many */
        session->engine->method_close(*method_out);
        *method_out = NULL;
        *error = (struct ets_error){.status = ETS_LIMIT, .offset = ETS_NO_OFFSET};
        snprintf(error->message, sizeof error->message, "more than %d methods are loaded at once",
                 CLI_KEPT_METHODS);
        return ETS_LIMIT;
    }
    methods->items[methods->count].name = name;
    methods->items[methods->count++].method = *method_out;
    return ETS_OK;
}

void cli_method_end(struct cli_kept_methods *methods, const struct cli_session *session,
                    struct ets_engine_method *method)
{
    if (!methods->keeps) session->engine->method_close(method);
}

void cli_kept_methods_close(struct cli_kept_methods *methods, const struct cli_session *session)
{
    for (uint32_t i = 0; i < methods->count; i++) {
        session->engine->method_close(methods->items[i].method);
    }
    methods->count = 0;
}
