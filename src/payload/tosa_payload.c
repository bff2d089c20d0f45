/*
 * The payload of TOSA's backend: a graph whose operators refer to tensors, shapes and regions by
 * name. The backend's exporters for Ethos-U and VGF make the same graph, and do not keep it.
 */
#include <string.h>

#include "base/text.h"
#include "format/tosa_schema.h"
#include "host/strings.h"
#include "payload/tosa_operators.h"

static const char *const backends[] = {"TOSABackend", NULL};

struct reading {
    struct ets_payload_builder *builder;
    struct ets_fb_vector regions;
    struct ets_strings region_names; /* to: */
    uint32_t *region_numbers;
    uint32_t *order; /* [regions.count] those that are read: the first, and what they name */
    bool *is_listed; /* [regions.count] */
    uint32_t order_count;
    struct ets_strings names; /* of the region at hand, to: */
    uint32_t *name_values;
    uint32_t name_room;
    uint32_t next_value, next_node, next_constant;
    bool is_conditional; /* the region at hand is a branch or a loop */
};

static struct ets_fb block_of(const struct reading *r, uint32_t region, uint32_t index)
{
    const struct ets_fb table = ets_fb_vector_table(r->regions, region);
    return ets_fb_vector_table(ets_fb_vector(table, ETS_TOSA_REGION_BLOCKS), index);
}

static uint32_t block_count(const struct reading *r, uint32_t region)
{
    return ets_fb_vector(ets_fb_vector_table(r->regions, region), ETS_TOSA_REGION_BLOCKS).count;
}

static uint32_t number_of(struct ets_fb operator_)
{
    return ets_fb_u32(operator_, ETS_TOSA_OPERATOR_NUMBER, 0);
}

/* Constants are values; they do not run. */
static bool is_node(struct ets_fb operator_)
{
    const uint32_t number = number_of(operator_);
    return number != ETS_TOSA_CONST && number != ETS_TOSA_CONST_SHAPE;
}

/* Attributes that were verified; at 0: none. */
static struct ets_fb attributes_of(struct ets_fb operator_)
{
    const uint32_t number = number_of(operator_);
    const uint8_t tag = ets_fb_u8(operator_, ETS_TOSA_OPERATOR_ATTRIBUTE_TYPE, 0);
    if (tag != number || ets_tosa_attributes(number) == NULL) return (struct ets_fb){NULL, 0};
    return ets_fb_table(operator_, ETS_TOSA_OPERATOR_ATTRIBUTE);
}

/* ---- regions ---- */

static bool index_regions(struct reading *r)
{
    const uint32_t count = r->regions.count;
    uint32_t capacity = 0;
    r->order = ets_payload_room(r->builder, count, sizeof *r->order);
    r->is_listed = ets_payload_room(r->builder, count, sizeof *r->is_listed);
    if (r->order == NULL || r->is_listed == NULL ||
        ets_strings_init(&r->region_names, r->builder->arena) != 0) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct ets_text name =
            ets_fb_text(ets_fb_vector_table(r->regions, i), ETS_TOSA_REGION_NAME);
        const uint32_t known = r->region_names.count;
        const uint32_t number = ets_strings_add(&r->region_names, name);
        if (number == UINT32_MAX) return false;
        r->region_numbers = ets_arena_grow(r->builder->arena, r->region_numbers, number, &capacity,
                                           sizeof *r->region_numbers);
        if (r->region_numbers == NULL) return false;
        if (number == known) r->region_numbers[number] = i;
    }
    return true;
}

static void list_region(struct reading *r, struct ets_text name)
{
    const uint32_t number = ets_strings_find(&r->region_names, name);
    if (number == UINT32_MAX || number == ETS_STRING_NONE) return;
    const uint32_t region = r->region_numbers[number];
    if (r->is_listed[region]) return;
    r->is_listed[region] = true;
    r->order[r->order_count++] = region;
}

static void count_operator(struct reading *r, struct ets_fb operator_)
{
    const uint32_t number = number_of(operator_);
    r->builder->graph.node_count += is_node(operator_);
    if (number != ETS_TOSA_COND_IF && number != ETS_TOSA_WHILE_LOOP) return;
    const struct ets_fb attributes = attributes_of(operator_);
    for (unsigned slot = 0; slot < 2; slot++) list_region(r, ets_fb_text(attributes, slot));
}

/* Counts what is in the regions that may run, each once: they may name each other in a circle. */
static bool survey(struct reading *r)
{
    struct ets_payload_graph *graph = &r->builder->graph;
    if (r->regions.count > 0) {
        r->is_listed[0] = true;
        r->order[r->order_count++] = 0;
    }
    for (uint32_t i = 0; i < r->order_count; i++) {
        for (uint32_t b = 0; b < block_count(r, r->order[i]); b++) {
            const struct ets_fb block = block_of(r, r->order[i], b);
            const struct ets_fb_vector operators = ets_fb_vector(block, ETS_TOSA_BLOCK_OPERATORS);
            const uint64_t values = (uint64_t)ets_fb_vector(block, ETS_TOSA_BLOCK_TENSORS).count +
                                    ets_fb_vector(block, ETS_TOSA_BLOCK_SHAPES).count +
                                    graph->value_count;
            /* blocks may be shared */
            if (!ets_payload_look(r->builder, operators.count)) return false;
            if (values > r->builder->room) {
                r->builder->is_beyond = true;
                return false;
            }
            graph->value_count = (uint32_t)values;
            for (uint32_t k = 0; k < operators.count; k++) {
                count_operator(r, ets_fb_vector_table(operators, k));
            }
        }
    }
    return true;
}

/* ---- values ---- */

/* Of several values with one name the first counts. */
static bool name_value(struct reading *r, struct ets_text name, uint32_t value)
{
    const uint32_t known = r->names.count;
    if (name.data == NULL) return true;
    const uint32_t number = ets_strings_add(&r->names, name);
    if (number == UINT32_MAX) return false;
    r->name_values = ets_arena_grow(r->builder->arena, r->name_values, number, &r->name_room,
                                    sizeof *r->name_values);
    if (r->name_values == NULL) return false;
    if (number == known) r->name_values[number] = value;
    return true;
}

static uint32_t find_value(const struct reading *r, struct ets_text name)
{
    const uint32_t number = ets_strings_find(&r->names, name);
    return number == UINT32_MAX || number == ETS_STRING_NONE ? ETS_PAYLOAD_NONE
                                                             : r->name_values[number];
}

static struct ets_payload_value *add_value(struct reading *r, struct ets_text name,
                                           const struct ets_payload_type *type)
{
    struct ets_payload_value *out = &r->builder->graph.values[r->next_value];
    *out = (struct ets_payload_value){
        .type = type, .argument = ETS_PAYLOAD_NONE, .constant = ETS_PAYLOAD_NONE};
    out->quantization.scale_constant = ETS_PAYLOAD_NONE;
    return name_value(r, name, r->next_value++) ? out : NULL;
}

static void add_constant(struct reading *r, struct ets_payload_value *value, struct ets_bytes data)
{
    if (data.data == NULL || data.size == 0) return;
    value->constant = r->next_constant;
    r->builder->graph.constants[r->next_constant++].bytes = data;
}

static bool read_tensor(struct reading *r, struct ets_fb tensor)
{
    const struct ets_fb_vector shape = ets_fb_vector(tensor, ETS_TOSA_TENSOR_SHAPE);
    struct ets_payload_value *out =
        add_value(r, ets_fb_text(tensor, ETS_TOSA_TENSOR_NAME),
                  ets_tosa_type(ets_fb_u32(tensor, ETS_TOSA_TENSOR_TYPE, 0)));
    uint32_t *dims = ets_payload_room(r->builder, shape.count, sizeof *dims);
    if (out == NULL || dims == NULL) return false;
    for (uint32_t i = 0; i < shape.count; i++) {
        const int32_t size = ets_fb_vector_i32(shape, i);
        dims[i] = size > 0 ? (uint32_t)size : 0; /* -1: only known when it runs */
    }
    out->rank = shape.count;
    out->dims = dims;
    /* The data of a variable is what it holds at first. */
    if (ets_fb_u8(tensor, ETS_TOSA_TENSOR_IS_VARIABLE, 0) == 0) {
        add_constant(r, out, ets_fb_bytes(tensor, ETS_TOSA_TENSOR_DATA));
    }
    return true;
}

static bool read_shape(struct reading *r, struct ets_fb shape)
{
    struct ets_payload_value *out =
        add_value(r, ets_fb_text(shape, ETS_TOSA_SHAPE_NAME), ets_tosa_type(ETS_TOSA_SHAPE));
    uint32_t *dims = ets_payload_room(r->builder, 1, sizeof *dims);
    if (out == NULL || dims == NULL) return false;
    dims[0] = ets_fb_u32(shape, ETS_TOSA_SHAPE_RANK, 0);
    out->rank = 1;
    out->dims = dims;
    add_constant(r, out, ets_fb_bytes(shape, ETS_TOSA_SHAPE_DATA));
    return true;
}

static bool read_block_values(struct reading *r, struct ets_fb block)
{
    const struct ets_fb_vector tensors = ets_fb_vector(block, ETS_TOSA_BLOCK_TENSORS);
    const struct ets_fb_vector shapes = ets_fb_vector(block, ETS_TOSA_BLOCK_SHAPES);
    for (uint32_t i = 0; i < tensors.count; i++) {
        if (!read_tensor(r, ets_fb_vector_table(tensors, i))) return false;
    }
    for (uint32_t i = 0; i < shapes.count; i++) {
        if (!read_shape(r, ets_fb_vector_table(shapes, i))) return false;
    }
    return true;
}

/* ---- operators ---- */

static bool list_values(struct reading *r, struct ets_fb operator_, unsigned slot,
                        const uint32_t **out, uint32_t *count_out)
{
    const struct ets_fb_vector names = ets_fb_vector(operator_, slot);
    uint32_t *values = ets_payload_room(r->builder, names.count, sizeof *values);
    if (values == NULL) return false;
    for (uint32_t i = 0; i < names.count; i++) {
        values[i] = find_value(r, ets_fb_vector_text(names, i));
    }
    *out = values;
    *count_out = names.count;
    return true;
}

static bool put_integers(struct reading *r, struct ets_payload_parameter *out, uint32_t count,
                         struct ets_fb_vector from, int64_t single)
{
    int64_t *integers = ets_payload_room(r->builder, count, sizeof *integers);
    if (integers == NULL) return false;
    for (uint32_t i = 0; i < count; i++) {
        integers[i] = out->is_list ? ets_fb_vector_i32(from, i) : single;
    }
    out->kind = ETS_PAYLOAD_INTEGERS;
    out->count = count;
    out->integers = integers;
    return true;
}

static float half(uint16_t bits)
{
    const uint32_t exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
    uint32_t wide = (uint32_t)(bits & 0x8000) << 16;
    float value;
    if (exponent == 0x1f) wide |= 0x7f800000u | fraction << 13;
    else if (exponent > 0) wide |= (exponent + 112) << 23 | fraction << 13;
    memcpy(&value, &wide, sizeof value); /* the smallest ones count as 0 */
    return value;
}

/* A bound of a clamp, in the type of its tensor. Other types have none. */
static bool put_bound(struct reading *r, struct ets_payload_parameter *out, struct ets_bytes bytes,
                      const struct ets_payload_type *type)
{
    const struct ets_fb_vector none = {NULL, 0, 0};
    if (type == NULL || type->bits != 8 * bytes.size || bytes.data == NULL) return true;
    const bool is_half = type->numbers == ETS_PAYLOAD_FLOAT16;
    if (is_half || type->numbers == ETS_PAYLOAD_FLOAT32) {
        double *real = ets_payload_room(r->builder, 1, sizeof *real);
        if (real == NULL) return false;
        *real = (double)(is_half ? half(ets_load_u16(bytes.data)) : ets_load_f32(bytes.data));
        out->kind = ETS_PAYLOAD_REALS;
        out->count = 1;
        out->reals = real;
        return true;
    }
    if (type->bits == 8) return put_integers(r, out, 1, none, (int8_t)bytes.data[0]);
    return type->numbers != ETS_PAYLOAD_INTEGER || type->bits != 16 ||
           put_integers(r, out, 1, none, (int16_t)ets_load_u16(bytes.data));
}

static bool read_attribute(struct reading *r, const struct ets_payload_node *node,
                           struct ets_fb attributes, const struct ets_fb_field *field,
                           struct ets_payload_parameter *out)
{
    const struct ets_payload_value *in =
        node->input_count > 0 ? ets_payload_value(&r->builder->graph, node->inputs[0]) : NULL;
    const struct ets_fb_vector none = {NULL, 0, 0};
    struct ets_fb_vector list;
    out->name = field->name;
    switch (field->kind) {
    case ETS_FB_STRING:
        out->kind = ETS_PAYLOAD_TEXT;
        out->text = ets_fb_text(attributes, field->slot);
        return true;
    case ETS_FB_SCALARS:
        if (field->flags & ETS_FB_BLOB) {
            return put_bound(r, out, ets_fb_bytes(attributes, field->slot),
                             in != NULL ? in->type : NULL);
        }
        out->is_list = true;
        list = ets_fb_vector(attributes, field->slot);
        return put_integers(r, out, list.count, list, 0);
    default: /* a number is no offset that may be followed */
        return put_integers(r, out, 1, none,
                            field->of.scalar == ETS_FB_BOOL
                                ? ets_fb_u8(attributes, field->slot, 0) != 0
                                : ets_fb_i32(attributes, field->slot, 0));
    }
}

static bool read_attributes(struct reading *r, struct ets_fb operator_,
                            struct ets_payload_node *node)
{
    const struct ets_fb attributes = attributes_of(operator_);
    if (attributes.at == 0) return true;
    const struct ets_fb_type *type = ets_tosa_attributes(number_of(operator_));
    struct ets_payload_parameter *list =
        ets_payload_room(r->builder, type->field_count, sizeof *list);
    if (list == NULL) return false;
    node->parameters = list;
    node->parameter_count = type->field_count;
    for (uint32_t i = 0; i < type->field_count; i++) {
        const bool is_scalar = type->fields[i].kind == ETS_FB_SCALAR;
        /* of a list that is not there no vector may be read */
        if (!is_scalar && !ets_fb_has(attributes, type->fields[i].slot)) {
            list[i].name = type->fields[i].name;
            continue;
        }
        if (!read_attribute(r, node, attributes, &type->fields[i], &list[i])) return false;
    }
    return true;
}

static bool read_operator(struct reading *r, struct ets_fb operator_)
{
    if (!is_node(operator_)) return true;
    struct ets_payload_graph *graph = &r->builder->graph;
    struct ets_payload_node *out = &graph->nodes[r->next_node++];
    if (!list_values(r, operator_, ETS_TOSA_OPERATOR_INPUTS, &out->inputs, &out->input_count) ||
        !list_values(r, operator_, ETS_TOSA_OPERATOR_OUTPUTS, &out->outputs, &out->output_count) ||
        !read_attributes(r, operator_, out)) {
        return false;
    }
    ets_tosa_explain(graph, number_of(operator_), out);
    out->is_conditional = r->is_conditional;
    return true;
}

/* ---- the graph ---- */

static uint32_t count_names(const struct reading *r, uint32_t region, unsigned slot)
{
    uint32_t count = 0;
    for (uint32_t b = 0; b < block_count(r, region); b++) {
        count += ets_fb_vector(block_of(r, region, b), slot).count;
    }
    return count;
}

static void mark_arguments(struct reading *r, struct ets_fb block, unsigned slot,
                           uint32_t *argument)
{
    struct ets_payload_graph *graph = &r->builder->graph;
    const struct ets_fb_vector names = ets_fb_vector(block, slot);
    const bool is_output = slot == ETS_TOSA_BLOCK_OUTPUTS;
    for (uint32_t i = 0; i < names.count; i++, (*argument)++) {
        const uint32_t number = find_value(r, ets_fb_vector_text(names, i));
        graph->is_output[*argument] = is_output;
        if (number == ETS_PAYLOAD_NONE) continue;
        struct ets_payload_value *value = &graph->values[number];
        value->is_input |= !is_output;
        value->is_output |= is_output;
        if (value->argument == ETS_PAYLOAD_NONE) value->argument = *argument;
    }
}

/* The call's arguments are those of the first region: inputs, then outputs. */
static bool list_arguments(struct reading *r, uint32_t region)
{
    static const unsigned slots[] = {ETS_TOSA_BLOCK_INPUTS, ETS_TOSA_BLOCK_OUTPUTS};
    struct ets_payload_graph *graph = &r->builder->graph;
    uint32_t argument = 0;
    graph->argument_count = count_names(r, region, slots[0]) + count_names(r, region, slots[1]);
    graph->is_output = ets_payload_room(r->builder, graph->argument_count, 1);
    if (graph->is_output == NULL) return false;
    for (int side = 0; side < 2; side++) {
        for (uint32_t b = 0; b < block_count(r, region); b++) {
            mark_arguments(r, block_of(r, region, b), slots[side], &argument);
        }
    }
    return true;
}

static bool read_region(struct reading *r, uint32_t region)
{
    r->name_values = NULL;
    r->name_room = 0;
    if (ets_strings_init(&r->names, r->builder->arena) != 0) return false;
    for (uint32_t b = 0; b < block_count(r, region); b++) {
        if (!read_block_values(r, block_of(r, region, b))) return false;
    }
    for (uint32_t b = 0; b < block_count(r, region); b++) {
        const struct ets_fb_vector operators =
            ets_fb_vector(block_of(r, region, b), ETS_TOSA_BLOCK_OPERATORS);
        for (uint32_t i = 0; i < operators.count; i++) {
            if (!read_operator(r, ets_fb_vector_table(operators, i))) return false;
        }
    }
    return true;
}

static bool read_regions(struct reading *r)
{
    struct ets_payload_graph *graph = &r->builder->graph;
    graph->values = ets_payload_room(r->builder, graph->value_count, sizeof *graph->values);
    graph->nodes = ets_payload_room(r->builder, graph->node_count, sizeof *graph->nodes);
    graph->constants = ets_payload_room(r->builder, graph->value_count, sizeof *graph->constants);
    if (graph->values == NULL || graph->nodes == NULL || graph->constants == NULL) return false;
    for (uint32_t i = 0; i < r->order_count; i++) {
        r->is_conditional = i > 0;
        if (!read_region(r, r->order[i])) return false;
        if (i == 0 && !list_arguments(r, r->order[i])) return false;
    }
    graph->constant_count = r->next_constant;
    return true;
}

static enum ets_status read_payload(struct ets_payload_builder *builder, struct ets_bytes bytes,
                                    struct ets_error *error)
{
    struct reading r = {.builder = builder};
    struct ets_fb root;
    if (bytes.size < 8 || memcmp(bytes.data + 4, "TOSA", 4) != 0) {
        return ets_fail(error, ETS_WRONG_KIND, 0, "not a TOSA graph: no TOSA at byte 4");
    }
    ETS_TRY(ets_fb_verify_root(bytes, 0, &ets_tosa_graph_type, 0, &root, error));
    builder->graph.flatbuffer = bytes;
    r.regions = ets_fb_vector(root, ETS_TOSA_GRAPH_REGIONS);
    if (index_regions(&r) && survey(&r) && read_regions(&r)) return ETS_OK;
    return ets_fail_memory(error, "a TOSA payload");
}

const struct ets_payload_reader ets_payload_tosa = {
    .backends = backends,
    .format = "TOSA graph",
    .read = read_payload,
};
