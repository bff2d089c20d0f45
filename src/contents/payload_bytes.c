/* What delegates were given: graphs and weights of XNNPACK, whole payloads of other backends. */
#include <string.h>

#include "base/load.h"
#include "base/text.h"
#include "contents/byte_sheet.h"
#include "contents/payload_kind.h"
#include "format/vela.h"
#include "format/xnnpack.h"

/* A payload of XNNPACK, and who calls it. */
struct payload {
    struct ets_byte_sheet *sheet;
    const struct ets_method *method;
    struct ets_layer_method *layers; /* NULL: no record */
    uint32_t delegate;
    struct ets_text backend;
    struct ets_xnnpack xnnpack;
    struct ets_key_table values; /* id -> number of the value, in the order of the file */
    uint32_t *numbers;           /* [in values] */
};

/* The value that a node names; false: there is none. */
static bool find_value(const struct payload *p, uint32_t id, struct ets_xnnpack_value *value_out)
{
    const uint64_t key = id;
    const uint32_t number = ets_key_table_find(&p->values, &key);
    if (number == ETS_KEY_NONE) return false;
    ets_xnnpack_value(&p->xnnpack, p->numbers[number], value_out);
    return true;
}

static bool index_values(struct payload *p)
{
    struct ets_arena *arena = &p->sheet->all->map->arena;
    ets_key_table_init(&p->values, arena, 1);
    p->numbers = ets_arena_alloc_array(arena, p->xnnpack.value_count, sizeof *p->numbers);
    for (uint32_t i = 0; p->numbers != NULL && i < p->xnnpack.value_count; i++) {
        struct ets_xnnpack_value value;
        ets_xnnpack_value(&p->xnnpack, i, &value);
        const uint64_t key = value.id;
        const uint32_t known = p->values.count;
        const uint32_t number = ets_key_table_add(&p->values, &key);
        if (number == ETS_KEY_NONE) return false;
        if (number == known) p->numbers[number] = i;
    }
    return p->numbers != NULL;
}

/* The item of a constant's bytes, in the payload or by key in any file. */
static uint32_t find_constant(const struct payload *p, uint32_t index)
{
    struct ets_xnnpack_constant constant;
    ets_xnnpack_constant(&p->xnnpack, index, &constant);
    if (constant.key.data != NULL) return ets_byte_sheet_find_key(p->sheet->all, constant.key);
    if (constant.bytes.data == NULL || constant.bytes.size == 0) return ETS_BYTES_NONE;
    return ets_byte_sheet_data(p->sheet, ETS_BYTES_WEIGHT,
                               ets_byte_sheet_offset(p->sheet, constant.bytes.data),
                               constant.bytes.size);
}

/* As programs call the types that are not XNNPACK's own. */
static const char *dtype_name(int type)
{
    switch (type) {
    case ETS_XNNPACK_FP32: return "float32";
    case ETS_XNNPACK_FP16: return "float16";
    case ETS_XNNPACK_BF16: return "bfloat16";
    default: return ets_xnnpack_type_name(type);
    }
}

static bool take_shape(const struct payload *p, const struct ets_xnnpack_value *value,
                       struct ets_byte_item *item)
{
    /* Real tensors have six dimensions at most; of more nothing is kept. */
    const uint32_t rank = value->rank <= ETS_TENSOR_MAX_RANK ? value->rank : 0;
    int64_t *shape = ets_arena_alloc_array(&p->sheet->all->map->arena, rank, sizeof *shape);
    if (shape == NULL) return false;
    for (uint32_t i = 0; i < rank; i++) shape[i] = ets_xnnpack_dim(&p->xnnpack, value, i);
    item->rank = rank;
    item->shape = shape;
    item->dtype = dtype_name(value->type);
    return true;
}

/* What a record's graph must have for this value. Packed weights may lie in another order. */
static struct ets_layer_wish wish_of(const struct payload *p, const struct ets_xnnpack_value *value)
{
    struct ets_layer_wish wish = {.element_count = 1, .scalar_type = -1, .count = 1};
    for (uint32_t i = 0; i < value->rank; i++) {
        if (!ets_mul_u64(wish.element_count, ets_xnnpack_dim(&p->xnnpack, value, i),
                         &wish.element_count)) {
            wish.element_count = UINT64_MAX;
        }
    }
    wish.least_rank = value->rank > 1 ? 2 : 0;
    wish.most_rank = value->rank > 1 ? ETS_TENSOR_MAX_RANK : 1;
    return wish;
}

/* "weight" and "bias" as the schema orders the inputs of layers. */
static const char *role_of(const struct ets_xnnpack_node *node, uint32_t input)
{
    switch (node->type) {
    case ETS_XNNPACK_FULLY_CONNECTED:
    case ETS_XNNPACK_CONV2D:
    case ETS_XNNPACK_DEPTHWISE_CONV2D:
    case ETS_XNNPACK_CONV_TRANSPOSE_2D:
        return input == 1 ? "weight" : input == 2 ? "bias" : "constant";
    case ETS_XNNPACK_PRELU: return input == 1 ? "weight" : "constant";
    default: return "constant";
    }
}

/* Notes a node as the user of an item; the first one describes it. */
static bool use(const struct payload *p, uint32_t index, uint32_t number,
                const struct ets_xnnpack_node *node, const char *role)
{
    struct ets_byte_item *item = ets_byte_item(p->sheet, index);
    const bool is_first = item->part != ETS_BYTES_WEIGHT || item->user_count == 0;
    item->user_count++;
    if (!is_first) return false;
    item->part = ETS_BYTES_WEIGHT;
    item->backend = p->backend;
    item->content = ets_xnnpack_node_name(node->type);
    item->role = role;
    item->program = p->sheet->index;
    item->method = p->method->index;
    item->delegate = p->delegate;
    item->node = number;
    item->debug_handle = node->debug_handle;
    if (p->layers != NULL && node->debug_handle > 0) {
        item->module = ets_layer_module(p->layers, node->debug_handle);
    }
    return true;
}

static bool add_input(const struct payload *p, uint32_t number, const struct ets_xnnpack_node *node,
                      uint32_t input)
{
    struct ets_xnnpack_value value;
    if (!find_value(p, node->inputs[input], &value)) return true;
    struct ets_text name = {NULL, 0};
    if (value.constant_index != 0) {
        const uint32_t index = find_constant(p, value.constant_index);
        if (index == ETS_BYTES_NONE) return !p->sheet->all->is_out_of_memory;
        if (use(p, index, number, node, role_of(node, input))) {
            struct ets_byte_item *item = ets_byte_item(p->sheet, index);
            const struct ets_layer_wish wish = wish_of(p, &value);
            if (!take_shape(p, &value, item)) return false;
            if (p->layers != NULL && node->debug_handle > 0) {
                item->name = ets_layer_parameter(p->layers, node->debug_handle, &wish);
            }
        }
        name = ets_byte_item(p->sheet, index)->name;
    }
    if (value.quantization.scale_constant == 0) return true;
    const uint32_t scale = find_constant(p, value.quantization.scale_constant);
    if (scale == ETS_BYTES_NONE) return !p->sheet->all->is_out_of_memory;
    if (use(p, scale, number, node, "scale")) {
        struct ets_byte_item *item = ets_byte_item(p->sheet, scale);
        item->name = name; /* whose scales they are */
        item->dtype = value.quantization.kind == ETS_XNNPACK_PER_GROUP ? "bfloat16" : "float32";
    }
    return true;
}

static bool add_xnnpack(struct payload *p)
{
    if (!index_values(p)) return false;
    for (uint32_t i = 0; i < p->xnnpack.node_count; i++) {
        struct ets_xnnpack_node node;
        ets_xnnpack_node(&p->xnnpack, i, &node);
        for (uint32_t k = 0; k < node.input_count; k++) {
            if (!add_input(p, i, &node, k)) return false;
        }
    }
    return !p->sheet->all->is_out_of_memory;
}

/* Data that a payload has or names, of which no layer is known. */
static void own(const struct payload *p, uint32_t index)
{
    struct ets_byte_item *item = ets_byte_item(p->sheet, index);
    item->user_count++;
    if (item->part != ETS_BYTES_NAMED_DATA && item->backend.data != NULL) return;
    item->part = ETS_BYTES_WEIGHT;
    item->backend = p->backend;
    item->program = p->sheet->index;
    item->method = p->method->index;
    item->delegate = p->delegate;
}

/*
 * A FlatBuffer that no schema here knows still names its data: a text in it that is a key. Only its
 * beginning is looked through, as payloads may hold weights themselves.
 */
static void find_keys(const struct payload *p, struct ets_bytes flatbuffer)
{
    enum { LOOKED_THROUGH = 1 << 20, LONGEST_KEY = 256 };
    const size_t end = flatbuffer.size < LOOKED_THROUGH ? flatbuffer.size : LOOKED_THROUGH;
    for (size_t at = 0; at + 4 < end; at += 4) {
        const uint32_t size = ets_load_u32(flatbuffer.data + at);
        if (size == 0 || size > LONGEST_KEY || size >= end - at - 4) continue;
        const struct ets_text text = {(const char *)flatbuffer.data + at + 4, size};
        if (text.data[size] != '\0') continue; /* texts end in one */
        const uint32_t index = ets_byte_sheet_find_key(p->sheet->all, text);
        if (index != ETS_BYTES_NONE) own(p, index);
    }
}

static const char *kind_of(struct ets_byte_sheet *sheet, struct ets_bytes payload)
{
    char text[ETS_PAYLOAD_KIND_CHARS];
    const char *kind = ets_payload_kind(payload, text);
    if (kind != text) return kind;
    const char *copy = ets_arena_copy_text(&sheet->all->map->arena, text, strlen(text));
    if (copy == NULL) sheet->all->is_out_of_memory = true;
    return copy;
}

/* A payload in one piece, or without the constants behind it. */
static bool add_payload(const struct payload *p, uint64_t offset, uint64_t size,
                        const char *content, uint64_t count)
{
    const uint32_t index = ets_byte_sheet_data(p->sheet, ETS_BYTES_PAYLOAD, offset, size);
    if (index == ETS_BYTES_NONE) return false;
    struct ets_byte_item *item = ets_byte_item(p->sheet, index);
    item->user_count++;
    item->backend = p->backend;
    item->content = content;
    item->count = count;
    item->program = p->sheet->index;
    item->method = p->method->index;
    item->delegate = p->delegate;
    return true;
}

static bool add_other(const struct payload *p, struct ets_bytes blob, uint64_t *budget)
{
    const uint64_t offset = ets_byte_sheet_offset(p->sheet, blob.data);
    struct ets_bytes constants;
    const struct ets_bytes flatbuffer = ets_payload_flatbuffer(blob, &constants);
    const size_t size = constants.data != NULL ? (size_t)(constants.data - blob.data) : blob.size;
    if (!add_payload(p, offset, size, kind_of(p->sheet, blob), 1)) return false;
    if (constants.data != NULL) {
        const uint32_t index =
            ets_byte_sheet_data(p->sheet, ETS_BYTES_WEIGHT,
                                ets_byte_sheet_offset(p->sheet, constants.data), constants.size);
        if (index == ETS_BYTES_NONE) return false;
        own(p, index);
    }
    if (flatbuffer.data != NULL && blob.size <= *budget) {
        *budget -= blob.size;
        find_keys(p, flatbuffer);
    }
    return true;
}

/* A block of Vela's stream; none of it is of a layer that is known. */
static bool add_block(const struct payload *p, struct ets_bytes block, enum ets_byte_part part,
                      const char *content)
{
    if (block.data == NULL || block.size == 0) return true;
    const uint32_t index = ets_byte_sheet_data(
        p->sheet, part, ets_byte_sheet_offset(p->sheet, block.data), block.size);
    if (index == ETS_BYTES_NONE) return false;
    struct ets_byte_item *item = ets_byte_item(p->sheet, index);
    own(p, index);
    item->part = part;
    item->content = content;
    return true;
}

/* Blocks, and around them the headers and what else the stream holds. */
static bool add_vela(const struct payload *p, const struct ets_vela *vela, struct ets_bytes blob)
{
    const uint64_t offset = ets_byte_sheet_offset(p->sheet, blob.data);
    enum { FIRST_BLOCK_BYTES = 32 };
    const uint32_t index =
        ets_byte_sheet_data(p->sheet, ETS_BYTES_PAYLOAD, offset, FIRST_BLOCK_BYTES);
    if (index == ETS_BYTES_NONE) return false;
    struct ets_byte_item *item = ets_byte_item(p->sheet, index);
    item->content = "Vela binary stream";
    item->size = 0; /* of several runs */
    item->user_count++;
    item->backend = p->backend;
    item->program = p->sheet->index;
    item->method = p->method->index;
    item->delegate = p->delegate;
    struct ets_vela_block block;
    for (size_t at = 0; ets_vela_next(blob, &at, &block);) {
        const bool is_apart = block.data.data == vela->commands.data ||
                              block.data.data == vela->weights.data ||
                              block.data.data == vela->stored_scratch.data;
        ets_byte_sheet_claim(p->sheet, index, ets_byte_sheet_offset(p->sheet, block.name),
                             ETS_VELA_HEADER_BYTES + (is_apart ? 0 : block.data.size));
    }
    return add_block(p, vela->commands, ETS_BYTES_PAYLOAD, "NPU commands") &&
           add_block(p, vela->weights, ETS_BYTES_WEIGHT, "compressed weights") &&
           add_block(p, vela->stored_scratch, ETS_BYTES_PAYLOAD, "stored scratch (zeros)");
}

static bool add_delegate(struct ets_byte_sheet *sheet, const struct ets_method *method,
                         struct ets_layer_method *layers, uint32_t number, uint64_t *budget)
{
    struct ets_delegate delegate;
    ets_method_delegate(method, number, &delegate);
    struct payload p = {.sheet = sheet,
                        .method = method,
                        .layers = layers,
                        .delegate = number,
                        .backend = delegate.id};
    const struct ets_bytes blob = delegate.blob;
    if (blob.size == 0) return true;
    const uint64_t offset = ets_byte_sheet_offset(sheet, blob.data);
    const uint32_t old = ets_byte_sheet_find_place(sheet, offset);
    if (old != ETS_BYTES_NONE) {
        ets_byte_item(sheet, old)->user_count++; /* of several delegates */
        return true;
    }
    struct ets_vela vela;
    if (ets_vela_init(&vela, blob, NULL) == ETS_OK) return add_vela(&p, &vela, blob);
    /* Payloads that lie apart are read once each; those that overlap only as far as that goes. */
    if (blob.size > *budget || !ets_text_is(delegate.id, ETS_XNNPACK_BACKEND) ||
        ets_xnnpack_init(&p.xnnpack, blob, NULL) != ETS_OK) {
        return add_other(&p, blob, budget);
    }
    const uint64_t graph_at = ets_byte_sheet_offset(sheet, p.xnnpack.flatbuffer.data);
    *budget -= blob.size;
    return add_payload(&p, offset, graph_at + p.xnnpack.flatbuffer.size - offset, "XNNPACK graph",
                       p.xnnpack.node_count) &&
           add_xnnpack(&p);
}

void ets_payload_bytes_add(struct ets_byte_sheet *sheet)
{
    const struct ets_program *program = &sheet->file->program;
    uint64_t budget = program->bytes.size;
    for (uint32_t m = 0; m < program->method_count; m++) {
        struct ets_method method;
        ets_program_method(program, m, &method);
        struct ets_layer_method *layers = ets_layer_method(&sheet->all->names, &method);
        for (uint32_t d = 0; d < method.delegate_count; d++) {
            if (!add_delegate(sheet, &method, layers, d, &budget)) {
                sheet->all->is_out_of_memory = true;
                return;
            }
        }
    }
}
