/* Writes and reads the entry TOKENS of the extra block; docs/SPEC.md, section 6. */
#include "dump/extra_tokens.h"

#include <string.h>

#include "base/extra_keys.h"
#include "base/load.h"
#include "dump/extra_entries.h"

enum {
    INVOCATION_AT = 0, /* u32 */
    TOKENS_AT = 4,     /* u32 */
    POSITION_AT = 8,   /* u64 */
    STAGE_AT = 16,     /* u32 */
    METHOD_AT = 20,    /* to the end */
};

bool ets_run_tokens_add(struct ets_extra_growth *growth, const struct ets_run_tokens *run)
{
    uint8_t *at = ets_extra_growth_put(growth, ETS_EXTRA_TOKENS, METHOD_AT + run->method.size);
    if (at == NULL) return false;
    ets_extra_store(at + INVOCATION_AT, run->invocation, 4);
    ets_extra_store(at + TOKENS_AT, run->tokens, 4);
    ets_extra_store(at + POSITION_AT, run->position, 8);
    ets_extra_store(at + STAGE_AT, run->stage, 4);
    memcpy(at + METHOD_AT, run->method.data, run->method.size);
    return true;
}

/* A longer context is none. */
#define MOST_TOKENS (UINT32_C(1) << 30)

/* False: the entry is not whole, or makes no sense. */
static bool read_entry(struct ets_bytes entry, struct ets_run_tokens *run_out)
{
    if (entry.size < METHOD_AT) return false;
    const uint32_t stage = ets_load_u32(entry.data + STAGE_AT);
    *run_out = (struct ets_run_tokens){
        .method = {(const char *)entry.data + METHOD_AT, entry.size - METHOD_AT},
        .invocation = ets_load_u32(entry.data + INVOCATION_AT),
        .stage = (enum ets_run_stage)stage,
        .tokens = ets_load_u32(entry.data + TOKENS_AT),
        .position = ets_load_u64(entry.data + POSITION_AT),
    };
    const bool has_tokens = run_out->tokens > 0 || stage == ETS_STAGE_ENCODE;
    return stage > ETS_STAGE_NONE && stage < ETS_STAGE_COUNT && has_tokens &&
           run_out->tokens <= MOST_TOKENS && run_out->position <= MOST_TOKENS;
}

int ets_run_tokens_next(const struct ets_trace_extra *extra, size_t *at,
                        struct ets_run_tokens *run_out)
{
    uint32_t key;
    struct ets_bytes entry;
    while (ets_trace_extra_next(extra, at, &key, &entry)) {
        if (key == ETS_EXTRA_TOKENS && read_entry(entry, run_out)) return 1;
    }
    return 0;
}
