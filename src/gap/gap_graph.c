/* Flattens a graph and its subgraphs, and numbers all nodes and values. */
#include "gap/gap_graph.h"
#include "inspect/names.h"
#include "operators/operator_traits.h"
#include "record/record_maps.h"

const struct ets_graph *ets_gap_graph_level(const struct gap_graph *flat, uint32_t level)
{
    return level == 0 ? flat->graph : flat->graph->subgraphs[level - 1];
}

uint32_t ets_gap_output_count(const struct ets_graph_node *node)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < node->output_count; i++) {
        const bool is_list = node->outputs[i].kind == ETS_ARGUMENT_LIST;
        count += is_list ? node->outputs[i].item_count : 1;
    }
    return count;
}

const struct ets_graph_argument *ets_gap_output(const struct ets_graph_node *node, uint32_t index)
{
    for (uint32_t i = 0; i < node->output_count; i++) {
        const struct ets_graph_argument *output = &node->outputs[i];
        const bool is_list = output->kind == ETS_ARGUMENT_LIST;
        const uint32_t count = is_list ? output->item_count : 1;
        if (index < count) return is_list ? &output->items[index] : output;
        index -= count;
    }
    return NULL;
}

static bool add_value(struct gap_graph *flat, uint32_t level, struct ets_text name,
                      struct gap_place place)
{
    const uint32_t text = ets_strings_add(&flat->names, name);
    if (text == UINT32_MAX) return false;
    const uint64_t key[] = {level, text};
    const uint32_t known = flat->values.count;
    const uint32_t value = ets_key_table_add(&flat->values, key);
    if (value == ETS_KEY_NONE) return false;
    if (value < known) return true; /* the first of several */
    if (value == flat->place_capacity) {
        const uint32_t capacity = value == 0 ? 64 : 2 * value;
        struct gap_place *places = ets_arena_alloc_array(flat->arena, capacity, sizeof *places);
        if (places == NULL) return false;
        if (value > 0) memcpy(places, flat->places, value * sizeof *places);
        flat->places = places;
        flat->place_capacity = capacity;
    }
    flat->places[value] = place;
    return true;
}

static bool is_named(const struct ets_graph_argument *argument)
{
    return argument->kind == ETS_ARGUMENT_TENSOR || argument->kind == ETS_ARGUMENT_SYMBOL;
}

static bool add_level(struct gap_graph *flat, uint32_t level, uint32_t at)
{
    const struct ets_graph *graph = ets_gap_graph_level(flat, level);
    for (uint32_t i = 0; i < graph->input_count; i++) {
        const struct ets_graph_argument *argument = &graph->inputs[i].argument;
        const struct gap_place place = {GAP_NONE, i};
        if (is_named(argument) && !add_value(flat, level, argument->name, place)) return false;
    }
    for (uint32_t i = 0; i < graph->node_count; i++, at++) {
        flat->nodes[at] = &graph->nodes[i];
        flat->level[at] = level;
        const uint32_t count = ets_gap_output_count(&graph->nodes[i]);
        for (uint32_t k = 0; k < count; k++) {
            const struct ets_graph_argument *output = ets_gap_output(&graph->nodes[i], k);
            if (is_named(output) &&
                !add_value(flat, level, output->name, (struct gap_place){at, k})) {
                return false;
            }
        }
    }
    return true;
}

enum ets_status ets_gap_graph_build(struct gap_graph *flat, struct ets_arena *arena,
                                    const struct ets_graph *graph, struct ets_error *error)
{
    *flat = (struct gap_graph){.graph = graph, .arena = arena, .node_count = graph->node_count};
    for (uint32_t i = 0; i < graph->subgraph_count; i++) {
        flat->node_count += graph->subgraphs[i]->node_count;
    }
    flat->nodes = ets_arena_alloc_array(arena, flat->node_count, sizeof *flat->nodes);
    flat->level = ets_arena_alloc_array(arena, flat->node_count, sizeof *flat->level);
    if (flat->nodes == NULL || flat->level == NULL) return gap_fail_memory(error);
    if (ets_strings_init(&flat->names, arena) != 0) return gap_fail_memory(error);
    ets_key_table_init(&flat->values, arena, 2);
    uint32_t at = 0;
    for (uint32_t level = 0; level <= graph->subgraph_count; level++) {
        if (!add_level(flat, level, at)) return gap_fail_memory(error);
        at += ets_gap_graph_level(flat, level)->node_count;
    }
    return ETS_OK;
}

uint32_t ets_gap_graph_number(const struct gap_graph *flat, const struct ets_graph_node *node)
{
    uint32_t at = 0;
    for (uint32_t level = 0; level <= flat->graph->subgraph_count; level++) {
        const struct ets_graph *graph = ets_gap_graph_level(flat, level);
        if (node >= graph->nodes && node < graph->nodes + graph->node_count) {
            return at + (uint32_t)(node - graph->nodes);
        }
        at += graph->node_count;
    }
    return GAP_NONE;
}

uint32_t ets_gap_graph_value(const struct gap_graph *flat, uint32_t level, struct ets_text name)
{
    const uint32_t text = ets_strings_find(&flat->names, name);
    if (text == UINT32_MAX || text == ETS_STRING_NONE) return GAP_NONE;
    const uint64_t key[] = {level, text};
    return ets_key_table_find(&flat->values, key);
}

bool ets_gap_graph_is_user(const struct gap_graph *flat, uint32_t value)
{
    const struct gap_place place = flat->places[value];
    if (place.node != GAP_NONE || *ets_key_table_key(&flat->values, value) > 0) return false;
    return flat->graph->inputs[place.output].role == ETS_INPUT_USER;
}

const struct ets_graph_value *ets_gap_output_value(const struct gap_graph *flat, uint32_t node,
                                                   uint32_t output)
{
    const struct ets_graph_argument *argument = ets_gap_output(flat->nodes[node], output);
    if (argument == NULL || argument->kind != ETS_ARGUMENT_TENSOR) return NULL;
    return ets_graph_find_value(ets_gap_graph_level(flat, flat->level[node]), argument->name);
}

/* Lists nest at most once in a call's arguments, in hostile files up to the reader's limit. */
static void see_argument(const struct gap_graph *flat, uint32_t level,
                         const struct ets_graph_argument *argument,
                         void (*see)(void *context, uint32_t value), void *context)
{
    for (uint32_t i = 0; argument->kind == ETS_ARGUMENT_LIST && i < argument->item_count; i++) {
        see_argument(flat, level, &argument->items[i], see, context);
    }
    if (!is_named(argument)) return;
    const uint32_t value = ets_gap_graph_value(flat, level, argument->name);
    if (value != GAP_NONE) see(context, value);
}

void ets_gap_graph_inputs(const struct gap_graph *flat, uint32_t node,
                          void (*see)(void *context, uint32_t value), void *context)
{
    for (uint32_t i = 0; i < flat->nodes[node]->input_count; i++) {
        see_argument(flat, flat->level[node], &flat->nodes[node]->inputs[i], see, context);
    }
}

struct leaving {
    const struct gap_graph *flat;
    const uint32_t *part;
    bool *leaves;
    uint32_t user; /* its part */
};

static void see_use(void *context, uint32_t value)
{
    const struct leaving *leaving = context;
    const uint32_t maker = leaving->flat->places[value].node;
    if (maker == GAP_NONE) return;
    if (leaving->user == GAP_NONE || leaving->part[maker] != leaving->user) {
        leaving->leaves[value] = true;
    }
}

void ets_gap_graph_leaving(const struct gap_graph *flat, const uint32_t *part, bool *leaves)
{
    struct leaving leaving = {flat, part, leaves, GAP_NONE};
    memset(leaves, 0, flat->values.count * sizeof *leaves);
    for (uint32_t i = 0; i < flat->node_count; i++) {
        leaving.user = part[i];
        ets_gap_graph_inputs(flat, i, see_use, &leaving);
    }
    leaving.user = GAP_NONE;
    for (uint32_t level = 0; level <= flat->graph->subgraph_count; level++) {
        const struct ets_graph *graph = ets_gap_graph_level(flat, level);
        for (uint32_t i = 0; i < graph->output_count; i++) {
            see_argument(flat, level, &graph->outputs[i].argument, see_use, &leaving);
        }
    }
}

bool ets_gap_is_view(const struct ets_graph_node *node)
{
    return ets_operator_is(node->op, ETS_OPERATOR_VIEW);
}

struct sources {
    const struct gap_graph *graph;
    bool has_others; /* values that are not in the record */
};

static void see_source(void *context, uint32_t value)
{
    struct sources *sources = context;
    sources->has_others |= ets_gap_graph_is_user(sources->graph, value) ||
                           sources->graph->places[value].node != GAP_NONE;
}

bool ets_gap_graph_is_of_record(const struct gap_graph *flat, uint32_t node)
{
    struct sources sources = {flat, false};
    ets_gap_graph_inputs(flat, node, see_source, &sources);
    return !sources.has_others;
}
