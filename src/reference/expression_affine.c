/*
 * torchao's affine quantisation: like expression_quantized.c, with one scale per block of the
 * tensor. A block of b splits a dimension of n * b into [n, b].
 */
#include <math.h>
#include <string.h>

#include "reference/expression_list.h"

struct blocks {
    uint32_t rank;                       /* of the tensor */
    int64_t counts[ETS_TENSOR_MAX_RANK]; /* of blocks */
    int64_t sizes[ETS_TENSOR_MAX_RANK];  /* of a block */
};

static enum ets_status read_blocks(struct reference_frame *frame, const struct ets_tensor *self,
                                   const struct reference_value *list, struct blocks *blocks_out)
{
    struct blocks blocks = {.rank = self->rank};
    if (list->kind != REFERENCE_LIST || list->as.list.count != self->rank ||
        self->rank > ETS_TENSOR_MAX_RANK / 2) {
        return ets_reference_fail(frame, ETS_INVALID_ARGUMENT,
                                  "block sizes and tensor have different ranks");
    }
    ETS_TRY(ets_reference_ints(frame, list, self->rank, blocks.sizes));
    for (uint32_t i = 0; i < self->rank; i++) {
        if (blocks.sizes[i] == -1) blocks.sizes[i] = self->sizes[i];
        if (blocks.sizes[i] < 1 || self->sizes[i] % blocks.sizes[i] != 0) {
            return ets_reference_fail(frame, ETS_MISMATCH, "blocks of %lld do not divide %lld",
                                      (long long)blocks.sizes[i], (long long)self->sizes[i]);
        }
        blocks.counts[i] = self->sizes[i] / blocks.sizes[i];
    }
    *blocks_out = blocks;
    return ETS_OK;
}

/* `value` as [count, size, count, size...], with size 1 for values per block. */
static enum ets_status in_blocks(struct reference_frame *frame, const struct reference_value *value,
                                 const struct blocks *blocks, bool is_whole,
                                 struct reference_value *result_out)
{
    int64_t sizes[ETS_TENSOR_MAX_RANK];
    for (uint32_t i = 0; i < blocks->rank; i++) {
        sizes[2 * i] = blocks->counts[i];
        sizes[2 * i + 1] = is_whole ? blocks->sizes[i] : 1;
    }
    struct reference_value list;
    ETS_TRY(ets_reference_int_list(frame, sizes, 2 * blocks->rank, &list));
    return APPLY(frame, LIKE(*value), result_out, "aten.reshape.default", *value, list);
}

static enum ets_status give_in_shape(struct reference_frame *frame,
                                     const struct reference_step *step, uint32_t index,
                                     const struct reference_value *value,
                                     const struct ets_tensor *shape)
{
    struct reference_value list, result;
    ETS_TRY(ets_reference_int_list(frame, shape->sizes, shape->rank, &list));
    ETS_TRY(APPLY(frame, LIKE(*value), &result, "aten.reshape.default", *value, list));
    return ets_reference_give(frame, step, index, &result);
}

/* Scales or zero points as numbers of `type`, one per block; NOTHING is kept. */
static enum ets_status once_a_block(struct reference_frame *frame,
                                    const struct reference_value *value,
                                    const struct blocks *blocks, int type,
                                    struct reference_value *result_out)
{
    *result_out = *value;
    if (value->kind != REFERENCE_TENSOR) return ETS_OK;
    ETS_TRY(in_blocks(frame, value, blocks, false, result_out));
    return APPLY(frame, LIKE(*result_out), result_out, "aten.to.dtype", *result_out, WHOLE(type));
}

/* quantize_affine(input, block_size, scale, zero_point, output_dtype, quant_min, quant_max) */
enum ets_status ets_reference_quantize_blocks(struct reference_frame *frame,
                                              const struct reference_step *step)
{
    const struct ets_tensor *self;
    struct blocks blocks;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    const struct reference_value *a = step->arguments;
    ETS_TRY(read_blocks(frame, self, &a[1], &blocks));
    struct reference_value x, scale, zero;
    ETS_TRY(once_a_block(frame, &a[2], &blocks, self->scalar_type, &scale));
    ETS_TRY(once_a_block(frame, &a[3], &blocks, self->scalar_type, &zero));
    ETS_TRY(in_blocks(frame, &a[0], &blocks, true, &x));
    ETS_TRY(APPLY(frame, LIKE(scale), &scale, "aten.reciprocal.default", scale));
    ETS_TRY(APPLY(frame, LIKE(x), &x, "aten.mul.Tensor", x, scale));
    ETS_TRY(APPLY(frame, LIKE(x), &x, "aten.round.default", x));
    if (zero.kind != REFERENCE_NOTHING) {
        ETS_TRY(APPLY(frame, LIKE(x), &x, "aten.add.Tensor", x, zero));
    }
    ETS_TRY(APPLY(frame, LIKE(x), &x, "aten.clamp.default", x, a[5], a[6]));
    ETS_TRY(APPLY(frame, LIKE(x), &x, "aten.to.dtype", x, a[4]));
    return give_in_shape(frame, step, 0, &x, self);
}

/*
 * dequantize_affine(input, block_size, scale, zero_point, input_dtype, quant_min, quant_max,
 * output_dtype)
 */
enum ets_status ets_reference_dequantize_blocks(struct reference_frame *frame,
                                                const struct reference_step *step)
{
    const struct ets_tensor *self;
    struct blocks blocks;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    const struct reference_value *a = step->arguments;
    const int type = (int)a[7].as.int_value;
    ETS_TRY(read_blocks(frame, self, &a[1], &blocks));
    struct reference_value x, scale, zero;
    ETS_TRY(once_a_block(frame, &a[2], &blocks, type, &scale));
    ETS_TRY(once_a_block(frame, &a[3], &blocks, type, &zero));
    ETS_TRY(in_blocks(frame, &a[0], &blocks, true, &x));
    ETS_TRY(APPLY(frame, LIKE(x), &x, "aten.to.dtype", x, a[7]));
    if (zero.kind != REFERENCE_NOTHING) {
        ETS_TRY(APPLY(frame, LIKE(x), &x, "aten.sub.Tensor", x, zero));
    }
    ETS_TRY(APPLY(frame, LIKE(x), &x, "aten.mul.Tensor", x, scale));
    return give_in_shape(frame, step, 0, &x, self);
}

/* The minimum and maximum of every block and 0. */
static enum ets_status find_ranges(struct reference_frame *frame, const struct reference_value *x,
                                   const struct blocks *blocks, struct reference_value *low,
                                   struct reference_value *high)
{
    int64_t dims[ETS_TENSOR_MAX_RANK];
    struct reference_value whole, list;
    ETS_TRY(in_blocks(frame, x, blocks, true, &whole));
    struct reference_shape small = LIKE(whole);
    for (uint32_t i = 0; i < blocks->rank; i++) {
        dims[i] = 2 * i + 1;
        small.sizes[2 * i + 1] = 1;
    }
    ETS_TRY(ets_reference_int_list(frame, dims, blocks->rank, &list));
    ETS_TRY(APPLY(frame, small, low, "aten.amin.default", whole, list, TRUTH(1)));
    ETS_TRY(APPLY(frame, small, high, "aten.amax.default", whole, list, TRUTH(1)));
    ETS_TRY(APPLY(frame, small, low, "aten.clamp.default", *low, NOTHING, WHOLE(0)));
    return APPLY(frame, small, high, "aten.clamp.default", *high, WHOLE(0));
}

/* The sizes of values per block, without dimensions of one block. */
static struct ets_tensor scale_shape(const struct blocks *blocks)
{
    struct ets_tensor shape = {.rank = 0};
    for (uint32_t i = 0; i < blocks->rank; i++) {
        if (blocks->counts[i] > 1 || blocks->sizes[i] == 1) {
            shape.sizes[shape.rank++] = blocks->counts[i];
        }
    }
    return shape;
}

/* Scale and zero point from the ranges: over all integers, or symmetric around 0. */
static enum ets_status choose(struct reference_frame *frame, bool is_symmetric, double least,
                              double most, double eps, struct reference_value low,
                              struct reference_value high, struct reference_value *scale,
                              struct reference_value *zero)
{
    const struct reference_shape small = LIKE(low);
    struct reference_value negative;
    if (is_symmetric) {
        ETS_TRY(APPLY(frame, small, &negative, "aten.neg.default", low));
        ETS_TRY(APPLY(frame, small, scale, "aten.maximum.default", negative, high));
        ETS_TRY(APPLY(frame, small, scale, "aten.div.Scalar", *scale, NUMBER((most - least) / 2)));
        ETS_TRY(APPLY(frame, small, scale, "aten.clamp.default", *scale, NUMBER(eps)));
        return APPLY(frame, small, zero, "aten.full_like.default", *scale,
                     NUMBER(trunc((most + least + 1) / 2)));
    }
    ETS_TRY(APPLY(frame, small, scale, "aten.sub.Tensor", high, low));
    ETS_TRY(APPLY(frame, small, scale, "aten.div.Scalar", *scale, NUMBER(most - least)));
    ETS_TRY(APPLY(frame, small, scale, "aten.clamp.default", *scale, NUMBER(eps)));
    ETS_TRY(APPLY(frame, small, zero, "aten.div.Tensor", low, *scale));
    ETS_TRY(APPLY(frame, small, zero, "aten.round.default", *zero));
    ETS_TRY(APPLY(frame, small, zero, "aten.neg.default", *zero));
    ETS_TRY(APPLY(frame, small, zero, "aten.add.Scalar", *zero, NUMBER(least)));
    return APPLY(frame, small, zero, "aten.clamp.default", *zero, NUMBER(least), NUMBER(most));
}

/*
 * choose_qparams_affine(input, mapping_type, block_size, target_dtype, quant_min, quant_max, eps,
 * scale_dtype, zero_point_dtype, keepdim)
 */
enum ets_status ets_reference_choose_for_blocks(struct reference_frame *frame,
                                                const struct reference_step *step)
{
    const struct ets_tensor *self;
    struct blocks blocks;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    const struct reference_value *a = step->arguments;
    const struct ets_text mapping = a[1].as.text;
    const bool is_symmetric = mapping.size == 9 && memcmp(mapping.data, "SYMMETRIC", 9) == 0;
    const bool is_asymmetric = mapping.size == 10 && memcmp(mapping.data, "ASYMMETRIC", 10) == 0;
    if ((!is_symmetric && !is_asymmetric) || a[4].kind == REFERENCE_NOTHING ||
        a[5].kind == REFERENCE_NOTHING || a[9].as.int_value != 0) {
        return ets_reference_fail(frame, ETS_UNSUPPORTED, "unknown mapping type");
    }
    ETS_TRY(read_blocks(frame, self, &a[2], &blocks));
    struct reference_value low, high, scale, zero;
    ETS_TRY(find_ranges(frame, &a[0], &blocks, &low, &high));
    const double eps = a[6].kind == REFERENCE_NOTHING ? 0x1p-23 : ets_reference_number(&a[6]);
    ETS_TRY(choose(frame, is_symmetric, ets_reference_number(&a[4]), ets_reference_number(&a[5]),
                   eps, low, high, &scale, &zero));
    if (a[7].kind != REFERENCE_NOTHING) {
        ETS_TRY(APPLY(frame, LIKE(scale), &scale, "aten.to.dtype", scale, a[7]));
    }
    const int64_t zero_type = a[8].kind == REFERENCE_NOTHING ? ETS_SCALAR_INT : a[8].as.int_value;
    ETS_TRY(APPLY(frame, LIKE(zero), &zero, "aten.to.dtype", zero, WHOLE(zero_type)));
    const struct ets_tensor shape = scale_shape(&blocks);
    ETS_TRY(give_in_shape(frame, step, 0, &scale, &shape));
    return give_in_shape(frame, step, 1, &zero, &shape);
}
