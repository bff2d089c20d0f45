/* What to look at next: of each trace, with its program, and of programs without one. */
#include "base/error.h"
#include "base/text.h"
#include "memory/memory_plan.h"
#include "study/study.h"
#include "views/timed_blocks.h"

/* The method that ran longest in a trace; NULL: not known. */
static bool find_longest(struct ets_study *study, const struct ets_studied_trace *trace,
                         const char **method_out)
{
    struct ets_timed_blocks blocks;
    *method_out = NULL;
    if (!ets_timed_blocks_find(&study->arena, trace->inspection, ETS_NO_INDEX, ETS_NO_INDEX, 0,
                               &blocks)) {
        return false;
    }
    if (blocks.count == 0) return true;
    *method_out = ets_inspection_block(trace->inspection, blocks.items[0].block)->method;
    return true;
}

/* The plan of the method that ran longest; without a trace, of the one that takes most. */
static bool find_plan(struct ets_study *study, const struct ets_studied_findings *of,
                      const struct ets_memory_plan **plan_out)
{
    const char *longest = NULL;
    *plan_out = NULL;
    if (of->trace != ETS_NO_INDEX) {
        if (!find_longest(study, &study->traces[of->trace], &longest)) return false;
        if (longest == NULL) return true;
    }
    for (uint32_t i = 0; i < study->method_count; i++) {
        const struct ets_memory_plan *plan;
        if (study->methods[i].program != of->program) continue;
        if (longest != NULL && !ets_text_is(study->methods[i].method.name, longest)) continue;
        if (!ets_study_plan(study, i, &plan)) return false;
        const struct ets_memory_plan *most = *plan_out;
        if (plan == NULL || (most != NULL && plan->planned_bytes <= most->planned_bytes)) continue;
        *plan_out = plan;
    }
    return true;
}

/* Whether the trace is the first of its program: what several have in common is said once. */
static bool is_first_of_program(const struct ets_study *study, uint32_t trace)
{
    for (uint32_t i = 0; i < trace; i++) {
        if (study->sources.traces[i].program == study->sources.traces[trace].program) return false;
    }
    return true;
}

static uint32_t record_of(const struct ets_study *study, const struct ets_studied_findings *of)
{
    if (of->trace != ETS_NO_INDEX) return study->sources.traces[of->trace].record;
    return ets_study_record_of(study, of->program);
}

static enum ets_status find(struct ets_study *study, struct ets_studied_findings *of,
                            struct ets_error *error)
{
    const struct ets_memory_options order = {.delegation = NULL};
    const struct ets_memory_plan *plan;
    const bool has_trace = of->trace != ETS_NO_INDEX;
    const bool has_bytes =
        of->program != ETS_NO_INDEX && (!has_trace || is_first_of_program(study, of->trace));
    if (!find_plan(study, of, &plan)) return ets_fail_memory(error, "the findings");
    if (plan != NULL) {
        struct ets_memory_lines *lines = ets_arena_alloc(&study->arena, sizeof *lines);
        if (lines == NULL || !ets_memory_lines_collect(&study->arena, plan, &order, lines)) {
            return ets_fail_memory(error, "the findings");
        }
        of->memory = lines;
    }
    const uint32_t record = record_of(study, of);
    if (has_trace && study->sources.machine != NULL &&
        !ets_study_headrooms(study, &study->traces[of->trace])) {
        return ets_fail_memory(error, "the findings");
    }
    const struct ets_findings_subject subject = {
        .inspection = has_trace ? study->traces[of->trace].inspection : NULL,
        .program =
            of->program == ETS_NO_INDEX ? NULL : study->sources.programs[of->program].program,
        .record = record == ETS_NO_INDEX ? NULL : study->sources.records[record].record,
        .memory = of->memory,
        .bytes = has_bytes ? study->byte_maps[of->program] : NULL,
        .headrooms = has_trace ? study->traces[of->trace].headrooms : NULL,
        .words = study->sources.words,
        .one_thread = has_trace ? study->sources.one_thread : NULL,
        .gap = has_trace && study->sources.gaps != NULL ? study->sources.gaps[of->trace] : NULL};
    return ets_findings_collect(&study->arena, &subject, &of->found, error);
}

static bool has_trace_of(const struct ets_study *study, uint32_t program)
{
    for (uint32_t i = 0; i < study->sources.trace_count; i++) {
        if (study->sources.traces[i].program == program) return true;
    }
    return false;
}

enum ets_status ets_study_findings(struct ets_study *study, struct ets_error *error)
{
    const struct ets_study_sources *sources = &study->sources;
    uint32_t count = 0;
    if (study->findings != NULL) return ETS_OK;
    ETS_TRY(ets_study_byte_maps(study, error));
    const size_t most = (size_t)sources->trace_count + sources->program_count + 1;
    struct ets_studied_findings *all = ets_arena_alloc_array(&study->arena, most, sizeof *all);
    if (all == NULL) return ets_fail_memory(error, "the findings");
    for (uint32_t i = 0; i < sources->trace_count; i++) {
        all[count] =
            (struct ets_studied_findings){.trace = i, .program = sources->traces[i].program};
        ETS_TRY(find(study, &all[count++], error));
    }
    for (uint32_t i = 0; i < sources->program_count; i++) {
        if (has_trace_of(study, i)) continue;
        all[count] = (struct ets_studied_findings){.trace = ETS_NO_INDEX, .program = i};
        ETS_TRY(find(study, &all[count++], error));
    }
    study->findings = all;
    study->findings_count = count;
    return ETS_OK;
}
