/*
 * quantized_decomposed: quantizes and dequantizes by definition, clamp(round(x / scale) + zero) and
 * (q - zero) * scale. That needs no special kernels and works in doubles.
 */
#include <math.h>
#include <string.h>

#include "reference/expression_list.h"

/* scale and zero point as numbers, from numbers or tensors of one element. */
static enum ets_status number_of(struct reference_frame *frame, const struct reference_value *value,
                                 struct reference_value *number_out)
{
    *number_out = *value;
    if (value->kind != REFERENCE_TENSOR) return ETS_OK;
    const struct reference_shape none = {.scalar_type = -1};
    return APPLY(frame, none, number_out, "aten.item.default", *value);
}

static enum ets_status give_quantized(struct reference_frame *frame,
                                      const struct reference_step *step,
                                      const struct reference_value *scaled,
                                      const struct reference_value *zero,
                                      const struct reference_value limits[3])
{
    const struct reference_shape shape = LIKE(*scaled);
    struct reference_value x;
    ETS_TRY(APPLY(frame, shape, &x, "aten.round.default", *scaled));
    if (zero->kind == REFERENCE_TENSOR) {
        ETS_TRY(APPLY(frame, shape, &x, "aten.add.Tensor", x, *zero));
    } else if (zero->kind != REFERENCE_NOTHING) {
        ETS_TRY(APPLY(frame, shape, &x, "aten.add.Scalar", x, *zero));
    }
    ETS_TRY(APPLY(frame, shape, &x, "aten.clamp.default", x, limits[0], limits[1]));
    ETS_TRY(APPLY(frame, shape, &x, "aten.to.dtype", x, limits[2]));
    return ets_reference_give(frame, step, 0, &x);
}

/* quantize_per_tensor(input, scale, zero_point, quant_min, quant_max, dtype) */
enum ets_status ets_reference_quantize(struct reference_frame *frame,
                                       const struct reference_step *step)
{
    const struct ets_tensor *self;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    const struct reference_value *a = step->arguments;
    struct reference_value scale, zero, x;
    ETS_TRY(number_of(frame, &a[1], &scale));
    ETS_TRY(number_of(frame, &a[2], &zero));
    const double inverse = 1 / ets_reference_number(&scale);
    ETS_TRY(APPLY(frame, LIKE(a[0]), &x, "aten.mul.Scalar", a[0], NUMBER(inverse)));
    return give_quantized(frame, step, &x, &zero, &a[3]);
}

/* The type of the result if the record has none. */
static int output_type(const struct reference_step *step)
{
    return ets_reference_is_floating(step->shapes[0].scalar_type) ? step->shapes[0].scalar_type
                                                                  : ETS_SCALAR_FLOAT;
}

/* The integers as numbers, minus `zero`. */
static enum ets_status centred(struct reference_frame *frame, const struct reference_step *step,
                               const struct reference_value *zero, struct reference_value *x)
{
    const struct ets_tensor *self;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    ETS_TRY(APPLY(frame, LIKE(step->arguments[0]), x, "aten.to.dtype", step->arguments[0],
                  WHOLE(output_type(step))));
    if (zero->kind == REFERENCE_NOTHING) return ETS_OK;
    const bool is_tensor = zero->kind == REFERENCE_TENSOR;
    return APPLY(frame, LIKE(*x), x, is_tensor ? "aten.sub.Tensor" : "aten.sub.Scalar", *x, *zero);
}

/* dequantize_per_tensor(input, scale, zero_point, quant_min, quant_max, dtype) */
enum ets_status ets_reference_dequantize(struct reference_frame *frame,
                                         const struct reference_step *step)
{
    const struct reference_value *a = step->arguments;
    struct reference_value scale, zero, x;
    ETS_TRY(number_of(frame, &a[1], &scale));
    ETS_TRY(number_of(frame, &a[2], &zero));
    ETS_TRY(centred(frame, step, &zero, &x));
    ETS_TRY(APPLY(frame, LIKE(x), &x, "aten.mul.Scalar", x, scale));
    return ets_reference_give(frame, step, 0, &x);
}

/* A vector of one number per index of `axis`, in a shape to multiply with `self`. */
static enum ets_status along(struct reference_frame *frame, const struct reference_step *step,
                             const struct reference_value *vector, int type,
                             struct reference_value *wide_out)
{
    const struct ets_tensor *self;
    uint32_t axis;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    *wide_out = *vector;
    if (vector->kind != REFERENCE_TENSOR) return ETS_OK;
    ETS_TRY(ets_reference_dim(frame, step->arguments[3].as.int_value, self->rank, &axis));
    struct reference_shape shape = LIKE(step->arguments[0]);
    for (uint32_t i = 0; i < shape.rank; i++) shape.sizes[i] = i == axis ? -1 : 1;
    struct reference_value sizes, wide;
    ETS_TRY(ets_reference_int_list(frame, shape.sizes, shape.rank, &sizes));
    ETS_TRY(APPLY(frame, shape, &wide, "aten.reshape.default", *vector, sizes));
    return APPLY(frame, shape, wide_out, "aten.to.dtype", wide, WHOLE(type));
}

/* quantize_per_channel(input, scales, zero_points, axis, quant_min, quant_max, dtype) */
enum ets_status ets_reference_quantize_channels(struct reference_frame *frame,
                                                const struct reference_step *step)
{
    const struct ets_tensor *self;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    const struct reference_value *a = step->arguments;
    struct reference_value scales, zeros, x;
    ETS_TRY(along(frame, step, &a[1], self->scalar_type, &scales));
    ETS_TRY(along(frame, step, &a[2], self->scalar_type, &zeros));
    ETS_TRY(APPLY(frame, LIKE(scales), &scales, "aten.reciprocal.default", scales));
    ETS_TRY(APPLY(frame, LIKE(a[0]), &x, "aten.mul.Tensor", a[0], scales));
    return give_quantized(frame, step, &x, &zeros, &a[4]);
}

/* dequantize_per_channel(input, scales, zero_points, axis, quant_min, quant_max, dtype) */
enum ets_status ets_reference_dequantize_channels(struct reference_frame *frame,
                                                  const struct reference_step *step)
{
    const struct reference_value *a = step->arguments;
    struct reference_value scales, zeros, x;
    ETS_TRY(along(frame, step, &a[1], output_type(step), &scales));
    ETS_TRY(along(frame, step, &a[2], output_type(step), &zeros));
    ETS_TRY(centred(frame, step, &zeros, &x));
    ETS_TRY(APPLY(frame, LIKE(x), &x, "aten.mul.Tensor", x, scales));
    return ets_reference_give(frame, step, 0, &x);
}

static enum ets_status extreme(struct reference_frame *frame, const struct reference_step *step,
                               const char *name, double *number_out)
{
    const struct reference_shape none = {.scalar_type = output_type(step)};
    struct reference_value tensor, number;
    ETS_TRY(APPLY(
        frame,
        (struct reference_shape){.scalar_type = step->arguments[0].as.tensor.view.scalar_type},
        &tensor, name, step->arguments[0]));
    ETS_TRY(APPLY(frame, none, &number, "aten.item.default", tensor));
    *number_out = ets_reference_number(&number);
    return ETS_OK;
}

/*
 * choose_qparams.tensor(input, quant_min, quant_max, eps, dtype): the range of the input and 0
 * divided by that of the integers, and the integer of 0. In single precision if the record's is.
 */
enum ets_status ets_reference_choose_parameters(struct reference_frame *frame,
                                                const struct reference_step *step)
{
    const struct ets_tensor *self;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    const struct reference_value *a = step->arguments;
    double low, high;
    ETS_TRY(extreme(frame, step, "aten.min.default", &low));
    ETS_TRY(extreme(frame, step, "aten.max.default", &high));
    const double least = ets_reference_number(&a[1]), most = ets_reference_number(&a[2]);
    const bool is_single = self->scalar_type != ETS_SCALAR_DOUBLE;
    low = low < 0 ? low : 0;
    high = high > 0 ? high : 0;
    double scale = (high - low) / (most - least);
    if (is_single) scale = (float)((float)(high - low) / (float)(most - least));
    if (!(scale > ets_reference_number(&a[3]))) scale = ets_reference_number(&a[3]);
    double zero = least - nearbyint(is_single ? (double)((float)low / (float)scale) : low / scale);
    zero = zero < least ? least : zero > most ? most : zero;
    const int64_t one[1] = {1};
    struct reference_value sizes, results[2];
    ETS_TRY(ets_reference_int_list(frame, one, 1, &sizes));
    ETS_TRY(APPLY(frame, ets_reference_shape_of(ETS_SCALAR_DOUBLE, 1, one), &results[0],
                  "aten.full.default", sizes, NUMBER(scale)));
    ETS_TRY(APPLY(frame, ets_reference_shape_of(ETS_SCALAR_LONG, 1, one), &results[1],
                  "aten.full.default", sizes, NUMBER(zero)));
    for (uint32_t i = 0; i < 2; i++) ETS_TRY(ets_reference_give(frame, step, i, &results[i]));
    return ETS_OK;
}
