/*
 * Predicts the operators that the XNNPACK runtime makes of a payload's nodes, and their names.
 * Source: observation of XNNPACK's subgraph optimisation on payloads of ExecuTorch 1.5.1's exporter
 * on x86-64. On other processors the names differ after the operator's type.
 */
#include "format/xnnpack.h"
#include "host/key_table.h"
#include "payload/payload_events.h"
#include "payload/payload_reader.h"

/* No node, value or event; as owner: the node's readers compute it. */
#define NONE UINT32_MAX

struct value {
    int type;
    bool is_external, is_constant;
    bool is_packed; /* only matrix products read it, and they pack their input themselves */
    uint32_t producer, reader; /* nodes; the last reader */
    uint32_t reader_count;     /* nodes that read it */
};

struct walk {
    struct ets_arena *arena;
    const struct ets_xnnpack *payload;
    struct ets_key_table ids; /* value i has id key i */
    struct value *values;
    struct ets_xnnpack_node *nodes;
    uint32_t *owner; /* [node] the node whose event computes this one: itself, another, or NONE */
    bool *is_table;  /* [node] it ends a chain that became a look-up table */
};

static bool is_q8(int type)
{
    return type == ETS_XNNPACK_QINT8 || type == ETS_XNNPACK_QUINT8;
}

static bool is_16_bit(int type)
{
    return type == ETS_XNNPACK_FP16 || type == ETS_XNNPACK_BF16;
}

static bool is_float(int type)
{
    return type == ETS_XNNPACK_FP32 || type == ETS_XNNPACK_FP16;
}

static const struct value *value_of(const struct walk *w, uint32_t id)
{
    static const struct value unknown = {
        .type = ETS_XNNPACK_INVALID, .is_external = true, .producer = NONE, .reader = NONE};
    const uint64_t key = id;
    const uint32_t at = ets_key_table_find(&w->ids, &key);
    return at == ETS_KEY_NONE ? &unknown : &w->values[at];
}

static const struct value *input_of(const struct walk *w, const struct ets_xnnpack_node *node,
                                    uint32_t index)
{
    return value_of(w, index < node->input_count ? node->inputs[index] : UINT32_MAX);
}

static const struct value *output_of(const struct walk *w, const struct ets_xnnpack_node *node)
{
    return value_of(w, node->output_count > 0 ? node->outputs[0] : UINT32_MAX);
}

/* Whether `value` is read by one node and not outside. */
static bool has_sole_reader(const struct value *value)
{
    return value->reader_count == 1 && !value->is_external;
}

static struct value *find_value(struct walk *w, uint32_t id)
{
    const uint64_t key = id;
    const uint32_t at = ets_key_table_find(&w->ids, &key);
    return at == ETS_KEY_NONE ? NULL : &w->values[at];
}

/* A convolution that is a matrix product of its channels. */
static bool is_pointwise(const struct ets_xnnpack_node *node)
{
    return node->kernel[0] == 1 && node->kernel[1] == 1 && node->stride[0] == 1 &&
           node->stride[1] == 1 && node->groups == 1 && node->padding[0] == 0 &&
           node->padding[1] == 0 && node->padding[2] == 0 && node->padding[3] == 0;
}

static bool is_product(const struct ets_xnnpack_node *node)
{
    return node->type == ETS_XNNPACK_FULLY_CONNECTED ||
           node->type == ETS_XNNPACK_BATCH_MATRIX_MULTIPLY ||
           (node->type == ETS_XNNPACK_CONV2D && is_pointwise(node));
}

static bool load(struct walk *w)
{
    const struct ets_xnnpack *payload = w->payload;
    w->values = ets_arena_alloc_array(w->arena, payload->value_count, sizeof *w->values);
    w->nodes = ets_arena_alloc_array(w->arena, payload->node_count, sizeof *w->nodes);
    w->owner = ets_arena_alloc_array(w->arena, payload->node_count, sizeof *w->owner);
    w->is_table = ets_arena_alloc_array(w->arena, payload->node_count, sizeof *w->is_table);
    ets_key_table_init(&w->ids, w->arena, 1);
    if (w->values == NULL || w->nodes == NULL || w->owner == NULL || w->is_table == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < payload->value_count; i++) {
        struct ets_xnnpack_value v;
        ets_xnnpack_value(payload, i, &v);
        const uint64_t key = v.id;
        const uint32_t at = ets_key_table_add(&w->ids, &key);
        if (at == ETS_KEY_NONE) return false;
        w->values[at] = (struct value){.type = v.type,
                                       .is_external = v.external_id != ETS_XNNPACK_INTERNAL,
                                       .is_constant = v.constant_index != 0,
                                       .is_packed = v.external_id == ETS_XNNPACK_INTERNAL,
                                       .producer = NONE,
                                       .reader = NONE};
    }
    for (uint32_t i = 0; i < payload->node_count; i++) {
        struct ets_xnnpack_node *node = &w->nodes[i];
        ets_xnnpack_node(payload, i, node);
        for (uint32_t k = 0; k < node->input_count; k++) {
            struct value *value = find_value(w, node->inputs[k]);
            if (value == NULL || (value->reader_count > 0 && value->reader == i)) continue;
            value->reader = i;
            value->reader_count++;
            value->is_packed = value->is_packed && is_product(node);
        }
        for (uint32_t k = 0; k < node->output_count; k++) {
            struct value *value = find_value(w, node->outputs[k]);
            if (value != NULL) value->producer = i;
        }
    }
    return true;
}

/* Element-wise, one input: "Sigmoid (NC)"; NULL for other nodes. */
static const char *unary_name(int type)
{
    switch (type) {
    case ETS_XNNPACK_SIGMOID: return "Sigmoid (NC)";
    case ETS_XNNPACK_TANH: return "TanH (NC)";
    case ETS_XNNPACK_GELU: return "GELU (NC)";
    case ETS_XNNPACK_HARDSWISH: return "HardSwish (NC)";
    case ETS_XNNPACK_CLAMP: return "Clamp (NC)";
    case ETS_XNNPACK_EXP: return "Exp (NC)";
    case ETS_XNNPACK_LOG: return "Log (NC)";
    case ETS_XNNPACK_ABS: return "Abs (NC)";
    case ETS_XNNPACK_NEGATE: return "Negate (NC)";
    case ETS_XNNPACK_SQUARE_ROOT: return "Square Root (NC)";
    case ETS_XNNPACK_RECIPROCAL_SQUARE_ROOT: return "Reciprocal Square Root (NC)";
    case ETS_XNNPACK_SQUARE: return "Square (NC)";
    case ETS_XNNPACK_FLOOR: return "Floor (NC)";
    case ETS_XNNPACK_CEILING: return "Ceiling (NC)";
    case ETS_XNNPACK_LEAKY_RELU: return "LeakyReLU (NC)";
    case ETS_XNNPACK_SIN: return "Sine (NC)";
    case ETS_XNNPACK_COS: return "Cosine (NC)";
    default: return NULL;
    }
}

static const char *binary_name(int type)
{
    switch (type) {
    case ETS_XNNPACK_ADD: return "Add (ND)";
    case ETS_XNNPACK_SUBTRACT: return "Subtract (ND)";
    case ETS_XNNPACK_MULTIPLY: return "Multiply (ND)";
    case ETS_XNNPACK_DIV: return "Divide (ND)";
    case ETS_XNNPACK_MAXIMUM: return "Maximum (ND)";
    case ETS_XNNPACK_MINIMUM: return "Minimum (ND)";
    case ETS_XNNPACK_PRELU: return "PReLU (ND)";
    default: return NULL;
    }
}

/* One of three names, by the size of an element. */
static const char *by_size(int type, const char *of_4, const char *of_2, const char *of_1)
{
    const uint32_t bits = ets_xnnpack_type_bits(type);
    return bits == 32 ? of_4 : bits == 16 ? of_2 : bits == 8 ? of_1 : NULL;
}

static const char *dense_name(const struct walk *w, const struct ets_xnnpack_node *node)
{
    const int input = input_of(w, node, 0)->type, filter = input_of(w, node, 1)->type;
    if (!input_of(w, node, 1)->is_constant) {
        return input == ETS_XNNPACK_FP16   ? "Dynamic Fully Connected (NC, F16) GEMM"
               : input == ETS_XNNPACK_FP32 ? "Dynamic Fully Connected (NC, F32) GEMM"
                                           : NULL;
    }
    if (is_q8(input)) return "Fully Connected (NC, QS8, QC8W) GEMM";
    if (input == ETS_XNNPACK_FP16) return "Fully Connected (NC, F16) GEMM";
    if (input == ETS_XNNPACK_FP32 || input == ETS_XNNPACK_BF16) { /* computed as FP32 */
        return filter == ETS_XNNPACK_QCINT8   ? "Fully Connected (NC, F32, QC8W) GEMM"
               : filter == ETS_XNNPACK_QCINT4 ? "Fully Connected (NC, F32, QC4W) GEMM"
                                              : "Fully Connected (NC, F32) GEMM";
    }
    if (input != ETS_XNNPACK_QDINT8) return NULL;
    return filter == ETS_XNNPACK_QBINT4   ? "Fully Connected (NC, QDU8, F32, QB4W) GEMM"
           : filter == ETS_XNNPACK_QCINT4 ? "Fully Connected (NC, QDU8, F32, QC4W) GEMM"
                                          : "Fully Connected (NC, QDU8, F32, QC8W) GEMM";
}

static const char *convolution_name(const struct walk *w, const struct ets_xnnpack_node *node)
{
    const int type = input_of(w, node, 0)->type;
    const int column = is_q8(type)                  ? 2
                       : type == ETS_XNNPACK_FP16   ? 1
                       : type == ETS_XNNPACK_FP32   ? 0
                       : type == ETS_XNNPACK_BF16   ? 0
                       : type == ETS_XNNPACK_QDINT8 ? 3
                                                    : -1;
    static const char *const grouped[] = {
        "Convolution (NHWC, F32) IGEMM", "Convolution (NHWC, F16) IGEMM",
        "Convolution (NHWC, QC8) IGEMM", "Convolution (NHWC, QD8, F32, QC8W) IGEMM"};
    static const char *const depthwise[] = {"Convolution (NHWC, F32) DWConv",
                                            "Convolution (NHWC, F16) DWConv",
                                            "Convolution (NHWC, QC8) DWConv", NULL};
    static const char *const transposed[] = {"Deconvolution (NHWC, F32) Subconv2D",
                                             "Deconvolution (NHWC, F16) Subconv2D",
                                             "Deconvolution (NC, QS8, QC8W) Subconv2D",
                                             "Deconvolution (NHWC, QD8, F32, QC8W) Subconv2D"};
    if (column < 0) return NULL;
    if (node->type == ETS_XNNPACK_CONV_TRANSPOSE_2D) return transposed[column];
    if (node->type == ETS_XNNPACK_CONV2D) {
        return is_pointwise(node) ? dense_name(w, node) : grouped[column];
    }
    return node->group_output_channels > 1 ? grouped[column] : depthwise[column];
}

static const char *pooling_name(const struct walk *w, const struct ets_xnnpack_node *node)
{
    const int type = input_of(w, node, 0)->type;
    const bool is_half = type == ETS_XNNPACK_FP16;
    switch (node->type) {
    case ETS_XNNPACK_MAX_POOLING_2D:
        return is_q8(type) ? "Max Pooling (NHWC, S8)"
               : is_half   ? "Max Pooling (NHWC, F16)"
                           : "Max Pooling (NHWC, F32)";
    case ETS_XNNPACK_AVG_POOLING_2D:
        return is_half ? "Average Pooling (NHWC, F16) Average Pooling"
                       : "Average Pooling (NHWC, F32) Average Pooling";
    default: return is_q8(type) ? "Mean (ND)" : "Mean (ND) Reduce2";
    }
}

static const char *convert_name(int from, int to)
{
    if (to != ETS_XNNPACK_QDINT8) return "Convert (NC)";
    return from == ETS_XNNPACK_FP16   ? "Convert (NC, F16, QD8)"
           : from == ETS_XNNPACK_BF16 ? "Convert (NC, BF16, QD8)"
                                      : "Convert (NC, F32, QD8)";
}

static const char *event_name(const struct walk *w, uint32_t index)
{
    const struct ets_xnnpack_node *node = &w->nodes[index];
    const int type = input_of(w, node, 0)->type;
    if (w->is_table[index]) return "Invalid Unary Op";
    switch (node->type) {
    case ETS_XNNPACK_CONVERT: return convert_name(type, output_of(w, node)->type);
    case ETS_XNNPACK_STATIC_TRANSPOSE:
        return by_size(type, "Transpose (ND, X32)", "Transpose (ND, X16)", "Transpose (ND, X8)");
    case ETS_XNNPACK_STATIC_RESHAPE: return "Static Reshape (NC)";
    case ETS_XNNPACK_STATIC_SLICE:
        return by_size(type, "Slice (ND, X32)", "Slice (ND, X16)", "Slice (ND, X8)");
    case ETS_XNNPACK_STATIC_CONSTANT_PAD:
        return by_size(type, "Constant Pad (ND, X32)", "Constant Pad (ND, X16)",
                       "Constant Pad (ND, X8)");
    case ETS_XNNPACK_COPY:
    case ETS_XNNPACK_CONCATENATE2:
    case ETS_XNNPACK_CONCATENATE3:
    case ETS_XNNPACK_CONCATENATE4:
    case ETS_XNNPACK_CONCATENATE5:
        return by_size(type, "Copy (NC, X32)", "Copy (NC, X16)", "Copy (NC, X8)");
    case ETS_XNNPACK_CONV2D:
    case ETS_XNNPACK_DEPTHWISE_CONV2D:
    case ETS_XNNPACK_CONV_TRANSPOSE_2D: return convolution_name(w, node);
    case ETS_XNNPACK_FULLY_CONNECTED: return dense_name(w, node);
    case ETS_XNNPACK_BATCH_MATRIX_MULTIPLY:
        return type == ETS_XNNPACK_FP16 ? "Batch Matrix Multiply (NC, F16) GEMM"
                                        : "Batch Matrix Multiply (NC, F32) GEMM";
    case ETS_XNNPACK_MAX_POOLING_2D:
    case ETS_XNNPACK_AVG_POOLING_2D:
    case ETS_XNNPACK_GLOBAL_AVG_POOLING_2D: return pooling_name(w, node);
    case ETS_XNNPACK_STATIC_RESIZE_BILINEAR_2D: return "Resize Bilinear (NHWC)";
    case ETS_XNNPACK_SOFTMAX:
        return type == ETS_XNNPACK_FP16 ? "Softmax (NC, F16)" : "Softmax (NC, F32)";
    default: break;
    }
    if (node->type == ETS_XNNPACK_MULTIPLY && node->input_count == 2 &&
        node->inputs[0] == node->inputs[1]) {
        return "Square (NC)";
    }
    const char *name = unary_name(node->type);
    return name != NULL ? name : binary_name(node->type);
}

/* Nodes that absorb a following clamp. */
static bool absorbs_clamp(int type)
{
    switch (type) {
    case ETS_XNNPACK_CONV2D:
    case ETS_XNNPACK_DEPTHWISE_CONV2D:
    case ETS_XNNPACK_CONV_TRANSPOSE_2D:
    case ETS_XNNPACK_FULLY_CONNECTED:
    case ETS_XNNPACK_AVG_POOLING_2D:
    case ETS_XNNPACK_MAX_POOLING_2D:
    case ETS_XNNPACK_CLAMP: return true;
    default: return false;
    }
}

/* float to 8 bits, or the other way. */
static bool is_conversion(const struct walk *w, uint32_t index, bool to_float)
{
    const struct ets_xnnpack_node *node = &w->nodes[index];
    const int from = input_of(w, node, 0)->type, to = output_of(w, node)->type;
    return node->type == ETS_XNNPACK_CONVERT &&
           (to_float ? is_q8(from) && is_float(to) : is_float(from) && is_q8(to));
}

/*
 * The runtime makes a look-up table of a chain: convert to float, element-wise nodes, convert back,
 * each the only reader of its predecessor. Returns the node after `index` in the chain, or NONE.
 */
static uint32_t next_in_chain(const struct walk *w, uint32_t index)
{
    const struct value *value = output_of(w, &w->nodes[index]);
    return has_sole_reader(value) && value->reader > index ? value->reader : NONE;
}

static void find_table(struct walk *w, uint32_t first)
{
    uint32_t length = 0, at = next_in_chain(w, first);
    while (at != NONE && unary_name(w->nodes[at].type) != NULL) {
        at = next_in_chain(w, at);
        length++;
    }
    if (length == 0 || at == NONE || !is_conversion(w, at, false)) return;
    w->is_table[at] = true; /* where the last one was: others may lie between */
    for (uint32_t i = first; i != at; i = next_in_chain(w, i)) w->owner[i] = at;
}

static void find_owners(struct walk *w)
{
    for (uint32_t i = 0; i < w->payload->node_count; i++) w->owner[i] = i;
    for (uint32_t i = 0; i < w->payload->node_count; i++) {
        const struct ets_xnnpack_node *node = &w->nodes[i];
        if (w->owner[i] != i) continue;
        const struct value *output = output_of(w, node);
        if (node->type == ETS_XNNPACK_CONVERT && output->type == ETS_XNNPACK_QDINT8) {
            if (output->is_packed) w->owner[i] = NONE;
        } else if (node->type == ETS_XNNPACK_CLAMP) {
            const struct value *input = input_of(w, node, 0);
            if (has_sole_reader(input) && input->producer < i &&
                absorbs_clamp(w->nodes[input->producer].type)) {
                w->owner[i] = w->owner[input->producer];
            }
        } else if (is_conversion(w, i, true)) {
            find_table(w, i);
        }
    }
    for (uint32_t i = w->payload->node_count; i-- > 0;) { /* of several reshapes the last remains */
        const uint32_t next = next_in_chain(w, i);
        if (w->nodes[i].type == ETS_XNNPACK_STATIC_RESHAPE && next != NONE &&
            w->nodes[next].has_all_sizes) {
            w->owner[i] = w->owner[next];
        }
    }
}

/* Nodes by owner: [first[owner], first[owner + 1]) of `list`, ascending (a counting sort). */
struct members {
    uint32_t *first, *list;
};

/*
 * Works in two passes: counts first, then fills. A node without an owner goes to the owners of its
 * readers.
 */
static void count_members(const struct walk *w, struct members *m, bool filling)
{
    for (uint32_t i = 0; i < w->payload->node_count; i++) {
        const struct ets_xnnpack_node *node = &w->nodes[i];
        const uint32_t owner = w->owner[i];
        uint32_t last = NONE; /* a converted input may be read twice */
        for (uint32_t k = 0; k < node->input_count && owner == i; k++) {
            const uint32_t maker = input_of(w, node, k)->producer;
            if (maker >= i || w->owner[maker] != NONE || maker == last) continue;
            if (filling) m->list[m->first[i + 1]] = maker;
            m->first[i + (filling ? 1 : 2)]++;
            last = maker;
        }
        if (owner == NONE) continue;
        if (filling) m->list[m->first[owner + 1]] = i;
        m->first[owner + (filling ? 1 : 2)]++;
    }
}

static bool list_members(struct walk *w, struct members *m)
{
    const uint32_t count = w->payload->node_count;
    m->first = ets_arena_alloc_array(w->arena, (size_t)count + 2, sizeof *m->first);
    if (m->first == NULL) return false;
    count_members(w, m, false);
    for (uint32_t i = 2; i < count + 2; i++) m->first[i] += m->first[i - 1];
    m->list = ets_arena_alloc_array(w->arena, m->first[count + 1], sizeof *m->list);
    if (m->list == NULL) return false;
    count_members(w, m, true);
    return true;
}

static bool has_separate_clamp(const struct ets_xnnpack_node *node)
{
    return node->has_min_max && binary_name(node->type) != NULL;
}

static enum ets_status no_memory(struct ets_error *error)
{
    return ets_fail_memory(error, "an XNNPACK payload");
}

enum ets_status ets_payload_xnnpack_events(struct ets_arena *arena,
                                           const struct ets_payload_graph *graph,
                                           struct ets_payload_events *events_out,
                                           struct ets_error *error)
{
    const struct ets_xnnpack *payload = graph->verified;
    struct walk w = {.arena = arena, .payload = payload};
    struct members m;
    struct ets_payload_events events = {.odd_node = NONE};
    if (!load(&w)) return no_memory(error);
    find_owners(&w);
    if (!list_members(&w, &m)) return no_memory(error);
    for (uint32_t i = 0; i < w.ids.count; i++) {
        events.is_quantized = events.is_quantized || is_q8(w.values[i].type);
        events.has_half = events.has_half || is_16_bit(w.values[i].type);
    }
    events.items =
        ets_arena_alloc_array(arena, 2 * (size_t)payload->node_count, sizeof *events.items);
    if (events.items == NULL) return no_memory(error);
    for (uint32_t i = 0; i < payload->node_count; i++) {
        if (w.owner[i] != i) continue;
        struct ets_payload_event event = {event_name(&w, i), m.list + m.first[i],
                                          m.first[i + 1] - m.first[i]};
        if (event.name == NULL) {
            *events_out = (struct ets_payload_events){.odd_node = i};
            return ETS_OK;
        }
        events.items[events.count++] = event;
        if (!has_separate_clamp(&w.nodes[i])) continue;
        event.name = "Clamp (NC)";
        events.items[events.count++] = event;
    }
    *events_out = events;
    return ETS_OK;
}
