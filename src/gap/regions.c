/*
 * Finds the region of a compared value: the nodes of the reference between it and the captured
 * values that it was computed from. Its own error arises there. A delegate's partition is such a
 * region.
 */
#include <stdlib.h>

#include "gap/gap_parts.h"
#include "operators/operator_traits.h"

#define BUDGET (100 * 1000 * 1000) /* nodes in the regions of all rows */

enum ets_status ets_gap_region_init(struct ets_gap_report *report, struct ets_error *error)
{
    struct ets_arena *arena = &report->arena;
    const uint32_t nodes = report->reference->node_count, rows = report->compared.count;
    struct gap_region *region = ets_arena_alloc(arena, sizeof *region);
    if (region == NULL) return gap_fail_memory(error);
    *region = (struct gap_region){.budget = BUDGET};
    region->nodes = ets_arena_alloc_array(arena, nodes, sizeof(uint32_t));
    region->rows = ets_arena_alloc_array(arena, rows, sizeof(uint32_t));
    region->seen_node = ets_arena_alloc_array(arena, nodes, sizeof(uint32_t));
    region->seen_row = ets_arena_alloc_array(arena, rows, sizeof(uint32_t));
    region->stack = ets_arena_alloc_array(arena, nodes, sizeof(uint32_t));
    if (region->nodes == NULL || region->rows == NULL || region->seen_node == NULL ||
        region->seen_row == NULL || region->stack == NULL) {
        return gap_fail_memory(error);
    }
    report->region = region;
    return ETS_OK;
}

struct walk {
    struct gap_region *region;
    const struct ets_gap_report *report;
    uint32_t waiting;    /* on the stack */
    uint32_t occurrence; /* of the row */
};

/* The row of this value in the same loop iteration, or else in the first. */
static uint32_t row_of(const struct ets_gap_report *report, struct gap_place place,
                       uint32_t occurrence)
{
    for (int first = 0; first < 2; first++) {
        const uint64_t key[] = {place.node, place.output, first ? 0 : occurrence};
        const uint32_t at = ets_key_table_find(&report->compared, key);
        if (at != ETS_KEY_NONE) return report->is_excluded[at] ? GAP_NONE : at;
    }
    return GAP_NONE;
}

/* Whether this input of the graph is a buffer that earlier runs may have changed. */
static bool is_changed(const struct ets_gap_report *report, uint32_t value, uint32_t input)
{
    return report->is_changed != NULL &&
           *ets_key_table_key(&report->reference->values, value) == 0 && report->is_changed[input];
}

static void see_source(void *context, uint32_t value)
{
    struct walk *walk = context;
    struct gap_region *region = walk->region;
    const struct gap_place place = walk->report->reference->places[value];
    if (place.node == GAP_NONE) {
        region->takes_input |= ets_gap_graph_is_user(walk->report->reference, value);
        region->takes_state |= is_changed(walk->report, value, place.output);
        return;
    }
    const uint32_t row = row_of(walk->report, place, walk->occurrence);
    if (row != GAP_NONE) {
        if (region->seen_row[row] != region->stamp) region->rows[region->row_count++] = row;
        region->seen_row[row] = region->stamp;
        return;
    }
    if (region->seen_node[place.node] == region->stamp) return;
    region->seen_node[place.node] = region->stamp;
    region->stack[walk->waiting++] = place.node;
}

static int compare_numbers(const void *left, const void *right)
{
    const uint32_t one = *(const uint32_t *)left, two = *(const uint32_t *)right;
    return (one > two) - (one < two);
}

static bool moves(const struct ets_graph_node *node)
{
    const uint32_t moving = ETS_OPERATOR_VIEW | ETS_OPERATOR_PERMUTE | ETS_OPERATOR_PART;
    return (ets_operator_traits(node->op) & moving) != 0;
}

void ets_gap_region_of_node(struct gap_region *region, const struct ets_gap_report *report,
                            uint32_t node, uint32_t occurrence)
{
    struct walk walk = {region, report, 0, occurrence};
    region->stamp++;
    region->node_count = region->row_count = 0;
    region->takes_input = region->takes_state = false;
    region->moves_only = true;
    region->seen_node[node] = region->stamp;
    region->stack[walk.waiting++] = node;
    while (walk.waiting > 0 && region->budget > 0) {
        region->budget--;
        const uint32_t next = region->stack[--walk.waiting];
        region->nodes[region->node_count++] = next;
        region->moves_only &= moves(report->reference->nodes[next]);
        ets_gap_graph_inputs(report->reference, next, see_source, &walk);
    }
    if (region->node_count > 0) {
        qsort(region->nodes, region->node_count, sizeof *region->nodes, compare_numbers);
    }
}

void ets_gap_region_find(struct gap_region *region, const struct ets_gap_report *report,
                         uint32_t row)
{
    const uint64_t *key = ets_key_table_key(&report->compared, row);
    ets_gap_region_of_node(region, report, (uint32_t)key[0], (uint32_t)key[2]);
}

enum ets_status ets_gap_region(const struct ets_gap_report *report, uint32_t row,
                               const struct ets_graph_node **nodes_out, uint32_t node_room,
                               uint32_t *node_count_out, uint32_t *rows_out, uint32_t row_room,
                               uint32_t *row_count_out, struct ets_error *error)
{
    report = gap_shown(report);
    struct gap_region *region = report->region;
    if (region == NULL || row >= report->row_count) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET, "the report has no row %u",
                        row);
    }
    region->budget = BUDGET;
    ets_gap_region_find(region, report, report->order[row]);
    for (uint32_t i = 0; nodes_out != NULL && i < region->node_count && i < node_room; i++) {
        nodes_out[i] = report->reference->nodes[region->nodes[i]];
    }
    for (uint32_t i = 0; rows_out != NULL && i < region->row_count && i < row_room; i++) {
        rows_out[i] = report->place_in_order[region->rows[i]];
    }
    *node_count_out = region->node_count;
    *row_count_out = region->row_count;
    return ETS_OK;
}
