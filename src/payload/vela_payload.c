/*
 * The payload of Ethos-U: Vela's stream. Operations of the NPU are read from its commands. Vela
 * keeps no names of operators, may cut a layer into several operations, and compresses weights.
 * What takes whose result is found by the bytes of memory that are written and read.
 */
#include <string.h>

#include "base/load.h"
#include "base/text.h"
#include "etscope/tensor.h"
#include "format/vela.h"
#include "format/vela_commands.h"
#include "host/key_table.h"
#include "host/text_builder.h"
#include "payload/payload_reader.h"

static const char *const backends[] = {ETS_ETHOS_U_BACKEND, ETS_ETHOS_U_BACKEND_BEFORE, NULL};

/* Bytes of a region that hold a value. */
struct piece {
    uint32_t region, value;
    uint64_t from, to;
};

struct reading {
    struct ets_payload_builder *builder;
    struct ets_vela vela;
    struct ets_vela_commands *commands;
    uint32_t value_room, constant_room, node_room, piece_room;
    struct piece *pieces; /* that are live; they do not overlap where they are dense */
    uint32_t piece_count;
    struct ets_key_table ranges; /* of constants, to: */
    uint32_t *range_values;
    uint32_t range_room;
    uint32_t chained; /* the value that the next operation is handed; NONE */
    uint64_t macs;
};

/* ---- types ---- */

static const struct ets_payload_type packed_type = {"compressed", -1, 8, ETS_PAYLOAD_OTHER};

static const struct ets_payload_type *type_of(uint32_t bits, bool is_signed)
{
    static const struct ets_payload_type types[] = {
        {"uint8", ETS_SCALAR_BYTE, 8, ETS_PAYLOAD_INT8},
        {"int8", ETS_SCALAR_CHAR, 8, ETS_PAYLOAD_INT8},
        {"int16", ETS_SCALAR_SHORT, 16, ETS_PAYLOAD_INTEGER},
        {"int32", ETS_SCALAR_INT, 32, ETS_PAYLOAD_INTEGER},
        {"int64", ETS_SCALAR_LONG, 64, ETS_PAYLOAD_INTEGER},
    };
    switch (bits) {
    case 8: return &types[is_signed];
    case 16: return &types[2];
    case 32: return &types[3];
    default: return &types[4];
    }
}

/* ---- values ---- */

/* NONE: no memory. */
static uint32_t add_value(struct reading *r, const struct ets_payload_type *type, uint32_t rank,
                          const uint32_t *dims)
{
    struct ets_payload_graph *graph = &r->builder->graph;
    if (!ets_payload_look(r->builder, sizeof *graph->values)) return ETS_PAYLOAD_NONE;
    graph->values = ets_arena_grow(r->builder->arena, graph->values, graph->value_count,
                                   &r->value_room, sizeof *graph->values);
    uint32_t *copy = ets_payload_room(r->builder, rank, sizeof *copy);
    if (graph->values == NULL || copy == NULL) return ETS_PAYLOAD_NONE;
    memcpy(copy, dims, rank * sizeof *dims);
    struct ets_payload_value *out = &graph->values[graph->value_count];
    *out = (struct ets_payload_value){.type = type,
                                      .rank = rank,
                                      .dims = copy,
                                      .argument = ETS_PAYLOAD_NONE,
                                      .constant = ETS_PAYLOAD_NONE};
    out->quantization.scale_constant = ETS_PAYLOAD_NONE;
    return graph->value_count++;
}

static uint32_t add_operand(struct reading *r, const struct ets_vela_operand *operand)
{
    const uint32_t dims[] = {operand->height, operand->width, operand->depth};
    return add_value(r, type_of(operand->element_bits, operand->is_signed), 3, dims);
}

static uint32_t add_bytes(struct reading *r, uint64_t bytes)
{
    const uint32_t dims[] = {bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX};
    return add_value(r, &packed_type, 1, dims);
}

/* Bytes of the weights, which may be in another file. */
static bool add_constant(struct reading *r, uint32_t value, const struct ets_vela_range *range)
{
    struct ets_payload_graph *graph = &r->builder->graph;
    if (!ets_payload_look(r->builder, sizeof *graph->constants)) return false;
    graph->constants = ets_arena_grow(r->builder->arena, graph->constants, graph->constant_count,
                                      &r->constant_room, sizeof *graph->constants);
    if (graph->constants == NULL) return false;
    struct ets_payload_constant *out = &graph->constants[graph->constant_count];
    *out = (struct ets_payload_constant){.key = {NULL, 0}};
    if (ets_range_fits(range->at, range->bytes, r->vela.weights.size)) {
        out->bytes = (struct ets_bytes){r->vela.weights.data + range->at, (size_t)range->bytes};
    }
    graph->values[value].constant = graph->constant_count++;
    return true;
}

/* The value of bytes of the weights. NONE: no memory. */
static uint32_t constant_value(struct reading *r, const struct ets_vela_range *range,
                               const struct ets_vela_operand *operand)
{
    const uint64_t key[] = {range->at, range->bytes};
    const uint32_t known = r->ranges.count;
    const uint32_t number = ets_key_table_add(&r->ranges, key);
    if (number == ETS_KEY_NONE) return ETS_PAYLOAD_NONE;
    if (number < known) return r->range_values[number];
    r->range_values = ets_arena_grow(r->builder->arena, r->range_values, number, &r->range_room,
                                     sizeof *r->range_values);
    const uint32_t value = operand != NULL ? add_operand(r, operand) : add_bytes(r, range->bytes);
    if (r->range_values == NULL || value == ETS_PAYLOAD_NONE) return ETS_PAYLOAD_NONE;
    r->range_values[number] = value;
    return add_constant(r, value, range) ? value : ETS_PAYLOAD_NONE;
}

/* ---- memory ---- */

static bool add_piece(struct reading *r, const struct piece *piece)
{
    if (piece->from >= piece->to) return true;
    r->pieces = ets_arena_grow(r->builder->arena, r->pieces, r->piece_count, &r->piece_room,
                               sizeof *r->pieces);
    if (r->pieces == NULL || !ets_payload_look(r->builder, sizeof *r->pieces)) return false;
    r->pieces[r->piece_count++] = *piece;
    return true;
}

static bool overlaps(const struct piece *piece, const struct ets_vela_range *range)
{
    return piece->region == range->region && piece->from < range->at + range->bytes &&
           range->at < piece->to;
}

/* What is written over is no longer there; what is left of it on both sides stays. */
static bool overwrite(struct reading *r, const struct ets_vela_range *range)
{
    const uint32_t before = r->piece_count;
    if (!ets_payload_look(r->builder, before)) return false;
    for (uint32_t i = 0; i < before; i++) {
        const struct piece old = r->pieces[i];
        if (!overlaps(&old, range)) continue;
        const struct piece right = {old.region, old.value, range->at + range->bytes, old.to};
        r->pieces[i].to = old.from < range->at ? range->at : old.from; /* empty: see below */
        if (!add_piece(r, &right)) return false;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < r->piece_count; i++) {
        if (r->pieces[i].from < r->pieces[i].to) r->pieces[kept++] = r->pieces[i];
    }
    r->piece_count = kept;
    return true;
}

static bool write_range(struct reading *r, const struct ets_vela_range *range, bool is_dense,
                        uint32_t value)
{
    const struct piece piece = {range->region, value, range->at, range->at + range->bytes};
    return (!is_dense || overwrite(r, range)) && add_piece(r, &piece);
}

/* ---- operations ---- */

/* Values that an operation takes, each once; data before weights. */
struct inputs {
    uint32_t *items;
    uint32_t count, room;
};

static bool add_input(struct reading *r, struct inputs *inputs, uint32_t value)
{
    if (value == ETS_PAYLOAD_NONE) return false;
    for (uint32_t i = 0; i < inputs->count; i++) {
        if (inputs->items[i] == value) return true;
    }
    inputs->items = ets_arena_grow(r->builder->arena, inputs->items, inputs->count, &inputs->room,
                                   sizeof *inputs->items);
    if (inputs->items == NULL ||
        !ets_payload_look(r->builder, sizeof *inputs->items + inputs->count)) {
        return false;
    }
    inputs->items[inputs->count++] = value;
    return true;
}

/* The values in a range; memory that nothing wrote is a value of its own. `operand` NULL: bytes. */
static bool read_range(struct reading *r, const struct ets_vela_range *range,
                       const struct ets_vela_operand *operand, struct inputs *inputs)
{
    bool is_found = false;
    if (range->bytes == 0) return true;
    if (range->region == ETS_VELA_WEIGHT_REGION) {
        return add_input(r, inputs, constant_value(r, range, operand));
    }
    if (!ets_payload_look(r->builder, r->piece_count)) return false;
    for (uint32_t i = 0; i < r->piece_count; i++) {
        if (!overlaps(&r->pieces[i], range)) continue;
        is_found = true;
        if (!add_input(r, inputs, r->pieces[i].value)) return false;
    }
    if (is_found) return true;
    const uint32_t value = operand != NULL ? add_operand(r, operand) : add_bytes(r, range->bytes);
    return add_input(r, inputs, value) && write_range(r, range, true, value);
}

static bool read_operand(struct reading *r, const struct ets_vela_operand *operand,
                         struct inputs *inputs)
{
    if (!operand->is_chained) return read_range(r, &operand->range, operand, inputs);
    return r->chained == ETS_PAYLOAD_NONE || add_input(r, inputs, r->chained);
}

/* Layers take their weights second, whatever the data consists of. */
static void put_second(struct inputs *inputs, uint32_t first_weight)
{
    if (first_weight <= 1 || first_weight >= inputs->count) return;
    const uint32_t weight = inputs->items[first_weight];
    memmove(inputs->items + 2, inputs->items + 1, (first_weight - 1) * sizeof *inputs->items);
    inputs->items[1] = weight;
}

static bool list_inputs(struct reading *r, const struct ets_vela_operation *operation,
                        struct ets_payload_node *out)
{
    struct inputs inputs = {.items = NULL};
    const bool is_copy = operation->kind == ETS_VELA_DMA;
    if (is_copy ? !read_range(r, &operation->in.range, NULL, &inputs)
                : !read_operand(r, &operation->in, &inputs)) {
        return false;
    }
    if (!read_range(r, &operation->rest, &operation->in, &inputs)) return false;
    if (operation->has_second && !read_operand(r, &operation->second, &inputs)) return false;
    const uint32_t first_weight = inputs.count;
    for (uint32_t i = 0; i < operation->weight_count; i++) {
        if (!read_range(r, &operation->weights[i], NULL, &inputs)) return false;
    }
    if (operation->weight_count > 0) put_second(&inputs, first_weight);
    out->inputs = inputs.items;
    out->input_count = inputs.count;
    return true;
}

static bool write_output(struct reading *r, const struct ets_vela_operation *operation,
                         struct ets_payload_node *out)
{
    const bool is_copy = operation->kind == ETS_VELA_DMA;
    const struct ets_vela_operand *operand = &operation->out;
    uint32_t *outputs = ets_payload_room(r->builder, 1, sizeof *outputs);
    const uint32_t value = is_copy ? add_bytes(r, operand->range.bytes) : add_operand(r, operand);
    if (outputs == NULL || value == ETS_PAYLOAD_NONE) return false;
    outputs[0] = value;
    out->outputs = outputs;
    out->output_count = 1;
    r->chained = operand->is_chained ? value : ETS_PAYLOAD_NONE;
    return operand->is_chained || write_range(r, &operand->range, operand->is_dense, value);
}

static bool read_parameters(struct reading *r, const struct ets_vela_operation *operation,
                            struct ets_payload_node *out)
{
    const uint32_t sizes[] = {operation->in.height, operation->in.width, operation->in.depth};
    const uint32_t kernel[] = {operation->kernel_height, operation->kernel_width};
    const uint32_t stride[] = {operation->stride_y, operation->stride_x};
    const uint32_t dilation[] = {operation->dilation_y, operation->dilation_x};
    const struct {
        const char *name;
        const uint32_t *numbers;
        uint32_t count;
    } all[] = {{"input", sizes, 3},
               {"kernel", kernel, 2},
               {"stride", stride, 2},
               {"dilation", dilation, 2}};
    enum { COUNT = sizeof all / sizeof *all, TOTAL = 9 };
    if (operation->kind == ETS_VELA_DMA) return true;
    const bool has_kernel = out->depth > 0 && operation->kind != ETS_VELA_ELEMENTS;
    const uint32_t count = has_kernel ? COUNT : 1;
    struct ets_payload_parameter *list = ets_payload_room(r->builder, count, sizeof *list);
    int64_t *integers = ets_payload_room(r->builder, has_kernel ? TOTAL : 3, sizeof *integers);
    if (list == NULL || integers == NULL) return false;
    for (uint32_t i = 0; i < count; i++) {
        list[i] = (struct ets_payload_parameter){.name = all[i].name,
                                                 .kind = ETS_PAYLOAD_INTEGERS,
                                                 .is_list = true,
                                                 .count = all[i].count,
                                                 .integers = integers};
        for (uint32_t k = 0; k < all[i].count; k++) *integers++ = all[i].numbers[k];
    }
    out->parameters = list;
    out->parameter_count = count;
    return true;
}

struct meaning {
    const char *name, *operation;
};

/* Average pools of one element copy, convert or change the layout; U85 has pools that transpose. */
static struct meaning meaning_of(const struct ets_vela_operation *operation)
{
    static const struct meaning elements[] = {
        {"NPU mul", "mul"},       {"NPU add", "add"},     {"NPU sub", "sub"},
        {"NPU min", "minimum"},   {"NPU max", "maximum"}, {"NPU leaky relu", "leaky_relu"},
        {"NPU abs", "abs"},       {"NPU clz", NULL},      {"NPU shift right", NULL},
        {"NPU shift left", NULL},
    };
    const uint32_t taps = operation->kernel_height * operation->kernel_width;
    switch (operation->kind) {
    case ETS_VELA_CONVOLUTION: return (struct meaning){"NPU conv", "convolution"};
    case ETS_VELA_DEPTHWISE: return (struct meaning){"NPU depthwise conv", "convolution"};
    case ETS_VELA_DMA: return (struct meaning){"NPU DMA", "clone"};
    case ETS_VELA_ELEMENTS:
        if (operation->mode < sizeof elements / sizeof *elements) return elements[operation->mode];
        return (struct meaning){"NPU elementwise", NULL};
    case ETS_VELA_POOL:
        if (operation->mode == ETS_VELA_POOL_SUM) return (struct meaning){"NPU reduce sum", "sum"};
        if (operation->mode > ETS_VELA_POOL_SUM) {
            return (struct meaning){"NPU transpose", "permute"};
        }
        if (operation->mode == ETS_VELA_POOL_MAX) {
            return (struct meaning){"NPU max pool", "max_pool2d"};
        }
        if (taps == 1) return (struct meaning){"NPU copy", "clone"};
        return (struct meaning){"NPU average pool", "avg_pool2d"};
    default: return (struct meaning){"NPU operation", NULL};
    }
}

static bool read_operation(struct reading *r, const struct ets_vela_operation *operation)
{
    struct ets_payload_graph *graph = &r->builder->graph;
    if (!ets_payload_look(r->builder, sizeof *graph->nodes)) return false;
    graph->nodes = ets_arena_grow(r->builder->arena, graph->nodes, graph->node_count, &r->node_room,
                                  sizeof *graph->nodes);
    if (graph->nodes == NULL) return false;
    struct ets_payload_node *out = &graph->nodes[graph->node_count++];
    const struct meaning meaning = meaning_of(operation);
    const uint64_t depth = ets_vela_depth(operation);
    const uint64_t elements =
        (uint64_t)operation->out.height * operation->out.width * operation->out.depth;
    uint64_t macs;
    *out = (struct ets_payload_node){.name = ets_text_of(meaning.name),
                                     .operation = ets_text_of(meaning.operation),
                                     .debug_handle = -1,
                                     .is_depthwise = operation->kind == ETS_VELA_DEPTHWISE,
                                     .depth = depth};
    if (operation->kind == ETS_VELA_POOL && depth == 0 && out->operation.data != NULL &&
        !ets_text_is(out->operation, "permute") && !ets_text_is(out->operation, "clone")) {
        out->depth = (uint64_t)operation->kernel_height * operation->kernel_width; /* reads */
    }
    r->macs =
        ets_mul_u64(elements, depth, &macs) ? ets_add_saturated_u64(r->macs, macs) : UINT64_MAX;
    return read_parameters(r, operation, out) && list_inputs(r, operation, out) &&
           write_output(r, operation, out);
}

/* ---- the graph ---- */

static bool add_arguments(struct reading *r)
{
    struct ets_payload_graph *graph = &r->builder->graph;
    struct ets_vela_argument argument;
    for (uint32_t i = 0; ets_vela_argument(r->vela.inputs, i, &argument); i++) {
        const uint32_t value = add_value(
            r, type_of(argument.element_bytes <= 8 ? 8 * argument.element_bytes : 64, true),
            argument.rank, argument.dims);
        if (value == ETS_PAYLOAD_NONE) return false;
        const struct ets_payload_value *input = &graph->values[value];
        struct ets_vela_range range = {argument.region, argument.offset, 0};
        const uint64_t elements = ets_payload_elements(input);
        if (!ets_mul_u64(elements, argument.element_bytes, &range.bytes) ||
            range.bytes > UINT32_MAX) {
            range.bytes = UINT32_MAX;
        }
        graph->values[value].argument = i;
        graph->values[value].is_input = true;
        if (!write_range(r, &range, true, value)) return false;
        graph->argument_count = i + 1;
    }
    return true;
}

/* The values that lie where outputs are taken from, when all has run. */
static bool mark_outputs(struct reading *r)
{
    struct ets_payload_graph *graph = &r->builder->graph;
    struct ets_vela_argument argument;
    const uint32_t inputs = graph->argument_count;
    uint32_t outputs = 0;
    while (ets_vela_argument(r->vela.outputs, outputs, &argument)) outputs++;
    graph->argument_count += outputs;
    graph->is_output = ets_payload_room(r->builder, graph->argument_count, 1);
    if (graph->is_output == NULL) return false;
    for (uint32_t i = 0; i < outputs; i++) {
        ets_vela_argument(r->vela.outputs, i, &argument);
        const struct ets_vela_range first = {argument.region, argument.offset, 1};
        graph->is_output[inputs + i] = 1;
        if (!ets_payload_look(r->builder, r->piece_count)) return false;
        for (uint32_t k = r->piece_count; k > 0; k--) {
            if (!overlaps(&r->pieces[k - 1], &first)) continue;
            struct ets_payload_value *value = &graph->values[r->pieces[k - 1].value];
            value->is_output = true;
            if (value->argument == ETS_PAYLOAD_NONE) value->argument = inputs + i;
            break;
        }
    }
    return true;
}

static bool read_operations(struct reading *r)
{
    struct ets_vela_operation operation;
    if (!add_arguments(r)) return false;
    while (ets_vela_commands_next(r->commands, &operation)) {
        if (!read_operation(r, &operation)) return false;
    }
    return mark_outputs(r);
}

/* "Vela keeps no names: 12 NPU operations, 55904 MACs, 3264 bytes of scratch, ..." */
static bool write_note(struct reading *r)
{
    enum { ROOM = 256 };
    const struct ets_payload_graph *graph = &r->builder->graph;
    char *text = ets_payload_room(r->builder, ROOM, 1);
    if (text == NULL) return false;
    struct ets_text_builder note = {text, ROOM, 0};
    ets_add_text(&note, "Vela keeps no names: %u NPU operation%s, %llu MACs", graph->node_count,
                 graph->node_count == 1 ? "" : "s", (unsigned long long)r->macs);
    if (r->vela.has_scratch) {
        ets_add_text(&note, ", %llu bytes of scratch", (unsigned long long)r->vela.scratch_bytes);
    }
    if (r->vela.weight_key.data != NULL) ets_add_text(&note, ", weights in named data");
    else ets_add_text(&note, ", %zu bytes of weights", r->vela.weights.size);
    const char *product = ets_vela_product(r->commands);
    const uint32_t rate = r->commands->macs_per_cycle;
    if (product != NULL && rate > 0) {
        ets_add_text(&note, "; at least %llu cycles on %s-%u",
                     (unsigned long long)(r->macs / rate + (r->macs % rate != 0)), product, rate);
    }
    r->builder->graph.note = text;
    return true;
}

static enum ets_status read_payload(struct ets_payload_builder *builder, struct ets_bytes bytes,
                                    struct ets_error *error)
{
    struct reading r = {.builder = builder,
                        .commands = ets_payload_room(builder, 1, sizeof *r.commands),
                        .chained = ETS_PAYLOAD_NONE};
    if (r.commands == NULL) return ets_fail_memory(error, "a stream of Vela");
    ETS_TRY(ets_vela_init(&r.vela, bytes, error));
    if (r.vela.commands.data == NULL) {
        return ets_fail(error, ETS_MALFORMED, bytes.size, "has no commands: no block cmd_data");
    }
    ETS_TRY(ets_vela_commands_init(r.commands, r.vela.commands,
                                   (uint64_t)(r.vela.commands.data - bytes.data), error));
    builder->graph.flatbuffer = bytes;
    ets_key_table_init(&r.ranges, builder->arena, 2);
    if (read_operations(&r) && write_note(&r)) return ETS_OK;
    return ets_fail_memory(error, "a stream of Vela");
}

static uint64_t scratch_bytes(struct ets_bytes bytes)
{
    struct ets_vela vela;
    return ets_vela_init(&vela, bytes, NULL) == ETS_OK ? vela.scratch_bytes : 0;
}

static bool list_parts(struct ets_bytes bytes, struct ets_payload_parts *out)
{
    struct ets_vela vela;
    if (ets_vela_init(&vela, bytes, NULL) != ETS_OK) return false;
    const struct ets_payload_part parts[] = {
        {vela.commands, "NPU commands", false},
        {vela.weights, "compressed weights", true},
        {vela.stored_scratch, "stored scratch (zeros)", false},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].bytes.data != NULL) out->items[out->count++] = parts[i];
    }
    out->weight_key = vela.weight_key;
    return true;
}

static bool next_block(struct ets_bytes bytes, size_t *at, struct ets_payload_block *out)
{
    struct ets_vela_block block;
    if (!ets_vela_next(bytes, at, &block)) return false;
    *out = (struct ets_payload_block){{block.name, ETS_VELA_HEADER_BYTES}, block.data};
    return true;
}

const struct ets_payload_reader ets_payload_vela = {
    .backends = backends,
    .format = "Vela binary stream",
    .read = read_payload,
    .scratch_bytes = scratch_bytes,
    .parts = list_parts,
    .next_block = next_block,
    .identifier = ets_payload_vela_identifier,
};
