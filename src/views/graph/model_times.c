/* The times of a block's rows at the nodes of a model. */
#include "base/error.h"
#include "base/text.h"
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
