/* Reads XNNPACK payloads: nodes with their inputs and outputs, and the types of values. */
#include "format/xnnpack.h"

#include <math.h>

#include "base/text.h"
#include "format/xnnpack_schema.h"

/* runtime/XNNHeader.h: after four zero bytes, so that the magic is at a FlatBuffer's position. */
enum { MAGIC_AT = 4, HEADER_AT = 10, HEADER_BYTES = 30 };
enum { LEAST_FLATBUFFER = 8, MOST_EXTERNALS = 4096, MOST_SIZES = 6 /* XNN_MAX_TENSOR_DIMS */ };
enum { NO_HANDLE = 65535 };
static const char header_magic[] = "XH00", aot_magic[] = "XN01", runtime_magic[] = "XN00";

static bool has_magic(struct ets_bytes bytes, const char *magic)
{
    return bytes.size >= MAGIC_AT + 4 && memcmp(bytes.data + MAGIC_AT, magic, 4) == 0;
}

int ets_xnnpack_sniff(struct ets_bytes bytes)
{
    return has_magic(bytes, header_magic) || has_magic(bytes, aot_magic) ||
           has_magic(bytes, runtime_magic);
}

/* Reads the positions of the FlatBuffer and the constants. */
static enum ets_status read_header(struct ets_bytes bytes, struct ets_xnnpack *payload,
                                   struct ets_error *error)
{
    payload->bytes = payload->flatbuffer = bytes;
    payload->constants = (struct ets_bytes){NULL, 0};
    if (!has_magic(bytes, header_magic)) return ETS_OK; /* an old payload: only the FlatBuffer */
    if (bytes.size < HEADER_BYTES) {
        return ets_fail(error, ETS_TRUNCATED, bytes.size, "XNNPACK payload ends inside its header");
    }
    const uint32_t start = ets_load_u32(bytes.data + HEADER_AT);
    const uint32_t size = ets_load_u32(bytes.data + HEADER_AT + 4);
    const uint32_t constants = ets_load_u32(bytes.data + HEADER_AT + 8);
    const uint64_t constant_bytes = ets_load_u64(bytes.data + HEADER_AT + 12);
    if (size < LEAST_FLATBUFFER || !ets_range_fits(start, size, bytes.size)) {
        return ets_fail(error, size < LEAST_FLATBUFFER ? ETS_MALFORMED : ETS_TRUNCATED, HEADER_AT,
                        "XNNPACK payload of %zu bytes has no room for a graph of %u at %u",
                        bytes.size, size, start);
    }
    if (constants < (uint64_t)start + size ||
        !ets_range_fits(constants, constant_bytes, bytes.size)) {
        return ets_fail(error, ETS_MALFORMED, HEADER_AT + 8,
                        "XNNPACK payload of %zu bytes: constants of %llu bytes at %u overlap the "
                        "graph or lie outside",
                        bytes.size, (unsigned long long)constant_bytes, constants);
    }
    payload->flatbuffer = (struct ets_bytes){bytes.data + start, size};
    payload->constants = (struct ets_bytes){bytes.data + constants, (size_t)constant_bytes};
    return ETS_OK;
}

static struct ets_fb root_of(const struct ets_xnnpack *payload)
{
    return (struct ets_fb){payload->flatbuffer.data, payload->root_at};
}

/* Whether constants are inside the FlatBuffer, as in the oldest payloads. */
static bool is_inline(const struct ets_xnnpack *payload)
{
    return payload->is_runtime_schema && !ets_fb_has(root_of(payload), GRAPH_CONSTANTS);
}

static struct ets_fb_vector constants_of(const struct ets_xnnpack *payload)
{
    return ets_fb_vector(root_of(payload),
                         is_inline(payload) ? GRAPH_INLINE_CONSTANTS : GRAPH_CONSTANTS);
}

/* The tensor of a value, or an absent table if its kind is unknown. */
static struct ets_fb tensor_of(struct ets_fb value)
{
    const uint8_t tag = ets_fb_u8(value, VALUE_TAG, 0);
    const struct ets_fb none = {value.base, 0};
    if (tag != VALUE_IS_TENSOR && tag != VALUE_IS_QUANTIZED) return none;
    const struct ets_fb member = ets_fb_table(value, VALUE_MEMBER);
    return tag == VALUE_IS_TENSOR ? member : ets_fb_table(member, QUANTIZED_TENSOR);
}

static enum ets_status check_value(const struct ets_xnnpack *payload, uint64_t origin,
                                   uint32_t index, struct ets_error *error)
{
    const struct ets_fb value =
        ets_fb_vector_table(ets_fb_vector(root_of(payload), GRAPH_VALUES), index);
    const struct ets_fb tensor = tensor_of(value);
    if (tensor.at == 0) {
        return ets_fail(error, ETS_UNSUPPORTED, origin + value.at,
                        "XNNPACK value %u: unknown kind %u", index, ets_fb_u8(value, VALUE_TAG, 0));
    }
    const uint64_t at = origin + tensor.at;
    struct ets_xnnpack_value v;
    ets_xnnpack_value(payload, index, &v);
    if (ets_xnnpack_type_name(v.type) == NULL) {
        return ets_fail(error, ETS_UNSUPPORTED, at, "XNNPACK value %u: unknown element type %d",
                        index, v.type);
    }
    const uint32_t dims = ets_fb_vector(tensor, TENSOR_DIMS).count;
    if (dims != v.rank) {
        return ets_fail(error, ETS_MALFORMED, at,
                        "XNNPACK value %u: has %u sizes for %u dimensions", index, dims, v.rank);
    }
    if (v.external_id != ETS_XNNPACK_INTERNAL && v.external_id >= payload->external_count) {
        return ets_fail(error, ETS_MALFORMED, at,
                        "XNNPACK value %u: argument %u is out of range; the call has %u", index,
                        v.external_id, payload->external_count);
    }
    const uint32_t flags = ets_fb_u32(tensor, TENSOR_FLAGS, 0);
    if ((flags & ~(uint32_t)(TENSOR_IS_INPUT | TENSOR_IS_OUTPUT)) != 0) {
        return ets_fail(error, ETS_UNSUPPORTED, at, "XNNPACK value %u: unknown flags 0x%x", index,
                        flags);
    }
    const uint32_t constants[] = {v.constant_index, v.quantization.scale_constant};
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
        if (constants[i] == 0 || constants[i] < payload->constant_count) continue;
        return ets_fail(error, ETS_MALFORMED, at,
                        "XNNPACK value %u: constant %u is out of range; there are %u", index,
                        constants[i], payload->constant_count);
    }
    return ETS_OK;
}

static enum ets_status check_constant(const struct ets_xnnpack *payload, uint64_t origin,
                                      uint32_t index, struct ets_error *error)
{
    const struct ets_fb constant = ets_fb_vector_table(constants_of(payload), index);
    if (index == 0 || is_inline(payload) || ets_fb_has(constant, CONSTANT_KEY)) return ETS_OK;
    const uint64_t start = ets_fb_u64(constant, CONSTANT_OFFSET, 0);
    const uint64_t size = ets_fb_u64(constant, CONSTANT_SIZE, 0);
    if (ets_range_fits(start, size, payload->constants.size)) return ETS_OK;
    return ets_fail(error, ETS_TRUNCATED, origin + constant.at,
                    "XNNPACK constant %u: %llu bytes at %llu lie outside the payload of %zu", index,
                    (unsigned long long)size, (unsigned long long)start, payload->constants.size);
}

static enum ets_status check(const struct ets_xnnpack *payload, uint64_t origin,
                             struct ets_error *error)
{
    if (payload->external_count > MOST_EXTERNALS) {
        return ets_fail(error, ETS_LIMIT, origin + payload->root_at,
                        "XNNPACK graph has %u arguments; the runtime supports %d",
                        payload->external_count, MOST_EXTERNALS);
    }
    const struct ets_fb_vector nodes = ets_fb_vector(root_of(payload), GRAPH_NODES);
    for (uint32_t i = 0; i < payload->node_count; i++) {
        const struct ets_fb node = ets_fb_vector_table(nodes, i);
        const uint8_t type = ets_fb_u8(node, NODE_TAG, 0);
        if (ets_xnnpack_layout(type) == NULL) {
            return ets_fail(error, ETS_UNSUPPORTED, origin + node.at,
                            "XNNPACK node %u: unknown kind %u", i, type);
        }
    }
    for (uint32_t i = 0; i < payload->constant_count; i++) {
        ETS_TRY(check_constant(payload, origin, i, error));
    }
    for (uint32_t i = 0; i < payload->value_count; i++) {
        ETS_TRY(check_value(payload, origin, i, error));
    }
    return ETS_OK;
}

enum ets_status ets_xnnpack_init(struct ets_xnnpack *payload_out, struct ets_bytes bytes,
                                 struct ets_error *error)
{
    struct ets_xnnpack payload = {.node_count = 0};
    if (!ets_xnnpack_sniff(bytes)) {
        return ets_fail(error, bytes.size < MAGIC_AT + 4 ? ETS_TRUNCATED : ETS_WRONG_KIND, 0,
                        "not an XNNPACK payload: neither %s nor %s at byte 4", header_magic,
                        aot_magic);
    }
    ETS_TRY(read_header(bytes, &payload, error));
    const uint64_t origin = (uint64_t)(payload.flatbuffer.data - bytes.data);
    payload.is_runtime_schema = has_magic(payload.flatbuffer, runtime_magic);
    if (!payload.is_runtime_schema && !has_magic(payload.flatbuffer, aot_magic)) {
        return ets_fail(error, ETS_UNSUPPORTED, origin + MAGIC_AT,
                        "XNNPACK graph is neither %s nor %s", aot_magic, runtime_magic);
    }
    struct ets_fb root;
    ETS_TRY(
        ets_fb_verify_root(payload.flatbuffer, 0, &ets_xnnpack_graph_type, origin, &root, error));
    payload.root_at = root.at;
    payload.node_count = ets_fb_vector(root, GRAPH_NODES).count;
    payload.value_count = ets_fb_vector(root, GRAPH_VALUES).count;
    payload.external_count = ets_fb_u32(root, GRAPH_EXTERNALS, 0);
    payload.constant_count = constants_of(&payload).count;
    ETS_TRY(check(&payload, origin, error));
    *payload_out = payload;
    return ETS_OK;
}

static uint32_t slot_value(struct ets_fb arguments, int first, unsigned index)
{
    return first == XNNPACK_NO_SLOT ? 0 : ets_fb_u32(arguments, (unsigned)first + index, 0);
}

/* Reads ids; leaves out missing optional inputs. */
static uint32_t read_ids(struct ets_fb arguments, const int8_t *slots, uint32_t count,
                         uint32_t *ids)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t id = slot_value(arguments, slots[i], 0);
        if (id != UINT32_MAX) ids[used++] = id;
    }
    return used;
}

/* Whether a reshape has all sizes: a size of 0 is that of the input. */
static int has_all_sizes(struct ets_fb arguments)
{
    const struct ets_fb_vector sizes = ets_fb_vector(arguments, RESHAPE_SIZES);
    if (sizes.count > MOST_SIZES) return 0;
    for (uint32_t i = 0; i < sizes.count; i++) {
        if (ets_fb_vector_i32(sizes, i) == 0) return 0;
    }
    return 1;
}

void ets_xnnpack_node(const struct ets_xnnpack *payload, uint32_t index,
                      struct ets_xnnpack_node *node_out)
{
    const struct ets_fb node =
        ets_fb_vector_table(ets_fb_vector(root_of(payload), GRAPH_NODES), index);
    const struct ets_fb arguments = ets_fb_table(node, NODE_MEMBER);
    const struct ets_fb min_max = ets_fb_table(node, NODE_MIN_MAX);
    const uint32_t handle = ets_fb_u32(node, NODE_HANDLE, 0);
    struct ets_xnnpack_node n = {
        .type = ets_fb_u8(node, NODE_TAG, 0),
        .debug_handle = handle == NO_HANDLE ? -1 : (int64_t)handle,
        .has_min_max = min_max.at != 0,
        .output_min = min_max.at != 0 ? ets_fb_f32(min_max, MIN_MAX_MIN, 0) : -INFINITY,
        .output_max = min_max.at != 0 ? ets_fb_f32(min_max, MIN_MAX_MAX, 0) : INFINITY,
        .node_at = node.at,
    };
    const struct ets_xnnpack_layout *layout = ets_xnnpack_layout(n.type);
    n.input_count = read_ids(arguments, layout->inputs, layout->input_count, n.inputs);
    n.output_count = read_ids(arguments, layout->outputs, layout->output_count, n.outputs);
    n.flags = slot_value(arguments, layout->flags, 0);
    for (unsigned i = 0; i < 4; i++) n.padding[i] = slot_value(arguments, layout->window, i);
    for (unsigned i = 0; i < 2; i++) {
        n.kernel[i] = slot_value(arguments, layout->window, 4 + i);
        n.stride[i] = slot_value(arguments, layout->window, 6 + i);
        n.dilation[i] = slot_value(arguments, layout->window, 8 + i);
    }
    n.group_input_channels = slot_value(arguments, layout->groups, 0);
    n.group_output_channels = slot_value(arguments, layout->groups, 1);
    n.groups = slot_value(arguments, layout->groups, 2);
    n.has_all_sizes = n.type == ETS_XNNPACK_STATIC_RESHAPE && has_all_sizes(arguments);
    *node_out = n;
}

static struct ets_xnnpack_quantization quantization_of(struct ets_fb value)
{
    struct ets_xnnpack_quantization q = {.kind = ETS_XNNPACK_NOT_QUANTIZED};
    if (ets_fb_u8(value, VALUE_TAG, 0) != VALUE_IS_QUANTIZED) return q;
    const struct ets_fb quantized = ets_fb_table(value, VALUE_MEMBER);
    q.kind = ets_fb_u8(quantized, QUANTIZED_TAG, 0);
    const bool is_known = q.kind == ETS_XNNPACK_PER_CHANNEL || q.kind == ETS_XNNPACK_PER_TENSOR ||
                          q.kind == ETS_XNNPACK_PER_GROUP;
    if (!is_known) return q; /* never verified: not followed */
    const struct ets_fb member = ets_fb_table(quantized, QUANTIZED_MEMBER);
    switch (q.kind) {
    case ETS_XNNPACK_PER_CHANNEL:
        q.channel_dim = ets_fb_i32(member, CHANNEL_DIM, 0);
        q.scale_constant = ets_fb_u32(member, CHANNEL_SCALE_CONSTANT, 0);
        q.scale_count = q.scale_constant != 0 ? ets_fb_u32(member, CHANNEL_SCALE_COUNT, 0)
                                              : ets_fb_vector(member, CHANNEL_SCALES).count;
        break;
    case ETS_XNNPACK_PER_TENSOR:
        q.scale = ets_fb_f32(member, TENSOR_SCALE, 0);
        q.zero_point = ets_fb_i32(member, TENSOR_ZERO_POINT, 0);
        break;
    case ETS_XNNPACK_PER_GROUP:
        q.channel_dim = ets_fb_i32(member, GROUP_CHANNEL_DIM, 0);
        q.group_size = ets_fb_i32(member, GROUP_SIZE, 0);
        q.scale_constant = ets_fb_u32(member, GROUP_SCALE_CONSTANT, 0);
        q.scale_count = q.scale_constant != 0 ? ets_fb_u32(member, GROUP_SCALE_COUNT, 0)
                                              : ets_fb_vector(member, GROUP_SCALES).count;
        break;
    default: break;
    }
    return q;
}

void ets_xnnpack_value(const struct ets_xnnpack *payload, uint32_t index,
                       struct ets_xnnpack_value *value_out)
{
    const struct ets_fb value =
        ets_fb_vector_table(ets_fb_vector(root_of(payload), GRAPH_VALUES), index);
    const struct ets_fb tensor = tensor_of(value);
    const uint32_t flags = ets_fb_u32(tensor, TENSOR_FLAGS, 0);
    const size_t type_at = ets_fb_field_at(tensor, TENSOR_TYPE);
    *value_out = (struct ets_xnnpack_value){
        .id = ets_fb_u32(tensor, TENSOR_ID, 0),
        .type = type_at == 0 ? 0 : (int16_t)ets_load_u16(tensor.base + type_at),
        .rank = ets_fb_u32(tensor, TENSOR_RANK, 0),
        .external_id = ets_fb_u32(tensor, TENSOR_EXTERNAL, 0),
        .is_input = (flags & TENSOR_IS_INPUT) != 0,
        .is_output = (flags & TENSOR_IS_OUTPUT) != 0,
        .constant_index = ets_fb_u32(tensor, TENSOR_CONSTANT, 0),
        .is_quantized = ets_fb_u8(value, VALUE_TAG, 0) == VALUE_IS_QUANTIZED,
        .quantization = quantization_of(value),
        .value_at = tensor.at,
        .dims_at = ets_fb_vector(tensor, TENSOR_DIMS).at,
    };
}

void ets_xnnpack_mark_outputs(const struct ets_xnnpack *payload, uint8_t *is_output)
{
    for (uint32_t i = 0; i < payload->value_count; i++) {
        struct ets_xnnpack_value value;
        ets_xnnpack_value(payload, i, &value);
        if (value.is_output && value.external_id != ETS_XNNPACK_INTERNAL) {
            is_output[value.external_id] = 1;
        }
    }
}

uint32_t ets_xnnpack_dim(const struct ets_xnnpack *payload, const struct ets_xnnpack_value *value,
                         uint32_t index)
{
    return ets_load_u32(payload->flatbuffer.data + value->dims_at + 4 * (size_t)index);
}

void ets_xnnpack_constant(const struct ets_xnnpack *payload, uint32_t index,
                          struct ets_xnnpack_constant *constant_out)
{
    const struct ets_fb constant = ets_fb_vector_table(constants_of(payload), index);
    *constant_out = (struct ets_xnnpack_constant){.size = 0};
    if (is_inline(payload)) {
        constant_out->bytes = ets_fb_bytes(constant, BUFFER_STORAGE);
        constant_out->size = constant_out->bytes.size;
        return;
    }
    constant_out->key = ets_fb_text(constant, CONSTANT_KEY);
    constant_out->size = ets_fb_u64(constant, CONSTANT_SIZE, 0);
    if (constant_out->key.data != NULL || index == 0) return;
    constant_out->bytes =
        (struct ets_bytes){payload->constants.data + ets_fb_u64(constant, CONSTANT_OFFSET, 0),
                           (size_t)constant_out->size};
}

const char *ets_xnnpack_node_name(int type)
{
    switch (type) {
#define ETS_CASE(name, number, text) \
    case number: return text;
        ETS_XNNPACK_NODE_LIST(ETS_CASE)
#undef ETS_CASE
    default: return NULL;
    }
}

const char *ets_xnnpack_type_name(int type)
{
    switch (type) {
#define ETS_CASE(name, number, text, bits) \
    case number: return text;
        ETS_XNNPACK_TYPE_LIST(ETS_CASE)
#undef ETS_CASE
    default: return NULL;
    }
}

uint32_t ets_xnnpack_type_bits(int type)
{
    switch (type) {
#define ETS_CASE(name, number, text, bits) \
    case number: return bits;
        ETS_XNNPACK_TYPE_LIST(ETS_CASE)
#undef ETS_CASE
    default: return 0;
    }
}
