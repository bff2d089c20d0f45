/*
 * Fills the tables `edges`, `graph_ends` and `node_arguments` from the graphs of the records, and
 * `value_uses` from the programs.
 */
#include "output/page/page_graph.h"

#include <stdio.h>

#include "base/error.h"
#include "memory/memory_plan.h"
#include "record/record_maps.h"
#include "views/graph/argument_text.h"

/* Arguments of one node, lists in lists included: no honest graph has more. */
enum { MOST_ARGUMENTS = 1 << 20, DEEPEST_LIST = 16 };

struct edges {
    struct ets_page_document *document;
    struct ets_page_table *table, *ends, *arguments;
    const struct ets_studied_graph *graph;
    uint32_t *producers; /* [value_count] number of the node + 1; 0: none makes it */
    uint32_t *inputs;    /* [value_count] number of the graph's input + 1; 0: it is none */
    uint32_t node;       /* that takes the arguments */
    uint32_t argument;   /* of the node, lists counted item by item */
};

/* Elements times the size of one; -1: not known. */
static int64_t bytes_of(const struct ets_graph_value *value)
{
    uint64_t bytes = value->scalar_type < 0 ? 0 : ets_scalar_type_bytes(value->scalar_type);
    if (bytes == 0) return -1;
    for (uint32_t i = 0; i < value->rank; i++) {
        if (value->sizes[i] < 0) return -1;
        const uint64_t size = (uint64_t)value->sizes[i];
        if (size > 0 && bytes > (uint64_t)INT64_MAX / size) return -1;
        bytes *= size;
    }
    return (int64_t)bytes;
}

/* "float32 [2,s0]" */
static struct ets_text describe(const struct ets_graph_value *value, char *text, size_t room)
{
    if (value->scalar_type < 0) return (struct ets_text){NULL, 0};
    int used = snprintf(text, room, "%s [", ets_scalar_type_name(value->scalar_type));
    for (uint32_t i = 0; i < value->rank && used > 0 && (size_t)used < room; i++) {
        const struct ets_text symbol =
            value->size_texts != NULL ? value->size_texts[i] : (struct ets_text){NULL, 0};
        const char *comma = i > 0 ? "," : "";
        char *end = text + used;
        if (symbol.data != NULL) {
            used += snprintf(end, room - (size_t)used, "%s%.*s", comma, ETS_TEXT(symbol));
        } else if (value->sizes[i] < 0) {
            used += snprintf(end, room - (size_t)used, "%s?", comma);
        } else {
            used += snprintf(end, room - (size_t)used, "%s%lld", comma, (long long)value->sizes[i]);
        }
    }
    if (used < 0 || (size_t)used + 1 >= room) return (struct ets_text){NULL, 0}; /* too long */
    text[used] = ']';
    return (struct ets_text){text, (size_t)used + 1};
}

static void put_edge(struct edges *edges, const struct ets_graph_value *value, uint32_t producer)
{
    char text[512];
    const uint32_t first = edges->graph->first_node;
    const int64_t bytes = bytes_of(value);
    ets_page_put_integer(edges->document, edges->table, (int64_t)first + producer);
    ets_page_put_integer(edges->document, edges->table, (int64_t)first + edges->node);
    ets_page_put_integer(edges->document, edges->table, edges->argument);
    ets_page_put_text(edges->document, edges->table, value->name);
    ets_page_put_text(edges->document, edges->table, describe(value, text, sizeof text));
    if (bytes < 0) ets_page_put_null(edges->document, edges->table);
    else ets_page_put_integer(edges->document, edges->table, bytes);
}

static void put_end(struct edges *edges, const char *kind, struct ets_text name,
                    const struct ets_graph_value *value, uint32_t node)
{
    char text[512];
    const int64_t bytes = value == NULL ? -1 : bytes_of(value);
    struct ets_text shape = {NULL, 0};
    if (value != NULL) shape = describe(value, text, sizeof text);
    ets_page_put_string(edges->document, edges->ends, kind);
    ets_page_put_text(edges->document, edges->ends, name);
    ets_page_put_integer(edges->document, edges->ends, (int64_t)edges->graph->first_node + node);
    ets_page_put_text(edges->document, edges->ends, shape);
    if (bytes < 0) ets_page_put_null(edges->document, edges->ends);
    else ets_page_put_integer(edges->document, edges->ends, bytes);
}

static void put_input(struct edges *edges, const struct ets_graph_value *value)
{
    const uint32_t number = edges->inputs[value - edges->graph->graph->values];
    if (number == 0) return;
    const struct ets_graph_input *input = &edges->graph->graph->inputs[number - 1];
    const bool is_weight = input->role == ETS_INPUT_PARAMETER || input->role == ETS_INPUT_BUFFER ||
                           input->role == ETS_INPUT_CONSTANT;
    put_end(edges, is_weight ? "weight" : "input",
            input->source.size > 0 ? input->source : value->name, value, edges->node);
}

static void put_outputs(struct edges *edges)
{
    const struct ets_graph *graph = edges->graph->graph;
    for (uint32_t i = 0; i < graph->output_count; i++) {
        const struct ets_graph_output *output = &graph->outputs[i];
        const struct ets_graph_value *value = ets_graph_find_value(graph, output->argument.name);
        const uint32_t producer = value == NULL ? 0 : edges->producers[value - graph->values];
        const struct ets_text name =
            output->target.size > 0 ? output->target : output->argument.name;
        if (producer > 0) put_end(edges, "output", name, value, producer - 1);
    }
}

/* What a node is called with beside tensors. */
static void put_words(struct edges *edges, const struct ets_graph_argument *argument)
{
    char text[128];
    const size_t used = ets_argument_text(argument, text, sizeof text);
    const bool is_empty_list = argument->kind == ETS_ARGUMENT_LIST && used <= 2;
    if (used == 0 || is_empty_list || argument->label.size == 0) return;
    ets_page_put_integer(edges->document, edges->arguments,
                         (int64_t)edges->graph->first_node + edges->node);
    ets_page_put_text(edges->document, edges->arguments, argument->label);
    ets_page_put_text(edges->document, edges->arguments, (struct ets_text){text, used});
}

static void put_argument(struct edges *edges, const struct ets_graph_argument *argument, int depth)
{
    if (edges->argument >= MOST_ARGUMENTS) return;
    if (argument->kind == ETS_ARGUMENT_LIST && depth < DEEPEST_LIST) {
        for (uint32_t i = 0; i < argument->item_count; i++) {
            put_argument(edges, &argument->items[i], depth + 1);
        }
        return;
    }
    if (argument->kind == ETS_ARGUMENT_TENSOR || argument->kind == ETS_ARGUMENT_SYMBOL) {
        const struct ets_graph *graph = edges->graph->graph;
        const struct ets_graph_value *value = ets_graph_find_value(graph, argument->name);
        const uint32_t producer = value == NULL ? 0 : edges->producers[value - graph->values];
        if (producer > 0) put_edge(edges, value, producer - 1);
        else if (value != NULL) put_input(edges, value);
    }
    edges->argument++;
}

static void note_producer(struct edges *edges, const struct ets_graph_argument *output, int depth)
{
    const struct ets_graph *graph = edges->graph->graph;
    if (output->kind == ETS_ARGUMENT_LIST && depth < DEEPEST_LIST) {
        for (uint32_t i = 0; i < output->item_count; i++) {
            note_producer(edges, &output->items[i], depth + 1);
        }
        return;
    }
    const struct ets_graph_value *value = ets_graph_find_value(graph, output->name);
    if (value != NULL) edges->producers[value - graph->values] = edges->node + 1;
}

static bool prepare(struct edges *edges)
{
    const struct ets_graph *graph = edges->graph->graph;
    struct ets_arena *arena = &edges->document->arena;
    const size_t room = (size_t)graph->value_count + 1;
    edges->producers = ets_arena_alloc_array(arena, room, sizeof *edges->producers);
    edges->inputs = ets_arena_alloc_array(arena, room, sizeof *edges->inputs);
    if (edges->producers == NULL || edges->inputs == NULL) return false;
    for (uint32_t i = 0; i < graph->input_count; i++) {
        const struct ets_text name = graph->inputs[i].argument.name;
        const struct ets_graph_value *value = ets_graph_find_value(graph, name);
        if (value != NULL) edges->inputs[value - graph->values] = i + 1;
    }
    for (edges->node = 0; edges->node < graph->node_count; edges->node++) {
        const struct ets_graph_node *node = &graph->nodes[edges->node];
        for (uint32_t i = 0; i < node->output_count; i++) {
            note_producer(edges, &node->outputs[i], 0);
        }
    }
    return true;
}

static bool add_edges(struct edges *edges)
{
    if (!prepare(edges)) return false;
    const struct ets_graph *graph = edges->graph->graph;
    for (edges->node = 0; edges->node < graph->node_count; edges->node++) {
        const struct ets_graph_node *node = &graph->nodes[edges->node];
        edges->argument = 0;
        for (uint32_t i = 0; i < node->input_count; i++) {
            put_argument(edges, &node->inputs[i], 0);
            put_words(edges, &node->inputs[i]);
        }
    }
    put_outputs(edges);
    return !edges->document->has_failed;
}

static struct ets_page_table *add_table(struct ets_page_document *document, const char *name,
                                        const struct ets_page_column *columns, uint32_t count)
{
    struct ets_page_table *table = ets_page_add_table(document, name, count);
    for (uint32_t i = 0; table != NULL && i < count; i++) {
        ets_page_name_column(table, i, columns[i].name, columns[i].type);
    }
    return table;
}

static void put_use(struct ets_page_document *document, struct ets_page_table *table,
                    const struct ets_studied_method *method,
                    const struct ets_instruction *instruction, uint32_t value, bool is_output)
{
    ets_page_put_integer(document, table, method->program);
    ets_page_put_text(document, table, method->method.name);
    ets_page_put_integer(document, table, instruction->chain_index);
    ets_page_put_integer(document, table, instruction->instruction_id);
    ets_page_put_integer(document, table, value);
    ets_page_put_integer(document, table, is_output);
}

/* A value that an instruction reads and writes is told twice: as its input, then as its output. */
static enum ets_status add_uses(struct ets_page_document *document, struct ets_page_table *table,
                                const struct ets_studied_method *method, struct ets_error *error)
{
    struct ets_memory_plan plan;
    struct ets_arena scratch;
    ets_arena_init(&scratch, document->arena.allocator, 0);
    enum ets_status status = ets_memory_plan_init(&plan, &method->method, &scratch, error);
    for (uint32_t i = 0; status == ETS_OK && i < plan.tensor_count; i++) {
        const struct ets_plan_tensor *tensor = &plan.tensors[i];
        for (uint32_t k = 0; k < tensor->touch_count; k++) {
            const struct ets_plan_touch *touch = &tensor->touches[k];
            struct ets_instruction instruction;
            ets_plan_instruction(&plan, touch->step, &instruction);
            if (touch->reads) {
                put_use(document, table, method, &instruction, tensor->value, false);
            }
            if (touch->writes) {
                put_use(document, table, method, &instruction, tensor->value, true);
            }
        }
    }
    ets_arena_reset(&scratch);
    return status == ETS_LIMIT ? ETS_OK : status; /* too much to analyse: it has no uses */
}

#define COLUMNS(columns) columns, sizeof(columns) / sizeof *(columns)

static bool add_graphs(struct ets_page_document *document, const struct ets_study *study)
{
    static const struct ets_page_column edge_columns[] = {
        {.name = "from", .type = ETS_PAGE_INTEGER},     {.name = "to", .type = ETS_PAGE_INTEGER},
        {.name = "argument", .type = ETS_PAGE_INTEGER}, {.name = "value", .type = ETS_PAGE_TEXT},
        {.name = "shape", .type = ETS_PAGE_TEXT},       {.name = "bytes", .type = ETS_PAGE_INTEGER},
    };
    static const struct ets_page_column end_columns[] = {
        {.name = "kind", .type = ETS_PAGE_TEXT},     {.name = "name", .type = ETS_PAGE_TEXT},
        {.name = "node", .type = ETS_PAGE_INTEGER},  {.name = "shape", .type = ETS_PAGE_TEXT},
        {.name = "bytes", .type = ETS_PAGE_INTEGER},
    };
    static const struct ets_page_column argument_columns[] = {
        {.name = "node", .type = ETS_PAGE_INTEGER},
        {.name = "name", .type = ETS_PAGE_TEXT},
        {.name = "value", .type = ETS_PAGE_TEXT},
    };
    struct ets_page_table *edges = add_table(document, "edges", COLUMNS(edge_columns));
    struct ets_page_table *ends = add_table(document, "graph_ends", COLUMNS(end_columns));
    struct ets_page_table *arguments =
        add_table(document, "node_arguments", COLUMNS(argument_columns));
    bool ok = edges != NULL && ends != NULL && arguments != NULL;
    for (uint32_t i = 0; ok && i < study->graph_count; i++) {
        struct edges each = {.document = document, .graph = &study->graphs[i]};
        each.table = edges;
        each.ends = ends;
        each.arguments = arguments;
        ok = add_edges(&each);
    }
    return ok;
}

enum ets_status ets_page_add_graphs(struct ets_page_document *document,
                                    const struct ets_study *study, struct ets_error *error)
{
    if (document->has_no_graph) return ETS_OK;
    static const struct ets_page_column use_columns[] = {
        {.name = "program", .type = ETS_PAGE_INTEGER},
        {.name = "method", .type = ETS_PAGE_TEXT},
        {.name = "chain", .type = ETS_PAGE_INTEGER},
        {.name = "instruction", .type = ETS_PAGE_INTEGER},
        {.name = "value", .type = ETS_PAGE_INTEGER},
        {.name = "is_output", .type = ETS_PAGE_INTEGER},
    };
    struct ets_page_table *uses = !add_graphs(document, study)
                                      ? NULL
                                      : add_table(document, "value_uses", COLUMNS(use_columns));
    if (uses == NULL) return ets_fail_memory(error, "the graphs of the report");
    for (uint32_t i = 0; i < study->method_count; i++) {
        ETS_TRY(add_uses(document, uses, &study->methods[i], error));
    }
    return document->has_failed ? ets_fail_memory(error, "the graphs of the report") : ETS_OK;
}
