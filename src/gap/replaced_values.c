/* The captured value of a computed one, and how it takes its place. */
#include <string.h>

#include "gap/gap_parts.h"

uint32_t ets_gap_row_of(const struct ets_gap_report *report,
                        const struct ets_reference_result *result)
{
    const uint32_t node = ets_gap_graph_number(report->reference, result->node);
    if (node == GAP_NONE) return GAP_NONE;
    const uint64_t key[] = {node, result->output, result->iteration};
    return ets_key_table_find(&report->compared, key);
}

static bool same_sizes(const struct ets_tensor *left, const struct ets_tensor *right)
{
    if (left->rank != right->rank) return false;
    for (uint32_t i = 0; i < left->rank; i++) {
        if (left->sizes[i] != right->sizes[i]) return false;
    }
    return true;
}

bool ets_gap_reshape(const struct ets_tensor *captured, const struct ets_tensor *reference,
                     struct ets_tensor *out)
{
    *out = *captured;
    if (same_sizes(captured, reference)) return true;
    if (ets_tensor_count(captured) != ets_tensor_count(reference)) return false;
    if (!ets_tensor_is_contiguous(captured)) return false;
    out->rank = reference->rank;
    memcpy(out->sizes, reference->sizes, sizeof out->sizes);
    ets_tensor_set_contiguous(out);
    return true;
}

void ets_gap_replace(const struct ets_gap_report *report, uint32_t row,
                     const struct ets_reference_result *result, struct ets_value *replacement_out)
{
    const struct ets_gap_value *value = report->rows[row].value;
    struct ets_tensor computed, device = value->captured.tensor;
    uint8_t room[ETS_NUMBER_BYTES];
    if (report->is_excluded[row] || value->captured.status != ETS_OK) return;
    if (ets_tensor_of_value(&result->value, ETS_SCALAR_LONG, room, &computed)) {
        if (result->value.kind != ETS_VALUE_TENSOR) return;
        if (!ets_gap_reshape(&value->captured.tensor, &computed, &device)) return;
    } else if (value->is_view) {
        return;
    }
    *replacement_out = (struct ets_value){.kind = ETS_VALUE_TENSOR, .as.tensor = device};
}
