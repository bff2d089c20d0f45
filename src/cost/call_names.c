/* Takes operators' names apart. */
#include "cost/call_names.h"

#include "base/text.h"
#include "inspect/names.h"
#include "operators/operator_traits.h"

static bool ends_with(struct ets_text text, const char *end)
{
    const size_t size = strlen(end);
    return text.size > size && memcmp(text.data + text.size - size, end, size) == 0;
}

void ets_cost_call_name(struct ets_text space, struct ets_text operator_name,
                        struct ets_cost_call *call)
{
    call->space = space;
    call->is_copy = ends_with(operator_name, "_copy");
    call->base = ets_operator_base_name(operator_name);
}
