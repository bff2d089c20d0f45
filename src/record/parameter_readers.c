/* Lists which nodes take which parameters. */
#include "record/parameter_readers.h"

#include "base/text.h"

static bool is_weight(const struct ets_graph_input *input)
{
    return (input->role == ETS_INPUT_PARAMETER || input->role == ETS_INPUT_BUFFER ||
            input->role == ETS_INPUT_CONSTANT) &&
           input->argument.name.size > 0;
}

static bool add_parameters(struct ets_parameter_readers *readers, struct ets_arena *arena,
                           const struct ets_graph *graph)
{
    for (uint32_t i = 0; i < graph->input_count; i++) {
        const struct ets_graph_input *input = &graph->inputs[i];
        if (!is_weight(input)) continue;
        if (ets_strings_add(&readers->names, input->argument.name) == UINT32_MAX) return false;
        if (input->source.size == 0) continue;
        if (ets_strings_add(&readers->names, input->source) == UINT32_MAX) return false;
    }
    readers->handles = ets_arena_alloc_array(arena, readers->names.count, sizeof *readers->handles);
    return readers->handles != NULL;
}

static void add_reader(struct ets_parameter_readers *readers, struct ets_text name, int64_t handle)
{
    const uint32_t number = ets_strings_find(&readers->names, name);
    if (name.size == 0 || number == UINT32_MAX) return;
    int64_t *known = &readers->handles[number];
    if (*known == 0) *known = handle;
    else if (*known != handle) *known = -1;
}

/* What the model calls a parameter has the readers of the graph's name. */
static void know_sources(struct ets_parameter_readers *readers, const struct ets_graph *graph)
{
    for (uint32_t i = 0; i < graph->input_count; i++) {
        const struct ets_graph_input *input = &graph->inputs[i];
        if (!is_weight(input) || ets_text_equal(input->source, input->argument.name)) continue;
        const uint32_t number = ets_strings_find(&readers->names, input->argument.name);
        const int64_t handle = readers->handles[number];
        if (handle != 0) add_reader(readers, input->source, handle);
    }
}

static void add_argument(struct ets_parameter_readers *readers,
                         const struct ets_graph_argument *argument, int64_t handle)
{
    if (argument->kind == ETS_ARGUMENT_TENSOR) add_reader(readers, argument->name, handle);
    if (argument->kind != ETS_ARGUMENT_LIST) return;
    for (uint32_t i = 0; i < argument->item_count; i++) { /* lists of tensors are flat */
        if (argument->items[i].kind != ETS_ARGUMENT_TENSOR) continue;
        add_reader(readers, argument->items[i].name, handle);
    }
}

bool ets_parameter_readers_build(struct ets_parameter_readers *readers, struct ets_arena *arena,
                                 const struct ets_graph *graph)
{
    *readers = (struct ets_parameter_readers){.handles = NULL};
    if (ets_strings_init(&readers->names, arena) != 0) return false;
    if (!add_parameters(readers, arena, graph)) return false;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct ets_graph_node *node = &graph->nodes[i];
        const int64_t handle = node->debug_handle > 0 ? node->debug_handle : -1;
        for (uint32_t k = 0; k < node->input_count; k++) {
            add_argument(readers, &node->inputs[k], handle);
        }
    }
    know_sources(readers, graph);
    return true;
}

int64_t ets_parameter_readers_find(const struct ets_parameter_readers *readers,
                                   struct ets_text parameter)
{
    if (parameter.size == 0 || readers->handles == NULL) return -1;
    const uint32_t number = ets_strings_find(&readers->names, parameter);
    return number != UINT32_MAX && readers->handles[number] > 0 ? readers->handles[number] : -1;
}
