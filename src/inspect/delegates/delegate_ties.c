/* Ties events of delegates to units of the call, or to the call as a whole. */
#include <string.h>

#include "inspect/delegates/delegate_units.h"
#include "inspect/inspection.h"

/* Nodes that events may have from their whole calls: half of what may be listed (handle_index.c).
 */
enum { MOST_OF_CALLS = 1 << 21 };

/* The backend of a call, from the record or else the program. */
static struct ets_text backend_of(const struct ets_inspection *inspection,
                                  const struct ets_known_method *method, int64_t instruction)
{
    const char *name = method->in_record ? ets_etrecord_backend(inspection->options.record,
                                                                method->name, instruction)
                                         : NULL;
    struct ets_instruction step;
    if (name != NULL) return (struct ets_text){name, strlen(name)};
    if (!method->in_program || instruction < 0 ||
        instruction >= (int64_t)method->chain.instruction_count) {
        return (struct ets_text){NULL, 0};
    }
    ets_chain_instruction(&method->chain, (uint32_t)instruction, &step);
    return step.kind == ETS_INSTRUCTION_DELEGATE_CALL ? step.name : (struct ets_text){NULL, 0};
}

/* The units of a call, read once for all blocks and rows. */
static enum ets_status units_of(struct ets_inspection *inspection, struct ets_known_method *method,
                                int64_t instruction, const struct ets_delegate_units **units_out,
                                struct ets_error *error)
{
    const uint64_t key = (uint64_t)instruction;
    const uint32_t known = method->calls.count;
    const uint32_t at = ets_key_table_add(&method->calls, &key);
    if (at == ETS_KEY_NONE) return ets_fail_memory(error, "a delegate call's operators");
    if (at < known) {
        *units_out = method->units[at];
        return ETS_OK;
    }
    if (at >= method->unit_capacity) {
        const uint32_t capacity = at < 8 ? 16 : 2 * at;
        const struct ets_delegate_units **units =
            ets_arena_alloc_array(&inspection->arena, capacity, sizeof *units);
        if (units == NULL) return ets_fail_memory(error, "a delegate call's operators");
        if (at > 0) memcpy(units, method->units, at * sizeof *units);
        method->units = units;
        method->unit_capacity = capacity;
    }
    struct ets_delegate_units *units = ets_arena_alloc(&inspection->arena, sizeof *units);
    if (units == NULL) return ets_fail_memory(error, "a delegate call's operators");
    struct ets_delegate_call call = {
        .record = method->in_record ? inspection->options.record : NULL,
        .method = method->name,
        .instruction = instruction,
        .backend = backend_of(inspection, method, instruction),
        .nodes = method->graph != NULL ? &method->nodes : NULL,
        .payloads = &inspection->payloads,
        .budget = &inspection->payload_budget,
    };
    if (call.record != NULL) {
        ets_etrecord_handles(call.record, method->name, instruction, &call.handles,
                             &call.handle_count, NULL);
    }
    if (method->in_program) call.payload = ets_payload_of(&method->chain, instruction);
    ETS_TRY(ets_delegate_units_read(&inspection->arena, &call, units, error));
    method->units[at] = *units_out = units;
    return ETS_OK;
}

const struct ets_delegate_unit *ets_row_unit(const struct ets_inspection *inspection,
                                             const struct ets_row *row)
{
    const struct ets_known_method *method = inspection->block_method[row->block];
    const uint64_t key = (uint64_t)row->instruction;
    if (method == NULL || row->unit == ETS_NO_INDEX) return NULL;
    const uint32_t at = ets_key_table_find(&method->calls, &key);
    return at == ETS_KEY_NONE ? NULL : &method->units[at]->items[row->unit];
}

/*
 * Whether each event may have all nodes of its call: for a delegate with thousands of operators
 * that is the product. The call itself always has them.
 */
static bool has_room(struct ets_inspection *inspection, const struct ets_known_method *method,
                     int32_t instruction, uint64_t events)
{
    const int64_t *handles;
    size_t count = 0;
    if (!method->in_record) return false;
    ets_etrecord_handles(inspection->options.record, method->name, instruction, &handles, &count,
                         NULL);
    if (events * count > MOST_OF_CALLS - inspection->whole_calls) return false;
    inspection->whole_calls += events * count;
    return true;
}

static void tie_to_call(const struct ets_inspection *inspection,
                        const struct ets_known_method *method, const char *reason, bool has_nodes,
                        struct ets_row *row)
{
    row->tie = ETS_TIE_CALL;
    row->tie_reason = reason;
    if (has_nodes) {
        ets_etrecord_handles(inspection->options.record, method->name, row->instruction,
                             &row->handles, &row->handle_count, NULL);
    }
}

static void tie_to_unit(const struct ets_delegate_units *units, struct ets_unit_match match,
                        struct ets_row *row)
{
    const struct ets_delegate_unit *unit = &units->items[match.unit];
    row->tie = match.is_added ? ETS_TIE_NEAR : unit->tie;
    row->handles = unit->handles;
    row->handle_count = unit->handle_count;
    if (match.is_added) {
        row->tie_reason =
            "a conversion added by the runtime: the processor cannot compute with these 16-bit "
            "floats";
        return;
    }
    row->unit = match.unit;
    if (unit->tie != ETS_TIE_MAP) row->operation = unit->event;
    row->payload_nodes = unit->payload_nodes;
    row->payload_node_count = unit->payload_node_count;
}

static enum ets_status tie_call(struct ets_inspection *inspection, struct ets_known_method *method,
                                struct ets_row *rows, uint32_t count, struct ets_error *error)
{
    const struct ets_delegate_units *units = NULL;
    const char *reason;
    ETS_TRY(units_of(inspection, method, rows[0].instruction, &units, error));
    struct ets_text *names = ets_arena_alloc_array(&inspection->arena, count, sizeof *names);
    struct ets_unit_match *matches =
        ets_arena_alloc_array(&inspection->arena, count, sizeof *matches);
    if (names == NULL || matches == NULL)
        return ets_fail_memory(error, "a delegate call's operators");
    for (uint32_t i = 0; i < count; i++) names[i] = ets_row_identifier(&rows[i]);
    ETS_TRY(
        ets_delegate_units_match(&inspection->arena, units, names, count, matches, &reason, error));
    uint32_t untied = 0;
    for (uint32_t i = 0; i < count; i++) untied += matches[i].unit == ETS_NO_INDEX;
    const bool has_nodes = has_room(inspection, method, rows[0].instruction, untied);
    for (uint32_t i = 0; i < count; i++) {
        if (matches[i].unit != ETS_NO_INDEX) tie_to_unit(units, matches[i], &rows[i]);
        else tie_to_call(inspection, method, reason, has_nodes, &rows[i]);
    }
    return ets_rows_tie_named(inspection, method, units, rows, count, error);
}

enum ets_status ets_rows_tie_delegates(struct ets_inspection *inspection, struct ets_error *error)
{
    for (uint32_t i = 0; i < inspection->row_count;) { /* rows of one call are adjacent */
        struct ets_row *first = &inspection->rows[i];
        struct ets_known_method *method = inspection->block_method[first->block];
        uint32_t end = i + 1;
        if (method == NULL || first->chain != 0 || !first->is_delegated) {
            i = end;
            continue;
        }
        while (end < inspection->row_count && inspection->rows[end].is_delegated &&
               inspection->rows[end].block == first->block && inspection->rows[end].chain == 0 &&
               inspection->rows[end].instruction == first->instruction) {
            end++;
        }
        ETS_TRY(tie_call(inspection, method, first, end - i, error));
        i = end;
    }
    return ETS_OK;
}

enum ets_status ets_delegate_call_fit(struct ets_inspection *inspection,
                                      struct ets_known_method *method, uint32_t call_row,
                                      enum ets_payload_fit *fit_out, struct ets_error *error)
{
    const struct ets_row *call = &inspection->rows[call_row];
    const struct ets_delegate_units *units;
    uint32_t count = 0, first = call_row;
    *fit_out = ETS_FIT_UNKNOWN;
    ETS_TRY(units_of(inspection, method, call->instruction, &units, error));
    while (first > 0 && inspection->rows[first - 1].parent == call_row) first--;
    struct ets_text *names =
        ets_arena_alloc_array(&inspection->arena, call_row - first, sizeof *names);
    struct ets_unit_match *matches =
        ets_arena_alloc_array(&inspection->arena, call_row - first, sizeof *matches);
    if (names == NULL || matches == NULL) {
        return ets_fail_memory(error, "a delegate call's operators");
    }
    for (uint32_t i = first; i < call_row; i++) {
        if (inspection->rows[i].is_delegated)
            names[count++] = ets_row_identifier(&inspection->rows[i]);
    }
    if (count == 0 || units->count == 0 || units->reason != NULL) return ETS_OK;
    const char *reason;
    ETS_TRY(
        ets_delegate_units_match(&inspection->arena, units, names, count, matches, &reason, error));
    *fit_out = reason == NULL ? ETS_FIT_YES : ETS_FIT_NO;
    return ETS_OK;
}
