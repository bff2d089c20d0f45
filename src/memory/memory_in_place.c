/* Finds results that may take the bytes of an input: of kernels that read an element, then write
 * it. */
#include <string.h>

#include "base/text.h"
#include "format/program_lists.h"
#include "memory/memory_replan.h"
#include "operators/operator_traits.h"

/* Of ExecuTorch's kernels, portable and optimized, in the out variants that exporters write. */
static bool is_in_place(const struct ets_instruction *call)
{
    return call->kind == ETS_INSTRUCTION_KERNEL_CALL &&
           ets_text_starts_with(call->name, "aten::") &&
           ets_operator_is(call->name, ETS_OPERATOR_IN_PLACE);
}

static bool have_equal_shape(const struct ets_memory_plan *plan, const struct ets_plan_tensor *a,
                             const struct ets_plan_tensor *b)
{
    struct ets_evalue left, right;
    ets_method_value(&plan->method, a->value, &left);
    ets_method_value(&plan->method, b->value, &right);
    const struct ets_tensor *x = &left.tensor.tensor, *y = &right.tensor.tensor;
    if (x->scalar_type != y->scalar_type || x->rank != y->rank) return false;
    const size_t bytes = x->rank * sizeof *x->sizes;
    return memcmp(x->sizes, y->sizes, bytes) == 0 && memcmp(x->strides, y->strides, bytes) == 0;
}

/* Whether another value shows the same bytes, which must then stay as they are. */
static bool has_views(const struct ets_memory_plan *plan, uint32_t tensor)
{
    for (uint32_t t = 0; t < plan->tensor_count; t++) {
        if (plan->tensors[t].base == tensor) return true;
    }
    return false;
}

static bool is_written_once(const struct ets_plan_tensor *tensor)
{
    uint32_t writes = 0;
    for (uint32_t i = 0; i < tensor->touch_count; i++) writes += tensor->touches[i].writes;
    return writes == 1;
}

/* The touch of a tensor at a step, or NULL. */
static const struct ets_plan_touch *touch_at(const struct ets_plan_tensor *tensor, uint32_t step)
{
    for (uint32_t i = 0; i < tensor->touch_count; i++) {
        if (tensor->touches[i].step == step) return &tensor->touches[i];
    }
    return NULL;
}

static bool may_replace(const struct ets_memory_plan *plan, const struct ets_plan_tensor *result,
                        const struct ets_plan_tensor *input)
{
    if (input == result || input->kind != ETS_PLAN_INTERMEDIATE || input->is_output) return false;
    if (input->base != ETS_PLAN_NONE || input->is_upper_bound) return false;
    if (input->arena != result->arena || input->bytes != result->bytes) return false;
    if (input->last != result->first) return false;
    const struct ets_plan_touch *touch = touch_at(input, result->first);
    return touch != NULL && touch->reads && !touch->writes &&
           have_equal_shape(plan, result, input) &&
           !has_views(plan, (uint32_t)(input - plan->tensors));
}

uint32_t ets_plan_in_place_of(const struct ets_memory_plan *plan, uint32_t tensor)
{
    struct ets_instruction call;
    const struct ets_plan_tensor *result = &plan->tensors[tensor];
    if (result->arena == ETS_PLAN_NONE || result->bytes == 0) return ETS_PLAN_NONE;
    if (result->base != ETS_PLAN_NONE) return ETS_PLAN_NONE;
    if (result->kind != ETS_PLAN_INTERMEDIATE && result->kind != ETS_PLAN_OUTPUT) {
        return ETS_PLAN_NONE;
    }
    if (result->producer == ETS_PLAN_NONE || result->producer != result->first ||
        !is_written_once(result)) {
        return ETS_PLAN_NONE;
    }
    ets_plan_instruction(plan, result->producer, &call);
    if (!is_in_place(&call)) return ETS_PLAN_NONE;
    for (uint32_t i = 0; i < call.argument_count; i++) {
        const uint32_t input = plan->tensor_of[ets_instruction_argument(&call, i)];
        if (input != ETS_PLAN_NONE && may_replace(plan, result, &plan->tensors[input]))
            return input;
    }
    return ETS_PLAN_NONE;
}
