/* Writes and reads the entry UNTRACED of the extra block; docs/SPEC.md, section 6. */
#include "dump/extra_untraced.h"

#include <string.h>

#include "base/byte_layout.h"
#include "base/extra_keys.h"
#include "base/load.h"
#include "dump/extra_entries.h"

enum {
    CASE_AT = 0,    /* i32 */
    PAIRS_AT = 4,   /* u32 */
    MEDIAN_AT = 8,  /* i64 ns */
    LOW_AT = 16,    /* i64 ns */
    HIGH_AT = 24,   /* i64 ns */
    METHOD_AT = 32, /* to the end */
};

bool ets_untraced_runs_add(struct ets_extra_growth *growth, const struct ets_untraced_runs *runs)
{
    uint8_t *at = ets_extra_growth_put(growth, ETS_EXTRA_UNTRACED, METHOD_AT + runs->method.size);
    if (at == NULL) return false;
    ets_store_bytes(at + CASE_AT, (uint32_t)runs->test_case, 4);
    ets_store_bytes(at + PAIRS_AT, runs->pairs, 4);
    ets_store_bytes(at + MEDIAN_AT, (uint64_t)(int64_t)runs->median_ns, 8);
    ets_store_bytes(at + LOW_AT, (uint64_t)(int64_t)runs->low_ns, 8);
    ets_store_bytes(at + HIGH_AT, (uint64_t)(int64_t)runs->high_ns, 8);
    memcpy(at + METHOD_AT, runs->method.data, runs->method.size);
    return true;
}

/* A longer measurement is not one. */
#define MOST_NS 1e15

static double ns_at(struct ets_bytes entry, size_t at)
{
    return (double)(int64_t)ets_load_u64(entry.data + at);
}

/* False: the entry is not whole, or makes no sense. */
static bool read_entry(struct ets_bytes entry, struct ets_untraced_runs *runs_out)
{
    if (entry.size < METHOD_AT) return false;
    *runs_out = (struct ets_untraced_runs){
        .method = {(const char *)entry.data + METHOD_AT, entry.size - METHOD_AT},
        .test_case = (int32_t)ets_load_u32(entry.data + CASE_AT),
        .pairs = ets_load_u32(entry.data + PAIRS_AT),
        .median_ns = ns_at(entry, MEDIAN_AT),
        .low_ns = ns_at(entry, LOW_AT),
        .high_ns = ns_at(entry, HIGH_AT),
    };
    const double low = runs_out->low_ns, median = runs_out->median_ns, high = runs_out->high_ns;
    return runs_out->pairs > 0 && -MOST_NS <= low && low <= median && median <= high &&
           high <= MOST_NS;
}

int ets_untraced_runs_next(const struct ets_trace_extra *extra, size_t *at,
                           struct ets_untraced_runs *runs_out)
{
    uint32_t key;
    struct ets_bytes entry;
    while (ets_trace_extra_next(extra, at, &key, &entry)) {
        if (key == ETS_EXTRA_UNTRACED && read_entry(entry, runs_out)) return 1;
    }
    return 0;
}
