/*
 * The sizes of what MLX's operators make: the payload states them only of constants and arguments.
 * What does not follow from the operator's inputs and parameters stays unknown.
 */
#include <string.h>

#include "base/load.h"
#include "base/text.h"
#include "etscope/tensor.h"
#include "payload/mlx_payload.h"

enum { MOST_RANK = 16 };

struct inference {
    struct ets_payload_builder *builder;
    const struct ets_payload_node *node;
    const struct ets_payload_value *first, *second; /* inputs; NULL: none of known sizes */
    uint32_t rank;
    uint32_t dims[MOST_RANK];
};

typedef bool (*infer_fn)(struct inference *at); /* false: the sizes do not follow */

static const struct ets_payload_value *known_input(const struct inference *at, uint32_t index)
{
    if (index >= at->node->input_count) return NULL;
    const struct ets_payload_value *value =
        ets_payload_value(&at->builder->graph, at->node->inputs[index]);
    return value == NULL || value->is_sizeless || value->rank > MOST_RANK ? NULL : value;
}

static const struct ets_payload_parameter *find(const struct inference *at, const char *name)
{
    for (uint32_t i = 0; i < at->node->parameter_count; i++) {
        const struct ets_payload_parameter *p = &at->node->parameters[i];
        if (p->kind == ETS_PAYLOAD_INTEGERS && strcmp(p->name, name) == 0) return p;
    }
    return NULL;
}

static int64_t integer(const struct inference *at, const char *name, int64_t otherwise)
{
    const struct ets_payload_parameter *p = find(at, name);
    return p != NULL && p->count == 1 ? p->integers[0] : otherwise;
}

/* A dimension that may be counted from the end; `rank` or more: none. */
static uint32_t axis_of(int64_t axis, uint32_t rank)
{
    if (axis < 0) axis += rank;
    return axis >= 0 && axis < (int64_t)rank ? (uint32_t)axis : rank;
}

static bool set_size(struct inference *at, uint32_t index, int64_t size)
{
    if (size < 0 || size > UINT32_MAX || index >= MOST_RANK) return false;
    at->dims[index] = (uint32_t)size;
    return true;
}

static bool same(struct inference *at)
{
    if (at->first == NULL) return false;
    at->rank = at->first->rank;
    if (at->rank > 0) memcpy(at->dims, at->first->dims, at->rank * sizeof *at->dims);
    return true;
}

static bool add_broadcast(struct inference *at, const struct ets_payload_value *value)
{
    uint32_t dims[MOST_RANK];
    if (value == NULL) return false;
    const uint32_t rank = value->rank > at->rank ? value->rank : at->rank;
    for (uint32_t i = 1; i <= rank; i++) { /* from the end */
        const uint32_t a = i <= at->rank ? at->dims[at->rank - i] : 1;
        const uint32_t b = i <= value->rank ? value->dims[value->rank - i] : 1;
        if (a != b && a != 1 && b != 1) return false;
        dims[rank - i] = a == 1 ? b : a;
    }
    at->rank = rank;
    memcpy(at->dims, dims, rank * sizeof *dims);
    return true;
}

static bool broadcast(struct inference *at)
{
    at->rank = 0;
    for (uint32_t i = 0; i < at->node->input_count; i++) {
        if (!add_broadcast(at, known_input(at, i))) return false;
    }
    return at->node->input_count > 0;
}

static bool product(struct inference *at)
{
    if (!same(at) || at->second == NULL || at->rank < 1 || at->second->rank < 2) return false;
    at->dims[at->rank - 1] = at->second->dims[at->second->rank - 1];
    return at->second->rank == 2 || at->second->rank == at->rank;
}

static bool quantized_product(struct inference *at)
{
    const uint32_t from_end = integer(at, "transpose", 1) != 0 ? 2 : 1;
    if (!product(at)) return false;
    at->dims[at->rank - 1] = at->second->dims[at->second->rank - from_end];
    return true;
}

/* A parameter of one spatial dimension: "stride" of one, "stride_h" and "stride_w" of two. */
static int64_t spatial(const struct inference *at, const char *name, uint32_t dim, uint32_t dims,
                       int64_t otherwise)
{
    static const char letters[] = "dhw";
    char text[32];
    const size_t size = strlen(name);
    if (dims == 1) return integer(at, name, otherwise);
    memcpy(text, name, size);
    text[size] = '_';
    text[size + 1] = letters[3 - dims + dim];
    text[size + 2] = '\0';
    return integer(at, text, otherwise);
}

/* Data is [N, spatial..., C], a filter [O, spatial..., C]. */
static bool convolution(struct inference *at)
{
    if (!same(at) || at->second == NULL || at->rank < 3 || at->rank > 5) return false;
    if (at->second->rank != at->rank) return false;
    const uint32_t dims = at->rank - 2;
    for (uint32_t i = 0; i < dims; i++) {
        const int64_t kernel = at->second->dims[i + 1], in = at->dims[i + 1];
        if (kernel > INT32_MAX || in > INT32_MAX) return false; /* products below fit */
        const int64_t stride = spatial(at, "stride", i, dims, 1);
        const int64_t padding = spatial(at, "padding", i, dims, 0);
        const int64_t reach = spatial(at, "dilation", i, dims, 1) * (kernel - 1) + 1;
        const int64_t more = spatial(at, "output_padding", i, dims, 0);
        if (stride <= 0 || padding < 0 || reach <= 0) return false;
        const int64_t room = in + 2 * padding - reach;
        const int64_t size = at->node->is_transposed
                                 ? (in - 1) * stride - 2 * padding + reach + more
                                 : room / stride + 1;
        if ((!at->node->is_transposed && room < 0) || !set_size(at, i + 1, size)) return false;
    }
    at->dims[at->rank - 1] = at->second->dims[0];
    return true;
}

static bool transpose(struct inference *at)
{
    const struct ets_payload_parameter *order = find(at, "perm");
    if (!same(at) || order == NULL || order->count != at->rank) return false;
    for (uint32_t i = 0; i < at->rank; i++) {
        const uint32_t from = axis_of(order->integers[i], at->rank);
        if (from >= at->rank) return false;
        at->dims[i] = at->first->dims[from];
    }
    return true;
}

static bool shape(struct inference *at)
{
    const struct ets_payload_parameter *sizes = find(at, "shape");
    uint64_t known = 1;
    uint32_t open = MOST_RANK;
    if (sizes == NULL || sizes->count > MOST_RANK) return false;
    at->rank = sizes->count;
    for (uint32_t i = 0; i < at->rank; i++) {
        if (sizes->integers[i] < 0 && open == MOST_RANK) open = i;
        else if (!set_size(at, i, sizes->integers[i])) return false;
        else if (!ets_mul_u64(known, at->dims[i], &known)) return false;
    }
    if (open == MOST_RANK) return true;
    if (at->first == NULL || known == 0) return false; /* -1: what is left of the elements */
    const uint64_t all = ets_payload_elements(at->first);
    return all % known == 0 && all / known <= INT64_MAX &&
           set_size(at, open, (int64_t)(all / known));
}

static bool unsqueeze(struct inference *at)
{
    if (!same(at) || at->rank >= MOST_RANK) return false;
    const uint32_t axis = axis_of(integer(at, "axis", 0), at->rank + 1);
    if (axis > at->rank) return false;
    memmove(at->dims + axis + 1, at->dims + axis, (at->rank - axis) * sizeof *at->dims);
    at->dims[axis] = 1;
    at->rank++;
    return true;
}

/* Drops the dimensions of a list or of one number, or leaves 1 of each. */
static bool reduce_over(struct inference *at, const char *name, bool keeps, bool only_ones)
{
    const struct ets_payload_parameter *axes = find(at, name);
    bool drops[MOST_RANK] = {false};
    uint32_t used = 0;
    if (!same(at) || axes == NULL) return false;
    for (uint32_t i = 0; i < axes->count; i++) {
        const uint32_t axis = axis_of(axes->integers[i], at->rank);
        if (axis >= at->rank) return false;
        drops[axis] = !only_ones || at->dims[axis] == 1;
    }
    const bool all = axes->count == 0;
    for (uint32_t i = 0; i < at->rank; i++) {
        const bool is_dropped = drops[i] || (all && (!only_ones || at->dims[i] == 1));
        if (is_dropped && !keeps) continue;
        at->dims[used++] = is_dropped ? 1 : at->dims[i];
    }
    at->rank = used;
    return true;
}

static bool reduction(struct inference *at)
{
    return reduce_over(at, "axes", integer(at, "keepdims", 0) != 0, false);
}

static bool choice(struct inference *at)
{
    return reduce_over(at, "axis", integer(at, "keepdims", 0) != 0, false);
}

static bool squeeze(struct inference *at)
{
    return reduce_over(at, "dims", false, true);
}

static bool concatenation(struct inference *at)
{
    int64_t sum = 0;
    if (!same(at)) return false;
    const uint32_t axis = axis_of(integer(at, "axis", 0), at->rank);
    if (axis >= at->rank) return false;
    for (uint32_t i = 0; i < at->node->input_count; i++) {
        const struct ets_payload_value *value = known_input(at, i);
        if (value == NULL || value->rank != at->rank) return false;
        sum += value->dims[axis];
    }
    return set_size(at, axis, sum);
}

static bool slice(struct inference *at)
{
    if (!same(at) || find(at, "axis") == NULL || find(at, "start") == NULL) return false;
    const uint32_t axis = axis_of(integer(at, "axis", 0), at->rank);
    const int64_t step = integer(at, "step", 1);
    if (axis >= at->rank || find(at, "stop") == NULL || step <= 0) return false;
    const int64_t size = at->dims[axis];
    int64_t start = integer(at, "start", 0), stop = integer(at, "stop", 0);
    if (start < 0) start = start + size < 0 ? 0 : start + size;
    if (stop < 0) stop += size;
    if (stop > size) stop = size;
    if (start >= stop) return set_size(at, axis, 0);
    return set_size(at, axis, (stop - start - 1) / step + 1);
}

static bool take(struct inference *at)
{
    uint32_t dims[MOST_RANK];
    if (!same(at)) return false;
    const uint32_t axis = axis_of(integer(at, "axis", 0), at->rank);
    if (axis >= at->rank || at->second == NULL) return false;
    const uint32_t rank = at->rank - 1 + at->second->rank;
    if (rank > MOST_RANK) return false;
    memcpy(dims, at->dims, axis * sizeof *dims);
    if (at->second->rank > 0) {
        memcpy(dims + axis, at->second->dims, at->second->rank * sizeof *dims);
    }
    memcpy(dims + axis + at->second->rank, at->dims + axis + 1,
           (at->rank - axis - 1) * sizeof *dims);
    memcpy(at->dims, dims, rank * sizeof *dims);
    at->rank = rank;
    return true;
}

/* Rows of the query, as wide as the values. */
static bool attention(struct inference *at)
{
    const struct ets_payload_value *values = known_input(at, 2);
    if (!same(at) || values == NULL || values->rank == 0 || at->rank == 0) return false;
    at->dims[at->rank - 1] = values->dims[values->rank - 1];
    return true;
}

static const struct {
    const char *operation;
    infer_fn infer;
} rules[] = {
    {"_softmax", same},
    {"_to_copy", same},
    {"addmm", product},
    {"alias", same},
    {"all", reduction},
    {"amax", reduction},
    {"amin", reduction},
    {"any", reduction},
    {"argmax", choice},
    {"argmin", choice},
    {"cat", concatenation},
    {"clamp", same},
    {"contiguous", same},
    {"convolution", convolution},
    {"cumsum", same},
    {"dequantize_affine", same},
    {"expand", shape},
    {"flip", same},
    {"full", shape},
    {"full_like", same},
    {"gather", NULL},
    {"gelu", same},
    {"index_copy", same},
    {"index_select", take},
    {"linear", quantized_product},
    {"mean", reduction},
    {"native_layer_norm", same},
    {"permute", transpose},
    {"prod", reduction},
    {"rms_norm", same},
    {"roll", same},
    {"round", same},
    {"scaled_dot_product_attention", attention},
    {"slice", slice},
    {"slice_scatter", same},
    {"squeeze", squeeze},
    {"std", reduction},
    {"sum", reduction},
    {"tril", same},
    {"triu", same},
    {"unsqueeze", unsqueeze},
    {"var", reduction},
    {"view", shape},
    {"where", broadcast},
};

/* Operators of one or two inputs and nothing else are element-wise. */
static infer_fn rule_of(const struct ets_fb_type *type, struct ets_text operation)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (ets_text_is(operation, rules[i].operation)) return rules[i].infer;
    }
    if (strcmp(type->name, "Rope") == 0) return same;
    if (type->field_count == 2 && strcmp(type->fields[0].name, "x") == 0) return same;
    return type->field_count == 3 && strcmp(type->fields[1].name, "b") == 0 ? broadcast : NULL;
}

static const struct ets_payload_type *type_of(const struct inference *at)
{
    static const char *const truths[] = {"eq",          "ne",  "lt",          "le",
                                         "gt",          "ge",  "logical_and", "logical_or",
                                         "logical_not", "all", "any"};
    const struct ets_text operation = at->node->operation;
    for (size_t i = 0; i < sizeof truths / sizeof *truths; i++) {
        if (ets_text_is(operation, truths[i])) return ets_payload_scalar_type(ETS_SCALAR_BOOL);
    }
    const int64_t stated = integer(at, "scalar_type", -1);
    if (stated >= 0 && stated < INT8_MAX) return ets_payload_scalar_type((int)stated);
    const bool is_choice = ets_text_starts_with(operation, "arg");
    const bool is_unpacked = ets_text_is(operation, "dequantize_affine");
    const uint32_t from = ets_text_is(operation, "where") || is_unpacked ? 1 : 0;
    if (is_choice || from >= at->node->input_count) return ets_payload_scalar_type(-1);
    const struct ets_payload_value *value =
        ets_payload_value(&at->builder->graph, at->node->inputs[from]);
    return value != NULL ? value->type : ets_payload_scalar_type(-1);
}

bool ets_mlx_infer(struct ets_payload_builder *builder, const struct ets_fb_type *type,
                   const struct ets_payload_node *node)
{
    struct inference at = {.builder = builder, .node = node};
    if (node->output_count != 1 || node->outputs[0] >= builder->graph.value_count) return true;
    struct ets_payload_value *out = &builder->graph.values[node->outputs[0]];
    at.first = known_input(&at, 0);
    at.second = known_input(&at, 1);
    const infer_fn infer = rule_of(type, node->operation);
    if (node->operation.data != NULL || infer != NULL) out->type = type_of(&at);
    if (infer == NULL || !infer(&at)) return true;
    uint32_t *dims = ets_payload_room(builder, at.rank, sizeof *dims);
    if (dims == NULL) return false;
    memcpy(dims, at.dims, at.rank * sizeof *dims);
    out->dims = dims;
    out->rank = at.rank;
    out->is_sizeless = false;
    return true;
}
