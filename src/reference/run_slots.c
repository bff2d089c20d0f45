/*
 * The values in a plan's slots during a run: reading, setting and dropping them, and their sizes.
 */
#include "base/error.h"
#include "reference/reference_run.h"

void ets_reference_slot_shape(const struct ets_reference *reference,
                              const struct reference_plan *plan, uint32_t slot,
                              struct reference_shape *shape_out)
{
    const struct ets_graph_value *value = plan->described[slot];
    *shape_out = (struct reference_shape){.scalar_type = -1};
    if (value == NULL || value->scalar_type < 0 || value->rank > ETS_TENSOR_MAX_RANK) return;
    shape_out->scalar_type = value->scalar_type;
    shape_out->rank = value->rank;
    for (uint32_t i = 0; i < value->rank; i++) {
        int64_t size = value->sizes[i];
        if (value->size_texts != NULL && value->size_texts[i].data != NULL &&
            ets_size_evaluate(&reference->symbols, value->size_texts[i], &size) != ETS_OK) {
            size = -1;
        }
        shape_out->sizes[i] = size < 0 ? -1 : size;
    }
}

void ets_reference_plan_clear(struct reference_run *run, const struct reference_plan *plan)
{
    for (uint32_t i = 0; i < plan->slot_count; i++) {
        ets_reference_value_drop(&run->reference->memory, &plan->values[i]);
    }
}

enum ets_status ets_reference_slot_set(struct reference_run *run, const struct reference_plan *plan,
                                       uint32_t slot, const struct reference_value *value)
{
    if (slot == REFERENCE_NO_SLOT) return ETS_OK;
    struct reference_value copy;
    ETS_TRY(ets_reference_value_share(&run->reference->memory, value, &copy, run->error));
    ets_reference_value_drop(&run->reference->memory, &plan->values[slot]);
    plan->values[slot] = copy;
    return ETS_OK;
}

static enum ets_status resolve_list(struct reference_run *run, const struct reference_plan *plan,
                                    const struct reference_step *step,
                                    const struct ets_graph_argument *argument, uint32_t *next_read,
                                    struct reference_value *value_out)
{
    struct reference_memory *memory = &run->reference->memory;
    struct reference_value list = {.kind = REFERENCE_LIST};
    if (argument->item_count > 0) {
        list.as.list.items = memory->allocator->reallocate(
            memory->allocator->context, NULL, argument->item_count * sizeof *list.as.list.items);
        if (list.as.list.items == NULL) {
            return ets_fail_memory(run->error, "a list");
        }
    }
    for (uint32_t i = 0; i < argument->item_count; i++) {
        const enum ets_status status = ets_reference_resolve(run, plan, step, &argument->items[i],
                                                             next_read, &list.as.list.items[i]);
        if (status != ETS_OK) {
            ets_reference_value_drop(memory, &list);
            return status;
        }
        list.as.list.count++;
    }
    *value_out = list;
    return ETS_OK;
}

static struct reference_value make_int(enum reference_kind kind, int64_t value)
{
    return (struct reference_value){.kind = kind, .as.int_value = value};
}

enum ets_status ets_reference_resolve(struct reference_run *run, const struct reference_plan *plan,
                                      const struct reference_step *step,
                                      const struct ets_graph_argument *argument,
                                      uint32_t *next_read, struct reference_value *value_out)
{
    *value_out = (struct reference_value){.kind = REFERENCE_NOTHING};
    switch (argument->kind) {
    case ETS_ARGUMENT_TENSOR:
    case ETS_ARGUMENT_SYMBOL:
        return ets_reference_value_share(&run->reference->memory,
                                         &plan->values[step->reads[(*next_read)++]], value_out,
                                         run->error);
    case ETS_ARGUMENT_INT:
    case ETS_ARGUMENT_SCALAR_TYPE:
    case ETS_ARGUMENT_MEMORY_FORMAT:
    case ETS_ARGUMENT_LAYOUT: *value_out = make_int(REFERENCE_INT, argument->int_value); break;
    case ETS_ARGUMENT_BOOL: *value_out = make_int(REFERENCE_BOOL, argument->int_value); break;
    case ETS_ARGUMENT_FLOAT:
        *value_out = (struct reference_value){.kind = REFERENCE_DOUBLE,
                                              .as.double_value = argument->float_value};
        break;
    case ETS_ARGUMENT_STRING:
    case ETS_ARGUMENT_DEVICE:
    case ETS_ARGUMENT_OTHER:
    case ETS_ARGUMENT_TARGET:
        *value_out = (struct reference_value){.kind = REFERENCE_STRING, .as.text = argument->name};
        break;
    case ETS_ARGUMENT_LIST: return resolve_list(run, plan, step, argument, next_read, value_out);
    case ETS_ARGUMENT_NONE:
    case ETS_ARGUMENT_GRAPH: break;
    }
    return ETS_OK;
}

void ets_reference_bind_symbols(struct ets_reference *reference,
                                const struct ets_graph_value *described,
                                const struct reference_value *value)
{
    if (described == NULL) return;
    if (value->kind == REFERENCE_INT) {
        ets_size_symbol_set(&reference->symbols, described->expression, value->as.int_value);
    }
    if (value->kind != REFERENCE_TENSOR || described->size_texts == NULL) return;
    const struct ets_tensor *tensor = &value->as.tensor.view;
    for (uint32_t i = 0; i < described->rank && i < tensor->rank; i++) {
        if (described->size_texts[i].data == NULL) continue;
        (void)ets_size_bind(&reference->symbols, described->size_texts[i], tensor->sizes[i]);
    }
}

void ets_reference_put_outputs(struct reference_run *run, const struct reference_plan *plan,
                               const struct reference_step *step, struct reference_value *outputs)
{
    for (uint32_t i = 0; i < step->write_count; i++) {
        const uint32_t slot = step->writes[i];
        if (slot == REFERENCE_NO_SLOT) {
            ets_reference_value_drop(&run->reference->memory, &outputs[i]);
            continue;
        }
        ets_reference_value_drop(&run->reference->memory, &plan->values[slot]);
        plan->values[slot] = outputs[i];
        ets_reference_bind_symbols(run->reference, plan->described[slot], &outputs[i]);
    }
}
