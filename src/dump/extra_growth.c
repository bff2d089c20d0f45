/* Entries of the extra block, and a trace that has them. */
#include "dump/extra_growth.h"

#include <stdlib.h>
#include <string.h>

#include "base/byte_layout.h"
#include "base/crc32.h"
#include "base/load.h"

enum { FOOTER_BYTES = 16, HEADER_BYTES = 8, PREFIX_BYTES = 4 };

static bool grow(struct ets_extra_growth *growth, size_t more)
{
    if (growth->room - growth->size >= more) return true;
    const size_t room = 2 * growth->room + more;
    uint8_t *bytes = realloc(growth->bytes, room);
    if (bytes == NULL) return false;
    growth->bytes = bytes;
    growth->room = room;
    return true;
}

uint8_t *ets_extra_growth_put(struct ets_extra_growth *growth, uint32_t key, size_t size)
{
    const size_t all = HEADER_BYTES + ((size + 7) & ~(size_t)7);
    if (!grow(growth, all)) return NULL;
    uint8_t *entry = growth->bytes + growth->size;
    memset(entry, 0, all);
    ets_store_bytes(entry, key, 4);
    ets_store_bytes(entry + 4, size, 4);
    growth->size += all;
    return entry + HEADER_BYTES;
}

bool ets_extra_growth_append(const struct ets_extra_growth *growth, struct ets_bytes trace,
                             uint8_t **grown_out, size_t *size_out)
{
    *grown_out = NULL;
    if (growth->size == 0 || trace.size < FOOTER_BYTES + PREFIX_BYTES ||
        memcmp(trace.data + trace.size - 4, "ETSX", 4) != 0) {
        return true; /* a tracer that writes no extra block */
    }
    const size_t body = trace.size - FOOTER_BYTES;
    const uint8_t *footer = trace.data + body;
    const uint32_t before = ets_load_u32(footer);
    if (before > body || trace.size > UINT32_MAX - growth->size) return true;
    uint8_t *grown = malloc(trace.size + growth->size);
    if (grown == NULL) return false;
    memcpy(grown, trace.data, body);
    ets_store_bytes(grown, ets_load_u32(trace.data) + growth->size, 4);
    memcpy(grown + body, growth->bytes, growth->size);
    uint8_t *end = grown + body + growth->size;
    ets_store_bytes(end, before + growth->size, 4);
    ets_store_bytes(end + 4, ets_crc32(ets_load_u32(footer + 4), growth->bytes, growth->size), 4);
    memcpy(end + 8, footer + 8, 8);
    *grown_out = grown;
    *size_out = trace.size + growth->size;
    return true;
}

void ets_extra_growth_close(struct ets_extra_growth *growth)
{
    free(growth->bytes);
    *growth = (struct ets_extra_growth){NULL, 0, 0};
}
