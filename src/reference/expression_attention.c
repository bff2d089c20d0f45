/* scaled_dot_product_attention(query, key, value, attn_mask, dropout_p, is_causal, scale, gqa) */
#include <math.h>

#include "reference/attention.h"
#include "reference/expression_list.h"

/* 0 where `mask` is true, else minus infinity, as numbers of the scores' type. */
static enum ets_status number_mask(struct reference_frame *frame, struct reference_value *mask,
                                   int scalar_type)
{
    struct reference_shape shape = LIKE(*mask);
    if (shape.scalar_type != ETS_SCALAR_BOOL) return ETS_OK;
    struct reference_value zeros, hidden, sizes;
    shape.scalar_type = scalar_type;
    ETS_TRY(ets_reference_int_list(frame, shape.sizes, shape.rank, &sizes));
    ETS_TRY(APPLY(frame, shape, &zeros, "aten.full.default", sizes, NUMBER(0)));
    ETS_TRY(APPLY(frame, LIKE(*mask), &hidden, "aten.logical_not.default", *mask));
    return APPLY(frame, shape, mask, "aten.masked_fill.Scalar", zeros, hidden, NUMBER(-INFINITY));
}

enum ets_status ets_reference_causal_mask(struct reference_frame *frame, int64_t first,
                                          int64_t rows, int64_t columns,
                                          struct reference_value *mask_out)
{
    const int64_t sizes[2] = {rows, columns};
    const struct reference_shape shape = ets_reference_shape_of(ETS_SCALAR_BOOL, 2, sizes);
    struct reference_value list, ones;
    ETS_TRY(ets_reference_int_list(frame, sizes, 2, &list));
    ETS_TRY(APPLY(frame, shape, &ones, "aten.full.default", list, TRUTH(1)));
    return APPLY(frame, shape, mask_out, "aten.tril.default", ones, WHOLE(first));
}

/* softmax over the last dimension; if `is_safe`, fully masked rows are 0. */
static enum ets_status safe_softmax(struct reference_frame *frame,
                                    const struct reference_value *scores, bool is_safe,
                                    struct reference_value *result)
{
    const struct reference_shape shape = LIKE(*scores);
    ETS_TRY(APPLY(frame, shape, result, "aten._softmax.default", *scores, WHOLE(-1), TRUTH(0)));
    if (!is_safe) return ETS_OK;
    struct reference_shape truth = shape;
    truth.scalar_type = ETS_SCALAR_BOOL;
    struct reference_value seen, blind;
    ETS_TRY(APPLY(frame, truth, &seen, "aten.ne.Scalar", *scores, NUMBER(-INFINITY)));
    truth.sizes[truth.rank - 1] = 1;
    ETS_TRY(APPLY(frame, truth, &seen, "aten.any.dim", seen, WHOLE(-1), TRUTH(1)));
    ETS_TRY(APPLY(frame, truth, &blind, "aten.logical_not.default", seen));
    return APPLY(frame, shape, result, "aten.masked_fill.Scalar", *result, blind, NUMBER(0));
}

enum ets_status ets_reference_spread_heads(struct reference_frame *frame,
                                           const struct reference_value *query,
                                           struct reference_value *value)
{
    const struct ets_tensor *q = &query->as.tensor.view, *v = &value->as.tensor.view;
    if (q->rank < 3 || v->rank < 3) return ETS_OK;
    const int64_t heads = q->sizes[q->rank - 3], own = v->sizes[v->rank - 3];
    if (own < 1 || heads % own != 0) {
        return ets_reference_fail(frame, ETS_MISMATCH,
                                  "the query heads are not a multiple of the value heads");
    }
    return APPLY(frame, LIKE(*value), value, "aten.repeat_interleave.self_int", *value,
                 WHOLE(heads / own), WHOLE(-3));
}

double ets_reference_attention_scale(const struct reference_value *scale,
                                     const struct ets_tensor *query)
{
    if (scale->kind != REFERENCE_NOTHING) return ets_reference_number(scale);
    return 1 / sqrt((double)query->sizes[query->rank - 1]);
}

enum ets_status ets_reference_attend(struct reference_frame *frame,
                                     const struct reference_attention *attention,
                                     struct reference_value *result_out)
{
    const struct reference_shape any = LIKE(attention->query); /* these find their own shapes */
    struct reference_value key, scores, weights, mask = attention->mask;
    ETS_TRY(APPLY(frame, any, &key, "aten.transpose.int", attention->key, WHOLE(-2), WHOLE(-1)));
    ETS_TRY(APPLY(frame, any, &scores, "aten.matmul.default", attention->query, key));
    ETS_TRY(
        APPLY(frame, LIKE(scores), &scores, "aten.mul.Scalar", scores, NUMBER(attention->scale)));
    const bool is_masked = mask.kind == REFERENCE_TENSOR;
    if (is_masked) {
        ETS_TRY(number_mask(frame, &mask, any.scalar_type));
        ETS_TRY(APPLY(frame, LIKE(scores), &scores, "aten.add.Tensor", scores, mask));
    }
    ETS_TRY(safe_softmax(frame, &scores, is_masked && attention->blind_is_zero, &weights));
    return APPLY(frame, any, result_out, "aten.matmul.default", weights, attention->value);
}

enum ets_status ets_reference_attention(struct reference_frame *frame,
                                        const struct reference_step *step)
{
    const struct ets_tensor *q, *k, *v;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &q));
    ETS_TRY(ets_reference_tensor(frame, step, 1, &k));
    ETS_TRY(ets_reference_tensor(frame, step, 2, &v));
    const struct reference_value *a = step->arguments;
    if (q->rank < 2 || k->rank < 2 || v->rank < 2 || ets_reference_number(&a[4]) != 0) {
        return ets_reference_fail(frame, ETS_UNSUPPORTED, "not matrices, or with dropout");
    }
    struct reference_attention attention = {
        a[0], a[1], a[2], a[3], ets_reference_attention_scale(&a[6], q), true};
    struct reference_value result;
    if (a[7].as.int_value != 0) {
        ETS_TRY(ets_reference_spread_heads(frame, &a[0], &attention.key));
        ETS_TRY(ets_reference_spread_heads(frame, &a[0], &attention.value));
    }
    if (a[5].as.int_value != 0) {
        ETS_TRY(ets_reference_causal_mask(frame, 0, q->sizes[q->rank - 2], k->sizes[k->rank - 2],
                                          &attention.mask));
    }
    ETS_TRY(ets_reference_attend(frame, &attention, &result));
    return ets_reference_give(frame, step, 0, &result);
}
