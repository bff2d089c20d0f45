/* Finds which captured values are outputs of the model, and counts those that were compared. */
#include "gap/gap_parts.h"

/* The place of output `index` in the reference; false: it is no value that a node computes. */
static bool place_of(const struct ets_gap_report *report, uint32_t index,
                     struct gap_place *place_out)
{
    const struct ets_graph_output *output = &report->reference->graph->outputs[index];
    if (output->role != ETS_OUTPUT_USER) return false;
    const uint32_t value = ets_gap_graph_value(report->reference, 0, output->argument.name);
    if (value == GAP_NONE || report->reference->places[value].node == GAP_NONE) return false;
    *place_out = report->reference->places[value];
    return true;
}

/* The number of its row, or GAP_NONE. */
static uint32_t row_at(const struct ets_gap_report *report, struct gap_place place)
{
    const uint64_t key[] = {place.node, place.output, 0};
    const uint32_t row = ets_key_table_find(&report->compared, key);
    return row == ETS_KEY_NONE ? GAP_NONE : row;
}

enum ets_status ets_gap_outputs_find(struct ets_gap_report *report, struct ets_error *error)
{
    const struct ets_graph *graph = report->reference->graph;
    struct gap_place place;
    report->is_output = ets_arena_alloc_array(&report->arena, report->compared.count, sizeof(bool));
    if (report->is_output == NULL) return gap_fail_memory(error);
    for (uint32_t i = 0; i < graph->output_count; i++) {
        const uint32_t row = place_of(report, i, &place) ? row_at(report, place) : GAP_NONE;
        if (row != GAP_NONE) report->is_output[row] = true;
    }
    return ETS_OK;
}

/* Why an output has no row. */
static const char *reason_of(const struct ets_gap_report *report, uint32_t index)
{
    for (uint32_t i = 0; i < report->value_count; i++) {
        const struct ets_gap_value *value = &report->values[i];
        if (!value->captured.is_output || value->captured.index != index) continue;
        return value->reason != NULL ? value->reason : "it could not be compared";
    }
    return report->verdict.against == ETS_GAP_AGAINST_OTHER
               ? "it has no counterpart, or was not captured"
               : "it was not captured";
}

static void count(struct ets_gap_report *report, struct gap_place place, uint32_t index)
{
    struct ets_gap_conclusion *verdict = &report->verdict;
    const uint32_t number = row_at(report, place);
    const struct ets_gap_row *row = number == GAP_NONE ? NULL : &report->rows[number];
    const bool is_compared = row != NULL && row->has_total && row->finding != ETS_GAP_UNKNOWN;
    verdict->output_count++;
    if (is_compared) {
        const bool agrees = row->finding == ETS_GAP_AGREES || row->finding == ETS_GAP_INEXACT;
        const bool says_the_same =
            row->largest.moved == 0 || verdict->against != ETS_GAP_AGAINST_OTHER;
        verdict->outputs_compared++;
        verdict->outputs_agreeing += agrees && says_the_same;
    } else if (verdict->uncompared_output == NULL) {
        verdict->uncompared_output = report->reference->nodes[place.node];
        verdict->uncompared_reason =
            row != NULL && row->reason != NULL ? row->reason : reason_of(report, index);
    }
}

void ets_gap_outputs_count(struct ets_gap_report *report)
{
    const struct ets_graph *graph = report->reference->graph;
    struct ets_gap_conclusion *verdict = &report->verdict;
    struct gap_place place;
    uint32_t index = 0;
    verdict->output_count = verdict->outputs_compared = verdict->outputs_agreeing = 0;
    verdict->uncompared_output = NULL;
    verdict->uncompared_reason = NULL;
    for (uint32_t i = 0; i < graph->output_count; i++) {
        if (place_of(report, i, &place)) count(report, place, index);
        index += graph->outputs[i].role == ETS_OUTPUT_USER;
    }
}
