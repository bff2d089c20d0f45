/* Names the values within a delegate call by nodes of the record's graph. */
#include "inspect/delegates/inner_values.h"

#include <stdlib.h>

#include "base/text.h"
#include "operators/operator_traits.h"
#include "record/record_maps.h"

#define NONE UINT32_MAX
enum { MOST_DIMS = 8 };

/* Operators that a payload's node of one kind is made of: the base names of ATen's. */
static const char *const kinds[][10] = {
    {"convolution", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d"},
    {"linear", "addmm", "mm"},
    {"bmm", "matmul", "baddbmm"},
    {"clamp", "hardtanh", "relu", "relu6"},
    {"view", "reshape", "_unsafe_view", "squeeze", "unsqueeze", "flatten", "unflatten"},
    {"permute", "transpose", "t", "swapaxes", "movedim"},
    {"mean", "adaptive_avg_pool2d"},
    {"max_pool2d", "max_pool2d_with_indices"},
    {"_softmax", "softmax"},
    {"square", "pow"},
    {"constant_pad_nd", "pad"},
    {"clone", "contiguous", "_to_copy", "_to_dim_order_copy", "alias"},
};

static uint32_t kind_of(struct ets_text base)
{
    for (uint32_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        for (uint32_t k = 0; k < 10 && kinds[i][k] != NULL; k++) {
            if (ets_text_is(base, kinds[i][k])) return i;
        }
    }
    return NONE;
}

static bool is_of_kind(struct ets_text operation, struct ets_text node)
{
    const uint32_t kind = kind_of(operation);
    return ets_text_equal(operation, node) || (kind != NONE && kind == kind_of(node));
}

struct naming {
    const struct ets_payload_graph *payload;
    const struct ets_graph *graph;
    const struct ets_graph_node *const *nodes; /* [count] of the call */
    uint32_t count;
    struct ets_text *base;  /* [count] base name of each */
    bool *is_taken;         /* [count] it names a value */
    uint32_t *node_of;      /* [payload node] index in `nodes`; NONE */
    uint32_t *maker_of;     /* [payload node] the same, before quantization */
    uint32_t *user_count;   /* [graph value] nodes that take it */
    uint32_t *user;         /* [graph value] the last of them, in the graph */
    uint32_t *layout;       /* [payload value] a value of the same layout: a forest */
    bool *is_channels_last; /* [payload value] of a root: the whole tree */
    uint64_t *budget;       /* remaining comparisons */
};

static bool spend(struct naming *n)
{
    if (*n->budget == 0) return false;
    --*n->budget;
    return true;
}

/* The value that a node computes first; NULL: the graph does not tell. */
static const struct ets_graph_value *value_of_node(const struct naming *n,
                                                   const struct ets_graph_node *node)
{
    if (node->output_count == 0) return NULL;
    const struct ets_graph_argument *output = &node->outputs[0];
    if (output->kind == ETS_ARGUMENT_LIST && output->item_count > 0) output = &output->items[0];
    return ets_graph_find_value(n->graph, output->name);
}

static uint32_t number_of(const struct naming *n, struct ets_text name)
{
    const struct ets_graph_value *value = ets_graph_find_value(n->graph, name);
    return value == NULL ? NONE : (uint32_t)(value - n->graph->values);
}

static void count_user(struct naming *n, const struct ets_graph_argument *argument, uint32_t node)
{
    if (argument->kind == ETS_ARGUMENT_LIST) {
        for (uint32_t i = 0; i < argument->item_count; i++) {
            count_user(n, &argument->items[i], node);
        }
        return;
    }
    const uint32_t value =
        argument->kind == ETS_ARGUMENT_TENSOR ? number_of(n, argument->name) : NONE;
    if (value == NONE) return;
    if (n->user_count[value] > 0 && n->user[value] == node) return;
    n->user_count[value]++;
    n->user[value] = node;
}

static bool is_symbolic(const struct ets_graph_value *value)
{
    for (uint32_t i = 0; value->size_texts != NULL && i < value->rank; i++) {
        if (value->size_texts[i].data != NULL) return true;
    }
    return false;
}

static int compare_sizes(const void *a, const void *b)
{
    const int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

/* Sizes other than 1, by size; their number, or NONE where there are too many. */
static uint32_t sort_sizes(int64_t *sizes, uint32_t count)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (sizes[i] != 1) sizes[used++] = sizes[i];
    }
    qsort(sizes, used, sizeof *sizes, compare_sizes);
    return used;
}

/* Whether a value of the payload may be the node's, by the sizes of both in any order. */
static bool has_sizes(const struct naming *n, uint32_t payload_value,
                      const struct ets_graph_node *node)
{
    int64_t left[MOST_DIMS], right[MOST_DIMS];
    const struct ets_payload_value *value = ets_payload_value(n->payload, payload_value);
    const struct ets_graph_value *expected = value_of_node(n, node);
    if (value == NULL || expected == NULL) return false;
    if (is_symbolic(expected)) return true;
    if (value->rank > MOST_DIMS || expected->rank > MOST_DIMS) return false;
    for (uint32_t i = 0; i < value->rank; i++) left[i] = value->dims[i];
    for (uint32_t i = 0; i < expected->rank; i++) right[i] = expected->sizes[i];
    const uint32_t count = sort_sizes(left, value->rank);
    return count == sort_sizes(right, expected->rank) &&
           memcmp(left, right, count * sizeof *left) == 0;
}

static uint32_t output_of(const struct ets_payload_node *node)
{
    return node->output_count > 0 ? node->outputs[0] : ETS_PAYLOAD_NONE;
}

static bool fits(const struct naming *n, uint32_t payload_node, uint32_t candidate)
{
    const struct ets_payload_node *node = &n->payload->nodes[payload_node];
    return node->debug_handle == n->nodes[candidate]->debug_handle &&
           is_of_kind(node->operation, n->base[candidate]);
}

static void take(struct naming *n, uint32_t payload_node, uint32_t candidate)
{
    n->node_of[payload_node] = candidate;
    n->is_taken[candidate] = true;
}

/* The first candidate of a node's handle and kind that names nothing yet; NONE. */
static uint32_t next_fitting(struct naming *n, uint32_t payload_node, bool by_sizes)
{
    for (uint32_t c = 0; c < n->count && spend(n); c++) {
        if (n->is_taken[c] || !fits(n, payload_node, c)) continue;
        const uint32_t value = output_of(&n->payload->nodes[payload_node]);
        if (!by_sizes || has_sizes(n, value, n->nodes[c])) return c;
    }
    return NONE;
}

/* Whether as many of the payload's nodes as of the graph's have this one's handle and kind. */
static bool is_even(struct naming *n, uint32_t payload_node)
{
    const struct ets_payload_node *wanted = &n->payload->nodes[payload_node];
    uint32_t ours = 0, theirs = 0;
    for (uint32_t i = 0; i < n->payload->node_count && spend(n); i++) {
        const struct ets_payload_node *node = &n->payload->nodes[i];
        ours += node->debug_handle == wanted->debug_handle &&
                is_of_kind(node->operation, wanted->operation);
    }
    for (uint32_t c = 0; c < n->count && spend(n); c++) theirs += fits(n, payload_node, c);
    return ours == theirs;
}

/* By handle and kind: in order, where both sides have equally many; else also by sizes. */
static void name_by_handles(struct naming *n)
{
    for (uint32_t i = 0; i < n->payload->node_count; i++) {
        if (n->payload->nodes[i].debug_handle < 0) continue;
        const uint32_t candidate = next_fitting(n, i, !is_even(n, i));
        if (candidate != NONE) take(n, i, candidate);
    }
}

/* Whether a node takes the value of another, directly. */
static bool takes(const struct naming *n, const struct ets_graph_argument *argument,
                  struct ets_text name)
{
    if (argument->kind == ETS_ARGUMENT_LIST) {
        for (uint32_t i = 0; i < argument->item_count; i++) {
            if (takes(n, &argument->items[i], name)) return true;
        }
        return false;
    }
    return argument->kind == ETS_ARGUMENT_TENSOR && ets_text_equal(argument->name, name);
}

static bool node_takes(const struct naming *n, const struct ets_graph_node *node,
                       const struct ets_graph_node *maker)
{
    const struct ets_graph_value *value = value_of_node(n, maker);
    for (uint32_t i = 0; value != NULL && i < node->input_count; i++) {
        if (takes(n, &node->inputs[i], value->name)) return true;
    }
    return false;
}

/* A reshape or transpose that no handle tells apart: what a named reader takes of that kind. */
static void name_by_reader(struct naming *n, uint32_t payload_node, uint32_t reader)
{
    const struct ets_payload_node *node = &n->payload->nodes[payload_node];
    const struct ets_graph_node *reading = n->nodes[n->node_of[reader]];
    for (uint32_t c = n->count; c-- > 0 && spend(n);) {
        if (n->is_taken[c] || !is_of_kind(node->operation, n->base[c])) continue;
        if (!has_sizes(n, output_of(node), n->nodes[c])) continue;
        if (!node_takes(n, reading, n->nodes[c])) continue;
        take(n, payload_node, c);
        return;
    }
}

static void name_moves(struct naming *n)
{
    for (uint32_t i = n->payload->node_count; i-- > 0;) {
        const struct ets_payload_node *node = &n->payload->nodes[i];
        if (n->node_of[i] != NONE) continue;
        if (!ets_operator_is(node->operation, ETS_OPERATOR_VIEW | ETS_OPERATOR_PERMUTE)) continue;
        const uint32_t value = output_of(node);
        for (uint32_t r = i + 1; r < n->payload->node_count && n->node_of[i] == NONE; r++) {
            const struct ets_payload_node *reader = &n->payload->nodes[r];
            for (uint32_t k = 0; k < reader->input_count && spend(n); k++) {
                if (reader->inputs[k] != value || n->node_of[r] == NONE) continue;
                name_by_reader(n, i, r);
                break;
            }
        }
    }
}

static bool is_batch_norm(struct ets_text base)
{
    return ets_text_is(base, "_native_batch_norm_legit_no_training") ||
           ets_text_is(base, "batch_norm") || ets_text_is(base, "native_batch_norm");
}

static uint32_t candidate_of(struct naming *n, const struct ets_graph_node *node)
{
    for (uint32_t c = 0; c < n->count && spend(n); c++) {
        if (n->nodes[c] == node) return c;
    }
    return NONE;
}

/* The node behind `candidate` that its payload node computes as well; NONE. */
static uint32_t fused_follower(struct naming *n, const struct ets_payload_node *node,
                               uint32_t candidate)
{
    const struct ets_graph_value *value = value_of_node(n, n->nodes[candidate]);
    if (value == NULL) return NONE;
    const uint32_t number = (uint32_t)(value - n->graph->values);
    if (n->user_count[number] != 1) return NONE;
    const uint32_t next = candidate_of(n, &n->graph->nodes[n->user[number]]);
    if (next == NONE || n->is_taken[next] || !spend(n)) return NONE;
    const bool is_norm =
        is_batch_norm(n->base[next]) && ets_text_is(node->operation, "convolution");
    const bool is_clamp =
        node->has_clamp && kind_of(n->base[next]) == kind_of(ets_text_of("clamp"));
    return is_norm || is_clamp ? next : NONE;
}

/* Values are those of the last node that is fused into the first. */
static void follow_fused(struct naming *n)
{
    for (uint32_t i = 0; i < n->payload->node_count; i++) {
        uint32_t at = n->node_of[i];
        for (uint32_t next = at; next != NONE;) {
            at = next;
            next = fused_follower(n, &n->payload->nodes[i], at);
            if (next != NONE) take(n, i, next);
        }
    }
}

/* A batch norm of its own is a depthwise convolution without a handle: in order, where both sides
 * have equally many. */
static void name_batch_norms(struct naming *n)
{
    uint32_t ours = 0, theirs = 0;
    for (uint32_t i = 0; i < n->payload->node_count; i++) {
        const struct ets_payload_node *node = &n->payload->nodes[i];
        ours += n->node_of[i] == NONE && node->is_depthwise && node->debug_handle < 0;
    }
    for (uint32_t c = 0; c < n->count; c++) theirs += !n->is_taken[c] && is_batch_norm(n->base[c]);
    uint32_t c = 0;
    for (uint32_t i = 0; ours == theirs && i < n->payload->node_count; i++) {
        const struct ets_payload_node *node = &n->payload->nodes[i];
        if (n->node_of[i] != NONE || !node->is_depthwise || node->debug_handle >= 0) continue;
        while (c < n->count && (n->is_taken[c] || !is_batch_norm(n->base[c]))) c++;
        if (c < n->count) take(n, i, c);
    }
}

/* Scale and zero point of a quantize node, which are its second and third inputs. */
static bool has_scale(const struct ets_graph_node *node, const struct ets_payload_value *value)
{
    if (node->input_count < 3 || node->inputs[1].kind != ETS_ARGUMENT_FLOAT ||
        node->inputs[2].kind != ETS_ARGUMENT_INT) {
        return false;
    }
    const double scale = node->inputs[1].float_value, ours = value->quantization.scale;
    const double off = scale > ours ? scale - ours : ours - scale;
    return off <= 1e-7 * scale && node->inputs[2].int_value == value->quantization.zero_point;
}

static bool is_quantized(const struct ets_payload_value *value)
{
    return value != NULL && value->type->numbers == ETS_PAYLOAD_INT8 &&
           value->quantization.kind == ETS_PAYLOAD_PER_TENSOR;
}

/* An integer value is what the nearest quantize node of its scale computes. */
static uint32_t nearest_quantize(struct naming *n, uint32_t payload_node)
{
    const struct ets_payload_node *node = &n->payload->nodes[payload_node];
    const struct ets_payload_value *value = ets_payload_value(n->payload, output_of(node));
    uint32_t best = NONE;
    int64_t least = INT64_MAX;
    for (uint32_t c = 0; c < n->count && spend(n); c++) {
        if (!ets_operator_is(n->nodes[c]->op, ETS_OPERATOR_QUANTIZE) || n->is_taken[c]) continue;
        if (!has_scale(n->nodes[c], value) || !has_sizes(n, output_of(node), n->nodes[c])) continue;
        const int64_t off = n->nodes[c]->debug_handle - node->debug_handle;
        const int64_t distance = off < 0 ? -off : off;
        if (distance >= least) continue;
        least = distance;
        best = c;
    }
    return best;
}

static void name_quantized(struct naming *n)
{
    for (uint32_t i = 0; i < n->payload->node_count; i++) {
        const struct ets_payload_value *value =
            ets_payload_value(n->payload, output_of(&n->payload->nodes[i]));
        if (!is_quantized(value) || n->payload->nodes[i].debug_handle < 0) continue;
        n->node_of[i] = nearest_quantize(n, i);
        if (n->node_of[i] != NONE) n->is_taken[n->node_of[i]] = true;
    }
}

/* Floats that a conversion makes of integers are what dequantizes those. */
static void name_dequantized(struct naming *n)
{
    for (uint32_t i = 0; i < n->payload->node_count; i++) {
        const struct ets_payload_node *node = &n->payload->nodes[i];
        if (n->node_of[i] != NONE || node->input_count == 0 ||
            !ets_text_is(node->operation, "_to_copy")) {
            continue;
        }
        const struct ets_payload_value *from = ets_payload_value(n->payload, node->inputs[0]);
        if (!is_quantized(from) || from->producer == ETS_PAYLOAD_NONE) continue;
        const uint32_t quantize = n->node_of[from->producer];
        for (uint32_t c = 0; quantize != NONE && c < n->count && spend(n); c++) {
            if (n->is_taken[c] || !ets_operator_is(n->nodes[c]->op, ETS_OPERATOR_DEQUANTIZE) ||
                !node_takes(n, n->nodes[c], n->nodes[quantize])) {
                continue;
            }
            take(n, i, c);
            break;
        }
    }
}

/* Layouts: values that one operator takes and makes lie alike, but for those that move elements. */
static uint32_t root_of(const struct naming *n, uint32_t value)
{
    while (n->layout[value] != value) value = n->layout[value];
    return value;
}

static void join_layouts(struct naming *n, uint32_t left, uint32_t right)
{
    const uint32_t to = root_of(n, left), from = root_of(n, right);
    if (to == from) return;
    n->layout[from] = to;
    n->is_channels_last[to] |= n->is_channels_last[from];
}

/* Whether its values lie with the channels last. */
static bool is_spatial(const struct ets_payload_node *node)
{
    static const char *const operations[] = {"convolution", "max_pool2d", "avg_pool2d", "mean",
                                             "upsample_bilinear2d"};
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        if (ets_text_is(node->operation, operations[i])) return true;
    }
    return false;
}

static bool has_four_dims(const struct naming *n, uint32_t value)
{
    const struct ets_payload_value *v = ets_payload_value(n->payload, value);
    return v != NULL && v->rank == 4 && v->constant == ETS_PAYLOAD_NONE;
}

static void find_layouts(struct naming *n)
{
    for (uint32_t i = 0; i < n->payload->value_count; i++) n->layout[i] = i;
    for (uint32_t i = 0; i < n->payload->node_count; i++) {
        const struct ets_payload_node *node = &n->payload->nodes[i];
        const uint32_t out = output_of(node);
        const uint32_t moves = ETS_OPERATOR_VIEW | ETS_OPERATOR_PERMUTE | ETS_OPERATOR_PRODUCT;
        if (!has_four_dims(n, out) || ets_operator_is(node->operation, moves)) continue;
        for (uint32_t k = 0; k < node->input_count; k++) {
            if (has_four_dims(n, node->inputs[k])) join_layouts(n, out, node->inputs[k]);
        }
        if (is_spatial(node)) n->is_channels_last[root_of(n, out)] = true;
    }
}

static bool make_room(struct naming *n, struct ets_arena *arena)
{
    n->base = ets_arena_alloc_array(arena, n->count, sizeof *n->base);
    n->is_taken = ets_arena_alloc_array(arena, n->count, sizeof *n->is_taken);
    n->node_of = ets_arena_alloc_array(arena, n->payload->node_count, sizeof *n->node_of);
    n->maker_of = ets_arena_alloc_array(arena, n->payload->node_count, sizeof *n->maker_of);
    n->user_count = ets_arena_alloc_array(arena, n->graph->value_count, sizeof *n->user_count);
    n->user = ets_arena_alloc_array(arena, n->graph->value_count, sizeof *n->user);
    n->layout = ets_arena_alloc_array(arena, n->payload->value_count, sizeof *n->layout);
    n->is_channels_last =
        ets_arena_alloc_array(arena, n->payload->value_count, sizeof *n->is_channels_last);
    return n->base != NULL && n->is_taken != NULL && n->node_of != NULL && n->maker_of != NULL &&
           n->user_count != NULL && n->user != NULL && n->layout != NULL &&
           n->is_channels_last != NULL;
}

static void prepare(struct naming *n)
{
    for (uint32_t i = 0; i < n->payload->node_count; i++) n->node_of[i] = NONE;
    for (uint32_t i = 0; i < n->count; i++) n->base[i] = ets_operator_base_name(n->nodes[i]->op);
    for (uint32_t i = 0; i < n->graph->node_count; i++) {
        const struct ets_graph_node *node = &n->graph->nodes[i];
        for (uint32_t k = 0; k < node->input_count; k++) count_user(n, &node->inputs[k], i);
    }
}

enum ets_status ets_inner_values_name(struct ets_arena *arena,
                                      const struct ets_payload_graph *payload,
                                      const struct ets_graph *graph,
                                      const struct ets_graph_node *const *nodes, uint32_t count,
                                      uint64_t *budget, struct ets_inner_value *values_out,
                                      struct ets_error *error)
{
    struct naming n = {
        .payload = payload, .graph = graph, .nodes = nodes, .count = count, .budget = budget};
    const uint64_t work = (uint64_t)graph->node_count + payload->node_count + payload->value_count;
    for (uint32_t i = 0; i < payload->value_count; i++) {
        values_out[i] = (struct ets_inner_value){.node = NULL};
    }
    if (work > *budget) return ETS_OK;
    *budget -= work;
    if (!make_room(&n, arena)) return ets_fail_memory(error, "the values of a delegate");
    prepare(&n);
    name_by_handles(&n);
    name_moves(&n);
    follow_fused(&n);
    name_batch_norms(&n);
    for (uint32_t i = 0; i < payload->node_count; i++) n.maker_of[i] = n.node_of[i];
    name_quantized(&n);
    name_dequantized(&n);
    find_layouts(&n);
    for (uint32_t i = 0; i < payload->value_count; i++) {
        const uint32_t maker = payload->values[i].producer;
        const uint32_t node = maker == ETS_PAYLOAD_NONE ? NONE : n.node_of[maker];
        const uint32_t by = maker == ETS_PAYLOAD_NONE ? NONE : n.maker_of[maker];
        const bool is_first = maker != ETS_PAYLOAD_NONE && payload->values[i].producer_output == 0;
        values_out[i] = (struct ets_inner_value){
            .node = node == NONE || !is_first ? NULL : nodes[node],
            .maker = by != NONE     ? nodes[by]
                     : node != NONE ? nodes[node]
                                    : NULL,
            .is_channels_last = payload->values[i].rank == 4 && n.is_channels_last[root_of(&n, i)],
        };
    }
    return ETS_OK;
}

void ets_inner_value_view(const struct ets_inner_value *value, struct ets_tensor *tensor)
{
    if (!value->is_channels_last || tensor->rank != 4) return;
    const struct ets_tensor old = *tensor;
    static const uint32_t from[] = {0, 3, 1, 2};
    for (uint32_t i = 0; i < 4; i++) {
        tensor->sizes[i] = old.sizes[from[i]];
        tensor->strides[i] = old.strides[from[i]];
    }
}
