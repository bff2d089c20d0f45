/* Random numbers: only the device has the numbers that it drew, so the reference uses them. */
#include "gap/gap_parts.h"
#include "reference/reference.h"

void ets_gap_take_random(const struct ets_gap_report *report,
                         const struct ets_reference_result *result,
                         struct ets_value *replacement_out)
{
    if (!result->is_random || replacement_out->kind != ETS_VALUE_NONE) return;
    const uint32_t node = ets_gap_graph_number(report->reference, result->node);
    if (node == GAP_NONE) return;
    const uint64_t key[] = {node, result->output, result->iteration};
    const uint32_t row = ets_key_table_find(&report->compared, key);
    if (row == ETS_KEY_NONE) return;
    const struct ets_gap_value *value = &report->values[report->compared_value[row]];
    if (value->captured.status != ETS_OK || value->is_view) return;
    *replacement_out =
        (struct ets_value){.kind = ETS_VALUE_TENSOR, .as.tensor = value->captured.tensor};
}
