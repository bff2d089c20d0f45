/* Dequantizes the weights of a program, and finds the layers that they are of. */
#include "quality/program_weights.h"

#include <math.h>

#include "base/error.h"
#include "format/program_lists.h"
#include "numerics/element.h"
#include "payload/payload_store.h"
#include "quality/packed_tables.h"

enum { SAMPLES = 4096, MOST_PAIRS = 1 << 18 };

/* Weights are nearer than this to their own layer; others are not. */
static const double NEAR = 0.9;

struct taking {
    struct ets_quality_layers *layers;
    struct ets_arena *arena;
    struct ets_arena scratch; /* of what is read from payloads */
    float *sample;            /* [SAMPLES] */
    uint32_t pairs;           /* that were compared */
    struct ets_error *error;
};

static double likeness(const float *left, const float *right, uint64_t count)
{
    double product = 0, of_left = 0, of_right = 0;
    for (uint64_t i = 0; i < count; i++) {
        product += (double)left[i] * right[i];
        of_left += (double)left[i] * left[i];
        of_right += (double)right[i] * right[i];
    }
    const double power = sqrt(of_left) * sqrt(of_right);
    return power > 0 && isfinite(power) ? product / power : -1;
}

static uint64_t sample_count(uint64_t count)
{
    return count < SAMPLES ? count : SAMPLES;
}

/* The layer that the first numbers are nearest to; NULL: none, or it is known already. */
static struct ets_quality_layer *find_layer(struct taking *taking, const float *numbers,
                                            uint64_t rows, uint64_t columns, bool is_embedding)
{
    struct ets_quality_layer *nearest = NULL;
    double best = NEAR;
    for (uint32_t i = 0; i < taking->layers->count && taking->pairs < MOST_PAIRS; i++) {
        struct ets_quality_layer *layer = &taking->layers->items[i];
        if (layer->rows != rows || layer->columns != columns) continue;
        if (layer->is_embedding != is_embedding) continue;
        taking->pairs++;
        const double near = likeness(layer->numbers, numbers, sample_count(rows * columns));
        if (near <= best) continue;
        best = near;
        nearest = layer;
    }
    return nearest != NULL && nearest->present == NULL ? nearest : NULL;
}

/* The scales of a value, and how many elements share one. */
struct scales {
    struct ets_bytes bytes;
    uint32_t count;
    bool is_narrow; /* bfloat16 */
    float one;      /* if count is 0 */
    uint64_t group;
};

static bool read_scales(const struct ets_payload_graph *graph,
                        const struct ets_payload_value *value, uint64_t columns,
                        struct scales *scales)
{
    const struct ets_payload_quantization *how = &value->quantization;
    *scales = (struct scales){.count = how->scale_count, .one = how->scale};
    if (how->kind == ETS_PAYLOAD_PER_TENSOR) {
        scales->count = 0;
        return how->zero_point == 0;
    }
    scales->group = how->kind == ETS_PAYLOAD_PER_GROUP ? (uint64_t)how->group_size : columns;
    if (how->kind != ETS_PAYLOAD_PER_GROUP && how->kind != ETS_PAYLOAD_PER_CHANNEL) return false;
    if (how->kind == ETS_PAYLOAD_PER_CHANNEL && how->channel_dim != 0) return false;
    if (how->kind == ETS_PAYLOAD_PER_GROUP && how->group_size <= 0) return false;
    if (columns % scales->group != 0) return false;
    scales->bytes = ets_payload_constant_bytes(graph, how->scale_constant);
    const uint64_t wanted = value->dims[0] * (columns / scales->group);
    if (scales->bytes.data == NULL || scales->count != wanted) return false;
    scales->is_narrow = scales->bytes.size < wanted * sizeof(float);
    return scales->bytes.size >= wanted * (scales->is_narrow ? 2 : sizeof(float));
}

static float scale_at(const struct scales *scales, uint64_t element)
{
    if (scales->count == 0) return scales->one;
    const uint64_t number = element / scales->group;
    const int type = scales->is_narrow ? ETS_SCALAR_BFLOAT16 : ETS_SCALAR_FLOAT;
    const size_t size = scales->is_narrow ? 2 : sizeof(float);
    return (float)ets_element_load((const uint8_t *)scales->bytes.data + number * size, type, 0);
}

/* Two elements of 4 bits are in a byte, the first in its lowest bits, 8 more than they are. */
static int integer_at(const uint8_t *bytes, uint32_t bits, uint64_t element)
{
    if (bits == 8) return (int8_t)bytes[element];
    return (bytes[element / 2] >> (element % 2 * 4) & 15) - 8;
}

static enum ets_status take_value(struct taking *taking, const struct ets_payload_graph *graph,
                                  const struct ets_payload_value *value)
{
    const uint32_t bits = value->type->bits;
    const bool is_quantized = (value->type->numbers == ETS_PAYLOAD_INT4 && bits == 4) ||
                              (value->type->numbers == ETS_PAYLOAD_INT8 && bits == 8);
    struct scales scales;
    if (!is_quantized || value->constant == ETS_PAYLOAD_NONE || value->rank != 2) return ETS_OK;
    const uint64_t rows = value->dims[0], columns = value->dims[1], count = rows * columns;
    const struct ets_bytes bytes = ets_payload_constant_bytes(graph, value->constant);
    if (count == 0 || bytes.data == NULL || count > 2 * (uint64_t)bytes.size ||
        bytes.size < (count * bits + 7) / 8 || !read_scales(graph, value, columns, &scales)) {
        return ETS_OK;
    }
    for (uint64_t i = 0; i < sample_count(count); i++) {
        taking->sample[i] = (float)integer_at(bytes.data, bits, i) * scale_at(&scales, i);
    }
    struct ets_quality_layer *layer = find_layer(taking, taking->sample, rows, columns, false);
    if (layer == NULL) return ETS_OK;
    float *numbers = ets_arena_alloc_array(taking->arena, (size_t)count, sizeof *numbers);
    if (numbers == NULL) return ets_fail_memory(taking->error, "the weights");
    for (uint64_t i = 0; i < count; i++) {
        numbers[i] = (float)integer_at(bytes.data, bits, i) * scale_at(&scales, i);
    }
    layer->present = numbers;
    layer->scheme = (struct ets_weight_scheme){
        .bits = bits,
        .group = scales.count > 0 && scales.group < columns ? (uint32_t)scales.group : 0,
        .is_of_tensor = scales.count == 0};
    return ETS_OK;
}

static enum ets_status take_delegates(struct taking *taking, struct ets_payload_store *payloads,
                                      const struct ets_method *method)
{
    for (uint32_t i = 0; i < method->delegate_count; i++) {
        struct ets_delegate delegate;
        const struct ets_payload_graph *graph;
        ets_method_delegate(method, i, &delegate);
        ETS_TRY(ets_payload_store_read(payloads, &delegate, &graph, NULL, taking->error));
        for (uint32_t k = 0; graph != NULL && k < graph->value_count; k++) {
            ETS_TRY(take_value(taking, graph, &graph->values[k]));
        }
    }
    return ETS_OK;
}

/* The constant that is argument `index` of a kernel call; false: it is none. */
static bool constant_of(const struct ets_method *method, const struct ets_instruction *instruction,
                        uint32_t index, struct ets_tensor *tensor_out)
{
    struct ets_evalue value;
    if (index >= instruction->argument_count) return false;
    const uint32_t number = ets_instruction_argument(instruction, index);
    if (number >= method->value_count) return false;
    ets_method_value(method, number, &value);
    if (value.kind != ETS_EVALUE_TENSOR || value.tensor.place != ETS_PLACE_CONSTANT) return false;
    *tensor_out = value.tensor.tensor;
    return tensor_out->data != NULL;
}

/* embedding_4bit(weight, weight_scales, weight_zero_points, ...) */
static enum ets_status take_table(struct taking *taking, const struct ets_method *method,
                                  const struct ets_instruction *instruction)
{
    struct ets_tensor table, scales, zeros;
    const uint32_t bits = ets_quality_packed_bits(instruction->name);
    if (bits == 0 || !constant_of(method, instruction, 0, &table) ||
        !constant_of(method, instruction, 1, &scales)) {
        return ETS_OK;
    }
    const bool has_zeros = constant_of(method, instruction, 2, &zeros);
    float *numbers =
        ets_quality_unpack(bits, &table, &scales, has_zeros ? &zeros : NULL, taking->arena);
    if (numbers == NULL) return ETS_OK;
    const uint64_t rows = (uint64_t)table.sizes[0];
    const uint64_t columns = (uint64_t)table.sizes[1] * (8 / bits);
    const uint64_t groups = ets_tensor_count(&scales) / rows;
    struct ets_quality_layer *layer = find_layer(taking, numbers, rows, columns, true);
    if (layer == NULL) return ETS_OK;
    layer->present = numbers;
    layer->scheme = (struct ets_weight_scheme){
        .bits = bits, .group = groups > 1 ? (uint32_t)(columns / groups) : 0};
    return ETS_OK;
}

static enum ets_status take_tables(struct taking *taking, const struct ets_method *method)
{
    for (uint32_t c = 0; c < method->chain_count; c++) {
        struct ets_chain chain;
        ets_method_chain(method, c, &chain);
        for (uint32_t i = 0; i < chain.instruction_count; i++) {
            struct ets_instruction instruction;
            ets_chain_instruction(&chain, i, &instruction);
            if (instruction.kind != ETS_INSTRUCTION_KERNEL_CALL) continue;
            ETS_TRY(take_table(taking, method, &instruction));
        }
    }
    return ETS_OK;
}

enum ets_status ets_program_weights_take(struct ets_quality_layers *layers,
                                         const struct ets_program *program, struct ets_arena *arena,
                                         struct ets_error *error)
{
    struct taking taking = {.layers = layers, .arena = arena, .error = error};
    struct ets_payload_store payloads;
    enum ets_status status = ETS_OK;
    taking.sample = ets_arena_alloc_array(arena, SAMPLES, sizeof *taking.sample);
    if (taking.sample == NULL) return ets_fail_memory(error, "the weights");
    ets_arena_init(&taking.scratch, NULL, 0);
    ets_payload_store_init(&payloads, &taking.scratch, program);
    for (uint32_t i = 0; i < program->method_count && status == ETS_OK; i++) {
        struct ets_method method;
        ets_program_method(program, i, &method);
        status = take_delegates(&taking, &payloads, &method);
        if (status == ETS_OK) status = take_tables(&taking, &method);
    }
    ets_arena_reset(&taking.scratch);
    return status;
}
