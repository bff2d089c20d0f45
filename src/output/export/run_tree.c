/* Builds the tree of a run's events, and finds their times. */
#include "output/export/run_tree.h"

#include "inspect/inspection.h"
#include "inspect/stated_nodes.h"

/* Times beyond are shown there, so that sums stay in 64 bits. */
#define MOST_TICKS (INT64_MAX / 4)
#define HALF_COUNTER (UINT64_C(1) << 31)
#define WHOLE_COUNTER (INT64_C(1) << 32)

static int64_t limited(uint64_t ticks)
{
    return ticks < (uint64_t)MOST_TICKS ? (int64_t)ticks : MOST_TICKS;
}

int64_t ets_limited_sum(int64_t left, int64_t right)
{
    const int64_t sum = left + right; /* of two that are limited */
    return sum > MOST_TICKS ? MOST_TICKS : sum < -MOST_TICKS ? -MOST_TICKS : sum;
}

bool ets_run_tree_init(struct ets_run_tree *tree, struct ets_arena *arena,
                       const struct ets_inspection *inspection)
{
    uint32_t most = 0;
    *tree = (struct ets_run_tree){.inspection = inspection,
                                  .events = ets_inspection_events(inspection),
                                  .has_one_clock = ets_inspection_runtime(inspection).data != NULL};
    for (uint32_t i = 0; i < ets_inspection_run_count(inspection); i++) {
        const uint32_t count = ets_inspection_run(inspection, i)->event_count;
        if (count > most) most = count;
    }
    tree->inside = ets_arena_alloc_array(arena, most, sizeof *tree->inside);
    tree->next = ets_arena_alloc_array(arena, most, sizeof *tree->next);
    tree->start = ets_arena_alloc_array(arena, most, sizeof *tree->start);
    tree->end = ets_arena_alloc_array(arena, most, sizeof *tree->end);
    return tree->inside != NULL && tree->next != NULL && tree->start != NULL && tree->end != NULL;
}

void ets_run_tree_rewind(struct ets_run_tree *tree)
{
    tree->epoch = tree->last_end = 0;
    tree->has_begun = false;
}

bool ets_run_tree_has(const struct ets_run_tree *tree, uint32_t event)
{
    return tree->events->kind[tree->first + event] == ETS_EVENT_PROFILE &&
           tree->events->row[tree->first + event] != ETS_NO_INDEX;
}

uint32_t ets_run_tree_parent(const struct ets_run_tree *tree, uint32_t event)
{
    uint32_t parent = tree->events->parent[tree->first + event];
    /* Parents come after what they enclose, so this ends. */
    while (parent != ETS_NO_INDEX && parent - tree->first < tree->count) {
        if (ets_run_tree_has(tree, parent - tree->first)) return parent - tree->first;
        parent = tree->events->parent[parent];
    }
    return ETS_NO_INDEX;
}

const struct ets_row *ets_run_tree_row(const struct ets_run_tree *tree, uint32_t event)
{
    return ets_inspection_row(tree->inspection, tree->events->row[tree->first + event]);
}

/* Makes lists in the order of logging. */
static void link_events(struct ets_run_tree *tree)
{
    tree->root = ETS_NO_INDEX;
    for (uint32_t i = 0; i < tree->count; i++) tree->inside[i] = ETS_NO_INDEX;
    for (uint32_t i = tree->count; i-- > 0;) {
        if (!ets_run_tree_has(tree, i)) continue;
        const uint32_t parent = ets_run_tree_parent(tree, i);
        uint32_t *list = parent == ETS_NO_INDEX ? &tree->root : &tree->inside[parent];
        tree->next[i] = *list;
        *list = i;
    }
}

/* Fits the clock at the first event of a run. */
static void fit_clock(struct ets_run_tree *tree, uint64_t start, uint32_t thread)
{
    if (tree->has_begun && !tree->has_one_clock && thread == tree->last_thread &&
        start < tree->last_start) {
        const bool has_wrapped =
            tree->last_start <= UINT32_MAX && tree->last_start - start > HALF_COUNTER;
        tree->epoch = has_wrapped ? ets_limited_sum(tree->epoch, WHOLE_COUNTER)
                                  : ets_limited_sum(tree->last_end, -limited(start));
    }
    tree->has_begun = true;
    tree->last_start = start;
    tree->last_thread = thread;
}

static void set_time(struct ets_run_tree *tree, uint32_t event, int64_t start)
{
    const uint64_t ticks = ets_raw_ticks(tree->inspection, tree->first + event);
    tree->start[event] = start;
    tree->end[event] = ets_limited_sum(start, limited(ticks));
}

/* Of events that are inside of none. */
static void time_roots(struct ets_run_tree *tree, uint32_t thread)
{
    bool is_first = true;
    for (uint32_t i = tree->root; i != ETS_NO_INDEX; i = tree->next[i]) {
        const uint64_t start = tree->events->start[tree->first + i];
        if (ets_row_has_own_clock(ets_run_tree_row(tree, i))) {
            set_time(tree, i, limited(start));
            continue;
        }
        if (is_first) fit_clock(tree, start, thread);
        is_first = false;
        int64_t at = ets_limited_sum(limited(start), tree->epoch);
        if (!tree->has_one_clock && tree->last_start <= UINT32_MAX && start < tree->last_start &&
            tree->last_start - start > HALF_COUNTER) {
            at = ets_limited_sum(at, WHOLE_COUNTER);
        }
        set_time(tree, i, at);
        if (tree->end[i] > tree->last_end) tree->last_end = tree->end[i];
    }
}

static int64_t time_inside(const struct ets_run_tree *tree, uint32_t event, uint32_t parent)
{
    const uint64_t outer = tree->events->start[tree->first + parent];
    const uint64_t start = tree->events->start[tree->first + event];
    if (ets_row_has_own_clock(ets_run_tree_row(tree, event))) return limited(start);
    if (ets_row_has_own_clock(ets_run_tree_row(tree, parent))) {
        return ets_limited_sum(limited(start), tree->epoch);
    }
    if (start >= outer) return ets_limited_sum(tree->start[parent], limited(start - outer));
    const bool has_wrapped = tree->events->end[tree->first + parent] < outer && outer <= UINT32_MAX;
    const int64_t before = limited(outer - start);
    return ets_limited_sum(tree->start[parent], has_wrapped ? WHOLE_COUNTER - before : -before);
}

static bool is_before(const struct ets_run_tree *tree, uint32_t left, uint32_t right)
{
    if (tree->start[left] != tree->start[right]) return tree->start[left] < tree->start[right];
    return tree->end[left] < tree->end[right];
}

/* Both lists are in order; those of `left` come first where they are equal. */
static uint32_t merge(struct ets_run_tree *tree, uint32_t left, uint32_t right)
{
    uint32_t list = ETS_NO_INDEX, *end = &list;
    while (left != ETS_NO_INDEX && right != ETS_NO_INDEX) {
        uint32_t *taken = is_before(tree, right, left) ? &right : &left;
        *end = *taken;
        end = &tree->next[*taken];
        *taken = *end;
    }
    *end = left != ETS_NO_INDEX ? left : right;
    return list;
}

/* Orders a list by time: merges runs of doubling length. */
static uint32_t in_order(struct ets_run_tree *tree, uint32_t list)
{
    uint32_t parts[32]; /* [i] a list of 2^i events in order, or none */
    bool is_ordered = true;
    for (uint32_t i = list; is_ordered && i != ETS_NO_INDEX; i = tree->next[i]) {
        is_ordered = tree->next[i] == ETS_NO_INDEX || !is_before(tree, tree->next[i], i);
    }
    if (is_ordered) return list;
    for (int i = 0; i < 32; i++) parts[i] = ETS_NO_INDEX;
    while (list != ETS_NO_INDEX) {
        uint32_t one = list;
        int at = 0;
        list = tree->next[list];
        tree->next[one] = ETS_NO_INDEX;
        for (; parts[at] != ETS_NO_INDEX && at < 31; at++) {
            one = merge(tree, parts[at], one);
            parts[at] = ETS_NO_INDEX;
        }
        parts[at] = one;
    }
    for (int i = 0; i < 32; i++) list = merge(tree, parts[i], list);
    return list;
}

void ets_run_tree_build(struct ets_run_tree *tree, uint32_t number)
{
    const struct ets_run *run = ets_inspection_run(tree->inspection, number);
    tree->first = run->first_event;
    tree->count = run->event_count;
    link_events(tree);
    time_roots(tree, run->thread);
    for (uint32_t i = tree->count; i-- > 0;) {
        if (!ets_run_tree_has(tree, i)) continue;
        const uint32_t parent = ets_run_tree_parent(tree, i);
        if (parent != ETS_NO_INDEX) set_time(tree, i, time_inside(tree, i, parent));
    }
    tree->root = in_order(tree, tree->root);
    for (uint32_t i = 0; i < tree->count; i++) {
        if (tree->inside[i] != ETS_NO_INDEX) tree->inside[i] = in_order(tree, tree->inside[i]);
    }
}
