/* What delegates were given: graphs and weights where they can be read, else whole payloads. */
#include <stdlib.h>
#include <string.h>

#include "base/load.h"
#include "base/text.h"
#include "contents/byte_claims.h"
#include "format/aoti.h"
#include "operators/operator_traits.h"
#include "payload/payload_kind.h"
#include "payload/payload_store.h"

/* A payload, and who calls it. */
struct payload {
    struct ets_byte_claims *sheet;
    const struct ets_method *method;
    struct ets_layer_method *layers; /* NULL: no record */
    uint32_t delegate;
    struct ets_text backend;
    const struct ets_payload_graph *graph; /* NULL: it cannot be read */
};

/* The item of a constant's bytes: in the program, or by key in another file. */
static uint32_t find_constant(const struct payload *p, uint32_t index)
{
    const struct ets_payload_constant *constant = &p->graph->constants[index];
    if (constant->is_assembled) return ETS_BYTES_NONE; /* its pieces are the graph's */
    if (constant->bytes.data != NULL && constant->bytes.size > 0) {
        return ets_byte_claims_data(p->sheet, ETS_BYTES_WEIGHT,
                                    ets_byte_claims_offset(p->sheet, constant->bytes.data),
                                    constant->bytes.size);
    }
    return constant->key.data == NULL ? ETS_BYTES_NONE
                                      : ets_byte_claims_need_key(p->sheet->all, constant->key);
}

static bool take_shape(const struct payload *p, const struct ets_payload_value *value,
                       struct ets_byte_item *item)
{
    /* Real tensors have six dimensions at most; of more nothing is kept. */
    const uint32_t rank = value->rank <= ETS_TENSOR_MAX_RANK ? value->rank : 0;
    int64_t *shape = ets_arena_alloc_array(&p->sheet->all->map->arena, rank, sizeof *shape);
    if (shape == NULL) return false;
    for (uint32_t i = 0; i < rank; i++) shape[i] = value->dims[i];
    item->rank = rank;
    item->shape = shape;
    item->dtype = ets_payload_dtype(value->type);
    if (value->quantization.kind == ETS_PAYLOAD_PER_GROUP && value->quantization.group_size > 0) {
        item->group_size = (uint32_t)value->quantization.group_size;
    }
    return true;
}

/* What a record's graph must have for this value. Packed weights may lie in another order. */
static struct ets_parameter_query query_of(const struct ets_payload_value *value)
{
    return (struct ets_parameter_query){.element_count = ets_payload_elements(value),
                                        .least_rank = value->rank > 1 ? 2 : 0,
                                        .most_rank = value->rank > 1 ? ETS_TENSOR_MAX_RANK : 1,
                                        .scalar_type = -1,
                                        .count = 1};
}

/* "weight" and "bias" as layers take their inputs; of an operator that is not known, which input.
 */
static const char *role_of(const struct ets_payload_graph *graph,
                           const struct ets_payload_node *node, uint32_t input)
{
    static const char *const quantized[] = {"input", "weight", "scale", "offset"};
    const struct ets_payload_value *weight =
        node->input_count > 1 ? ets_payload_value(graph, node->inputs[1]) : NULL;
    if (weight != NULL && weight->quantization.is_scale_apart &&
        input < sizeof quantized / sizeof *quantized) {
        return quantized[input];
    }
    static const char *const inputs[] = {"input 0", "input 1", "input 2", "input 3", "input 4",
                                         "input 5", "input 6", "input 7", "input 8", "input 9"};
    if (node->operation.data == NULL && input < sizeof inputs / sizeof *inputs) {
        return inputs[input];
    }
    const bool is_layer = ets_operator_is(node->operation, ETS_OPERATOR_CONVOLUTION) ||
                          ets_text_is(node->operation, "linear");
    if (input == 1 && (is_layer || ets_text_is(node->operation, "prelu"))) return "weight";
    return input == 2 && is_layer ? "bias" : "constant";
}

/* Not positive: none is known. */
static int64_t handle_of(const struct payload *p, const struct ets_payload_node *node)
{
    if (p->layers == NULL) return node->debug_handle;
    return ets_handle_of_payload_node(&p->layers->nodes, node);
}

/* Notes a node as the user of an item; the first one describes it. */
static bool use(const struct payload *p, uint32_t index, uint32_t number, const char *role)
{
    const struct ets_payload_node *node = &p->graph->nodes[number];
    struct ets_byte_item *item = ets_byte_item(p->sheet, index);
    const bool is_first = item->part != ETS_BYTES_WEIGHT || item->user_count == 0;
    item->user_count++;
    if (!is_first) return false;
    item->part = ETS_BYTES_WEIGHT;
    item->backend = p->backend;
    item->content = node->name.data; /* static, or it ends in the payload */
    item->role = role;
    item->program = p->sheet->index;
    item->method = p->method->index;
    item->delegate = p->delegate;
    item->node = number;
    item->debug_handle = handle_of(p, node);
    if (p->layers != NULL && item->debug_handle > 0) {
        item->module = ets_layer_module(p->layers, item->debug_handle);
    }
    return true;
}

/* Whether a value is a constant between other bytes of the graph. */
static bool is_inside(const struct payload *p, const struct ets_payload_value *value)
{
    const struct ets_bytes graph = p->graph->flatbuffer;
    const struct ets_bytes bytes = ets_payload_constant_bytes(p->graph, value->constant);
    if (bytes.size == 0 || p->graph->constants[value->constant].is_assembled) return false;
    return bytes.data > graph.data && bytes.data < graph.data + graph.size;
}

/* Scalars and shapes are no weights. */
static bool is_part_of_graph(const struct payload *p, const struct ets_payload_value *value)
{
    return is_inside(p, value) &&
           (ets_payload_elements(value) <= 1 || value->type->numbers == ETS_PAYLOAD_OTHER);
}

static bool add_input(const struct payload *p, uint32_t number, uint32_t input)
{
    const struct ets_payload_node *node = &p->graph->nodes[number];
    const struct ets_payload_value *value = ets_payload_value(p->graph, node->inputs[input]);
    struct ets_text name = {NULL, 0};
    if (value == NULL || is_part_of_graph(p, value)) return true;
    if (value->constant != ETS_PAYLOAD_NONE) {
        const uint32_t index = find_constant(p, value->constant);
        if (index == ETS_BYTES_NONE) return !p->sheet->all->is_out_of_memory;
        if (use(p, index, number, role_of(p->graph, node, input))) {
            struct ets_byte_item *item = ets_byte_item(p->sheet, index);
            const struct ets_parameter_query query = query_of(value);
            if (!take_shape(p, value, item)) return false;
            if (p->layers != NULL && item->debug_handle > 0) {
                item->name = ets_layer_parameter(p->layers, item->debug_handle, &query);
            }
            if (item->name.size == 0) item->name = p->graph->constants[value->constant].name;
        }
        name = ets_byte_item(p->sheet, index)->name;
    }
    if (value->quantization.scale_constant == ETS_PAYLOAD_NONE ||
        value->quantization.is_scale_apart) {
        return true;
    }
    const uint32_t scale = find_constant(p, value->quantization.scale_constant);
    if (scale == ETS_BYTES_NONE) return !p->sheet->all->is_out_of_memory;
    if (use(p, scale, number, "scale")) {
        struct ets_byte_item *item = ets_byte_item(p->sheet, scale);
        item->name = name; /* whose scales they are */
        item->dtype = value->quantization.kind == ETS_PAYLOAD_PER_GROUP ? "bfloat16" : "float32";
    }
    return true;
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

/* Named data that the payload lists, and no node reads: loading it may. */
static void own_unread(const struct payload *p)
{
    for (uint32_t i = 0; i < p->graph->constant_count; i++) {
        const struct ets_payload_constant *constant = &p->graph->constants[i];
        if (constant->key.data == NULL) continue;
        const uint32_t index = ets_byte_claims_find_key(p->sheet->all, constant->key);
        if (index == ETS_BYTES_NONE) continue;
        struct ets_byte_item *item = ets_byte_item(p->sheet, index);
        if (item->user_count > 0) continue;
        own(p, index);
        item->name = constant->name;
    }
}

static bool add_graph(const struct payload *p)
{
    for (uint32_t i = 0; i < p->graph->node_count; i++) {
        for (uint32_t k = 0; k < p->graph->nodes[i].input_count; k++) {
            if (!add_input(p, i, k)) return false;
        }
    }
    own_unread(p);
    return !p->sheet->all->is_out_of_memory;
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
        const uint32_t index = ets_byte_claims_find_key(p->sheet->all, text);
        if (index != ETS_BYTES_NONE) own(p, index);
    }
}

static const char *kind_of(const struct payload *p, struct ets_bytes payload)
{
    char text[ETS_PAYLOAD_KIND_CHARS];
    const char *kind = ets_payload_kind_of(p->backend, payload, text);
    if (kind != text) return kind;
    const char *copy = ets_arena_copy_text(&p->sheet->all->map->arena, text, strlen(text));
    if (copy == NULL) p->sheet->all->is_out_of_memory = true;
    return copy;
}

/* A payload in one piece, or without the constants behind it. */
static bool add_payload(const struct payload *p, uint64_t offset, uint64_t size,
                        const char *content, uint64_t count)
{
    const uint32_t index = ets_byte_claims_data(p->sheet, ETS_BYTES_PAYLOAD, offset, size);
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

/* The library that AOTInductor compiled, and the weights beside it. */
static void own_compiled(const struct payload *p, struct ets_bytes blob)
{
    struct ets_aoti_item listed;
    size_t at = 0;
    while (ets_aoti_next(blob, &at, &listed)) {
        const uint32_t index = ets_byte_claims_find_key(p->sheet->all, listed.key);
        if (index == ETS_BYTES_NONE) continue;
        struct ets_byte_item *item = ets_byte_item(p->sheet, index);
        const bool is_first = item->user_count == 0;
        own(p, index);
        if (!is_first) continue;
        item->content = listed.is_library ? "compiled library" : "weights";
        item->name = listed.name;
        if (listed.is_library) item->part = ETS_BYTES_PAYLOAD;
    }
}

static bool add_other(const struct payload *p, struct ets_bytes blob, uint64_t *budget)
{
    const uint64_t offset = ets_byte_claims_offset(p->sheet, blob.data);
    struct ets_bytes constants;
    const struct ets_bytes flatbuffer = ets_payload_flatbuffer(blob, &constants);
    const size_t size = constants.data != NULL ? (size_t)(constants.data - blob.data) : blob.size;
    if (!add_payload(p, offset, size, kind_of(p, blob), 1)) return false;
    if (constants.data != NULL) {
        const uint32_t index =
            ets_byte_claims_data(p->sheet, ETS_BYTES_WEIGHT,
                                 ets_byte_claims_offset(p->sheet, constants.data), constants.size);
        if (index == ETS_BYTES_NONE) return false;
        own(p, index);
    }
    if (blob.size <= *budget && ets_aoti_sniff(blob)) {
        *budget -= blob.size;
        own_compiled(p, blob);
    }
    if (flatbuffer.data != NULL && blob.size <= *budget) {
        *budget -= blob.size;
        find_keys(p, flatbuffer);
    }
    return true;
}

/* A part of a payload; none of it is of a layer that is known. */
static bool add_part(const struct payload *p, const struct ets_payload_part *from)
{
    const enum ets_byte_part part = from->is_weight ? ETS_BYTES_WEIGHT : ETS_BYTES_PAYLOAD;
    if (from->bytes.size == 0) return true;
    const uint32_t index = ets_byte_claims_data(
        p->sheet, part, ets_byte_claims_offset(p->sheet, from->bytes.data), from->bytes.size);
    if (index == ETS_BYTES_NONE) return false;
    struct ets_byte_item *item = ets_byte_item(p->sheet, index);
    own(p, index);
    item->part = part;
    item->content = from->content;
    return true;
}

static bool is_part(const struct ets_payload_parts *parts, struct ets_bytes bytes)
{
    for (uint32_t i = 0; i < parts->count; i++) {
        if (parts->items[i].bytes.data == bytes.data) return true;
    }
    return false;
}

/* Parts, and as one item the headers around them and what else the payload holds. */
static bool add_parts(const struct payload *p, const struct ets_delegate *delegate,
                      const struct ets_payload_parts *parts)
{
    const uint64_t offset = ets_byte_claims_offset(p->sheet, delegate->blob.data);
    struct ets_payload_block block;
    size_t at = 0;
    if (!ets_payload_next_block(delegate, &at, &block)) return true;
    const uint32_t whole =
        ets_byte_claims_data(p->sheet, ETS_BYTES_PAYLOAD, offset, block.header.size);
    if (whole == ETS_BYTES_NONE) return false;
    struct ets_byte_item *item = ets_byte_item(p->sheet, whole);
    item->content = kind_of(p, delegate->blob);
    item->size = 0; /* of several runs */
    item->user_count++;
    item->backend = p->backend;
    item->program = p->sheet->index;
    item->method = p->method->index;
    item->delegate = p->delegate;
    do {
        const uint64_t own_bytes = is_part(parts, block.bytes) ? 0 : block.bytes.size;
        ets_byte_claims_claim(p->sheet, whole, ets_byte_claims_offset(p->sheet, block.header.data),
                              block.header.size + own_bytes);
    } while (ets_payload_next_block(delegate, &at, &block));
    for (uint32_t i = 0; i < parts->count; i++) {
        if (!add_part(p, &parts->items[i])) return false;
    }
    if (parts->weight_key.data == NULL) return true;
    const uint32_t weights = ets_byte_claims_need_key(p->sheet->all, parts->weight_key);
    if (weights == ETS_BYTES_NONE) return !p->sheet->all->is_out_of_memory;
    own(p, weights);
    ets_byte_item(p->sheet, weights)->content = "compressed weights";
    return true;
}

static int compare_bytes(const void *left, const void *right)
{
    const struct ets_bytes *a = left, *b = right;
    return (a->data > b->data) - (a->data < b->data);
}

/* The weights that lie between other bytes of the graph, in order. NULL: no memory. */
static struct ets_bytes *list_inside(const struct payload *p, uint32_t *count_out)
{
    const uint32_t all = p->graph->value_count;
    struct ets_bytes *inside =
        ets_arena_alloc_array(&p->sheet->all->map->arena, (size_t)all + 1, sizeof *inside);
    *count_out = 0;
    for (uint32_t i = 0; inside != NULL && i < all; i++) {
        const struct ets_payload_value *value = &p->graph->values[i];
        if (!is_inside(p, value) || is_part_of_graph(p, value)) continue;
        inside[(*count_out)++] = ets_payload_constant_bytes(p->graph, value->constant);
    }
    if (inside != NULL && *count_out > 1) qsort(inside, *count_out, sizeof *inside, compare_bytes);
    return inside;
}

/* The graph without the constants in it. */
static bool add_read_payload(const struct payload *p, struct ets_bytes blob)
{
    const struct ets_bytes graph = p->graph->flatbuffer;
    const uint8_t *end = graph.data + graph.size, *at = blob.data;
    uint32_t count;
    const struct ets_bytes *inside = list_inside(p, &count);
    if (inside == NULL) return false;
    const uint64_t first = (uint64_t)((count > 0 ? inside[0].data : end) - at);
    const uint64_t offset = ets_byte_claims_offset(p->sheet, at);
    if (!add_payload(p, offset, first, ets_payload_format(p->graph), p->graph->node_count)) {
        return false;
    }
    const uint32_t item = ets_byte_claims_find_place(p->sheet, offset);
    if (count > 0) ets_byte_item(p->sheet, item)->size = 0; /* of several runs */
    for (uint32_t i = 0; i < count; i++) {
        at = inside[i].data + inside[i].size;
        const uint8_t *next = i + 1 < count ? inside[i + 1].data : end;
        if (next <= at) continue;
        ets_byte_claims_claim(p->sheet, item, ets_byte_claims_offset(p->sheet, at),
                              (uint64_t)(next - at));
    }
    return true;
}

static int compare_runs(const void *left, const void *right)
{
    const struct ets_bytes *a = left, *b = right;
    return (a->data > b->data) - (a->data < b->data);
}

/* Those constants that lie in `files`, by address. NULL: no memory. */
static struct ets_bytes *list_constants(const struct payload *p, struct ets_bytes files,
                                        uint32_t *count_out)
{
    const struct ets_payload_graph *graph = p->graph;
    struct ets_bytes *runs =
        ets_arena_alloc_array(&p->sheet->all->map->arena, graph->constant_count, sizeof *runs);
    *count_out = 0;
    if (runs == NULL) return NULL;
    for (uint32_t i = 0; i < graph->constant_count; i++) {
        const struct ets_bytes bytes = graph->constants[i].bytes;
        if (bytes.size == 0) continue;
        const uint64_t at = ets_byte_claims_offset(p->sheet, bytes.data);
        const uint64_t start = ets_byte_claims_offset(p->sheet, files.data);
        if (at < start || at - start > files.size) continue;
        runs[(*count_out)++] = bytes;
    }
    if (*count_out > 0) qsort(runs, *count_out, sizeof *runs, compare_runs);
    return runs;
}

/* An item of files keeps what is between the constants in them. */
static bool claim_around(const struct payload *p, uint32_t index, struct ets_bytes files)
{
    uint32_t count;
    const struct ets_bytes *runs = list_constants(p, files, &count);
    const uint64_t start = ets_byte_claims_offset(p->sheet, files.data);
    uint64_t at = start;
    if (runs == NULL) return false;
    ets_byte_claims_release(p->sheet, index);
    ets_byte_item(p->sheet, index)->size = 0; /* of several runs */
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t next = ets_byte_claims_offset(p->sheet, runs[i].data);
        if (next > at) ets_byte_claims_claim(p->sheet, index, at, next - at);
        if (next + runs[i].size > at) at = next + runs[i].size;
    }
    if (at < start + files.size) {
        ets_byte_claims_claim(p->sheet, index, at, start + files.size - at);
    }
    return true;
}

/* A payload of several files, or named data that has them and that several payloads refer to. */
static bool add_files(const struct payload *p, uint64_t offset, struct ets_bytes blob,
                      uint64_t *budget)
{
    const struct ets_payload_graph *graph = p->graph;
    const char *format = ets_payload_format(graph);
    const bool is_reference = graph->files_key.data != NULL;
    if (!add_payload(p, offset, blob.size, is_reference ? "reference to named data" : format,
                     graph->node_count)) {
        return false;
    }
    uint32_t index = ets_byte_claims_find_place(p->sheet, offset);
    const uint64_t work = graph->files.size + p->sheet->claim_count;
    if (is_reference) {
        index = ets_byte_claims_find_key(p->sheet->all, graph->files_key);
        if (index == ETS_BYTES_NONE) return true;
        own(p, index);
        ets_byte_item(p->sheet, index)->content = format;
        ets_byte_item(p->sheet, index)->part = ETS_BYTES_PAYLOAD;
    }
    if (work > *budget) return true; /* many payloads that refer to each other's files */
    *budget -= work;
    return claim_around(p, index, graph->files);
}

static bool add_delegate(struct ets_byte_claims *sheet, const struct ets_method *method,
                         struct ets_layer_method *layers, uint32_t number,
                         struct ets_payload_store *payloads, uint64_t *budget)
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
    const uint64_t offset = ets_byte_claims_offset(sheet, blob.data);
    const uint32_t old = ets_byte_claims_find_place(sheet, offset);
    if (old != ETS_BYTES_NONE) {
        ets_byte_item(sheet, old)->user_count++; /* of several delegates */
        return true;
    }
    struct ets_payload_parts parts;
    if (ets_payload_parts(&delegate, &parts)) return add_parts(&p, &delegate, &parts);
    if (ets_payload_store_read(payloads, &delegate, &p.graph, NULL, NULL) != ETS_OK) return false;
    if (p.graph == NULL) return add_other(&p, blob, budget);
    if (p.graph->files.data != NULL) return add_files(&p, offset, blob, budget) && add_graph(&p);
    return add_read_payload(&p, blob) && add_graph(&p);
}

void ets_payload_bytes_add(struct ets_byte_claims *sheet)
{
    const struct ets_program *program = &sheet->file->program;
    struct ets_payload_store payloads;
    uint64_t budget = program->bytes.size;
    ets_payload_store_init(&payloads, &sheet->all->map->arena, program);
    for (uint32_t m = 0; m < program->method_count; m++) {
        struct ets_method method;
        ets_program_method(program, m, &method);
        struct ets_layer_method *layers = ets_layer_method(&sheet->all->names, &method);
        for (uint32_t d = 0; d < method.delegate_count; d++) {
            if (!add_delegate(sheet, &method, layers, d, &payloads, &budget)) {
                sheet->all->is_out_of_memory = true;
                return;
            }
        }
    }
}
