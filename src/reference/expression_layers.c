/* Normalisations, softmax and pools: operators of whole layers. */
#include <math.h>
#include <string.h>

#include "reference/expression_list.h"

/* The shape of `x` with 1 in its last `count` dimensions. */
static struct reference_shape reduced(const struct reference_value *x, uint32_t count)
{
    struct reference_shape shape = LIKE(*x);
    for (uint32_t i = shape.rank - count; i < shape.rank; i++) shape.sizes[i] = 1;
    return shape;
}

/* -count ... -1 */
static enum ets_status last_dims(struct reference_frame *frame, uint32_t count,
                                 struct reference_value *dims_out)
{
    int64_t dims[ETS_TENSOR_MAX_RANK];
    for (uint32_t i = 0; i < count; i++) dims[i] = (int64_t)i - count;
    return ets_reference_int_list(frame, dims, count, dims_out);
}

/* mean and 1/sqrt(variance + eps) over the last `count` dimensions, and normalized x. */
static enum ets_status normalise(struct reference_frame *frame, const struct reference_value *x,
                                 uint32_t count, double eps, struct reference_value results[3])
{
    const struct reference_shape small = reduced(x, count), shape = LIKE(*x);
    struct reference_value dims, centred, square, variance;
    ETS_TRY(last_dims(frame, count, &dims));
    ETS_TRY(APPLY(frame, small, &results[1], "aten.mean.dim", *x, dims, TRUTH(1)));
    ETS_TRY(APPLY(frame, shape, &centred, "aten.sub.Tensor", *x, results[1]));
    ETS_TRY(APPLY(frame, shape, &square, "aten.mul.Tensor", centred, centred));
    ETS_TRY(APPLY(frame, small, &variance, "aten.mean.dim", square, dims, TRUTH(1)));
    ETS_TRY(APPLY(frame, small, &variance, "aten.add.Scalar", variance, NUMBER(eps)));
    ETS_TRY(APPLY(frame, small, &results[2], "aten.rsqrt.default", variance));
    return APPLY(frame, shape, &results[0], "aten.mul.Tensor", centred, results[2]);
}

/* x * weight + bias, each of which may be NOTHING. */
static enum ets_status scale_and_shift(struct reference_frame *frame, struct reference_value *x,
                                       const struct reference_value *weight,
                                       const struct reference_value *bias)
{
    const struct reference_shape shape = LIKE(*x);
    if (weight->kind != REFERENCE_NOTHING) {
        ETS_TRY(APPLY(frame, shape, x, "aten.mul.Tensor", *x, *weight));
    }
    if (bias->kind != REFERENCE_NOTHING) {
        ETS_TRY(APPLY(frame, shape, x, "aten.add.Tensor", *x, *bias));
    }
    return ETS_OK;
}

static enum ets_status give_all(struct reference_frame *frame, const struct reference_step *step,
                                const struct reference_value *results, uint32_t count)
{
    for (uint32_t i = 0; i < count && i < step->output_count; i++) {
        ETS_TRY(ets_reference_give(frame, step, i, &results[i]));
    }
    return ETS_OK;
}

static enum ets_status check_norm(struct reference_frame *frame, const struct reference_step *step,
                                  uint32_t *count_out)
{
    const struct ets_tensor *x;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &x));
    const struct reference_value *sizes = &step->arguments[1];
    *count_out = sizes->kind == REFERENCE_LIST ? sizes->as.list.count : 1;
    if (*count_out > 0 && *count_out <= x->rank) return ETS_OK;
    return ets_reference_fail(frame, ETS_INVALID_ARGUMENT, "it has too few dimensions");
}

/* native_layer_norm in doubles, because its kernel keeps mean and deviation as floats. */
enum ets_status ets_reference_native_layer_norm(struct reference_frame *frame,
                                                const struct reference_step *step)
{
    uint32_t count;
    struct reference_value results[3];
    ETS_TRY(check_norm(frame, step, &count));
    const struct reference_value *a = step->arguments;
    ETS_TRY(normalise(frame, &a[0], count, ets_reference_number(&a[4]), results));
    ETS_TRY(scale_and_shift(frame, &results[0], &a[2], &a[3]));
    return give_all(frame, step, results, 3);
}

enum ets_status ets_reference_layer_norm(struct reference_frame *frame,
                                         const struct reference_step *step)
{
    uint32_t count;
    struct reference_value results[3];
    ETS_TRY(check_norm(frame, step, &count));
    const struct reference_shape small = reduced(&step->arguments[0], count);
    const struct reference_shape shapes[3] = {LIKE(step->arguments[0]), small, small};
    ETS_TRY(ets_reference_apply(frame, "aten.native_layer_norm.default", step->arguments, 5, shapes,
                                3, results));
    return give_all(frame, step, results, 1);
}

/* rms_norm(input, normalized_shape, weight, eps) */
enum ets_status ets_reference_rms_norm(struct reference_frame *frame,
                                       const struct reference_step *step)
{
    uint32_t count;
    ETS_TRY(check_norm(frame, step, &count));
    const struct reference_value *a = step->arguments, x = a[0];
    const double eps = a[3].kind == REFERENCE_NOTHING ? 0x1p-23 : ets_reference_number(&a[3]);
    const struct reference_shape small = reduced(&x, count);
    struct reference_value dims, square, result;
    ETS_TRY(last_dims(frame, count, &dims));
    ETS_TRY(APPLY(frame, LIKE(x), &square, "aten.mul.Tensor", x, x));
    ETS_TRY(APPLY(frame, small, &square, "aten.mean.dim", square, dims, TRUTH(1)));
    ETS_TRY(APPLY(frame, small, &square, "aten.add.Scalar", square, NUMBER(eps)));
    ETS_TRY(APPLY(frame, small, &square, "aten.rsqrt.default", square));
    ETS_TRY(APPLY(frame, LIKE(x), &result, "aten.mul.Tensor", x, square));
    ETS_TRY(scale_and_shift(frame, &result, &a[2], &NOTHING));
    return ets_reference_give(frame, step, 0, &result);
}

/* A vector over channels, in a shape to multiply with [batch, channels, ...]. */
static enum ets_status per_channel(struct reference_frame *frame, const struct reference_value *x,
                                   const struct reference_value *vector,
                                   struct reference_value *wide_out)
{
    *wide_out = *vector;
    if (vector->kind != REFERENCE_TENSOR) return ETS_OK;
    struct reference_shape shape = LIKE(*x);
    for (uint32_t i = 0; i < shape.rank; i++) shape.sizes[i] = i == 1 ? -1 : 1;
    struct reference_value sizes;
    ETS_TRY(ets_reference_int_list(frame, shape.sizes, shape.rank, &sizes));
    return APPLY(frame, LIKE(*vector), wide_out, "aten.reshape.default", *vector, sizes);
}

static enum ets_status reshaped(struct reference_frame *frame, const struct reference_value *x,
                                const int64_t *sizes, uint32_t rank,
                                struct reference_value *result_out)
{
    struct reference_value list;
    ETS_TRY(ets_reference_int_list(frame, sizes, rank, &list));
    return APPLY(frame, LIKE(*x), result_out, "aten.reshape.default", *x, list);
}

/* native_group_norm(input, weight, bias, N, C, HxW, group, eps) in doubles, as above. */
enum ets_status ets_reference_native_group_norm(struct reference_frame *frame,
                                                const struct reference_step *step)
{
    const struct reference_value *a = step->arguments;
    const struct ets_tensor *x;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &x));
    const int64_t groups = a[6].as.int_value, batch = a[3].as.int_value;
    if (x->rank < 2 || groups < 1 || x->sizes[1] % groups != 0 || batch != x->sizes[0]) {
        return ets_reference_fail(frame, ETS_INVALID_ARGUMENT, "channels and groups do not match");
    }
    struct reference_value flat, results[3], weight, bias;
    const int64_t three[3] = {batch, groups, batch * groups > 0 ? -1 : 0};
    ETS_TRY(reshaped(frame, &a[0], three, 3, &flat));
    ETS_TRY(normalise(frame, &flat, 1, ets_reference_number(&a[7]), results));
    ETS_TRY(reshaped(frame, &results[0], x->sizes, x->rank, &results[0]));
    ETS_TRY(per_channel(frame, &a[0], &a[1], &weight));
    ETS_TRY(per_channel(frame, &a[0], &a[2], &bias));
    ETS_TRY(scale_and_shift(frame, &results[0], &weight, &bias));
    for (uint32_t i = 1; i < 3; i++) ETS_TRY(reshaped(frame, &results[i], three, 2, &results[i]));
    return give_all(frame, step, results, 3);
}

/* group_norm(input, num_groups, weight, bias, eps) */
enum ets_status ets_reference_group_norm(struct reference_frame *frame,
                                         const struct reference_step *step)
{
    const struct reference_value *a = step->arguments;
    const struct ets_tensor *x;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &x));
    const int64_t groups = a[1].as.int_value;
    if (x->rank < 2 || groups < 1 || groups > x->sizes[1]) {
        return ets_reference_fail(frame, ETS_INVALID_ARGUMENT, "channels and groups do not match");
    }
    int64_t pixels = 1;
    for (uint32_t i = 2; i < x->rank; i++) pixels *= x->sizes[i];
    const int64_t pair[2] = {x->sizes[0], groups};
    const struct reference_shape small = ets_reference_shape_of(x->scalar_type, 2, pair);
    const struct reference_shape shapes[3] = {LIKE(a[0]), small, small};
    const struct reference_value arguments[8] = {
        a[0], a[2], a[3], WHOLE(x->sizes[0]), WHOLE(x->sizes[1]), WHOLE(pixels), a[1], a[4]};
    struct reference_value results[3];
    ETS_TRY(ets_reference_apply(frame, "aten.native_group_norm.default", arguments, 8, shapes, 3,
                                results));
    return give_all(frame, step, results, 1);
}

/* batch_norm(input, weight, bias, mean, var, training, momentum, eps, cudnn) for inference. */
enum ets_status ets_reference_batch_norm(struct reference_frame *frame,
                                         const struct reference_step *step)
{
    const struct reference_value *a = step->arguments;
    const struct ets_tensor *x;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &x));
    if (a[5].as.int_value != 0 || a[3].kind == REFERENCE_NOTHING ||
        a[4].kind == REFERENCE_NOTHING) {
        return ets_reference_fail(frame, ETS_UNSUPPORTED, "it is in training mode");
    }
    const struct reference_shape none = {.scalar_type = x->scalar_type, .rank = 1};
    const struct reference_shape shapes[3] = {LIKE(a[0]), none, none};
    const struct reference_value arguments[7] = {a[0], a[1], a[2], a[3], a[4], a[6], a[7]};
    struct reference_value results[3];
    ETS_TRY(ets_reference_apply(frame, "aten._native_batch_norm_legit_no_training.default",
                                arguments, 7, shapes, 3, results));
    return give_all(frame, step, results, 1);
}

/* softmax.int and log_softmax.int(self, dim, dtype) */
enum ets_status ets_reference_softmax(struct reference_frame *frame,
                                      const struct reference_step *step)
{
    const struct ets_tensor *self;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    const struct reference_value *a = step->arguments;
    const char *name = strstr(step->operator_->name, "log") != NULL ? "aten._log_softmax.default"
                                                                    : "aten._softmax.default";
    struct reference_value x = a[0], result;
    if (a[2].kind != REFERENCE_NOTHING) {
        ETS_TRY(APPLY(frame, LIKE(x), &x, "aten.to.dtype", a[0], a[2]));
    }
    ETS_TRY(APPLY(frame, LIKE(x), &result, name, x, a[1], TRUTH(0)));
    return ets_reference_give(frame, step, 0, &result);
}

/* _log_softmax(self, dim) in doubles, because its kernel refuses them. */
enum ets_status ets_reference_native_log_softmax(struct reference_frame *frame,
                                                 const struct reference_step *step)
{
    const struct ets_tensor *self;
    uint32_t dim;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    ETS_TRY(ets_reference_dim(frame, step->arguments[1].as.int_value, self->rank, &dim));
    const struct reference_value x = step->arguments[0];
    struct reference_shape small = LIKE(x);
    small.sizes[dim] = 1;
    const int64_t dims[1] = {dim};
    struct reference_value list, largest, below, sum, result;
    ETS_TRY(ets_reference_int_list(frame, dims, 1, &list));
    ETS_TRY(APPLY(frame, small, &largest, "aten.amax.default", x, list, TRUTH(1)));
    ETS_TRY(APPLY(frame, LIKE(x), &below, "aten.sub.Tensor", x, largest));
    ETS_TRY(APPLY(frame, LIKE(x), &sum, "aten.exp.default", below));
    ETS_TRY(APPLY(frame, small, &sum, "aten.sum.dim_IntList", sum, list, TRUTH(1)));
    ETS_TRY(APPLY(frame, small, &sum, "aten.log.default", sum));
    ETS_TRY(APPLY(frame, LIKE(x), &result, "aten.sub.Tensor", below, sum));
    return ets_reference_give(frame, step, 0, &result);
}

/* sum(self, dim, keepdim) in doubles: its kernel adds floats, but that of mean adds doubles. */
enum ets_status ets_reference_native_sum(struct reference_frame *frame,
                                         const struct reference_step *step)
{
    const struct ets_tensor *self;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    const int type = step->shapes[0].scalar_type;
    if (!ets_reference_is_floating(self->scalar_type) || ets_tensor_count(self) == 0 ||
        !ets_reference_is_floating(type)) {
        return ets_reference_kernel_step(frame, step);
    }
    struct reference_value mean, result;
    ETS_TRY(APPLY(frame, step->shapes[0], &mean, "aten.mean.dim", step->arguments[0],
                  step->arguments[1], step->arguments[2]));
    const double count =
        (double)ets_tensor_count(self) / (double)ets_tensor_count(&mean.as.tensor.view);
    ETS_TRY(APPLY(frame, LIKE(mean), &result, "aten.mul.Scalar", mean, NUMBER(count)));
    return ets_reference_give(frame, step, 0, &result);
}

enum ets_status ets_reference_sum(struct reference_frame *frame, const struct reference_step *step)
{
    struct reference_value none, result;
    ETS_TRY(ets_reference_int_list(frame, NULL, 0, &none));
    ETS_TRY(APPLY(frame, step->shapes[0], &result, "aten.sum.dim_IntList", step->arguments[0], none,
                  TRUTH(0), step->arguments[1]));
    return ets_reference_give(frame, step, 0, &result);
}

/* max_pool2d without the indices that its kernel also returns. */
enum ets_status ets_reference_max_pool2d(struct reference_frame *frame,
                                         const struct reference_step *step)
{
    struct reference_value results[2];
    struct reference_shape shapes[2] = {step->shapes[0], step->shapes[0]};
    shapes[1].scalar_type = ETS_SCALAR_LONG;
    ETS_TRY(ets_reference_apply(frame, "aten.max_pool2d_with_indices.default", step->arguments, 6,
                                shapes, 2, results));
    return give_all(frame, step, results, 1);
}

/* adaptive_avg_pool2d(self, output_size): pools equal windows if sizes divide evenly. */
enum ets_status ets_reference_adaptive_avg_pool2d(struct reference_frame *frame,
                                                  const struct reference_step *step)
{
    const struct ets_tensor *x;
    int64_t sizes[2];
    ETS_TRY(ets_reference_tensor(frame, step, 0, &x));
    ETS_TRY(ets_reference_ints(frame, &step->arguments[1], 2, sizes));
    if (x->rank < 3 || x->rank > 4 || sizes[0] < 1 || sizes[1] < 1) {
        return ets_reference_fail(frame, ETS_INVALID_ARGUMENT, "not an image, or no size");
    }
    const int64_t *image = x->sizes + x->rank - 2;
    struct reference_shape shape = LIKE(step->arguments[0]);
    memcpy(shape.sizes + x->rank - 2, sizes, sizeof sizes);
    struct reference_value list, result;
    if (sizes[0] == 1 && sizes[1] == 1) {
        ETS_TRY(last_dims(frame, 2, &list));
        ETS_TRY(APPLY(frame, shape, &result, "aten.mean.dim", step->arguments[0], list, TRUTH(1)));
    } else if (image[0] % sizes[0] == 0 && image[1] % sizes[1] == 0) {
        const int64_t window[2] = {image[0] / sizes[0], image[1] / sizes[1]};
        ETS_TRY(ets_reference_int_list(frame, window, 2, &list));
        ETS_TRY(APPLY(frame, shape, &result, "aten.avg_pool2d.default", step->arguments[0], list,
                      list));
    } else {
        static const char name[] = "aten._adaptive_avg_pool2d.default";
        const struct reference_step kernel = {
            ets_reference_operator_named((struct ets_text){name, sizeof name - 1}), step->arguments,
            step->shapes, step->output_count, step->outputs};
        return ets_reference_kernel_step(frame, &kernel);
    }
    return ets_reference_give(frame, step, 0, &result);
}

/* pad(self, pad, mode, value) */
enum ets_status ets_reference_pad(struct reference_frame *frame, const struct reference_step *step)
{
    const struct reference_value *a = step->arguments;
    const struct ets_text mode = a[2].as.text;
    const uint32_t dims = a[1].kind == REFERENCE_LIST ? a[1].as.list.count / 2 : 0;
    struct reference_value result;
    if (mode.size == 8 && memcmp(mode.data, "constant", 8) == 0) {
        const struct reference_value value = a[3].kind == REFERENCE_NOTHING ? NUMBER(0) : a[3];
        ETS_TRY(APPLY(frame, step->shapes[0], &result, "aten.constant_pad_nd.default", a[0], a[1],
                      value));
        return ets_reference_give(frame, step, 0, &result);
    }
    static const char *const names[2][3] = {
        {"aten.reflection_pad1d.default", "aten.reflection_pad2d.default",
         "aten.reflection_pad3d.default"},
        {"aten.replication_pad1d.default", "aten.replication_pad2d.default",
         "aten.replication_pad3d.default"}};
    const bool reflects = mode.size == 7 && memcmp(mode.data, "reflect", 7) == 0;
    if (dims < 1 || dims > 3 || (!reflects && mode.size != 9)) {
        return ets_reference_fail(frame, ETS_UNSUPPORTED, "no kernel for this padding mode");
    }
    ETS_TRY(APPLY(frame, step->shapes[0], &result, names[!reflects][dims - 1], a[0], a[1]));
    return ets_reference_give(frame, step, 0, &result);
}
