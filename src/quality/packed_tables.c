/* Unpacks tables of embeddings. */
#include "quality/packed_tables.h"

#include "base/text.h"
#include "numerics/element.h"
#include "operators/operator_traits.h"

uint32_t ets_quality_packed_bits(struct ets_text op)
{
    const struct ets_text base = ets_operator_base_name(op);
    if (ets_text_is(base, "embedding_byte")) return 8;
    if (ets_text_is(base, "embedding_4bit")) return 4;
    return ets_text_is(base, "embedding_2bit") ? 2 : 0;
}

bool ets_quality_is_packed_lookup(const struct ets_graph_node *node)
{
    return ets_quality_packed_bits(node->op) > 0;
}

static const struct ets_tensor *tensor_of(const struct ets_graph_weights *weights,
                                          const struct ets_graph_node *node, const char *label)
{
    for (uint32_t i = 0; i < node->input_count; i++) {
        if (!ets_text_is(node->inputs[i].label, label)) continue;
        const struct ets_graph_place place = ets_graph_weights_behind(weights, &node->inputs[i]);
        const struct ets_tensor *tensor = ets_graph_weights_tensor(weights, place.input);
        return tensor;
    }
    return NULL;
}

static bool is_whole(const struct ets_tensor *tensor)
{
    return ets_tensor_is_contiguous(tensor) != 0 && tensor->data != NULL &&
           tensor->data_bytes >= ets_tensor_extent(tensor);
}

static double element(const struct ets_tensor *tensor, uint64_t index)
{
    const size_t size = ets_scalar_type_bytes(tensor->scalar_type);
    return ets_element_load((const uint8_t *)tensor->data + index * size, tensor->scalar_type, 0);
}

static int integer_of(const struct ets_tensor *table, uint32_t bits, uint64_t index)
{
    const uint8_t *bytes = table->data;
    if (bits == 8) return (int)element(table, index);
    const uint32_t each = 8 / bits, at = (uint32_t)(index % each);
    const uint32_t shift = bits == 4 ? 4 * (1 - at) : 2 * at;
    const int half = 1 << (bits - 1);
    return (int)((uint32_t)(bytes[index / each] >> shift) & (uint32_t)(2 * half - 1)) - half;
}

float *ets_quality_unpack(uint32_t bits, const struct ets_tensor *table,
                          const struct ets_tensor *scales, const struct ets_tensor *zeros,
                          struct ets_arena *arena)
{
    if (bits == 0 || table->rank != 2 || ets_scalar_type_bytes(table->scalar_type) != 1 ||
        !is_whole(table) || !is_whole(scales) || (zeros != NULL && !is_whole(zeros))) {
        return NULL;
    }
    const uint64_t rows = (uint64_t)table->sizes[0];
    const uint64_t columns = (uint64_t)table->sizes[1] * (8 / bits);
    const uint64_t scale_count = ets_tensor_count(scales);
    if (rows == 0 || scale_count < rows || scale_count % rows != 0 ||
        columns % (scale_count / rows) != 0 || columns == 0 ||
        (zeros != NULL && ets_tensor_count(zeros) != scale_count)) {
        return NULL;
    }
    const uint64_t group = columns / (scale_count / rows);
    float *numbers = ets_arena_alloc_array(arena, (size_t)(rows * columns), sizeof *numbers);
    for (uint64_t i = 0; numbers != NULL && i < rows * columns; i++) {
        const uint64_t at = i / group;
        const float zero = zeros != NULL ? (float)element(zeros, at) : 0;
        numbers[i] = ((float)integer_of(table, bits, i) - zero) * (float)element(scales, at);
    }
    return numbers;
}

float *ets_quality_packed_table(const struct ets_graph_weights *weights,
                                const struct ets_graph_node *node, uint64_t rows, uint64_t columns,
                                struct ets_arena *arena)
{
    const uint32_t bits = ets_quality_packed_bits(node->op);
    const struct ets_tensor *table = tensor_of(weights, node, "weight");
    const struct ets_tensor *scales = tensor_of(weights, node, "weight_scales");
    if (table == NULL || scales == NULL || bits == 0 || table->rank != 2 ||
        (uint64_t)table->sizes[0] != rows || (uint64_t)table->sizes[1] * (8 / bits) != columns) {
        return NULL;
    }
    return ets_quality_unpack(bits, table, scales, tensor_of(weights, node, "weight_zero_points"),
                              arena);
}
