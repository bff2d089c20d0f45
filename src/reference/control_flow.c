/* Runs conditions and loops. Their bodies are plans, with the operands as inputs in order. */
#include "base/error.h"
#include "base/text.h"
#include "etscope/numerics.h"
#include "numerics/element.h"
#include "reference/reference_run.h"

#include <string.h>

/* More loop iterations than any model has; stops those of hostile files. */
enum { MAX_TURNS = 1 << 20 };

/* The positions of operands among the inputs of a kind of node. */
struct layout {
    const char *target;
    enum reference_step_kind kind;
    uint32_t input_count, body_count;
    uint32_t first_body; /* bodies are adjacent */
    uint32_t lists[3];   /* inputs that are lists of operands; 0: no more */
};

static const struct layout LAYOUTS[] = {
    {"torch.ops.higher_order.cond", REFERENCE_COND, 4, 2, 1, {3, 0, 0}},
    {"torch.ops.higher_order.map_impl", REFERENCE_MAP, 3, 1, 0, {1, 2, 0}},
    {"torch.ops.higher_order.scan", REFERENCE_SCAN, 4, 1, 0, {1, 2, 3}},
    {"torch.ops.higher_order.while_loop", REFERENCE_WHILE, 4, 2, 0, {2, 3, 0}},
};

static const struct layout *find_layout(struct ets_text target)
{
    for (size_t i = 0; i < sizeof LAYOUTS / sizeof LAYOUTS[0]; i++) {
        if (ets_text_is(target, LAYOUTS[i].target)) return &LAYOUTS[i];
    }
    return NULL;
}

static const struct layout *layout_of(const struct reference_step *step)
{
    return find_layout(step->node->target);
}

/* The number of values in the operand list `which`; an empty list may be missing. */
static uint32_t list_size(const struct reference_step *step, const struct layout *layout,
                          unsigned which)
{
    if (layout->lists[which] == 0) return 0;
    const struct ets_graph_argument *argument = &step->node->inputs[layout->lists[which]];
    return argument->kind == ETS_ARGUMENT_LIST ? argument->item_count : 0;
}

static bool has_layout(const struct reference_step *step, const struct layout *layout)
{
    const struct ets_graph_node *node = step->node;
    if (node->input_count != layout->input_count) return false;
    for (uint32_t i = 0; i < node->input_count; i++) {
        const bool is_body = i >= layout->first_body && i < layout->first_body + layout->body_count;
        if (is_body != (node->inputs[i].kind == ETS_ARGUMENT_GRAPH)) return false;
    }
    for (unsigned i = 0; i < 3 && layout->lists[i] != 0; i++) {
        const enum ets_argument_kind kind = node->inputs[layout->lists[i]].kind;
        if (kind != ETS_ARGUMENT_LIST && kind != ETS_ARGUMENT_NONE) return false;
    }
    return true;
}

static bool bodies_fit(const struct reference_step *step, const struct layout *layout)
{
    const uint32_t first = list_size(step, layout, 0);
    const uint64_t operands =
        (uint64_t)first + list_size(step, layout, 1) + list_size(step, layout, 2);
    if (layout->kind == REFERENCE_WHILE && first != step->write_count) return false;
    if (layout->kind == REFERENCE_SCAN && first > step->write_count) return false;
    for (uint32_t i = 0; i < layout->body_count; i++) {
        const struct ets_graph *graph = step->bodies[i]->graph;
        const bool is_question = layout->kind == REFERENCE_WHILE && i == 0;
        if (graph->input_count != operands) return false;
        if (graph->output_count != (is_question ? 1 : step->write_count)) return false;
    }
    return true;
}

enum reference_step_kind ets_reference_control_find(const struct reference_step *step,
                                                    const char **reason_out)
{
    const struct layout *layout = layout_of(step);
    if (layout == NULL) {
        *reason_out = "unknown kind of control flow";
    } else if (!has_layout(step, layout) || !bodies_fit(step, layout)) {
        *reason_out = "its operands do not match its bodies";
    } else {
        return layout->kind;
    }
    return REFERENCE_UNCOVERED;
}

/* Values of one iteration: the body's inputs or outputs. */
struct turn {
    struct reference_value *values;
    uint32_t count;
};

static enum ets_status turn_new(struct reference_run *run, uint32_t count, struct turn *turn_out)
{
    const struct ets_allocator *allocator = run->reference->memory.allocator;
    const size_t bytes = ((size_t)count + 1) * sizeof *turn_out->values;
    turn_out->count = count;
    turn_out->values = allocator->reallocate(allocator->context, NULL, bytes);
    if (turn_out->values == NULL) {
        turn_out->count = 0;
        return ets_fail_memory(run->error, "a turn of a loop");
    }
    memset(turn_out->values, 0, bytes);
    return ETS_OK;
}

static void turn_free(struct reference_run *run, struct turn *turn)
{
    struct reference_memory *memory = &run->reference->memory;
    for (uint32_t i = 0; i < turn->count; i++) ets_reference_value_drop(memory, &turn->values[i]);
    memory->allocator->release(memory->allocator->context, turn->values);
    turn->values = NULL;
    turn->count = 0;
}

/* Moves the values of `from` to the places from `first` on. */
static void move_values(struct reference_run *run, struct turn *to, uint32_t first,
                        struct reference_value *from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        ets_reference_value_drop(&run->reference->memory, &to->values[first + i]);
        to->values[first + i] = from[i];
        from[i] = (struct reference_value){.kind = REFERENCE_NOTHING};
    }
}

/* All operands of the step, in order. */
static enum ets_status read_operands(struct reference_run *run, const struct reference_plan *plan,
                                     const struct reference_step *step, struct turn *operands)
{
    uint32_t next_read = 0, count = 0;
    const struct layout *layout = layout_of(step);
    for (uint32_t i = 0; i < step->node->input_count; i++) {
        const struct ets_graph_argument *argument = &step->node->inputs[i];
        const bool is_list =
            i == layout->lists[0] || i == layout->lists[1] || i == layout->lists[2];
        if (i == 0 && layout->kind == REFERENCE_COND) {
            next_read +=
                argument->kind == ETS_ARGUMENT_TENSOR || argument->kind == ETS_ARGUMENT_SYMBOL;
            continue;
        }
        if (!is_list || argument->kind != ETS_ARGUMENT_LIST) continue;
        for (uint32_t j = 0; j < argument->item_count; j++) {
            ETS_TRY(ets_reference_resolve(run, plan, step, &argument->items[j], &next_read,
                                          &operands->values[count++]));
        }
    }
    return ETS_OK;
}

static enum ets_status run_body(struct reference_run *run, const struct reference_plan *body,
                                const struct turn *inputs, struct turn *outputs)
{
    const struct reference_step reader = {.reads = body->outputs}; /* one slot for each output */
    for (uint32_t i = 0; i < body->graph->input_count; i++) {
        ETS_TRY(ets_reference_slot_set(run, body, body->inputs[i], &inputs->values[i]));
        ets_reference_bind_symbols(run->reference, body->described[body->inputs[i]],
                                   &inputs->values[i]);
    }
    ETS_TRY(run->run_body(run, body));
    for (uint32_t i = 0; i < outputs->count; i++) {
        uint32_t read = i;
        ets_reference_value_drop(&run->reference->memory, &outputs->values[i]);
        ETS_TRY(ets_reference_resolve(run, body, &reader, &body->graph->outputs[i].argument, &read,
                                      &outputs->values[i]));
    }
    ets_reference_plan_clear(run, body);
    return ETS_OK;
}

/* A number, or a tensor of one element. */
static enum ets_status read_truth(struct reference_run *run, const struct reference_step *step,
                                  const struct reference_value *value, bool *truth_out)
{
    if (value->kind == REFERENCE_BOOL || value->kind == REFERENCE_INT) {
        *truth_out = value->as.int_value != 0;
        return ETS_OK;
    }
    if (value->kind == REFERENCE_TENSOR && ets_tensor_count(&value->as.tensor.view) == 1 &&
        ets_scalar_component_count(value->as.tensor.view.scalar_type) == 1) {
        const struct ets_tensor *tensor = &value->as.tensor.view;
        *truth_out = ets_element_load(tensor->data, tensor->scalar_type, 0) != 0;
        return ETS_OK;
    }
    return ets_fail(run->error, ETS_RUNTIME, ETS_NO_OFFSET, "%.*s: its condition is not a boolean",
                    ETS_TEXT(step->node->name));
}

static enum ets_status run_cond(struct reference_run *run, const struct reference_plan *plan,
                                const struct reference_step *step, struct turn *operands,
                                struct turn *outputs)
{
    bool truth;
    uint32_t next_read = 0;
    struct reference_value question;
    ETS_TRY(ets_reference_resolve(run, plan, step, &step->node->inputs[0], &next_read, &question));
    const enum ets_status status = read_truth(run, step, &question, &truth);
    ets_reference_value_drop(&run->reference->memory, &question);
    ETS_TRY(status);
    return run_body(run, step->bodies[truth ? 0 : 1], operands, outputs);
}

static enum ets_status count_turn(struct reference_run *run, const struct reference_step *step)
{
    if (++run->turn_count <= MAX_TURNS) return ETS_OK;
    return ets_fail(run->error, ETS_LIMIT, ETS_NO_OFFSET,
                    "%.*s: the graph's loops take more than %d iterations",
                    ETS_TEXT(step->node->name), MAX_TURNS);
}

static enum ets_status run_while(struct reference_run *run, const struct reference_step *step,
                                 struct turn *operands, struct turn *outputs)
{
    struct turn answer;
    ETS_TRY(turn_new(run, 1, &answer));
    enum ets_status status = ETS_OK;
    while (status == ETS_OK) {
        bool truth = false;
        status = run_body(run, step->bodies[0], operands, &answer);
        if (status == ETS_OK && answer.values[0].kind == REFERENCE_UNAVAILABLE) {
            for (uint32_t i = 0; i < outputs->count; i++) {
                outputs->values[i] = reference_unavailable(answer.values[0].as.reason);
            }
            break;
        }
        if (status == ETS_OK) status = read_truth(run, step, &answer.values[0], &truth);
        if (status == ETS_OK && !truth) {
            move_values(run, outputs, 0, operands->values, outputs->count);
            break;
        }
        if (status == ETS_OK) status = count_turn(run, step);
        if (status == ETS_OK) status = run_body(run, step->bodies[1], operands, outputs);
        if (status == ETS_OK) move_values(run, operands, 0, outputs->values, outputs->count);
    }
    turn_free(run, &answer);
    return status;
}

/* Item `index` of the first dimension, as a view. */
static enum ets_status take_item(struct reference_run *run, const struct reference_value *whole,
                                 int64_t index, struct reference_value *item_out)
{
    ETS_TRY(ets_reference_value_share(&run->reference->memory, whole, item_out, run->error));
    if (whole->kind != REFERENCE_TENSOR || whole->as.tensor.view.rank == 0) return ETS_OK;
    struct ets_tensor *view = &item_out->as.tensor.view;
    const size_t offset =
        (size_t)(index * view->strides[0]) * ets_scalar_type_bytes(view->scalar_type);
    view->rank--;
    memmove(view->sizes, view->sizes + 1, view->rank * sizeof view->sizes[0]);
    memmove(view->strides, view->strides + 1, view->rank * sizeof view->strides[0]);
    if (view->data != NULL && offset <= view->data_bytes) {
        view->data = (const uint8_t *)view->data + offset;
        view->data_bytes -= offset;
    }
    return ETS_OK;
}

/* The number of iterations of a loop over `count` tensors: their common first size. */
static enum ets_status count_items(struct reference_run *run, const struct reference_step *step,
                                   const struct reference_value *values, uint32_t count,
                                   int64_t *items_out)
{
    for (uint32_t i = 0; i < count; i++) {
        const bool is_tensor =
            values[i].kind == REFERENCE_TENSOR && values[i].as.tensor.view.rank > 0;
        const int64_t size = is_tensor ? values[i].as.tensor.view.sizes[0] : -1;
        if (size < 0 || (i > 0 && size != *items_out)) {
            return ets_fail(run->error, ETS_RUNTIME, ETS_NO_OFFSET,
                            "%.*s: the inputs that the loop iterates over have different lengths",
                            ETS_TEXT(step->node->name));
        }
        *items_out = size;
    }
    if (count > 0) return ETS_OK;
    return ets_fail(run->error, ETS_RUNTIME, ETS_NO_OFFSET,
                    "%.*s: the loop has no input to iterate over", ETS_TEXT(step->node->name));
}

/* Stores an iteration's value in its part of the result, which the first iteration allocates. */
static enum ets_status put_item(struct reference_run *run, const struct reference_value *item,
                                int64_t index, int64_t count, struct reference_value *whole)
{
    struct reference_memory *memory = &run->reference->memory;
    if (whole->kind == REFERENCE_UNAVAILABLE) return ETS_OK;
    if (item->kind != REFERENCE_TENSOR) {
        ets_reference_value_drop(memory, whole);
        *whole = reference_unavailable(item->kind == REFERENCE_UNAVAILABLE
                                           ? item->as.reason
                                           : "the loop's body returns no tensor");
        return ETS_OK;
    }
    const struct ets_tensor *view = &item->as.tensor.view;
    if (whole->kind == REFERENCE_NOTHING) {
        int64_t sizes[ETS_TENSOR_MAX_RANK + 1] = {count};
        memcpy(sizes + 1, view->sizes, view->rank * sizeof sizes[0]);
        ETS_TRY(ets_reference_tensor_new(memory, view->scalar_type, view->rank + 1, sizes, whole,
                                         run->error));
    }
    struct reference_value place;
    ETS_TRY(take_item(run, whole, index, &place));
    const enum ets_status status =
        ets_reference_tensor_copy(view, &place.as.tensor.view, run->error);
    ets_reference_value_drop(memory, &place);
    return status;
}

/* A loop without iterations returns tensors without elements. */
static enum ets_status put_empty(struct reference_run *run, const struct reference_plan *plan,
                                 uint32_t slot, struct reference_value *whole)
{
    struct reference_shape shape;
    ets_reference_slot_shape(run->reference, plan, slot, &shape);
    for (uint32_t i = 0; i < shape.rank; i++) {
        if (shape.sizes[i] < 0) shape.scalar_type = -1;
    }
    if (shape.scalar_type < 0) {
        *whole = reference_unavailable("the loop has no iterations, and the graph has no sizes");
        return ETS_OK;
    }
    return ets_reference_tensor_new(&run->reference->memory, shape.scalar_type, shape.rank,
                                    shape.sizes, whole, run->error);
}

/*
 * `carried` operands change with each iteration. Of the next `item_lists` operands an iteration
 * takes one item each. The others are constant. Outputs are the carried values and, collected, the
 * other outputs of all iterations.
 */
static enum ets_status run_items(struct reference_run *run, const struct reference_plan *plan,
                                 const struct reference_step *step, uint32_t carried,
                                 uint32_t item_lists, struct turn *operands, struct turn *outputs)
{
    int64_t count = 0;
    struct turn inputs, results;
    ETS_TRY(count_items(run, step, operands->values + carried, item_lists, &count));
    ETS_TRY(turn_new(run, operands->count, &inputs));
    enum ets_status status = turn_new(run, outputs->count, &results);
    for (int64_t turn = 0; turn < count && status == ETS_OK; turn++) {
        for (uint32_t i = 0; i < operands->count && status == ETS_OK; i++) {
            const struct reference_value *operand = &operands->values[i];
            ets_reference_value_drop(&run->reference->memory, &inputs.values[i]);
            const bool is_item = i >= carried && i < carried + item_lists;
            status = is_item ? take_item(run, operand, turn, &inputs.values[i])
                             : ets_reference_value_share(&run->reference->memory, operand,
                                                         &inputs.values[i], run->error);
        }
        if (status == ETS_OK) status = count_turn(run, step);
        if (status == ETS_OK) status = run_body(run, step->bodies[0], &inputs, &results);
        if (status != ETS_OK) break;
        move_values(run, operands, 0, results.values, carried);
        for (uint32_t i = carried; i < outputs->count && status == ETS_OK; i++) {
            status = put_item(run, &results.values[i], turn, count, &outputs->values[i]);
        }
    }
    for (uint32_t i = carried; i < outputs->count && count == 0 && status == ETS_OK; i++) {
        status = put_empty(run, plan, step->writes[i], &outputs->values[i]);
    }
    if (status == ETS_OK) move_values(run, outputs, 0, operands->values, carried);
    turn_free(run, &inputs);
    turn_free(run, &results);
    return status;
}

static enum ets_status run_kind(struct reference_run *run, const struct reference_plan *plan,
                                struct reference_step *step, struct turn *operands,
                                struct turn *outputs)
{
    const struct layout *layout = layout_of(step);
    switch (step->kind) {
    case REFERENCE_COND: return run_cond(run, plan, step, operands, outputs);
    case REFERENCE_WHILE: return run_while(run, step, operands, outputs);
    case REFERENCE_MAP:
        return run_items(run, plan, step, 0, list_size(step, layout, 0), operands, outputs);
    default:
        return run_items(run, plan, step, list_size(step, layout, 0), list_size(step, layout, 1),
                         operands, outputs);
    }
}

enum ets_status ets_reference_run_control(struct reference_run *run,
                                          const struct reference_plan *plan,
                                          struct reference_step *step)
{
    struct turn operands = {0}, outputs = {0};
    enum ets_status status = turn_new(run, step->bodies[0]->graph->input_count, &operands);
    if (status == ETS_OK) status = turn_new(run, step->write_count, &outputs);
    if (status == ETS_OK) status = read_operands(run, plan, step, &operands);
    if (status == ETS_OK) status = run_kind(run, plan, step, &operands, &outputs);
    if (status == ETS_OK) {
        ets_reference_put_outputs(run, plan, step, outputs.values);
        outputs.count = 0; /* the slots own them now */
    }
    turn_free(run, &operands);
    turn_free(run, &outputs);
    return status;
}
