/*
 * Caches of keys and values, and attention over them (namespace llama): tensors of [batch,
 * positions, heads, numbers of a head], of which a call fills a few positions.
 */
#include "reference/attention.h"

#include "base/load.h"
#include "reference/expression_list.h"

enum { RANK = 4, POSITIONS = 1, HEADS = 2 };

/* A written argument, which must be a cache for `value`: it has the same sizes but positions. */
static enum ets_status find_cache(struct reference_frame *frame, const struct reference_step *step,
                                  uint32_t value_index, uint32_t cache_index,
                                  const struct ets_tensor **value_out, struct ets_tensor *cache_out)
{
    ETS_TRY(ets_reference_tensor(frame, step, value_index, value_out));
    ETS_TRY(ets_reference_written(frame, step, cache_index, cache_out));
    const struct ets_tensor *value = *value_out;
    bool fits = value->rank == RANK && cache_out->rank == RANK &&
                ets_reference_is_floating(value->scalar_type) ==
                    ets_reference_is_floating(cache_out->scalar_type);
    for (uint32_t i = 0; i < RANK && fits; i++) {
        fits = i == POSITIONS || value->sizes[i] == cache_out->sizes[i];
    }
    return fits ? ETS_OK
                : ets_reference_fail(frame, ETS_MISMATCH, "the values do not fit in the cache");
}

/* The part of a tensor at `first` of dimension `dim`. */
static struct ets_tensor part_of(const struct ets_tensor *tensor, uint32_t dim, int64_t first,
                                 int64_t count)
{
    struct ets_tensor part = *tensor;
    const size_t skipped =
        (size_t)(first * tensor->strides[dim]) * ets_scalar_type_bytes(tensor->scalar_type);
    part.sizes[dim] = count;
    part.data = (const uint8_t *)tensor->data + skipped;
    part.data_bytes -= skipped;
    return part;
}

/* Copies `value` to positions `first` and on. */
static enum ets_status write_positions(struct reference_frame *frame,
                                       const struct ets_tensor *value,
                                       const struct ets_tensor *cache, int64_t first)
{
    const int64_t count = value->sizes[POSITIONS], room = cache->sizes[POSITIONS];
    if (first < 0 || first > room || count > room - first) {
        return ets_reference_fail(frame, ETS_INVALID_ARGUMENT,
                                  "position %lld and %lld more do not fit in a cache of %lld",
                                  (long long)first, (long long)count, (long long)room);
    }
    if (ets_tensor_count(value) == 0) return ETS_OK;
    struct ets_tensor into = part_of(cache, POSITIONS, first, count);
    return ets_reference_tensor_copy(value, &into, frame->error);
}

/* What these kernels return is never written, and never used. */
static enum ets_status give_placeholder(const struct reference_step *step)
{
    if (step->output_count > 0) {
        step->outputs[0] = (struct reference_value){
            .kind = REFERENCE_UNAVAILABLE, .as.reason = "its kernel writes only the cache"};
    }
    return ETS_OK;
}

/* update_cache(value, cache, start_pos) */
enum ets_status ets_reference_update_cache(struct reference_frame *frame,
                                           const struct reference_step *step)
{
    const struct ets_tensor *value;
    struct ets_tensor cache;
    ETS_TRY(find_cache(frame, step, 0, 1, &value, &cache));
    ETS_TRY(write_positions(frame, value, &cache, step->arguments[2].as.int_value));
    return give_placeholder(step);
}

/* One number of integers in rows. */
static int64_t index_at(const struct ets_tensor *indices, int64_t row, int64_t column)
{
    const int64_t at = row * indices->strides[0] + column * indices->strides[1];
    return (int64_t)ets_load_u64((const uint8_t *)indices->data + 8 * at);
}

static enum ets_status write_by_indices(struct reference_frame *frame,
                                        const struct ets_tensor *value,
                                        const struct ets_tensor *cache,
                                        const struct ets_tensor *indices)
{
    for (int64_t row = 0; row < value->sizes[0]; row++) {
        const struct ets_tensor of_row = part_of(cache, 0, row, 1),
                                from = part_of(value, 0, row, 1);
        for (int64_t i = 0; i < value->sizes[POSITIONS]; i++) {
            const struct ets_tensor one = part_of(&from, POSITIONS, i, 1);
            ETS_TRY(write_positions(frame, &one, &of_row, index_at(indices, row, i)));
        }
    }
    return ETS_OK;
}

/* update_cache_with_indices(value, cache, start_pos, indices): each position goes to its index. */
enum ets_status ets_reference_update_cache_by_indices(struct reference_frame *frame,
                                                      const struct reference_step *step)
{
    const struct ets_tensor *value, *indices;
    struct ets_tensor cache;
    ETS_TRY(find_cache(frame, step, 0, 1, &value, &cache));
    ETS_TRY(ets_reference_tensor(frame, step, 3, &indices));
    if (indices->rank != 2 || indices->scalar_type != ETS_SCALAR_LONG ||
        indices->sizes[0] != value->sizes[0] || indices->sizes[1] != value->sizes[POSITIONS]) {
        return ets_reference_fail(frame, ETS_MISMATCH, "not one index for each position");
    }
    if (ets_tensor_count(value) > 0) ETS_TRY(write_by_indices(frame, value, &cache, indices));
    return give_placeholder(step);
}

/* What attention over caches is given. */
struct cached {
    struct reference_attention attention; /* as the operator has them */
    int64_t start;                        /* position of the first query */
    uint32_t positions;                   /* their dimension */
    struct reference_value dropout, is_causal;
};

/* Exchanges positions and heads, if these come last: [batch, heads, positions, numbers]. */
static enum ets_status heads_first(struct reference_frame *frame, const struct cached *cached,
                                   struct reference_value *value)
{
    if (cached->positions != POSITIONS) return ETS_OK;
    return APPLY(frame, LIKE(*value), value, "aten.transpose.int", *value, WHOLE(POSITIONS),
                 WHOLE(HEADS));
}

/* Keys or values of the first `count` positions, once for each head of the query. */
static enum ets_status seen_part(struct reference_frame *frame, const struct cached *cached,
                                 const struct reference_value *query, int64_t count,
                                 struct reference_value *value)
{
    ETS_TRY(heads_first(frame, cached, value));
    ETS_TRY(APPLY(frame, LIKE(*value), value, "aten.slice.Tensor", *value, WHOLE(HEADS), WHOLE(0),
                  WHOLE(count)));
    return ets_reference_spread_heads(frame, query, value);
}

static enum ets_status check_cached(struct reference_frame *frame, const struct cached *cached,
                                    const struct ets_tensor *q, const struct ets_tensor *k,
                                    const struct ets_tensor *v)
{
    const uint32_t at = cached->positions;
    const bool are_alike = q->rank == RANK && k->rank == RANK && v->rank == RANK &&
                           q->sizes[0] == k->sizes[0] && q->sizes[0] == v->sizes[0] &&
                           q->sizes[3] == k->sizes[3] && q->sizes[3] == v->sizes[3] &&
                           k->sizes[1] == v->sizes[1] && k->sizes[2] == v->sizes[2];
    if (!are_alike || !ets_reference_is_floating(q->scalar_type) ||
        !ets_reference_is_floating(k->scalar_type) || !ets_reference_is_floating(v->scalar_type)) {
        return ets_reference_fail(frame, ETS_MISMATCH,
                                  "queries, keys and values do not fit together");
    }
    if (ets_reference_number(&cached->dropout) != 0) {
        return ets_reference_fail(frame, ETS_UNSUPPORTED, "with dropout");
    }
    if (cached->start < 0 || cached->start > k->sizes[at] ||
        q->sizes[at] > k->sizes[at] - cached->start || cached->start + q->sizes[at] == 0) {
        return ets_reference_fail(frame, ETS_INVALID_ARGUMENT,
                                  "position %lld and %lld more do not fit in a cache of %lld",
                                  (long long)cached->start, (long long)q->sizes[at],
                                  (long long)k->sizes[at]);
    }
    return ETS_OK;
}

/* A mask has numbers for all keys of the cache. */
static enum ets_status check_mask(struct reference_frame *frame, const struct cached *cached,
                                  int64_t rows, int64_t columns)
{
    const struct reference_value *mask = &cached->attention.mask;
    if (mask->kind == REFERENCE_NOTHING) return ETS_OK;
    if (cached->is_causal.as.int_value != 0) {
        return ets_reference_fail(frame, ETS_UNSUPPORTED, "causal, and with a mask");
    }
    if (mask->kind == REFERENCE_TENSOR && mask->as.tensor.view.rank == 2 &&
        mask->as.tensor.view.sizes[0] == rows && mask->as.tensor.view.sizes[1] == columns &&
        ets_reference_is_floating(mask->as.tensor.view.scalar_type)) {
        return ETS_OK;
    }
    return ets_reference_fail(frame, ETS_UNSUPPORTED,
                              "with a mask that is not a number for each query and key");
}

/*
 * With a mask, queries see all keys of the cache; without one, those at `start` and on see the keys
 * up to their end, or each only those up to its own.
 */
static enum ets_status attend(struct reference_frame *frame, const struct reference_step *step,
                              const struct cached *cached)
{
    struct reference_attention attention = cached->attention;
    const struct ets_tensor q = attention.query.as.tensor.view;
    ETS_TRY(check_cached(frame, cached, &q, &attention.key.as.tensor.view,
                         &attention.value.as.tensor.view));
    const int64_t rows = q.sizes[cached->positions];
    const int64_t room = attention.key.as.tensor.view.sizes[cached->positions];
    const int64_t seen = attention.mask.kind == REFERENCE_NOTHING ? cached->start + rows : room;
    ETS_TRY(check_mask(frame, cached, rows, room));
    ETS_TRY(heads_first(frame, cached, &attention.query));
    ETS_TRY(seen_part(frame, cached, &attention.query, seen, &attention.key));
    ETS_TRY(seen_part(frame, cached, &attention.query, seen, &attention.value));
    if (cached->is_causal.as.int_value != 0) {
        ETS_TRY(ets_reference_causal_mask(frame, cached->start, rows, seen, &attention.mask));
    }
    struct reference_value result;
    ETS_TRY(ets_reference_attend(frame, &attention, &result));
    ETS_TRY(heads_first(frame, cached, &result));
    ETS_TRY(APPLY(frame, LIKE(result), &result, "aten.contiguous.default", result));
    return ets_reference_give(frame, step, 0, &result);
}

/* custom_sdpa(query, key, value, start_pos, attn_mask, drpout_p, is_causal, scale) */
enum ets_status ets_reference_cache_attention(struct reference_frame *frame,
                                              const struct reference_step *step)
{
    const struct reference_value *a = step->arguments;
    const struct ets_tensor *q, *each;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &q));
    for (uint32_t i = 1; i < 3; i++) ETS_TRY(ets_reference_tensor(frame, step, i, &each));
    if (q->rank != RANK) return ets_reference_fail(frame, ETS_MISMATCH, "not of 4 dimensions");
    const struct cached cached = {
        .attention = {a[0], a[1], a[2], a[4], ets_reference_attention_scale(&a[7], q), false},
        .start = a[3].as.int_value,
        .positions = POSITIONS,
        .dropout = a[5],
        .is_causal = a[6]};
    return attend(frame, step, &cached);
}

/*
 * sdpa_with_kv_cache(query, key, value, key_cache, value_cache, start_pos, seq_len, attn_mask,
 * drpout_p, is_causal, scale): writes keys and values to the caches, and attends to these.
 */
enum ets_status ets_reference_attention_with_cache(struct reference_frame *frame,
                                                   const struct reference_step *step)
{
    const struct reference_value *a = step->arguments;
    const struct ets_tensor *q, *value;
    struct ets_tensor cache;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &q));
    for (uint32_t i = 1; i < 3; i++) {
        ETS_TRY(find_cache(frame, step, i, i + 2, &value, &cache));
        if (q->rank != RANK || a[6].as.int_value != value->sizes[POSITIONS] ||
            value->sizes[POSITIONS] != q->sizes[POSITIONS]) {
            return ets_reference_fail(frame, ETS_UNSUPPORTED,
                                      "not as many new keys and values as queries");
        }
        ETS_TRY(write_positions(frame, value, &cache, a[5].as.int_value));
    }
    const struct cached cached = {
        .attention = {a[0], a[3], a[4], a[7], ets_reference_attention_scale(&a[10], q), false},
        .start = a[5].as.int_value,
        .positions = POSITIONS,
        .dropout = a[8],
        .is_causal = a[9]};
    return attend(frame, step, &cached);
}

/* Integers as numbers: minus the zero points, times the scales, one for each head and position. */
static enum ets_status dequantize(struct reference_frame *frame, const struct reference_step *step,
                                  uint32_t index, uint32_t zero_index,
                                  struct reference_value *number_out)
{
    const struct ets_tensor *self, *zero, *scale;
    const struct reference_value *a = step->arguments;
    const int type = ets_reference_type(frame, ETS_SCALAR_FLOAT);
    ETS_TRY(ets_reference_tensor(frame, step, index, &self));
    ETS_TRY(ets_reference_tensor(frame, step, zero_index, &zero));
    ETS_TRY(ets_reference_tensor(frame, step, zero_index + 1, &scale));
    bool fits = self->scalar_type == ETS_SCALAR_CHAR && zero->scalar_type == ETS_SCALAR_CHAR &&
                ets_reference_is_floating(scale->scalar_type) && self->rank == RANK &&
                zero->rank == RANK && scale->rank == RANK;
    for (uint32_t i = 0; i < RANK && fits; i++) {
        const int64_t size = i + 1 < RANK ? self->sizes[i] : 1;
        fits = zero->sizes[i] == size && scale->sizes[i] == size;
    }
    if (!fits) {
        return ets_reference_fail(
            frame, ETS_UNSUPPORTED,
            "not int8 with a scale and zero point for each position and head");
    }
    struct reference_value numbers, zeros;
    ETS_TRY(APPLY(frame, LIKE(a[index]), &numbers, "aten.to.dtype", a[index], WHOLE(type)));
    ETS_TRY(APPLY(frame, LIKE(a[zero_index]), &zeros, "aten.to.dtype", a[zero_index], WHOLE(type)));
    ETS_TRY(APPLY(frame, LIKE(numbers), &numbers, "aten.sub.Tensor", numbers, zeros));
    return APPLY(frame, LIKE(numbers), number_out, "aten.mul.Tensor", numbers, a[zero_index + 1]);
}

/*
 * custom_quantized_sdpa(query, key, value, start_pos, attn_mask, drpout_p, is_causal, scale,
 * q_zero_points, q_scales, k_zero_points, k_scales, v_zero_points, v_scales, is_seq_at_dim_2)
 */
enum ets_status ets_reference_quantized_attention(struct reference_frame *frame,
                                                  const struct reference_step *step)
{
    const struct reference_value *a = step->arguments;
    struct reference_value numbers[3];
    for (uint32_t i = 0; i < 3; i++) {
        ETS_TRY(dequantize(frame, step, i, 8 + 2 * i, &numbers[i]));
    }
    const struct cached cached = {
        .attention = {numbers[0], numbers[1], numbers[2], a[4],
                      ets_reference_attention_scale(&a[7], &numbers[0].as.tensor.view), false},
        .start = a[3].as.int_value,
        .positions = a[14].as.int_value != 0 ? HEADS : POSITIONS,
        .dropout = a[5],
        .is_causal = a[6]};
    return attend(frame, step, &cached);
}
