/* Events of runtimes that report phases of a call, or estimates, and no more. */
#include "base/text.h"
#include "format/json_cursor.h"
#include "payload/payload_reader.h"

/* VGF: phases of loading and of a call, by the processor's clock. */
enum ets_status ets_payload_vgf_identifier(struct ets_arena *arena, struct ets_text identifier,
                                           struct ets_bytes metadata,
                                           struct ets_payload_identifier *said,
                                           struct ets_error *error)
{
    (void)arena, (void)metadata, (void)error;
    if (ets_text_starts_with(identifier, "VGF_")) said->measure = ETS_PAYLOAD_PHASE;
    return ETS_OK;
}

/* Ethos-U: ordinary events within the call; what is inside of another begins with "+". */
enum ets_status ets_payload_vela_identifier(struct ets_arena *arena, struct ets_text identifier,
                                            struct ets_bytes metadata,
                                            struct ets_payload_identifier *said,
                                            struct ets_error *error)
{
    (void)arena, (void)metadata, (void)error;
    if (ets_text_starts_with(identifier, "EthosUBackend::") ||
        ets_text_starts_with(identifier, "+EthosUBackend::")) {
        said->measure = ETS_PAYLOAD_PHASE;
    }
    return ETS_OK;
}

/*
 * Core ML: the runtime times the whole prediction and divides it among the operations by the cost
 * that Core ML estimated for each, which is in the metadata.
 */
enum ets_status ets_payload_coreml_identifier(struct ets_arena *arena, struct ets_text identifier,
                                              struct ets_bytes metadata,
                                              struct ets_payload_identifier *said,
                                              struct ets_error *error)
{
    struct ets_json_cursor cursor = {.text = {(const char *)metadata.data, metadata.size}};
    (void)arena, (void)identifier, (void)error;
    if (metadata.size > 0 && ets_json_cursor_find(&cursor, "estimatedCost")) {
        said->measure = ETS_PAYLOAD_ESTIMATE;
    }
    return ETS_OK;
}
