/*
 * Weights that are objects of a tensor subclass, such as torchao's quantized weights. Exported
 * graphs extract the tensors inside by name, export.access_subclass_inner_tensor(weight, "qdata"),
 * and compute with those, so the class does not matter. Only a step that reads the whole object
 * would need to know it.
 */
#include "reference/weight_parts.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"

/* The object in each slot, and its name in the record. */
struct parts {
    struct reference_plan *plan;
    const struct ets_named_value **objects; /* [slot_count] */
    reference_find_weight *find;
    const void *context;
    struct ets_arena *arena;
    struct ets_error *error;
};

static enum ets_status no_memory(struct ets_error *error)
{
    return ets_fail_memory(error, "the reference");
}

static bool takes_part(const struct ets_graph_node *node)
{
    return ets_text_is(node->target, "torch.ops.export.access_subclass_inner_tensor.default") &&
           node->input_count == 2 && node->inputs[0].kind == ETS_ARGUMENT_TENSOR &&
           node->inputs[1].kind == ETS_ARGUMENT_STRING;
}

/* "weight first.weight is a torchao.quantization.Int8Tensor" */
static enum ets_status describe(struct parts *parts, const struct ets_named_value *object,
                                const char **reason_out)
{
    char text[320];
    const bool is_named = object->class_name.size > 0;
    const size_t size = ets_print_text(
        text, sizeof text, "the weight %.*s is %s%.*s, which can only be used by its parts",
        object->name.size < 64 ? (int)object->name.size : 64, object->name.data,
        is_named ? "a " : "an object", is_named ? (int)object->class_name.size : 0,
        is_named ? object->class_name.data : "");
    *reason_out = ets_arena_copy_text(parts->arena, text, size);
    return *reason_out != NULL ? ETS_OK : no_memory(parts->error);
}

static enum ets_status keep_reason(struct parts *parts, struct reference_step *step,
                                   const struct ets_named_value *object)
{
    step->kind = REFERENCE_UNCOVERED;
    step->is_found = true;
    return describe(parts, object, &step->reason);
}

/* The record's value inside `object` with the step's name; NULL: none. */
static enum ets_status find_part(struct parts *parts, const struct reference_step *step,
                                 const struct ets_named_value *object,
                                 const struct ets_named_value **part_out)
{
    const struct ets_text inner = step->node->inputs[1].name;
    char *name = ets_arena_alloc(parts->arena, object->name.size + inner.size + 2);
    if (name == NULL) return no_memory(parts->error);
    memcpy(name, object->name.data, object->name.size);
    name[object->name.size] = '.';
    memcpy(name + object->name.size + 1, inner.data, inner.size);
    *part_out =
        parts->find(parts->context, (struct ets_text){name, object->name.size + 1 + inner.size});
    return ETS_OK;
}

static enum ets_status take_part(struct parts *parts, struct reference_step *step,
                                 const struct ets_named_value *object)
{
    const struct ets_named_value *part = NULL;
    if (step->node->inputs[1].name.data != NULL) {
        ETS_TRY(find_part(parts, step, object, &part));
    }
    if (part != NULL && part->value.kind == ETS_VALUE_TENSOR && step->write_count == 1) {
        step->part = &part->value.as.tensor;
        step->kind = REFERENCE_CALL;
        step->is_found = true;
        return ETS_OK;
    }
    /* Steps that read this may have descendants in the edge program. */
    if (part == NULL) part = object;
    for (uint32_t i = 0; i < step->write_count; i++) {
        if (step->writes[i] != REFERENCE_NO_SLOT) parts->objects[step->writes[i]] = part;
    }
    return keep_reason(parts, step, part);
}

/* Control flow passes its operands to its bodies and is not marked. */
static enum ets_status visit_step(struct parts *parts, struct reference_step *step)
{
    for (uint32_t i = 0; i < step->read_count && step->bodies[0] == NULL; i++) {
        const struct ets_named_value *object = parts->objects[step->reads[i]];
        if (object == NULL) continue;
        return takes_part(step->node) ? take_part(parts, step, object)
                                      : keep_reason(parts, step, object);
    }
    return ETS_OK;
}

enum ets_status ets_reference_weight_parts_find(struct reference_program *program,
                                                const struct ets_named_value *const *objects,
                                                reference_find_weight *find, const void *context,
                                                struct ets_arena *arena, struct ets_error *error)
{
    struct parts parts = {.plan = &program->plans[0],
                          .find = find,
                          .context = context,
                          .arena = arena,
                          .error = error};
    const uint32_t count = program->graph->input_count;
    bool any = false;
    program->wrapped = ets_arena_alloc_array(arena, count, sizeof *program->wrapped);
    parts.objects = ets_arena_alloc_array(arena, parts.plan->slot_count, sizeof *parts.objects);
    if (program->wrapped == NULL || parts.objects == NULL) return no_memory(error);
    for (uint32_t i = 0; i < count; i++) {
        if (objects[i] == NULL) continue;
        any = true;
        ETS_TRY(describe(&parts, objects[i], &program->wrapped[i]));
        if (parts.plan->inputs[i] != REFERENCE_NO_SLOT) {
            parts.objects[parts.plan->inputs[i]] = objects[i];
        }
    }
    for (uint32_t i = 0; any && i < parts.plan->step_count; i++) {
        ETS_TRY(visit_step(&parts, &parts.plan->steps[i]));
    }
    return ETS_OK;
}
