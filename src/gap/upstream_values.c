/* Passes on both values of each of ExecuTorch's pairs, one pair at a time. */
#include "gap/gap_parts.h"
#include "gap/upstream_pairs.h"
#include "reference/reference.h"

struct giver {
    struct ets_gap_report *report;
    ets_gap_pair_observer *observer;
    void *context;
    uint32_t *first; /* [reference node] its first pair, */
    uint32_t *next;  /* [pair] and those behind it; GAP_NONE at the end */
};

static enum ets_status give(const struct giver *g, uint32_t pair,
                            const struct ets_tensor *reference, struct ets_error *error)
{
    const struct ets_gap_report *report = g->report;
    struct ets_captured_values values;
    struct ets_captured_value value;
    const struct ets_captured_filter filter = {
        .block = ETS_NO_INDEX, .run = ETS_NO_INDEX, .event = report->pairs[pair].event};
    ets_captured_values_init(&values, report->options.inspection, report->options.debug_buffer,
                             &filter);
    if (!ets_captured_values_next(&values, &value) || value.status != ETS_OK) return ETS_OK;
    return g->observer(g->context, pair, reference, &value.tensor, error);
}

static enum ets_status observe(void *context, const struct ets_reference_result *result,
                               struct ets_value *replacement_out, struct ets_error *error)
{
    const struct giver *g = context;
    struct ets_tensor reference;
    uint8_t room[ETS_NUMBER_BYTES];
    ets_gap_take_random(g->report, result, replacement_out);
    const uint32_t node = ets_gap_graph_number(g->report->reference, result->node);
    if (node == GAP_NONE || result->output > 0 || result->iteration > 0) return ETS_OK;
    if (!ets_tensor_of_value(&result->value, ETS_SCALAR_LONG, room, &reference)) return ETS_OK;
    for (uint32_t pair = g->first[node]; pair != GAP_NONE; pair = g->next[pair]) {
        ETS_TRY(give(g, pair, &reference, error));
    }
    return ETS_OK;
}

static enum ets_status index_pairs(struct giver *g, struct ets_arena *arena,
                                   struct ets_error *error)
{
    const struct ets_gap_report *report = g->report;
    const uint32_t nodes = report->reference->node_count;
    g->first = ets_arena_alloc_array(arena, nodes, sizeof *g->first);
    g->next = ets_arena_alloc_array(arena, report->pair_count, sizeof *g->next);
    if (g->first == NULL || g->next == NULL) return gap_fail_memory(error);
    for (uint32_t i = 0; i < nodes; i++) g->first[i] = GAP_NONE;
    for (uint32_t i = report->pair_count; i-- > 0;) {
        const uint32_t node = ets_gap_graph_number(report->reference, report->pairs[i].node);
        g->next[i] = g->first[node];
        g->first[node] = i;
    }
    return ETS_OK;
}

enum ets_status ets_gap_upstream_evaluate(struct ets_gap_report *report,
                                          const struct ets_gap_evaluation *evaluation,
                                          ets_gap_pair_observer *observer, void *context,
                                          struct ets_error *error)
{
    const struct ets_gap_pair *pairs;
    struct giver giver = {.report = report, .observer = observer, .context = context};
    struct gap_evaluation e;
    struct ets_arena arena;
    uint32_t count;
    ETS_TRY(ets_gap_upstream_pairs(report, &pairs, &count, error));
    ets_arena_init(&arena, report->options.allocator, 0);
    enum ets_status status = index_pairs(&giver, &arena, error);
    if (status == ETS_OK) {
        status = ets_gap_evaluation_open(report, evaluation, &e, error);
        if (status == ETS_OK) {
            status =
                ets_reference_run(e.reference, e.inputs, e.input_count, observe, &giver, error);
            ets_reference_close(e.reference);
        }
    }
    ets_arena_reset(&arena);
    return status;
}
