/* Sets the inputs of a program, and the symbols of their sizes. */
#include "base/error.h"
#include "reference/reference_run.h"
#include "reference/weights.h"

#include <stdint.h>
#include <string.h>

enum { SHAPE_ROOM = 96 };

static size_t shape_text(char *room, const struct ets_tensor *tensor)
{
    const char *name = ets_scalar_type_name(tensor->scalar_type);
    size_t at = ets_print_text(room, SHAPE_ROOM, "%s [", name != NULL ? name : "?");
    for (uint32_t i = 0; i < tensor->rank && i < ETS_TENSOR_MAX_RANK; i++) {
        at += ets_print_text(room + at, SHAPE_ROOM - at, "%s%lld", i > 0 ? ", " : "",
                             (long long)tensor->sizes[i]);
    }
    return at + ets_print_text(room + at, SHAPE_ROOM - at, "]");
}

static void described_text(char *room, const struct ets_graph_value *value)
{
    const char *name = ets_scalar_type_name(value->scalar_type);
    size_t at = ets_print_text(room, SHAPE_ROOM, "%s [", name != NULL ? name : "?");
    for (uint32_t i = 0; i < value->rank; i++) {
        at += ets_print_text(room + at, SHAPE_ROOM - at, "%s", i > 0 ? ", " : "");
        if (value->size_texts != NULL && value->size_texts[i].data != NULL) {
            at +=
                ets_print_text(room + at, SHAPE_ROOM - at, "%.*s", ETS_TEXT(value->size_texts[i]));
        } else {
            at += ets_print_text(room + at, SHAPE_ROOM - at, "%lld", (long long)value->sizes[i]);
        }
    }
    (void)ets_print_text(room + at, SHAPE_ROOM - at, "]");
}

static const char *kind_text(enum ets_value_kind kind)
{
    switch (kind) {
    case ETS_VALUE_NONE: return "nothing";
    case ETS_VALUE_TENSOR: return "a tensor";
    case ETS_VALUE_INT: return "an integer";
    case ETS_VALUE_BOOL: return "a bool";
    case ETS_VALUE_DOUBLE: return "a float";
    case ETS_VALUE_OTHER: break;
    }
    return "something else";
}

static enum ets_status fail_input(struct reference_run *run, const struct ets_graph_input *input,
                                  size_t number, const char *expected, const char *given)
{
    return ets_fail(run->error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                    "input %zu (%.*s): the graph takes %s, but got %s", number,
                    ETS_TEXT(input->argument.name), expected, given);
}

/* Checks types and sizes without symbols. */
static bool fits(const struct ets_tensor *tensor, const struct ets_graph_value *value)
{
    if ((int32_t)tensor->scalar_type != value->scalar_type || tensor->rank != value->rank) {
        return false;
    }
    for (uint32_t i = 0; i < value->rank; i++) {
        const bool is_text = value->size_texts != NULL && value->size_texts[i].data != NULL;
        if (!is_text && tensor->sizes[i] != value->sizes[i]) return false;
    }
    return true;
}

static enum ets_status check_tensor(struct reference_run *run, const struct ets_graph_input *input,
                                    size_t number, const struct ets_value *given,
                                    const struct ets_graph_value *value)
{
    char expected[SHAPE_ROOM] = "a tensor", got[SHAPE_ROOM];
    if (value != NULL && value->scalar_type >= 0) described_text(expected, value);
    if (given->kind != ETS_VALUE_TENSOR) {
        return fail_input(run, input, number, expected, kind_text(given->kind));
    }
    const struct ets_tensor *tensor = &given->as.tensor;
    if (value == NULL || value->scalar_type < 0) return ETS_OK;
    (void)shape_text(got, tensor);
    if (!fits(tensor, value)) return fail_input(run, input, number, expected, got);
    const enum ets_status status =
        ets_size_bind_value(&run->reference->symbols, value, tensor->sizes);
    if (status == ETS_OK || status == ETS_NOT_FOUND) return ETS_OK;
    return fail_input(run, input, number, expected, got);
}

/* The export fixed this number as a constant; another number would be another program. */
static enum ets_status check_constant(struct reference_run *run,
                                      const struct ets_graph_input *input, size_t number,
                                      const struct ets_value *given)
{
    const struct ets_graph_argument *argument = &input->argument;
    char expected[SHAPE_ROOM];
    bool is_same = true;
    switch (argument->kind) {
    case ETS_ARGUMENT_INT:
        is_same = given->kind == ETS_VALUE_INT && given->as.int_value == argument->int_value;
        (void)ets_print_text(expected, sizeof expected, "the integer %lld",
                             (long long)argument->int_value);
        break;
    case ETS_ARGUMENT_BOOL:
        is_same = given->kind == ETS_VALUE_BOOL && given->as.bool_value == argument->int_value;
        (void)ets_print_text(expected, sizeof expected, "the bool %s",
                             argument->int_value != 0 ? "true" : "false");
        break;
    case ETS_ARGUMENT_FLOAT:
        is_same = given->kind == ETS_VALUE_DOUBLE &&
                  memcmp(&given->as.double_value, &argument->float_value, sizeof(double)) == 0;
        (void)ets_print_text(expected, sizeof expected, "the float of the export");
        break;
    default: break;
    }
    if (is_same) return ETS_OK;
    const bool is_number = given->kind == ETS_VALUE_INT || given->kind == ETS_VALUE_BOOL ||
                           given->kind == ETS_VALUE_DOUBLE;
    return fail_input(run, input, number, expected,
                      is_number ? "another number" : kind_text(given->kind));
}

static enum ets_status check_given(struct reference_run *run, const struct ets_graph_input *input,
                                   size_t number, const struct ets_value *given,
                                   const struct ets_graph_value *value)
{
    if (input->argument.kind == ETS_ARGUMENT_TENSOR) {
        return check_tensor(run, input, number, given, value);
    }
    if (input->argument.kind != ETS_ARGUMENT_SYMBOL) {
        return check_constant(run, input, number, given);
    }
    if (given->kind == ETS_VALUE_INT || given->kind == ETS_VALUE_BOOL ||
        given->kind == ETS_VALUE_DOUBLE) {
        return ETS_OK;
    }
    return fail_input(run, input, number, "a number", kind_text(given->kind));
}

static enum ets_status bind_given(struct reference_run *run, const struct ets_value *given,
                                  struct reference_value *value_out)
{
    switch (given->kind) {
    case ETS_VALUE_TENSOR:
        return ets_reference_tensor_borrow(&run->reference->memory, &given->as.tensor, value_out,
                                           run->error);
    case ETS_VALUE_INT:
        *value_out =
            (struct reference_value){.kind = REFERENCE_INT, .as.int_value = given->as.int_value};
        break;
    case ETS_VALUE_BOOL:
        *value_out =
            (struct reference_value){.kind = REFERENCE_BOOL, .as.int_value = given->as.bool_value};
        break;
    case ETS_VALUE_DOUBLE:
        *value_out = (struct reference_value){.kind = REFERENCE_DOUBLE,
                                              .as.double_value = given->as.double_value};
        break;
    case ETS_VALUE_NONE:
    case ETS_VALUE_OTHER: *value_out = (struct reference_value){.kind = REFERENCE_NOTHING}; break;
    }
    return ETS_OK;
}

static enum ets_status check_all(struct reference_run *run, const struct ets_value *inputs,
                                 size_t input_count)
{
    const struct reference_plan *plan = &run->reference->program.plans[0];
    const struct ets_graph *graph = plan->graph;
    size_t expected = 0;
    for (uint32_t i = 0; i < graph->input_count; i++) {
        expected += ets_reference_input_is_given(&graph->inputs[i]);
    }
    if (expected != input_count) {
        return ets_fail(run->error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                        "%.*s: the graph takes %zu inputs, but got %zu", ETS_TEXT(graph->name),
                        expected, input_count);
    }
    /* Two passes, because the size of one input may need the symbol of a later one. */
    for (unsigned turn = 0; turn < 2; turn++) {
        size_t next = 0;
        for (uint32_t i = 0; i < graph->input_count; i++) {
            if (!ets_reference_input_is_given(&graph->inputs[i])) continue;
            ETS_TRY(check_given(run, &graph->inputs[i], next, &inputs[next],
                                plan->described[plan->inputs[i]]));
            next++;
        }
    }
    return ETS_OK;
}

enum ets_status ets_reference_bind_inputs(struct reference_run *run, const struct ets_value *inputs,
                                          size_t input_count)
{
    const struct reference_program *program = &run->reference->program;
    const struct reference_plan *plan = &program->plans[0];
    struct reference_memory *memory = &run->reference->memory;
    size_t next = 0;
    const bool is_known = input_count != ETS_REFERENCE_UNKNOWN_INPUTS;
    if (is_known) ETS_TRY(check_all(run, inputs, input_count));
    for (uint32_t i = 0; i < plan->graph->input_count; i++) {
        const bool is_given = ets_reference_input_is_given(&plan->graph->inputs[i]);
        const struct ets_value *given = is_given && is_known ? &inputs[next++] : NULL;
        const uint32_t slot = plan->inputs[i];
        if (slot == REFERENCE_NO_SLOT) continue;
        struct reference_value *value = &plan->values[slot];
        bool is_taken;
        ETS_TRY(ets_reference_start_buffer(run, &plan->graph->inputs[i], plan->described[slot],
                                           value, &is_taken));
        if (is_taken) continue;
        if (given != NULL) ETS_TRY(bind_given(run, given, value));
        else if (is_given) *value = reference_unavailable("the inputs of the run are not known");
        else if (program->wrapped[i] != NULL) *value = reference_unavailable(program->wrapped[i]);
        else ETS_TRY(ets_reference_tensor_borrow(memory, program->weights[i], value, run->error));
        ets_reference_bind_symbols(run->reference, plan->described[slot], &plan->values[slot]);
    }
    return ETS_OK;
}
