/* Indexes the values of a graph, and the tensors of its record by the names of inputs. */
#include "quality/graph_weights.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "operators/operator_traits.h"

enum { MOST_STEPS = 16, MOST_VISITS = 64 };

static const struct ets_graph_place nowhere = {ETS_GRAPH_NONE, ETS_GRAPH_NONE};

static enum ets_status no_memory(struct ets_error *error)
{
    return ets_fail_memory(error, "the layers");
}

static enum ets_status put(struct ets_graph_weights *weights, struct ets_text name,
                           struct ets_graph_place place, struct ets_error *error)
{
    if (name.data == NULL) return ETS_OK;
    const uint32_t number = ets_strings_add(&weights->values, name);
    if (number >= weights->room) return no_memory(error);
    weights->places[number] = place;
    return ETS_OK;
}

static enum ets_status index_values(struct ets_graph_weights *weights, struct ets_arena *arena,
                                    struct ets_error *error)
{
    const struct ets_graph *graph = weights->graph;
    uint64_t room = (uint64_t)graph->input_count + 1;
    for (uint32_t i = 0; i < graph->node_count; i++) room += graph->nodes[i].output_count;
    if (room >= UINT32_MAX) return no_memory(error);
    weights->room = (uint32_t)room;
    weights->places = ets_arena_alloc_array(arena, weights->room, sizeof *weights->places);
    if (weights->places == NULL || ets_strings_init(&weights->values, arena) != 0) {
        return no_memory(error);
    }
    weights->places[ETS_STRING_NONE] = nowhere;
    for (uint32_t i = 0; i < graph->input_count; i++) {
        const struct ets_graph_place place = {ETS_GRAPH_NONE, i};
        ETS_TRY(put(weights, graph->inputs[i].argument.name, place, error));
    }
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct ets_graph_node *node = &graph->nodes[i];
        for (uint32_t k = 0; k < node->output_count; k++) {
            if (node->outputs[k].kind != ETS_ARGUMENT_TENSOR) continue;
            const struct ets_graph_place place = {i, ETS_GRAPH_NONE};
            ETS_TRY(put(weights, node->outputs[k].name, place, error));
        }
    }
    return ETS_OK;
}

/* Takes the tensors of an entry whose names inputs have. */
static enum ets_status read_entry(struct ets_graph_weights *weights, struct ets_etrecord *record,
                                  const char *suffix, struct ets_arena *arena,
                                  struct ets_error *error)
{
    const struct ets_text graph = weights->graph->name;
    const struct ets_named_value *values;
    size_t count;
    char *entry = ets_arena_alloc(arena, graph.size + strlen(suffix) + 1);
    if (entry == NULL) return no_memory(error);
    memcpy(entry, graph.data, graph.size);
    memcpy(entry + graph.size, suffix, strlen(suffix) + 1);
    const enum ets_status status = ets_etrecord_named_values(record, entry, &values, &count, error);
    if (status == ETS_NOT_FOUND) return ETS_OK;
    ETS_TRY(status);
    for (size_t i = 0; i < count; i++) {
        const uint32_t number = ets_strings_find(&weights->names, values[i].name);
        if (number >= weights->name_room || number == ETS_STRING_NONE) continue;
        if (values[i].value.kind == ETS_VALUE_TENSOR) {
            weights->tensors[number] = &values[i].value.as.tensor;
        }
    }
    return ETS_OK;
}

enum ets_status ets_graph_weights_index(const struct ets_graph *graph, struct ets_arena *arena,
                                        struct ets_graph_weights *weights_out,
                                        struct ets_error *error)
{
    *weights_out = (struct ets_graph_weights){.graph = graph, .name_room = graph->input_count + 1};
    return index_values(weights_out, arena, error);
}

enum ets_status ets_graph_weights_read(struct ets_etrecord *record, const struct ets_graph *graph,
                                       struct ets_arena *arena,
                                       struct ets_graph_weights *weights_out,
                                       struct ets_error *error)
{
    ETS_TRY(ets_graph_weights_index(graph, arena, weights_out, error));
    weights_out->tensors =
        ets_arena_alloc_array(arena, weights_out->name_room, sizeof *weights_out->tensors);
    if (weights_out->tensors == NULL || ets_strings_init(&weights_out->names, arena) != 0) {
        return no_memory(error);
    }
    for (uint32_t i = 0; i < graph->input_count; i++) {
        const struct ets_text source = graph->inputs[i].source;
        if (source.data == NULL) continue;
        if (ets_strings_add(&weights_out->names, source) == UINT32_MAX) return no_memory(error);
    }
    ETS_TRY(read_entry(weights_out, record, "_state_dict", arena, error));
    return read_entry(weights_out, record, "_constants", arena, error);
}

struct ets_graph_place ets_graph_weights_place(const struct ets_graph_weights *weights,
                                               struct ets_text name)
{
    if (name.data == NULL) return nowhere;
    const uint32_t number = ets_strings_find(&weights->values, name);
    return number < weights->room ? weights->places[number] : nowhere;
}

/* The same numbers, in another shape, order or type. */
static bool keeps_numbers(const struct ets_graph_node *node)
{
    const uint32_t traits = ETS_OPERATOR_VIEW | ETS_OPERATOR_PERMUTE | ETS_OPERATOR_CAST;
    const struct ets_text base = ets_operator_base_name(node->op);
    return ets_operator_is(node->op, traits) || ets_text_is(base, "to") ||
           ets_text_is(base, "type_as");
}

struct ets_graph_place ets_graph_weights_behind(const struct ets_graph_weights *weights,
                                                const struct ets_graph_argument *argument)
{
    struct ets_graph_place place = nowhere;
    for (int i = 0; i < MOST_STEPS; i++) {
        if (argument->kind != ETS_ARGUMENT_TENSOR) return nowhere;
        place = ets_graph_weights_place(weights, argument->name);
        if (place.node == ETS_GRAPH_NONE) return place;
        const struct ets_graph_node *node = &weights->graph->nodes[place.node];
        if (!keeps_numbers(node) || node->input_count == 0) return place;
        argument = &node->inputs[0];
    }
    return nowhere;
}

const struct ets_tensor *ets_graph_weights_tensor(const struct ets_graph_weights *weights,
                                                  uint32_t input)
{
    if (input >= weights->graph->input_count) return NULL;
    const struct ets_text source = weights->graph->inputs[input].source;
    if (source.data == NULL) return NULL;
    const uint32_t number = ets_strings_find(&weights->names, source);
    return number < weights->name_room ? weights->tensors[number] : NULL;
}

static bool is_given(const struct ets_graph_input *input)
{
    return input->role == ETS_INPUT_USER || input->role == ETS_INPUT_OTHER;
}

bool ets_graph_weights_is_constant(const struct ets_graph_weights *weights, uint32_t node)
{
    uint32_t waiting[MOST_VISITS] = {node}, count = 1;
    for (uint32_t at = 0; at < count; at++) {
        const struct ets_graph_node *each = &weights->graph->nodes[waiting[at]];
        for (uint32_t i = 0; i < each->input_count; i++) {
            if (each->inputs[i].kind == ETS_ARGUMENT_SYMBOL) return false;
            if (each->inputs[i].kind != ETS_ARGUMENT_TENSOR) continue;
            const struct ets_graph_place place =
                ets_graph_weights_place(weights, each->inputs[i].name);
            if (place.node == ETS_GRAPH_NONE) {
                if (place.input == ETS_GRAPH_NONE) return false;
                if (is_given(&weights->graph->inputs[place.input])) return false;
            } else if (count < MOST_VISITS) {
                waiting[count++] = place.node;
            } else {
                return false;
            }
        }
    }
    return true;
}
