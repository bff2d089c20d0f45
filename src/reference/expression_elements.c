/* Elementwise operators: activations, and aliases of other operators. */
#include <string.h>

#include "reference/expression_list.h"

/* clamp(x + 3, 0, 6) / 6 */
static enum ets_status gate(struct reference_frame *frame, const struct reference_step *step,
                            struct reference_value *result_out)
{
    const struct ets_tensor *self;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    const struct reference_value x = step->arguments[0];
    struct reference_value sum, cut;
    ETS_TRY(APPLY(frame, LIKE(x), &sum, "aten.add.Scalar", x, NUMBER(3)));
    ETS_TRY(APPLY(frame, LIKE(x), &cut, "aten.hardtanh.default", sum, NUMBER(0), NUMBER(6)));
    return APPLY(frame, LIKE(x), result_out, "aten.div.Scalar", cut, NUMBER(6));
}

enum ets_status ets_reference_hardsigmoid(struct reference_frame *frame,
                                          const struct reference_step *step)
{
    struct reference_value result;
    ETS_TRY(gate(frame, step, &result));
    return ets_reference_give(frame, step, 0, &result);
}

enum ets_status ets_reference_hardswish(struct reference_frame *frame,
                                        const struct reference_step *step)
{
    struct reference_value factor, result;
    ETS_TRY(gate(frame, step, &factor));
    const struct reference_value x = step->arguments[0];
    ETS_TRY(APPLY(frame, LIKE(x), &result, "aten.mul.Tensor", x, factor));
    return ets_reference_give(frame, step, 0, &result);
}

enum ets_status ets_reference_silu(struct reference_frame *frame, const struct reference_step *step)
{
    const struct ets_tensor *self;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    const struct reference_value x = step->arguments[0];
    struct reference_value factor, result;
    ETS_TRY(APPLY(frame, LIKE(x), &factor, "aten.sigmoid.default", x));
    ETS_TRY(APPLY(frame, LIKE(x), &result, "aten.mul.Tensor", x, factor));
    return ets_reference_give(frame, step, 0, &result);
}

/* log(1 + exp(x)), without an overflow: relu(x) + log1p(exp(-|x|)). */
static enum ets_status add_softplus(struct reference_frame *frame, const struct reference_value x,
                                    struct reference_value *result_out)
{
    struct reference_value positive, at, falling;
    ETS_TRY(APPLY(frame, LIKE(x), &positive, "aten.relu.default", x));
    ETS_TRY(APPLY(frame, LIKE(x), &at, "aten.abs.default", x));
    ETS_TRY(APPLY(frame, LIKE(x), &falling, "aten.neg.default", at));
    ETS_TRY(APPLY(frame, LIKE(x), &at, "aten.exp.default", falling));
    ETS_TRY(APPLY(frame, LIKE(x), &falling, "aten.log1p.default", at));
    return APPLY(frame, LIKE(x), result_out, "aten.add.Tensor", positive, falling);
}

/* softplus(self, beta, threshold): softplus(beta x) / beta; x itself where beta x is beyond the
 * threshold. */
enum ets_status ets_reference_softplus(struct reference_frame *frame,
                                       const struct reference_step *step)
{
    const struct ets_tensor *self;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    const struct reference_value x = step->arguments[0], beta = step->arguments[1];
    const struct reference_shape truths =
        ets_reference_shape_of(ETS_SCALAR_BOOL, self->rank, self->sizes);
    struct reference_value scaled, is_beyond, soft, bent, result;
    ETS_TRY(APPLY(frame, LIKE(x), &scaled, "aten.mul.Scalar", x, beta));
    ETS_TRY(APPLY(frame, truths, &is_beyond, "aten.gt.Scalar", scaled, step->arguments[2]));
    ETS_TRY(add_softplus(frame, scaled, &soft));
    ETS_TRY(APPLY(frame, LIKE(x), &bent, "aten.div.Scalar", soft, beta));
    ETS_TRY(APPLY(frame, LIKE(x), &result, "aten.where.self", is_beyond, x, bent));
    return ets_reference_give(frame, step, 0, &result);
}

/* x tanh(softplus(x)) */
enum ets_status ets_reference_mish(struct reference_frame *frame, const struct reference_step *step)
{
    const struct ets_tensor *self;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    const struct reference_value x = step->arguments[0];
    struct reference_value soft, factor, result;
    ETS_TRY(add_softplus(frame, x, &soft));
    ETS_TRY(APPLY(frame, LIKE(x), &factor, "aten.tanh.default", soft));
    ETS_TRY(APPLY(frame, LIKE(x), &result, "aten.mul.Tensor", x, factor));
    return ets_reference_give(frame, step, 0, &result);
}

/* log(sigmoid(x)) = -softplus(-x) */
enum ets_status ets_reference_log_sigmoid(struct reference_frame *frame,
                                          const struct reference_step *step)
{
    const struct ets_tensor *self;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    const struct reference_value x = step->arguments[0];
    struct reference_value turned, soft, result;
    ETS_TRY(APPLY(frame, LIKE(x), &turned, "aten.neg.default", x));
    ETS_TRY(add_softplus(frame, turned, &soft));
    ETS_TRY(APPLY(frame, LIKE(x), &result, "aten.neg.default", soft));
    return ets_reference_give(frame, step, 0, &result);
}

/* The constants of "Self-Normalizing Neural Networks", as PyTorch has them. */
enum ets_status ets_reference_selu(struct reference_frame *frame, const struct reference_step *step)
{
    const struct ets_tensor *self;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    const struct reference_value x = step->arguments[0];
    struct reference_value result;
    ETS_TRY(APPLY(frame, LIKE(x), &result, "aten.elu.default", x, NUMBER(1.6732632423543772),
                  NUMBER(1.0507009873554805)));
    return ets_reference_give(frame, step, 0, &result);
}

/* celu(self, alpha): max(0, x) + min(0, alpha (exp(x / alpha) - 1)) */
enum ets_status ets_reference_celu(struct reference_frame *frame, const struct reference_step *step)
{
    const struct ets_tensor *self;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    const struct reference_value x = step->arguments[0], alpha = step->arguments[1];
    struct reference_value result;
    ETS_TRY(APPLY(frame, LIKE(x), &result, "aten.elu.default", x, alpha, NUMBER(1),
                  NUMBER(1 / ets_reference_number(&alpha))));
    return ets_reference_give(frame, step, 0, &result);
}

enum ets_status ets_reference_relu6(struct reference_frame *frame,
                                    const struct reference_step *step)
{
    const struct ets_tensor *self;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    const struct reference_value x = step->arguments[0];
    struct reference_value result;
    ETS_TRY(APPLY(frame, LIKE(x), &result, "aten.hardtanh.default", x, NUMBER(0), NUMBER(6)));
    return ets_reference_give(frame, step, 0, &result);
}

/* prelu(self, weight): one weight, or one per channel. */
enum ets_status ets_reference_prelu(struct reference_frame *frame,
                                    const struct reference_step *step)
{
    const struct ets_tensor *self, *weight;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    ETS_TRY(ets_reference_tensor(frame, step, 1, &weight));
    const struct reference_value x = step->arguments[0];
    struct reference_shape truth = LIKE(x), wide = LIKE(x);
    truth.scalar_type = ETS_SCALAR_BOOL;
    for (uint32_t i = 0; i < wide.rank; i++) wide.sizes[i] = 1;
    if (wide.rank > 1) wide.sizes[1] = (int64_t)ets_tensor_count(weight);
    struct reference_value sizes, slope, product, positive, result;
    ETS_TRY(ets_reference_int_list(frame, wide.sizes, wide.rank, &sizes));
    ETS_TRY(APPLY(frame, wide, &slope, "aten.reshape.default", step->arguments[1], sizes));
    ETS_TRY(APPLY(frame, LIKE(x), &product, "aten.mul.Tensor", x, slope));
    ETS_TRY(APPLY(frame, truth, &positive, "aten.gt.Scalar", x, WHOLE(0)));
    ETS_TRY(APPLY(frame, LIKE(x), &result, "aten.where.self", positive, x, product));
    return ets_reference_give(frame, step, 0, &result);
}

enum ets_status ets_reference_square(struct reference_frame *frame,
                                     const struct reference_step *step)
{
    struct reference_value result;
    ETS_TRY(APPLY(frame, step->shapes[0], &result, "aten.mul.Tensor", step->arguments[0],
                  step->arguments[0]));
    return ets_reference_give(frame, step, 0, &result);
}

/* rsub(self, other, alpha): other - alpha * self */
enum ets_status ets_reference_rsub(struct reference_frame *frame, const struct reference_step *step)
{
    struct reference_value result;
    ETS_TRY(APPLY(frame, step->shapes[0], &result, "aten.sub.Tensor", step->arguments[1],
                  step->arguments[0], step->arguments[2]));
    return ets_reference_give(frame, step, 0, &result);
}

/* masked_fill(self, mask, value) with a value that is a tensor */
enum ets_status ets_reference_masked_fill(struct reference_frame *frame,
                                          const struct reference_step *step)
{
    struct reference_value result;
    ETS_TRY(APPLY(frame, step->shapes[0], &result, "aten.where.self", step->arguments[1],
                  step->arguments[2], step->arguments[0]));
    return ets_reference_give(frame, step, 0, &result);
}

/* clamp_min(self, min), clamp_max(self, max) */
enum ets_status ets_reference_clamp_end(struct reference_frame *frame,
                                        const struct reference_step *step)
{
    const bool is_min = strstr(step->operator_->name, "min") != NULL;
    const struct reference_value end = step->arguments[1];
    struct reference_value result;
    ETS_TRY(APPLY(frame, step->shapes[0], &result, "aten.clamp.default", step->arguments[0],
                  is_min ? end : NOTHING, is_min ? NOTHING : end));
    return ets_reference_give(frame, step, 0, &result);
}

/* repeat_interleave(self, repeats, dim): repeats every element in place. */
enum ets_status ets_reference_repeat_interleave(struct reference_frame *frame,
                                                const struct reference_step *step)
{
    const struct ets_tensor *self;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    struct reference_value x = step->arguments[0], column, sizes, wide, result;
    const bool is_flat = step->arguments[2].kind == REFERENCE_NOTHING;
    if (is_flat) {
        ETS_TRY(ets_reference_int_list(frame, &(const int64_t){-1}, 1, &sizes));
        ETS_TRY(APPLY(frame, LIKE(x), &x, "aten.reshape.default", x, sizes));
    }
    const int64_t repeats = step->arguments[1].as.int_value;
    uint32_t dim;
    const uint32_t rank = x.as.tensor.view.rank;
    ETS_TRY(ets_reference_dim(frame, is_flat ? 0 : step->arguments[2].as.int_value, rank, &dim));
    if (repeats < 0 || rank == 0 || rank == ETS_TENSOR_MAX_RANK) {
        return ets_reference_fail(frame, ETS_INVALID_ARGUMENT, "invalid repeats");
    }
    ETS_TRY(APPLY(frame, LIKE(x), &column, "aten.unsqueeze.default", x, WHOLE(dim + 1)));
    struct reference_shape shape = LIKE(column), whole = LIKE(x);
    shape.sizes[dim + 1] = repeats;
    ETS_TRY(ets_reference_int_list(frame, shape.sizes, shape.rank, &sizes));
    ETS_TRY(APPLY(frame, shape, &wide, "aten.expand.default", column, sizes));
    if (__builtin_mul_overflow(whole.sizes[dim], repeats, &whole.sizes[dim])) {
        return ets_reference_fail(frame, ETS_LIMIT, "the result is too large");
    }
    ETS_TRY(ets_reference_int_list(frame, whole.sizes, whole.rank, &sizes));
    ETS_TRY(APPLY(frame, whole, &result, "aten.reshape.default", wide, sizes));
    return ets_reference_give(frame, step, 0, &result);
}

/* Operators with the arguments of another operator. */
static const char *const other_names[][2] = {
    {"aten.__and__.Scalar", "aten.bitwise_and.Scalar"},
    {"aten.__and__.Tensor", "aten.bitwise_and.Tensor"},
    {"aten.__or__.Scalar", "aten.bitwise_or.Scalar"},
    {"aten.__or__.Tensor", "aten.bitwise_or.Tensor"},
    {"aten.__xor__.Scalar", "aten.bitwise_xor.Scalar"},
    {"aten.__xor__.Tensor", "aten.bitwise_xor.Tensor"},
    {"aten.clip.default", "aten.clamp.default"},
    {"aten.concat.default", "aten.cat.default"},
    {"aten.concatenate.default", "aten.cat.default"},
    {"aten.divide.Tensor", "aten.div.Tensor"},
    {"aten.multiply.Tensor", "aten.mul.Tensor"},
    {"aten.negative.default", "aten.neg.default"},
    {"aten.subtract.Tensor", "aten.sub.Tensor"},
    {"aten.where.Scalar", "aten.where.self"},
    {"aten.where.ScalarOther", "aten.where.self"},
    {"aten.where.ScalarSelf", "aten.where.self"},
};

enum ets_status ets_reference_by_other_name(struct reference_frame *frame,
                                            const struct reference_step *step)
{
    for (size_t i = 0; i < sizeof other_names / sizeof *other_names; i++) {
        if (strcmp(other_names[i][0], step->operator_->name) != 0) continue;
        struct reference_value result;
        uint32_t count = 0;
        struct reference_parameter parameter;
        const char *schema = step->operator_->schema;
        while (ets_reference_next_parameter(&schema, &parameter)) count++;
        ETS_TRY(ets_reference_apply(frame, other_names[i][1], step->arguments, count, step->shapes,
                                    1, &result));
        return ets_reference_give(frame, step, 0, &result);
    }
    return ets_reference_fail(frame, ETS_UNSUPPORTED, "no other name");
}
