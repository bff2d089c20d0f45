/*
 * The payload of ExecuTorch's native backend as a graph. Nodes and tensors have the names of the
 * edge program's nodes, and calls list the arguments of the operator's schema. Source: ExecuTorch
 * backends/native.
 */
#include <string.h>

#include "base/text.h"
#include "etscope/tensor.h"
#include "format/native_schema.h"
#include "host/strings.h"
#include "operators/operator_traits.h"
#include "payload/payload_parameters.h"
#include "payload/payload_reader.h"

static const char *const backends[] = {"NativeBackend", NULL};

struct reading {
    struct ets_payload_builder *builder;
    struct ets_fb method, graph;
    struct ets_strings names; /* of tensors: numbers of values */
    uint32_t capacity;        /* of the graph's values */
    bool is_out_of_memory;
};

/* Types of 16 bits and more without a sign have numbers of their own. */
static const struct ets_payload_type *type_of(int number)
{
    enum { FIRST_OWN = 16, LAST_OWN = 18 };
    const bool is_own = number >= FIRST_OWN && number <= LAST_OWN;
    return ets_payload_scalar_type(is_own ? ETS_SCALAR_UINT16 + number - FIRST_OWN : number);
}

/* The value of a name; NONE: it was not met yet. */
static uint32_t known_value(const struct reading *r, struct ets_text name)
{
    const uint32_t number = ets_strings_find(&r->names, name); /* from 1 */
    return number == UINT32_MAX || number == 0 ? ETS_PAYLOAD_NONE : number - 1;
}

/* The value of a name, which is made when it is first met; NONE: no name, or no room. */
static uint32_t value_of(struct reading *r, struct ets_text name)
{
    struct ets_payload_graph *graph = &r->builder->graph;
    if (name.size == 0) return ETS_PAYLOAD_NONE;
    const uint32_t known = known_value(r, name);
    if (known != ETS_PAYLOAD_NONE) return known;
    if (graph->value_count >= r->capacity || !ets_payload_look(r->builder, name.size)) {
        r->builder->is_beyond = true;
        return ETS_PAYLOAD_NONE;
    }
    if (ets_strings_add(&r->names, name) == UINT32_MAX) {
        r->is_out_of_memory = true;
        return ETS_PAYLOAD_NONE;
    }
    const uint32_t number = graph->value_count++;
    graph->values[number] = (struct ets_payload_value){
        .type = ets_payload_scalar_type(-1),
        .is_sizeless = true,
        .argument = ETS_PAYLOAD_NONE,
        .constant = ETS_PAYLOAD_NONE,
        .quantization = {.scale_constant = ETS_PAYLOAD_NONE},
    };
    return number;
}

/* Type and sizes, of dynamic ones the bounds. */
static bool describe(struct reading *r, struct ets_fb meta, uint32_t number)
{
    const struct ets_fb_vector sizes = ets_fb_vector(meta, ETS_NATIVE_META_SIZES);
    if (meta.at == 0 || number == ETS_PAYLOAD_NONE) return true;
    struct ets_payload_value *value = &r->builder->graph.values[number];
    uint32_t *dims = ets_payload_room(r->builder, sizes.count, sizeof *dims);
    if (dims == NULL) return false;
    value->type = type_of(ets_fb_i8(meta, ETS_NATIVE_META_TYPE, 0));
    for (uint32_t i = 0; i < sizes.count; i++) {
        const struct ets_fb size = ets_fb_vector_table(sizes, i);
        const int64_t most = ets_fb_i64(size, ETS_NATIVE_SIZE_MAX, -1);
        if (most < 0 || most > UINT32_MAX) return true; /* without bound */
        dims[i] = (uint32_t)most;
    }
    value->is_sizeless = false;
    value->rank = sizes.count;
    value->dims = dims;
    return true;
}

static bool read_tensors(struct reading *r)
{
    const struct ets_fb_vector tensors = ets_fb_vector(r->graph, ETS_NATIVE_TENSORS);
    for (uint32_t i = 0; i < tensors.count; i++) {
        const struct ets_fb tensor = ets_fb_vector_table(tensors, i);
        const uint32_t number = value_of(r, ets_fb_text(tensor, ETS_NATIVE_NAME));
        if (!describe(r, ets_fb_table(tensor, ETS_NATIVE_META), number)) return false;
    }
    return true;
}

static bool read_constants(struct reading *r)
{
    struct ets_payload_graph *graph = &r->builder->graph;
    const struct ets_fb_vector constants = ets_fb_vector(r->method, ETS_NATIVE_CONSTANTS);
    graph->constant_count = constants.count;
    graph->constants = ets_payload_room(r->builder, constants.count, sizeof *graph->constants);
    if (graph->constants == NULL) return false;
    for (uint32_t i = 0; i < constants.count; i++) {
        const struct ets_fb constant = ets_fb_vector_table(constants, i);
        const uint32_t number = value_of(r, ets_fb_text(constant, ETS_NATIVE_NAME));
        graph->constants[i].key = ets_fb_text(constant, ETS_NATIVE_KEY);
        graph->constants[i].name = graph->constants[i].key;
        if (number == ETS_PAYLOAD_NONE) continue;
        graph->values[number].constant = i;
        if (!describe(r, ets_fb_table(constant, ETS_NATIVE_CONSTANT_META), number)) return false;
    }
    return true;
}

static void tie_argument(struct reading *r, struct ets_text name, bool is_output)
{
    struct ets_payload_graph *graph = &r->builder->graph;
    const uint32_t argument = graph->argument_count++, number = value_of(r, name);
    graph->is_output[argument] = is_output;
    if (number == ETS_PAYLOAD_NONE) return;
    struct ets_payload_value *value = &graph->values[number];
    value->is_input |= !is_output;
    value->is_output |= is_output;
    if (value->argument == ETS_PAYLOAD_NONE) value->argument = argument;
}

/* The call's arguments: inputs but for constants and states, then outputs but for states. */
static bool list_arguments(struct reading *r)
{
    struct ets_payload_graph *graph = &r->builder->graph;
    const struct ets_fb_vector inputs = ets_fb_vector(r->graph, ETS_NATIVE_INPUTS);
    const struct ets_fb_vector outputs = ets_fb_vector(r->graph, ETS_NATIVE_OUTPUTS);
    const struct ets_fb_vector specs = ets_fb_vector(r->method, ETS_NATIVE_OUTPUT_SPECS);
    const struct ets_fb_vector buffers = ets_fb_vector(r->method, ETS_NATIVE_BUFFERS);
    graph->is_output = ets_payload_room(r->builder, (size_t)inputs.count + outputs.count, 1);
    if (graph->is_output == NULL) return false;
    const uint32_t named = graph->value_count;
    for (uint32_t i = 0; i < buffers.count; i++) {
        value_of(r, ets_fb_text(ets_fb_vector_table(buffers, i), ETS_NATIVE_NAME));
    }
    const uint32_t stated = graph->value_count; /* of states that no tensor describes */
    for (uint32_t i = 0; i < inputs.count; i++) {
        const struct ets_text name = ets_fb_vector_text(inputs, i);
        const uint32_t number = known_value(r, name);
        const bool is_state = number >= named && number < stated;
        const bool is_constant =
            number < graph->value_count && graph->values[number].constant != ETS_PAYLOAD_NONE;
        if (!is_state && !is_constant) tie_argument(r, name, false);
    }
    for (uint32_t i = 0; i < outputs.count; i++) {
        const bool is_state = i < specs.count && ets_fb_i8(ets_fb_vector_table(specs, i),
                                                           ETS_NATIVE_SPEC_KIND, 0) != 0;
        if (!is_state) tie_argument(r, ets_fb_vector_text(outputs, i), true);
    }
    return true;
}

static bool set_list(struct reading *r, struct ets_fb member, uint8_t tag,
                     struct ets_payload_parameter *out)
{
    const struct ets_fb_vector list = ets_fb_vector(member, 0);
    if (tag == ETS_NATIVE_FLOATS) {
        double *reals = ets_payload_add_reals(r->builder, list.count, true, out);
        if (reals == NULL) return false;
        for (uint32_t i = 0; i < list.count; i++) {
            reals[i] = ets_load_f64(list.base + list.at + 8 * (size_t)i);
        }
        return true;
    }
    if (tag == ETS_NATIVE_INTS && ets_fb_vector(member, 1).count > 0) return true;
    int64_t *integers = ets_payload_add_integers(r->builder, list.count, true, out);
    if (integers == NULL) return false;
    for (uint32_t i = 0; i < list.count; i++) {
        integers[i] =
            tag == ETS_NATIVE_INTS ? ets_fb_vector_i64(list, i) : list.base[list.at + i] != 0;
    }
    return true;
}

static bool set_values(struct reading *r, struct ets_fb member, bool is_list,
                       struct ets_payload_parameter *out)
{
    const struct ets_fb_vector names = ets_fb_vector(member, 0);
    out->kind = ETS_PAYLOAD_VALUES;
    out->is_list = is_list;
    uint32_t *values = ets_payload_room(r->builder, is_list ? names.count : 1, sizeof *values);
    if (values == NULL) return false;
    out->values = values;
    if (!is_list) {
        out->count = 1;
        *values = value_of(r, ets_fb_text(member, 0));
        return true;
    }
    for (uint32_t i = 0; i < names.count; i++) {
        const uint32_t value = value_of(r, ets_fb_vector_text(names, i));
        if (value != ETS_PAYLOAD_NONE) values[out->count++] = value;
    }
    return true;
}

/* A number that the run computes is not known. */
static bool read_parameter(struct reading *r, struct ets_fb named,
                           struct ets_payload_parameter *out)
{
    const struct ets_fb argument = ets_fb_table(named, ETS_NATIVE_ARGUMENT);
    const uint8_t tag = ets_fb_u8(argument, 0, 0);
    const bool is_read = tag >= ETS_NATIVE_TENSOR && tag < ETS_NATIVE_SUBGRAPH;
    out->name = ets_fb_text(named, ETS_NATIVE_NAME).data;
    if (!is_read || tag == ETS_NATIVE_NONE) return true;
    const struct ets_fb member = ets_fb_table(argument, 1);
    const bool is_of_run =
        (tag == ETS_NATIVE_INT || tag == ETS_NATIVE_FLOAT || tag == ETS_NATIVE_BOOL) &&
        ets_fb_text(member, 1).size > 0;
    if (is_of_run) return true;
    switch (tag) {
    case ETS_NATIVE_TENSOR: return set_values(r, member, false, out);
    case ETS_NATIVE_TENSOR_LIST:
    case ETS_NATIVE_OPTIONAL_TENSORS: return set_values(r, member, true, out);
    case ETS_NATIVE_INT: return ets_payload_set_integer(r->builder, ets_fb_i64(member, 0, 0), out);
    case ETS_NATIVE_BOOL:
        return ets_payload_set_integer(r->builder, ets_fb_u8(member, 0, 0) != 0, out);
    case ETS_NATIVE_DTYPE: return ets_payload_set_integer(r->builder, ets_fb_i8(member, 0, 0), out);
    case ETS_NATIVE_FLOAT: return ets_payload_set_real(r->builder, ets_fb_f64(member, 0, 0), out);
    case ETS_NATIVE_STRING:
        out->kind = ETS_PAYLOAD_TEXT;
        out->text = ets_fb_text(member, 0);
        return true;
    default: return set_list(r, member, tag, out);
    }
}

static bool list_inputs(struct reading *r, struct ets_payload_node *out)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < out->parameter_count; i++) {
        const struct ets_payload_parameter *p = &out->parameters[i];
        if (p->kind == ETS_PAYLOAD_VALUES) out->input_count += p->count;
    }
    uint32_t *inputs = ets_payload_room(r->builder, out->input_count, sizeof *inputs);
    if (inputs == NULL) return false;
    for (uint32_t i = 0; i < out->parameter_count; i++) {
        const struct ets_payload_parameter *p = &out->parameters[i];
        const uint32_t count = p->kind == ETS_PAYLOAD_VALUES ? p->count : 0;
        for (uint32_t k = 0; k < count; k++) inputs[used++] = p->values[k];
    }
    out->inputs = inputs;
    return true;
}

/* A result is one tensor, or several with names. */
static bool list_outputs(struct reading *r, struct ets_fb node, struct ets_payload_node *out)
{
    const struct ets_fb_vector results = ets_fb_vector(node, ETS_NATIVE_NODE_OUTPUTS);
    uint64_t count = 0;
    for (uint32_t i = 0; i < results.count; i++) {
        const uint32_t names =
            ets_fb_vector(ets_fb_vector_table(results, i), ETS_NATIVE_RESULT_NAMES).count;
        count += names > 0 ? names : 1;
    }
    uint32_t *outputs =
        count > UINT32_MAX ? NULL : ets_payload_room(r->builder, (size_t)count, sizeof *outputs);
    if (outputs == NULL) return false;
    for (uint32_t i = 0; i < results.count; i++) {
        const struct ets_fb result = ets_fb_vector_table(results, i);
        const struct ets_fb_vector names = ets_fb_vector(result, ETS_NATIVE_RESULT_NAMES);
        for (uint32_t k = 0; k < names.count; k++) {
            outputs[out->output_count++] = value_of(r, ets_fb_vector_text(names, k));
        }
        if (names.count > 0) continue;
        outputs[out->output_count++] = value_of(r, ets_fb_text(result, ETS_NATIVE_NAME));
    }
    out->outputs = outputs;
    return true;
}

static bool read_node(struct reading *r, struct ets_fb node, struct ets_payload_node *out)
{
    static const char prefix[] = "torch.ops.";
    const struct ets_fb_vector inputs = ets_fb_vector(node, ETS_NATIVE_NODE_INPUTS);
    struct ets_text target = ets_fb_text(node, ETS_NATIVE_NODE_TARGET);
    if (ets_text_starts_with(target, prefix)) {
        target.data += sizeof prefix - 1;
        target.size -= sizeof prefix - 1;
    }
    out->name = target.data != NULL ? target : ets_text_of("?");
    out->operation = ets_operator_base_name(out->name);
    out->edge_name = ets_fb_text(node, ETS_NATIVE_NODE_NAME);
    out->debug_handle = -1;
    struct ets_payload_parameter *list = ets_payload_room(r->builder, inputs.count, sizeof *list);
    if (list == NULL) return false;
    out->parameters = list;
    out->parameter_count = inputs.count;
    for (uint32_t i = 0; i < inputs.count; i++) {
        if (!read_parameter(r, ets_fb_vector_table(inputs, i), &list[i])) return false;
    }
    return list_inputs(r, out) && list_outputs(r, node, out);
}

/* Placeholders and the list of outputs are no work. */
static bool read_nodes(struct reading *r)
{
    struct ets_payload_graph *graph = &r->builder->graph;
    const struct ets_fb_vector nodes = ets_fb_vector(r->graph, ETS_NATIVE_NODES);
    graph->nodes = ets_payload_room(r->builder, nodes.count, sizeof *graph->nodes);
    if (graph->nodes == NULL) return false;
    for (uint32_t i = 0; i < nodes.count; i++) {
        const struct ets_fb node = ets_fb_vector_table(nodes, i);
        if (ets_fb_i8(node, ETS_NATIVE_NODE_KIND, 0) != ETS_NATIVE_KIND_CALL) continue;
        if (!read_node(r, node, &graph->nodes[graph->node_count++])) return false;
    }
    return true;
}

/* Values that there can be: a name and a reference to it take twelve bytes. */
static bool make_room(struct reading *r)
{
    enum { NAME_BYTES = 12 };
    struct ets_payload_graph *graph = &r->builder->graph;
    const uint64_t most = r->builder->room / sizeof *graph->values / 2;
    const uint64_t names = graph->flatbuffer.size / NAME_BYTES;
    r->capacity = (uint32_t)(names < most ? names : most);
    graph->values = ets_payload_room(r->builder, r->capacity, sizeof *graph->values);
    return graph->values != NULL && ets_strings_init(&r->names, r->builder->arena) == 0;
}

static enum ets_status read_payload(struct ets_payload_builder *builder, struct ets_bytes bytes,
                                    struct ets_error *error)
{
    struct reading r = {.builder = builder};
    struct ets_fb root;
    if (bytes.size < 8 || memcmp(bytes.data + 4, "NPTG", 4) != 0) {
        return ets_fail(error, ETS_WRONG_KIND, 0, "not a native graph: no NPTG in it");
    }
    ETS_TRY(ets_fb_verify_root(bytes, 0, &ets_native_program_type, 0, &root, error));
    const struct ets_fb_vector methods = ets_fb_vector(root, ETS_NATIVE_METHODS);
    if (methods.count != 1) {
        return ets_fail(error, ETS_UNSUPPORTED, 0,
                        "holds %u methods, and does not tell which one is called", methods.count);
    }
    builder->graph.flatbuffer = bytes;
    r.method = ets_fb_vector_table(methods, 0);
    r.graph = ets_fb_table(r.method, ETS_NATIVE_GRAPH);
    if (make_room(&r) && read_tensors(&r) && read_constants(&r) && list_arguments(&r) &&
        read_nodes(&r) && !r.is_out_of_memory) {
        return ETS_OK;
    }
    return ets_fail_memory(error, "a native payload");
}

const struct ets_payload_reader ets_payload_native = {
    .backends = backends,
    .format = "native graph",
    .is_in_schema_order = true,
    .read = read_payload,
};
