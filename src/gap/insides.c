/* Matches values from within delegate calls with values of the edge program. */
#include "gap/insides.h"

#include "base/load.h"
#include "inspect/delegates/inner_values.h"
#include "inspect/inspection.h"

void ets_gap_mark_insides(struct ets_gap_report *report)
{
    struct ets_call_taps taps = {.count = 0};
    int64_t chain = -1;
    int32_t instruction = -1;
    bool has_taps = false;
    for (uint32_t i = 0; i < report->value_count; i++) {
        const struct ets_captured_value *value = &report->values[i].captured;
        if (value->is_output || value->chain < 0 || value->delegate_id >= 0) continue;
        if (value->chain != chain || value->instruction != instruction) {
            chain = value->chain;
            instruction = value->instruction;
            has_taps = ets_inspection_taps(report->options.inspection, report->block, chain,
                                           instruction, &taps);
        }
        if (!has_taps || value->index < taps.first_argument ||
            value->index - taps.first_argument >= taps.count) {
            continue;
        }
        report->values[i].inside =
            ets_load_u32(taps.ids + 4 * (size_t)(value->index - taps.first_argument));
    }
}

/* Whether a tensor has the type and the number of elements of an edge value. */
static bool may_be(const struct ets_gap_report *report, uint32_t edge_value,
                   const struct ets_captured_value *captured)
{
    const struct gap_place place = report->edge.places[edge_value];
    const struct ets_graph_value *expected =
        ets_gap_output_value(&report->edge, place.node, place.output);
    uint64_t count = 1;
    if (expected == NULL || !captured->has_tensor) return false;
    if (expected->scalar_type >= 0 && expected->scalar_type != (int)captured->tensor.scalar_type) {
        return false;
    }
    for (uint32_t i = 0; i < expected->rank; i++) {
        if (expected->size_texts != NULL && expected->size_texts[i].data != NULL) return true;
        if (expected->sizes[i] < 0 || !ets_mul_u64(count, (uint64_t)expected->sizes[i], &count)) {
            return false;
        }
    }
    return count == ets_tensor_count(&captured->tensor);
}

/*
 * Gives a tensor the rank of its edge value, where only sizes of 1 differ: XNNPACK computes in four
 * dimensions what the graph has in three.
 */
static void fit_rank(const struct ets_gap_report *report, uint32_t edge_value,
                     struct ets_tensor *tensor)
{
    const struct gap_place place = report->edge.places[edge_value];
    const struct ets_graph_value *expected =
        ets_gap_output_value(&report->edge, place.node, place.output);
    struct ets_tensor fitted = *tensor;
    uint32_t from = 0;
    if (expected->rank > ETS_TENSOR_MAX_RANK || expected->rank == tensor->rank) return;
    fitted.rank = expected->rank;
    for (uint32_t i = 0; i < expected->rank; i++) {
        fitted.sizes[i] = fitted.strides[i] = 1;
        if (expected->sizes[i] == 1) continue;
        while (from < tensor->rank && tensor->sizes[from] == 1) from++;
        if (from == tensor->rank || tensor->sizes[from] != expected->sizes[i]) return;
        fitted.sizes[i] = tensor->sizes[from];
        fitted.strides[i] = tensor->strides[from++];
    }
    while (from < tensor->rank && tensor->sizes[from] == 1) from++;
    if (from == tensor->rank) *tensor = fitted;
}

static uint32_t edge_value_of(const struct ets_gap_report *report, const uint32_t *nodes,
                              uint32_t count, const struct ets_graph_node *node)
{
    for (uint32_t i = 0; i < count; i++) {
        if (report->edge.nodes[nodes[i]] != node) continue;
        return ets_gap_graph_value(&report->edge, report->edge.level[nodes[i]],
                                   ets_gap_output(node, 0)->name);
    }
    return GAP_NONE;
}

static enum ets_status name_values(struct ets_gap_report *report,
                                   const struct ets_payload_graph *payload, const uint32_t *nodes,
                                   uint32_t count, uint64_t *budget,
                                   struct ets_inner_value **values_out, struct ets_error *error)
{
    struct ets_arena *arena = &report->arena;
    const struct ets_graph_node **list = ets_arena_alloc_array(arena, count, sizeof *list);
    *values_out = ets_arena_alloc_array(arena, payload->value_count, sizeof **values_out);
    if (list == NULL || *values_out == NULL) return gap_fail_memory(error);
    for (uint32_t i = 0; i < count; i++) list[i] = report->edge.nodes[nodes[i]];
    const struct ets_graph *graph =
        ets_gap_graph_level(&report->edge, report->edge.level[nodes[0]]);
    return ets_inner_values_name(arena, payload, graph, list, count, budget, *values_out, error);
}

/* The payload's value that a captured value of the call is; ETS_PAYLOAD_NONE: not known. */
static uint32_t payload_value_of(const struct ets_payload_graph *payload,
                                 const struct ets_gap_value *value)
{
    if (value->inside != ETS_NO_INDEX) return ets_payload_value_of_id(payload, value->inside);
    for (uint32_t i = 0; i < payload->value_count; i++) {
        const struct ets_payload_value *each = &payload->values[i];
        if (each->is_output && each->argument == value->captured.index) return i;
    }
    return ETS_PAYLOAD_NONE;
}

enum ets_status ets_gap_match_insides(struct ets_gap_report *report,
                                      const struct gap_instructions *s, uint32_t call,
                                      const uint32_t *nodes, uint32_t count,
                                      struct gap_partitions *partitions, uint64_t *budget,
                                      struct ets_error *error)
{
    const struct ets_payload_graph *payload = NULL;
    struct ets_inner_value *values = NULL;
    const struct ets_row *row = s->items[call].row;
    uint32_t i = s->items[call].first_value;
    for (; count > 0 && i < report->value_count && s->of_value[i] == call; i++) {
        struct ets_gap_value *value = &report->values[i];
        if (value->is_argument) continue;
        if (values == NULL) {
            ETS_TRY(ets_inspection_payload(report->options.inspection, report->block, row->chain,
                                           row->instruction, &payload, error));
            if (payload == NULL) return ETS_OK;
            ETS_TRY(name_values(report, payload, nodes, count, budget, &values, error));
        }
        const uint32_t number = payload_value_of(payload, value);
        if (number == ETS_PAYLOAD_NONE) continue;
        if (value->inside != ETS_NO_INDEX) {
            ets_inner_value_view(&values[number], &value->captured.tensor);
        }
        if (values[number].node == NULL) continue;
        const uint32_t edge_value = edge_value_of(report, nodes, count, values[number].node);
        if (edge_value == GAP_NONE || !may_be(report, edge_value, &value->captured)) continue;
        if (value->inside != ETS_NO_INDEX) {
            fit_rank(report, edge_value, &value->captured.tensor);
        }
        partitions->value_of[i] = edge_value;
        partitions->is_undecided[i] = false;
        value->is_by_order = false;
    }
    return ETS_OK;
}

const char *ets_gap_why_not_inside(const struct ets_gap_report *report)
{
    return report->options.inspection->options.program == NULL
               ? "from within a delegate: the program is needed to tell which value it is"
               : "from within a delegate: no node of the record computes this value alone";
}
