/* Reads what the identifiers of delegates' events say, and shortens names that are data. */
#include "inspect/inspection.h"
#include "payload/payload_identifiers.h"

static bool know(struct ets_inspection *inspection, uint32_t row,
                 const struct ets_payload_identifier *said)
{
    if (inspection->said == NULL) {
        inspection->said = ets_arena_alloc_array(&inspection->arena, inspection->row_count,
                                                 sizeof *inspection->said);
        if (inspection->said == NULL) return false;
        for (uint32_t i = 0; i < inspection->row_count; i++) inspection->said[i].number = -1;
    }
    inspection->said[row] = *said;
    if (said->label.data == NULL) return true;
    inspection->rows[row].identifier = inspection->rows[row].name;
    inspection->rows[row].name = said->label;
    return true;
}

/* Whether a backend logged it: as a delegate's event, or as an ordinary one within its call. */
static bool is_reported(const struct ets_inspection *inspection, const struct ets_row *row)
{
    if (row->is_delegated) return row->delegate_name.size > 0;
    return row->chain != -1 && row->name.size > 0 &&
           ets_text_is(inspection->rows[row->parent].name, "DELEGATE_CALL");
}

enum ets_status ets_rows_read_identifiers(struct ets_inspection *inspection,
                                          struct ets_error *error)
{
    for (uint32_t i = 0; i < inspection->row_count; i++) {
        const struct ets_row *row = &inspection->rows[i];
        struct ets_payload_identifier said;
        if (row->parent == ETS_NO_INDEX || !is_reported(inspection, row)) continue;
        const uint32_t first = inspection->row_events[inspection->row_event_start[i]];
        ETS_TRY(ets_payload_identifier_read(&inspection->arena, ets_text_of(row->backend),
                                            row->name, ets_inspection_metadata(inspection, first),
                                            &said, error));
        if (said.measure == ETS_PAYLOAD_TIME) continue;
        if (!know(inspection, i, &said)) return ets_fail_memory(error, "what delegates report");
    }
    return ETS_OK;
}
