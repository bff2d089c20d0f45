/* What depends on an argument: element-wise operators, norms, pools, sorts, updates in place. */
#include "cost/cost_rules.h"

#include "base/text.h"

static enum ets_cost_reason reason_of(bool ok)
{
    return ok ? ETS_COST_REASON_NONE : ETS_COST_TOO_LARGE;
}

/* `ops` and `special` for each element of the output, beside what the table counts. */
static enum ets_cost_reason add_for_each(const struct ets_cost_call *call, uint64_t ops,
                                         uint64_t special, struct ets_cost *cost)
{
    bool ok = true;
    if (call->output_count == 0) return ETS_COST_NO_SHAPE;
    const uint64_t elements = ets_cost_elements(&call->outputs[0], &ok);
    cost->ops = ets_cost_plus(cost->ops, ets_cost_times(elements, ops, &ok), &ok);
    cost->special = ets_cost_plus(cost->special, ets_cost_times(elements, special, &ok), &ok);
    return reason_of(ok);
}

/* a + alpha * b: the product counts where alpha is not 1. */
enum ets_cost_reason ets_count_scaled_add(const struct ets_cost_call *call, struct ets_cost *cost)
{
    return add_for_each(call, ets_cost_real_at(call, 2, "alpha", 1) != 1, 0, cost);
}

/* A square is a product, any other power a logarithm and an exponential in one. */
enum ets_cost_reason ets_count_power(const struct ets_cost_call *call, struct ets_cost *cost)
{
    return add_for_each(call, 0, ets_cost_real_at(call, 1, "exponent", 0) != 2, cost);
}

enum ets_cost_reason ets_count_gelu(const struct ets_cost_call *call, struct ets_cost *cost)
{
    return add_for_each(call, ets_text_is(call->text, "tanh") ? 9 : 5, 1, cost);
}

/* A copy that changes the type converts each element; one that does not, none. */
enum ets_cost_reason ets_count_cast(const struct ets_cost_call *call, struct ets_cost *cost)
{
    const struct ets_cost_tensor *x = ets_cost_tensor_at(call, 0, "self");
    if (x == NULL || call->output_count == 0) return ETS_COST_NO_SHAPE;
    return add_for_each(call, x->scalar_type != call->outputs[0].scalar_type, 0, cost);
}

/*
 * copy, index_put: a functional one writes the whole destination anew, in place only the updates.
 * Both read the updates (the last tensors) and the indices.
 */
enum ets_cost_reason ets_count_in_place(const struct ets_cost_call *call, struct ets_cost *cost)
{
    bool ok = true;
    const bool is_put = ets_text_is(call->base, "index_put");
    const struct ets_cost_tensor *self = ets_cost_tensor_at(call, 0, "self");
    const struct ets_cost_tensor *update =
        ets_cost_tensor_at(call, is_put ? 2 : 1, is_put ? "values" : "src");
    if (self == NULL || update == NULL || call->output_count == 0) return ETS_COST_NO_SHAPE;
    const struct ets_cost_argument *indices = is_put ? ets_cost_argument(call, 1, "indices") : NULL;
    const bool is_in_place = call->outputs[0].identity == self->identity;
    const uint64_t whole = ets_cost_tensor_bytes(self, &ok);
    ets_cost_read(cost, update, ets_cost_tensor_bytes(update, &ok), &ok);
    for (uint32_t i = 0; indices != NULL && i < indices->count; i++) {
        if (indices->kind != ETS_COST_TENSORS) break;
        const uint64_t bytes = ets_cost_tensor_bytes(&indices->tensors[i], &ok);
        cost->bytes_read = ets_cost_plus(cost->bytes_read, bytes, &ok);
    }
    if (is_put && is_in_place) {
        cost->bytes_written = ets_cost_tensor_bytes(update, &ok);
    } else {
        cost->bytes_written = whole; /* copy writes all of it, in place as well */
        if (is_put) ets_cost_read(cost, self, whole, &ok);
    }
    return reason_of(ok);
}

/* The updates are added to what is there. */
enum ets_cost_reason ets_count_added(const struct ets_cost_call *call, struct ets_cost *cost)
{
    bool ok = true;
    const bool is_index = ets_text_is(call->base, "index_add");
    const struct ets_cost_tensor *update = ets_cost_tensor_at(call, 3, is_index ? "source" : "src");
    if (update == NULL) return ETS_COST_NO_SHAPE;
    cost->ops = ets_cost_elements(update, &ok);
    return reason_of(ok);
}

/*
 * quantized_decomposed: rows of a table of bytes, or of 4 or 2 bits, which are dequantized: of
 * the table as much as is given, a scale (and a zero point) for each row.
 */
enum ets_cost_reason ets_count_byte_embedding(const struct ets_cost_call *call,
                                              struct ets_cost *cost)
{
    bool ok = true;
    const uint64_t in_byte = ets_text_is(call->base, "embedding_2bit")   ? 4
                             : ets_text_is(call->base, "embedding_4bit") ? 2
                                                                         : 1;
    const struct ets_cost_tensor *scales = ets_cost_tensor_at(call, 1, "weight_scales");
    const struct ets_cost_tensor *zeros = ets_cost_tensor_at(call, 2, "weight_zero_points");
    const struct ets_cost_tensor *indices = ets_cost_tensor_at(call, 5, "indices");
    if (scales == NULL || indices == NULL || call->output_count == 0) return ETS_COST_NO_SHAPE;
    const struct ets_cost_tensor *out = &call->outputs[0];
    const uint64_t elements = ets_cost_elements(out, &ok), rows = ets_cost_elements(indices, &ok);
    const uint64_t groups = scales->rank > 1 ? ets_cost_size(scales, 1) : 1;
    const uint64_t each = ets_scalar_type_bytes(scales->scalar_type) +
                          (zeros != NULL ? ets_scalar_type_bytes(zeros->scalar_type) : 0);
    const uint64_t parameters = ets_cost_times(ets_cost_times(rows, groups, &ok), each, &ok);
    ets_cost_read(cost, scales, ets_cost_plus(elements / in_byte, parameters, &ok), &ok);
    ets_cost_read(cost, indices, ets_cost_tensor_bytes(indices, &ok), &ok);
    cost->bytes_written = ets_cost_tensor_bytes(out, &ok);
    return reason_of(ok);
}

/* Softmax, and a logarithm for each row. */
enum ets_cost_reason ets_count_log_softmax(const struct ets_cost_call *call, struct ets_cost *cost)
{
    bool ok = true;
    const struct ets_cost_tensor *x = ets_cost_tensor_at(call, 0, "self");
    if (x == NULL) return ETS_COST_NO_SHAPE;
    const uint64_t row = ets_cost_size(x, ets_cost_integer_at(call, 1, "dim", -1));
    const uint64_t elements = ets_cost_elements(x, &ok), rows = row > 0 ? elements / row : 0;
    cost->ops = ets_cost_plus(ets_cost_times(5, elements, &ok), rows, &ok);
    cost->special = ets_cost_plus(elements, rows, &ok);
    return reason_of(ok);
}

/* Layer and RMS norm: a root for each row of normalized_shape. */
enum ets_cost_reason ets_count_row_norm(const struct ets_cost_call *call, struct ets_cost *cost)
{
    bool ok = true;
    uint64_t row = 1;
    const struct ets_cost_argument *shape = ets_cost_argument(call, 1, "normalized_shape");
    if (shape == NULL || shape->kind != ETS_COST_INTEGERS || call->output_count == 0) {
        return ETS_COST_NO_SHAPE;
    }
    for (uint32_t i = 0; i < shape->count; i++) {
        if (shape->integers[i] < 0) return ETS_COST_NO_SHAPE;
        row = ets_cost_times(row, (uint64_t)shape->integers[i], &ok);
    }
    if (row > 0) cost->special = ets_cost_elements(&call->outputs[0], &ok) / row;
    return reason_of(ok);
}

/* A root for each group of each sample. */
enum ets_cost_reason ets_count_group_norm(const struct ets_cost_call *call, struct ets_cost *cost)
{
    bool ok = true;
    const bool is_native = ets_text_is(call->base, "native_group_norm");
    const int64_t groups =
        ets_cost_integer_at(call, is_native ? 6 : 1, is_native ? "group" : "num_groups", -1);
    const struct ets_cost_tensor *x = ets_cost_tensor_at(call, 0, "input");
    if (groups < 0 || x == NULL) return ETS_COST_NO_SHAPE;
    cost->special = ets_cost_times(ets_cost_size(x, 0), (uint64_t)groups, &ok);
    if (cost->special > cost->ops) cost->special = cost->ops; /* no honest graph has these */
    return reason_of(ok);
}

/* With the batch's own statistics, as of instance norms: a root for each channel. */
enum ets_cost_reason ets_count_channel_norm(const struct ets_cost_call *call, struct ets_cost *cost)
{
    const struct ets_cost_tensor *x = ets_cost_tensor_at(call, 0, "input");
    if (x == NULL) return ETS_COST_NO_SHAPE;
    cost->special = ets_cost_size(x, 1);
    if (ets_text_is(call->base, "instance_norm")) {
        bool ok = true;
        cost->special = ets_cost_times(cost->special, ets_cost_size(x, 0), &ok);
        if (!ok) return ETS_COST_TOO_LARGE;
    }
    return ETS_COST_REASON_NONE;
}

/* Elements under the window of a pool: kernel_size, of which one number stands for all. */
static enum ets_cost_reason count_window(const struct ets_cost_call *call, uint32_t dimensions,
                                         uint64_t more, struct ets_cost *cost)
{
    bool ok = true;
    uint64_t window = 1;
    const struct ets_cost_argument *kernel = ets_cost_argument(call, 1, "kernel_size");
    if (kernel == NULL || kernel->kind != ETS_COST_INTEGERS || kernel->count == 0) {
        return ETS_COST_NO_SHAPE;
    }
    for (uint32_t i = 0; i < dimensions; i++) {
        const int64_t size = kernel->integers[kernel->count == 1 ? 0 : i % kernel->count];
        if (size < 0) return ETS_COST_NO_SHAPE;
        window = ets_cost_times(window, (uint64_t)size, &ok);
    }
    return ok ? add_for_each(call, ets_cost_plus(window, more, &ok), 0, cost) : ETS_COST_TOO_LARGE;
}

static uint32_t pool_dimensions(const struct ets_cost_call *call)
{
    if (ets_text_contains(call->base, "1d")) return 1;
    return ets_text_contains(call->base, "3d") ? 3 : 2;
}

enum ets_cost_reason ets_count_max_pool(const struct ets_cost_call *call, struct ets_cost *cost)
{
    return count_window(call, pool_dimensions(call), 0, cost);
}

/* The sum, and a division. */
enum ets_cost_reason ets_count_avg_pool(const struct ets_cost_call *call, struct ets_cost *cost)
{
    return count_window(call, pool_dimensions(call), 1, cost);
}

/* The least n with 2^n >= value. */
static uint64_t log2_of(uint64_t value)
{
    uint64_t bits = 0;
    while (bits < 63 && (UINT64_C(1) << bits) < value) bits++;
    return bits;
}

/* Of each row the k largest: a heap of k, and k of them taken out. */
enum ets_cost_reason ets_count_topk(const struct ets_cost_call *call, struct ets_cost *cost)
{
    bool ok = true;
    const struct ets_cost_tensor *x = ets_cost_tensor_at(call, 0, "self");
    const int64_t k = ets_cost_integer_at(call, 1, "k", -1);
    if (x == NULL || k < 0) return ETS_COST_NO_SHAPE;
    const uint64_t row = ets_cost_size(x, ets_cost_integer_at(call, 2, "dim", -1));
    const uint64_t elements = ets_cost_elements(x, &ok), rows = row > 0 ? elements / row : 0;
    cost->ops = ets_cost_plus(ets_cost_times(elements, log2_of((uint64_t)k), &ok),
                              ets_cost_times(rows, (uint64_t)k, &ok), &ok);
    return reason_of(ok);
}

/* n * log2(n) for each row. */
enum ets_cost_reason ets_count_sort(const struct ets_cost_call *call, struct ets_cost *cost)
{
    bool ok = true;
    const struct ets_cost_tensor *x = ets_cost_tensor_at(call, 0, "self");
    if (x == NULL) return ETS_COST_NO_SHAPE;
    const uint64_t row = ets_cost_size(x, ets_cost_integer_at(call, 1, "dim", -1));
    cost->ops = ets_cost_times(ets_cost_elements(x, &ok), log2_of(row), &ok);
    return reason_of(ok);
}

/* Standard deviation: a root for each variance. */
enum ets_cost_reason ets_count_root(const struct ets_cost_call *call, struct ets_cost *cost)
{
    return add_for_each(call, 1, 1, cost);
}
