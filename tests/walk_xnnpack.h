/* Walks everything that the reader of XNNPACK payloads hands out; for tests and fuzzing. */
#ifndef ETSCOPE_TESTS_WALK_XNNPACK_H
#define ETSCOPE_TESTS_WALK_XNNPACK_H

#include "format/xnnpack.h"
#include "walk_bytes.h"

static inline void walk_xnnpack(const struct ets_xnnpack *payload)
{
    for (uint32_t i = 0; i < payload->node_count; i++) {
        struct ets_xnnpack_node node;
        ets_xnnpack_node(payload, i, &node);
        if (ets_xnnpack_node_name(node.type) == NULL) __builtin_trap();
        if (node.input_count > ETS_XNNPACK_MOST_INPUTS) __builtin_trap();
        if (node.output_count > ETS_XNNPACK_MOST_OUTPUTS) __builtin_trap();
        walk_sink += node.flags + node.inputs[0] + node.outputs[0] + node.kernel[1];
    }
    for (uint32_t i = 0; i < payload->value_count; i++) {
        struct ets_xnnpack_value value;
        ets_xnnpack_value(payload, i, &value);
        if (ets_xnnpack_type_name(value.type) == NULL) __builtin_trap();
        if (value.quantization.scale_constant != 0 &&
            value.quantization.scale_constant >= payload->constant_count) {
            __builtin_trap();
        }
        for (uint32_t k = 0; k < value.rank; k++) {
            walk_sink += ets_xnnpack_dim(payload, &value, k);
        }
    }
    for (uint32_t i = 0; i < payload->constant_count; i++) {
        struct ets_xnnpack_constant constant;
        ets_xnnpack_constant(payload, i, &constant);
        const struct ets_bytes bytes = constant.bytes;
        walk_bytes(bytes.data, bytes.size);
        for (size_t k = 0; k < constant.key.size; k++) {
            walk_sink += (uint8_t)constant.key.data[k];
        }
    }
}

#endif
