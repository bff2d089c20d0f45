/* What operators of a payload are and multiply, for readers of payloads. */
#ifndef ETSCOPE_PAYLOAD_PAYLOAD_OPERATIONS_H
#define ETSCOPE_PAYLOAD_PAYLOAD_OPERATIONS_H

#include "etscope/base.h"

/* A backend's name of an operator, and the operator of ATen that it is. */
struct ets_payload_operation {
    const char *type, *operation;
};

/* The operator of ATen of a table that is sorted by type, as ets_text_compare orders; NULL: none.
 */
const char *ets_payload_find_operation(const struct ets_payload_operation *table, size_t count,
                                       struct ets_text type);

/* The product of sizes, 1 of none; UINT64_MAX: it does not fit. */
uint64_t ets_payload_product(const uint32_t *sizes, uint32_t count);

#endif
