/* A graph of an ETRecord as JSON. */
#include "cli/dump/dump_parts.h"

static const char *argument_name(enum ets_argument_kind kind)
{
    static const char *const names[] = {
        [ETS_ARGUMENT_NONE] = "none",
        [ETS_ARGUMENT_TENSOR] = "tensor",
        [ETS_ARGUMENT_SYMBOL] = "symbol",
        [ETS_ARGUMENT_INT] = "int",
        [ETS_ARGUMENT_BOOL] = "bool",
        [ETS_ARGUMENT_FLOAT] = "float",
        [ETS_ARGUMENT_STRING] = "string",
        [ETS_ARGUMENT_SCALAR_TYPE] = "scalar_type",
        [ETS_ARGUMENT_MEMORY_FORMAT] = "memory_format",
        [ETS_ARGUMENT_LAYOUT] = "layout",
        [ETS_ARGUMENT_DEVICE] = "device",
        [ETS_ARGUMENT_LIST] = "list",
        [ETS_ARGUMENT_GRAPH] = "graph",
        [ETS_ARGUMENT_OTHER] = "other",
        [ETS_ARGUMENT_TARGET] = "operator",
    };
    return names[kind];
}

/* Nested no deeper than the reader of graphs lets pass. */
static void put_argument(struct ets_json_writer *json, const char *key,
                         const struct ets_graph_argument *argument)
{
    ets_json_begin_object(json, key);
    if (argument->label.size > 0) ets_json_put_text(json, "label", argument->label);
    ets_json_put_string(json, "kind", argument_name(argument->kind));
    switch (argument->kind) {
    case ETS_ARGUMENT_NONE: break;
    case ETS_ARGUMENT_BOOL: ets_json_put_bool(json, "value", argument->int_value != 0); break;
    case ETS_ARGUMENT_FLOAT: ets_json_put_any_real(json, "value", argument->float_value); break;
    case ETS_ARGUMENT_INT:
    case ETS_ARGUMENT_SCALAR_TYPE:
    case ETS_ARGUMENT_MEMORY_FORMAT:
    case ETS_ARGUMENT_LAYOUT: ets_json_put_integer(json, "value", argument->int_value); break;
    case ETS_ARGUMENT_LIST:
        ets_json_begin_array(json, "items");
        for (uint32_t i = 0; i < argument->item_count; i++) {
            put_argument(json, NULL, &argument->items[i]);
        }
        ets_json_end_array(json);
        break;
    case ETS_ARGUMENT_GRAPH:
        ets_json_put_text(json, "name", argument->name);
        ets_json_put_count(json, "graph", argument->graph);
        break;
    default: ets_json_put_text(json, "name", argument->name);
    }
    ets_json_end_object(json);
}

static void put_arguments(struct ets_json_writer *json, const char *key,
                          const struct ets_graph_argument *arguments, uint32_t count)
{
    ets_json_begin_array(json, key);
    for (uint32_t i = 0; i < count; i++) put_argument(json, NULL, &arguments[i]);
    ets_json_end_array(json);
}

static void put_frames(struct ets_json_writer *json, const struct ets_graph_node *node)
{
    ets_json_begin_array(json, "frames");
    for (uint32_t i = 0; i < node->frame_count; i++) {
        ets_json_begin_object(json, NULL);
        ets_json_put_text(json, "file", node->frames[i].file);
        ets_json_put_count(json, "line", node->frames[i].line);
        ets_json_put_text(json, "function", node->frames[i].function);
        ets_json_put_text(json, "code", node->frames[i].code);
        ets_json_end_object(json);
    }
    ets_json_end_array(json);
}

static void put_modules(struct ets_json_writer *json, const struct ets_graph_node *node)
{
    ets_json_begin_array(json, "modules");
    for (uint32_t i = 0; i < node->module_count; i++) {
        ets_json_begin_object(json, NULL);
        ets_json_put_text(json, "key", node->modules[i].key);
        ets_json_put_text(json, "path", node->modules[i].path);
        ets_json_put_text(json, "type", node->modules[i].type);
        ets_json_end_object(json);
    }
    ets_json_end_array(json);
}

static void put_origins(struct ets_json_writer *json, const struct ets_graph_node *node)
{
    ets_json_begin_array(json, "origins");
    for (uint32_t i = 0; i < node->origin_count; i++) {
        ets_json_begin_object(json, NULL);
        ets_json_put_text(json, "name", node->origins[i].name);
        ets_json_put_text(json, "target", node->origins[i].target);
        ets_json_put_text(json, "pass_name", node->origins[i].pass_name);
        ets_json_put_text(json, "action", node->origins[i].action);
        ets_json_put_count(json, "graph_id", node->origins[i].graph_id);
        ets_json_end_object(json);
    }
    ets_json_end_array(json);
}

static void put_node(struct ets_json_writer *json, const struct ets_graph_node *node)
{
    ets_json_begin_object(json, NULL);
    ets_json_put_text(json, "name", node->name);
    ets_json_put_text(json, "target", node->target);
    ets_json_put_text(json, "op", node->op);
    if (node->debug_handle < 0) ets_json_put_null(json, "debug_handle");
    else ets_json_put_integer(json, "debug_handle", node->debug_handle);
    put_arguments(json, "inputs", node->inputs, node->input_count);
    put_arguments(json, "outputs", node->outputs, node->output_count);
    put_frames(json, node);
    put_modules(json, node);
    put_origins(json, node);
    ets_json_end_object(json);
}

static void put_value(struct ets_json_writer *json, const struct ets_graph_value *value)
{
    const char *type = ets_scalar_type_name(value->scalar_type);
    ets_json_begin_object(json, NULL);
    ets_json_put_text(json, "name", value->name);
    ets_json_put_string(json, "dtype", type);
    ets_json_begin_array(json, "sizes");
    for (uint32_t i = 0; i < value->rank; i++) ets_json_put_integer(json, NULL, value->sizes[i]);
    ets_json_end_array(json);
    if (value->size_texts != NULL) {
        ets_json_begin_array(json, "size_expressions");
        for (uint32_t i = 0; i < value->rank; i++) {
            ets_json_put_text(json, NULL, value->size_texts[i]);
        }
        ets_json_end_array(json);
    } else {
        ets_json_put_null(json, "size_expressions");
    }
    ets_json_put_text(json, "expression", value->expression);
    ets_json_end_object(json);
}

static void put_inputs(struct ets_json_writer *json, const struct ets_graph *graph)
{
    static const char *const roles[] = {"user", "parameter", "buffer", "constant", "other"};
    ets_json_begin_array(json, "inputs");
    for (uint32_t i = 0; i < graph->input_count; i++) {
        ets_json_begin_object(json, NULL);
        ets_json_put_string(json, "role", roles[graph->inputs[i].role]);
        ets_json_put_text(json, "source", graph->inputs[i].source);
        put_argument(json, "argument", &graph->inputs[i].argument);
        ets_json_end_object(json);
    }
    ets_json_end_array(json);
}

static void put_outputs(struct ets_json_writer *json, const struct ets_graph *graph)
{
    static const char *const roles[] = {"user", "buffer_mutation", "other"};
    ets_json_begin_array(json, "outputs");
    for (uint32_t i = 0; i < graph->output_count; i++) {
        ets_json_begin_object(json, NULL);
        ets_json_put_string(json, "role", roles[graph->outputs[i].role]);
        ets_json_put_text(json, "target", graph->outputs[i].target);
        put_argument(json, "argument", &graph->outputs[i].argument);
        ets_json_end_object(json);
    }
    ets_json_end_array(json);
}

static void put_members(struct ets_json_writer *json, const struct ets_graph *graph)
{
    ets_json_put_text(json, "name", graph->name);
    ets_json_put_text(json, "dialect", graph->dialect);
    ets_json_put_count(json, "schema_major", graph->schema_major);
    ets_json_put_count(json, "schema_minor", graph->schema_minor);
    put_inputs(json, graph);
    put_outputs(json, graph);
    ets_json_begin_array(json, "nodes");
    for (uint32_t i = 0; i < graph->node_count; i++) put_node(json, &graph->nodes[i]);
    ets_json_end_array(json);
    ets_json_begin_array(json, "values");
    for (uint32_t i = 0; i < graph->value_count; i++) put_value(json, &graph->values[i]);
    ets_json_end_array(json);
}

void dump_put_graph(struct ets_json_writer *json, const char *key, const struct ets_graph *graph)
{
    ets_json_begin_object(json, key);
    put_members(json, graph);
    ets_json_begin_array(json, "subgraphs");
    for (uint32_t i = 0; i < graph->subgraph_count; i++) {
        ets_json_begin_object(json, NULL);
        put_members(json, graph->subgraphs[i]);
        ets_json_end_object(json);
    }
    ets_json_end_array(json);
    ets_json_end_object(json);
}
