/* The times of a block's rows at the nodes of a model. */
#include <math.h>

#include "base/error.h"
#include "base/text.h"
#include "host/strings.h"
#include "views/graph/model_graph.h"

/* The graph of a whole method, by its name. */
static struct ets_model_graph *find_graph(struct ets_model *model, const char *method)
{
    for (uint32_t i = 0; i < model->graph_count; i++) {
        struct ets_model_graph *graph = &model->graphs[i];
        if (graph->call == ETS_MODEL_NONE && ets_text_is(graph->id, method)) return graph;
    }
    return NULL;
}

/* Whether a row is the whole of its instruction: events inside of it have the same one. */
static bool is_whole(const struct ets_inspection *inspection, const struct ets_row *row)
{
    if (row->chain < 0 || row->is_delegated) return false;
    if (row->parent == ETS_NO_INDEX) return true;
    const struct ets_row *parent = ets_inspection_row(inspection, row->parent);
    return parent->chain != row->chain || parent->instruction != row->instruction;
}

/* The node of instruction `instruction` of chain 0, as chains are one after the other. */
static struct ets_model_node *node_of(struct ets_model_graph *graph, const struct ets_row *row)
{
    if (row->chain != 0 || row->instruction < 0) return NULL;
    if ((uint32_t)row->instruction >= graph->step_count) return NULL;
    return &graph->nodes[graph->first_step + (uint32_t)row->instruction];
}

static struct ets_model_node *inner_node_of(struct ets_model *model, struct ets_model_graph *graph,
                                            const struct ets_row *row)
{
    struct ets_model_node *call = node_of(graph, row);
    if (call == NULL || call->inner_count == 0 || row->payload_node_count == 0) return NULL;
    struct ets_model_graph *inner = &model->graphs[call->inner[0]];
    const uint32_t index = row->payload_nodes[0].index;
    return index < inner->step_count ? &inner->nodes[inner->first_step + index] : NULL;
}

static bool is_call(const struct ets_inspection *inspection, const struct ets_row *row)
{
    return is_whole(inspection, row) && ets_text_is(row->name, "DELEGATE_CALL");
}

/* Whether a delegate reported the event, directly inside of its call. */
static bool is_in_call(const struct ets_inspection *inspection, const struct ets_row *row)
{
    return row->is_delegated && row->parent != ETS_NO_INDEX &&
           is_call(inspection, ets_inspection_row(inspection, row->parent));
}

/* The calls of delegates in the graph, if they are as many as in the block; else 0. */
static uint32_t count_calls(const struct ets_model_graph *graph,
                            const struct ets_inspection *inspection, uint32_t block)
{
    uint32_t in_graph = 0, in_block = 0;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        in_graph += graph->nodes[i].kind == ETS_MODEL_DELEGATE;
    }
    for (uint32_t i = 0; i < ets_inspection_row_count(inspection); i++) {
        const struct ets_row *row = ets_inspection_row(inspection, i);
        in_block += row->block == block && is_call(inspection, row);
    }
    return in_graph == in_block ? in_graph : 0;
}

/*
 * The nodes of a record's graph at which rows count: the first of a row's, or the call in the order
 * of calls. [row], ETS_MODEL_NONE for the others; NULL: no memory.
 */
static uint32_t *find_record_nodes(const struct ets_model *model,
                                   const struct ets_model_graph *graph,
                                   const struct ets_inspection *inspection, uint32_t block)
{
    const uint32_t row_count = ets_inspection_row_count(inspection);
    uint32_t *found = ets_arena_alloc_array(model->arena, row_count, sizeof *found);
    uint32_t *nodes =
        ets_arena_alloc_array(model->arena, (size_t)graph->node_count + 1, sizeof *nodes);
    struct ets_strings names;
    if (found == NULL || nodes == NULL || ets_strings_init(&names, model->arena) != 0) return NULL;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const uint32_t number = ets_strings_add(&names, graph->nodes[i].id);
        if (number == UINT32_MAX) return NULL;
        nodes[number] = i;
    }
    uint32_t calls = count_calls(graph, inspection, block), next_call = 0;
    for (uint32_t i = 0; i < row_count; i++) {
        const struct ets_row *row = ets_inspection_row(inspection, i);
        found[i] = ETS_MODEL_NONE;
        if (row->block != block) continue;
        if (calls > 0 && is_call(inspection, row)) {
            while (graph->nodes[next_call].kind != ETS_MODEL_DELEGATE) next_call++;
            found[i] = next_call++;
            continue;
        }
        if (row->node_count == 0) continue;
        if (!is_whole(inspection, row) && !is_in_call(inspection, row)) continue;
        const uint32_t number = ets_strings_find(&names, row->nodes[0].node->name);
        if (number != UINT32_MAX && number != ETS_STRING_NONE) found[i] = nodes[number];
    }
    return found;
}

static void add_ticks(struct ets_model_node *node, double ticks)
{
    node->ticks = (isnan(node->ticks) ? 0 : node->ticks) + ticks;
}

/* Times at the nodes of a record: of a call's what the nodes inside of it leave over. */
static enum ets_status add_record_times(struct ets_model *model, struct ets_model_graph *graph,
                                        const struct ets_inspection *inspection, uint32_t block,
                                        struct ets_error *error)
{
    const uint32_t *found = find_record_nodes(model, graph, inspection, block);
    if (found == NULL) return ets_fail_memory(error, "the times of a graph");
    for (uint32_t i = 0; i < ets_inspection_row_count(inspection); i++) {
        const struct ets_row *row = ets_inspection_row(inspection, i);
        struct ets_statistics times;
        if (found[i] == ETS_MODEL_NONE || ets_row_has_own_clock(row)) continue;
        ETS_TRY(ets_inspection_row_statistics(inspection, i, ETS_NO_INDEX, &times, error));
        if (times.count == 0) continue;
        if (row->is_delegated) {
            if (found[row->parent] == ETS_MODEL_NONE) continue;
            add_ticks(&graph->nodes[found[row->parent]], -times.p50);
        }
        add_ticks(&graph->nodes[found[i]], times.p50);
    }
    for (uint32_t i = 0; i < graph->node_count; i++) {
        if (graph->nodes[i].ticks < 0) graph->nodes[i].ticks = 0;
    }
    return ETS_OK;
}

enum ets_status ets_model_add_times(struct ets_model *model,
                                    const struct ets_inspection *inspection, uint32_t block,
                                    struct ets_error *error)
{
    const struct ets_block *of = ets_inspection_block(inspection, block);
    const bool is_known = of->method_state == ETS_METHOD_FOUND && of->method != NULL;
    struct ets_model_graph *graph = is_known ? find_graph(model, of->method) : NULL;
    if (graph == NULL) {
        return ets_fail(error, ETS_NOT_FOUND, ETS_NO_OFFSET,
                        "block %.*s: which method ran is not known, so its times belong to no node",
                        ETS_TEXT(of->name));
    }
    if (graph->method == ETS_MODEL_NONE) {
        return add_record_times(model, graph, inspection, block, error);
    }
    for (uint32_t i = 0; i < ets_inspection_row_count(inspection); i++) {
        const struct ets_row *row = ets_inspection_row(inspection, i);
        struct ets_statistics times;
        struct ets_model_node *node = NULL;
        if (row->block != block || ets_row_has_own_clock(row)) continue;
        if (is_whole(inspection, row)) node = node_of(graph, row);
        else if (row->is_delegated) node = inner_node_of(model, graph, row);
        if (node == NULL) continue;
        ETS_TRY(ets_inspection_row_statistics(inspection, i, ETS_NO_INDEX, &times, error));
        if (times.count == 0) continue;
        node->ticks = (node->ticks >= 0 ? node->ticks : 0) + times.p50;
    }
    return ETS_OK;
}
