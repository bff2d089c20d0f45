/* Fills the tables `edges`, from the graphs of the records, and `value_uses`, from the programs. */
#include "output/page/page_graph.h"

#include <stdio.h>

#include "base/error.h"
#include "memory/memory_plan.h"
#include "record/record_maps.h"

/* Arguments of one node, lists in lists included: no honest graph has more. */
enum { MOST_ARGUMENTS = 1 << 20, DEEPEST_LIST = 16 };

struct edges {
    struct ets_page_document *document;
    struct ets_page_table *table;
    const struct ets_studied_graph *graph;
    uint32_t *producers; /* [value_count] number of the node + 1; 0: none makes it */
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

static bool add_edges(struct ets_page_document *document, struct ets_page_table *table,
                      const struct ets_studied_graph *each)
{
    const struct ets_graph *graph = each->graph;
    struct edges edges = {.document = document, .table = table, .graph = each};
    edges.producers = ets_arena_alloc_array(&document->arena, (size_t)graph->value_count + 1,
                                            sizeof *edges.producers);
    if (edges.producers == NULL) return false;
    for (edges.node = 0; edges.node < graph->node_count; edges.node++) {
        const struct ets_graph_node *node = &graph->nodes[edges.node];
        for (uint32_t i = 0; i < node->output_count; i++) {
            note_producer(&edges, &node->outputs[i], 0);
        }
    }
    for (edges.node = 0; edges.node < graph->node_count; edges.node++) {
        const struct ets_graph_node *node = &graph->nodes[edges.node];
        edges.argument = 0;
        for (uint32_t i = 0; i < node->input_count; i++) put_argument(&edges, &node->inputs[i], 0);
    }
    return !document->has_failed;
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

enum ets_status ets_page_add_graphs(struct ets_page_document *document,
                                    const struct ets_study *study, struct ets_error *error)
{
    if (document->has_no_graph) return ETS_OK;
    static const struct ets_page_column edge_columns[] = {
        {.name = "from", .type = ETS_PAGE_INTEGER},     {.name = "to", .type = ETS_PAGE_INTEGER},
        {.name = "argument", .type = ETS_PAGE_INTEGER}, {.name = "value", .type = ETS_PAGE_TEXT},
        {.name = "shape", .type = ETS_PAGE_TEXT},       {.name = "bytes", .type = ETS_PAGE_INTEGER},
    };
    static const struct ets_page_column use_columns[] = {
        {.name = "program", .type = ETS_PAGE_INTEGER},
        {.name = "method", .type = ETS_PAGE_TEXT},
        {.name = "chain", .type = ETS_PAGE_INTEGER},
        {.name = "instruction", .type = ETS_PAGE_INTEGER},
        {.name = "value", .type = ETS_PAGE_INTEGER},
        {.name = "is_output", .type = ETS_PAGE_INTEGER},
    };
    struct ets_page_table *edges =
        add_table(document, "edges", edge_columns, sizeof edge_columns / sizeof *edge_columns);
    bool ok = edges != NULL;
    for (uint32_t i = 0; ok && i < study->graph_count; i++) {
        ok = add_edges(document, edges, &study->graphs[i]);
    }
    struct ets_page_table *uses = !ok ? NULL
                                      : add_table(document, "value_uses", use_columns,
                                                  sizeof use_columns / sizeof *use_columns);
    if (uses == NULL) return ets_fail_memory(error, "the graphs of the report");
    for (uint32_t i = 0; i < study->method_count; i++) {
        ETS_TRY(add_uses(document, uses, &study->methods[i], error));
    }
    return document->has_failed ? ets_fail_memory(error, "the graphs of the report") : ETS_OK;
}
