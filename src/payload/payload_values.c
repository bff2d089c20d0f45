/* What is asked of any value. */
#include "base/load.h"
#include "etscope/tensor.h"
#include "payload/payload.h"

const char *ets_payload_dtype(const struct ets_payload_type *type)
{
    const char *name = ets_scalar_type_name(type->scalar_type);
    return name != NULL ? name : type->name;
}

uint64_t ets_payload_elements(const struct ets_payload_value *value)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < value->rank; i++) {
        if (!ets_mul_u64(count, value->dims[i], &count)) return UINT64_MAX;
    }
    return count;
}
