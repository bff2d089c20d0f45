/*
 * Finds buffers that earlier runs may have changed. The reference starts with the record's values,
 * so values computed from these buffers may differ although no operator is wrong.
 */
#include <string.h>

#include "base/text.h"
#include "gap/gap_parts.h"
#include "inspect/inspection.h"

struct ets_text ets_gap_run_method(const struct ets_gap_report *report, const struct ets_run *run)
{
    if (run->method.data != NULL || run->block == ETS_NO_INDEX) return run->method;
    const struct ets_known_method *known = report->options.inspection->block_method[run->block];
    return known != NULL ? ets_text_of(known->name) : (struct ets_text){NULL, 0};
}

bool ets_gap_ran_before(const struct ets_gap_report *report, const char *method)
{
    const struct ets_inspection *inspection = report->options.inspection;
    const struct ets_run *compared = ets_inspection_run(inspection, report->run);
    const struct ets_text name = {method, strlen(method)};
    const bool is_own = report->method != NULL && strcmp(report->method, method) == 0;
    if (is_own && compared->method.data != NULL && compared->invocation > 0) return true;
    for (uint32_t i = 0; i < report->run; i++) {
        const struct ets_run *run = ets_inspection_run(inspection, i);
        if (run->purpose == ETS_TRACE_LOAD || run->block == ETS_NO_INDEX) continue;
        const struct ets_text own = ets_gap_run_method(report, run);
        if (own.data != NULL && ets_text_equal(own, name)) return true;
    }
    return false;
}

/* Marks the reference's buffers that `graph` updates. */
static void mark(struct ets_gap_report *report, const struct ets_graph *graph)
{
    const struct ets_graph *reference = report->reference->graph;
    for (uint32_t i = 0; i < graph->output_count; i++) {
        const struct ets_graph_output *output = &graph->outputs[i];
        if (output->role != ETS_OUTPUT_BUFFER_MUTATION || output->target.data == NULL) continue;
        for (uint32_t k = 0; k < reference->input_count; k++) {
            const struct ets_graph_input *input = &reference->inputs[k];
            if (input->role == ETS_INPUT_BUFFER && input->source.data != NULL &&
                ets_text_equal(input->source, output->target)) {
                report->is_changed[k] = true;
            }
        }
    }
}

enum ets_status ets_gap_find_changed(struct ets_gap_report *report, struct ets_error *error)
{
    struct ets_etrecord *record = report->options.record;
    const char *method;
    report->is_changed =
        ets_arena_alloc_array(&report->arena, report->reference->graph->input_count, sizeof(bool));
    if (report->is_changed == NULL) return gap_fail_memory(error);
    for (size_t i = 0; (method = ets_etrecord_method_name(record, i)) != NULL; i++) {
        const struct ets_graph *graph;
        if (!ets_gap_ran_before(report, method)) continue;
        if (ets_etrecord_edge_graph(record, method, &graph, NULL) == ETS_OK) mark(report, graph);
    }
    return ETS_OK;
}
