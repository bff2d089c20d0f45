/* Binds the arguments of wrapped operators. */
#include "reference/functionalized.h"

#include <string.h>

#include "base/text.h"

static const char prefix[] = "higher_order.auto_functionalized";

bool ets_reference_is_functionalized(struct ets_text name)
{
    return ets_text_is(name, prefix) || ets_text_is(name, "higher_order.auto_functionalized_v2");
}

struct ets_text ets_reference_called_name(const struct ets_graph_node *node)
{
    const struct ets_text name = ets_reference_operator_name(node->target);
    const bool is_wrapper = ets_reference_is_functionalized(name) && node->input_count > 0 &&
                            node->inputs[0].kind == ETS_ARGUMENT_TARGET;
    return is_wrapper ? ets_reference_operator_name(node->inputs[0].name) : name;
}

/* The binding under way. */
struct binding {
    struct reference_frame *frame;
    const struct reference_value *values;
    struct reference_functionalized *call;
    bool has_bases; /* the second version */
    uint32_t used;  /* inputs of the node */
};

/* The value of the input "<before><name><after>"; NULL: there is none. */
static const struct reference_value *find(struct binding *binding, const char *before,
                                          struct ets_text name, const char *after)
{
    const struct ets_graph_node *node = binding->frame->node;
    const size_t front = strlen(before), back = strlen(after);
    for (uint32_t i = 1; i < node->input_count; i++) {
        const struct ets_text label = node->inputs[i].label;
        if (label.size != front + name.size + back || label.size == 0) continue;
        if (memcmp(label.data, before, front) != 0 ||
            memcmp(label.data + front, name.data, name.size) != 0 ||
            memcmp(label.data + front + name.size, after, back) != 0) {
            continue;
        }
        binding->used++;
        return &binding->values[i];
    }
    return NULL;
}

/* A copy of a base, in the type of the computation. */
static enum ets_status add_base(struct binding *binding, const struct reference_value *value)
{
    struct reference_frame *frame = binding->frame;
    struct reference_functionalized *call = binding->call;
    struct reference_value copy = *value;
    if (call->base_count == REFERENCE_MAX_ARGUMENTS) {
        return ets_reference_fail(frame, ETS_LIMIT, "it writes into too many tensors");
    }
    if (value->kind == REFERENCE_TENSOR && ets_reference_is_sound(&value->as.tensor.view)) {
        const struct ets_tensor *view = &value->as.tensor.view;
        ETS_TRY(ets_reference_tensor_new(frame->calls->memory,
                                         ets_reference_type(frame, view->scalar_type), view->rank,
                                         view->sizes, &copy, frame->error));
        ETS_TRY(ets_reference_keep(frame, &copy));
        ETS_TRY(ets_reference_tensor_copy(view, &copy.as.tensor.view, frame->error));
    } else if (value->kind != REFERENCE_NOTHING) {
        return ets_reference_fail(frame, ETS_INVALID_ARGUMENT, "it writes into what is no tensor");
    }
    call->bases[call->base_count++] = copy;
    return ETS_OK;
}

static enum ets_status add_bases(struct binding *binding)
{
    const struct reference_value *list = find(binding, "", (struct ets_text){"_all_bases", 10}, "");
    binding->has_bases = list != NULL;
    if (list == NULL) return ETS_OK;
    if (list->kind != REFERENCE_LIST) {
        return ets_reference_fail(binding->frame, ETS_INVALID_ARGUMENT, "it has no list of bases");
    }
    for (uint32_t i = 0; i < list->as.list.count; i++) {
        ETS_TRY(add_base(binding, &list->as.list.items[i]));
    }
    return ETS_OK;
}

/* An argument that the operator writes: a copy of its base. */
static enum ets_status bind_written(struct binding *binding,
                                    const struct reference_parameter *parameter,
                                    struct reference_value *bound)
{
    struct reference_functionalized *call = binding->call;
    if (!binding->has_bases) {
        const struct reference_value *value = find(binding, "", parameter->name, "");
        if (value == NULL) return ETS_OK;
        ETS_TRY(add_base(binding, value));
        *bound = call->bases[call->base_count - 1];
        return ETS_OK;
    }
    const struct reference_value *index = find(binding, "_", parameter->name, "_base_index");
    (void)find(binding, "_", parameter->name, "_alias"); /* the whole base under another name */
    if (index == NULL || index->kind == REFERENCE_NOTHING) return ETS_OK;
    if (index->kind != REFERENCE_INT || index->as.int_value < 0 ||
        index->as.int_value >= call->base_count) {
        return ets_reference_fail(binding->frame, ETS_INVALID_ARGUMENT, "it has no such base");
    }
    *bound = call->bases[index->as.int_value];
    return ETS_OK;
}

static enum ets_status bind_one(struct binding *binding,
                                const struct reference_parameter *parameter,
                                struct reference_value *bound)
{
    *bound = ets_reference_default(parameter);
    if (parameter->is_written) {
        ETS_TRY(bind_written(binding, parameter, bound));
    } else {
        const struct reference_value *value = find(binding, "", parameter->name, "");
        if (value != NULL) *bound = *value;
    }
    if (ets_reference_value_fits(parameter, bound)) return ETS_OK;
    return ets_reference_fail(binding->frame, ETS_INVALID_ARGUMENT,
                              "argument %.*s is missing or has the wrong kind",
                              ETS_TEXT(parameter->name));
}

static uint32_t count_returns(const char *returns)
{
    uint32_t count = 1; /* None, if there are none */
    for (; *returns != '\0'; returns++) count += *returns == ' ';
    return count;
}

enum ets_status ets_reference_functionalized_bind(struct reference_frame *frame,
                                                  const struct reference_operator *operator_,
                                                  const struct reference_value *values,
                                                  struct reference_functionalized *call_out)
{
    struct binding binding = {.frame = frame, .values = values, .call = call_out, .used = 1};
    const char *schema = operator_->schema;
    struct reference_parameter parameter;
    *call_out =
        (struct reference_functionalized){.return_count = count_returns(operator_->returns)};
    ETS_TRY(add_bases(&binding));
    for (uint32_t i = 0; ets_reference_next_parameter(&schema, &parameter); i++) {
        if (i == REFERENCE_MAX_ARGUMENTS) {
            return ets_reference_fail(frame, ETS_LIMIT, "the operator has too many arguments");
        }
        ETS_TRY(bind_one(&binding, &parameter, &call_out->bound[i]));
    }
    if (binding.used == frame->node->input_count) return ETS_OK;
    return ets_reference_fail(frame, ETS_UNSUPPORTED,
                              "it writes into a part of a tensor, or has unknown arguments");
}
