/* Looks operators up by name, and multiplies sizes. */
#include "payload/payload_operations.h"

#include "base/load.h"
#include "base/text.h"

const char *ets_payload_find_operation(const struct ets_payload_operation *table, size_t count,
                                       struct ets_text type)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = ets_text_compare(ets_text_of(table[middle].type), type);
        if (order == 0) return table[middle].operation;
        if (order < 0) low = middle + 1;
        else high = middle;
    }
    return NULL;
}

uint64_t ets_payload_product(const uint32_t *sizes, uint32_t count)
{
    uint64_t product = 1;
    for (uint32_t i = 0; i < count; i++) {
        if (!ets_mul_u64(product, sizes[i], &product)) return UINT64_MAX;
    }
    return product;
}
