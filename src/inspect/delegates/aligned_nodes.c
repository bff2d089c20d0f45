/* Matches nodes of a payload and of the record kind by kind, in order. */
#include "inspect/delegates/aligned_nodes.h"

#include <string.h>

#include "base/text.h"
#include "host/key_table.h"
#include "host/strings.h"
#include "inspect/inspection.h"
#include "operators/operator_traits.h"
#include "record/operator_names.h"
#include "record/record_maps.h"

/* Nodes of one call: more than any model has. */
enum { MOST_WORK = 1 << 28 };

/* Nodes that compute the same kind of thing, "convolution". */
struct kind {
    uint32_t payload_count, record_count;
    uint32_t first; /* of `handles` and `sizes` */
    uint32_t filled;
    bool differs; /* a node of the payload is known to be another's than its partner */
};

struct aligner {
    const struct ets_delegate_call *call;
    const struct ets_payload_graph *graph;
    struct ets_strings operations;
    struct kind *kinds; /* by number of the operation */
    int64_t *handles;   /* of the record's nodes, by kind */
    uint64_t *sizes;    /* elements of their outputs; UINT64_MAX: not known */
};

/* An operator, as payloads call it: products with a bias are linear layers. */
static struct ets_text plain_operator(struct ets_text name)
{
    static const char *const products[] = {"addmm", "mm"};
    static const char *const convolutions[] = {"conv1d", "conv2d", "conv3d"};
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        if (ets_text_is(name, products[i])) return ets_text_of("linear");
    }
    for (size_t i = 0; i < sizeof convolutions / sizeof *convolutions; i++) {
        if (ets_text_is(name, convolutions[i])) return ets_text_of("convolution");
    }
    return name;
}

static uint64_t size_in_record(const struct aligner *a, const struct ets_graph_node *node)
{
    if (node->output_count == 0) return UINT64_MAX;
    const struct ets_graph_value *value =
        ets_graph_find_value(a->call->nodes->graph, node->outputs[0].name);
    uint64_t elements = 1;
    if (value == NULL || value->scalar_type < 0) return UINT64_MAX;
    for (uint32_t i = 0; i < value->rank; i++) {
        const int64_t size = value->sizes[i];
        if (size < 0 || (size > 0 && elements > UINT64_MAX / (uint64_t)size)) return UINT64_MAX;
        elements *= (uint64_t)size;
    }
    return elements;
}

static uint64_t size_in_payload(const struct aligner *a, const struct ets_payload_node *node)
{
    if (node->output_count == 0 || node->outputs[0] >= a->graph->value_count) return UINT64_MAX;
    const struct ets_payload_value *value = &a->graph->values[node->outputs[0]];
    return value->is_sizeless ? UINT64_MAX : ets_payload_elements(value);
}

static bool know_kinds(struct aligner *a, struct ets_arena *arena)
{
    if (ets_strings_init(&a->operations, arena) != 0) return false;
    for (uint32_t i = 0; i < a->graph->node_count; i++) {
        const struct ets_text operation = a->graph->nodes[i].operation;
        if (operation.size == 0) continue;
        if (ets_strings_add(&a->operations, operation) == UINT32_MAX) return false;
    }
    const uint32_t count = a->operations.count + 1;
    a->kinds = ets_arena_alloc_array(arena, count, sizeof *a->kinds);
    return a->kinds != NULL;
}

/* The kind of an operation; NULL: no node of the payload is of it. */
static struct kind *kind_of(const struct aligner *a, struct ets_text operation)
{
    const uint32_t number =
        operation.size > 0 ? ets_strings_find(&a->operations, operation) : UINT32_MAX;
    return number == UINT32_MAX ? NULL : &a->kinds[number];
}

/*
 * The record's nodes of the call in order of execution, each once although lists of handles repeat
 * them; counts where `handles` is NULL. Limited like all reading of payloads.
 */
static enum ets_status add_record_nodes(struct aligner *a, struct ets_arena *arena)
{
    struct ets_key_table known;
    uint64_t work = 0;
    ets_key_table_init(&known, arena, 1);
    for (size_t i = 0; i < a->call->handle_count; i++) {
        const int64_t handle = a->call->handles[i];
        uint32_t count;
        const struct ets_row_node *nodes = ets_handle_index_find(a->call->nodes, handle, &count);
        const uint64_t key = (uint64_t)handle;
        const uint32_t before = known.count;
        if (ets_key_table_add(&known, &key) == ETS_KEY_NONE) return ETS_NO_MEMORY;
        if (known.count == before) continue;
        work += 1 + (uint64_t)count;
        if (work > *a->call->budget || work > MOST_WORK) return ETS_NOT_FOUND;
        for (uint32_t k = 0; k < count; k++) {
            const struct ets_graph_node *node = nodes[k].node;
            struct kind *kind =
                kind_of(a, plain_operator(ets_operator_base_name(ets_node_operator(node))));
            if (kind == NULL) continue;
            if (a->handles == NULL) {
                kind->record_count++;
                continue;
            }
            const uint32_t at = kind->first + kind->filled++;
            a->handles[at] = handle;
            a->sizes[at] = size_in_record(a, node);
        }
    }
    *a->call->budget -= work;
    return ETS_OK;
}

/* NOT_FOUND: the limit was reached, and nothing is aligned. */
static enum ets_status list_record_nodes(struct aligner *a, struct ets_arena *arena)
{
    uint32_t total = 0;
    ETS_TRY(add_record_nodes(a, arena));
    for (uint32_t i = 0; i < a->operations.count; i++) {
        a->kinds[i].first = total;
        total += a->kinds[i].record_count;
    }
    int64_t *handles = ets_arena_alloc_array(arena, (size_t)total + 1, sizeof *handles);
    a->sizes = ets_arena_alloc_array(arena, (size_t)total + 1, sizeof *a->sizes);
    if (handles == NULL || a->sizes == NULL) return ETS_NO_MEMORY;
    a->handles = handles;
    return add_record_nodes(a, arena);
}

/* Equally many that do not compute equally much, or of which one is known to be another's, are no
 * partners. */
static void compare(struct aligner *a, const int64_t *owned)
{
    for (uint32_t i = 0; i < a->graph->node_count; i++) {
        const struct ets_payload_node *node = &a->graph->nodes[i];
        struct kind *kind = kind_of(a, node->operation);
        if (kind == NULL) continue;
        const uint32_t rank = kind->payload_count++;
        if (rank >= kind->record_count) continue;
        const uint64_t mine = size_in_payload(a, node), theirs = a->sizes[kind->first + rank];
        if (mine != UINT64_MAX && theirs != UINT64_MAX && mine != theirs) kind->differs = true;
        if (owned[i] >= 0 && owned[i] != a->handles[kind->first + rank]) kind->differs = true;
    }
}

enum ets_status ets_align_nodes(struct ets_arena *arena, const struct ets_delegate_call *call,
                                const struct ets_payload_graph *graph, int64_t *owned,
                                struct ets_error *error)
{
    struct aligner a = {.call = call, .graph = graph};
    if (call->nodes == NULL || call->nodes->graph == NULL) return ETS_OK;
    if (!know_kinds(&a, arena)) return ets_fail_unit_memory(error);
    const enum ets_status status = list_record_nodes(&a, arena);
    if (status == ETS_NOT_FOUND) return ETS_OK;
    if (status != ETS_OK) return ets_fail_unit_memory(error);
    compare(&a, owned);
    for (uint32_t i = 0; i < a.operations.count; i++) a.kinds[i].filled = 0;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        struct kind *kind = kind_of(&a, graph->nodes[i].operation);
        if (kind == NULL || kind->differs || kind->payload_count != kind->record_count) continue;
        const int64_t handle = a.handles[kind->first + kind->filled++];
        if (owned[i] < 0) owned[i] = handle;
    }
    return ETS_OK;
}
