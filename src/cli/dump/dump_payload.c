/* What an XNNPACK payload holds: nodes, values, constants. */
#include <string.h>

#include "cli/dump/dump_parts.h"
#include "format/vulkan_schema.h"
#include "format/xnnpack.h"
#include "payload/payload_kind.h"

static void put_numbers(struct ets_json_writer *json, const char *key, const uint32_t *numbers,
                        uint32_t count)
{
    ets_json_begin_array(json, key);
    for (uint32_t i = 0; i < count; i++) ets_json_put_count(json, NULL, numbers[i]);
    ets_json_end_array(json);
}

static void put_node(struct ets_json_writer *json, const struct ets_xnnpack_node *node)
{
    ets_json_begin_object(json, NULL);
    ets_json_put_string(json, "type", ets_xnnpack_node_name(node->type));
    ets_json_put_integer(json, "type_number", node->type);
    if (node->debug_handle < 0) ets_json_put_null(json, "debug_handle");
    else ets_json_put_integer(json, "debug_handle", node->debug_handle);
    put_numbers(json, "inputs", node->inputs, node->input_count);
    put_numbers(json, "outputs", node->outputs, node->output_count);
    ets_json_put_count(json, "flags", node->flags);
    if (node->has_min_max) {
        ets_json_put_any_real(json, "output_min", node->output_min);
        ets_json_put_any_real(json, "output_max", node->output_max);
    } else {
        ets_json_put_null(json, "output_min");
        ets_json_put_null(json, "output_max");
    }
    put_numbers(json, "padding", node->padding, 4);
    put_numbers(json, "kernel", node->kernel, 2);
    put_numbers(json, "stride", node->stride, 2);
    put_numbers(json, "dilation", node->dilation, 2);
    ets_json_put_count(json, "groups", node->groups);
    ets_json_put_count(json, "group_input_channels", node->group_input_channels);
    ets_json_put_count(json, "group_output_channels", node->group_output_channels);
    ets_json_end_object(json);
}

static void put_quantization(struct ets_json_writer *json,
                             const struct ets_xnnpack_quantization *quantization)
{
    static const char *const names[] = {"none", "per_channel", "per_tensor", "per_token",
                                        "per_group"};
    const int kind = quantization->kind;
    ets_json_begin_object(json, "quantization");
    if (kind >= 0 && kind <= ETS_XNNPACK_PER_GROUP) ets_json_put_string(json, "kind", names[kind]);
    else ets_json_put_integer(json, "kind", kind);
    ets_json_put_any_real(json, "scale", quantization->scale);
    ets_json_put_integer(json, "zero_point", quantization->zero_point);
    ets_json_put_integer(json, "channel_dim", quantization->channel_dim);
    ets_json_put_integer(json, "group_size", quantization->group_size);
    ets_json_put_count(json, "scale_constant", quantization->scale_constant);
    ets_json_put_count(json, "scale_count", quantization->scale_count);
    ets_json_end_object(json);
}

static void put_value(struct ets_json_writer *json, const struct ets_xnnpack *payload,
                      const struct ets_xnnpack_value *value)
{
    ets_json_begin_object(json, NULL);
    ets_json_put_count(json, "id", value->id);
    ets_json_put_string(json, "type", ets_xnnpack_type_name(value->type));
    ets_json_begin_array(json, "dims");
    for (uint32_t i = 0; i < value->rank; i++) {
        ets_json_put_count(json, NULL, ets_xnnpack_dim(payload, value, i));
    }
    ets_json_end_array(json);
    if (value->external_id == ETS_XNNPACK_INTERNAL) ets_json_put_null(json, "external_id");
    else ets_json_put_count(json, "external_id", value->external_id);
    ets_json_put_bool(json, "is_input", value->is_input != 0);
    ets_json_put_bool(json, "is_output", value->is_output != 0);
    ets_json_put_count(json, "constant_index", value->constant_index);
    if (value->is_quantized) put_quantization(json, &value->quantization);
    else ets_json_put_null(json, "quantization");
    ets_json_end_object(json);
}

static void put_constant(struct ets_json_writer *json, const struct ets_xnnpack_constant *constant,
                         bool with_data)
{
    ets_json_begin_object(json, NULL);
    ets_json_put_text(json, "named_key", constant->key);
    ets_json_put_count(json, "size", constant->size);
    ets_json_put_blob(json, "content", constant->bytes, with_data);
    ets_json_end_object(json);
}

/* Vulkan's graph behind its header; null where there is none, or it is damaged. */
static void put_vulkan(struct ets_json_writer *json, struct ets_bytes bytes, bool with_data)
{
    struct ets_bytes constants;
    struct ets_fb root;
    const struct ets_bytes graph = ets_payload_flatbuffer(bytes, &constants);
    const bool is_vulkan = graph.size >= 8 && memcmp(graph.data + 4, "VK00", 4) == 0;
    if (is_vulkan &&
        ets_fb_verify_root(graph, 0, &ets_vulkan_graph_type, 0, &root, NULL) == ETS_OK) {
        ets_json_put_flatbuffer(json, "vulkan", root, &ets_vulkan_graph_type, with_data);
    } else {
        ets_json_put_null(json, "vulkan");
    }
}

void dump_put_payload(struct ets_json_writer *json, struct ets_bytes bytes, bool with_data)
{
    char text[ETS_PAYLOAD_KIND_CHARS];
    struct ets_xnnpack payload;
    const bool is_read =
        ets_xnnpack_sniff(bytes) && ets_xnnpack_init(&payload, bytes, NULL) == ETS_OK;
    ets_json_put_string(json, "format", is_read ? "XNNPACK graph" : ets_payload_kind(bytes, text));
    put_vulkan(json, bytes, with_data);
    if (!is_read) {
        ets_json_put_null(json, "xnnpack");
        return;
    }
    ets_json_begin_object(json, "xnnpack");
    ets_json_put_bool(json, "is_runtime_schema", payload.is_runtime_schema != 0);
    ets_json_put_count(json, "external_count", payload.external_count);
    ets_json_begin_array(json, "nodes");
    for (uint32_t i = 0; i < payload.node_count; i++) {
        struct ets_xnnpack_node node;
        ets_xnnpack_node(&payload, i, &node);
        put_node(json, &node);
    }
    ets_json_end_array(json);
    ets_json_begin_array(json, "values");
    for (uint32_t i = 0; i < payload.value_count; i++) {
        struct ets_xnnpack_value value;
        ets_xnnpack_value(&payload, i, &value);
        put_value(json, &payload, &value);
    }
    ets_json_end_array(json);
    ets_json_begin_array(json, "constants");
    for (uint32_t i = 0; i < payload.constant_count; i++) {
        struct ets_xnnpack_constant constant;
        ets_xnnpack_constant(&payload, i, &constant);
        put_constant(json, &constant, with_data);
    }
    ets_json_end_array(json);
    ets_json_end_object(json);
}
