/* Sorts the lines of the operator table; in a tree, the siblings. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "views/operator_lines.h"

static int compare_descending(double left, double right)
{
    return (left < right) - (left > right);
}

static int by_order(const void *a, const void *b)
{
    const struct ets_operator_line *l = a, *r = b;
    return (l->order > r->order) - (l->order < r->order);
}

static int by_time(const void *a, const void *b)
{
    const struct ets_operator_line *l = a, *r = b;
    if (l->has_own_clock != r->has_own_clock) return l->has_own_clock ? 1 : -1;
    const int order = compare_descending(l->times.statistics.p50, r->times.statistics.p50);
    return order != 0 ? order : by_order(a, b);
}

static int by_max(const void *a, const void *b)
{
    const struct ets_operator_line *l = a, *r = b;
    if (l->has_own_clock != r->has_own_clock) return l->has_own_clock ? 1 : -1;
    const int order = compare_descending(l->times.statistics.max, r->times.statistics.max);
    return order != 0 ? order : by_order(a, b);
}

static int by_calls(const void *a, const void *b)
{
    const struct ets_operator_line *l = a, *r = b;
    const int order = compare_descending(l->calls_per_run, r->calls_per_run);
    return order != 0 ? order : by_order(a, b);
}

static int by_name(const void *a, const void *b)
{
    const struct ets_operator_line *l = a, *r = b;
    const int order = ets_text_compare(l->name, r->name);
    return order != 0 ? order : by_order(a, b);
}

typedef int (*line_comparison)(const void *left, const void *right);

/* Puts the lines of a tree one behind the other, siblings as they are sorted. */
static bool lay_out(struct ets_arena *arena, struct ets_operator_lines *lines,
                    line_comparison compare)
{
    const uint32_t count = lines->count;
    struct ets_operator_line *sorted = ets_arena_alloc_array(arena, count, sizeof *sorted);
    uint32_t *place = ets_arena_alloc_array(arena, count, sizeof *place);
    uint32_t *first = ets_arena_alloc_array(arena, (size_t)count + 1, sizeof *first);
    uint32_t *next = ets_arena_alloc_array(arena, count, sizeof *next);
    if (sorted == NULL || place == NULL || first == NULL || next == NULL) return false;
    memcpy(sorted, lines->items, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare);
    for (uint32_t i = 0; i <= count; i++) first[i] = ETS_NO_INDEX;
    for (uint32_t i = 0; i < count; i++) place[sorted[i].order] = i;
    for (uint32_t i = count; i-- > 0;) { /* backwards, so that lists come out in order */
        const uint32_t parent = sorted[i].parent;
        uint32_t *head = &first[parent == ETS_NO_INDEX ? count : place[parent]];
        next[i] = *head;
        *head = i;
    }
    uint32_t at = first[count], used = 0;
    while (at != ETS_NO_INDEX) {
        lines->items[used++] = sorted[at];
        if (first[at] != ETS_NO_INDEX) {
            at = first[at];
            continue;
        }
        while (next[at] == ETS_NO_INDEX && sorted[at].parent != ETS_NO_INDEX) {
            at = place[sorted[at].parent];
        }
        at = next[at];
    }
    return true;
}

bool ets_operator_lines_sort(struct ets_arena *arena, enum ets_sort_by sort,
                             struct ets_operator_lines *lines)
{
    static const line_comparison orders[] = {by_order, by_time, by_max, by_calls, by_name};
    if (sort == ETS_SORT_ORDER || lines->count == 0) return true;
    if (lines->is_tree) return lay_out(arena, lines, orders[sort]);
    qsort(lines->items, lines->count, sizeof *lines->items, orders[sort]);
    return true;
}
