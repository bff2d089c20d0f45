/* Says what to change in what is studied, and what that would save. */
#include "study/study_advice.h"

#include "base/error.h"

enum ets_status ets_study_coverage(struct ets_study *study, bool allows_mismatch,
                                   struct ets_advice_coverage *coverage_out,
                                   struct ets_error *error)
{
    const struct ets_study_sources *sources = &study->sources;
    return ets_advice_coverage_find(
        sources->program_count > 0 ? sources->programs[0].program : NULL,
        sources->record_count > 0 ? sources->records[0].record : NULL, allows_mismatch,
        &study->arena, coverage_out, error);
}

enum ets_status ets_study_advise(struct ets_study *study, bool all, struct ets_study_advice *advice,
                                 struct ets_error *error)
{
    const struct ets_studied_trace *trace = study->sources.trace_count > 0 ? study->traces : NULL;
    const struct ets_inspection *inspection = trace == NULL ? NULL : trace->inspection;
    struct ets_text_builder text = {advice->headline, sizeof advice->headline, 0};
    ETS_TRY(ets_study_findings(study, error));
    if (study->findings_count == 0) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET, "there is nothing to examine");
    }
    advice->of = study->findings;
    const struct ets_findings *found = &advice->of->found;
    advice->shown = ets_arena_alloc_array(&study->arena, found->count, sizeof *advice->shown);
    if (advice->shown == NULL ||
        !ets_saving_total_find(&study->arena, inspection, found, &advice->total)) {
        return ets_fail_memory(error, "the advice");
    }
    advice->count = 0;
    for (uint32_t i = 0; i < found->count; i++) {
        const struct ets_finding *finding = &found->items[i];
        if (all || ets_finding_is_shown(finding)) advice->shown[advice->count++] = finding;
    }
    advice->tick_ns = trace != NULL && trace->unit == ETS_UNIT_NS ? trace->tick : 0;
    return ets_advice_headline(&study->arena, inspection, &advice->total, &advice->coverage,
                               advice->tick_ns, &text, &advice->is_undecided)
               ? ETS_OK
               : ets_fail_memory(error, "the advice");
}
