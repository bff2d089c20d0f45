/* Counts nodes of XNNPACK's payload, one by one, and the bytes that sets of them move. */
#include "cost/payload_costs.h"

#include <math.h>

#include "cost/cost_call.h"

struct ets_payload_value {
    uint32_t index;       /* in the payload */
    uint32_t uses;        /* as inputs, over all nodes */
    uint32_t set_uses;    /* as inputs, over the nodes of `set` */
    uint32_t set;         /* that `set_uses` is of */
    uint32_t made_set;    /* whose nodes make it */
    uint32_t counted_set; /* in which its bytes were counted */
};

/* The value of an id, NULL for none. */
static struct ets_payload_value *find(const struct ets_payload_costs *c, uint32_t id)
{
    const uint64_t key = id;
    const uint32_t number = ets_key_table_find(&c->ids, &key);
    return number == ETS_KEY_NONE ? NULL : &c->values[number];
}

bool ets_payload_costs_open(struct ets_arena *arena, const struct ets_xnnpack *payload,
                            struct ets_payload_costs *costs_out)
{
    struct ets_payload_costs *c = costs_out; /* filled in place, as the table of ids stays there */
    *c = (struct ets_payload_costs){
        .payload = payload,
        .values = ets_arena_alloc_array(arena, payload->value_count, sizeof *c->values),
        .node_marks = ets_arena_alloc_array(arena, payload->node_count, sizeof *c->node_marks),
    };
    if (c->values == NULL || c->node_marks == NULL) return false;
    ets_key_table_init(&c->ids, arena, 1);
    for (uint32_t i = 0; i < payload->value_count; i++) {
        struct ets_xnnpack_value value;
        ets_xnnpack_value(payload, i, &value);
        const uint64_t key = value.id;
        const uint32_t known = c->ids.count;
        const uint32_t number = ets_key_table_add(&c->ids, &key);
        if (number == ETS_KEY_NONE) return false;
        if (number == known) c->values[number].index = i; /* of several with one id the first */
    }
    for (uint32_t i = 0; i < payload->node_count; i++) {
        struct ets_xnnpack_node node;
        ets_xnnpack_node(payload, i, &node);
        for (uint32_t k = 0; k < node.input_count; k++) {
            struct ets_payload_value *value = find(c, node.inputs[k]);
            if (value != NULL) value->uses++;
        }
    }
    return true;
}

/* A value as a node has it. */
struct operand {
    struct ets_xnnpack_value value;
    uint64_t elements;
    uint64_t sizes[ETS_TENSOR_MAX_RANK];
};

static bool read_operand(const struct ets_payload_costs *c, uint32_t id, struct operand *out)
{
    bool ok = true;
    const struct ets_payload_value *found = find(c, id);
    if (found == NULL) return false;
    ets_xnnpack_value(c->payload, found->index, &out->value);
    if (out->value.rank > ETS_TENSOR_MAX_RANK) return false;
    out->elements = 1;
    for (uint32_t i = 0; i < out->value.rank; i++) {
        out->sizes[i] = ets_xnnpack_dim(c->payload, &out->value, i);
        out->elements = ets_cost_times(out->elements, out->sizes[i], &ok);
    }
    return ok;
}

/* The size of a dimension, counted from the end. */
static uint64_t last_size(const struct operand *operand, uint32_t from_end)
{
    const uint32_t rank = operand->value.rank;
    return from_end <= rank ? operand->sizes[rank - from_end] : 0;
}

static bool is_float(int type)
{
    return type == ETS_XNNPACK_FP32 || type == ETS_XNNPACK_FP16 || type == ETS_XNNPACK_BF16 ||
           type == ETS_XNNPACK_PFP32;
}

static enum ets_arithmetic arithmetic_of(const struct operand *in, const struct operand *weight)
{
    switch (in->value.type) {
    case ETS_XNNPACK_FP32:
    case ETS_XNNPACK_PFP32: return ETS_ARITHMETIC_FLOAT32;
    case ETS_XNNPACK_FP16: return ETS_ARITHMETIC_FLOAT16;
    case ETS_XNNPACK_BF16: return ETS_ARITHMETIC_BFLOAT16;
    case ETS_XNNPACK_QDINT8:
    case ETS_XNNPACK_QPINT8:
        return weight != NULL && ets_xnnpack_type_bits(weight->value.type) == 4
                   ? ETS_ARITHMETIC_INT4_DYNAMIC
                   : ETS_ARITHMETIC_INT8_DYNAMIC;
    case ETS_XNNPACK_QINT8:
    case ETS_XNNPACK_QUINT8: return ETS_ARITHMETIC_INT8;
    default: return ETS_ARITHMETIC_INTEGER;
    }
}

/* A node while it is counted. */
struct count {
    const struct ets_xnnpack_node *node;
    struct operand in, second, out; /* `second`: the filter, or the other input */
    bool has_second;
    struct ets_cost cost;
    bool ok;
};

static void add_ops(struct count *n, uint64_t elements, uint64_t each, uint64_t special)
{
    const uint64_t ops = ets_cost_times(elements, each, &n->ok);
    n->cost.ops = ets_cost_plus(n->cost.ops, ops, &n->ok);
    n->cost.special =
        ets_cost_plus(n->cost.special, ets_cost_times(elements, special, &n->ok), &n->ok);
}

/* Elements that share a scale; 0: the value is not quantized in groups. */
static uint32_t group_size(const struct ets_xnnpack_value *value)
{
    const int32_t size = value->quantization.group_size;
    const bool has_groups = value->quantization.kind == ETS_XNNPACK_PER_GROUP && size > 0;
    return has_groups ? (uint32_t)size : 0;
}

/* What quantized products do beside multiply-adds: scale, round and clamp each result; with groups
 * of weights, a scale for each group of each row. */
static void requantize(struct count *n, uint64_t depth)
{
    enum { REQUANTIZE = 3 };
    const uint32_t group = group_size(&n->second.value);
    if (!is_float(n->out.value.type)) add_ops(n, n->out.elements, REQUANTIZE, 0);
    if (group > 0) add_ops(n, n->out.elements, 2 * (depth / group), 0);
}

static void multiply(struct count *n, uint64_t elements, uint64_t depth)
{
    n->cost.macs = ets_cost_times(elements, depth, &n->ok);
    if (n->has_second) requantize(n, depth);
}

static void count_convolution(struct count *n)
{
    const struct ets_xnnpack_node *node = n->node;
    const uint64_t taps = (uint64_t)node->kernel[0] * node->kernel[1];
    const bool is_transposed = node->type == ETS_XNNPACK_CONV_TRANSPOSE_2D;
    n->cost.family = ETS_FAMILY_CONVOLUTION;
    if (node->type == ETS_XNNPACK_DEPTHWISE_CONV2D) {
        multiply(n, n->out.elements, taps);
    } else if (is_transposed) {
        multiply(n, n->in.elements, ets_cost_times(taps, node->group_output_channels, &n->ok));
    } else {
        multiply(n, n->out.elements, ets_cost_times(taps, node->group_input_channels, &n->ok));
    }
}

static void count_pool(struct count *n)
{
    const uint64_t taps = (uint64_t)n->node->kernel[0] * n->node->kernel[1];
    const bool is_average = n->node->type == ETS_XNNPACK_AVG_POOLING_2D;
    n->cost.family = ETS_FAMILY_POOL;
    add_ops(n, n->out.elements, taps + is_average, 0);
}

/* The filter is [N, K], or with the flag [K, N]: K is the last size of the input. */
static void count_product(struct count *n)
{
    n->cost.family = ETS_FAMILY_PRODUCT;
    multiply(n, n->out.elements, last_size(&n->in, 1));
}

static void count_attention(struct count *n)
{
    enum { SCALE_AND_SOFTMAX = 6 };
    const uint64_t depth = last_size(&n->in, 1), keys = last_size(&n->second, 2);
    const uint64_t rows = depth > 0 ? n->in.elements / depth : 0;
    const uint64_t scores = ets_cost_times(rows, keys, &n->ok);
    const uint64_t width = ets_cost_plus(depth, last_size(&n->out, 1), &n->ok);
    n->cost.family = ETS_FAMILY_ATTENTION;
    n->cost.macs = ets_cost_times(scores, width, &n->ok);
    add_ops(n, scores, SCALE_AND_SOFTMAX + (n->node->input_count > 4), 1);
}

/* To integers: scale, round, add, clamp; at run time the range is searched first, with a minimum
 * and a maximum. From integers: subtract, scale. Between floats: a cast. */
static void count_conversion(struct count *n)
{
    enum { QUANTIZE = 4, SEARCH = 2, DEQUANTIZE = 2, CAST = 1 };
    const bool from_float = is_float(n->in.value.type), to_float = is_float(n->out.value.type);
    const bool is_dynamic =
        n->out.value.type == ETS_XNNPACK_QDINT8 || n->out.value.type == ETS_XNNPACK_QPINT8;
    n->cost.family = ETS_FAMILY_CONVERSION;
    if (from_float && to_float) add_ops(n, n->out.elements, CAST, 0);
    else if (to_float) add_ops(n, n->out.elements, DEQUANTIZE, 0);
    else add_ops(n, n->out.elements, is_dynamic ? QUANTIZE + SEARCH : QUANTIZE, 0);
}

/* Element by element, and what counts its input: operations, evaluations of functions. */
struct plain {
    enum ets_cost_family family;
    uint8_t ops, special, input_ops;
};

/* As cost_rules.c counts the operators of graphs that become these nodes. */
static const struct plain plain_nodes[] = {
    [ETS_XNNPACK_ADD] = {ETS_FAMILY_ELEMENTS, 1, 0, 0},
    [ETS_XNNPACK_SOFTMAX] = {ETS_FAMILY_REDUCTION, 5, 1, 0},
    [ETS_XNNPACK_SIGMOID] = {ETS_FAMILY_ELEMENTS, 4, 1, 0},
    [ETS_XNNPACK_STATIC_TRANSPOSE] = {ETS_FAMILY_MOVE, 0, 0, 0},
    [ETS_XNNPACK_CLAMP] = {ETS_FAMILY_ELEMENTS, 1, 0, 0},
    [ETS_XNNPACK_DIV] = {ETS_FAMILY_ELEMENTS, 1, 0, 0},
    [ETS_XNNPACK_STATIC_RESIZE_BILINEAR_2D] = {ETS_FAMILY_ELEMENTS, 8, 0, 0},
    [ETS_XNNPACK_STATIC_CONSTANT_PAD] = {ETS_FAMILY_MOVE, 0, 0, 0},
    [ETS_XNNPACK_MINIMUM] = {ETS_FAMILY_ELEMENTS, 1, 0, 0},
    [ETS_XNNPACK_MULTIPLY] = {ETS_FAMILY_ELEMENTS, 1, 0, 0},
    [ETS_XNNPACK_SUBTRACT] = {ETS_FAMILY_ELEMENTS, 1, 0, 0},
    [ETS_XNNPACK_FLOOR] = {ETS_FAMILY_ELEMENTS, 1, 0, 0},
    [ETS_XNNPACK_GLOBAL_AVG_POOLING_2D] = {ETS_FAMILY_REDUCTION, 0, 0, 1},
    [ETS_XNNPACK_STATIC_RESHAPE] = {ETS_FAMILY_MOVE, 0, 0, 0},
    [ETS_XNNPACK_SQUARE_ROOT] = {ETS_FAMILY_ELEMENTS, 1, 1, 0},
    [ETS_XNNPACK_CEILING] = {ETS_FAMILY_ELEMENTS, 1, 0, 0},
    [ETS_XNNPACK_HARDSWISH] = {ETS_FAMILY_ELEMENTS, 3, 0, 0},
    [ETS_XNNPACK_LEAKY_RELU] = {ETS_FAMILY_ELEMENTS, 2, 0, 0},
    [ETS_XNNPACK_MAXIMUM] = {ETS_FAMILY_ELEMENTS, 1, 0, 0},
    [ETS_XNNPACK_NEGATE] = {ETS_FAMILY_ELEMENTS, 1, 0, 0},
    [ETS_XNNPACK_SQUARE] = {ETS_FAMILY_ELEMENTS, 1, 0, 0},
    [ETS_XNNPACK_ELU] = {ETS_FAMILY_ELEMENTS, 4, 1, 0},
    [ETS_XNNPACK_ABS] = {ETS_FAMILY_ELEMENTS, 1, 0, 0},
    [ETS_XNNPACK_PRELU] = {ETS_FAMILY_ELEMENTS, 2, 0, 0},
    [ETS_XNNPACK_CONCATENATE2] = {ETS_FAMILY_MOVE, 0, 0, 0},
    [ETS_XNNPACK_CONCATENATE3] = {ETS_FAMILY_MOVE, 0, 0, 0},
    [ETS_XNNPACK_CONCATENATE4] = {ETS_FAMILY_MOVE, 0, 0, 0},
    [ETS_XNNPACK_CONCATENATE5] = {ETS_FAMILY_MOVE, 0, 0, 0},
    [ETS_XNNPACK_STATIC_SLICE] = {ETS_FAMILY_MOVE, 0, 0, 0},
    [ETS_XNNPACK_RECIPROCAL_SQUARE_ROOT] = {ETS_FAMILY_ELEMENTS, 1, 1, 0},
    [ETS_XNNPACK_LOG] = {ETS_FAMILY_ELEMENTS, 1, 1, 0},
    [ETS_XNNPACK_GELU] = {ETS_FAMILY_ELEMENTS, 5, 1, 0},
    [ETS_XNNPACK_TANH] = {ETS_FAMILY_ELEMENTS, 6, 1, 0},
    [ETS_XNNPACK_EXP] = {ETS_FAMILY_ELEMENTS, 1, 1, 0},
    [ETS_XNNPACK_SIN] = {ETS_FAMILY_ELEMENTS, 1, 1, 0},
    [ETS_XNNPACK_COPY] = {ETS_FAMILY_MOVE, 0, 0, 0},
    [ETS_XNNPACK_COS] = {ETS_FAMILY_ELEMENTS, 1, 1, 0},
};

/* false: there is no rule for the node. */
static bool count_plain(struct count *n)
{
    const unsigned type = (unsigned)n->node->type;
    if (type >= sizeof plain_nodes / sizeof *plain_nodes) return false;
    const struct plain *plain = &plain_nodes[type];
    if (plain->family == ETS_FAMILY_NONE) return false;
    n->cost.family = plain->family;
    add_ops(n, n->out.elements, plain->ops, plain->special);
    add_ops(n, n->in.elements, plain->input_ops, 0);
    return true;
}

static bool count_by_type(struct count *n)
{
    switch (n->node->type) {
    case ETS_XNNPACK_FULLY_CONNECTED:
    case ETS_XNNPACK_BATCH_MATRIX_MULTIPLY: count_product(n); return n->has_second;
    case ETS_XNNPACK_CONV2D:
    case ETS_XNNPACK_DEPTHWISE_CONV2D:
    case ETS_XNNPACK_CONV_TRANSPOSE_2D: count_convolution(n); return n->has_second;
    case ETS_XNNPACK_SCALED_DOT_PRODUCT_ATTENTION: count_attention(n); return n->has_second;
    case ETS_XNNPACK_AVG_POOLING_2D:
    case ETS_XNNPACK_MAX_POOLING_2D:
    case ETS_XNNPACK_ARG_MAX_POOLING_2D: count_pool(n); return true;
    case ETS_XNNPACK_CONVERT: count_conversion(n); return true;
    default: return count_plain(n);
    }
}

struct ets_cost ets_payload_node_work(const struct ets_payload_costs *costs, uint32_t node)
{
    struct ets_xnnpack_node payload_node;
    struct count n = {.node = &payload_node, .cost = {.operators = 1}, .ok = true};
    ets_xnnpack_node(costs->payload, node, &payload_node);
    if (payload_node.input_count == 0 || payload_node.output_count == 0 ||
        !read_operand(costs, payload_node.inputs[0], &n.in) ||
        !read_operand(costs, payload_node.outputs[0], &n.out)) {
        return ets_cost_unknown(ETS_COST_NO_SHAPE);
    }
    n.has_second =
        payload_node.input_count > 1 && read_operand(costs, payload_node.inputs[1], &n.second);
    if (!count_by_type(&n)) return ets_cost_unknown(ETS_COST_NO_RULE);
    /* A clamp that is part of the node; a Clamp has counted it already. */
    const bool is_clamped = payload_node.has_min_max && (isfinite(payload_node.output_min) ||
                                                         isfinite(payload_node.output_max));
    if (is_clamped && payload_node.type != ETS_XNNPACK_CLAMP) add_ops(&n, n.out.elements, 1, 0);
    if (n.cost.family != ETS_FAMILY_CONVERSION && (n.cost.macs > 0 || n.cost.ops > 0)) {
        n.cost.arithmetic = arithmetic_of(&n.in, n.has_second ? &n.second : NULL);
    }
    if (!n.ok) return ets_cost_unknown(ETS_COST_TOO_LARGE);
    struct ets_cost checked = {.operators = 0};
    ets_cost_add(&checked, &n.cost);
    return checked;
}

/* Elements as they lie, and the scales of constants: one for each channel, or for each group. */
static uint64_t value_bytes(const struct ets_payload_costs *c,
                            const struct ets_payload_value *value, bool *ok)
{
    enum { SCALE = 4, GROUP_SCALE = 2, BYTE = 8 };
    struct ets_xnnpack_value v;
    uint64_t elements = 1, channels = 0;
    ets_xnnpack_value(c->payload, value->index, &v);
    for (uint32_t i = 0; i < v.rank; i++) {
        const uint64_t size = ets_xnnpack_dim(c->payload, &v, i);
        elements = ets_cost_times(elements, size, ok);
        if (size > channels && (i == 0 || i + 1 == v.rank)) channels = size;
    }
    const uint64_t bits = ets_cost_times(elements, ets_xnnpack_type_bits(v.type), ok);
    const uint64_t bytes = bits / BYTE + (bits % BYTE != 0);
    if (v.constant_index == 0) return bytes;
    if (group_size(&v) > 0) {
        const uint64_t scales = ets_cost_times(elements / group_size(&v), GROUP_SCALE, ok);
        return ets_cost_plus(bytes, scales, ok);
    }
    /* A filter is [N, K], [N, h, w, C], or of depthwise ones [1, h, w, N]; biases have no scale of
     * their own. */
    if (v.type != ETS_XNNPACK_QCINT8 && v.type != ETS_XNNPACK_QCINT4) return bytes;
    const uint64_t first = v.rank > 0 ? ets_xnnpack_dim(c->payload, &v, 0) : 0;
    if (first > 1) channels = first;
    return ets_cost_plus(bytes, ets_cost_times(channels, SCALE, ok), ok);
}

static bool is_constant(const struct ets_payload_costs *c, const struct ets_payload_value *value)
{
    struct ets_xnnpack_value v;
    ets_xnnpack_value(c->payload, value->index, &v);
    return v.constant_index != 0;
}

static bool leaves(const struct ets_payload_costs *c, const struct ets_payload_value *value)
{
    struct ets_xnnpack_value v;
    ets_xnnpack_value(c->payload, value->index, &v);
    const uint32_t inside = value->set == c->set ? value->set_uses : 0;
    return v.is_output || v.external_id != ETS_XNNPACK_INTERNAL || value->uses > inside ||
           value->uses == 0;
}

/* Which values the nodes of the set make and use. */
static void survey(struct ets_payload_costs *c, uint32_t index)
{
    struct ets_xnnpack_node node;
    ets_xnnpack_node(c->payload, index, &node);
    for (uint32_t i = 0; i < node.input_count; i++) {
        struct ets_payload_value *value = find(c, node.inputs[i]);
        if (value == NULL) continue;
        if (value->set != c->set) value->set_uses = 0;
        value->set = c->set;
        value->set_uses++;
    }
    for (uint32_t i = 0; i < node.output_count; i++) {
        struct ets_payload_value *value = find(c, node.outputs[i]);
        if (value != NULL) value->made_set = c->set;
    }
}

static void count_border(struct ets_payload_costs *c, uint32_t index, struct ets_cost *cost,
                         bool *ok)
{
    struct ets_xnnpack_node node;
    ets_xnnpack_node(c->payload, index, &node);
    for (uint32_t i = 0; i < node.input_count; i++) {
        struct ets_payload_value *value = find(c, node.inputs[i]);
        if (value == NULL || value->counted_set == c->set || value->made_set == c->set) continue;
        value->counted_set = c->set;
        uint64_t *sum = is_constant(c, value) ? &cost->weight_bytes : &cost->bytes_read;
        *sum = ets_cost_plus(*sum, value_bytes(c, value, ok), ok);
    }
    for (uint32_t i = 0; i < node.output_count; i++) {
        struct ets_payload_value *value = find(c, node.outputs[i]);
        if (value == NULL || value->counted_set == c->set || !leaves(c, value)) continue;
        value->counted_set = c->set;
        cost->bytes_written = ets_cost_plus(cost->bytes_written, value_bytes(c, value, ok), ok);
    }
}

/*
 * Whether XNNPACK writes the node's output over an input: element by element, between values of its
 * own, of which the input is as large and has no other reader.
 */
static bool is_in_place(const struct ets_payload_costs *c, uint32_t index)
{
    struct ets_xnnpack_node node;
    struct operand out, in;
    ets_xnnpack_node(c->payload, index, &node);
    const unsigned type = (unsigned)node.type;
    if (type >= sizeof plain_nodes / sizeof *plain_nodes || node.output_count != 1 ||
        plain_nodes[type].family != ETS_FAMILY_ELEMENTS ||
        !read_operand(c, node.outputs[0], &out) || out.value.is_output ||
        out.value.external_id != ETS_XNNPACK_INTERNAL) {
        return false;
    }
    for (uint32_t i = 0; i < node.input_count; i++) {
        const struct ets_payload_value *value = find(c, node.inputs[i]);
        if (value == NULL || value->uses != 1 || !read_operand(c, node.inputs[i], &in)) continue;
        if (in.value.constant_index == 0 && in.value.external_id == ETS_XNNPACK_INTERNAL &&
            in.elements == out.elements && in.value.type == out.value.type) {
            return true;
        }
    }
    return false;
}

struct ets_cost ets_payload_cost(struct ets_payload_costs *costs, const uint32_t *nodes,
                                 uint32_t count)
{
    struct ets_cost sum = {.operators = 0}, border = {.operators = 0};
    bool ok = true;
    const uint32_t all = nodes != NULL ? count : costs->payload->node_count;
    costs->set++;
    for (uint32_t i = 0; i < all; i++) survey(costs, nodes != NULL ? nodes[i] : i);
    for (uint32_t i = 0; i < all; i++) {
        const uint32_t node = nodes != NULL ? nodes[i] : i;
        if (costs->node_marks[node] == costs->set) continue; /* listed twice */
        costs->node_marks[node] = costs->set;
        const struct ets_cost work = ets_payload_node_work(costs, node);
        ets_cost_add(&sum, &work);
        count_border(costs, node, &border, &ok);
    }
    if (!ok) return ets_cost_unknown(ETS_COST_TOO_LARGE);
    if (sum.operators > 0) ets_cost_add(&sum, &border);
    sum.in_place =
        sum.operators == 1 && nodes != NULL && count == 1 && is_in_place(costs, nodes[0]);
    return sum;
}
