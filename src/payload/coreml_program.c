/*
 * Core ML's program as a graph. Constants are values where an operator computes with them, and
 * parameters otherwise; operations that unpack weights (constexpr_*) are the weights as stored.
 */
#include <string.h>

#include "base/load.h"
#include "base/text.h"
#include "format/json_cursor.h"
#include "payload/coreml_parts.h"
#include "payload/payload_operations.h"
#include "payload/payload_parameters.h"

static enum ets_status no_memory(struct ets_error *error)
{
    return ets_fail_memory(error, "a Core ML program");
}

static enum ets_status broken(struct ets_error *error, const char *what)
{
    return ets_fail(error, ETS_MALFORMED, ETS_NO_OFFSET, "the Core ML program's %s cannot be read",
                    what);
}

/* Handles by symbol, of which those with several keep the first: the record's graph says what
 * belongs together. */
static bool read_symbols(struct ets_coreml_reading *r)
{
    struct ets_json_cursor cursor = {.text = r->debug_info};
    struct ets_text symbol;
    if (ets_strings_init(&r->symbols, r->builder->arena) != 0) return false;
    if (!ets_json_cursor_find(&cursor, "debugSymbolToHandles") ||
        !ets_json_cursor_enter(&cursor, '{')) {
        return true;
    }
    while (ets_json_cursor_member(&cursor, &symbol)) {
        bool is_first = true;
        const uint32_t number = ets_strings_add(&r->symbols, symbol);
        if (number == UINT32_MAX || !ets_payload_look(r->builder, 32)) return false;
        r->handles = ets_arena_grow(r->builder->arena, r->handles, number, &r->handle_room,
                                    sizeof *r->handles);
        if (r->handles == NULL) return false;
        r->handles[number] = -1;
        if (!ets_json_cursor_enter(&cursor, '[')) {
            ets_json_cursor_skip(&cursor);
            continue;
        }
        while (ets_json_cursor_item(&cursor)) {
            uint64_t handle;
            const bool is_number = ets_json_cursor_count(&cursor, &handle);
            if (is_number && is_first) r->handles[number] = (int64_t)handle;
            is_first = false;
        }
    }
    return true;
}

/* The function that was asked for; else "main", else the last. */
static struct ets_bytes find_function(const struct ets_coreml_reading *r, struct ets_bytes program)
{
    struct ets_protobuf reader = ets_protobuf_of(program);
    struct ets_protobuf_field field;
    struct ets_bytes found = {NULL, 0};
    bool is_main = false;
    while (ets_protobuf_next(&reader, &field)) {
        if (field.number != ETS_MIL_PROGRAM_FUNCTIONS) continue;
        const struct ets_text name = ets_protobuf_find_text(field.bytes, ETS_MAP_KEY);
        const struct ets_bytes function = ets_protobuf_find_bytes(field.bytes, ETS_MAP_VALUE);
        if (r->function.data != NULL && ets_text_equal(name, r->function)) return function;
        if (r->function.data != NULL || is_main) continue;
        found = function;
        is_main = ets_text_is(name, "main");
    }
    return found;
}

/* The block of the function's operator set; there is one. */
static struct ets_bytes find_block(struct ets_bytes function)
{
    const struct ets_text opset = ets_protobuf_find_text(function, ETS_MIL_FUNCTION_OPSET);
    struct ets_protobuf reader = ets_protobuf_of(function);
    struct ets_protobuf_field field;
    struct ets_bytes found = {NULL, 0};
    while (ets_protobuf_next(&reader, &field)) {
        if (field.number != ETS_MIL_FUNCTION_BLOCKS) continue;
        found = ets_protobuf_find_bytes(field.bytes, ETS_MAP_VALUE);
        if (ets_text_equal(ets_protobuf_find_text(field.bytes, ETS_MAP_KEY), opset)) break;
    }
    return found;
}

static struct ets_text type_of(struct ets_bytes operation)
{
    return ets_protobuf_find_text(operation, ETS_MIL_OPERATION_TYPE);
}

static bool is_constant(struct ets_text type)
{
    return ets_text_is(type, "const") || ets_text_starts_with(type, "constexpr_");
}

static uint32_t count_bindings(struct ets_bytes operation)
{
    struct ets_protobuf reader = ets_protobuf_of(operation), inner;
    struct ets_protobuf_field field, binding;
    uint32_t count = 0;
    while (ets_protobuf_next(&reader, &field)) {
        if (field.number != ETS_MIL_OPERATION_INPUTS) continue;
        inner = ets_protobuf_of(ets_protobuf_find_bytes(field.bytes, ETS_MAP_VALUE));
        while (ets_protobuf_next(&inner, &binding)) {
            count += binding.number == ETS_MIL_ARGUMENT_BINDINGS;
        }
    }
    return count;
}

/* Room for all values, constants and nodes that there can be. false: the block is broken. */
static bool count_operations(struct ets_coreml_reading *r, struct ets_bytes function,
                             struct ets_bytes block)
{
    struct ets_protobuf reader = ets_protobuf_of(function), inner;
    struct ets_protobuf_field field, part;
    uint64_t values = 0, nodes = 0;
    while (ets_protobuf_next(&reader, &field)) values += field.number == ETS_MIL_FUNCTION_INPUTS;
    if (reader.is_broken) return false;
    reader = ets_protobuf_of(block);
    while (ets_protobuf_next(&reader, &field)) {
        if (field.number != ETS_MIL_BLOCK_OPERATIONS) continue;
        nodes += !is_constant(type_of(field.bytes));
        inner = ets_protobuf_of(field.bytes);
        values += 1 + (uint64_t)count_bindings(field.bytes);
        while (ets_protobuf_next(&inner, &part)) values += part.number == ETS_MIL_OPERATION_OUTPUTS;
        if (inner.is_broken) return false;
    }
    if (reader.is_broken || nodes > UINT32_MAX || values > UINT32_MAX / 4) return false;
    r->builder->graph.node_count = (uint32_t)nodes;
    r->value_room = (uint32_t)values;
    r->constant_room = 2 * (uint32_t)values;
    return true;
}

static bool take_room(struct ets_coreml_reading *r)
{
    struct ets_payload_graph *graph = &r->builder->graph;
    graph->nodes = ets_payload_room(r->builder, graph->node_count, sizeof *graph->nodes);
    graph->values = ets_payload_room(r->builder, r->value_room, sizeof *graph->values);
    graph->constants = ets_payload_room(r->builder, r->constant_room, sizeof *graph->constants);
    /* names and what they stand for */
    return graph->nodes != NULL && graph->values != NULL && graph->constants != NULL &&
           ets_payload_look(r->builder, r->value_room * sizeof(struct ets_coreml_name)) &&
           ets_strings_init(&r->names, r->builder->arena) == 0;
}

static struct ets_mil_type named_type(struct ets_bytes named)
{
    return ets_mil_type_of(ets_protobuf_find_bytes(named, ETS_MIL_NAMED_TYPE));
}

static bool read_function_inputs(struct ets_coreml_reading *r, struct ets_bytes function)
{
    struct ets_protobuf reader = ets_protobuf_of(function);
    struct ets_protobuf_field field;
    while (ets_protobuf_next(&reader, &field)) {
        if (field.number != ETS_MIL_FUNCTION_INPUTS) continue;
        const struct ets_mil_type type = named_type(field.bytes);
        struct ets_coreml_name *definition =
            ets_coreml_define(r, ets_protobuf_find_text(field.bytes, ETS_MIL_NAMED_NAME));
        if (definition == NULL || !ets_coreml_add_value(r, &type, &definition->value)) return false;
        /* a state stays in the delegate */
        r->builder->graph.values[definition->value].is_input = !type.is_state;
    }
    return true;
}

/* What a binding gives: a name's definition, or the literal in it. false: nothing. */
static bool read_binding(struct ets_coreml_reading *r, struct ets_bytes binding,
                         struct ets_coreml_name *inline_out, struct ets_coreml_name **found_out)
{
    const struct ets_bytes value = ets_protobuf_find_bytes(binding, ETS_MIL_BINDING_VALUE);
    *found_out = ets_coreml_lookup(r, ets_protobuf_find_text(binding, ETS_MIL_BINDING_NAME));
    if (value.data != NULL) {
        *inline_out = (struct ets_coreml_name){.is_literal = true,
                                               .literal = ets_mil_value_of(value),
                                               .value = ETS_PAYLOAD_NONE,
                                               .producer = ETS_PAYLOAD_NONE};
        *found_out = inline_out;
    }
    return *found_out != NULL;
}

/* An operation while its arguments are listed. */
struct arguments {
    uint32_t *inputs, *ranks;
    uint32_t input_count, parameter_count;
    struct ets_payload_parameter *parameters;
};

/* In the order of the operators' schemas, whatever order the file has. */
static bool insert_input(struct ets_payload_builder *builder, struct arguments *a, uint32_t value,
                         uint32_t rank)
{
    uint32_t at = a->input_count++;
    for (; at > 0 && a->ranks[at - 1] > rank; at--) {
        if (!ets_payload_look(builder, 1)) return false;
        a->ranks[at] = a->ranks[at - 1];
        a->inputs[at] = a->inputs[at - 1];
    }
    a->ranks[at] = rank;
    a->inputs[at] = value;
    return true;
}

static uint32_t count_numbers(struct ets_bytes items, enum ets_protobuf_wire wire)
{
    struct ets_protobuf reader = ets_protobuf_of(items);
    struct ets_protobuf_field field;
    uint32_t count = 0;
    while (ets_protobuf_next(&reader, &field)) {
        size_t at = 0;
        uint64_t number;
        if (field.number != 1) continue;
        while (count < UINT32_MAX && ets_protobuf_number(&field, wire, &at, &number)) count++;
    }
    return count;
}

static double real_of(uint64_t bits, enum ets_protobuf_wire wire)
{
    uint8_t bytes[8];
    for (unsigned i = 0; i < 8; i++) bytes[i] = (uint8_t)(bits >> 8 * i);
    return wire == ETS_PROTOBUF_FIXED32 ? (double)ets_load_f32(bytes) : ets_load_f64(bytes);
}

static bool read_numbers(struct ets_coreml_reading *r, const struct ets_mil_value *literal,
                         struct ets_payload_parameter *out)
{
    const bool is_real = literal->numbers != ETS_MIL_INTEGERS;
    const enum ets_protobuf_wire wire = !is_real                             ? ETS_PROTOBUF_VARINT
                                        : literal->numbers == ETS_MIL_FLOATS ? ETS_PROTOBUF_FIXED32
                                                                             : ETS_PROTOBUF_FIXED64;
    struct ets_protobuf reader = ets_protobuf_of(literal->items);
    struct ets_protobuf_field field;
    const uint32_t count = count_numbers(literal->items, wire);
    int64_t *integers = is_real ? NULL : ets_payload_room(r->builder, count, sizeof *integers);
    double *reals = is_real ? ets_payload_room(r->builder, count, sizeof *reals) : NULL;
    if (integers == NULL && reals == NULL) return false;
    out->kind = is_real ? ETS_PAYLOAD_REALS : ETS_PAYLOAD_INTEGERS;
    out->integers = integers;
    out->reals = reals;
    while (ets_protobuf_next(&reader, &field)) {
        size_t at = 0;
        uint64_t number;
        if (field.number != 1) continue;
        while (out->count < count && ets_protobuf_number(&field, wire, &at, &number)) {
            if (is_real) reals[out->count++] = real_of(number, wire);
            else integers[out->count++] = (int64_t)number;
        }
    }
    return true;
}

static bool add_parameter(struct ets_coreml_reading *r, struct arguments *a, struct ets_text name,
                          const struct ets_mil_value *literal)
{
    struct ets_payload_parameter *out = &a->parameters[a->parameter_count++];
    *out = (struct ets_payload_parameter){.name = ets_payload_copy(r->builder, name).data,
                                          .is_list = literal->type.rank > 0};
    if (out->name == NULL) return false;
    if (literal->numbers == ETS_MIL_STRINGS) {
        out->kind = ETS_PAYLOAD_TEXT;
        out->text = ets_protobuf_find_text(literal->items, 1);
        return true;
    }
    const bool has_numbers = literal->numbers == ETS_MIL_INTEGERS ||
                             literal->numbers == ETS_MIL_FLOATS ||
                             literal->numbers == ETS_MIL_DOUBLES;
    return !has_numbers || read_numbers(r, literal, out);
}

/* One argument: values to compute with, or a parameter. */
static bool read_argument(struct ets_coreml_reading *r, struct ets_bytes entry, struct arguments *a)
{
    const struct ets_text name = ets_protobuf_find_text(entry, ETS_MAP_KEY);
    const uint32_t rank = ets_coreml_input_rank(name);
    struct ets_protobuf reader = ets_protobuf_of(ets_protobuf_find_bytes(entry, ETS_MAP_VALUE));
    struct ets_protobuf_field field;
    while (ets_protobuf_next(&reader, &field)) {
        struct ets_coreml_name *found, inlined;
        if (field.number != ETS_MIL_ARGUMENT_BINDINGS) continue;
        if (!read_binding(r, field.bytes, &inlined, &found)) {
            if (!insert_input(r->builder, a, ETS_PAYLOAD_NONE, rank)) return false;
        } else if (found->is_literal && rank == UINT32_MAX) {
            if (!add_parameter(r, a, name, &found->literal)) return false;
        } else {
            if (found->value == ETS_PAYLOAD_NONE &&
                !ets_coreml_add_literal(r, &found->literal, &found->value)) {
                return false;
            }
            if (!insert_input(r->builder, a, found->value, rank)) return false;
        }
    }
    return true;
}

static bool read_arguments(struct ets_coreml_reading *r, struct ets_bytes operation,
                           struct ets_payload_node *out)
{
    const uint32_t count = count_bindings(operation);
    struct arguments a = {
        .inputs = ets_payload_room(r->builder, count, sizeof *a.inputs),
        .ranks = ets_payload_room(r->builder, count, sizeof *a.ranks),
        .parameters = ets_payload_room(r->builder, count, sizeof *a.parameters),
    };
    struct ets_protobuf reader = ets_protobuf_of(operation);
    struct ets_protobuf_field field;
    if (a.inputs == NULL || a.ranks == NULL || a.parameters == NULL) return false;
    while (ets_protobuf_next(&reader, &field)) {
        if (field.number != ETS_MIL_OPERATION_INPUTS) continue;
        if (!read_argument(r, field.bytes, &a)) return false;
    }
    out->inputs = a.inputs;
    out->input_count = a.input_count;
    out->parameters = a.parameters;
    out->parameter_count = a.parameter_count;
    return true;
}

/* *is_open: a size of an output is not fixed. */
static bool read_outputs(struct ets_coreml_reading *r, struct ets_bytes operation,
                         struct ets_payload_node *out, uint32_t index, bool *is_open)
{
    struct ets_protobuf reader = ets_protobuf_of(operation);
    struct ets_protobuf_field field;
    while (ets_protobuf_next(&reader, &field)) {
        out->output_count += field.number == ETS_MIL_OPERATION_OUTPUTS;
    }
    uint32_t *outputs = ets_payload_room(r->builder, out->output_count, sizeof *outputs);
    if (outputs == NULL) return false;
    out->outputs = outputs;
    reader = ets_protobuf_of(operation);
    while (ets_protobuf_next(&reader, &field)) {
        if (field.number != ETS_MIL_OPERATION_OUTPUTS) continue;
        const struct ets_mil_type type = named_type(field.bytes);
        struct ets_coreml_name *definition =
            ets_coreml_define(r, ets_protobuf_find_text(field.bytes, ETS_MIL_NAMED_NAME));
        if (definition == NULL || !ets_coreml_add_value(r, &type, outputs)) return false;
        definition->value = *outputs++;
        definition->producer = index;
        *is_open |= type.is_open;
    }
    return true;
}

static uint64_t taps_of(const struct ets_payload_node *node)
{
    const struct ets_payload_parameter *kernel = ets_payload_find_integers(node, "kernel_sizes");
    uint64_t taps = 1;
    for (uint32_t i = 0; kernel != NULL && i < kernel->count; i++) {
        if (kernel->integers[i] < 0) return 0;
        if (!ets_mul_u64(taps, (uint64_t)kernel->integers[i], &taps)) return UINT64_MAX;
    }
    return kernel != NULL ? taps : 0;
}

/* What an operator multiplies, from the sizes of its input and its weight. */
static void explain_product(const struct ets_payload_graph *graph, struct ets_payload_node *node)
{
    const struct ets_payload_value *in =
        node->input_count > 0 ? ets_payload_value(graph, node->inputs[0]) : NULL;
    const struct ets_payload_value *weight =
        node->input_count > 1 ? ets_payload_value(graph, node->inputs[1]) : NULL;
    const bool is_transposed = ets_text_is(node->name, "conv_transpose");
    if (in == NULL || in->rank == 0) return;
    if (is_transposed || ets_text_is(node->name, "conv")) {
        const struct ets_payload_parameter *groups = ets_payload_find_integers(node, "groups");
        if (weight == NULL || weight->rank < 2) return;
        node->depth = ets_payload_product(weight->dims + 1, weight->rank - 1);
        node->is_transposed = is_transposed;
        node->is_depthwise = groups != NULL && groups->integers[0] > 1 && in->rank > 1 &&
                             (uint64_t)groups->integers[0] == in->dims[1];
    } else if (ets_text_is(node->name, "linear") || ets_text_is(node->name, "matmul")) {
        const struct ets_payload_parameter *turned = ets_payload_find_integers(node, "transpose_x");
        const bool is_turned = turned != NULL && turned->integers[0] != 0 && in->rank > 1;
        node->depth = in->dims[in->rank - (is_turned ? 2 : 1)];
    } else {
        node->depth = taps_of(node);
    }
}

/* "aten_relu_default" of "aten_relu_default_cast_fp16": passes append what they did. */
static struct ets_text without_passes(struct ets_text name)
{
    static const char *const endings[] = {"_cast_fp16", "_cast_fp32", "_to_fp16", "_to_fp32",
                                          "_quantized"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const size_t size = strlen(endings[i]);
        if (name.size > size && memcmp(name.data + name.size - size, endings[i], size) == 0) {
            name.size -= size;
            i = (size_t)-1; /* there may be several */
        }
    }
    return name;
}

static bool is_named_after_type(struct ets_text name, struct ets_text type)
{
    return name.size > type.size + 1 && memcmp(name.data, type.data, type.size) == 0 &&
           name.data[type.size] == '_' && name.data[type.size + 1] >= '0' &&
           name.data[type.size + 1] <= '9';
}

/*
 * Operations are called like the node that they were made of. A cast computes none, but if it was
 * put behind an operation that gives the model's output, it took over the name.
 */
static void name_node(struct ets_coreml_reading *r, struct ets_payload_node *out,
                      struct ets_text output)
{
    struct ets_payload_graph *graph = &r->builder->graph;
    const struct ets_text name = without_passes(output);
    if (!ets_text_is(out->name, "cast")) {
        if (!is_named_after_type(name, out->name)) out->edge_name = name;
        return;
    }
    if (name.size != output.size || out->input_count == 0) return;
    const uint32_t index = (uint32_t)(out - graph->nodes);
    for (uint32_t i = index; i > 0 && i + 4 > index; i--) { /* it follows closely */
        struct ets_payload_node *before = &graph->nodes[i - 1];
        if (before->output_count != 1 || before->outputs[0] != out->inputs[0]) continue;
        if (before->edge_name.data == NULL) before->edge_name = name;
        return;
    }
}

/* "aten_relu_default:relu": what debug information and events call an operation. */
static bool take_symbol(struct ets_coreml_reading *r, struct ets_text output,
                        struct ets_payload_node *out)
{
    char *symbol = ets_payload_room(r->builder, output.size + 1 + out->name.size + 1, 1);
    if (symbol == NULL) return false;
    if (output.size > 0) memcpy(symbol, output.data, output.size);
    symbol[output.size] = ':';
    memcpy(symbol + output.size + 1, out->name.data, out->name.size);
    out->symbol = (struct ets_text){symbol, output.size + 1 + out->name.size};
    const uint32_t number = ets_strings_find(&r->symbols, out->symbol);
    if (number != UINT32_MAX) out->debug_handle = r->handles[number];
    return true;
}

/* The weight's name, of an operation that lost its own: its argument is the record's parameter. */
static void name_parameter(struct ets_payload_node *out, struct ets_bytes operation)
{
    const struct ets_bytes weight = ets_coreml_entry(operation, ETS_MIL_OPERATION_INPUTS, "weight");
    const struct ets_bytes binding = ets_protobuf_find_bytes(weight, ETS_MIL_ARGUMENT_BINDINGS);
    const struct ets_text name = ets_protobuf_find_text(binding, ETS_MIL_BINDING_NAME);
    if (name.size > 0) out->edge_parameter = without_passes(name);
}

static bool read_operation(struct ets_coreml_reading *r, struct ets_bytes operation,
                           struct ets_text type, uint32_t index)
{
    struct ets_payload_node *out = &r->builder->graph.nodes[index];
    bool is_open = false;
    out->debug_handle = -1;
    out->name = ets_payload_copy(r->builder, type);
    if (out->name.data == NULL || !read_arguments(r, operation, out) ||
        !read_outputs(r, operation, out, index, &is_open)) {
        return false;
    }
    const struct ets_text output = ets_protobuf_find_text(
        ets_protobuf_find_bytes(operation, ETS_MIL_OPERATION_OUTPUTS), ETS_MIL_NAMED_NAME);
    if (!is_open) out->operation = ets_text_of(ets_coreml_operation(type));
    explain_product(&r->builder->graph, out);
    name_node(r, out, output);
    name_parameter(out, operation);
    return take_symbol(r, output, out);
}

static bool read_constant(struct ets_coreml_reading *r, struct ets_bytes operation,
                          struct ets_text type)
{
    const struct ets_bytes named = ets_protobuf_find_bytes(operation, ETS_MIL_OPERATION_OUTPUTS);
    const struct ets_text name = ets_protobuf_find_text(named, ETS_MIL_NAMED_NAME);
    uint32_t value = ETS_PAYLOAD_NONE;
    const bool is_literal = ets_text_is(type, "const");
    if (!is_literal) {
        const struct ets_mil_type result = named_type(named);
        if (!ets_coreml_add_weight(r, operation, type, &result, &value)) return false;
    }
    struct ets_coreml_name *definition = ets_coreml_define(r, name);
    if (definition == NULL) return false;
    definition->is_literal = is_literal;
    definition->value = value;
    if (is_literal) {
        definition->literal =
            ets_mil_value_of(ets_coreml_entry(operation, ETS_MIL_OPERATION_ATTRIBUTES, "val"));
    }
    return true;
}

static bool read_operations(struct ets_coreml_reading *r, struct ets_bytes block)
{
    struct ets_protobuf reader = ets_protobuf_of(block);
    struct ets_protobuf_field field;
    uint32_t index = 0;
    while (ets_protobuf_next(&reader, &field)) {
        if (field.number != ETS_MIL_BLOCK_OPERATIONS) continue;
        const struct ets_text type = type_of(field.bytes);
        const bool ok = is_constant(type) ? read_constant(r, field.bytes, type)
                                          : read_operation(r, field.bytes, type, index++);
        if (!ok) return false;
    }
    return true;
}

static void take_argument(struct ets_coreml_reading *r, struct ets_text name, bool is_output,
                          uint32_t argument)
{
    const struct ets_coreml_name *definition = ets_coreml_lookup(r, name);
    if (definition == NULL || definition->value == ETS_PAYLOAD_NONE) return;
    struct ets_payload_value *value = &r->builder->graph.values[definition->value];
    value->is_output |= is_output;
    if (value->argument == ETS_PAYLOAD_NONE) value->argument = argument;
}

/* The runtime passes the call's arguments in the order of the names in metadata.json, of which
 * there is one list for each method where a payload has several. */
static bool enter_names(const struct ets_coreml_reading *r, const char *key,
                        struct ets_json_cursor *cursor)
{
    *cursor = (struct ets_json_cursor){.text = r->metadata};
    if (r->function.data != NULL && ets_json_cursor_find(cursor, "methods")) {
        struct ets_text name;
        if (!ets_json_cursor_enter(cursor, '{')) return false;
        while (ets_json_cursor_member(cursor, &name)) {
            if (ets_text_equal(name, r->function)) break;
            ets_json_cursor_skip(cursor);
        }
    } else {
        *cursor = (struct ets_json_cursor){.text = r->metadata};
    }
    return ets_json_cursor_find(cursor, key) && ets_json_cursor_enter(cursor, '[');
}

static uint32_t take_names(struct ets_coreml_reading *r, const char *key, bool is_output,
                           uint32_t first)
{
    struct ets_json_cursor cursor;
    struct ets_text name;
    uint32_t argument = first;
    if (!enter_names(r, key, &cursor)) return first;
    while (ets_json_cursor_item(&cursor)) {
        if (ets_json_cursor_text(&cursor, &name)) take_argument(r, name, is_output, argument);
        argument++;
    }
    return argument;
}

/* Without metadata.json: the function's own inputs and outputs. */
static uint32_t take_ends(struct ets_coreml_reading *r, struct ets_bytes message, uint32_t number,
                          uint32_t first)
{
    struct ets_protobuf reader = ets_protobuf_of(message);
    struct ets_protobuf_field field;
    const bool is_output = number == ETS_MIL_BLOCK_OUTPUTS;
    uint32_t argument = first;
    while (ets_protobuf_next(&reader, &field)) {
        if (field.number != number) continue;
        const struct ets_text name = is_output
                                         ? ets_protobuf_text(&field)
                                         : ets_protobuf_find_text(field.bytes, ETS_MIL_NAMED_NAME);
        if (!is_output && named_type(field.bytes).is_state) continue;
        take_argument(r, name, is_output, argument++);
    }
    return argument;
}

static bool list_arguments(struct ets_coreml_reading *r, struct ets_bytes function,
                           struct ets_bytes block)
{
    struct ets_payload_graph *graph = &r->builder->graph;
    uint32_t inputs = take_names(r, "inputNames", false, 0);
    uint32_t all = take_names(r, "outputNames", true, inputs);
    if (all == 0) {
        inputs = take_ends(r, function, ETS_MIL_FUNCTION_INPUTS, 0);
        all = take_ends(r, block, ETS_MIL_BLOCK_OUTPUTS, inputs);
    }
    graph->is_output = ets_payload_room(r->builder, all, 1);
    if (graph->is_output == NULL) return false;
    memset(graph->is_output + inputs, 1, all - inputs);
    graph->argument_count = all;
    return true;
}

enum ets_status ets_coreml_program_read(struct ets_coreml_reading *r, struct ets_bytes model,
                                        struct ets_error *error)
{
    const struct ets_bytes program = ets_protobuf_find_bytes(model, ETS_MODEL_PROGRAM);
    if (program.data == NULL) {
        return ets_fail(error, ETS_UNSUPPORTED, ETS_NO_OFFSET,
                        "the Core ML model is no ML Program; its layers are not read");
    }
    const struct ets_bytes function = find_function(r, program), block = find_block(function);
    if (function.data == NULL || block.data == NULL) return broken(error, "function");
    if (!count_operations(r, function, block)) return broken(error, "operations");
    if (take_room(r) && read_symbols(r) && read_function_inputs(r, function) &&
        read_operations(r, block) && list_arguments(r, function, block)) {
        return ETS_OK;
    }
    return no_memory(error);
}
