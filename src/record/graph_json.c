/* Reads programs, graphs, nodes and values of exported-program JSON. */
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "record/graph_index.h"
#include "record/graph_reader.h"

enum { SHOWN_NAME = 80 };

static enum ets_status fail_shape(const struct ets_graph_reader *reader, const char *what)
{
    return ets_fail(reader->error, ETS_MALFORMED, reader->offset, "%.*s: %s",
                    ETS_TEXT(reader->entry), what);
}

static struct ets_text skip_prefix(struct ets_text text, const char *prefix)
{
    const size_t size = strlen(prefix);
    if (text.size < size || memcmp(text.data, prefix, size) != 0) {
        return (struct ets_text){NULL, 0};
    }
    return (struct ets_text){text.data + size, text.size - size};
}

static struct ets_text skip_component(struct ets_text text)
{
    const char *dot = memchr(text.data, '.', text.size);
    if (dot == NULL) return text;
    return (struct ets_text){dot + 1, text.size - (size_t)(dot + 1 - text.data)};
}

/* Python's __name__ of the target: always its end, so it is never copied. */
static struct ets_text op_of(struct ets_text target)
{
    struct ets_text rest = skip_prefix(target, "executorch.exir.dialects.edge.ops.");
    if (rest.data == NULL) rest = skip_prefix(target, "executorch.exir.dialects.backend.ops.");
    if (rest.data != NULL) return rest;
    rest = skip_prefix(target, "torch.ops.");
    if (rest.data != NULL) return skip_component(rest);
    for (;;) {
        rest = skip_component(target);
        if (rest.size == target.size || rest.size == 0) return target;
        target = rest;
    }
}

/* Decimal text, or a number from some writers; -1: none. */
static int64_t handle_of(const struct ets_json_value *json)
{
    if (ets_json_is(json, ETS_JSON_INT)) return json->as.integer < 0 ? -1 : json->as.integer;
    const struct ets_text text = ets_json_text(json);
    if (text.size == 0 || text.size > 18) return -1;
    int64_t handle = 0;
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] < '0' || text.data[i] > '9') return -1;
        handle = handle * 10 + (text.data[i] - '0');
    }
    return handle;
}

/* inputs: [{name, arg}] if `labelled`, outputs: [Argument] */
static enum ets_status read_arguments(struct ets_graph_reader *reader,
                                      const struct ets_json_value *json, int labelled,
                                      const struct ets_graph_argument **arguments_out,
                                      uint32_t *count_out)
{
    if (!ets_json_is(json, ETS_JSON_ARRAY)) return ETS_OK;
    struct ets_graph_argument *arguments =
        ets_arena_alloc_array(reader->arena, json->size, sizeof *arguments);
    if (arguments == NULL) return ets_graph_no_memory(reader);
    const struct ets_json_value *item = ets_json_first(json);
    for (uint32_t i = 0; i < json->size; i++, item = ets_json_next(item)) {
        const struct ets_json_value *argument = labelled ? ets_json_get(item, "arg") : item;
        ETS_TRY(ets_graph_read_argument(reader, argument, &arguments[i]));
        if (labelled) arguments[i].label = ets_json_text(ets_json_get(item, "name"));
    }
    *arguments_out = arguments;
    *count_out = json->size;
    return ETS_OK;
}

static enum ets_status read_node(struct ets_graph_reader *reader, const struct ets_json_value *json,
                                 struct ets_graph_node *node)
{
    const struct ets_json_value *metadata = ets_json_get(json, "metadata");
    node->name = ets_json_text(ets_json_get(json, "name"));
    node->target = ets_json_text(ets_json_get(json, "target"));
    if (node->name.data == NULL || node->target.data == NULL) {
        return fail_shape(reader,
                          node->target.data == NULL
                              ? "a node has no name or target"
                              : "a node has a target but no name: graphs of 2023 are written "
                                "so; export the model again");
    }
    node->op = op_of(node->target);
    node->debug_handle = handle_of(ets_json_get(metadata, "debug_handle"));
    node->stack_trace = ets_json_text(ets_json_get(metadata, "stack_trace"));
    ETS_TRY(ets_graph_read_frames(reader, node->stack_trace, node));
    ETS_TRY(ets_graph_read_modules(reader, ets_json_text(ets_json_get(metadata, "nn_module_stack")),
                                   node));
    ETS_TRY(ets_graph_read_origins(reader, ets_json_get(metadata, "from_node"), node));
    ETS_TRY(
        read_arguments(reader, ets_json_get(json, "inputs"), 1, &node->inputs, &node->input_count));
    return read_arguments(reader, ets_json_get(json, "outputs"), 0, &node->outputs,
                          &node->output_count);
}

static enum ets_status read_nodes(struct ets_graph_reader *reader,
                                  const struct ets_json_value *json, struct ets_graph *graph)
{
    const struct ets_json_value *list = ets_json_get(json, "nodes");
    if (!ets_json_is(list, ETS_JSON_ARRAY)) return fail_shape(reader, "a graph has no nodes");
    struct ets_graph_node *nodes = ets_arena_alloc_array(reader->arena, list->size, sizeof *nodes);
    if (nodes == NULL) return ets_graph_no_memory(reader);
    const struct ets_json_value *item = ets_json_first(list);
    for (uint32_t i = 0; i < list->size; i++, item = ets_json_next(item)) {
        ETS_TRY(read_node(reader, item, &nodes[i]));
    }
    graph->nodes = nodes;
    graph->node_count = list->size;
    return ETS_OK;
}

/* A SymInt: {as_int} or {as_expr: {expr_str, hint}}. */
static int64_t read_size(const struct ets_json_value *json, struct ets_text *expression)
{
    const struct ets_json_value *fixed = ets_json_get(json, "as_int");
    if (ets_json_is(fixed, ETS_JSON_INT)) return fixed->as.integer;
    const struct ets_json_value *symbolic = ets_json_get(json, "as_expr");
    *expression = ets_json_text(ets_json_get(symbolic, "expr_str"));
    const struct ets_json_value *hint = ets_json_get(ets_json_get(symbolic, "hint"), "as_int");
    return ets_json_is(hint, ETS_JSON_INT) ? hint->as.integer : -1;
}

static enum ets_status read_sizes(struct ets_graph_reader *reader,
                                  const struct ets_json_value *json, struct ets_graph_value *value)
{
    if (!ets_json_is(json, ETS_JSON_ARRAY)) return ETS_OK;
    int64_t *sizes = ets_arena_alloc_array(reader->arena, json->size, sizeof *sizes);
    if (sizes == NULL) return ets_graph_no_memory(reader);
    struct ets_text *texts = NULL;
    const struct ets_json_value *item = ets_json_first(json);
    for (uint32_t i = 0; i < json->size; i++, item = ets_json_next(item)) {
        struct ets_text expression = {NULL, 0};
        sizes[i] = read_size(item, &expression);
        if (expression.data == NULL) continue;
        if (texts == NULL) texts = ets_arena_alloc_array(reader->arena, json->size, sizeof *texts);
        if (texts == NULL) return ets_graph_no_memory(reader);
        texts[i] = expression;
    }
    value->sizes = sizes;
    value->size_texts = texts;
    value->rank = json->size;
    return ETS_OK;
}

static const char *const VALUE_TABLES[] = {"tensor_values", "sym_int_values", "sym_bool_values",
                                           "sym_float_values", "custom_obj_values"};
enum { VALUE_TABLE_COUNT = sizeof VALUE_TABLES / sizeof VALUE_TABLES[0] };

static enum ets_status read_values(struct ets_graph_reader *reader,
                                   const struct ets_json_value *json, struct ets_graph *graph)
{
    const struct ets_json_value *tables[VALUE_TABLE_COUNT];
    uint64_t count = 0;
    for (size_t i = 0; i < VALUE_TABLE_COUNT; i++) {
        tables[i] = ets_json_get(json, VALUE_TABLES[i]);
        if (!ets_json_is(tables[i], ETS_JSON_OBJECT)) tables[i] = NULL;
        else count += tables[i]->size;
    }
    struct ets_graph_value *values =
        ets_arena_alloc_array(reader->arena, (size_t)count, sizeof *values);
    if (values == NULL) return ets_graph_no_memory(reader);
    struct ets_graph_value *value = values;
    for (size_t i = 0; i < VALUE_TABLE_COUNT; i++) {
        if (tables[i] == NULL) continue;
        const struct ets_json_value *name = ets_json_first(tables[i]);
        for (uint32_t j = 0; j < tables[i]->size; j++, name = ets_json_next(name + 1), value++) {
            value->name = ets_json_text(name);
            value->scalar_type = -1;
            if (i != 0) { /* only the first table holds tensors */
                (void)read_size(name + 1, &value->expression);
                continue;
            }
            value->scalar_type = ets_graph_scalar_type(ets_json_get(name + 1, "dtype"));
            ETS_TRY(read_sizes(reader, ets_json_get(name + 1, "sizes"), value));
        }
    }
    graph->values = values;
    graph->value_count = (uint32_t)count;
    return ETS_OK;
}

/* The only member of a spec {tag: {...}}: its tag, and its value in *body. */
static struct ets_text spec_tag(const struct ets_json_value *spec,
                                const struct ets_json_value **body)
{
    *body = NULL;
    if (!ets_json_is(spec, ETS_JSON_OBJECT) || spec->size == 0) return (struct ets_text){NULL, 0};
    *body = ets_json_first(spec) + 1;
    return ets_json_text(ets_json_first(spec));
}

static int is_tag(struct ets_text tag, const char *expected)
{
    return tag.data != NULL && strcmp(tag.data, expected) == 0;
}

static void set_input_role(const struct ets_json_value *spec, struct ets_graph_input *input)
{
    const struct ets_json_value *body;
    const struct ets_text tag = spec_tag(spec, &body);
    const char *source = NULL;
    if (is_tag(tag, "user_input")) {
        input->role = ETS_INPUT_USER;
    } else if (is_tag(tag, "parameter")) {
        input->role = ETS_INPUT_PARAMETER;
        source = "parameter_name";
    } else if (is_tag(tag, "buffer")) {
        input->role = ETS_INPUT_BUFFER;
        source = "buffer_name";
    } else if (is_tag(tag, "tensor_constant")) {
        input->role = ETS_INPUT_CONSTANT;
        source = "tensor_constant_name";
    } else if (is_tag(tag, "constant_input")) {
        input->role = ETS_INPUT_CONSTANT;
        source = "name";
    }
    if (source != NULL) input->source = ets_json_text(ets_json_get(body, source));
}

static void set_output_role(const struct ets_json_value *spec, struct ets_graph_output *output)
{
    const struct ets_json_value *body;
    const struct ets_text tag = spec_tag(spec, &body);
    if (is_tag(tag, "user_output")) {
        output->role = ETS_OUTPUT_USER;
    } else if (is_tag(tag, "buffer_mutation")) {
        output->role = ETS_OUTPUT_BUFFER_MUTATION;
        output->target = ets_json_text(ets_json_get(body, "buffer_name"));
    }
}

/* The specs of a signature are parallel to the graph's inputs; a subgraph has none. */
static enum ets_status read_inputs(struct ets_graph_reader *reader,
                                   const struct ets_json_value *json,
                                   const struct ets_json_value *specs, struct ets_graph *graph)
{
    if (!ets_json_is(json, ETS_JSON_ARRAY)) return ETS_OK;
    struct ets_graph_input *inputs =
        ets_arena_alloc_array(reader->arena, json->size, sizeof *inputs);
    if (inputs == NULL) return ets_graph_no_memory(reader);
    const int has_specs = ets_json_is(specs, ETS_JSON_ARRAY);
    const struct ets_json_value *item = ets_json_first(json);
    const struct ets_json_value *spec = has_specs ? ets_json_first(specs) : NULL;
    for (uint32_t i = 0; i < json->size; i++, item = ets_json_next(item)) {
        ETS_TRY(ets_graph_read_argument(reader, item, &inputs[i].argument));
        inputs[i].role = ETS_INPUT_OTHER;
        if (!has_specs || i >= specs->size) continue;
        set_input_role(spec, &inputs[i]);
        spec = ets_json_next(spec);
    }
    graph->inputs = inputs;
    graph->input_count = json->size;
    return ETS_OK;
}

static enum ets_status read_outputs(struct ets_graph_reader *reader,
                                    const struct ets_json_value *json,
                                    const struct ets_json_value *specs, struct ets_graph *graph)
{
    if (!ets_json_is(json, ETS_JSON_ARRAY)) return ETS_OK;
    struct ets_graph_output *outputs =
        ets_arena_alloc_array(reader->arena, json->size, sizeof *outputs);
    if (outputs == NULL) return ets_graph_no_memory(reader);
    const int has_specs = ets_json_is(specs, ETS_JSON_ARRAY);
    const struct ets_json_value *item = ets_json_first(json);
    const struct ets_json_value *spec = has_specs ? ets_json_first(specs) : NULL;
    for (uint32_t i = 0; i < json->size; i++, item = ets_json_next(item)) {
        ETS_TRY(ets_graph_read_argument(reader, item, &outputs[i].argument));
        outputs[i].role = ETS_OUTPUT_OTHER;
        if (!has_specs || i >= specs->size) continue;
        set_output_role(spec, &outputs[i]);
        spec = ets_json_next(spec);
    }
    graph->outputs = outputs;
    graph->output_count = json->size;
    return ETS_OK;
}

/* A power of two, more than twice `count`. */
static uint32_t *new_slots(struct ets_arena *arena, uint32_t count, uint32_t *mask_out)
{
    uint32_t slots = 4;
    while (slots / 2 <= count) slots *= 2;
    *mask_out = slots - 1;
    return ets_arena_alloc_array(arena, slots, sizeof(uint32_t));
}

static void fill_slot(uint32_t *slots, uint32_t mask, struct ets_text name, uint32_t index)
{
    uint32_t slot = ets_graph_hash(name) & mask;
    while (slots[slot] != 0) slot = (slot + 1) & mask;
    slots[slot] = index + 1;
}

static enum ets_status index_names(struct ets_graph_reader *reader, struct ets_graph *graph)
{
    struct ets_graph_index *index = ets_arena_alloc(reader->arena, sizeof *index);
    if (index == NULL) return ets_graph_no_memory(reader);
    index->value_slots = new_slots(reader->arena, graph->value_count, &index->value_mask);
    index->node_slots = new_slots(reader->arena, graph->node_count, &index->node_mask);
    if (index->value_slots == NULL || index->node_slots == NULL) {
        return ets_graph_no_memory(reader);
    }
    for (uint32_t i = 0; i < graph->value_count; i++) {
        fill_slot(index->value_slots, index->value_mask, graph->values[i].name, i);
    }
    for (uint32_t i = 0; i < graph->node_count; i++) {
        fill_slot(index->node_slots, index->node_mask, graph->nodes[i].name, i);
    }
    graph->index = index;
    return ETS_OK;
}

static enum ets_status read_graph(struct ets_graph_reader *reader,
                                  const struct ets_json_value *json,
                                  const struct ets_json_value *signature, struct ets_graph *graph)
{
    ETS_TRY(read_values(reader, json, graph));
    ETS_TRY(read_inputs(reader, ets_json_get(json, "inputs"),
                        ets_json_get(signature, "input_specs"), graph));
    ETS_TRY(read_nodes(reader, json, graph));
    ETS_TRY(read_outputs(reader, ets_json_get(json, "outputs"),
                         ets_json_get(signature, "output_specs"), graph));
    return index_names(reader, graph);
}

/* executorch/exir/serde's schema; records without a version read as 0.0, as in ExecuTorch. */
enum { SCHEMA_MAJOR = 5 };

static uint32_t version_of(const struct ets_json_value *json)
{
    const int known = ets_json_is(json, ETS_JSON_INT) && json->as.integer >= 0;
    return known && json->as.integer <= UINT32_MAX ? (uint32_t)json->as.integer : 0;
}

static void read_program_fields(const struct ets_json_value *program, struct ets_graph *graph)
{
    const struct ets_json_value *version = ets_json_get(program, "schema_version");
    const struct ets_json_value *verifiers = ets_json_get(program, "verifiers");
    graph->schema_major = version_of(ets_json_get(version, "major"));
    graph->schema_minor = version_of(ets_json_get(version, "minor"));
    if (ets_json_is(verifiers, ETS_JSON_ARRAY) && verifiers->size > 0) {
        graph->dialect = ets_json_text(ets_json_first(verifiers));
    }
    if (graph->dialect.data == NULL) {
        graph->dialect = ets_json_text(ets_json_get(program, "dialect"));
    }
}

static enum ets_status list_subgraphs(struct ets_graph_reader *reader, struct ets_graph *graph)
{
    const uint32_t count = reader->pending_count - 1;
    const struct ets_graph **subgraphs =
        ets_arena_alloc_array(reader->arena, count, sizeof *subgraphs);
    if (subgraphs == NULL) return ets_graph_no_memory(reader);
    for (uint32_t i = 0; i < count; i++) subgraphs[i] = reader->pending[i + 1].graph;
    graph->subgraphs = subgraphs;
    graph->subgraph_count = count;
    return ETS_OK;
}

static enum ets_status read_program(struct ets_graph_reader *reader, struct ets_text entry,
                                    struct ets_bytes json, const struct ets_graph **graph_out)
{
    char *text = ets_arena_copy_text(reader->arena, (const char *)json.data, json.size);
    char *name = ets_arena_copy_text(reader->arena, entry.data, entry.size);
    if (text == NULL || name == NULL) return ets_graph_no_memory(reader);
    struct ets_json_failure failure;
    const enum ets_status status = ets_json_parse(&reader->tape, text, json.size, &failure);
    if (status != ETS_OK) {
        return ets_fail(reader->error, status, reader->offset + failure.offset, "%.*s: %s",
                        ETS_TEXT(reader->entry), failure.text);
    }
    const struct ets_json_value *program = reader->tape.values;
    const struct ets_json_value *module = ets_json_get(program, "graph_module");
    const struct ets_json_value *top = ets_json_get(module, "graph");
    if (top == NULL) return fail_shape(reader, "holds no graph_module with a graph");
    const struct ets_text graph_name = {name, entry.size};
    (void)ets_graph_add_pending(reader, top, graph_name);
    if (reader->pending_count == 0) return ets_graph_no_memory(reader);
    struct ets_graph *graph = reader->pending[0].graph;
    read_program_fields(program, graph);
    if (graph->schema_major != SCHEMA_MAJOR && graph->schema_major != 0) {
        return ets_fail(reader->error, ETS_UNSUPPORTED, reader->offset,
                        "%.*s: exported-program schema is %u.%u; only version %d is supported",
                        ETS_TEXT(reader->entry), graph->schema_major, graph->schema_minor,
                        SCHEMA_MAJOR);
    }
    for (uint32_t i = 0; i < reader->pending_count; i++) {
        const struct ets_json_value *signature = i == 0 ? ets_json_get(module, "signature") : NULL;
        ETS_TRY(read_graph(reader, reader->pending[i].json, signature, reader->pending[i].graph));
    }
    ETS_TRY(list_subgraphs(reader, graph));
    *graph_out = graph;
    return ETS_OK;
}

enum ets_status ets_graph_read(struct ets_text entry, struct ets_bytes json, uint64_t offset,
                               struct ets_arena *arena, const struct ets_graph **graph_out,
                               struct ets_error *error)
{
    struct ets_graph_reader reader = {
        .arena = arena,
        .entry = {entry.data, entry.size < SHOWN_NAME ? entry.size : SHOWN_NAME},
        .offset = offset,
        .error = error,
    };
    ets_json_init(&reader.tape, arena->allocator);
    ets_json_init(&reader.nested, arena->allocator);
    const enum ets_status status = read_program(&reader, entry, json, graph_out);
    ets_json_reset(&reader.nested);
    ets_json_reset(&reader.tape);
    return status;
}
