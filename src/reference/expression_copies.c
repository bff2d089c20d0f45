/* Identities, conversions, and new tensors. */
#include <string.h>

#include "reference/expression_list.h"

enum ets_status ets_reference_identity(struct reference_frame *frame,
                                       const struct reference_step *step)
{
    return ets_reference_give(frame, step, 0, &step->arguments[0]);
}

/* A row-major tensor in `scalar_type` (-1: unchanged): a copy, or a view if possible. */
static enum ets_status give_converted(struct reference_frame *frame,
                                      const struct reference_step *step, int scalar_type,
                                      bool is_new)
{
    const struct ets_tensor *self;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    const int type =
        ets_reference_type(frame, scalar_type < 0 ? (int)self->scalar_type : scalar_type);
    if (!is_new && type == (int)self->scalar_type) {
        return ets_reference_give(frame, step, 0, &step->arguments[0]);
    }
    struct reference_value copy;
    ETS_TRY(ets_reference_tensor_new(frame->calls->memory, type, self->rank, self->sizes, &copy,
                                     frame->error));
    ETS_TRY(ets_reference_keep(frame, &copy));
    ETS_TRY(ets_reference_tensor_copy(self, &copy.as.tensor.view, frame->error));
    return ets_reference_give(frame, step, 0, &copy);
}

/* The argument of the schema with this name, or NOTHING. */
static struct reference_value named(const struct reference_step *step, const char *name)
{
    const char *schema = step->operator_->schema;
    struct reference_parameter parameter;
    for (uint32_t i = 0; ets_reference_next_parameter(&schema, &parameter); i++) {
        if (parameter.name.size == strlen(name) &&
            memcmp(parameter.name.data, name, parameter.name.size) == 0) {
            return step->arguments[i];
        }
    }
    return NOTHING;
}

static int type_named(const struct reference_step *step, const char *name, int otherwise)
{
    const struct reference_value type = named(step, name);
    return type.kind == REFERENCE_NOTHING ? otherwise : (int)type.as.int_value;
}

enum ets_status ets_reference_clone(struct reference_frame *frame,
                                    const struct reference_step *step)
{
    return give_converted(frame, step, -1, true);
}

enum ets_status ets_reference_contiguous(struct reference_frame *frame,
                                         const struct reference_step *step)
{
    const struct ets_tensor *self;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    return give_converted(frame, step, -1, !ets_tensor_is_contiguous(self));
}

/* to.dtype and similar, which may return the tensor itself, and copies with a dtype. */
enum ets_status ets_reference_to(struct reference_frame *frame, const struct reference_step *step)
{
    const struct reference_value copy = named(step, "copy");
    const bool is_new = copy.kind != REFERENCE_NOTHING && copy.as.int_value != 0;
    return give_converted(frame, step, type_named(step, "dtype", -1), is_new);
}

enum ets_status ets_reference_to_copy(struct reference_frame *frame,
                                      const struct reference_step *step)
{
    return give_converted(frame, step, type_named(step, "dtype", -1), true);
}

enum ets_status ets_reference_type_as(struct reference_frame *frame,
                                      const struct reference_step *step)
{
    const struct ets_tensor *other;
    ETS_TRY(ets_reference_tensor(frame, step, 1, &other));
    return give_converted(frame, step, other->scalar_type, false);
}

/* copy(self, src): src in self's shape and type. */
enum ets_status ets_reference_copy(struct reference_frame *frame, const struct reference_step *step)
{
    const struct ets_tensor *self, *source;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    ETS_TRY(ets_reference_tensor(frame, step, 1, &source));
    struct reference_value sizes, wide, copy;
    ETS_TRY(ets_reference_int_list(frame, self->sizes, self->rank, &sizes));
    ETS_TRY(APPLY(frame, LIKE(step->arguments[0]), &wide, "aten.expand.default", step->arguments[1],
                  sizes));
    ETS_TRY(ets_reference_tensor_new(frame->calls->memory, self->scalar_type, self->rank,
                                     self->sizes, &copy, frame->error));
    ETS_TRY(ets_reference_keep(frame, &copy));
    ETS_TRY(ets_reference_tensor_copy(&wide.as.tensor.view, &copy.as.tensor.view, frame->error));
    return ets_reference_give(frame, step, 0, &copy);
}

/* A new tensor of `number` everywhere. */
static enum ets_status give_full(struct reference_frame *frame, const struct reference_step *step,
                                 struct reference_shape shape, const struct reference_value *number)
{
    struct reference_value sizes, result;
    ETS_TRY(ets_reference_int_list(frame, shape.sizes, shape.rank, &sizes));
    ETS_TRY(APPLY(frame, shape, &result, "aten.full.default", sizes, *number));
    return ets_reference_give(frame, step, 0, &result);
}

/* The same with the sizes of argument `index`, an 'i[]'. */
static enum ets_status shape_of_list(struct reference_frame *frame,
                                     const struct reference_step *step, uint32_t index,
                                     int scalar_type, struct reference_shape *shape_out)
{
    const struct reference_value *list = &step->arguments[index];
    const uint32_t rank = list->kind == REFERENCE_LIST ? list->as.list.count : 1;
    if (rank > ETS_TENSOR_MAX_RANK)
        return ets_reference_fail(frame, ETS_LIMIT, "too many dimensions");
    *shape_out = (struct reference_shape){.scalar_type = scalar_type, .rank = rank};
    return ets_reference_ints(frame, list, rank, shape_out->sizes);
}

/* ones_like, zeros_like, empty_like: empty is 0, so that all runs are equal. */
static enum ets_status give_like(struct reference_frame *frame, const struct reference_step *step,
                                 int64_t number)
{
    const struct ets_tensor *self;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    struct reference_shape shape = LIKE(step->arguments[0]);
    shape.scalar_type = type_named(step, "dtype", self->scalar_type);
    return give_full(frame, step, shape, &WHOLE(number));
}

enum ets_status ets_reference_zeros_like(struct reference_frame *frame,
                                         const struct reference_step *step)
{
    return give_like(frame, step, 0);
}

enum ets_status ets_reference_ones_like(struct reference_frame *frame,
                                        const struct reference_step *step)
{
    return give_like(frame, step, 1);
}

/* new_ones(self, size), new_zeros, new_empty, new_full(self, size, fill_value). */
static enum ets_status give_new(struct reference_frame *frame, const struct reference_step *step,
                                const struct reference_value *number)
{
    const struct ets_tensor *self;
    struct reference_shape shape;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    ETS_TRY(shape_of_list(frame, step, 1, type_named(step, "dtype", self->scalar_type), &shape));
    return give_full(frame, step, shape, number);
}

enum ets_status ets_reference_new_zeros(struct reference_frame *frame,
                                        const struct reference_step *step)
{
    return give_new(frame, step, &WHOLE(0));
}

enum ets_status ets_reference_new_ones(struct reference_frame *frame,
                                       const struct reference_step *step)
{
    return give_new(frame, step, &WHOLE(1));
}

enum ets_status ets_reference_new_full(struct reference_frame *frame,
                                       const struct reference_step *step)
{
    return give_new(frame, step, &step->arguments[2]);
}

/* empty(size), dim_order_ops._empty_dim_order. */
enum ets_status ets_reference_empty(struct reference_frame *frame,
                                    const struct reference_step *step)
{
    struct reference_shape shape;
    ETS_TRY(shape_of_list(frame, step, 0, type_named(step, "dtype", ETS_SCALAR_FLOAT), &shape));
    return give_full(frame, step, shape, &WHOLE(0));
}

enum ets_status ets_reference_arange_start(struct reference_frame *frame,
                                           const struct reference_step *step)
{
    struct reference_value result;
    ETS_TRY(ets_reference_apply(frame, "aten.arange.start_step", step->arguments, 2, step->shapes,
                                1, &result));
    return ets_reference_give(frame, step, 0, &result);
}

/* index_copy(self, dim, index, source): index_put with `dim` times None before the index. */
enum ets_status ets_reference_index_copy(struct reference_frame *frame,
                                         const struct reference_step *step)
{
    const struct ets_tensor *self;
    uint32_t dim;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    ETS_TRY(ets_reference_dim(frame, step->arguments[1].as.int_value, self->rank, &dim));
    struct reference_value list, result;
    const int64_t none[ETS_TENSOR_MAX_RANK] = {0};
    ETS_TRY(ets_reference_int_list(frame, none, dim + 1, &list));
    for (uint32_t i = 0; i < dim; i++) list.as.list.items[i] = NOTHING;
    list.as.list.items[dim] = step->arguments[2];
    ETS_TRY(APPLY(frame, LIKE(step->arguments[0]), &result, "aten.index_put.default",
                  step->arguments[0], list, step->arguments[3]));
    return ets_reference_give(frame, step, 0, &result);
}

/* native_dropout(input, p, train) outside training: the input, and a mask of ones. */
enum ets_status ets_reference_native_dropout(struct reference_frame *frame,
                                             const struct reference_step *step)
{
    const struct ets_tensor *self;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    const struct reference_value x = step->arguments[0];
    struct reference_shape truth = LIKE(x);
    struct reference_value copy, mask;
    truth.scalar_type = ETS_SCALAR_BOOL;
    ETS_TRY(APPLY(frame, LIKE(x), &copy, "aten.clone.default", x));
    ETS_TRY(APPLY(frame, truth, &mask, "aten.ones_like.default", x, WHOLE(ETS_SCALAR_BOOL)));
    ETS_TRY(ets_reference_give(frame, step, 0, &copy));
    return step->output_count > 1 ? ets_reference_give(frame, step, 1, &mask) : ETS_OK;
}
