/*
 * Names the operation of a delegate's event, independent of the processor. If the payload is known,
 * its node gives the types; otherwise the parts that vary are removed from the name.
 */
#include <stdbool.h>
#include <string.h>

#include "inspect/inspection.h"
#include "payload/payload_names.h"

static bool is_conversion(const struct ets_unit_node *node)
{
    return strcmp(node->type, "Convert") == 0;
}

/*
 * "Hardswish (table)": the runtime makes a look-up table of element-wise nodes between two
 * conversions, and names it "Invalid Unary Op". 0: not a look-up table.
 */
static size_t write_table(const struct ets_row *row, char *out, size_t room)
{
    enum { MOST_NODES = 4 };
    size_t used = 0;
    uint32_t nodes = 0;
    if (!ets_text_starts_with(row->name, "Invalid ")) return 0;
    for (size_t i = 0; i < row->payload_node_count; i++) {
        if (is_conversion(&row->payload_nodes[i]) || nodes++ >= MOST_NODES) continue;
        used += ets_print_text(out + used, room - used, "%s%s", used > 0 ? ", " : "",
                               row->payload_nodes[i].type);
    }
    if (nodes == 0) return 0;
    return used +
           ets_print_text(out + used, room - used, "%s (table)", nodes > MOST_NODES ? ", ..." : "");
}

/* Counts of each type in the current call. */
struct numbers {
    struct ets_strings types;
    struct seen {
        uint32_t call, count;
    } * seen;
    uint32_t capacity;
};

static bool count_one(struct ets_arena *arena, struct numbers *numbers, struct ets_text type,
                      uint32_t call, uint32_t *count_out)
{
    const uint32_t number = ets_strings_add(&numbers->types, type);
    if (number == UINT32_MAX) return false;
    if (number >= numbers->capacity) {
        const uint32_t capacity = 2 * number + 16;
        struct seen *seen = ets_arena_alloc_array(arena, capacity, sizeof *seen);
        if (seen == NULL) return false;
        if (numbers->capacity > 0) memcpy(seen, numbers->seen, numbers->capacity * sizeof *seen);
        numbers->seen = seen;
        numbers->capacity = capacity;
    }
    struct seen *seen = &numbers->seen[number];
    if (seen->call != call) *seen = (struct seen){call, 0};
    *count_out = ++seen->count;
    return true;
}

/* row->operation: the name predicted from the payload, or absent. */
static bool name_operation(struct ets_arena *arena, struct numbers *numbers, uint32_t call,
                           struct ets_row *row)
{
    char text[256];
    const struct ets_text foretold = row->operation;
    const struct ets_text name = foretold.data != NULL ? foretold : row->name;
    row->operation = row->name;
    const struct ets_text backend = ets_text_of(row->backend);
    const bool is_shortened = row->identifier.data != NULL;
    if ((!ets_payload_names_vary(backend) && !is_shortened) || name.size > sizeof text - 32) {
        return true;
    }
    size_t used = write_table(row, text, sizeof text);
    if (used == 0 && is_shortened)
        used = ets_print_text(text, sizeof text, "%.*s", ETS_TEXT(row->name));
    if (used == 0) used = ets_payload_plain_name(backend, name, text);
    if (used == 0) return true;
    if (row->tie == ETS_TIE_NEAR && row->unit == ETS_NO_INDEX && row->payload_node_count == 0) {
        used += ets_print_text(text + used, sizeof text - used, ", added");
    }
    uint32_t count;
    const char *type = ets_arena_copy_text(arena, text, used);
    if (type == NULL || !count_one(arena, numbers, (struct ets_text){type, used}, call, &count)) {
        return false;
    }
    used += ets_print_text(text + used, sizeof text - used, " #%u", count);
    row->operation = (struct ets_text){ets_arena_copy_text(arena, text, used), used};
    return row->operation.data != NULL;
}

enum ets_status ets_rows_name_operations(struct ets_inspection *inspection, struct ets_error *error)
{
    struct numbers numbers = {.seen = NULL};
    const struct ets_row *before = NULL;
    uint32_t call = 0;
    if (ets_strings_init(&numbers.types, &inspection->arena) != 0)
        return ets_fail_memory(error, "the operations of a delegate call");
    for (uint32_t i = 0; i < inspection->row_count; i++) { /* rows of one call are adjacent */
        struct ets_row *row = &inspection->rows[i];
        if (!row->is_delegated || row->name.data == NULL) {
            row->operation = row->name;
            continue;
        }
        if (before == NULL || before->block != row->block || before->chain != row->chain ||
            before->instruction != row->instruction) {
            call++;
        }
        before = row;
        if (!name_operation(&inspection->arena, &numbers, call, row)) {
            return ets_fail_memory(error, "the operations of a delegate call");
        }
    }
    return ETS_OK;
}
