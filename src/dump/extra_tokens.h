/* The entry TOKENS of the extra block: which tokens of a generation a run computed. */
#ifndef ETSCOPE_DUMP_EXTRA_TOKENS_H
#define ETSCOPE_DUMP_EXTRA_TOKENS_H

#include "dump/extra_growth.h"
#include "etscope/trace_extra.h"

struct ets_run_tokens {
    struct ets_text method;
    uint32_t invocation; /* number of earlier runs of the method, warm-up included */
    enum ets_run_stage stage;
    uint32_t tokens;   /* 0: an encoder's */
    uint64_t position; /* of the first of them */
};

/* False: no memory. */
bool ets_run_tokens_add(struct ets_extra_growth *growth, const struct ets_run_tokens *run);
/*
 * Iterates over the entries, as ets_trace_extra_next_run does; those that are not whole or make no
 * sense are skipped.
 */
int ets_run_tokens_next(const struct ets_trace_extra *extra, size_t *at,
                        struct ets_run_tokens *run_out);

#endif
