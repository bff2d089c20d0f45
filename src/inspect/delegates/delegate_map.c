/* Reads units from a backend's map in the ETRecord: identifier to debug handles. */
#include "inspect/delegates/delegate_units.h"
#include "record/record_maps.h"

#include <string.h>

static enum ets_status read_map(struct ets_arena *arena, const struct ets_delegate_call *call,
                                struct ets_delegate_units *units_out, struct ets_error *error)
{
    if (call->record == NULL) return ETS_OK;
    uint32_t count = 0;
    while (ets_etrecord_delegate_identifier(call->record, call->method, call->instruction, count) !=
           NULL) {
        count++;
    }
    if (count == 0) return ETS_OK;
    struct ets_delegate_unit *units = ets_arena_alloc_array(arena, count, sizeof *units);
    if (units == NULL) return ets_fail_unit_memory(error);
    for (uint32_t i = 0; i < count; i++) {
        const char *name =
            ets_etrecord_delegate_identifier(call->record, call->method, call->instruction, i);
        units[i] = (struct ets_delegate_unit){.event = {name, strlen(name)}, .tie = ETS_TIE_MAP};
        ets_etrecord_delegate_handles(call->record, call->method, call->instruction, units[i].event,
                                      &units[i].handles, &units[i].handle_count);
    }
    *units_out = (struct ets_delegate_units){.items = units, .count = count};
    return ETS_OK;
}

const struct ets_delegate_reader ets_delegate_map_reader = {NULL, read_map};
