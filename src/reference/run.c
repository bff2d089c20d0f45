/* Computes the steps of a plan in order, and drops values that no later step needs. */
#include "base/error.h"
#include "reference/complex_nodes.h"
#include "reference/reference.h"
#include "reference/reference_run.h"

#include <string.h>

/* Why a value that a step reads is unavailable; NULL: all are available. */
static const char *missing_reason(const struct reference_plan *plan,
                                  const struct reference_step *step)
{
    if (step->part != NULL) return NULL;
    /* A condition needs only its predicate; bodies use what is available. */
    const uint32_t count = step->kind == REFERENCE_COND && step->read_count > 0 ? 1
                           : step->kind == REFERENCE_WHILE                      ? 0
                                                                                : step->read_count;
    for (uint32_t i = 0; i < count; i++) {
        const struct reference_value *value = &plan->values[step->reads[i]];
        if (value->kind == REFERENCE_UNAVAILABLE) return value->as.reason;
    }
    return NULL;
}

static void set_unavailable(struct reference_step *step, const char *reason,
                            struct reference_value *outputs)
{
    step->unavailable = reason;
    for (uint32_t i = 0; i < step->write_count; i++) outputs[i] = reference_unavailable(reason);
}

/*
 * If the runtime refuses a node, its values are unavailable, with the runtime's reason. For a node
 * without values, which is an assertion of the program, the run ends.
 */
static enum ets_status take_failure(struct reference_run *run, struct reference_step *step,
                                    enum ets_status status, struct reference_value *outputs)
{
    enum { ROOM = 256 };
    if (status == ETS_OK || step->write_count == 0) return status;
    if (status != ETS_RUNTIME && status != ETS_UNSUPPORTED && status != ETS_INVALID_ARGUMENT &&
        status != ETS_MISMATCH) {
        return status;
    }
    if (step->failure == NULL) step->failure = ets_arena_alloc(&run->reference->arena, ROOM);
    if (step->failure == NULL) {
        return ets_fail_memory(run->error, "a reason");
    }
    const char *message = run->error != NULL ? run->error->message : "the runtime refused it";
    (void)ets_print_text(step->failure, ROOM, "%s", message);
    set_unavailable(step, step->failure, outputs);
    return ETS_OK;
}

static enum ets_status resolve_all(struct reference_run *run, const struct reference_plan *plan,
                                   const struct reference_step *step, uint32_t *count_out)
{
    uint32_t next_read = 0;
    for (*count_out = 0; *count_out < step->node->input_count; ++*count_out) {
        ETS_TRY(ets_reference_resolve(run, plan, step, &step->node->inputs[*count_out], &next_read,
                                      &run->reference->arguments[*count_out]));
    }
    return ETS_OK;
}

static enum ets_status call_node(struct reference_run *run, const struct reference_plan *plan,
                                 struct reference_step *step, struct reference_value *outputs)
{
    struct ets_reference *reference = run->reference;
    uint32_t argument_count;
    bool is_single = false;
    if (step->part != NULL) {
        return ets_reference_tensor_borrow(&reference->memory, step->part, outputs, run->error);
    }
    for (uint32_t i = 0; i < step->written_count; i++) {
        ETS_TRY(ets_reference_own(run, plan, step->written[i]));
    }
    for (uint32_t i = 0; i < step->write_count; i++) {
        ets_reference_slot_shape(reference, plan, step->writes[i], &reference->shapes[i]);
    }
    enum ets_status status = resolve_all(run, plan, step, &argument_count);
    if (status == ETS_OK) {
        status = ets_reference_node_call(&reference->calls, step->operator_, step->node,
                                         reference->arguments, reference->shapes, step->write_count,
                                         outputs, &is_single, run->error);
    }
    for (uint32_t i = 0; i < argument_count; i++) {
        ets_reference_value_drop(&reference->memory, &reference->arguments[i]);
    }
    if (is_single && step->shown != NULL) step->shown->is_single = 1;
    return take_failure(run, step, status, outputs);
}

static enum ets_status set_leaves(struct reference_run *run, const struct reference_plan *plan,
                                  const struct reference_fallback *fallback)
{
    for (uint32_t i = 0; i < fallback->leaf_count; i++) {
        const struct reference_leaf *leaf = &fallback->leaves[i];
        struct reference_value *value = &fallback->twin->values[leaf->twin_slot];
        const bool is_left = leaf->weight != NULL && leaf->slot != REFERENCE_NO_SLOT &&
                             run->reference->options.start != NULL;
        if (leaf->weight != NULL && !is_left) {
            ETS_TRY(ets_reference_tensor_borrow(&run->reference->memory, leaf->weight, value,
                                                run->error));
        } else {
            ETS_TRY(ets_reference_slot_set(run, fallback->twin, leaf->twin_slot,
                                           &plan->values[leaf->slot]));
        }
        ets_reference_bind_symbols(run->reference, fallback->twin->described[leaf->twin_slot],
                                   value);
    }
    return ETS_OK;
}

/* Limits nested loops, which could run for days. */
static enum ets_status count_step(struct reference_run *run)
{
    enum { MAX_STEPS = 1 << 24 };
    if (++run->step_count <= MAX_STEPS) return ETS_OK;
    return ets_fail(run->error, ETS_LIMIT, ETS_NO_OFFSET, "the graph computes more than %d nodes",
                    MAX_STEPS);
}

/* Computes one step of a fallback; `shown` is the node that it stands for. */
static enum ets_status run_descendant(struct reference_run *run, const struct reference_plan *twin,
                                      struct reference_step *step, struct ets_reference_node *shown)
{
    struct reference_value *outputs = run->reference->outputs;
    const char *reason = missing_reason(twin, step);
    ETS_TRY(count_step(run));
    if (reason != NULL) {
        set_unavailable(step, reason, outputs);
    } else {
        step->shown = shown;
        ETS_TRY(call_node(run, twin, step, outputs));
    }
    ets_reference_put_outputs(run, twin, step, outputs);
    return ETS_OK;
}

static void drop_descendants(struct reference_run *run, const struct reference_fallback *fallback)
{
    struct reference_memory *memory = &run->reference->memory;
    const struct reference_plan *twin = fallback->twin;
    for (uint32_t i = 0; i < fallback->leaf_count; i++) {
        ets_reference_value_drop(memory, &twin->values[fallback->leaves[i].twin_slot]);
    }
    for (uint32_t i = 0; i < fallback->step_count; i++) {
        const struct reference_step *step = &twin->steps[fallback->steps[i]];
        for (uint32_t j = 0; j < step->write_count; j++) {
            ets_reference_value_drop(memory, &twin->values[step->writes[j]]);
        }
    }
}

static enum ets_status run_fallback(struct reference_run *run, const struct reference_plan *plan,
                                    struct reference_step *step, struct reference_value *outputs)
{
    const struct reference_fallback *fallback = step->fallback;
    enum ets_status status = set_leaves(run, plan, fallback);
    for (uint32_t i = 0; i < fallback->step_count && status == ETS_OK; i++) {
        status = run_descendant(run, fallback->twin, &fallback->twin->steps[fallback->steps[i]],
                                step->shown);
    }
    for (uint32_t i = 0; i < step->write_count && status == ETS_OK; i++) {
        const uint32_t slot = fallback->results[i];
        if (slot == REFERENCE_NO_SLOT) {
            outputs[i] =
                reference_unavailable("several values of the edge program could be its output");
        } else {
            (void)ets_reference_value_share(&run->reference->memory, &fallback->twin->values[slot],
                                            &outputs[i], NULL); /* not a list, so it cannot fail */
        }
    }
    drop_descendants(run, fallback);
    return status;
}

/*
 * Uses zeros for an unavailable value if a step needs only its shape. False: the shape is unknown,
 * or the step needs the numbers.
 */
static bool stand_in(struct reference_run *run, const struct reference_plan *plan,
                     const struct reference_step *step)
{
    struct reference_shape shape;
    struct reference_value zeros;
    if (step->kind != REFERENCE_CALL || step->read_count != 1 ||
        plan->values[step->reads[0]].kind != REFERENCE_UNAVAILABLE ||
        !ets_reference_needs_shape_only(step->node)) {
        return false;
    }
    ets_reference_slot_shape(run->reference, plan, step->reads[0], &shape);
    if (shape.scalar_type < 0) return false;
    for (uint32_t i = 0; i < shape.rank; i++) {
        if (shape.sizes[i] < 0) return false;
    }
    struct reference_memory *memory = &run->reference->memory;
    if (run->reference->calls.use_double && ets_reference_is_floating(shape.scalar_type)) {
        shape.scalar_type = ETS_SCALAR_DOUBLE;
    }
    if (ets_reference_tensor_new(memory, shape.scalar_type, shape.rank, shape.sizes, &zeros,
                                 NULL) != ETS_OK) {
        return false;
    }
    if (zeros.as.tensor.storage->size > 0) {
        memset(zeros.as.tensor.storage->bytes, 0, zeros.as.tensor.storage->size);
    }
    plan->values[step->reads[0]] = zeros;
    return true;
}

/* Sizes that could not be read from a value, but are known from others. */
static void find_sizes(struct reference_run *run, const struct reference_plan *plan,
                       const struct reference_step *step)
{
    for (uint32_t i = 0; i < step->read_count; i++) {
        struct reference_value *value = &plan->values[step->reads[i]];
        const struct ets_graph_value *described = plan->described[step->reads[i]];
        int64_t size;
        if (value->kind != REFERENCE_UNAVAILABLE || described == NULL) continue;
        if (described->expression.data == NULL || described->scalar_type >= 0) continue;
        if (ets_size_evaluate(&run->reference->symbols, described->expression, &size) == ETS_OK) {
            *value = (struct reference_value){.kind = REFERENCE_INT, .as.int_value = size};
        }
    }
}

static enum ets_status run_step(struct reference_run *run, const struct reference_plan *plan,
                                struct reference_step *step)
{
    struct reference_value *outputs = run->reference->outputs;
    struct reference_value absent = {.kind = REFERENCE_NOTHING};
    if (step->read_count > 0) absent = plan->values[step->reads[0]];
    find_sizes(run, plan, step);
    const bool stands_in = stand_in(run, plan, step);
    const char *reason =
        step->kind == REFERENCE_UNCOVERED ? step->reason : missing_reason(plan, step);
    enum ets_status status = ETS_OK;
    step->unavailable = NULL;
    if (step->kind == REFERENCE_FALL_BACK) {
        status = run_fallback(run, plan, step, outputs);
    } else if (reason != NULL) {
        set_unavailable(step, reason, outputs);
    } else if (step->kind == REFERENCE_CALL) {
        status = call_node(run, plan, step, outputs);
        if (stands_in) {
            ets_reference_value_drop(&run->reference->memory, &plan->values[step->reads[0]]);
            plan->values[step->reads[0]] = absent;
        }
    } else {
        /* Steps of bodies use the common room, so these outputs go only into slots. */
        return ets_reference_run_control(run, plan, step);
    }
    ETS_TRY(status);
    ets_reference_put_outputs(run, plan, step, outputs);
    return ETS_OK;
}

enum ets_status ets_reference_run_plan(struct reference_run *run, const struct reference_plan *plan)
{
    for (uint32_t i = 0; i < plan->step_count; i++) {
        struct reference_step *step = &plan->steps[i];
        ETS_TRY(count_step(run));
        ETS_TRY(run_step(run, plan, step));
        ETS_TRY(ets_reference_observe(run, plan, step));
        step->times++;
        for (uint32_t j = 0; j < step->death_count; j++) {
            ets_reference_value_drop(&run->reference->memory, &plan->values[step->deaths[j]]);
        }
    }
    return ETS_OK;
}
