/* Operators of language models that keep keys and values from call to call: what they read depends
 * on the position, which only a run knows. */
#include "base/text.h"
#include "cost/cost_rules.h"

static enum ets_cost_reason reason_of(bool ok)
{
    return ok ? ETS_COST_REASON_NONE : ETS_COST_TOO_LARGE;
}

/* Where an attention has its arguments. */
struct attention {
    const struct ets_cost_tensor *query, *keys, *values; /* the caches */
    bool has_mask, is_quantized, updates;
    int64_t sequence; /* the dimension of query and caches that counts tokens */
};

static bool read_attention(const struct ets_cost_call *call, struct attention *out)
{
    out->updates = ets_text_is(call->base, "sdpa_with_kv_cache");
    out->is_quantized = ets_text_is(call->base, "custom_quantized_sdpa");
    out->query = ets_cost_tensor_at(call, 0, "query");
    out->keys = ets_cost_tensor_at(call, out->updates ? 3 : 1, out->updates ? "key_cache" : "key");
    out->values =
        ets_cost_tensor_at(call, out->updates ? 4 : 2, out->updates ? "value_cache" : "value");
    out->has_mask = ets_cost_tensor_at(call, out->updates ? 7 : 4, "attn_mask") != NULL;
    const bool is_swapped =
        out->is_quantized && ets_cost_integer_at(call, 14, "is_seq_at_dim_2", 0) != 0;
    out->sequence = is_swapped ? 2 : 1;
    return out->query != NULL && out->keys != NULL && out->values != NULL &&
           out->query->rank == 4 && out->keys->rank == 4 && out->values->rank == 4;
}

/* How many keys are read: those of the positions before and of the call's own tokens; with a mask,
 * all that the cache has. */
static uint64_t keys_of(const struct ets_cost_call *call, const struct attention *attention,
                        struct ets_cost *cost)
{
    const uint64_t all = ets_cost_size(attention->keys, attention->sequence);
    const uint64_t own = ets_cost_size(attention->query, attention->sequence);
    if (attention->has_mask) return all;
    if (call->has_position && own <= all && call->position <= all - own) {
        return call->position + own;
    }
    cost->at_most = true;
    return all;
}

static void read_part(const struct ets_cost_tensor *cache, uint64_t keys, uint64_t all,
                      struct ets_cost *cost, bool *ok)
{
    const uint64_t each = all > 0 ? ets_cost_tensor_bytes(cache, ok) / all : 0;
    ets_cost_read(cost, cache, ets_cost_times(each, keys, ok), ok);
}

/* Other inputs as a whole: the query, a mask; scales and zero points of the keys that are read. */
static void read_others(const struct ets_cost_call *call, const struct attention *attention,
                        uint64_t keys, uint64_t all, struct ets_cost *cost, bool *ok)
{
    for (uint32_t i = 0; i < call->argument_count; i++) {
        const struct ets_cost_argument *argument = &call->arguments[i];
        if (argument->kind != ETS_COST_TENSORS || argument->count == 0) continue;
        const struct ets_cost_tensor *tensor = &argument->tensors[0];
        if (tensor == attention->keys || tensor == attention->values) continue;
        if (attention->is_quantized && tensor->rank == 4 &&
            ets_cost_size(tensor, attention->sequence) == all) {
            read_part(tensor, keys, all, cost, ok);
        } else {
            ets_cost_read(cost, tensor, ets_cost_tensor_bytes(tensor, ok), ok);
        }
    }
}

/* q [B, S, H, D] with caches [B, T, H', D], of which the first keys are read. */
enum ets_cost_reason ets_count_cache_attention(const struct ets_cost_call *call,
                                               struct ets_cost *cost)
{
    bool ok = true;
    struct attention a;
    if (!read_attention(call, &a) || call->output_count == 0) return ETS_COST_NO_SHAPE;
    const uint64_t depth = ets_cost_size(a.query, -1), elements = ets_cost_elements(a.query, &ok);
    if (!ok || depth == 0) return ok ? ETS_COST_NO_SHAPE : ETS_COST_TOO_LARGE;
    const uint64_t keys = keys_of(call, &a, cost), all = ets_cost_size(a.keys, a.sequence);
    read_part(a.keys, keys, all, cost, &ok);
    read_part(a.values, keys, all, cost, &ok);
    read_others(call, &a, keys, all, cost, &ok);
    cost->bytes_written = ets_cost_tensor_bytes(&call->outputs[0], &ok);
    if (a.updates) { /* it puts new keys and values into the caches, too */
        const struct ets_cost_tensor *key = ets_cost_tensor_at(call, 1, "key");
        if (key == NULL) return ETS_COST_NO_SHAPE;
        const uint64_t new_bytes = ets_cost_times(2, ets_cost_tensor_bytes(key, &ok), &ok);
        cost->bytes_written = ets_cost_plus(cost->bytes_written, new_bytes, &ok);
    }
    return ok ? ets_count_scores(elements / depth, depth, keys, depth, a.has_mask, cost)
              : ETS_COST_TOO_LARGE;
}

/* Values go into the cache, at a position or at indices. */
enum ets_cost_reason ets_count_cache_update(const struct ets_cost_call *call, struct ets_cost *cost)
{
    bool ok = true;
    const struct ets_cost_tensor *value = ets_cost_tensor_at(call, 0, "value");
    const struct ets_cost_tensor *indices = ets_cost_tensor_at(call, 3, "indices");
    if (value == NULL) return ETS_COST_NO_SHAPE;
    ets_cost_read(cost, value, ets_cost_tensor_bytes(value, &ok), &ok);
    if (ets_text_is(call->base, "update_cache_with_indices")) {
        if (indices == NULL) return ETS_COST_NO_SHAPE;
        ets_cost_read(cost, indices, ets_cost_tensor_bytes(indices, &ok), &ok);
    }
    cost->bytes_written = ets_cost_tensor_bytes(value, &ok);
    return reason_of(ok);
}

/* Of each row of n elements: log2(n) rounds of additions, and a scale for each element. */
enum ets_cost_reason ets_count_hadamard(const struct ets_cost_call *call, struct ets_cost *cost)
{
    bool ok = true;
    const struct ets_cost_tensor *x = ets_cost_tensor_at(call, 0, "mat");
    if (x == NULL) return ETS_COST_NO_SHAPE;
    uint64_t rounds = 0;
    for (uint64_t row = ets_cost_size(x, -1); row > 1; row = (row + 1) / 2) rounds++;
    cost->ops = ets_cost_times(ets_cost_elements(x, &ok), rounds + 1, &ok);
    return reason_of(ok);
}
