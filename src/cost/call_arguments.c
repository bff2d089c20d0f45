/* Arguments of a call by place or label, and how large its tensors are. */
#include "base/text.h"
#include "cost/cost_rules.h"

uint64_t ets_cost_elements(const struct ets_cost_tensor *tensor, bool *ok)
{
    uint64_t elements = 1;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        if (tensor->sizes[i] < 0) *ok = false;
        elements = ets_cost_times(elements, (uint64_t)tensor->sizes[i], ok);
    }
    return elements;
}

uint64_t ets_cost_tensor_bytes(const struct ets_cost_tensor *tensor, bool *ok)
{
    const uint64_t elements = ets_cost_elements(tensor, ok);
    return ets_cost_times(elements, ets_scalar_type_bytes(tensor->scalar_type), ok);
}

void ets_cost_read(struct ets_cost *cost, const struct ets_cost_tensor *tensor, uint64_t bytes,
                   bool *ok)
{
    uint64_t *sum = tensor->is_constant ? &cost->weight_bytes : &cost->bytes_read;
    *sum = ets_cost_plus(*sum, bytes, ok);
    if (tensor->is_state && !tensor->is_constant) {
        cost->state_bytes = ets_cost_plus(cost->state_bytes, bytes, ok);
    }
}

enum ets_arithmetic ets_arithmetic_of(int scalar_type)
{
    switch (scalar_type) {
    case ETS_SCALAR_FLOAT: return ETS_ARITHMETIC_FLOAT32;
    case ETS_SCALAR_HALF: return ETS_ARITHMETIC_FLOAT16;
    case ETS_SCALAR_BFLOAT16: return ETS_ARITHMETIC_BFLOAT16;
    case ETS_SCALAR_DOUBLE: return ETS_ARITHMETIC_FLOAT64;
    case ETS_SCALAR_BYTE:
    case ETS_SCALAR_CHAR:
    case ETS_SCALAR_SHORT:
    case ETS_SCALAR_INT:
    case ETS_SCALAR_LONG:
    case ETS_SCALAR_BOOL:
    case ETS_SCALAR_UINT16:
    case ETS_SCALAR_UINT32:
    case ETS_SCALAR_UINT64: return ETS_ARITHMETIC_INTEGER;
    default: return ETS_ARITHMETIC_MIXED;
    }
}

const struct ets_cost_argument *ets_cost_argument(const struct ets_cost_call *call,
                                                  uint32_t position, const char *label)
{
    for (uint32_t i = 0; i < call->argument_count; i++) {
        const struct ets_cost_argument *argument = &call->arguments[i];
        if (argument->label.size > 0 ? ets_text_is(argument->label, label) : i == position) {
            return argument;
        }
    }
    return NULL;
}

const struct ets_cost_tensor *ets_cost_tensor_at(const struct ets_cost_call *call,
                                                 uint32_t position, const char *label)
{
    const struct ets_cost_argument *argument = ets_cost_argument(call, position, label);
    const bool is_there =
        argument != NULL && argument->kind == ETS_COST_TENSORS && argument->count > 0;
    return is_there ? &argument->tensors[0] : NULL;
}

int64_t ets_cost_integer_at(const struct ets_cost_call *call, uint32_t position, const char *label,
                            int64_t otherwise)
{
    const struct ets_cost_argument *argument = ets_cost_argument(call, position, label);
    const bool is_there =
        argument != NULL && argument->kind == ETS_COST_INTEGERS && argument->count > 0;
    return is_there ? argument->integers[0] : otherwise;
}

double ets_cost_real_at(const struct ets_cost_call *call, uint32_t position, const char *label,
                        double otherwise)
{
    const struct ets_cost_argument *argument = ets_cost_argument(call, position, label);
    if (argument == NULL || argument->kind == ETS_COST_NOTHING) return otherwise;
    if (argument->kind == ETS_COST_REAL) return argument->real;
    const bool is_integer = argument->kind == ETS_COST_INTEGERS && argument->count > 0;
    return is_integer ? (double)argument->integers[0] : otherwise;
}

uint64_t ets_cost_size(const struct ets_cost_tensor *tensor, int64_t dimension)
{
    const int64_t at = dimension < 0 ? dimension + (int64_t)tensor->rank : dimension;
    const bool is_there = at >= 0 && at < (int64_t)tensor->rank && tensor->sizes[at] > 0;
    return is_there ? (uint64_t)tensor->sizes[at] : 0;
}
