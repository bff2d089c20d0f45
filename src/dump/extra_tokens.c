/* Writes and reads the entry TOKENS of the extra block; docs/SPEC.md, section 6. */
#include "dump/extra_tokens.h"

#include <string.h>

#include "base/byte_layout.h"
#include "base/extra_keys.h"
#include "base/load.h"
#include "base/token_entry.h"
#include "dump/extra_entries.h"

bool ets_run_tokens_add(struct ets_extra_growth *growth, const struct ets_run_tokens *run)
{
    uint8_t *at =
        ets_extra_growth_put(growth, ETS_EXTRA_TOKENS, ETS_TOKEN_ENTRY_METHOD + run->method.size);
    if (at == NULL) return false;
    ets_store_bytes(at + ETS_TOKEN_ENTRY_INVOCATION, run->invocation, 4);
    ets_store_bytes(at + ETS_TOKEN_ENTRY_TOKENS, run->tokens, 4);
    ets_store_bytes(at + ETS_TOKEN_ENTRY_POSITION, run->position, 8);
    ets_store_bytes(at + ETS_TOKEN_ENTRY_STAGE, run->stage, 4);
    memcpy(at + ETS_TOKEN_ENTRY_METHOD, run->method.data, run->method.size);
    return true;
}

/* A longer context is none. */
#define MOST_TOKENS (UINT32_C(1) << 30)

/* False: the entry is not whole, or makes no sense. */
static bool read_entry(struct ets_bytes entry, struct ets_run_tokens *run_out)
{
    if (entry.size < ETS_TOKEN_ENTRY_METHOD) return false;
    const uint32_t stage = ets_load_u32(entry.data + ETS_TOKEN_ENTRY_STAGE);
    *run_out = (struct ets_run_tokens){
        .method = {(const char *)entry.data + ETS_TOKEN_ENTRY_METHOD,
                   entry.size - ETS_TOKEN_ENTRY_METHOD},
        .invocation = ets_load_u32(entry.data + ETS_TOKEN_ENTRY_INVOCATION),
        .stage = (enum ets_run_stage)stage,
        .tokens = ets_load_u32(entry.data + ETS_TOKEN_ENTRY_TOKENS),
        .position = ets_load_u64(entry.data + ETS_TOKEN_ENTRY_POSITION),
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
