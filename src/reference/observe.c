/* Shows the outputs of a step to the observer, and applies its replacements. */
#include "base/error.h"
#include "reference/reference.h"
#include "reference/reference_run.h"

#include <string.h>

static struct ets_value shown_value(const struct reference_value *value)
{
    struct ets_value shown = {.kind = ETS_VALUE_NONE};
    switch (value->kind) {
    case REFERENCE_TENSOR:
        shown.kind = ETS_VALUE_TENSOR;
        shown.as.tensor = value->as.tensor.view;
        break;
    case REFERENCE_INT:
        shown.kind = ETS_VALUE_INT;
        shown.as.int_value = value->as.int_value;
        break;
    case REFERENCE_BOOL:
        shown.kind = ETS_VALUE_BOOL;
        shown.as.bool_value = value->as.int_value != 0;
        break;
    case REFERENCE_DOUBLE:
        shown.kind = ETS_VALUE_DOUBLE;
        shown.as.double_value = value->as.double_value;
        break;
    case REFERENCE_STRING:
    case REFERENCE_LIST: shown.kind = ETS_VALUE_OTHER; break;
    case REFERENCE_NOTHING:
    case REFERENCE_UNAVAILABLE: break;
    }
    return shown;
}

static enum ets_status fail_replacement(struct reference_run *run,
                                        const struct reference_step *step, const char *why)
{
    return ets_fail(run->error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                    "%.*s: the value that replaces it is %s", ETS_TEXT(step->node->name), why);
}

/* Sizes of -1 are unknown and match any size. */
static bool has_shape(const struct ets_tensor *tensor, uint32_t rank, const int64_t *sizes)
{
    if (tensor->rank != rank) return false;
    for (uint32_t i = 0; i < rank; i++) {
        if (sizes[i] >= 0 && tensor->sizes[i] != sizes[i]) return false;
    }
    return true;
}

/* Writes the numbers to the storage of `slot`, so that all values sharing it see them. */
static enum ets_status overwrite(struct reference_run *run, const struct reference_plan *plan,
                                 uint32_t slot, const struct ets_tensor *from)
{
    ETS_TRY(ets_reference_own(run, plan, slot));
    return ets_reference_tensor_copy(from, &plan->values[slot].as.tensor.view, run->error);
}

/* Whether the slot's tensor has all of a storage of this type to itself. */
static bool is_alone(const struct reference_value *value, int scalar_type)
{
    if (value->kind != REFERENCE_TENSOR) return false;
    const struct ets_tensor *view = &value->as.tensor.view;
    const struct reference_storage *storage = value->as.tensor.storage;
    return storage->references == 1 && !storage->is_borrowed &&
           (int)view->scalar_type == scalar_type && view->data_bytes == storage->size &&
           ets_tensor_is_contiguous(view);
}

/* Replaces the slot by a new tensor, or by new numbers that nothing else sees. */
static enum ets_status renew(struct reference_run *run, const struct reference_plan *plan,
                             uint32_t slot, int scalar_type, const struct ets_tensor *from)
{
    struct reference_value value;
    struct reference_memory *memory = &run->reference->memory;
    if (scalar_type < 0) scalar_type = from->scalar_type;
    if (run->reference->calls.use_double && ets_reference_is_floating(scalar_type)) {
        scalar_type = ETS_SCALAR_DOUBLE;
    }
    if (is_alone(&plan->values[slot], scalar_type)) {
        return ets_reference_tensor_copy(from, &plan->values[slot].as.tensor.view, run->error);
    }
    ETS_TRY(
        ets_reference_tensor_new(memory, scalar_type, from->rank, from->sizes, &value, run->error));
    const enum ets_status status =
        ets_reference_tensor_copy(from, &value.as.tensor.view, run->error);
    if (status != ETS_OK) {
        ets_reference_value_drop(memory, &value);
        return status;
    }
    ets_reference_value_drop(memory, &plan->values[slot]);
    plan->values[slot] = value;
    ets_reference_bind_symbols(run->reference, plan->described[slot], &value);
    return ETS_OK;
}

/* Whether other values must see the new numbers: the storage is written in place somewhere. */
static bool is_shared(const struct reference_plan *plan, const struct reference_step *step,
                      uint32_t slot)
{
    return step->is_in_place || plan->is_written[ets_reference_plan_storage(plan, slot)];
}

static enum ets_status replace_tensor(struct reference_run *run, const struct reference_plan *plan,
                                      const struct reference_step *step, uint32_t slot,
                                      const struct ets_tensor *from)
{
    struct reference_shape shape;
    struct reference_value *value = &plan->values[slot];
    if (value->kind == REFERENCE_TENSOR) {
        const struct ets_tensor *view = &value->as.tensor.view;
        if (!has_shape(from, view->rank, view->sizes)) {
            return fail_replacement(run, step, "of a different shape");
        }
        if (is_shared(plan, step, slot)) return overwrite(run, plan, slot, from);
        return renew(run, plan, slot, view->scalar_type, from);
    }
    ets_reference_slot_shape(run->reference, plan, slot, &shape);
    if (shape.scalar_type >= 0 && !has_shape(from, shape.rank, shape.sizes)) {
        return fail_replacement(run, step, "of a different shape than in the graph");
    }
    if (step->is_in_place && plan->values[step->reads[0]].kind == REFERENCE_TENSOR) {
        const struct ets_tensor *view = &plan->values[step->reads[0]].as.tensor.view;
        if (!has_shape(from, view->rank, view->sizes)) {
            return fail_replacement(run, step, "of a different shape than its operand");
        }
        ETS_TRY(overwrite(run, plan, step->reads[0], from));
        return ets_reference_slot_set(run, plan, slot, &plan->values[step->reads[0]]);
    }
    return renew(run, plan, slot, shape.scalar_type, from);
}

static enum ets_status replace(struct reference_run *run, const struct reference_plan *plan,
                               const struct reference_step *step, uint32_t slot,
                               const struct ets_value *replacement)
{
    struct reference_value number = {.kind = REFERENCE_NOTHING};
    const enum reference_kind kind = plan->values[slot].kind;
    switch (replacement->kind) {
    case ETS_VALUE_TENSOR:
        if (kind != REFERENCE_TENSOR && kind != REFERENCE_UNAVAILABLE) break;
        return replace_tensor(run, plan, step, slot, &replacement->as.tensor);
    case ETS_VALUE_INT:
        number.kind = REFERENCE_INT;
        number.as.int_value = replacement->as.int_value;
        break;
    case ETS_VALUE_BOOL:
        number.kind = REFERENCE_BOOL;
        number.as.int_value = replacement->as.bool_value;
        break;
    case ETS_VALUE_DOUBLE:
        number.kind = REFERENCE_DOUBLE;
        number.as.double_value = replacement->as.double_value;
        break;
    case ETS_VALUE_NONE:
    case ETS_VALUE_OTHER: break;
    }
    if (number.kind == REFERENCE_NOTHING ||
        (kind != number.kind && kind != REFERENCE_UNAVAILABLE)) {
        return fail_replacement(run, step, "of a different kind");
    }
    plan->values[slot] = number;
    ets_reference_bind_symbols(run->reference, plan->described[slot], &number);
    return ETS_OK;
}

static enum ets_status show(struct reference_run *run, const struct reference_plan *plan,
                            const struct reference_step *step, uint32_t output)
{
    static const struct reference_value NOTHING = {.kind = REFERENCE_NOTHING};
    const uint32_t slot = step->writes[output];
    const struct reference_value *value =
        slot != REFERENCE_NO_SLOT ? &plan->values[slot] : &NOTHING;
    struct ets_value replacement = {.kind = ETS_VALUE_NONE};
    const struct ets_reference_result result = {
        .node = step->node,
        .output = output,
        .output_count = step->write_count,
        .iteration = step->times,
        .value = shown_value(value),
        .reason = value->kind == REFERENCE_UNAVAILABLE ? value->as.reason : NULL,
        .is_random = step->is_random,
    };
    ETS_TRY(run->reference->observer(run->reference->context, &result, &replacement, run->error));
    if (replacement.kind == ETS_VALUE_NONE || slot == REFERENCE_NO_SLOT) return ETS_OK;
    return replace(run, plan, step, slot, &replacement);
}

/* If a storage was not written as required, all values in it are unavailable. */
static void spoil(struct reference_run *run, const struct reference_plan *plan, uint32_t slot,
                  const char *reason)
{
    const struct reference_value *written = &plan->values[slot];
    if (written->kind != REFERENCE_TENSOR) return;
    const struct reference_storage *storage = written->as.tensor.storage;
    for (uint32_t i = 0; i < plan->slot_count; i++) {
        struct reference_value *value = &plan->values[i];
        if (value->kind != REFERENCE_TENSOR || value->as.tensor.storage != storage) continue;
        ets_reference_value_drop(&run->reference->memory, value);
        *value = reference_unavailable(reason);
    }
}

/* Why a step did not write what it should have; NULL: it did, or the observer replaced that. */
static const char *unwritten_reason(const struct reference_plan *plan,
                                    const struct reference_step *step)
{
    if (!step->is_in_place) return step->unavailable;
    if (step->write_count == 0 || step->writes[0] == REFERENCE_NO_SLOT) return NULL;
    const struct reference_value *made = &plan->values[step->writes[0]];
    return made->kind == REFERENCE_UNAVAILABLE ? made->as.reason : NULL;
}

enum ets_status ets_reference_observe(struct reference_run *run, const struct reference_plan *plan,
                                      struct reference_step *step)
{
    for (uint32_t i = 0; i < step->write_count && run->reference->observer != NULL; i++) {
        ETS_TRY(show(run, plan, step, i));
    }
    const char *reason = unwritten_reason(plan, step);
    for (uint32_t i = 0; i < step->written_count && reason != NULL; i++) {
        spoil(run, plan, step->written[i], reason);
    }
    return ETS_OK;
}
