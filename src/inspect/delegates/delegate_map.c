/*
 * Reads units from a backend's map in the ETRecord: identifier to debug handles. A map that names a
 * handle which the call does not own is not believed, nor that of a backend which numbers the nodes
 * of its own graph instead, such as Vulkan of ExecuTorch 1.5.1.
 */
#include "host/key_table.h"
#include "host/strings.h"
#include "inspect/delegates/delegate_units.h"
#include "payload/payload_store.h"
#include "record/record_maps.h"

#include <string.h>

/* Whether all handles of the units are among those of the call; also where these are not known. */
static enum ets_status owns_all(struct ets_arena *arena, const struct ets_delegate_call *call,
                                const struct ets_delegate_unit *units, uint32_t count,
                                bool *owns_out, struct ets_error *error)
{
    struct ets_key_table own;
    *owns_out = true;
    if (call->handle_count == 0) return ETS_OK;
    ets_key_table_init(&own, arena, 1);
    for (size_t i = 0; i < call->handle_count; i++) {
        const uint64_t key = (uint64_t)call->handles[i];
        if (ets_key_table_add(&own, &key) == ETS_KEY_NONE) return ets_fail_unit_memory(error);
    }
    for (uint32_t i = 0; i < count && *owns_out; i++) {
        for (size_t k = 0; k < units[i].handle_count && *owns_out; k++) {
            const uint64_t key = (uint64_t)units[i].handles[k];
            *owns_out = ets_key_table_find(&own, &key) != ETS_KEY_NONE;
        }
    }
    return ETS_OK;
}

/*
 * Core ML's operations of ExecuTorch 1.5.1, "output:operation": constants do no work, and casts are
 * put beside the operation that a node became.
 */
static bool is_operation(const struct ets_delegate_unit *unit, const char *operation)
{
    const size_t size = strlen(operation);
    const struct ets_text name = unit->event;
    return name.size > size && name.data[name.size - size - 1] == ':' &&
           memcmp(name.data + name.size - size, operation, size) == 0;
}

/* Who has the work of nodes that several units name: no constant, a cast only for want of others.
 */
static int claim(const struct ets_delegate_unit *unit)
{
    if (is_operation(unit, "const")) return 0;
    return is_operation(unit, "cast") ? 1 : 2;
}

/* Of units with the same handles one counts: the last of those with the best claim. */
static enum ets_status share_nodes(struct ets_arena *arena, struct ets_delegate_unit *units,
                                   uint32_t count, struct ets_error *error)
{
    struct ets_strings lists; /* handles, as bytes */
    uint32_t *owners = ets_arena_alloc_array(arena, (size_t)count + 1, sizeof *owners);
    if (owners == NULL || ets_strings_init(&lists, arena) != 0) return ets_fail_unit_memory(error);
    for (uint32_t i = 0; i < count; i++) {
        const struct ets_text list = {(const char *)units[i].handles,
                                      units[i].handle_count * sizeof *units[i].handles};
        if (list.size == 0) continue;
        const uint32_t known = lists.count;
        const uint32_t at = ets_strings_add(&lists, list);
        if (at == UINT32_MAX) return ets_fail_unit_memory(error);
        const bool is_first = at == known;
        units[i].is_counted_elsewhere = claim(&units[i]) == 0 || !is_first;
        if (is_first) owners[at] = i;
        if (is_first || claim(&units[i]) < claim(&units[owners[at]])) continue;
        units[owners[at]].is_counted_elsewhere = 1;
        units[i].is_counted_elsewhere = claim(&units[i]) == 0;
        owners[at] = i;
    }
    return ETS_OK;
}

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
    if (ets_payload_map_numbers_its_own(call->backend)) {
        units_out->reason = "the backend's map holds numbers of its own, no debug handles";
        return ETS_OK;
    }
    struct ets_delegate_unit *units = ets_arena_alloc_array(arena, count, sizeof *units);
    if (units == NULL) return ets_fail_unit_memory(error);
    for (uint32_t i = 0; i < count; i++) {
        const char *name =
            ets_etrecord_delegate_identifier(call->record, call->method, call->instruction, i);
        units[i] = (struct ets_delegate_unit){.event = {name, strlen(name)}, .tie = ETS_TIE_MAP};
        ets_etrecord_delegate_handles(call->record, call->method, call->instruction, units[i].event,
                                      &units[i].handles, &units[i].handle_count);
    }
    bool owns;
    ETS_TRY(owns_all(arena, call, units, count, &owns, error));
    if (!owns) {
        units_out->reason =
            "the backend's map names debug handles of operators outside of the call";
        return ETS_OK;
    }
    *units_out = (struct ets_delegate_units){.items = units, .count = count};
    return share_nodes(arena, units, count, error);
}

const struct ets_delegate_reader ets_delegate_map_reader = {read_map};
