/*
 * Bytes of the record and of the caller are borrowed, so they are copied before they are written.
 */
#include "base/error.h"
#include "reference/reference_run.h"

#include <string.h>

typedef void visit_value(struct reference_value *value, void *context);

/* Calls `visit` for all values of the program in `storage`. */
static void visit_program(const struct reference_program *program,
                          const struct reference_storage *storage, visit_value *visit,
                          void *context)
{
    for (uint32_t i = 0; i < program->plan_count; i++) {
        const struct reference_plan *plan = &program->plans[i];
        for (uint32_t j = 0; j < plan->slot_count; j++) {
            struct reference_value *value = &plan->values[j];
            if (value->kind == REFERENCE_TENSOR && value->as.tensor.storage == storage) {
                visit(value, context);
            }
        }
    }
}

static void visit_storage(const struct ets_reference *reference,
                          const struct reference_storage *storage, visit_value *visit,
                          void *context)
{
    visit_program(&reference->program, storage, visit, context);
    visit_program(&reference->fallback, storage, visit, context);
}

struct span {
    const uint8_t *bytes;
    size_t size; /* up to the end of the last value */
};

static void grow_span(struct reference_value *value, void *context)
{
    struct span *span = context;
    const struct ets_tensor *view = &value->as.tensor.view;
    if (view->data == NULL) return;
    const size_t end = (size_t)((const uint8_t *)view->data - span->bytes) + view->data_bytes;
    if (end > span->size) span->size = end;
}

struct move {
    struct reference_run *run;
    struct reference_value *target; /* owns the copied bytes */
};

static void move_value(struct reference_value *value, void *context)
{
    const struct move *move = context;
    struct reference_storage *from = value->as.tensor.storage;
    struct reference_storage *to = move->target->as.tensor.storage;
    struct reference_value moved = *value;
    moved.as.tensor.storage = to;
    if (moved.as.tensor.view.data != NULL) {
        const uint8_t *data = moved.as.tensor.view.data;
        moved.as.tensor.view.data = to->bytes + (data - from->bytes);
    }
    to->references++;
    ets_reference_value_drop(&move->run->reference->memory, value);
    *value = moved;
}

enum ets_status ets_reference_own(struct reference_run *run, const struct reference_plan *plan,
                                  uint32_t slot)
{
    struct ets_reference *reference = run->reference;
    const struct reference_value *value = &plan->values[slot];
    if (value->kind != REFERENCE_TENSOR || !value->as.tensor.storage->is_borrowed) return ETS_OK;
    struct reference_storage *storage = value->as.tensor.storage;
    struct span span = {.bytes = storage->bytes};
    visit_storage(reference, storage, grow_span, &span);
    struct reference_value target;
    const int64_t size = (int64_t)span.size;
    ETS_TRY(ets_reference_tensor_new(&reference->memory, ETS_SCALAR_BYTE, 1, &size, &target,
                                     run->error));
    if (span.size > 0) memcpy(target.as.tensor.storage->bytes, span.bytes, span.size);
    struct move move = {.run = run, .target = &target};
    storage->references++; /* kept until no value uses it */
    visit_storage(reference, storage, move_value, &move);
    struct reference_value last = {.kind = REFERENCE_TENSOR, .as.tensor = {.storage = storage}};
    ets_reference_value_drop(&reference->memory, &last);
    ets_reference_value_drop(&reference->memory, &target);
    return ETS_OK;
}
