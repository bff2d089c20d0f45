/* Finds contradictions between a payload and the record that only two exports can have. */
#include "inspect/delegates/call_check.h"

#include "base/text.h"
#include "host/key_table.h"
#include "inspect/inspection.h"
#include "operators/operator_traits.h"
#include "payload/payload_store.h"

/* Exporters write the handles of a call from the nodes that they give to the backend: a payload has
 * no others. */
static enum ets_status check_handles(struct ets_arena *arena, const struct ets_delegate_call *call,
                                     const struct ets_payload_graph *graph, struct ets_error *error)
{
    struct ets_key_table known;
    ets_key_table_init(&known, arena, 1);
    for (size_t i = 0; i < call->handle_count; i++) {
        const uint64_t key = (uint64_t)call->handles[i];
        if (ets_key_table_add(&known, &key) == ETS_KEY_NONE) return ets_fail_unit_memory(error);
    }
    for (uint32_t i = 0; i < graph->node_count && known.count > 0; i++) {
        const uint64_t key = (uint64_t)graph->nodes[i].debug_handle;
        if (graph->nodes[i].debug_handle <= 0) continue; /* it has none */
        if (ets_key_table_find(&known, &key) != ETS_KEY_NONE) continue;
        return ets_fail(error, ETS_MISMATCH, ETS_NO_OFFSET,
                        "the program's delegate of instruction %lld has debug handle %lld, which "
                        "the record's %s does not have there: it belongs to another export",
                        (long long)call->instruction, (long long)graph->nodes[i].debug_handle,
                        call->method);
    }
    return ETS_OK;
}

static bool one_quantizes(const struct ets_graph *graph)
{
    for (uint32_t i = 0; i < graph->node_count; i++) {
        /* any name, as operators of other libraries may have other names */
        if (ets_text_contains(graph->nodes[i].op, "quant")) return true;
        if (ets_operator_is(graph->nodes[i].op, ETS_OPERATOR_CHOOSE_SCALE)) return true;
    }
    return false;
}

bool ets_graph_quantizes(const struct ets_graph *graph)
{
    bool quantizes = one_quantizes(graph);
    for (uint32_t i = 0; i < graph->subgraph_count && !quantizes; i++) {
        quantizes = one_quantizes(graph->subgraphs[i]);
    }
    return quantizes;
}

/* Whether the delegate computes in int8, by its values and not only by its weights. */
static bool payload_quantizes(const struct ets_payload_graph *graph)
{
    if (!ets_payload_types_tell_quantization(graph)) return false;
    for (uint32_t i = 0; i < graph->value_count; i++) {
        const struct ets_payload_value *value = &graph->values[i];
        if (value->constant != ETS_PAYLOAD_NONE) continue;
        if (value->type->numbers == ETS_PAYLOAD_INT8 ||
            value->type->numbers == ETS_PAYLOAD_INT8_DYNAMIC) {
            return true;
        }
    }
    return false;
}

static enum ets_status check(struct ets_arena *arena, const struct ets_delegate_call *call,
                             const struct ets_payload_graph *graph, struct ets_error *error)
{
    const struct ets_graph *record = call->nodes == NULL ? NULL : call->nodes->graph;
    if (record != NULL && payload_quantizes(graph) && !ets_graph_quantizes(record)) {
        return ets_fail(error, ETS_MISMATCH, ETS_NO_OFFSET,
                        "the program's delegate of instruction %lld computes in int8, but the "
                        "record's %s does not quantize: it belongs to another export",
                        (long long)call->instruction, call->method);
    }
    return check_handles(arena, call, graph, error);
}

static bool spend(const struct ets_delegate_call *call, const struct ets_payload_graph *graph,
                  uint64_t *budget)
{
    const struct ets_graph *record = call->nodes == NULL ? NULL : call->nodes->graph;
    uint64_t work = (uint64_t)call->handle_count + graph->node_count + graph->value_count;
    if (record != NULL) work += record->node_count;
    for (uint32_t i = 0; record != NULL && i < record->subgraph_count; i++) {
        work += 1 + (uint64_t)record->subgraphs[i]->node_count;
    }
    if (work > *budget) return false;
    *budget -= work;
    return true;
}

enum ets_status ets_delegate_call_check(struct ets_arena *arena,
                                        const struct ets_delegate_call *call, uint64_t *budget,
                                        struct ets_error *error)
{
    const struct ets_delegate delegate = {.id = call->backend, .blob = call->payload};
    const struct ets_payload_graph *graph;
    struct ets_arena scratch;
    if (call->record == NULL || call->payload.size == 0) return ETS_OK;
    ETS_TRY(ets_payload_store_read(call->payloads, &delegate, &graph, NULL, error));
    if (graph == NULL || !spend(call, graph, budget)) return ETS_OK;
    ets_arena_init(&scratch, arena->allocator, 0);
    const enum ets_status status = check(&scratch, call, graph, error);
    ets_arena_reset(&scratch);
    return status;
}
