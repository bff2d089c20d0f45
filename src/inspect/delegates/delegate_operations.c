/*
 * Names the operation of a delegate's event, independent of the processor. XNNPACK names its
 * operators by the processor's micro-kernels: the same node of a payload is "Fully Connected (NC,
 * QDU8, F32, QC8W) GEMM #1" on one and "Fully Connected (NC, QD8, F32, QC8W) GEMM #1" on another.
 * If the payload is known, its node gives the types; otherwise the varying parts are removed from
 * the name. Source: XNNPACK's operator types (src/xnnpack/operator-type-defs.inc), and those that
 * it replaces depending on the processor (src/subgraph.c).
 */
#include <stdbool.h>
#include <string.h>

#include "format/xnnpack.h"
#include "inspect/inspection.h"

/* An element type, and the common name of its variants. */
static const struct {
    const char *variant, *type;
} variants[] = {
    {"QDU8", "QD8"}, /* quantised at run time, unsigned or signed */
    {"QP8", "QD8"},  /* the same, packed */
    {"PQS8", "QS8"}, /* packed */
    {"PF32", "F32"}, {"PF16", "F16"},
};

/* XNNPACK's first word in the brackets: the layout of the operator's tensors. */
static bool is_layout(struct ets_text part)
{
    static const char *const layouts[] = {"NC", "ND", "NHWC", "NCHW", "NTHC"};
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        if (ets_text_is(part, layouts[i])) return true;
    }
    return false;
}

static struct ets_text type_of(struct ets_text part)
{
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        if (ets_text_is(part, variants[i].variant)) {
            return (struct ets_text){variants[i].type, strlen(variants[i].type)};
        }
    }
    return part;
}

/* The part of a list "NC, QDU8, F32" that starts at `at`, up to `end`. */
static struct ets_text part_at(struct ets_text list, size_t at)
{
    size_t end = at;
    while (end < list.size && list.data[end] != ',') end++;
    return (struct ets_text){list.data + at, end - at};
}

/*
 * Writes "Fully Connected (NC, QD8, F32, QC8W)" for "Fully Connected (NC, QDU8, F32, QC8W) GEMM #1"
 * to `out`, which has room for all of `name`. 0: the name has another form.
 */
static size_t write_type(struct ets_text name, char *out)
{
    const char *open = memchr(name.data, '(', name.size);
    if (open == NULL) return 0;
    size_t used = (size_t)(open - name.data) + 1;
    const char *close = memchr(open, ')', name.size - used + 1);
    if (close == NULL) return 0;
    const struct ets_text list = {open + 1, (size_t)(close - open) - 1};
    if (!is_layout(part_at(list, 0))) return 0;
    memcpy(out, name.data, used);
    for (size_t at = 0; at <= list.size;) {
        struct ets_text part = part_at(list, at);
        at += part.size + 1;
        if (part.size > 0 && part.data[0] == ' ') { /* behind a comma */
            out[used++] = ' ';
            part = (struct ets_text){part.data + 1, part.size - 1};
        }
        const struct ets_text type = type_of(part);
        memcpy(out + used, type.data, type.size);
        used += type.size;
        out[used++] = at <= list.size ? ',' : ')';
    }
    return used;
}

static bool is_conversion(const struct ets_payload_node *node)
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
    const bool is_xnnpack = row->backend == NULL || strcmp(row->backend, ETS_XNNPACK_BACKEND) == 0;
    row->operation = row->name;
    if (!is_xnnpack || name.size > sizeof text - 32) return true;
    size_t used = write_table(row, text, sizeof text);
    if (used == 0) used = write_type(name, text);
    if (used == 0) return true;
    if (row->tie == ETS_TIE_NEAR && row->unit == ETS_NO_INDEX) {
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
