/* Builds the tree of a block: rows below the rows that enclose them, and the rest of each. */
#include "inspect/accounting/accounting.h"

#include <math.h>
#include <stdbool.h>

#include "base/error.h"
#include "host/arena.h"
#include "inspect/time_details.h"

struct ets_accounting {
    struct ets_arena arena;
    const struct ets_inspection *inspection;
    const struct ets_block *block;
    uint32_t *runs; /* [block->run_count] */
    uint32_t run_count;
    struct ets_account_node *nodes;
    uint32_t node_count;
};

/* Rows of the block by their number in it. */
struct builder {
    struct ets_accounting *a;
    uint32_t *first_child, *next_sibling; /* [row] */
    uint32_t *node;                       /* [row] */
    uint32_t *stack;
};

static const struct ets_row *row_of(const struct ets_accounting *a, uint32_t local)
{
    return ets_inspection_row(a->inspection, a->block->first_row + local);
}

static bool is_added(const struct ets_row *row)
{
    return row->clock == NULL || row->clock->state == ETS_CLOCK_FITTED;
}

/* Every run of a block has events of every row, and rows list them in file order. */
static bool list_runs(struct ets_accounting *a)
{
    const uint32_t *events;
    uint32_t count;
    a->runs = ets_arena_alloc_array(&a->arena, a->block->run_count, sizeof *a->runs);
    if (a->runs == NULL) return false;
    const struct ets_event_table *table = ets_inspection_events(a->inspection);
    ets_inspection_row_events(a->inspection, a->block->first_row, &events, &count);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t run = table->run[events[i]];
        if (a->run_count > 0 && a->runs[a->run_count - 1] == run) continue;
        a->runs[a->run_count++] = run;
    }
    return true;
}

/* The time of a row in each run, in ticks of the trace if its clock's scale is known. */
static const int64_t *sum_row(struct ets_accounting *a, uint32_t row)
{
    const uint64_t *lengths = ets_inspection_row_lengths(a->inspection, row);
    const struct ets_delegate_clock *clock = ets_inspection_row(a->inspection, row)->clock;
    const uint32_t calls = ets_inspection_row(a->inspection, row)->calls_per_run;
    const bool is_fitted = clock != NULL && clock->state == ETS_CLOCK_FITTED;
    if (calls == 1 && !is_fitted) return (const int64_t *)lengths; /* nothing to add */
    int64_t *ticks = ets_arena_alloc_array(&a->arena, a->run_count, sizeof *ticks);
    if (ticks == NULL) return NULL;
    for (uint32_t i = 0; i < a->run_count * calls; i++) {
        const uint32_t run = i / calls;
        uint64_t took = lengths[i];
        if (is_fitted) took = (uint64_t)fmin(round((double)took * clock->scale), 0x1p62);
        ticks[run] = (int64_t)((uint64_t)ticks[run] + took);
    }
    return ticks;
}

/* The uncertainty of times from a delegate's clock. */
static void bound(const struct ets_accounting *a, struct ets_account_node *node)
{
    const struct ets_row *row = ets_inspection_row(a->inspection, node->row);
    node->above = ets_row_clock_error(row).above;
    if (row->clock == NULL || row->clock->state != ETS_CLOCK_FITTED) return;
    double most = 0;
    for (uint32_t r = 0; r < a->run_count; r++) most = fmax(most, (double)node->ticks[r]);
    const double error = most * row->clock->scale_error / row->clock->scale;
    node->below = error + row->calls_per_run * 0.5; /* rounding to whole ticks */
    node->above = node->above * row->clock->scale + node->below;
}

static bool add_row(struct builder *b, uint32_t local)
{
    struct ets_accounting *a = b->a;
    const struct ets_row *row = row_of(a, local);
    struct ets_account_node *node = &a->nodes[a->node_count];
    b->node[local] = a->node_count++;
    *node = (struct ets_account_node){
        .kind = ETS_ACCOUNT_ROW,
        .row = a->block->first_row + local,
        .parent =
            row->parent == ETS_NO_INDEX ? ETS_NO_INDEX : b->node[row->parent - a->block->first_row],
        .is_leaf = 1,
        .is_added = row->parent == ETS_NO_INDEX || is_added(row),
    };
    node->ticks = node->self = sum_row(a, node->row);
    if (node->ticks == NULL) return false;
    bound(a, node);
    node->self_below = node->below;
    node->self_above = node->above;
    if (node->parent == ETS_NO_INDEX) return true;
    node->depth = a->nodes[node->parent].depth + 1;
    if (!a->nodes[node->parent].is_added) node->is_added = 0;
    return true;
}

/* Adds the rest of a row after its children. */
static bool add_rest(struct builder *b, uint32_t local)
{
    struct ets_accounting *a = b->a;
    struct ets_account_node *outer = &a->nodes[b->node[local]];
    struct ets_account_node rest = {
        .kind = row_of(a, local)->chain == -1 ? ETS_ACCOUNT_FRAMEWORK : ETS_ACCOUNT_UNACCOUNTED,
        .row = outer->row,
        .parent = b->node[local],
        .depth = outer->depth + 1,
        .is_leaf = 1,
        .is_added = outer->is_added,
        .below = outer->below,
        .above = outer->above,
    };
    int64_t *left = NULL;
    for (uint32_t c = b->first_child[local]; c != ETS_NO_INDEX; c = b->next_sibling[c]) {
        const struct ets_account_node *inner = &a->nodes[b->node[c]];
        if (!is_added(row_of(a, c))) continue;
        if (left == NULL) {
            left = ets_arena_alloc_array(&a->arena, a->run_count, sizeof *left);
            if (left == NULL) return false;
            for (uint32_t r = 0; r < a->run_count; r++) left[r] = outer->ticks[r];
        }
        for (uint32_t r = 0; r < a->run_count; r++) {
            left[r] = (int64_t)((uint64_t)left[r] - (uint64_t)inner->ticks[r]);
        }
        rest.below += inner->above;
        rest.above += inner->below;
    }
    if (left == NULL) return true; /* it has no children that add up */
    rest.ticks = rest.self = outer->self = left;
    rest.self_below = outer->self_below = rest.below;
    rest.self_above = outer->self_above = rest.above;
    outer->is_leaf = 0;
    a->nodes[a->node_count++] = rest;
    return true;
}

static bool list_children(struct builder *b, uint32_t *roots_out)
{
    struct ets_accounting *a = b->a;
    const uint32_t rows = a->block->row_count;
    b->first_child = ets_arena_alloc_array(&a->arena, rows, sizeof *b->first_child);
    b->next_sibling = ets_arena_alloc_array(&a->arena, rows, sizeof *b->next_sibling);
    b->node = ets_arena_alloc_array(&a->arena, rows, sizeof *b->node);
    b->stack = ets_arena_alloc_array(&a->arena, rows, sizeof *b->stack);
    a->nodes = ets_arena_alloc_array(&a->arena, (size_t)rows * 2, sizeof *a->nodes);
    if (b->first_child == NULL || b->next_sibling == NULL || b->node == NULL || b->stack == NULL ||
        a->nodes == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < rows; i++) b->first_child[i] = ETS_NO_INDEX;
    *roots_out = ETS_NO_INDEX;
    for (uint32_t i = rows; i-- > 0;) { /* backwards, so that lists come out in order */
        const uint32_t parent = row_of(a, i)->parent;
        uint32_t *head =
            parent == ETS_NO_INDEX ? roots_out : &b->first_child[parent - a->block->first_row];
        b->next_sibling[i] = *head;
        *head = i;
    }
    return true;
}

/* Depth first: a row, its children, its rest. */
static bool build(struct builder *b)
{
    uint32_t at, used = 0;
    if (!list_runs(b->a) || !list_children(b, &at)) return false;
    while (at != ETS_NO_INDEX || used > 0) {
        if (at == ETS_NO_INDEX) {
            at = b->stack[--used];
            if (!add_rest(b, at)) return false;
            at = b->next_sibling[at];
            continue;
        }
        if (!add_row(b, at)) return false;
        if (b->first_child[at] == ETS_NO_INDEX) {
            at = b->next_sibling[at];
            continue;
        }
        b->stack[used++] = at;
        at = b->first_child[at];
    }
    return true;
}

enum ets_status ets_accounting_open(const struct ets_inspection *inspection, uint32_t block,
                                    const struct ets_allocator *allocator,
                                    struct ets_accounting **accounting_out, struct ets_error *error)
{
    struct ets_arena arena;
    ets_arena_init(&arena, allocator, 0);
    struct ets_accounting *a = ets_arena_alloc(&arena, sizeof *a);
    if (a != NULL) {
        a->arena = arena;
        a->inspection = inspection;
        a->block = ets_inspection_block(inspection, block);
        struct builder b = {.a = a};
        if (a->block->row_count == 0 || build(&b)) {
            *accounting_out = a;
            return ETS_OK;
        }
        arena = a->arena;
    }
    ets_arena_reset(&arena);
    return ets_fail_memory(error, "the tree of times");
}

void ets_accounting_close(struct ets_accounting *accounting)
{
    if (accounting == NULL) return;
    struct ets_arena arena = accounting->arena; /* holds the accounting itself */
    ets_arena_reset(&arena);
}

uint32_t ets_accounting_node_count(const struct ets_accounting *accounting)
{
    return accounting->node_count;
}

const struct ets_account_node *ets_accounting_node(const struct ets_accounting *accounting,
                                                   uint32_t index)
{
    return &accounting->nodes[index];
}

uint32_t ets_accounting_runs(const struct ets_accounting *accounting, const uint32_t **runs_out)
{
    *runs_out = accounting->runs;
    return accounting->run_count;
}
