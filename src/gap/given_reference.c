/*
 * A reference with given values, from another trace or from files. Nothing is evaluated, so own
 * errors are unknown. The guilty operator is the first wrong one whose inputs all agree.
 */
#include <math.h>

#include "gap/gap_parts.h"

/* Sorts rows by node in graph order, output, and loop iteration. */
static bool stands_before(const struct ets_gap_report *report, uint32_t left, uint32_t right)
{
    const uint64_t *one = ets_key_table_key(&report->compared, left);
    const uint64_t *two = ets_key_table_key(&report->compared, right);
    for (int i = 0; i < 3; i++) {
        const int at = i == 0 ? 0 : i == 1 ? 2 : 1; /* node, occurrence, output */
        if (one[at] != two[at]) return one[at] < two[at];
    }
    return false;
}

static void order_rows(struct ets_gap_report *report)
{
    const uint32_t count = report->row_count = report->compared.count;
    for (uint32_t i = 0; i < count; i++) report->order[i] = i;
    for (uint32_t gap = count / 2; gap > 0; gap /= 2) { /* Shell's sort */
        for (uint32_t i = gap; i < count; i++) {
            const uint32_t row = report->order[i];
            uint32_t at = i;
            for (; at >= gap && stands_before(report, row, report->order[at - gap]); at -= gap) {
                report->order[at] = report->order[at - gap];
            }
            report->order[at] = row;
        }
    }
    for (uint32_t i = 0; i < count; i++) report->place_in_order[report->order[i]] = i;
}

static enum ets_status compare_row(struct ets_gap_report *report, struct ets_gap_row *row,
                                   ets_gap_lookup *lookup, void *context, struct ets_error *error)
{
    const struct ets_captured_value *captured = &row->value->captured;
    struct ets_tensor reference, device;
    row->route = ETS_GAP_BY_NOTHING;
    if (captured->status != ETS_OK) return ETS_OK;
    if (!lookup(context, row->value, &reference)) {
        row->reason = "the reference has no such value";
        return ETS_OK;
    }
    if (!ets_gap_reshape(&captured->tensor, &reference, &device)) {
        return ets_gap_tell_shapes(report, row, &reference, error);
    }
    return ets_gap_compare_total(report, row, &reference, &device, error);
}

enum ets_status ets_gap_compare(struct ets_gap_report *report, ets_gap_lookup *lookup,
                                void *context, struct ets_error *error)
{
    ets_gap_close(report->twin);
    report->twin = NULL;
    ETS_TRY(ets_gap_make_rows(report, error));
    ETS_TRY(ets_gap_outputs_find(report, error));
    order_rows(report);
    report->verdict.other_input = ETS_NO_INDEX;
    report->verdict.against = ETS_GAP_AGAINST_VALUES;
    report->verdict.in_double = 0;
    report->verdict.overflow = (struct ets_gap_overflow){.node = NULL};
    report->verdict.mismatch = ETS_GAP_MATCHES;
    for (uint32_t i = 0; i < report->compared.count; i++) {
        ETS_TRY(compare_row(report, &report->rows[i], lookup, context, error));
    }
    ETS_TRY(ets_gap_judge(report, error));
    ets_gap_conclude(report);
    return ETS_OK;
}

/* Another report's compared values by the names of their nodes. */
struct namesake {
    const struct ets_gap_report *other;
    struct ets_strings names;
    struct ets_key_table known; /* number of the name, output, occurrence -> */
    uint32_t *value;            /* the other report's */
};

static int find_namesake(void *context, const struct ets_gap_value *value,
                         struct ets_tensor *tensor_out)
{
    const struct namesake *n = context;
    const uint32_t name = ets_strings_find(&n->names, value->node->name);
    if (name == UINT32_MAX || name == ETS_STRING_NONE) return 0;
    const uint64_t key[] = {name, value->output, value->occurrence};
    const uint32_t at = ets_key_table_find(&n->known, key);
    if (at == ETS_KEY_NONE) return 0;
    const struct ets_captured_value *found = &n->other->values[n->value[at]].captured;
    *tensor_out = found->tensor;
    return found->status == ETS_OK;
}

static enum ets_status list_namesakes(struct namesake *n, struct ets_arena *arena,
                                      struct ets_error *error)
{
    const struct ets_gap_report *other = n->other;
    ets_key_table_init(&n->known, arena, 3);
    n->value = ets_arena_alloc_array(arena, other->compared.count, sizeof *n->value);
    if (n->value == NULL || ets_strings_init(&n->names, arena) != 0) return gap_fail_memory(error);
    for (uint32_t i = 0; i < other->compared.count; i++) {
        const struct ets_gap_value *value = &other->values[other->compared_value[i]];
        const uint32_t name = ets_strings_add(&n->names, value->node->name);
        if (name == UINT32_MAX) return gap_fail_memory(error);
        const uint64_t key[] = {name, value->output, value->occurrence};
        const uint32_t known = n->known.count;
        const uint32_t at = ets_key_table_add(&n->known, key);
        if (at == ETS_KEY_NONE) return gap_fail_memory(error);
        if (at == known) n->value[at] = other->compared_value[i];
    }
    return ETS_OK;
}

enum ets_status ets_gap_compare_report(struct ets_gap_report *report,
                                       const struct ets_gap_report *other, struct ets_error *error)
{
    struct namesake namesake = {.other = other};
    struct ets_arena arena;
    ets_arena_init(&arena, report->options.allocator, 0);
    enum ets_status status = list_namesakes(&namesake, &arena, error);
    if (status == ETS_OK) status = ets_gap_compare(report, find_namesake, &namesake, error);
    report->verdict.against = ETS_GAP_AGAINST_TRACE;
    ets_arena_reset(&arena);
    return status;
}
