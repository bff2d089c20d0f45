/* The inputs that the reference takes: those of the run, if the trace keeps them, or others. */
#include "gap/gap_parts.h"
#include "inspect/given_inputs.h"
#include "inspect/inspection.h"
#include "reference/weights.h"

/* The number of the first input for which delegates had other numbers than the reference. */
void ets_gap_check_inputs(struct ets_gap_report *report, const struct gap_evaluation *e)
{
    report->verdict.other_input = ETS_NO_INDEX;
    report->has_same_input = false;
    for (uint32_t i = 0; i < report->value_count; i++) {
        const struct ets_gap_value *value = &report->values[i];
        struct ets_comparison comparison;
        struct ets_tensor given, captured = value->captured.tensor;
        uint8_t room[ETS_NUMBER_BYTES];
        if (value->input >= e->input_count || value->captured.status != ETS_OK) continue;
        if (!ets_tensor_of_value(&e->inputs[value->input], ETS_SCALAR_LONG, room, &given)) continue;
        if (ets_comparison_of(&given, &captured, &comparison, NULL) == ETS_OK &&
            comparison.unequal_count == 0) {
            report->has_same_input |= ets_tensor_count(&given) > 1;
            continue;
        }
        report->verdict.other_input = value->input;
        return;
    }
}

/* What the run was given, if its trace keeps that; `*count_out` 0: it does not. */
static enum ets_status given_inputs(const struct ets_gap_report *report,
                                    struct ets_value **inputs_out, size_t *count_out,
                                    struct ets_error *error)
{
    const struct ets_run *run = ets_inspection_run(report->options.inspection, report->run);
    struct ets_arena *arena = (struct ets_arena *)(uintptr_t)&report->arena;
    return ets_given_inputs_read(arena, report->options.inspection, report->method,
                                 run->bundled_input_index, inputs_out, count_out, error);
}

enum ets_status ets_gap_record_inputs(const struct ets_gap_report *report,
                                      const struct ets_value **inputs_out, size_t *count_out,
                                      struct ets_error *error)
{
    struct ets_value *given;
    ETS_TRY(given_inputs(report, &given, count_out, error));
    if (*count_out > 0) {
        *inputs_out = given;
        return ETS_OK;
    }
    const enum ets_status status =
        ets_etrecord_representative_inputs(report->options.record, inputs_out, count_out, error);
    if (status == ETS_NOT_FOUND) {
        return ets_fail_advising(error, ETS_ADVICE_INPUTS, status, ETS_NO_OFFSET,
                                 "the record has no representative inputs");
    }
    ETS_TRY(status);
    const size_t taken = ets_gap_input_count(report);
    if (*count_out > taken) *count_out = taken; /* further cases */
    return ETS_OK;
}

size_t ets_gap_input_count(const struct ets_gap_report *report)
{
    const struct ets_graph *graph = ets_gap_reference(report);
    size_t count = 0;
    for (uint32_t i = 0; i < graph->input_count; i++) {
        count += ets_reference_input_is_given(&graph->inputs[i]);
    }
    return count;
}

/* Whether the trace says what the run was given, and the reference takes that. */
enum ets_status ets_gap_find_kept_inputs(struct ets_gap_report *report,
                                         const struct ets_gap_evaluation *evaluation,
                                         struct ets_error *error)
{
    struct ets_value *kept;
    size_t count = 0;
    if (evaluation->inputs == NULL) ETS_TRY(given_inputs(report, &kept, &count, error));
    report->keeps_inputs = count > 0;
    return ETS_OK;
}
