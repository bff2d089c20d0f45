/*
 * Calls a kernel on values. Tensors are passed row-major, in the type of the computation. If a
 * kernel refuses doubles, the record's types are used; if it refuses 2-byte types, float32 with
 * rounded results.
 */
#include <string.h>

#include "etscope/numerics.h"
#include "numerics/element.h"
#include "numerics/number_tensor.h"
#include "reference/expressions.h"

/* The type that floating-point tensors are converted to. */
enum mode { MODE_AS_GIVEN, MODE_DOUBLE, MODE_RECORD, MODE_SINGLE };

struct call {
    struct reference_frame *frame;
    const struct reference_step *step;
    enum mode mode;
    struct ets_kernel_argument arguments[2 * REFERENCE_MAX_ARGUMENTS];
    uint32_t count;
    struct reference_value *results; /* [output_count] */
};

static int type_in_mode(const struct call *call, int type)
{
    if (!ets_reference_is_floating(type)) return type;
    switch (call->mode) {
    case MODE_DOUBLE: return ETS_SCALAR_DOUBLE;
    case MODE_RECORD: return call->frame->record_type;
    case MODE_SINGLE: return ETS_SCALAR_FLOAT;
    default: return type;
    }
}

static void *room(struct call *call, size_t count, size_t size)
{
    void *memory = ets_arena_alloc_array(&call->frame->arena, count, size);
    if (memory == NULL) ets_reference_fail(call->frame, ETS_NO_MEMORY, "no memory for a list");
    return memory;
}

/* The first tensor among the arguments, whose type numbers take; or NULL. */
static const struct ets_tensor *first_tensor(const struct reference_step *step)
{
    const char *schema = step->operator_->schema;
    struct reference_parameter parameter;
    for (uint32_t i = 0; ets_reference_next_parameter(&schema, &parameter); i++) {
        const struct reference_value *value = &step->arguments[i];
        if (value->kind == REFERENCE_TENSOR) return &value->as.tensor.view;
        if (value->kind == REFERENCE_LIST && value->as.list.count > 0 &&
            value->as.list.items[0].kind == REFERENCE_TENSOR) {
            return &value->as.list.items[0].as.tensor.view;
        }
    }
    return NULL;
}

/* A Python number in place of a tensor takes the tensors' type by the promotion rules. */
static enum ets_status tensor_of_number(struct call *call, const struct reference_value *value,
                                        struct reference_value *tensor_out)
{
    const struct ets_tensor *beside = first_tensor(call->step);
    const int type = beside != NULL ? (int)beside->scalar_type : ETS_SCALAR_FLOAT;
    int own = type;
    if (value->kind == REFERENCE_BOOL) own = beside != NULL ? type : ETS_SCALAR_BOOL;
    else if (value->kind == REFERENCE_INT) own = type == ETS_SCALAR_BOOL ? ETS_SCALAR_LONG : type;
    else if (!ets_reference_is_floating(type)) own = ETS_SCALAR_FLOAT;
    uint8_t room[ETS_NUMBER_BYTES];
    struct ets_tensor from;
    if (value->kind == REFERENCE_DOUBLE) {
        ets_tensor_of_real(ets_reference_number(value), room, &from);
    } else {
        ets_tensor_of_integer(value->as.int_value, room, &from);
    }
    struct reference_frame *frame = call->frame;
    ETS_TRY(ets_reference_tensor_new(frame->calls->memory, type_in_mode(call, own), 0, NULL,
                                     tensor_out, frame->error));
    ETS_TRY(ets_reference_keep(frame, tensor_out));
    return ets_reference_tensor_copy(&from, &tensor_out->as.tensor.view, frame->error);
}

/* Kernels check complex numbers poorly: some write them to outputs of other types. */
static enum ets_status refuse_complex(struct call *call, int scalar_type)
{
    if (ets_scalar_component_count(scalar_type) != 2) return ETS_OK;
    return ets_reference_fail(call->frame, ETS_UNSUPPORTED, "complex numbers are not supported");
}

static enum ets_status add_tensor(struct call *call, const struct reference_value *value,
                                  struct ets_tensor **tensor_out)
{
    struct reference_value dense;
    if (value->kind == REFERENCE_TENSOR) {
        const int type = type_in_mode(call, value->as.tensor.view.scalar_type);
        ETS_TRY(refuse_complex(call, type));
        ETS_TRY(ets_reference_dense(call->frame, value, type, &dense));
    } else {
        ETS_TRY(tensor_of_number(call, value, &dense));
    }
    *tensor_out = room(call, 1, sizeof **tensor_out);
    if (*tensor_out == NULL) return ETS_NO_MEMORY;
    **tensor_out = dense.as.tensor.view;
    return ETS_OK;
}

static enum ets_status add_tensors(struct call *call, const struct reference_parameter *parameter,
                                   const struct reference_value *value,
                                   struct ets_kernel_argument *argument)
{
    struct ets_tensor **tensors = room(call, value->as.list.count, sizeof *tensors);
    if (tensors == NULL) return ETS_NO_MEMORY;
    for (uint32_t i = 0; i < value->as.list.count; i++) {
        if (value->as.list.items[i].kind == REFERENCE_NOTHING) continue;
        ETS_TRY(add_tensor(call, &value->as.list.items[i], &tensors[i]));
    }
    argument->kind =
        parameter->items_optional ? ETS_KERNEL_OPTIONAL_TENSOR_LIST : ETS_KERNEL_TENSOR_LIST;
    argument->count = value->as.list.count;
    argument->as.tensors = tensors;
    return ETS_OK;
}

/* Lists of ints, bools and doubles; a number is repeated `list_count` times. */
static enum ets_status add_numbers(struct call *call, const struct reference_parameter *parameter,
                                   const struct reference_value *value,
                                   struct ets_kernel_argument *argument)
{
    const bool is_list = value->kind == REFERENCE_LIST;
    const uint32_t count = is_list ? value->as.list.count : parameter->list_count;
    int64_t *ints = room(call, count, sizeof *ints);
    double *doubles = room(call, count, sizeof *doubles);
    if (ints == NULL || doubles == NULL) return ETS_NO_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        const struct reference_value *item = is_list ? &value->as.list.items[i] : value;
        ints[i] = item->as.int_value;
        doubles[i] = ets_reference_number(item);
    }
    argument->count = count;
    argument->as.ints = ints;
    switch (parameter->letter) {
    case 'b': argument->kind = ETS_KERNEL_BOOL_LIST; break;
    case 'f':
        argument->kind = ETS_KERNEL_DOUBLE_LIST;
        argument->as.doubles = doubles;
        break;
    default: argument->kind = ETS_KERNEL_INT_LIST; break;
    }
    return ETS_OK;
}

static void add_number(struct call *call, const struct reference_parameter *parameter,
                       const struct reference_value *value, struct ets_kernel_argument *argument)
{
    const char letter = parameter->letter;
    if (letter == 'f' || value->kind == REFERENCE_DOUBLE) {
        argument->kind = ETS_KERNEL_DOUBLE;
        argument->as.double_value = ets_reference_number(value);
    } else {
        const bool is_bool = letter == 'b' || (letter == 'S' && value->kind == REFERENCE_BOOL);
        argument->kind = is_bool ? ETS_KERNEL_BOOL : ETS_KERNEL_INT;
        argument->as.int_value = value->as.int_value;
        if (letter == 'D') argument->as.int_value = type_in_mode(call, (int)value->as.int_value);
    }
}

static enum ets_status add_argument(struct call *call, const struct reference_parameter *parameter,
                                    const struct reference_value *value)
{
    struct ets_kernel_argument *argument = &call->arguments[call->count++];
    *argument = (struct ets_kernel_argument){.kind = ETS_KERNEL_NONE};
    const char letter = parameter->letter;
    if (value->kind == REFERENCE_NOTHING || strchr("MLVG", letter) != NULL) return ETS_OK;
    if (letter == 't' && parameter->is_list) return add_tensors(call, parameter, value, argument);
    if (letter == 't') {
        argument->kind = ETS_KERNEL_TENSOR;
        return add_tensor(call, value, &argument->as.tensor);
    }
    if (parameter->is_list) return add_numbers(call, parameter, value, argument);
    if (letter == 's') {
        argument->kind = ETS_KERNEL_STRING;
        argument->as.text = value->as.text;
    } else {
        add_number(call, parameter, value, argument);
    }
    return ETS_OK;
}

/*
 * A size that the graph leaves open depends on the data: it is at most the number of elements of
 * all inputs.
 */
static int64_t largest_size(const struct reference_step *step)
{
    uint64_t largest = 1;
    const char *schema = step->operator_->schema;
    struct reference_parameter parameter;
    for (uint32_t i = 0; ets_reference_next_parameter(&schema, &parameter); i++) {
        if (step->arguments[i].kind != REFERENCE_TENSOR) continue;
        const uint64_t count = ets_tensor_count(&step->arguments[i].as.tensor.view);
        if (count != UINT64_MAX && count > largest) largest = count;
    }
    return (int64_t)largest;
}

/* Gradient kernels add to their outputs, and not all clear them first. */
static bool adds_to_outputs(const struct reference_step *step)
{
    return strstr(step->operator_->kernel, "_backward") != NULL;
}

static enum ets_status add_outputs(struct call *call)
{
    const struct reference_step *step = call->step;
    struct reference_frame *frame = call->frame;
    const bool is_list = strcmp(step->operator_->returns, "t[]") == 0;
    struct ets_tensor **tensors = room(call, step->output_count, sizeof *tensors);
    if (tensors == NULL) return ETS_NO_MEMORY;
    for (uint32_t i = 0; i < step->output_count; i++) {
        struct reference_shape shape = step->shapes[i];
        const struct ets_tensor *first = first_tensor(step);
        if (shape.scalar_type < 0 && first != NULL) shape.scalar_type = (int)first->scalar_type;
        ETS_TRY(refuse_complex(call, shape.scalar_type));
        for (uint32_t k = 0; k < shape.rank && k < ETS_TENSOR_MAX_RANK; k++) {
            if (shape.sizes[k] < 0) shape.sizes[k] = largest_size(step);
        }
        ETS_TRY(ets_reference_tensor_new(frame->calls->memory,
                                         type_in_mode(call, shape.scalar_type), shape.rank,
                                         shape.sizes, &call->results[i], frame->error));
        ETS_TRY(ets_reference_keep(frame, &call->results[i]));
        tensors[i] = &call->results[i].as.tensor.view;
        if (adds_to_outputs(step)) {
            struct reference_storage *storage = call->results[i].as.tensor.storage;
            memset(storage->bytes, 0, storage->size);
        }
        if (!is_list) {
            call->arguments[call->count++] = (struct ets_kernel_argument){
                .kind = ETS_KERNEL_TENSOR, .is_output = 1, .as.tensor = tensors[i]};
        }
    }
    if (is_list) {
        call->arguments[call->count++] =
            (struct ets_kernel_argument){.kind = ETS_KERNEL_TENSOR_LIST,
                                         .is_output = 1,
                                         .count = step->output_count,
                                         .as.tensors = tensors};
    }
    return ETS_OK;
}

static enum ets_status try_mode(struct call *call)
{
    const char *schema = call->step->operator_->schema;
    struct reference_parameter parameter;
    call->count = 0;
    for (uint32_t i = 0; ets_reference_next_parameter(&schema, &parameter); i++) {
        if (!parameter.for_kernel) continue;
        ETS_TRY(add_argument(call, &parameter, &call->step->arguments[i]));
    }
    ETS_TRY(add_outputs(call));
    return call->frame->calls->engine->kernel_call(call->step->operator_->kernel, call->arguments,
                                                   call->count, call->frame->error);
}

/* Converts results to the type of the evaluation. */
static enum ets_status give_results(struct call *call)
{
    const struct reference_step *step = call->step;
    for (uint32_t i = 0; i < step->output_count; i++) {
        struct reference_value *result = &call->results[i];
        const int made = result->as.tensor.view.scalar_type;
        int wanted = ets_reference_type(call->frame, made);
        if (call->mode == MODE_SINGLE && ets_reference_is_floating(step->shapes[i].scalar_type)) {
            wanted = ets_reference_type(call->frame, step->shapes[i].scalar_type);
        }
        ETS_TRY(ets_reference_dense(call->frame, result, wanted, result));
        ETS_TRY(ets_reference_give(call->frame, step, i, result));
    }
    return ETS_OK;
}

static bool check_outputs(const struct reference_step *step)
{
    uint32_t count = 0;
    for (const char *at = step->operator_->returns; *at != '\0'; at++) count += *at == 't';
    return strcmp(step->operator_->returns, "t[]") == 0 || count == step->output_count;
}

/* Kernels that accept doubles but compute with floats. */
static bool is_single_inside(const char *kernel)
{
    static const char *const names[] = {
        "aten::_adaptive_avg_pool2d.out", "aten::_native_batch_norm_legit.no_stats_out",
        "aten::remainder.Scalar_out", "aten::sum.IntList_out", "aten::upsample_bilinear2d.vec_out"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(kernel, names[i]) == 0) return true;
    }
    return false;
}

/* Fractional results of integers: kernels compute these in the default type, float32. */
static bool is_of_whole_numbers(const struct reference_step *step)
{
    const struct ets_tensor *first = first_tensor(step);
    if (first == NULL || ets_reference_is_floating(first->scalar_type)) return false;
    const char *schema = step->operator_->schema;
    struct reference_parameter parameter;
    for (uint32_t i = 0; ets_reference_next_parameter(&schema, &parameter); i++) {
        const struct reference_value *value = &step->arguments[i];
        if (value->kind == REFERENCE_TENSOR &&
            ets_reference_is_floating(value->as.tensor.view.scalar_type)) {
            return false;
        }
    }
    return step->output_count > 0 && ets_reference_is_floating(step->shapes[0].scalar_type);
}

/* Nothing to compute: some kernels divide by sizes of 0. */
static bool is_empty(const struct reference_step *step)
{
    for (uint32_t i = 0; i < step->output_count; i++) {
        struct ets_tensor shape = {.rank = step->shapes[i].rank};
        if (shape.rank > ETS_TENSOR_MAX_RANK || step->shapes[i].scalar_type < 0) return false;
        memcpy(shape.sizes, step->shapes[i].sizes, sizeof shape.sizes);
        if (ets_tensor_count(&shape) != 0) return false;
    }
    return step->output_count > 0;
}

static enum ets_status give_empty(struct reference_frame *frame, const struct reference_step *step)
{
    for (uint32_t i = 0; i < step->output_count; i++) {
        const struct reference_shape *shape = &step->shapes[i];
        ETS_TRY(ets_reference_tensor_new(frame->calls->memory,
                                         ets_reference_type(frame, shape->scalar_type), shape->rank,
                                         shape->sizes, &step->outputs[i], frame->error));
    }
    return ETS_OK;
}

enum ets_status ets_reference_kernel_step(struct reference_frame *frame,
                                          const struct reference_step *step)
{
    static const enum mode double_modes[] = {MODE_DOUBLE, MODE_RECORD, MODE_SINGLE};
    static const enum mode given_modes[] = {MODE_AS_GIVEN, MODE_SINGLE, MODE_SINGLE};
    const bool use_double = frame->calls->use_double;
    struct call call = {.frame = frame, .step = step};
    if (!check_outputs(step) || step->output_count > REFERENCE_MAX_ARGUMENTS * 64) {
        return ets_reference_fail(frame, ETS_MISMATCH, "the graph has %u outputs for it",
                                  step->output_count);
    }
    if (is_empty(step)) return give_empty(frame, step);
    ETS_TRY(ets_reference_check_kernel(frame, step));
    call.results = room(&call, step->output_count, sizeof *call.results);
    if (call.results == NULL) return ETS_NO_MEMORY;
    enum ets_status status = ETS_OK;
    for (uint32_t i = 0; i < 3; i++) {
        if (i > 0 && (use_double ? double_modes : given_modes)[i] == call.mode) break;
        call.mode = (use_double ? double_modes : given_modes)[i];
        status = try_mode(&call);
        if (status == ETS_OK && use_double &&
            (i > 0 || is_single_inside(step->operator_->kernel) || is_of_whole_numbers(step))) {
            frame->is_single = true;
        }
        if (status != ETS_RUNTIME) break;
    }
    if (status != ETS_OK) return status;
    return give_results(&call);
}
