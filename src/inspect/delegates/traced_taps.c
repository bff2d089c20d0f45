/* Which values of a trace are from within a delegate call. */
#include "base/text.h"
#include "format/tap_marker.h"
#include "inspect/delegates/inner_values.h"
#include "inspect/inspection.h"

static bool find_delegate(const struct ets_inspection *inspection, uint32_t block, int64_t chain,
                          int32_t instruction, struct ets_delegate *delegate_out)
{
    const struct ets_known_method *method = inspection->block_method[block];
    if (method == NULL || !method->in_program || instruction < 0 ||
        (int64_t)method->chain.index != chain ||
        (uint32_t)instruction >= method->chain.instruction_count) {
        return false;
    }
    struct ets_instruction found;
    ets_chain_instruction(&method->chain, (uint32_t)instruction, &found);
    if (found.delegate_index < 0) return false;
    ets_method_delegate(&method->chain.method, (uint32_t)found.delegate_index, delegate_out);
    return true;
}

bool ets_inspection_taps(const struct ets_inspection *inspection, uint32_t block, int64_t chain,
                         int32_t instruction, struct ets_call_taps *taps_out)
{
    struct ets_delegate delegate;
    struct ets_tap_marker marker;
    const struct ets_known_method *method = inspection->block_method[block];
    const struct ets_text name =
        method == NULL ? (struct ets_text){NULL, 0} : ets_text_of(method->name);
    if (inspection->has_extra &&
        ets_call_taps_find(&inspection->extra, name, chain, instruction, taps_out)) {
        return true;
    }
    if (!find_delegate(inspection, block, chain, instruction, &delegate) ||
        !ets_delegate_taps(&delegate, &marker)) {
        return false;
    }
    *taps_out = (struct ets_call_taps){.method = name,
                                       .chain = (uint32_t)chain,
                                       .instruction = (uint32_t)instruction,
                                       .first_argument = marker.first_argument,
                                       .count = marker.count,
                                       .ids = marker.ids};
    return true;
}

enum ets_status ets_inspection_payload(struct ets_inspection *inspection, uint32_t block,
                                       int64_t chain, int32_t instruction,
                                       const struct ets_payload_graph **payload_out,
                                       struct ets_error *error)
{
    struct ets_delegate delegate;
    *payload_out = NULL;
    if (!find_delegate(inspection, block, chain, instruction, &delegate)) return ETS_OK;
    return ets_payload_store_read(&inspection->payloads, &delegate, payload_out, NULL, error);
}

uint32_t ets_payload_value_of_id(const struct ets_payload_graph *payload, uint32_t id)
{
    for (uint32_t i = 0; i < payload->value_count; i++) {
        if (payload->values[i].id == id) return i;
    }
    return ETS_PAYLOAD_NONE;
}
