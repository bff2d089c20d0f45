/* The graph of a delegate's payload, alike for every backend. */
#include "cli/core/cli_text.h"
#include "cli/dump/dump_parts.h"

void dump_begin_graphs(struct dump_request *request, const struct ets_program *program)
{
    struct dump_graphs *graphs = &request->graphs;
    *graphs = (struct dump_graphs){.shown_count = 0};
    ets_payload_store_init(&graphs->store, &request->arena, program);
    ets_key_table_init(&graphs->keys, &request->arena, 1);
}

int dump_read_graph(struct dump_request *request, const struct ets_delegate *delegate)
{
    struct dump_graphs *graphs = &request->graphs;
    const struct ets_payload_graph *graph;
    struct ets_error error;
    if (ets_payload_store_read(&graphs->store, delegate, &graph, NULL, &error) != ETS_OK) {
        return cli_fail(request->path, &error);
    }
    const uint64_t key = (uint64_t)(uintptr_t)graph;
    if (graph == NULL || ets_key_table_add(&graphs->keys, &key) != ETS_KEY_NONE) return CLI_OK;
    (void)ets_fail_memory(&error, "the graphs of payloads");
    return cli_fail(request->path, &error);
}

static void put_number(struct ets_json_writer *json, const char *key, uint32_t number)
{
    if (number == ETS_PAYLOAD_NONE) ets_json_put_null(json, key);
    else ets_json_put_count(json, key, number);
}

static void put_numbers(struct ets_json_writer *json, const char *key, const uint32_t *numbers,
                        uint32_t count)
{
    ets_json_begin_array(json, key);
    for (uint32_t i = 0; i < count; i++) put_number(json, NULL, numbers[i]);
    ets_json_end_array(json);
}

static void put_parameter(struct ets_json_writer *json,
                          const struct ets_payload_parameter *parameter)
{
    static const char *const kinds[] = {"none", "integers", "reals", "text", "values"};
    ets_json_begin_object(json, NULL);
    ets_json_put_string(json, "name", parameter->name);
    ets_json_put_string(json, "kind", kinds[parameter->kind]);
    if (parameter->kind == ETS_PAYLOAD_TEXT) {
        ets_json_put_text(json, "value", parameter->text);
    } else {
        ets_json_begin_array(json, "value");
        for (uint32_t i = 0; i < parameter->count; i++) {
            if (parameter->kind == ETS_PAYLOAD_INTEGERS) {
                ets_json_put_integer(json, NULL, parameter->integers[i]);
            } else if (parameter->kind == ETS_PAYLOAD_REALS) {
                ets_json_put_any_real(json, NULL, parameter->reals[i]);
            } else if (parameter->kind == ETS_PAYLOAD_VALUES) {
                put_number(json, NULL, parameter->values[i]);
            }
        }
        ets_json_end_array(json);
    }
    ets_json_end_object(json);
}

static void put_node(struct ets_json_writer *json, const struct ets_payload_node *node)
{
    ets_json_begin_object(json, NULL);
    ets_json_put_text(json, "name", node->name);
    ets_json_put_text(json, "operation", node->operation);
    if (node->debug_handle < 0) ets_json_put_null(json, "debug_handle");
    else ets_json_put_integer(json, "debug_handle", node->debug_handle);
    ets_json_put_text(json, "edge_name", node->edge_name);
    ets_json_put_text(json, "symbol", node->symbol);
    ets_json_put_bool(json, "is_conditional", node->is_conditional);
    put_numbers(json, "inputs", node->inputs, node->input_count);
    put_numbers(json, "outputs", node->outputs, node->output_count);
    ets_json_begin_array(json, "parameters");
    for (uint32_t i = 0; i < node->parameter_count; i++) put_parameter(json, &node->parameters[i]);
    ets_json_end_array(json);
    ets_json_end_object(json);
}

static void put_value(struct ets_json_writer *json, const struct ets_payload_value *value)
{
    ets_json_begin_object(json, NULL);
    ets_json_put_count(json, "id", value->id);
    ets_json_put_string(json, "type", value->type->name);
    if (value->is_sizeless) ets_json_put_null(json, "dims");
    else put_numbers(json, "dims", value->dims, value->rank);
    put_number(json, "argument", value->argument);
    ets_json_put_bool(json, "is_input", value->is_input);
    ets_json_put_bool(json, "is_output", value->is_output);
    put_number(json, "constant", value->constant);
    put_number(json, "producer", value->producer);
    ets_json_end_object(json);
}

/* Of bytes that are not in the program only the key is known. */
static void put_constant(struct ets_json_writer *json, const struct ets_payload_constant *constant)
{
    ets_json_begin_object(json, NULL);
    ets_json_put_text(json, "key", constant->key);
    ets_json_put_text(json, "name", constant->name);
    if (constant->bytes.data == NULL) ets_json_put_null(json, "bytes");
    else ets_json_put_count(json, "bytes", constant->bytes.size);
    ets_json_end_object(json);
}

static void put_lists(struct ets_json_writer *json, const struct ets_payload_graph *graph)
{
    ets_json_begin_array(json, "nodes");
    for (uint32_t i = 0; i < graph->node_count; i++) put_node(json, &graph->nodes[i]);
    ets_json_end_array(json);
    ets_json_begin_array(json, "values");
    for (uint32_t i = 0; i < graph->value_count; i++) put_value(json, &graph->values[i]);
    ets_json_end_array(json);
    ets_json_begin_array(json, "constants");
    for (uint32_t i = 0; i < graph->constant_count; i++) put_constant(json, &graph->constants[i]);
    ets_json_end_array(json);
}

void dump_put_payload_graph(struct dump_request *request, const struct ets_delegate *delegate)
{
    struct ets_json_writer *json = request->json;
    struct dump_graphs *graphs = &request->graphs;
    const struct ets_payload_graph *graph = NULL;
    const char *reason = NULL;
    /* It was read before, so that nothing can fail. */
    (void)ets_payload_store_read(&graphs->store, delegate, &graph, &reason, NULL);
    const uint64_t key = (uint64_t)(uintptr_t)graph;
    if (graph == NULL) {
        ets_json_put_null(json, "graph");
        ets_json_put_string(json, "graph_reason", reason);
        return;
    }
    const uint32_t number = ets_key_table_find(&graphs->keys, &key);
    ets_json_begin_object(json, "graph");
    ets_json_put_count(json, "number", number);
    /* Delegates can share a payload: its graph is written once. */
    if (number == graphs->shown_count) {
        graphs->shown_count++;
        ets_json_put_string(json, "format", ets_payload_format(graph));
        ets_json_put_string(json, "note", graph->note);
        put_lists(json, graph);
    }
    ets_json_end_object(json);
    ets_json_put_null(json, "graph_reason");
}
