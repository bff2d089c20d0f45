/*
 * Computes one node: binds its inputs to the operator's schema, then runs an expression or a
 * kernel.
 */
#include "reference/node_call.h"
#include "reference/reference.h"

#include <string.h>

#include "base/text.h"
#include "reference/complex_nodes.h"
#include "reference/expressions.h"
#include "reference/functionalized.h"

/* The node's input for `parameter`, the `index`-th: by label, or by position without one. */
static const struct reference_value *input_for(const struct ets_graph_node *node,
                                               const struct reference_value *values,
                                               const struct reference_parameter *parameter,
                                               uint32_t index)
{
    for (uint32_t i = 0; i < node->input_count; i++) {
        const struct ets_text label = node->inputs[i].label;
        if (label.size == 0 ? i == index : ets_text_equal(label, parameter->name)) {
            return &values[i];
        }
    }
    /* dropout_(self) is dropout(input) */
    return index == 0 && node->input_count > 0 && ets_reference_operator_writes(node) ? values
                                                                                      : NULL;
}

/* Gives every parameter of the schema its value. */
static enum ets_status bind(struct reference_frame *frame, const char *schema,
                            const struct reference_value *values, struct reference_value *bound)
{
    struct reference_parameter parameter;
    uint32_t used = 0;
    for (uint32_t i = 0; i < REFERENCE_MAX_ARGUMENTS; i++) {
        if (!ets_reference_next_parameter(&schema, &parameter)) {
            if (used == frame->node->input_count) return ETS_OK;
            return ets_reference_fail(frame, ETS_INVALID_ARGUMENT,
                                      "the graph has arguments that the operator does not know");
        }
        const struct reference_value *value = input_for(frame->node, values, &parameter, i);
        used += value != NULL;
        bound[i] = value != NULL ? *value : ets_reference_default(&parameter);
        if (!ets_reference_value_fits(&parameter, &bound[i])) {
            return ets_reference_fail(frame, ETS_INVALID_ARGUMENT, "argument %.*s %s",
                                      ETS_TEXT(parameter.name),
                                      value == NULL ? "is missing" : "has the wrong kind");
        }
    }
    return ets_reference_fail(frame, ETS_LIMIT, "the operator has too many arguments");
}

static enum ets_status evaluate(struct reference_frame *frame, const struct reference_step *step)
{
    reference_expression *expression =
        ets_reference_expression_named(step->operator_->name, frame->calls->use_double);
    if (expression != NULL) return expression(frame, step);
    if (step->operator_->kernel != NULL) return ets_reference_kernel_step(frame, step);
    return ets_reference_fail(frame, ETS_UNSUPPORTED, "%s: no kernel", step->operator_->name);
}

/* Outputs that share no storage: a "_copy" is not a view. */
static enum ets_status own_outputs(struct reference_frame *frame, const struct reference_step *step)
{
    for (uint32_t i = 0; i < step->output_count; i++) {
        struct reference_value *output = &step->outputs[i], copy;
        if (output->kind != REFERENCE_TENSOR || step->arguments[0].kind != REFERENCE_TENSOR ||
            output->as.tensor.storage != step->arguments[0].as.tensor.storage) {
            continue;
        }
        const struct ets_tensor *view = &output->as.tensor.view;
        ETS_TRY(ets_reference_tensor_new(frame->calls->memory, view->scalar_type, view->rank,
                                         view->sizes, &copy, frame->error));
        const enum ets_status status =
            ets_reference_tensor_copy(view, &copy.as.tensor.view, frame->error);
        ets_reference_value_drop(frame->calls->memory, output);
        *output = copy;
        ETS_TRY(status);
    }
    return ETS_OK;
}

/* Writes the result to the first argument. */
static enum ets_status write_back(struct reference_frame *frame, const struct reference_step *step)
{
    const struct reference_value *self = &step->arguments[0];
    struct reference_value *result = &step->outputs[0];
    struct ets_tensor into;
    if (self->kind != REFERENCE_TENSOR || step->output_count != 1 ||
        result->kind != REFERENCE_TENSOR) {
        return ets_reference_fail(frame, ETS_INVALID_ARGUMENT, "it can only write into one tensor");
    }
    if (result->as.tensor.storage == self->as.tensor.storage) return ETS_OK; /* a view of it */
    ETS_TRY(ets_reference_written(frame, step, 0, &into));
    ETS_TRY(ets_reference_tensor_copy(&result->as.tensor.view, &into, frame->error));
    ets_reference_value_drop(frame->calls->memory, result);
    return ets_reference_give(frame, step, 0, self);
}

static enum ets_status run_node(struct reference_frame *frame,
                                const struct reference_operator *operator_,
                                const struct reference_value *values,
                                const struct reference_shape *shapes, uint32_t output_count,
                                struct reference_value *outputs)
{
    struct reference_value bound[REFERENCE_MAX_ARGUMENTS];
    ETS_TRY(bind(frame, operator_->schema, values, bound));
    const struct ets_text name = ets_reference_operator_name(frame->node->target);
    const bool in_place = !ets_text_is(name, operator_->name);
    struct reference_shape own;
    if (in_place && bound[0].kind == REFERENCE_TENSOR && output_count == 1) {
        own = LIKE(bound[0]);
        shapes = &own;
    }
    const struct reference_step step = {operator_, bound, shapes, output_count, outputs};
    ETS_TRY(evaluate(frame, &step));
    if (in_place) return write_back(frame, &step);
    char room[128];
    if (ets_reference_name_without(name, "_copy", room).data != NULL)
        return own_outputs(frame, &step);
    return ETS_OK;
}

/* Runs a wrapped operator on copies of what it writes, and returns these after its outputs. */
static enum ets_status run_functionalized(struct reference_frame *frame,
                                          const struct reference_operator *operator_,
                                          const struct reference_value *values,
                                          const struct reference_shape *shapes,
                                          uint32_t output_count, struct reference_value *outputs)
{
    struct reference_functionalized call;
    ETS_TRY(ets_reference_functionalized_bind(frame, operator_, values, &call));
    if (output_count != call.return_count + call.base_count) {
        return ets_reference_fail(frame, ETS_MISMATCH, "it returns %u values, the graph has %u",
                                  call.return_count + call.base_count, output_count);
    }
    const struct reference_step step = {operator_, call.bound, shapes, call.return_count, outputs};
    ETS_TRY(evaluate(frame, &step));
    for (uint32_t i = 0; i < call.base_count; i++) {
        ETS_TRY(ets_reference_value_share(frame->calls->memory, &call.bases[i],
                                          &outputs[call.return_count + i], frame->error));
    }
    return ETS_OK;
}

static int record_type_of(const struct reference_shape *shapes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (ets_reference_is_floating(shapes[i].scalar_type)) return shapes[i].scalar_type;
    }
    return ETS_SCALAR_FLOAT;
}

/* Inserts "node aten_add: aten::add.out: " before the message of `inner`. */
static void name_the_node(struct ets_error *error, const struct ets_error *inner,
                          const struct ets_graph_node *node,
                          const struct reference_operator *operator_)
{
    ets_set_error(error, inner->status, ETS_NO_OFFSET, "node %.*s: %s: %s",
                  ETS_TEXT(node->name) != NULL ? node->name.data : "", operator_->name,
                  inner->message);
}

enum ets_status ets_reference_node_call(const struct reference_calls *calls,
                                        const struct reference_operator *operator_,
                                        const struct ets_graph_node *node,
                                        const struct reference_value *arguments,
                                        const struct reference_shape *shapes, uint32_t output_count,
                                        struct reference_value *outputs_out, bool *is_single_out,
                                        struct ets_error *error)
{
    struct ets_error inner = {.status = ETS_OK};
    struct reference_frame frame = {.evaluate = evaluate,
                                    .calls = calls,
                                    .node = node,
                                    .record_type = record_type_of(shapes, output_count),
                                    .error = &inner};
    ets_arena_init(&frame.arena, calls->memory->allocator, 0);
    for (uint32_t i = 0; i < output_count; i++) outputs_out[i] = NOTHING;
    const bool is_wrapped =
        ets_reference_is_functionalized(ets_reference_operator_name(node->target));
    const enum ets_status status = (is_wrapped ? run_functionalized : run_node)(
        &frame, operator_, arguments, shapes, output_count, outputs_out);
    ets_reference_drop_temporaries(&frame);
    ets_arena_reset(&frame.arena);
    if (status != ETS_OK) {
        for (uint32_t i = 0; i < output_count; i++) {
            ets_reference_value_drop(calls->memory, &outputs_out[i]);
        }
        inner.status = status;
        name_the_node(error, &inner, node, operator_);
        return status;
    }
    if (frame.is_single) *is_single_out = true;
    return ETS_OK;
}

bool ets_reference_operator_writes(const struct ets_graph_node *node)
{
    char room[128];
    const struct ets_text name = ets_reference_operator_name(node->target);
    return ets_reference_name_without(name, "_", room).data != NULL;
}

bool ets_reference_input_is_written(const struct ets_graph_node *node, uint32_t index)
{
    const struct reference_operator *operator_ =
        ets_reference_operator_named(ets_reference_operator_name(node->target));
    if (index >= node->input_count) return false;
    if (operator_ == NULL) return index == 0 && ets_reference_operator_writes(node);
    const struct ets_text label = node->inputs[index].label;
    const char *schema = operator_->schema;
    struct reference_parameter parameter;
    for (uint32_t i = 0; ets_reference_next_parameter(&schema, &parameter); i++) {
        const bool is_it = label.size == 0 ? i == index : ets_text_equal(label, parameter.name);
        if (is_it) return parameter.is_written;
    }
    return false;
}

enum ets_reference_route ets_reference_operator_find(const struct reference_calls *calls,
                                                     const struct ets_graph_node *node,
                                                     const struct reference_operator **operator_out,
                                                     const char **kernel_out, char reason_room[160])
{
    char room[128];
    const struct ets_text name = ets_reference_called_name(node);
    const struct reference_operator *operator_ = ets_reference_operator_named(name);
    if (operator_ == NULL) {
        const struct ets_text functional = ets_reference_name_without(name, "_", room);
        if (functional.data != NULL) operator_ = ets_reference_operator_named(functional);
    }
    *operator_out = operator_;
    *kernel_out = NULL;
    if (operator_ == NULL) {
        ets_print_text(reason_room, 160, "%.*s: %s", name.size < 64 ? (int)name.size : 64,
                       name.data,
                       ets_reference_is_complex(node) ? "complex numbers are not supported"
                                                      : "unknown operator");
    } else if (ets_reference_expression_named(operator_->name, calls->use_double) != NULL) {
        return ETS_ROUTE_EXPRESSION;
    } else if (operator_->kernel == NULL || !calls->engine->kernel_exists(operator_->kernel)) {
        ets_print_text(reason_room, 160, "the runtime has no kernel %s",
                       operator_->kernel != NULL ? operator_->kernel : operator_->name);
    } else if (!ets_reference_operator_writes(node)) {
        *kernel_out = operator_->kernel;
        return ETS_ROUTE_KERNEL;
    } else {
        return ETS_ROUTE_EXPRESSION; /* its kernel, and a copy into the first argument */
    }
    *operator_out = NULL;
    return ETS_ROUTE_UNCOVERED;
}
