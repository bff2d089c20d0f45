/* Tells a trace which tokens its runs computed. */
#include "cli/generate/traced_tokens.h"

#include <string.h>

#include "dump/extra_tokens.h"

/* How often methods were called; those of a model are few. */
struct calls {
    const char *methods[16];
    uint32_t counts[16];
    uint32_t method_count;
};

/* Earlier calls of the method, which this one is added to. */
static uint32_t count_call(struct calls *calls, const char *method)
{
    enum { MOST = sizeof calls->methods / sizeof *calls->methods };
    uint32_t i = 0;
    while (i < calls->method_count && strcmp(calls->methods[i], method) != 0) i++;
    if (i == calls->method_count && i + 1 < MOST) calls->methods[calls->method_count++] = method;
    return calls->counts[i]++;
}

static enum ets_run_stage stage_of(enum ets_generation_phase phase)
{
    switch (phase) {
    case ETS_PHASE_ENCODE: return ETS_STAGE_ENCODE;
    case ETS_PHASE_PREFILL: return ETS_STAGE_PREFILL;
    case ETS_PHASE_DECODE: return ETS_STAGE_DECODE;
    default: return ETS_STAGE_NONE; /* what only fills the cache is neither */
    }
}

bool cli_tell_tokens(struct cli_session *session, const struct ets_generation *generation)
{
    struct calls calls = {.method_count = 0};
    for (uint32_t i = 0; i < generation->call_count; i++) {
        const struct ets_generation_call *call = &generation->calls[i];
        const struct ets_run_tokens run = {.method = {call->method, strlen(call->method)},
                                           .invocation = count_call(&calls, call->method),
                                           .stage = stage_of(call->phase),
                                           .tokens = call->tokens,
                                           .position = call->position};
        if (run.stage != ETS_STAGE_NONE && !ets_run_tokens_add(&session->told, &run)) return false;
    }
    return true;
}
