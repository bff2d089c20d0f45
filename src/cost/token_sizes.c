/* Tells which dimensions count tokens, by the upper bound that they share. */
#include "cost/token_sizes.h"

#include "etscope/tensor.h"

static bool is_integer(const struct ets_tensor *tensor)
{
    return tensor->scalar_type == ETS_SCALAR_LONG || tensor->scalar_type == ETS_SCALAR_INT;
}

/* The bound of an input [N] or [1, N] of integers; 0: it is none. */
static int64_t bound_of(const struct ets_tensor *tensor)
{
    const bool is_row = tensor->rank == 1 || (tensor->rank == 2 && tensor->sizes[0] == 1);
    return is_integer(tensor) && is_row ? tensor->sizes[tensor->rank - 1] : 0;
}

/*
 * 0: no input is dynamic, or they are not of one bound. `*integers_out`: inputs of integers. A
 * method without positions takes the tokens before, too.
 */
static int64_t bound_of_inputs(const struct ets_method *method, uint32_t *integers_out)
{
    int64_t bound = 0;
    *integers_out = 0;
    for (uint32_t i = 0; i < method->input_count; i++) {
        struct ets_evalue value;
        ets_method_input(method, i, &value);
        if (value.kind != ETS_EVALUE_TENSOR) continue;
        *integers_out += is_integer(&value.tensor.tensor);
        if (value.tensor.dynamism == ETS_SHAPE_STATIC) continue;
        const int64_t own = bound_of(&value.tensor.tensor);
        if (own < 2 || (bound != 0 && own != bound)) return 0;
        bound = own;
    }
    return bound;
}

bool ets_token_sizes_take_one(const struct ets_method *method)
{
    uint32_t rows = 0;
    for (uint32_t i = 0; i < method->input_count; i++) {
        struct ets_evalue value;
        ets_method_input(method, i, &value);
        if (value.kind != ETS_EVALUE_TENSOR || !is_integer(&value.tensor.tensor)) continue;
        const int64_t size = bound_of(&value.tensor.tensor);
        if (size < 1 || (size > 1 && value.tensor.dynamism == ETS_SHAPE_STATIC)) return false;
        rows++;
    }
    return rows > 0;
}

static bool has_size(const struct ets_tensor *tensor, int64_t size)
{
    for (uint32_t i = 0; i < tensor->rank; i++) {
        if (tensor->sizes[i] == size) return true;
    }
    return false;
}

bool ets_token_sizes_are_in(const struct ets_token_sizes *sizes, const int64_t *dimensions,
                            uint32_t rank)
{
    bool is_square = rank > 1; /* a mask, which is as long as the context both ways */
    for (uint32_t i = 0; i < rank; i++) {
        is_square = is_square && (dimensions[i] == 1 || dimensions[i] == sizes->bound);
    }
    return sizes->bound > 0 && rank > 0 && !is_square && dimensions[rank - 1] == sizes->bound;
}

void ets_token_sizes_find(const struct ets_method *method, struct ets_token_sizes *sizes)
{
    sizes->is_distinct = sizes->is_complete = true;
    uint32_t integers;
    sizes->bound = bound_of_inputs(method, &integers);
    const bool has_more = integers < 2 && sizes->position > 0;
    if (sizes->tokens == 0 || sizes->tokens > sizes->bound || has_more) sizes->bound = 0;
    for (uint32_t i = 0; sizes->bound > 0 && i < method->value_count; i++) {
        struct ets_evalue value;
        ets_method_value(method, i, &value);
        const struct ets_tensor *tensor = &value.tensor.tensor;
        if (value.kind != ETS_EVALUE_TENSOR) continue;
        if (value.tensor.dynamism != ETS_SHAPE_STATIC) {
            if (!has_size(tensor, sizes->bound)) sizes->is_complete = false;
        } else if (!is_integer(tensor) &&
                   ets_token_sizes_are_in(sizes, tensor->sizes, tensor->rank)) {
            sizes->is_distinct = false;
        }
    }
}

bool ets_token_sizes_bind(const struct ets_token_sizes *sizes, int64_t *dimensions, uint32_t rank)
{
    uint32_t found = 0;
    if (sizes->bound == 0) return false;
    for (uint32_t i = 0; i < rank; i++) found += dimensions[i] == sizes->bound;
    if (found == 0 || (found > 1 && !sizes->is_distinct)) return false;
    for (uint32_t i = 0; i < rank; i++) {
        if (dimensions[i] == sizes->bound) dimensions[i] = sizes->tokens;
    }
    return sizes->is_complete;
}
