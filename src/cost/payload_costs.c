/* Counts nodes of a delegate's payload, one by one, and the bytes that sets of them move. */
#include "cost/payload_costs.h"

#include <math.h>

#include "cost/cost_rules.h"
#include "operators/operator_traits.h"

struct ets_payload_use {
    uint32_t uses;        /* as inputs, over all nodes */
    uint32_t set_uses;    /* as inputs, over the nodes of `set` */
    uint32_t set;         /* that `set_uses` is of */
    uint32_t made_set;    /* whose nodes make it */
    uint32_t counted_set; /* in which its bytes were counted */
};

/* NULL for a value that the payload does not have. */
static struct ets_payload_use *use_of(const struct ets_payload_costs *c, uint32_t value)
{
    return value < c->graph->value_count ? &c->uses[value] : NULL;
}

bool ets_payload_costs_open(struct ets_arena *arena, const struct ets_payload_graph *graph,
                            struct ets_payload_costs *costs_out)
{
    *costs_out = (struct ets_payload_costs){
        .graph = graph,
        .arena = arena,
        .uses = ets_arena_alloc_array(arena, graph->value_count, sizeof *costs_out->uses),
        .node_marks = ets_arena_alloc_array(arena, graph->node_count, sizeof(uint32_t)),
        .marks = {.marks = ets_arena_alloc_array(arena, graph->value_count, sizeof(uint32_t))},
    };
    if (costs_out->uses == NULL || costs_out->node_marks == NULL ||
        costs_out->marks.marks == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct ets_payload_node *node = &graph->nodes[i];
        for (uint32_t k = 0; k < node->input_count; k++) {
            struct ets_payload_use *use = use_of(costs_out, node->inputs[k]);
            if (use != NULL) use->uses++;
        }
    }
    return true;
}

/* A value as a node has it. */
struct operand {
    const struct ets_payload_value *value;
    int64_t sizes[ETS_TENSOR_MAX_RANK];
    uint64_t elements;
};

static bool read_operand(struct ets_payload_costs *c, uint32_t value, struct operand *out)
{
    bool ok = true;
    out->value = ets_payload_value(c->graph, value);
    if (out->value == NULL || !ets_payload_costs_sizes(c, out->value, out->sizes)) return false;
    out->elements = 1;
    for (uint32_t i = 0; i < out->value->rank; i++) {
        out->elements = ets_cost_times(out->elements, (uint64_t)out->sizes[i], &ok);
    }
    return ok;
}

/* The size of a dimension, counted from the end. */
static uint64_t last_size(const struct operand *operand, uint32_t from_end)
{
    const uint32_t rank = operand->value->rank;
    return from_end <= rank ? (uint64_t)operand->sizes[rank - from_end] : 0;
}

static bool is_float(const struct operand *operand)
{
    const enum ets_payload_numbers numbers = operand->value->type->numbers;
    return numbers >= ETS_PAYLOAD_FLOAT64 && numbers <= ETS_PAYLOAD_BFLOAT16;
}

static enum ets_arithmetic arithmetic_of(const struct operand *in, const struct operand *weight)
{
    switch (in->value->type->numbers) {
    case ETS_PAYLOAD_FLOAT64: return ETS_ARITHMETIC_FLOAT64;
    case ETS_PAYLOAD_FLOAT32: return ETS_ARITHMETIC_FLOAT32;
    case ETS_PAYLOAD_FLOAT16: return ETS_ARITHMETIC_FLOAT16;
    case ETS_PAYLOAD_BFLOAT16: return ETS_ARITHMETIC_BFLOAT16;
    case ETS_PAYLOAD_INT8_DYNAMIC:
        return weight != NULL && weight->value->type->bits == 4 ? ETS_ARITHMETIC_INT4_DYNAMIC
                                                                : ETS_ARITHMETIC_INT8_DYNAMIC;
    case ETS_PAYLOAD_INT8: return ETS_ARITHMETIC_INT8;
    default: return ETS_ARITHMETIC_INTEGER;
    }
}

/* A node while it is counted. */
struct count {
    const struct ets_payload_node *node;
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
static uint32_t group_size(const struct ets_payload_value *value)
{
    const int32_t size = value->quantization.group_size;
    const bool has_groups = value->quantization.kind == ETS_PAYLOAD_PER_GROUP && size > 0;
    return has_groups ? (uint32_t)size : 0;
}

/* What quantized products do beside multiply-adds: scale, round and clamp each result; with groups
 * of weights, a scale for each group of each row. */
static void requantize(struct count *n, uint64_t depth)
{
    enum { REQUANTIZE = 3, SUM_BITS = 32 }; /* sums are written as they are */
    const uint32_t group = group_size(n->second.value);
    if (!is_float(&n->out) && n->out.value->type->bits < SUM_BITS)
        add_ops(n, n->out.elements, REQUANTIZE, 0);
    if (group > 0) add_ops(n, n->out.elements, 2 * (depth / group), 0);
}

/* A product of which the depth is known: convolutions, layers, products of matrices. */
static void count_product(struct count *n)
{
    const uint64_t elements = n->node->is_transposed ? n->in.elements : n->out.elements;
    const uint32_t rank = n->in.value->rank;
    uint64_t depth = n->node->depth;
    /* Of two matrices, neither of which is a weight, the depth may be dynamic. */
    if (rank > 0 && n->second.value->constant == ETS_PAYLOAD_NONE &&
        depth == n->in.value->dims[rank - 1]) {
        depth = last_size(&n->in, 1);
    }
    n->cost.macs = ets_cost_times(elements, depth, &n->ok);
    requantize(n, depth);
}

static void count_pool(struct count *n)
{
    const bool is_average = ets_text_is(n->node->operation, "avg_pool2d");
    add_ops(n, n->out.elements, n->node->depth + is_average, 0);
}

static void count_attention(struct count *n)
{
    enum { SCALE_AND_SOFTMAX = 6 };
    const uint64_t depth = last_size(&n->in, 1), keys = last_size(&n->second, 2);
    const uint64_t rows = depth > 0 ? n->in.elements / depth : 0;
    const uint64_t scores = ets_cost_times(rows, keys, &n->ok);
    const uint64_t width = ets_cost_plus(depth, last_size(&n->out, 1), &n->ok);
    n->cost.macs = ets_cost_times(scores, width, &n->ok);
    add_ops(n, scores, SCALE_AND_SOFTMAX + (n->node->input_count > 4), 1);
}

/* To integers: scale, round, add, clamp; at run time the range is searched first, with a minimum
 * and a maximum. From integers: subtract, scale. Between floats: a cast. */
static void count_conversion(struct count *n)
{
    enum { QUANTIZE = 4, SEARCH = 2, DEQUANTIZE = 2, CAST = 1 };
    const bool from_float = is_float(&n->in), to_float = is_float(&n->out);
    const bool is_dynamic = n->out.value->type->numbers == ETS_PAYLOAD_INT8_DYNAMIC;
    n->cost.family = ETS_FAMILY_CONVERSION;
    if (from_float && to_float) add_ops(n, n->out.elements, CAST, 0);
    else if (to_float) add_ops(n, n->out.elements, DEQUANTIZE, 0);
    else add_ops(n, n->out.elements, is_dynamic ? QUANTIZE + SEARCH : QUANTIZE, 0);
}

/* Element by element, as the operator's rule has it, which may ask only how many there are. */
static enum ets_cost_reason count_elements(struct count *n, const struct ets_cost_rule *rule)
{
    add_ops(n, n->out.elements, rule->ops, rule->special);
    add_ops(n, n->in.elements, rule->input_ops, 0);
    if (rule->ops > 0 || rule->count == NULL) return ETS_COST_REASON_NONE;
    const int64_t elements = (int64_t)n->out.elements;
    const struct ets_cost_tensor whole = {.scalar_type = -1, .rank = 1, .sizes = &elements};
    const struct ets_cost_argument argument = {
        .kind = ETS_COST_TENSORS, .count = 1, .tensors = &whole};
    const struct ets_cost_call call = {
        .argument_count = 1, .arguments = &argument, .output_count = 1, .outputs = &whole};
    return rule->count(&call, &n->cost);
}

static enum ets_cost_reason count_by_rule(struct count *n)
{
    if (ets_operator_is(n->node->operation, ETS_OPERATOR_CAST)) {
        count_conversion(n);
        return ETS_COST_REASON_NONE;
    }
    const struct ets_cost_rule *rule = ets_cost_rule_find(n->node->operation);
    if (rule == NULL) return ETS_COST_NO_RULE;
    n->cost.family = rule->family;
    switch (rule->family) {
    case ETS_FAMILY_CONVOLUTION:
    case ETS_FAMILY_PRODUCT:
        if (!n->has_second || n->node->depth == 0) return ETS_COST_NO_RULE;
        count_product(n);
        return ETS_COST_REASON_NONE;
    case ETS_FAMILY_ATTENTION:
        if (!n->has_second) return ETS_COST_NO_RULE;
        count_attention(n);
        return ETS_COST_REASON_NONE;
    case ETS_FAMILY_POOL: count_pool(n); return ETS_COST_REASON_NONE;
    case ETS_FAMILY_REDUCTION:
        if (n->node->depth == 0) return count_elements(n, rule);
        n->cost.macs = ets_cost_times(n->out.elements, n->node->depth, &n->ok); /* as a product */
        return ETS_COST_REASON_NONE;
    default: return count_elements(n, rule);
    }
}

/* A clamp that is part of the node; a clamp itself has counted it already. */
static bool is_clamped(const struct ets_payload_node *node)
{
    return node->has_clamp && (isfinite(node->clamp_min) || isfinite(node->clamp_max)) &&
           !ets_text_is(node->operation, "clamp");
}

/* The arithmetic of a node that says no more than its operands. */
static struct ets_cost count_node(struct count *n)
{
    n->cost.operators = 1;
    const enum ets_cost_reason reason = count_by_rule(n);
    if (reason != ETS_COST_REASON_NONE) return ets_cost_unknown(reason);
    if (n->cost.family != ETS_FAMILY_CONVERSION && (n->cost.macs > 0 || n->cost.ops > 0)) {
        n->cost.arithmetic = arithmetic_of(&n->in, n->has_second ? &n->second : NULL);
    }
    return n->cost;
}

struct ets_cost ets_payload_node_work(struct ets_payload_costs *costs, uint32_t node)
{
    const struct ets_payload_node *of = &costs->graph->nodes[node];
    struct count n = {.node = of, .ok = true};
    if (of->operation.data == NULL || of->is_conditional) return ets_cost_unknown(ETS_COST_NO_RULE);
    if (of->input_count == 0 || of->output_count == 0 ||
        !read_operand(costs, of->inputs[0], &n.in) ||
        !read_operand(costs, of->outputs[0], &n.out)) {
        return ets_cost_unknown(ETS_COST_NO_SHAPE);
    }
    n.has_second = of->input_count > 1 && read_operand(costs, of->inputs[1], &n.second);
    const bool is_call = of->depth == 0 && ets_payload_is_in_schema_order(costs->graph);
    n.cost = is_call ? ets_payload_call_work(costs, of) : count_node(&n);
    if (n.cost.unknown > 0) return n.cost;
    if (is_clamped(of)) add_ops(&n, n.out.elements, 1, 0);
    if (!n.ok) return ets_cost_unknown(ETS_COST_TOO_LARGE);
    struct ets_cost checked = {.operators = 0};
    ets_cost_add(&checked, &n.cost);
    return checked;
}

/* Elements as they lie, and the scales of constants: one for each channel, or for each group. */
static uint64_t value_bytes(struct ets_payload_costs *c, const struct ets_payload_value *v,
                            bool *ok)
{
    enum { SCALE = 4, GROUP_SCALE = 2, BYTE = 8 };
    int64_t sizes[ETS_TENSOR_MAX_RANK];
    uint64_t elements = 1, channels = 0;
    if (v->is_sizeless) return 0; /* the nodes that make and read it are unknown */
    const bool has_sizes = ets_payload_costs_sizes(c, v, sizes);
    for (uint32_t i = 0; i < v->rank; i++) {
        elements = ets_cost_times(elements, has_sizes ? (uint64_t)sizes[i] : v->dims[i], ok);
        if (v->dims[i] > channels && (i == 0 || i + 1 == v->rank)) channels = v->dims[i];
    }
    const uint64_t bits = ets_cost_times(elements, v->type->bits, ok);
    const uint64_t bytes = bits / BYTE + (bits % BYTE != 0);
    if (v->constant == ETS_PAYLOAD_NONE || v->quantization.is_scale_apart) return bytes;
    if (group_size(v) > 0) {
        const uint64_t scales = ets_cost_times(elements / group_size(v), GROUP_SCALE, ok);
        return ets_cost_plus(bytes, scales, ok);
    }
    /* A filter is [N, K], [N, h, w, C], or of depthwise ones [1, h, w, N]; biases have no scale of
     * their own. */
    const bool is_filter =
        v->type->numbers == ETS_PAYLOAD_INT8 || v->type->numbers == ETS_PAYLOAD_INT4;
    if (!is_filter || v->quantization.kind != ETS_PAYLOAD_PER_CHANNEL) return bytes;
    const uint64_t first = v->rank > 0 ? v->dims[0] : 0;
    if (first > 1) channels = first;
    return ets_cost_plus(bytes, ets_cost_times(channels, SCALE, ok), ok);
}

static bool is_within(const struct ets_payload_value *value)
{
    return !value->is_output && value->argument == ETS_PAYLOAD_NONE;
}

static bool leaves(const struct ets_payload_costs *c, uint32_t number)
{
    const struct ets_payload_use *use = &c->uses[number];
    const uint32_t inside = use->set == c->set ? use->set_uses : 0;
    return !is_within(&c->graph->values[number]) || use->uses > inside || use->uses == 0;
}

/* Which values the nodes of the set make and use. */
static void survey(struct ets_payload_costs *c, uint32_t index)
{
    const struct ets_payload_node *node = &c->graph->nodes[index];
    for (uint32_t i = 0; i < node->input_count; i++) {
        struct ets_payload_use *use = use_of(c, node->inputs[i]);
        if (use == NULL) continue;
        if (use->set != c->set) use->set_uses = 0;
        use->set = c->set;
        use->set_uses++;
    }
    for (uint32_t i = 0; i < node->output_count; i++) {
        struct ets_payload_use *use = use_of(c, node->outputs[i]);
        if (use != NULL) use->made_set = c->set;
    }
}

static void count_border(struct ets_payload_costs *c, uint32_t index, struct ets_cost *cost,
                         bool *ok)
{
    const struct ets_payload_node *node = &c->graph->nodes[index];
    for (uint32_t i = 0; i < node->input_count; i++) {
        struct ets_payload_use *use = use_of(c, node->inputs[i]);
        if (use == NULL || use->counted_set == c->set || use->made_set == c->set) continue;
        use->counted_set = c->set;
        const struct ets_payload_value *value = &c->graph->values[node->inputs[i]];
        uint64_t *sum =
            ets_payload_costs_is_weight(c, value) ? &cost->weight_bytes : &cost->bytes_read;
        *sum = ets_cost_plus(*sum, value_bytes(c, value, ok), ok);
    }
    for (uint32_t i = 0; i < node->output_count; i++) {
        struct ets_payload_use *use = use_of(c, node->outputs[i]);
        if (use == NULL || use->counted_set == c->set || !leaves(c, node->outputs[i])) continue;
        use->counted_set = c->set;
        const struct ets_payload_value *value = &c->graph->values[node->outputs[i]];
        cost->bytes_written = ets_cost_plus(cost->bytes_written, value_bytes(c, value, ok), ok);
    }
}

/*
 * Whether the backend writes the node's output over an input: element by element, between values of
 * its own, of which the input is as large and has no other reader.
 */
static bool is_in_place(struct ets_payload_costs *c, uint32_t index)
{
    const struct ets_payload_node *node = &c->graph->nodes[index];
    const struct ets_cost_rule *rule = ets_cost_rule_find(node->operation);
    struct operand out, in;
    if (!ets_payload_writes_in_place(c->graph) || rule == NULL || node->output_count != 1 ||
        rule->family != ETS_FAMILY_ELEMENTS || !read_operand(c, node->outputs[0], &out) ||
        !is_within(out.value)) {
        return false;
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        const struct ets_payload_use *use = use_of(c, node->inputs[i]);
        if (use == NULL || use->uses != 1 || !read_operand(c, node->inputs[i], &in)) continue;
        if (in.value->constant == ETS_PAYLOAD_NONE && in.value->argument == ETS_PAYLOAD_NONE &&
            in.elements == out.elements && in.value->type == out.value->type) {
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
    const uint32_t all = nodes != NULL ? count : costs->graph->node_count;
    costs->set++;
    costs->is_bounded = false;
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
    if (costs->is_bounded) sum.at_most = true;
    sum.in_place =
        sum.operators == 1 && nodes != NULL && count == 1 && is_in_place(costs, nodes[0]);
    return sum;
}
