/* An XNNPACK payload whose calls also give values from within. */
#include <string.h>

#include "base/byte_layout.h"
#include "format/xnnpack_schema.h"
#include "rewrite/flatbuffer_splice.h"
#include "rewrite/tapped_payload.h"

/* ExecuTorch backends/xnnpack/runtime/XNNHeader.h */
enum {
    HEADER_BYTES = 32, /* 30, and padding */
    HEADER_SIZE_AT = 14,
    HEADER_CONSTANTS_AT = 18,
    CONSTANT_ALIGNMENT = 16,
    GRAPH_ALIGNMENT = 64,
    MOST_EXTERNALS = 4096
};

struct rewriting {
    struct ets_splice splice;
    const struct ets_xnnpack *old;
    struct ets_splice_part *values;
};

static const struct ets_fb_type *value_type(void)
{
    return ets_splice_type_in(&ets_xnnpack_graph_type, GRAPH_VALUES, 0);
}

/* Makes value `index` the argument `external_id`, which the call gives. */
static void tap_value(struct rewriting *r, struct ets_fb_vector values, uint32_t index,
                      uint32_t external_id)
{
    const struct ets_fb old = ets_fb_vector_table(values, index);
    const uint8_t tag = ets_fb_u8(old, VALUE_TAG, 0);
    const struct ets_fb_type *type = ets_splice_type_in(value_type(), VALUE_TAG, tag);
    const struct ets_fb old_member = ets_fb_table(old, VALUE_MEMBER);
    struct ets_splice_part *value = ets_splice_copy(&r->splice, old, value_type());
    struct ets_splice_part *member = ets_splice_copy(&r->splice, old_member, type);
    struct ets_splice_part *tensor = member;
    struct ets_fb old_tensor = old_member;
    ets_splice_set_part(value, VALUE_MEMBER, member);
    if (tag == VALUE_IS_QUANTIZED) {
        old_tensor = ets_fb_table(old_member, QUANTIZED_TENSOR);
        tensor =
            ets_splice_copy(&r->splice, old_tensor, ets_splice_type_in(type, QUANTIZED_TENSOR, 0));
        ets_splice_set_part(member, QUANTIZED_TENSOR, tensor);
    }
    ets_splice_set_number(tensor, TENSOR_EXTERNAL, 4, external_id);
    ets_splice_set_number(tensor, TENSOR_FLAGS, 4,
                          ets_fb_u32(old_tensor, TENSOR_FLAGS, 0) | TENSOR_IS_OUTPUT);
    ets_splice_set_item(r->values, index, value);
}

/* The header, the new graph, and the constants behind it. */
static enum ets_status wrap(struct rewriting *r, struct ets_bytes graph,
                            struct ets_bytes *payload_out)
{
    const struct ets_bytes old = r->old->bytes;
    if (r->old->flatbuffer.data == old.data) { /* without a header */
        *payload_out = graph;
        return ETS_OK;
    }
    const size_t start = (size_t)(r->old->flatbuffer.data - old.data);
    const struct ets_bytes constants = r->old->constants;
    const size_t end = (size_t)ets_align(start + graph.size, CONSTANT_ALIGNMENT);
    uint8_t *bytes = ets_arena_alloc(r->splice.arena, end + constants.size);
    if (bytes == NULL) return ets_fail_memory(r->splice.error, "a rewritten payload");
    memcpy(bytes, old.data, start);
    memcpy(bytes + start, graph.data, graph.size);
    if (constants.size > 0) memcpy(bytes + end, constants.data, constants.size);
    ets_store_bytes(bytes + HEADER_SIZE_AT, graph.size, 4);
    ets_store_bytes(bytes + HEADER_CONSTANTS_AT, end, 4);
    *payload_out = (struct ets_bytes){bytes, end + constants.size};
    return ETS_OK;
}

enum ets_status ets_tap_payload(struct ets_arena *arena, const struct ets_xnnpack *old,
                                const uint32_t *values, uint32_t count,
                                struct ets_bytes *payload_out, struct ets_error *error)
{
    const struct ets_fb root = {old->flatbuffer.data, old->root_at};
    const struct ets_fb_vector all = ets_fb_vector(root, GRAPH_VALUES);
    const struct ets_fb_vector outputs = ets_fb_vector(root, GRAPH_OUTPUTS);
    struct rewriting r = {.old = old};
    if (count > MOST_EXTERNALS - old->external_count) {
        return ets_fail(error, ETS_LIMIT, ETS_NO_OFFSET,
                        "a call of XNNPACK has at most %d arguments: %u values are too many beside "
                        "its %u",
                        MOST_EXTERNALS, count, old->external_count);
    }
    ets_splice_init(&r.splice, arena, old->flatbuffer, 8, error);
    struct ets_splice_part *graph = ets_splice_copy(&r.splice, root, &ets_xnnpack_graph_type);
    r.values = ets_splice_tables(&r.splice, all, 0);
    struct ets_splice_part *ids = ets_splice_numbers(&r.splice, outputs, count, 4);
    for (uint32_t i = 0; i < count && r.splice.status == ETS_OK; i++) {
        struct ets_xnnpack_value value;
        ets_xnnpack_value(old, values[i], &value);
        tap_value(&r, all, values[i], old->external_count + i);
        ets_splice_set_item_number(ids, outputs.count + i, value.id);
    }
    ets_splice_set_part(graph, GRAPH_VALUES, r.values);
    ets_splice_set_part(graph, GRAPH_OUTPUTS, ids);
    ets_splice_set_number(graph, GRAPH_EXTERNALS, 4, (uint64_t)old->external_count + count);
    uint8_t *bytes;
    size_t size;
    ETS_TRY(ets_splice_write(&r.splice, graph, 8, GRAPH_ALIGNMENT, &bytes, &size));
    ETS_TRY(wrap(&r, (struct ets_bytes){bytes, size}, payload_out));
    struct ets_xnnpack verified;
    return ets_xnnpack_init(&verified, *payload_out, error);
}
