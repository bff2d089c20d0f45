/* Functions for writing expressions; expressions.h describes each. */
#include <string.h>

#include "reference/expressions.h"

/* The most elements of a view, so that products with element or kernel sizes cannot overflow. */
#define COUNT_LIMIT (UINT64_C(1) << 48)

#define DEPTH_LIMIT 8 /* nested operators */

struct reference_temporary {
    struct reference_value value;
    struct reference_temporary *next;
};

void ets_reference_drop_temporaries(struct reference_frame *frame)
{
    for (struct reference_temporary *each = frame->temporaries; each != NULL; each = each->next) {
        ets_reference_value_drop(frame->calls->memory, &each->value);
    }
    frame->temporaries = NULL;
}

enum ets_status ets_reference_fail(struct reference_frame *frame, enum ets_status status,
                                   const char *format, ...)
{
    char text[200];
    va_list arguments;
    va_start(arguments, format);
    ets_format_text(text, sizeof text, format, arguments);
    va_end(arguments);
    return ets_fail(frame->error, status, ETS_NO_OFFSET, "%s", text);
}

enum ets_status ets_reference_keep(struct reference_frame *frame, struct reference_value *value)
{
    struct reference_temporary *kept = ets_arena_alloc(&frame->arena, sizeof *kept);
    if (kept == NULL) {
        ets_reference_value_drop(frame->calls->memory, value);
        return ets_reference_fail(frame, ETS_NO_MEMORY, "no memory for a value");
    }
    *kept = (struct reference_temporary){.value = *value, .next = frame->temporaries};
    frame->temporaries = kept;
    return ETS_OK;
}

bool ets_reference_is_sound(const struct ets_tensor *tensor)
{
    return tensor->rank <= ETS_TENSOR_MAX_RANK && ets_tensor_count(tensor) <= COUNT_LIMIT &&
           ets_tensor_extent(tensor) <= tensor->data_bytes;
}

/* Checks the kind of a value; a number may replace a tensor. */
static bool item_fits(char letter, bool in_list, const struct reference_value *value)
{
    const bool is_whole = value->kind == REFERENCE_INT || value->kind == REFERENCE_BOOL;
    const bool is_number = is_whole || value->kind == REFERENCE_DOUBLE;
    switch (letter) {
    case 't':
        return (!in_list && is_number) ||
               (value->kind == REFERENCE_TENSOR && ets_reference_is_sound(&value->as.tensor.view));
    case 'S':
    case 'f': return is_number;
    case 's': return value->kind == REFERENCE_STRING;
    case 'V':
    case 'G':
    case 'N': return true;
    default: return is_whole;
    }
}

bool ets_reference_value_fits(const struct reference_parameter *parameter,
                              const struct reference_value *value)
{
    if (value->kind == REFERENCE_NOTHING) {
        return parameter->is_optional || parameter->has_default || !parameter->for_kernel;
    }
    if (value->kind != REFERENCE_LIST) {
        return (!parameter->is_list || parameter->is_expandable) &&
               item_fits(parameter->letter, parameter->is_list, value);
    }
    if (!parameter->is_list) return false;
    for (uint32_t i = 0; i < value->as.list.count; i++) {
        const struct reference_value *item = &value->as.list.items[i];
        if (item->kind == REFERENCE_NOTHING && parameter->items_optional) continue;
        if (!item_fits(parameter->letter, true, item)) return false;
    }
    return true;
}

int ets_reference_type(const struct reference_frame *frame, int scalar_type)
{
    return frame->calls->use_double && ets_reference_is_floating(scalar_type) ? ETS_SCALAR_DOUBLE
                                                                              : scalar_type;
}

struct reference_shape ets_reference_shape_of(int scalar_type, uint32_t rank, const int64_t *sizes)
{
    struct reference_shape shape = {.scalar_type = scalar_type, .rank = rank};
    for (uint32_t i = 0; i < rank && i < ETS_TENSOR_MAX_RANK; i++) shape.sizes[i] = sizes[i];
    return shape;
}

enum ets_status ets_reference_broadcast(struct reference_frame *frame,
                                        const struct ets_tensor *left,
                                        const struct ets_tensor *right,
                                        struct reference_shape *shape_out)
{
    const uint32_t rank = left->rank > right->rank ? left->rank : right->rank;
    struct reference_shape shape = {.scalar_type = left->scalar_type, .rank = rank};
    for (uint32_t i = 0; i < rank; i++) {
        const uint32_t skip_left = rank - left->rank, skip_right = rank - right->rank;
        const int64_t a = i < skip_left ? 1 : left->sizes[i - skip_left];
        const int64_t b = i < skip_right ? 1 : right->sizes[i - skip_right];
        if (a != b && a != 1 && b != 1) {
            return ets_reference_fail(frame, ETS_MISMATCH, "sizes %lld and %lld do not match",
                                      (long long)a, (long long)b);
        }
        shape.sizes[i] = a == 1 ? b : a;
    }
    *shape_out = shape;
    return ETS_OK;
}

enum ets_status ets_reference_int_list(struct reference_frame *frame, const int64_t *ints,
                                       uint32_t count, struct reference_value *list_out)
{
    struct reference_value *items = ets_arena_alloc_array(&frame->arena, count, sizeof *items);
    if (items == NULL) return ets_reference_fail(frame, ETS_NO_MEMORY, "no memory for a list");
    for (uint32_t i = 0; i < count; i++) items[i] = WHOLE(ints[i]);
    *list_out = (struct reference_value){.kind = REFERENCE_LIST,
                                         .as.list = {.items = items, .count = count}};
    return ETS_OK;
}

enum ets_status ets_reference_ints(struct reference_frame *frame,
                                   const struct reference_value *value, uint32_t count,
                                   int64_t *ints_out)
{
    const bool is_list = value->kind == REFERENCE_LIST && value->as.list.count != 1;
    if (value->kind == REFERENCE_NOTHING || (is_list && value->as.list.count != count)) {
        return ets_reference_fail(frame, ETS_INVALID_ARGUMENT, "a list of %u numbers was expected",
                                  count);
    }
    for (uint32_t i = 0; i < count; i++) {
        ints_out[i] = is_list                         ? value->as.list.items[i].as.int_value
                      : value->kind == REFERENCE_LIST ? value->as.list.items[0].as.int_value
                                                      : value->as.int_value;
    }
    return ETS_OK;
}

double ets_reference_number(const struct reference_value *value)
{
    return value->kind == REFERENCE_DOUBLE ? value->as.double_value : (double)value->as.int_value;
}

enum ets_status ets_reference_dim(struct reference_frame *frame, int64_t dim, uint32_t rank,
                                  uint32_t *dim_out)
{
    const int64_t count = rank > 0 ? (int64_t)rank : 1;
    if (dim < -count || dim >= count) {
        return ets_reference_fail(frame, ETS_INVALID_ARGUMENT,
                                  "no dimension %lld in a tensor of %u", (long long)dim, rank);
    }
    *dim_out = (uint32_t)(dim < 0 ? dim + count : dim);
    return ETS_OK;
}

enum ets_status ets_reference_tensor(struct reference_frame *frame,
                                     const struct reference_step *step, uint32_t index,
                                     const struct ets_tensor **tensor_out)
{
    if (step->arguments[index].kind != REFERENCE_TENSOR) {
        return ets_reference_fail(frame, ETS_INVALID_ARGUMENT, "argument %u must be a tensor",
                                  index);
    }
    *tensor_out = &step->arguments[index].as.tensor.view;
    return ETS_OK;
}

enum ets_status ets_reference_written(struct reference_frame *frame,
                                      const struct reference_step *step, uint32_t index,
                                      struct ets_tensor *tensor_out)
{
    const struct ets_tensor *tensor = NULL;
    ETS_TRY(ets_reference_tensor(frame, step, index, &tensor));
    if (step->arguments[index].as.tensor.storage->is_borrowed) {
        return ets_reference_fail(frame, ETS_INVALID_ARGUMENT, "it would write into an input");
    }
    *tensor_out = *tensor;
    if (frame->calls->use_double && ets_reference_is_floating(tensor->scalar_type) &&
        tensor->scalar_type != ETS_SCALAR_DOUBLE) {
        frame->is_single = true;
    }
    return ETS_OK;
}

enum ets_status ets_reference_give(struct reference_frame *frame, const struct reference_step *step,
                                   uint32_t index, const struct reference_value *value)
{
    if (index >= step->output_count) {
        return ets_reference_fail(frame, ETS_MISMATCH, "it returns more than the graph's %u values",
                                  step->output_count);
    }
    return ets_reference_value_share(frame->calls->memory, value, &step->outputs[index],
                                     frame->error);
}

enum ets_status ets_reference_give_view(struct reference_frame *frame,
                                        const struct reference_step *step, uint32_t index,
                                        const struct reference_value *value,
                                        const struct ets_tensor *view)
{
    if (!ets_reference_is_sound(view)) {
        return ets_reference_fail(frame, ETS_INVALID_ARGUMENT, "no view has this shape");
    }
    ETS_TRY(ets_reference_give(frame, step, index, value));
    step->outputs[index].as.tensor.view = *view;
    return ETS_OK;
}

enum ets_status ets_reference_dense(struct reference_frame *frame,
                                    const struct reference_value *value, int scalar_type,
                                    struct reference_value *dense_out)
{
    const struct ets_tensor *view = &value->as.tensor.view;
    if ((int)view->scalar_type == scalar_type && ets_tensor_is_contiguous(view)) {
        *dense_out = *value;
        return ETS_OK;
    }
    struct reference_value copy;
    ETS_TRY(ets_reference_tensor_new(frame->calls->memory, scalar_type, view->rank, view->sizes,
                                     &copy, frame->error));
    ETS_TRY(ets_reference_keep(frame, &copy));
    ETS_TRY(ets_reference_tensor_copy(view, &copy.as.tensor.view, frame->error));
    *dense_out = copy;
    return ETS_OK;
}

enum ets_status ets_reference_apply(struct reference_frame *frame, const char *name,
                                    const struct reference_value *arguments,
                                    uint32_t argument_count, const struct reference_shape *shapes,
                                    uint32_t output_count, struct reference_value *results_out)
{
    const struct reference_operator *operator_ =
        ets_reference_operator_named((struct ets_text){name, strlen(name)});
    if (operator_ == NULL)
        return ets_reference_fail(frame, ETS_UNSUPPORTED, "no operator %s", name);
    if (frame->depth >= DEPTH_LIMIT)
        return ets_reference_fail(frame, ETS_LIMIT, "%s: too deep", name);
    struct reference_value bound[REFERENCE_MAX_ARGUMENTS];
    const char *schema = operator_->schema;
    struct reference_parameter parameter;
    for (uint32_t i = 0; i < REFERENCE_MAX_ARGUMENTS; i++) {
        if (!ets_reference_next_parameter(&schema, &parameter)) break;
        bound[i] = i < argument_count ? arguments[i] : ets_reference_default(&parameter);
    }
    for (uint32_t i = 0; i < output_count; i++) results_out[i] = NOTHING;
    const struct reference_step step = {operator_, bound, shapes, output_count, results_out};
    frame->depth++;
    const enum ets_status status = frame->evaluate(frame, &step);
    frame->depth--;
    enum ets_status kept = ETS_OK;
    for (uint32_t i = 0; i < output_count; i++) {
        const enum ets_status each = ets_reference_keep(frame, &results_out[i]);
        if (each != ETS_OK) kept = each;
    }
    return status != ETS_OK ? status : kept;
}
