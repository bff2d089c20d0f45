/* Lists the values within delegates, with their names of the record. */
#include "views/inside_values.h"

#include <stdlib.h>

#include "base/error.h"
#include "inspect/delegates/inner_values.h"

struct collector {
    struct ets_arena *arena;
    const struct ets_program *program;
    const struct ets_taps *taps;
    const struct ets_delegation *delegations;
    struct ets_etrecord *record;
    struct ets_inside_values *out;
    uint64_t budget;
};

static const char *state_text(enum ets_tap_state state)
{
    switch (state) {
    case ETS_TAP_POSSIBLE: return "yes";
    case ETS_TAP_FUSED: return "fused with what reads it";
    case ETS_TAP_ARGUMENT: return "given already";
    case ETS_TAP_CONSTANT: return "a constant, in the file";
    case ETS_TAP_DYNAMIC: return "quantized in each run; its source can be had";
    case ETS_TAP_UNMADE: return "no operator makes it";
    case ETS_TAP_NO_TENSOR: break;
    }
    return "of a type that programs do not have";
}

static int compare_nodes(const void *a, const void *b)
{
    const struct ets_graph_node *const *left = a, *const *right = b;
    return (*left > *right) - (*left < *right);
}

/* The nodes of a call in the order of their graph, each once. */
static const struct ets_graph_node **list_nodes(struct ets_arena *arena,
                                                const struct ets_delegation_step *step,
                                                uint32_t *count_out)
{
    uint32_t used = 0;
    const struct ets_graph_node **list =
        ets_arena_alloc_array(arena, step->node_count, sizeof *list);
    *count_out = 0;
    if (list == NULL) return NULL;
    for (size_t i = 0; i < step->node_count; i++) list[i] = step->nodes[i].node;
    qsort(list, step->node_count, sizeof *list, compare_nodes);
    for (size_t i = 0; i < step->node_count; i++) {
        if (used == 0 || list[used - 1] != list[i]) list[used++] = list[i];
    }
    *count_out = used;
    return list;
}

static const struct ets_delegation_step *find_step(const struct collector *c,
                                                   const struct ets_tap_delegate *delegate)
{
    const uint32_t count = c->delegations == NULL ? 0 : ets_delegation_count(c->delegations);
    for (uint32_t i = 0; i < count; i++) {
        const struct ets_delegation_step *step = ets_delegation_step_at(c->delegations, i);
        if (step->method == delegate->method &&
            (int64_t)step->delegate == (int64_t)delegate->delegate) {
            return step;
        }
    }
    return NULL;
}

/* Names of the values of a delegate; NULL where nothing is known. */
static enum ets_status name_values(struct collector *c, const struct ets_tap_delegate *delegate,
                                   struct ets_inner_value **names_out, struct ets_error *error)
{
    const struct ets_delegation_step *step = find_step(c, delegate);
    const struct ets_graph *graph;
    uint32_t count;
    *names_out = NULL;
    if (step == NULL || step->node_count == 0 || c->record == NULL) return ETS_OK;
    ETS_TRY(ets_etrecord_edge_graph(c->record, step->method_name, &graph, error));
    const struct ets_graph_node **nodes = list_nodes(c->arena, step, &count);
    *names_out = ets_arena_alloc_array(c->arena, delegate->graph->value_count, sizeof **names_out);
    if (nodes == NULL || *names_out == NULL) {
        return ets_fail_memory(error, "the values of delegates");
    }
    return ets_inner_values_name(c->arena, delegate->graph, graph, nodes, count, &c->budget,
                                 *names_out, error);
}

static void set_dims(struct ets_inside_value *line, bool is_channels_last)
{
    static const uint32_t from[] = {0, 3, 1, 2};
    const bool is_turned = is_channels_last && line->value->rank == 4;
    for (; line->rank < line->value->rank && line->rank < 8; line->rank++) {
        line->dims[line->rank] = line->value->dims[is_turned ? from[line->rank] : line->rank];
    }
}

static void set_node(struct ets_inside_value *line, const struct ets_inner_value *name)
{
    line->node = name->node;
    if (name->maker == NULL) return;
    const struct ets_graph_frame *frame = ets_graph_user_frame(name->maker);
    if (frame != NULL) line->source = frame->place;
    line->module = ets_graph_module_path(name->maker);
}

static bool add_value(const struct collector *c, const struct ets_tap_delegate *delegate,
                      struct ets_tap *tap, const struct ets_inner_value *name)
{
    struct ets_inside_value *line = &c->out->items[c->out->count++];
    const struct ets_payload_value *value = &delegate->graph->values[tap->value];
    char text[32];
    struct ets_method method;
    ets_program_method(c->program, delegate->method, &method);
    *line = (struct ets_inside_value){.tap = tap, .value = value, .method = method.name.data};
    line->maker = &delegate->graph->nodes[value->producer];
    line->state = state_text(tap->state);
    const size_t size = ets_print_text(text, sizeof text, "%u:%u", delegate->delegate, value->id);
    line->name = (struct ets_text){ets_arena_copy_text(c->arena, text, size), size};
    if (name != NULL) set_node(line, name);
    set_dims(line, name != NULL && name->is_channels_last);
    c->out->possible += tap->state == ETS_TAP_POSSIBLE;
    c->out->fused += tap->state == ETS_TAP_FUSED;
    if (tap->state == ETS_TAP_POSSIBLE) c->out->possible_bytes += tap->bytes;
    return line->name.data != NULL;
}

enum ets_status ets_inside_values_collect(
    struct ets_arena *arena, const struct ets_program *program, const struct ets_taps *taps,
    const struct ets_delegation *delegations, struct ets_etrecord *record,
    struct ets_inside_values *values_out, struct ets_error *error)
{
    struct collector c = {
        arena, program, taps, delegations, record, values_out, ETS_INNER_VALUES_BUDGET};
    *values_out = (struct ets_inside_values){.count = 0};
    values_out->items = ets_arena_alloc_array(arena, taps->count, sizeof *values_out->items);
    if (values_out->items == NULL) return ets_fail_memory(error, "the values of delegates");
    for (uint32_t d = 0; d < taps->delegate_count; d++) {
        const struct ets_tap_delegate *delegate = &taps->delegates[d];
        struct ets_inner_value *names;
        if (delegate->graph == NULL) continue;
        ETS_TRY(name_values(&c, delegate, &names, error));
        for (uint32_t i = 0; i < delegate->count; i++) {
            struct ets_tap *tap = &taps->items[delegate->first + i];
            if (delegate->graph->values[tap->value].producer == ETS_PAYLOAD_NONE) continue;
            if (!add_value(&c, delegate, tap, names == NULL ? NULL : &names[tap->value])) {
                return ets_fail_memory(error, "the values of delegates");
            }
        }
    }
    return ETS_OK;
}
