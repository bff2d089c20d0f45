/* The entry TAPS of the extra block: which arguments of a delegate call are values from within. */
#ifndef ETSCOPE_DUMP_EXTRA_TAPS_H
#define ETSCOPE_DUMP_EXTRA_TAPS_H

#include "dump/extra_growth.h"
#include "etscope/trace_extra.h"

struct ets_call_taps {
    struct ets_text method;
    uint32_t chain, instruction;
    uint32_t first_argument; /* that gives one */
    uint32_t count;
    const uint8_t *ids; /* [count] u32, as the payload calls the values */
};

/* False: no memory. */
bool ets_call_taps_add(struct ets_extra_growth *growth, const struct ets_call_taps *taps);
/* Iterates over the entries; those that are not whole are skipped. */
int ets_call_taps_next(const struct ets_trace_extra *extra, size_t *at,
                       struct ets_call_taps *taps_out);

#endif
