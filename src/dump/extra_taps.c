/* Writes and reads the entry TAPS of the extra block; docs/SPEC.md, section 6. */
#include "dump/extra_taps.h"

#include <string.h>

#include "base/byte_layout.h"
#include "base/extra_keys.h"
#include "base/load.h"
#include "dump/extra_entries.h"

enum { CHAIN = 0, INSTRUCTION = 4, FIRST = 8, COUNT = 12, IDS = 16 };
enum { MOST_TAPS = 4096 }; /* arguments that a call may have */

bool ets_call_taps_add(struct ets_extra_growth *growth, const struct ets_call_taps *taps)
{
    const size_t id_bytes = 4 * (size_t)taps->count;
    uint8_t *at = ets_extra_growth_put(growth, ETS_EXTRA_TAPS, IDS + id_bytes + taps->method.size);
    if (at == NULL) return false;
    ets_store_bytes(at + CHAIN, taps->chain, 4);
    ets_store_bytes(at + INSTRUCTION, taps->instruction, 4);
    ets_store_bytes(at + FIRST, taps->first_argument, 4);
    ets_store_bytes(at + COUNT, taps->count, 4);
    if (id_bytes > 0) memcpy(at + IDS, taps->ids, id_bytes);
    if (taps->method.size > 0) memcpy(at + IDS + id_bytes, taps->method.data, taps->method.size);
    return true;
}

static bool read_entry(struct ets_bytes entry, struct ets_call_taps *out)
{
    if (entry.size < IDS) return false;
    const uint32_t count = ets_load_u32(entry.data + COUNT);
    if (count > MOST_TAPS || count > (entry.size - IDS) / 4) return false;
    const size_t name = IDS + 4 * (size_t)count;
    *out = (struct ets_call_taps){
        .method = {(const char *)entry.data + name, entry.size - name},
        .chain = ets_load_u32(entry.data + CHAIN),
        .instruction = ets_load_u32(entry.data + INSTRUCTION),
        .first_argument = ets_load_u32(entry.data + FIRST),
        .count = count,
        .ids = entry.data + IDS,
    };
    return true;
}

int ets_call_taps_next(const struct ets_trace_extra *extra, size_t *at,
                       struct ets_call_taps *taps_out)
{
    uint32_t key;
    struct ets_bytes entry;
    while (ets_trace_extra_next(extra, at, &key, &entry)) {
        if (key == ETS_EXTRA_TAPS && read_entry(entry, taps_out)) return 1;
    }
    return 0;
}
