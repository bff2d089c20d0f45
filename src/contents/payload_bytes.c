/* What delegates were given: graphs and weights of XNNPACK, whole payloads of other backends. */
#include <string.h>

#include "base/load.h"
#include "base/text.h"
#include "contents/byte_sheet.h"
#include "contents/payload_kind.h"
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
    p->layers = ets_layer_method(&p->sheet->all->names, p->method->name);
    for (uint32_t i = 0; i < p->xnnpack.node_count; i++) {
        struct ets_xnnpack_node node;
        ets_xnnpack_node(&p->xnnpack, i, &node);
        for (uint32_t k = 0; k < node.input_count; k++) {
            if (!add_input(p, i, &node, k)) return false;
        }
    }
    return !p->sheet->all->is_out_of_memory;
}

static bool add_delegate(struct ets_byte_sheet *sheet, const struct ets_method *method,
                         uint32_t number, uint64_t *budget)
{
    struct ets_delegate delegate;
    ets_method_delegate(method, number, &delegate);
    struct payload p = {
        .sheet = sheet, .method = method, .delegate = number, .backend = delegate.id};
    if (delegate.blob.size == 0) return true;
    const uint64_t offset = ets_byte_sheet_offset(sheet, delegate.blob.data);
    /* Payloads that lie apart are read once each; those that overlap only as far as that goes. */
    const bool is_new = ets_byte_sheet_find_place(sheet, offset) == ETS_BYTES_NONE;
    const bool is_known = is_new && delegate.blob.size <= *budget &&
                          ets_text_is(delegate.id, ETS_XNNPACK_BACKEND) &&
                          ets_xnnpack_init(&p.xnnpack, delegate.blob, NULL) == ETS_OK;
    const uint64_t size = is_known ? ets_byte_sheet_offset(sheet, p.xnnpack.flatbuffer.data) +
                                         p.xnnpack.flatbuffer.size - offset
                                   : delegate.blob.size;
    const uint32_t index = ets_byte_sheet_data(sheet, ETS_BYTES_PAYLOAD, offset, size);
    if (index == ETS_BYTES_NONE) return false;
    struct ets_byte_item *item = ets_byte_item(sheet, index);
    item->user_count++;
    if (is_new) {
        item->backend = p.backend;
        item->content =
            is_known ? "XNNPACK graph" : ets_payload_kind(delegate.blob, &sheet->all->map->arena);
        item->count = is_known ? p.xnnpack.node_count : 1;
        item->method = method->index;
        item->delegate = number;
    }
    if (is_known) *budget -= delegate.blob.size;
    return is_known ? add_xnnpack(&p) : true;
}

void ets_payload_bytes_add(struct ets_byte_sheet *sheet)
{
    const struct ets_program *program = &sheet->file->program;
    uint64_t budget = program->bytes.size;
    for (uint32_t m = 0; m < program->method_count; m++) {
        struct ets_method method;
        ets_program_method(program, m, &method);
        for (uint32_t d = 0; d < method.delegate_count; d++) {
            if (!add_delegate(sheet, &method, d, &budget)) {
                sheet->all->is_out_of_memory = true;
                return;
            }
        }
    }
}
