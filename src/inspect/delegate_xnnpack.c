/*
 * Units by the payload of XNNPACK, which gives the ETRecord no map. A payload's node has the first
 * debug handle of what was fused into it; the others follow it in the handles of the whole call,
 * up to the first handle of another node.
 */
#include <string.h>

#include "base/key_table.h"
#include "base/strings.h"
#include "inspect/delegate_units.h"
#include "inspect/xnnpack_events.h"

/* The handles of a call, cut at the first handle of each node. */
struct slices {
    const int64_t *handles; /* NULL: no record */
    size_t count;
    struct ets_key_table firsts; /* of each handle, */
    size_t *first_at;            /* where it stands first */
    bool *starts;                /* [count] a node's first handle is there */
    size_t *ends;                /* [count] of the slice that starts there */
    uint32_t *taken;             /* [count] the slice is in the list of that unit, from 1 */
    uint64_t *budget;
};

static bool find_firsts(struct ets_arena *arena, const struct ets_delegate_call *call,
                        struct slices *s)
{
    *s = (struct slices){
        .handles = call->handles, .count = call->handle_count, .budget = call->budget};
    ets_key_table_init(&s->firsts, arena, 1);
    s->first_at = ets_arena_alloc_array(arena, s->count, sizeof *s->first_at);
    s->starts = ets_arena_alloc_array(arena, s->count, sizeof *s->starts);
    s->ends = ets_arena_alloc_array(arena, s->count, sizeof *s->ends);
    s->taken = ets_arena_alloc_array(arena, s->count, sizeof *s->taken);
    if (s->first_at == NULL || s->starts == NULL || s->ends == NULL || s->taken == NULL) {
        return false;
    }
    for (size_t i = 0; i < s->count; i++) {
        const uint64_t key = (uint64_t)s->handles[i];
        const uint32_t known = s->firsts.count;
        const uint32_t at = ets_key_table_add(&s->firsts, &key);
        if (at == ETS_KEY_NONE) return false;
        if (at == known) s->first_at[at] = i;
    }
    return true;
}

/* Where the node's slice starts, or SIZE_MAX. */
static size_t slice_start(const struct slices *s, const struct ets_payload_node *node)
{
    const uint64_t key = (uint64_t)node->handle;
    const uint32_t at = node->handle < 0 ? ETS_KEY_NONE : ets_key_table_find(&s->firsts, &key);
    return at == ETS_KEY_NONE ? SIZE_MAX : s->first_at[at];
}

static void cut_slices(struct slices *s, const struct ets_delegate_unit *units, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        for (size_t k = 0; k < units[i].payload_node_count; k++) {
            const size_t start = slice_start(s, &units[i].payload_nodes[k]);
            if (start != SIZE_MAX) s->starts[start] = true;
        }
    }
    for (size_t i = s->count, end = s->count; i-- > 0;) {
        if (!s->starts[i]) continue;
        s->ends[i] = end;
        end = i;
    }
}

/*
 * Handles of the unit's nodes: each slice once; its own handle alone where the node is not in the
 * list. `out` NULL: counts.
 */
static size_t list_handles(struct slices *s, const struct ets_delegate_unit *unit, uint32_t stamp,
                           int64_t *out)
{
    size_t used = 0;
    for (size_t i = 0; i < unit->payload_node_count; i++) {
        const struct ets_payload_node *node = &unit->payload_nodes[i];
        const size_t start = slice_start(s, node);
        if (node->handle < 0) continue;
        if (start == SIZE_MAX) {
            if (out != NULL) out[used] = node->handle;
            used++;
        } else if (s->taken[start] != stamp) {
            const size_t size = s->ends[start] - start;
            s->taken[start] = stamp;
            if (out != NULL) memcpy(out + used, s->handles + start, size * sizeof *out);
            used += size;
        }
    }
    return used;
}

static bool find_handles(struct ets_arena *arena, struct slices *s, uint32_t number,
                         struct ets_delegate_unit *unit)
{
    const size_t count = list_handles(s, unit, 2 * number + 1, NULL);
    const size_t start =
        unit->payload_node_count > 0 ? slice_start(s, &unit->payload_nodes[0]) : SIZE_MAX;
    unit->handle_count = count;
    if (start != SIZE_MAX && s->ends[start] - start == count) { /* one slice: no copy */
        unit->handles = s->handles + start;
        return true;
    }
    if (count * sizeof(int64_t) > *s->budget) { /* no honest file repeats so many */
        unit->handle_count = 0;
        return true;
    }
    *s->budget -= count * sizeof(int64_t);
    int64_t *handles = ets_arena_alloc_array(arena, count, sizeof *handles);
    if (handles == NULL) return false;
    list_handles(s, unit, 2 * number + 2, handles);
    unit->handles = handles;
    return true;
}

/* "Transpose (ND, X32) #2": equal names of one call are counted from 1. */
static bool number_names(struct ets_arena *arena, const struct ets_xnnpack_events *events,
                         struct ets_delegate_unit *units)
{
    struct ets_strings names;
    uint32_t *seen = ets_arena_alloc_array(arena, (size_t)events->count + 1, sizeof *seen);
    if (seen == NULL || ets_strings_init(&names, arena) != 0) return false;
    for (uint32_t i = 0; i < events->count; i++) {
        const struct ets_text name = {events->items[i].name, strlen(events->items[i].name)};
        const uint32_t number = ets_strings_add(&names, name);
        const size_t room = name.size + 16;
        char *text = ets_arena_alloc(arena, room);
        if (number == UINT32_MAX || text == NULL) return false;
        units[i].event = (struct ets_text){
            text, ets_print_text(text, room, "%s #%u", name.data, ++seen[number])};
    }
    return true;
}

static bool list_nodes(struct ets_arena *arena, const struct ets_xnnpack *payload,
                       const struct ets_xnnpack_event *event, struct ets_delegate_unit *unit)
{
    struct ets_payload_node *nodes = ets_arena_alloc_array(arena, event->node_count, sizeof *nodes);
    if (nodes == NULL) return false;
    for (uint32_t i = 0; i < event->node_count; i++) {
        struct ets_xnnpack_node node;
        ets_xnnpack_node(payload, event->nodes[i], &node);
        nodes[i] = (struct ets_payload_node){event->nodes[i], ets_xnnpack_node_name(node.type),
                                             node.debug_handle};
    }
    unit->payload_nodes = nodes;
    unit->payload_node_count = event->node_count;
    return true;
}

/* Nodes for which no rule is known: one unit each, with no event. */
static bool units_of_nodes(struct ets_arena *arena, const struct ets_xnnpack *payload,
                           struct ets_xnnpack_events *events)
{
    uint32_t *indices = ets_arena_alloc_array(arena, payload->node_count, sizeof *indices);
    events->items = ets_arena_alloc_array(arena, payload->node_count, sizeof *events->items);
    if (indices == NULL || events->items == NULL) return false;
    for (uint32_t i = 0; i < payload->node_count; i++) {
        indices[i] = i;
        events->items[i] = (struct ets_xnnpack_event){NULL, &indices[i], 1};
    }
    events->count = payload->node_count;
    return true;
}

static enum ets_status explain(struct ets_arena *arena, struct ets_delegate_units *units,
                               struct ets_error *error, const char *what)
{
    units->reason = ets_arena_copy_text(arena, what, strlen(what));
    return units->reason == NULL ? ets_fail_unit_memory(error) : ETS_OK;
}

static bool list_arguments(struct ets_arena *arena, const struct ets_xnnpack *payload,
                           struct ets_delegate_units *units)
{
    uint8_t *is_output = ets_arena_alloc_array(arena, payload->external_count, 1);
    if (is_output == NULL) return false;
    for (uint32_t i = 0; i < payload->value_count; i++) {
        struct ets_xnnpack_value value;
        ets_xnnpack_value(payload, i, &value);
        if (value.is_output && value.external_id != ETS_XNNPACK_INTERNAL) {
            is_output[value.external_id] = 1;
        }
    }
    units->is_output = is_output;
    units->argument_count = payload->external_count;
    return true;
}

static enum ets_status make_units(struct ets_arena *arena, const struct ets_delegate_call *call,
                                  const struct ets_xnnpack *payload,
                                  struct ets_delegate_units *units_out, struct ets_error *error)
{
    struct ets_xnnpack_events events;
    struct slices slices;
    ETS_TRY(ets_xnnpack_events(arena, payload, &events, error));
    const bool has_rule = events.items != NULL;
    if (!has_rule && !units_of_nodes(arena, payload, &events)) return ets_fail_unit_memory(error);
    struct ets_delegate_unit *units = ets_arena_alloc_array(arena, events.count, sizeof *units);
    if (units == NULL || !find_firsts(arena, call, &slices)) return ets_fail_unit_memory(error);
    for (uint32_t i = 0; i < events.count; i++) {
        units[i].tie = events.is_quantized && call->handles != NULL ? ETS_TIE_NEAR : ETS_TIE_NODE;
        if (!list_nodes(arena, payload, &events.items[i], &units[i])) {
            return ets_fail_unit_memory(error);
        }
    }
    cut_slices(&slices, units, events.count);
    for (uint32_t i = 0; i < events.count; i++) {
        if (!find_handles(arena, &slices, i, &units[i])) return ets_fail_unit_memory(error);
    }
    if (has_rule && !number_names(arena, &events, units)) return ets_fail_unit_memory(error);
    *units_out =
        (struct ets_delegate_units){.items = units, .count = events.count, .is_ordered = true};
    if (!list_arguments(arena, payload, units_out)) return ets_fail_unit_memory(error);
    if (has_rule) return ETS_OK;
    char text[128];
    struct ets_xnnpack_node odd;
    ets_xnnpack_node(payload, events.odd_node, &odd);
    ets_print_text(text, sizeof text, "no rule says what the runtime makes of node %u, %s",
                   events.odd_node, ets_xnnpack_node_name(odd.type));
    return explain(arena, units_out, error, text);
}

static enum ets_status read_payload(struct ets_arena *arena, const struct ets_delegate_call *call,
                                    struct ets_delegate_units *units_out, struct ets_error *error)
{
    if (call->payload.size == 0) {
        return explain(arena, units_out, error, "the payload is not at hand: no program was given");
    }
    if (call->payload.size > *call->budget) {
        return explain(arena, units_out, error, "the program's payloads are read no further");
    }
    *call->budget -= call->payload.size;
    struct ets_xnnpack payload;
    struct ets_error reason;
    if (ets_xnnpack_init(&payload, call->payload, &reason) != ETS_OK) {
        return explain(arena, units_out, error, reason.message);
    }
    return make_units(arena, call, &payload, units_out, error);
}

const struct ets_delegate_reader ets_delegate_xnnpack_reader = {ETS_XNNPACK_BACKEND, read_payload};
