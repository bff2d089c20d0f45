/* Adds the events of a trace up by call. */
#include "output/export/row_sums.h"

#include <string.h>

struct ets_text ets_run_method(const struct ets_inspection *inspection, uint32_t number)
{
    const struct ets_run *run = ets_inspection_run(inspection, number);
    const struct ets_block *block = ets_inspection_block(inspection, run->block);
    if (run->method.data != NULL) return run->method;
    if (block->method_state != ETS_METHOD_FOUND) return run->name;
    return (struct ets_text){block->method, strlen(block->method)};
}

uint64_t ets_tick_ns(const struct ets_inspection *inspection)
{
    switch (ets_inspection_tick_unit(inspection, NULL)) {
    case ETS_UNIT_US: return 1000;
    case ETS_UNIT_MS: return 1000000;
    case ETS_UNIT_S: return 1000000000;
    default: return 1; /* ns, cycles */
    }
}

static uint64_t sum(uint64_t left, uint64_t right)
{
    const uint64_t most = INT64_MAX;
    return left > most || right > most - left ? most : left + right;
}

bool ets_row_sums_collect(struct ets_arena *arena, const struct ets_inspection *inspection,
                          struct ets_row_sums *sums_out)
{
    const uint32_t count = ets_inspection_row_count(inspection);
    const struct ets_event_table *events = ets_inspection_events(inspection);
    const uint64_t tick = ets_tick_ns(inspection);
    struct ets_row_sum *items = ets_arena_alloc_array(arena, count, sizeof *items);
    uint64_t *inside = ets_arena_alloc_array(arena, count, sizeof *inside); /* [row] ticks */
    *sums_out = (struct ets_row_sums){.items = items};
    if (items == NULL || inside == NULL) return false;
    for (uint32_t i = count; i-- > 0;) { /* parents come after what is inside */
        const struct ets_row *row = ets_inspection_row(inspection, i);
        items[i].is_shown = !ets_row_has_own_clock(row) &&
                            (row->parent == ETS_NO_INDEX || items[row->parent].is_shown);
        if (row->depth >= sums_out->depth) sums_out->depth = row->depth + 1;
    }
    for (uint32_t e = 0; e < events->count; e++) {
        const uint32_t row = events->row[e];
        if (row == ETS_NO_INDEX || !items[row].is_shown) continue;
        const uint32_t parent = ets_inspection_row(inspection, row)->parent;
        const uint64_t ticks = ets_inspection_ticks(inspection, e);
        items[row].calls++;
        items[row].self_ns = sum(items[row].self_ns, ticks);
        if (parent != ETS_NO_INDEX) inside[parent] = sum(inside[parent], ticks);
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t self = items[i].self_ns > inside[i] ? items[i].self_ns - inside[i] : 0;
        items[i].self_ns = self > INT64_MAX / tick ? INT64_MAX : self * tick;
    }
    return true;
}

uint32_t ets_row_stack(const struct ets_inspection *inspection, uint32_t row, uint32_t *stack)
{
    uint32_t count = 0;
    for (uint32_t at = row; at != ETS_NO_INDEX; at = ets_inspection_row(inspection, at)->parent) {
        stack[count++] = at;
    }
    for (uint32_t i = 0; i < count / 2; i++) {
        const uint32_t swapped = stack[i];
        stack[i] = stack[count - 1 - i];
        stack[count - 1 - i] = swapped;
    }
    return count;
}
