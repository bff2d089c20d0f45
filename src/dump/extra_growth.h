/* Grows the extra block of a finished trace; docs/SPEC.md, section 6. */
#ifndef ETSCOPE_DUMP_EXTRA_GROWTH_H
#define ETSCOPE_DUMP_EXTRA_GROWTH_H

#include <stdbool.h>

#include "base/byte_layout.h" /* ets_store_bytes fills entries */
#include "etscope/base.h"

/* Entries as they grow; all zero: none. */
struct ets_extra_growth {
    uint8_t *bytes;
    size_t size, room;
};

/*
 * Adds an entry of `size` zeros, padded to 8, and returns its value, valid until the next one.
 * NULL: no memory.
 */
uint8_t *ets_extra_growth_put(struct ets_extra_growth *growth, uint32_t key, size_t size);
/*
 * The trace with the entries in its extra block: `*grown_out` is to be freed, and NULL if there is
 * nothing to add. False: no memory.
 */
bool ets_extra_growth_append(const struct ets_extra_growth *growth, struct ets_bytes trace,
                             uint8_t **grown_out, size_t *size_out);
void ets_extra_growth_close(struct ets_extra_growth *growth);

#endif
