/* Which values of a trace are from within a delegate call. */
#include "base/load.h"
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

/* What the extra block tells of calls, each entry read once. */
struct told_taps {
    struct ets_strings methods;
    struct ets_key_table calls; /* number of the method's name, chain, instruction -> */
    struct ets_call_taps *items;
    uint32_t room;
};

static enum ets_status read_told(struct ets_inspection *inspection, struct told_taps *told,
                                 struct ets_error *error)
{
    struct ets_call_taps taps;
    struct ets_arena *arena = &inspection->arena;
    ets_key_table_init(&told->calls, arena, 3);
    if (!inspection->has_extra) return ETS_OK;
    for (size_t at = 0; ets_call_taps_next(&inspection->extra, &at, &taps);) {
        if (told->calls.count == 0 && ets_strings_init(&told->methods, arena) != 0) {
            return ets_fail_memory(error, "the values of a delegate");
        }
        const uint64_t key[] = {ets_strings_add(&told->methods, taps.method), taps.chain,
                                taps.instruction};
        const uint32_t known = told->calls.count;
        const uint32_t number =
            key[0] == UINT32_MAX ? ETS_KEY_NONE : ets_key_table_add(&told->calls, key);
        if (number == ETS_KEY_NONE) return ets_fail_memory(error, "the values of a delegate");
        if (number != known) continue; /* the first counts */
        told->items = ets_arena_grow(arena, told->items, number, &told->room, sizeof taps);
        if (told->items == NULL) return ets_fail_memory(error, "the values of a delegate");
        told->items[number] = taps;
    }
    return ETS_OK;
}

static bool find_told(struct told_taps *told, struct ets_text method, const struct ets_row *row,
                      struct ets_call_taps *taps_out)
{
    if (told->calls.count == 0) return false;
    const uint64_t key[] = {ets_strings_add(&told->methods, method), (uint64_t)row->chain,
                            (uint64_t)(int64_t)row->instruction};
    const uint32_t number = ets_key_table_find(&told->calls, key);
    if (number == ETS_KEY_NONE) return false;
    *taps_out = told->items[number];
    return true;
}

/* Which values of a call are from within, as the trace or the program tells it. */
static bool read_taps(const struct ets_inspection *inspection, struct told_taps *told,
                      const struct ets_row *row, struct ets_call_taps *taps_out)
{
    struct ets_delegate delegate;
    struct ets_tap_marker marker;
    const struct ets_block *of = &inspection->blocks[row->block];
    const struct ets_text name = ets_text_of(
        of->method_state == ETS_METHOD_FOUND || of->is_method_named ? of->method : NULL);
    if (find_told(told, name, row, taps_out)) return true;
    if (!find_delegate(inspection, row->block, row->chain, row->instruction, &delegate) ||
        !ets_delegate_taps(&delegate, &marker)) {
        return false;
    }
    *taps_out = (struct ets_call_taps){.method = name,
                                       .chain = (uint32_t)row->chain,
                                       .instruction = (uint32_t)row->instruction,
                                       .first_argument = marker.first_argument,
                                       .count = marker.count,
                                       .ids = marker.ids};
    return true;
}

static const struct ets_traced_call *find_call(const struct ets_inspection *inspection,
                                               uint32_t block, int64_t chain, int32_t instruction)
{
    const uint64_t key[] = {block, (uint64_t)chain, (uint64_t)(int64_t)instruction};
    if (inspection->tapped_count == 0) return NULL;
    const uint32_t at = ets_key_table_find(&inspection->tapped_calls, key);
    return at == ETS_KEY_NONE ? NULL : &inspection->tapped[at];
}

bool ets_inspection_has_taps(const struct ets_inspection *inspection)
{
    return inspection->tapped_count > 0;
}

bool ets_inspection_taps(const struct ets_inspection *inspection, uint32_t block, int64_t chain,
                         int32_t instruction, struct ets_call_taps *taps_out)
{
    const struct ets_traced_call *call = find_call(inspection, block, chain, instruction);
    if (call != NULL) *taps_out = call->taps;
    return call != NULL;
}

struct ets_text ets_inspection_tapped_operator(const struct ets_inspection *inspection,
                                               uint32_t block, int64_t chain, int32_t instruction,
                                               uint32_t argument)
{
    const struct ets_traced_call *call = find_call(inspection, block, chain, instruction);
    if (call == NULL || argument < call->taps.first_argument ||
        argument - call->taps.first_argument >= call->taps.count) {
        return (struct ets_text){NULL, 0};
    }
    return call->operators[argument - call->taps.first_argument];
}

/* "Conv2d in XnnpackBackend"; without the program "value 12 in XnnpackBackend". */
static enum ets_status name_operators(struct ets_inspection *inspection,
                                      struct ets_traced_call *call, const char *backend,
                                      struct ets_error *error)
{
    const struct ets_payload_graph *payload;
    ETS_TRY(ets_inspection_payload(inspection, call->block, call->chain, call->instruction,
                                   &payload, error));
    const uint64_t work = payload == NULL ? 0 : (uint64_t)payload->value_count * call->taps.count;
    if (work > inspection->payload_budget) payload = NULL;
    else inspection->payload_budget -= work;
    call->operators =
        ets_arena_alloc_array(&inspection->arena, call->taps.count, sizeof *call->operators);
    if (call->operators == NULL) return ets_fail_memory(error, "the values of a delegate");
    for (uint32_t i = 0; i < call->taps.count; i++) {
        char text[160];
        const uint32_t id = ets_load_u32(call->taps.ids + 4 * (size_t)i);
        const uint32_t value =
            payload == NULL ? ETS_PAYLOAD_NONE : ets_payload_value_of_id(payload, id);
        const uint32_t maker =
            payload == NULL ? ETS_PAYLOAD_NONE : ets_payload_producer(payload, value);
        const size_t size = maker == ETS_PAYLOAD_NONE
                                ? ets_print_text(text, sizeof text, "value %u in %s", id, backend)
                                : ets_print_text(text, sizeof text, "%.*s in %s",
                                                 ETS_TEXT(payload->nodes[maker].name), backend);
        const char *copy = ets_arena_copy_text(&inspection->arena, text, size);
        if (copy == NULL) return ets_fail_memory(error, "the values of a delegate");
        call->operators[i] = (struct ets_text){copy, size};
    }
    return ETS_OK;
}

enum ets_status ets_inspection_find_taps(struct ets_inspection *inspection, struct ets_error *error)
{
    uint32_t room = 0;
    struct told_taps told = {.room = 0};
    ETS_TRY(read_told(inspection, &told, error));
    ets_key_table_init(&inspection->tapped_calls, &inspection->arena, 3);
    for (uint32_t i = 0; i < inspection->row_count; i++) {
        const struct ets_row *row = &inspection->rows[i];
        struct ets_traced_call call = {
            .block = row->block, .chain = row->chain, .instruction = row->instruction};
        if (!ets_text_is(row->name, "DELEGATE_CALL") ||
            !read_taps(inspection, &told, row, &call.taps)) {
            continue;
        }
        struct ets_traced_call *grown = ets_arena_grow(
            &inspection->arena, inspection->tapped, inspection->tapped_count, &room, sizeof *grown);
        if (grown == NULL) return ets_fail_memory(error, "the values of a delegate");
        inspection->tapped = grown;
        const uint64_t key[] = {row->block, (uint64_t)row->chain,
                                (uint64_t)(int64_t)row->instruction};
        const uint32_t known = inspection->tapped_calls.count;
        const uint32_t at = ets_key_table_add(&inspection->tapped_calls, key);
        if (at == ETS_KEY_NONE) return ets_fail_memory(error, "the values of a delegate");
        if (at != known) continue; /* the same call in another row */
        ETS_TRY(name_operators(inspection, &call,
                               row->backend != NULL ? row->backend : "the delegate", error));
        grown[inspection->tapped_count++] = call;
    }
    return ETS_OK;
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
