/* Finds kernels that stand on one source line together. */
#include "advice/shared_lines.h"

#include <stdlib.h>

#include "base/text.h"
#include "base/xxh64.h"
#include "host/hash.h"

static int by_place(const void *left, const void *right)
{
    const struct ets_line_key *a = left, *b = right;
    int order = ets_text_compare(a->place, b->place);
    if (order == 0) order = ets_text_compare(a->module, b->module);
    if (order == 0) order = ets_text_compare(a->family, b->family);
    return order != 0 ? order : ets_text_compare(a->name, b->name);
}

static bool is_same_place(const struct ets_line_key *a, const struct ets_line_key *b)
{
    return ets_text_equal(a->place, b->place) && ets_text_equal(a->module, b->module) &&
           ets_text_equal(a->family, b->family);
}

void ets_shared_lines_find(struct ets_line_key *keys, uint32_t count, uint64_t *groups)
{
    if (count > 1) qsort(keys, count, sizeof *keys, by_place);
    for (uint32_t first = 0, end; first < count; first = end) {
        uint64_t sum = 0;
        uint32_t names = 0;
        for (end = first; end < count && is_same_place(&keys[first], &keys[end]); end++) {
            const struct ets_text name = keys[end].name;
            if (end > first && ets_text_equal(keys[end - 1].name, name)) continue;
            sum = ets_hash_mix(
                sum ^ ets_xxh64_of((struct ets_bytes){(const uint8_t *)name.data, name.size}));
            names++;
        }
        const bool is_shared = names > 1 && keys[first].place.size > 0;
        for (uint32_t i = first; i < end; i++) groups[keys[i].line] = is_shared ? sum | 1 : 0;
    }
}
