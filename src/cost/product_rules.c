/* Multiply-adds: matrix products, convolutions, attention, recurrent layers. */
#include "cost/cost_rules.h"

#include "base/text.h"

static enum ets_cost_reason reason_of(bool ok)
{
    return ok ? ETS_COST_REASON_NONE : ETS_COST_TOO_LARGE;
}

/* Elements of the first output, each of which sums up `depth` products. */
static enum ets_cost_reason multiply_out(const struct ets_cost_call *call, uint64_t depth,
                                         struct ets_cost *cost)
{
    bool ok = true;
    if (call->output_count == 0) return ETS_COST_NO_SHAPE;
    cost->macs = ets_cost_times(ets_cost_elements(&call->outputs[0], &ok), depth, &ok);
    return reason_of(ok);
}

/* Every dimension of a weight behind the first, multiplied. */
static uint64_t depth_of(const struct ets_cost_tensor *weight, bool *ok)
{
    uint64_t depth = 1;
    for (uint32_t i = 1; i < weight->rank; i++) {
        depth = ets_cost_times(depth, ets_cost_size(weight, i), ok);
    }
    return depth;
}

/* x [..., K] with a weight [N, K]. */
enum ets_cost_reason ets_count_linear(const struct ets_cost_call *call, struct ets_cost *cost)
{
    const struct ets_cost_tensor *x = ets_cost_tensor_at(call, 0, "input");
    return x == NULL ? ETS_COST_NO_SHAPE : multiply_out(call, ets_cost_size(x, -1), cost);
}

/* a [..., M, K] with b [..., K, N]; either may be a vector. */
enum ets_cost_reason ets_count_product(const struct ets_cost_call *call, struct ets_cost *cost)
{
    const struct ets_cost_tensor *a = ets_cost_tensor_at(call, 0, "self");
    return a == NULL ? ETS_COST_NO_SHAPE : multiply_out(call, ets_cost_size(a, -1), cost);
}

/* addmm, addmv and baddbmm: beta and alpha, unless 1, are a product for each element. */
enum ets_cost_reason ets_count_addmm(const struct ets_cost_call *call, struct ets_cost *cost)
{
    bool ok = true;
    const char *name = ets_text_is(call->base, "baddbmm") ? "batch1"
                       : ets_text_is(call->base, "addmv") ? "mat"
                                                          : "mat1";
    const struct ets_cost_tensor *a = ets_cost_tensor_at(call, 1, name);
    if (a == NULL || call->output_count == 0) return ETS_COST_NO_SHAPE;
    const uint64_t factors = (ets_cost_real_at(call, 3, "beta", 1) != 1) +
                             (uint64_t)(ets_cost_real_at(call, 4, "alpha", 1) != 1);
    cost->ops = ets_cost_times(ets_cost_elements(&call->outputs[0], &ok), factors, &ok);
    return ok ? multiply_out(call, ets_cost_size(a, -1), cost) : ETS_COST_TOO_LARGE;
}

/* Each element of the output sums up the input channels of its group under the kernel. */
enum ets_cost_reason ets_count_conv(const struct ets_cost_call *call, struct ets_cost *cost)
{
    bool ok = true;
    const struct ets_cost_tensor *weight = ets_cost_tensor_at(call, 1, "weight");
    if (weight == NULL || weight->rank < 3) return ETS_COST_NO_SHAPE;
    const uint64_t depth = depth_of(weight, &ok);
    return ok ? multiply_out(call, depth, cost) : ETS_COST_TOO_LARGE;
}

/*
 * Cortex-M's and Cadence's: weights are laid out in several ways, but have always the output
 * channels as a dimension, so that each element of the output sums up what the others hold.
 */
enum ets_cost_reason ets_count_library_conv(const struct ets_cost_call *call, struct ets_cost *cost)
{
    bool ok = true;
    const struct ets_cost_tensor *weight = ets_cost_tensor_at(call, 1, "weight");
    if (weight == NULL || weight->rank < 3 || call->output_count == 0) return ETS_COST_NO_SHAPE;
    const bool is_last =
        ets_text_contains(call->base, "_nhwc") || ets_text_contains(call->base, "_nlc");
    const uint64_t channels = ets_cost_size(&call->outputs[0], is_last ? -1 : 1);
    const uint64_t all = ets_cost_elements(weight, &ok);
    if (!ok) return ETS_COST_TOO_LARGE;
    if (channels == 0 || all % channels != 0) return ETS_COST_NO_SHAPE;
    return multiply_out(call, all / channels, cost);
}

/* Each element of the input is spread over the output channels of its group and the kernel. */
enum ets_cost_reason ets_count_conv_transpose(const struct ets_cost_call *call,
                                              struct ets_cost *cost)
{
    bool ok = true;
    const struct ets_cost_tensor *x = ets_cost_tensor_at(call, 0, "input");
    const struct ets_cost_tensor *weight = ets_cost_tensor_at(call, 1, "weight");
    if (x == NULL || weight == NULL || weight->rank < 3) return ETS_COST_NO_SHAPE;
    cost->macs = ets_cost_times(ets_cost_elements(x, &ok), depth_of(weight, &ok), &ok);
    return reason_of(ok);
}

enum ets_cost_reason ets_count_convolution(const struct ets_cost_call *call, struct ets_cost *cost)
{
    const int64_t transposed = ets_cost_integer_at(call, 6, "transposed", -1);
    if (transposed < 0) return ETS_COST_NO_SHAPE;
    return transposed != 0 ? ets_count_conv_transpose(call, cost) : ets_count_conv(call, cost);
}

enum ets_cost_reason ets_count_scores(uint64_t rows, uint64_t depth, uint64_t keys, uint64_t width,
                                      bool has_mask, struct ets_cost *cost)
{
    enum { SCALE_AND_SOFTMAX = 6 };
    bool ok = true;
    const uint64_t scores = ets_cost_times(rows, keys, &ok);
    cost->macs = ets_cost_times(scores, ets_cost_plus(depth, width, &ok), &ok);
    cost->ops = ets_cost_times(scores, SCALE_AND_SOFTMAX + (uint64_t)has_mask, &ok);
    cost->special = scores;
    return reason_of(ok);
}

/* q [B, H, S, D], k [B, H', T, D], v [B, H', T, E]: heads of q count. Causal ones are dense. */
enum ets_cost_reason ets_count_attention(const struct ets_cost_call *call, struct ets_cost *cost)
{
    bool ok = true;
    const struct ets_cost_tensor *q = ets_cost_tensor_at(call, 0, "query");
    const struct ets_cost_tensor *k = ets_cost_tensor_at(call, 1, "key");
    const struct ets_cost_tensor *v = ets_cost_tensor_at(call, 2, "value");
    if (q == NULL || k == NULL || v == NULL) return ETS_COST_NO_SHAPE;
    const bool is_fused = !ets_text_is(call->base, "scaled_dot_product_attention");
    const struct ets_cost_tensor *mask = ets_cost_tensor_at(call, is_fused ? 5 : 3, "attn_mask");
    const uint64_t depth = ets_cost_size(q, -1), all = ets_cost_elements(q, &ok);
    if (depth == 0) return ok ? ETS_COST_REASON_NONE : ETS_COST_NO_SHAPE;
    if (!ok) return ETS_COST_TOO_LARGE;
    return ets_count_scores(all / depth, depth, ets_cost_size(k, -2), ets_cost_size(v, -1),
                            mask != NULL, cost);
}

/*
 * A recurrent layer as one operator: each matrix among the parameters is multiplied with each step
 * of each sequence; hidden ones, [gates * H, H], are read again for each step.
 */
static enum ets_cost_reason recur(const struct ets_cost_call *call, uint64_t gates, uint64_t unit,
                                  uint64_t unit_special, struct ets_cost *cost)
{
    bool ok = true;
    const struct ets_cost_tensor *x = ets_cost_tensor_at(call, 0, "input");
    const struct ets_cost_argument *weights = ets_cost_argument(call, 2, "params");
    if (x == NULL || weights == NULL || weights->kind != ETS_COST_TENSORS || x->rank < 2) {
        return ETS_COST_NO_SHAPE;
    }
    const uint64_t width = ets_cost_size(x, -1), all = ets_cost_elements(x, &ok);
    if (width == 0) return ETS_COST_NO_SHAPE;
    const uint64_t rows = all / width; /* steps of all sequences */
    const bool batch_first = ets_cost_integer_at(call, 8, "batch_first", 0) != 0;
    const uint64_t steps = x->rank == 2 ? rows : ets_cost_size(x, batch_first ? 1 : 0);
    for (uint32_t i = 0, matrices = 0; i < weights->count; i++) {
        const struct ets_cost_tensor *weight = &weights->tensors[i];
        if (weight->rank != 2) continue;
        const uint64_t elements = ets_cost_elements(weight, &ok);
        cost->macs = ets_cost_plus(cost->macs, ets_cost_times(elements, rows, &ok), &ok);
        if (matrices++ % 2 == 0) continue; /* the one for inputs, then the one for states */
        const uint64_t units = ets_cost_times(ets_cost_size(weight, 0) / gates, rows, &ok);
        cost->ops = ets_cost_plus(cost->ops, ets_cost_times(units, unit, &ok), &ok);
        cost->special = ets_cost_plus(cost->special, ets_cost_times(units, unit_special, &ok), &ok);
        const uint64_t again = steps > 0 ? steps - 1 : 0;
        const uint64_t bytes = ets_cost_times(ets_cost_tensor_bytes(weight, &ok), again, &ok);
        cost->weight_bytes = ets_cost_plus(cost->weight_bytes, bytes, &ok);
    }
    return reason_of(ok);
}

enum ets_cost_reason ets_count_lstm(const struct ets_cost_call *call, struct ets_cost *cost)
{
    return recur(call, 4, 11, 5, cost);
}

enum ets_cost_reason ets_count_gru(const struct ets_cost_call *call, struct ets_cost *cost)
{
    return recur(call, 3, 10, 3, cost);
}

/* Distances of all pairs of points: subtract, multiply and add for each coordinate, and a root. */
enum ets_cost_reason ets_count_distances(const struct ets_cost_call *call, struct ets_cost *cost)
{
    bool ok = true;
    const struct ets_cost_tensor *points = ets_cost_tensor_at(call, 0, "x1");
    if (points == NULL || call->output_count == 0) return ETS_COST_NO_SHAPE;
    const uint64_t pairs = ets_cost_elements(&call->outputs[0], &ok);
    const uint64_t work = ets_cost_times(3, ets_cost_size(points, -1), &ok);
    cost->ops = ets_cost_times(pairs, ets_cost_plus(work, 1, &ok), &ok);
    cost->special = pairs;
    return reason_of(ok);
}
