/* The rows of compared values: made empty, and shown. */
#include <math.h>

#include "gap/gap_parts.h"

enum ets_status ets_gap_make_rows(struct ets_gap_report *report, struct ets_error *error)
{
    const uint32_t count = report->compared.count;
    report->rows = ets_arena_alloc_array(&report->arena, count, sizeof *report->rows);
    report->order = ets_arena_alloc_array(&report->arena, count, sizeof *report->order);
    report->place_in_order = ets_arena_alloc_array(&report->arena, count, sizeof(uint32_t));
    report->is_excluded = ets_arena_alloc_array(&report->arena, count, sizeof(bool));
    report->refusals = ets_arena_alloc_array(&report->arena, report->options.comparator_count,
                                             sizeof *report->refusals);
    report->pictured = ets_arena_alloc_array(&report->arena, report->options.pictures,
                                             sizeof(struct ets_gap_row *));
    if (report->rows == NULL || report->order == NULL || report->place_in_order == NULL ||
        report->is_excluded == NULL || report->refusals == NULL || report->pictured == NULL) {
        return gap_fail_memory(error);
    }
    report->row_count = report->picture_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct ets_gap_value *value = &report->values[report->compared_value[i]];
        const struct ets_captured_value *captured = &value->captured;
        report->place_in_order[i] = GAP_NONE;
        report->rows[i] = (struct ets_gap_row){.value = value,
                                               .same_bits = -1,
                                               .own_error = NAN,
                                               .own_correlation = NAN,
                                               .share = NAN,
                                               .rest = NAN,
                                               .threshold = NAN,
                                               .rounding = NAN};
        if (captured->has_statistics) report->rows[i].reason = "only its statistics were captured";
        else if (captured->status != ETS_OK) report->rows[i].reason = captured->reason.message;
    }
    return ETS_OK;
}

uint32_t ets_gap_row_count(const struct ets_gap_report *report)
{
    return gap_shown(report)->row_count;
}

const struct ets_comparator *const *ets_gap_comparators(const struct ets_gap_report *report,
                                                        uint32_t *count_out)
{
    *count_out = report->options.comparator_count;
    return report->options.comparators;
}

const char *ets_gap_comparator_reason(const struct ets_gap_report *report, uint32_t index)
{
    report = gap_shown(report);
    return report->refusals != NULL ? report->refusals[index] : NULL;
}

const struct ets_gap_row *ets_gap_row(const struct ets_gap_report *report, uint32_t index)
{
    report = gap_shown(report);
    return &report->rows[report->order[index]];
}
