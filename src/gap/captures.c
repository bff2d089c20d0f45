/* Reads the captured values of a run, with the data that identifies them. */
#include "gap/gap_parts.h"
#include "gap/insides.h"

enum { SHARED_TIMES = 64 }; /* limit of all values, in debug buffers */

/* The bytes of a plain number are in the iterator, so they are copied. */
static bool keep_number(struct ets_arena *arena, struct ets_captured_value *value)
{
    if (value->status != ETS_OK || value->offset >= 0 || value->tensor.data_bytes > 8) return true;
    if (value->tensor.data_bytes == 0 || value->tensor.data == NULL) return true;
    void *bytes = ets_arena_alloc(arena, value->tensor.data_bytes);
    if (bytes == NULL) return false;
    memcpy(bytes, value->tensor.data, value->tensor.data_bytes);
    value->tensor.data = bytes;
    return true;
}

static uint32_t count_values(const struct ets_gap_report *report,
                             const struct ets_captured_filter *filter)
{
    struct ets_captured_values values;
    struct ets_captured_value value;
    uint32_t count = 0;
    ets_captured_values_init(&values, report->options.inspection, report->options.debug_buffer,
                             filter);
    while (ets_captured_values_next(&values, &value)) count++;
    return count;
}

/* The number of earlier values of the same place in this run. */
static enum ets_status number_occurrences(struct ets_gap_report *report, struct ets_error *error)
{
    struct ets_key_table places; /* chain, instruction, delegate's part, index and item */
    struct ets_strings parts;
    ets_key_table_init(&places, &report->arena, 4);
    uint32_t *times = ets_arena_alloc_array(&report->arena, report->value_count, sizeof *times);
    if (times == NULL || ets_strings_init(&parts, &report->arena) != 0) {
        return gap_fail_memory(error);
    }
    for (uint32_t i = 0; i < report->value_count; i++) {
        const struct ets_captured_value *value = &report->values[i].captured;
        const uint32_t part = ets_strings_add(&parts, value->delegate_name);
        if (part == UINT32_MAX) return gap_fail_memory(error);
        const uint64_t key[] = {
            (uint64_t)value->chain << 1 | (value->is_output != 0),
            (uint64_t)(uint32_t)value->instruction << 32 | (uint32_t)value->delegate_id, part,
            (uint64_t)value->index << 32 | value->item};
        const uint32_t at = ets_key_table_add(&places, key);
        if (at == ETS_KEY_NONE) return gap_fail_memory(error);
        report->values[i].occurrence = times[at]++;
    }
    return ETS_OK;
}

/*
 * A tracer writes the bytes of each value separately. Only a crafted trace has values that are much
 * larger than its debug buffer, which would cause that much work.
 */
static enum ets_status check_sharing(const struct ets_gap_report *report, struct ets_error *error)
{
    const uint64_t floor = UINT64_C(1) << 30, room = report->options.debug_buffer.size;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < report->value_count; i++) {
        const struct ets_captured_value *value = &report->values[i].captured;
        if (value->status == ETS_OK && value->offset >= 0) bytes += value->tensor.data_bytes;
    }
    if (bytes <= floor || bytes / SHARED_TIMES <= room) return ETS_OK;
    return ets_fail(error, ETS_LIMIT, ETS_NO_OFFSET,
                    "the captured values of run %u have %llu bytes in total, over %d times the "
                    "debug buffer: they overlap",
                    report->run, (unsigned long long)bytes, SHARED_TIMES);
}

enum ets_status ets_gap_captures_read(struct ets_gap_report *report, struct ets_error *error)
{
    const struct ets_captured_filter filter = {
        .block = ETS_NO_INDEX, .run = report->run, .event = ETS_NO_INDEX};
    struct ets_captured_values values;
    const uint32_t count = count_values(report, &filter);
    report->values = ets_arena_alloc_array(&report->arena, count, sizeof *report->values);
    if (report->values == NULL) return gap_fail_memory(error);
    ets_captured_values_init(&values, report->options.inspection, report->options.debug_buffer,
                             &filter);
    while (report->value_count < count) {
        struct ets_captured_value *value = &report->values[report->value_count].captured;
        if (!ets_captured_values_next(&values, value)) break;
        if (!keep_number(&report->arena, value)) return gap_fail_memory(error);
        report->values[report->value_count].inside = ETS_NO_INDEX;
        report->values[report->value_count++].input = ETS_NO_INDEX;
    }
    ets_gap_mark_insides(report);
    ETS_TRY(check_sharing(report, error));
    return number_occurrences(report, error);
}

uint32_t ets_gap_value_count(const struct ets_gap_report *report)
{
    return report->value_count;
}

const struct ets_gap_value *ets_gap_value(const struct ets_gap_report *report, uint32_t index)
{
    return &report->values[index];
}
