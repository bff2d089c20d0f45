/* What a payload's values are in a run: weights, and of dynamic sizes those of its tokens. */
#include "cost/payload_costs.h"

bool ets_payload_costs_is_weight(const struct ets_payload_costs *c,
                                 const struct ets_payload_value *value)
{
    return value->constant != ETS_PAYLOAD_NONE ||
           (value->argument < c->argument_count && c->is_constant_argument[value->argument]);
}

bool ets_payload_costs_sizes(struct ets_payload_costs *c, const struct ets_payload_value *value,
                             int64_t sizes[ETS_TENSOR_MAX_RANK])
{
    if (value->is_sizeless || value->rank > ETS_TENSOR_MAX_RANK) return false;
    bool has_bound = false;
    for (uint32_t i = 0; i < value->rank; i++) {
        sizes[i] = value->dims[i];
        has_bound = has_bound || (c->sizes != NULL && sizes[i] == c->sizes->bound);
    }
    if (has_bound && !ets_payload_costs_is_weight(c, value) &&
        !ets_token_sizes_bind(c->sizes, sizes, value->rank)) {
        c->is_bounded = true;
    }
    return true;
}
