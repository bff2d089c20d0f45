/*
 * quantized_decomposed: one scale and zero point for each token, which is all but the last
 * dimension.
 */
#include <math.h>

#include "reference/expression_list.h"

/* The sizes of `self` with 1 number for each token. */
static struct reference_shape once_a_token(const struct reference_value *self, int scalar_type)
{
    struct reference_shape shape = LIKE(*self);
    shape.scalar_type = scalar_type;
    shape.sizes[shape.rank - 1] = 1;
    return shape;
}

/* The input, which has tokens. */
static enum ets_status find_tokens(struct reference_frame *frame, const struct reference_step *step,
                                   const struct ets_tensor **self_out)
{
    ETS_TRY(ets_reference_tensor(frame, step, 0, self_out));
    if ((*self_out)->rank > 0) return ETS_OK;
    return ets_reference_fail(frame, ETS_MISMATCH, "a single number has no tokens");
}

static enum ets_status give_parameters(struct reference_frame *frame,
                                       const struct reference_step *step,
                                       struct reference_value scale, struct reference_value zero)
{
    static const int types[2] = {ETS_SCALAR_DOUBLE, ETS_SCALAR_LONG};
    struct reference_value results[2] = {scale, zero};
    for (uint32_t i = 0; i < 2; i++) {
        const bool is_known = i < step->output_count && step->shapes[i].scalar_type >= 0;
        const int type = is_known ? step->shapes[i].scalar_type : types[i];
        ETS_TRY(
            APPLY(frame, LIKE(results[i]), &results[i], "aten.to.dtype", results[i], WHOLE(type)));
        ETS_TRY(ets_reference_give(frame, step, i, &results[i]));
    }
    return ETS_OK;
}

static enum ets_status check_int8(struct reference_frame *frame, const struct reference_step *step)
{
    if (step->arguments[1].as.int_value == ETS_SCALAR_CHAR) return ETS_OK;
    return ets_reference_fail(frame, ETS_UNSUPPORTED, "for another type than int8");
}

/* choose_qparams_per_token(input, dtype): the largest size of a number becomes 127. */
enum ets_status ets_reference_choose_symmetric_for_tokens(struct reference_frame *frame,
                                                          const struct reference_step *step)
{
    const struct ets_tensor *self;
    const struct reference_value *x = &step->arguments[0];
    struct reference_value last, scale, zero;
    ETS_TRY(find_tokens(frame, step, &self));
    ETS_TRY(check_int8(frame, step));
    const struct reference_shape small = once_a_token(x, (int)self->scalar_type);
    ETS_TRY(ets_reference_int_list(frame, (const int64_t[]){-1}, 1, &last));
    ETS_TRY(APPLY(frame, LIKE(*x), &scale, "aten.abs.default", *x));
    ETS_TRY(APPLY(frame, small, &scale, "aten.amax.default", scale, last, TRUTH(1)));
    ETS_TRY(APPLY(frame, small, &scale, "aten.clamp.default", scale, NUMBER(1e-5)));
    ETS_TRY(APPLY(frame, small, &scale, "aten.div.Scalar", scale, NUMBER(127)));
    ETS_TRY(APPLY(frame, small, &zero, "aten.zeros_like.default", scale));
    return give_parameters(frame, step, scale, zero);
}

/* The least and the largest number of each token and 0. */
static enum ets_status find_range(struct reference_frame *frame, const struct reference_value *x,
                                  struct reference_value *low, struct reference_value *high)
{
    const struct reference_shape small = once_a_token(x, (int)x->as.tensor.view.scalar_type);
    struct reference_value last;
    ETS_TRY(ets_reference_int_list(frame, (const int64_t[]){-1}, 1, &last));
    ETS_TRY(APPLY(frame, small, low, "aten.amin.default", *x, last, TRUTH(1)));
    ETS_TRY(APPLY(frame, small, high, "aten.amax.default", *x, last, TRUTH(1)));
    ETS_TRY(APPLY(frame, small, low, "aten.clamp.default", *low, NOTHING, WHOLE(0)));
    return APPLY(frame, small, high, "aten.clamp.default", *high, WHOLE(0));
}

/*
 * choose_qparams_per_token_asymmetric(input, dtype): the range becomes -128 to 127. Of both ends'
 * zero points, that of the end which is farther from its integer is taken.
 */
enum ets_status ets_reference_choose_for_tokens(struct reference_frame *frame,
                                                const struct reference_step *step)
{
    const struct ets_tensor *self;
    const struct reference_value *x = &step->arguments[0];
    struct reference_value low, high, scale, errors, is_low, zero;
    ETS_TRY(find_tokens(frame, step, &self));
    ETS_TRY(check_int8(frame, step));
    ETS_TRY(find_range(frame, x, &low, &high));
    const struct reference_shape small = LIKE(low);
    const struct reference_shape truth = once_a_token(x, ETS_SCALAR_BOOL);
    ETS_TRY(APPLY(frame, small, &scale, "aten.sub.Tensor", high, low));
    ETS_TRY(APPLY(frame, small, &scale, "aten.div.Scalar", scale, NUMBER(255)));
    ETS_TRY(APPLY(frame, small, &scale, "aten.clamp.default", scale, NUMBER(0x1p-23)));
    ETS_TRY(APPLY(frame, small, &low, "aten.div.Tensor", low, scale));
    ETS_TRY(APPLY(frame, small, &high, "aten.div.Tensor", high, scale));
    ETS_TRY(APPLY(frame, small, &errors, "aten.add.Tensor", low, high));
    ETS_TRY(APPLY(frame, truth, &is_low, "aten.gt.Scalar", errors, NUMBER(1)));
    ETS_TRY(APPLY(frame, small, &low, "aten.rsub.Scalar", low, NUMBER(-128)));
    ETS_TRY(APPLY(frame, small, &high, "aten.rsub.Scalar", high, NUMBER(127)));
    ETS_TRY(APPLY(frame, small, &zero, "aten.where.self", is_low, low, high));
    ETS_TRY(APPLY(frame, small, &zero, "aten.clamp.default", zero, NUMBER(-128), NUMBER(127)));
    ETS_TRY(APPLY(frame, small, &zero, "aten.round.default", zero));
    return give_parameters(frame, step, scale, zero);
}

/* Scales or zero points as numbers of `type`, beside the numbers of their tokens. */
static enum ets_status beside(struct reference_frame *frame, const struct reference_step *step,
                              uint32_t index, int type, struct reference_value *wide_out)
{
    const struct ets_tensor *self, *each;
    ETS_TRY(find_tokens(frame, step, &self));
    ETS_TRY(ets_reference_tensor(frame, step, index, &each));
    const struct reference_shape shape = once_a_token(&step->arguments[0], type);
    struct reference_value sizes;
    ETS_TRY(ets_reference_int_list(frame, shape.sizes, shape.rank, &sizes));
    ETS_TRY(APPLY(frame, shape, wide_out, "aten.reshape.default", step->arguments[index], sizes));
    return APPLY(frame, shape, wide_out, "aten.to.dtype", *wide_out, WHOLE(type));
}

/* quantize_per_token(input, scales, zero_points, quant_min, quant_max, dtype) */
enum ets_status ets_reference_quantize_tokens(struct reference_frame *frame,
                                              const struct reference_step *step)
{
    const struct reference_value *a = step->arguments;
    const struct ets_tensor *self;
    struct reference_value x, scale, zero;
    ETS_TRY(find_tokens(frame, step, &self));
    const struct reference_shape shape = LIKE(a[0]);
    ETS_TRY(beside(frame, step, 1, (int)self->scalar_type, &scale));
    ETS_TRY(beside(frame, step, 2, (int)self->scalar_type, &zero));
    ETS_TRY(APPLY(frame, LIKE(scale), &scale, "aten.reciprocal.default", scale));
    ETS_TRY(APPLY(frame, shape, &x, "aten.mul.Tensor", a[0], scale));
    ETS_TRY(APPLY(frame, shape, &x, "aten.add.Tensor", x, zero));
    ETS_TRY(APPLY(frame, shape, &x, "aten.round.default", x));
    ETS_TRY(APPLY(frame, shape, &x, "aten.clamp.default", x, a[3], a[4]));
    ETS_TRY(APPLY(frame, shape, &x, "aten.to.dtype", x, a[5]));
    return ets_reference_give(frame, step, 0, &x);
}

/* dequantize_per_token(input, scales, zero_points, quant_min, quant_max, dtype, output_dtype) */
enum ets_status ets_reference_dequantize_tokens(struct reference_frame *frame,
                                                const struct reference_step *step)
{
    const struct reference_value *a = step->arguments;
    const int type = ets_reference_type(frame, (int)a[6].as.int_value);
    const struct ets_tensor *self;
    struct reference_value x, scale, zero;
    ETS_TRY(find_tokens(frame, step, &self));
    ETS_TRY(beside(frame, step, 1, type, &scale));
    ETS_TRY(beside(frame, step, 2, type, &zero));
    ETS_TRY(APPLY(frame, LIKE(a[0]), &x, "aten.to.dtype", a[0], WHOLE(type)));
    ETS_TRY(APPLY(frame, LIKE(x), &x, "aten.sub.Tensor", x, zero));
    ETS_TRY(APPLY(frame, LIKE(x), &x, "aten.mul.Tensor", x, scale));
    return ets_reference_give(frame, step, 0, &x);
}
