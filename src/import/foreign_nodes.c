/* Numbers the instructions of a profile: slices of one node at one place in the nesting. */
#include "import/foreign.h"

/* A walk over the slices of a run: inner ones before those around them, without recursion. */
static uint32_t innermost_first(const struct ets_foreign *f, uint32_t at)
{
    while (at != ETS_NO_SLICE && f->slices[at].first_child != ETS_NO_SLICE) {
        at = f->slices[at].first_child;
    }
    return at;
}

static uint32_t next_of(const struct ets_foreign *f, const struct ets_foreign_run *run, uint32_t at)
{
    const struct ets_slice *slice = &f->slices[at];
    if (slice->next_sibling != ETS_NO_SLICE) return innermost_first(f, slice->next_sibling);
    return slice->parent == run->slice ? ETS_NO_SLICE : slice->parent;
}

enum ets_status ets_foreign_list_emitted(struct ets_foreign *f, struct ets_error *error)
{
    f->emitted = ets_arena_alloc_array(&f->arena, f->slice_count, sizeof *f->emitted);
    if (f->emitted == NULL) return ets_fail_foreign(error);
    for (uint32_t r = 0; r < f->run_count; r++) {
        struct ets_foreign_run *run = &f->runs[r];
        run->first_emitted = f->emitted_count;
        uint32_t at = innermost_first(f, run->first_child);
        for (; at != ETS_NO_SLICE; at = next_of(f, run, at)) f->emitted[f->emitted_count++] = at;
        if (run->slice != ETS_NO_SLICE) f->emitted[f->emitted_count++] = run->slice;
        run->emitted_count = f->emitted_count - run->first_emitted;
    }
    return ETS_OK;
}

/* How many slices of this operator came before it inside the same one. */
struct orders {
    struct ets_key_table seen;
    uint32_t *counts;
    uint32_t room;
};

static enum ets_status order_of(struct ets_foreign *f, struct orders *orders,
                                const struct ets_slice *slice, uint32_t *order_out,
                                struct ets_error *error)
{
    const uint64_t outer =
        slice->parent == ETS_NO_SLICE ? UINT64_C(1) << 32 | slice->run : slice->parent;
    const uint64_t key[] = {outer, slice->op};
    const uint32_t number = ets_key_table_add(&orders->seen, key);
    if (number == ETS_KEY_NONE) return ets_fail_foreign(error);
    uint32_t *counts =
        ets_arena_grow(&f->arena, orders->counts, number, &orders->room, sizeof *counts);
    if (counts == NULL) return ets_fail_foreign(error);
    orders->counts = counts;
    *order_out = counts[number]++;
    return ETS_OK;
}

static enum ets_status number_slice(struct ets_foreign *f, struct ets_key_table *nodes,
                                    struct orders *orders, uint32_t index, struct ets_error *error)
{
    struct ets_slice *slice = &f->slices[index];
    const uint32_t outer = slice->parent;
    uint32_t order = 0, parent = ETS_NO_SLICE;
    if (f->by_order || slice->name == ETS_STRING_NONE)
        ETS_TRY(order_of(f, orders, slice, &order, error));
    if (outer != ETS_NO_SLICE && f->slices[outer].kind == ETS_SLICE_OPERATOR) {
        parent = f->slices[outer].node;
    }
    if (slice->is_delegated && parent != ETS_NO_SLICE) { /* a delegate's event is of its call */
        slice->node = parent;
        return ETS_OK;
    }
    const uint64_t key[] = {(uint64_t)parent << 32 | slice->op,
                            (uint64_t)slice->name << 32 | slice->backend, order};
    const uint32_t known = nodes->count;
    slice->node = ets_key_table_add(nodes, key);
    if (slice->node == ETS_KEY_NONE) return ets_fail_foreign(error);
    if (slice->node < known) return ETS_OK;
    struct ets_foreign_node *list =
        ets_arena_grow(&f->arena, f->nodes, slice->node, &f->node_room, sizeof *list);
    if (list == NULL) return ets_fail_foreign(error);
    f->nodes = list;
    list[slice->node] = (struct ets_foreign_node){parent, index};
    f->node_count = nodes->count;
    return ETS_OK;
}

/* Outer ones first, so that the node of what encloses a slice is known. */
static uint32_t next_outer_first(const struct ets_foreign *f, const struct ets_foreign_run *run,
                                 uint32_t at)
{
    if (f->slices[at].first_child != ETS_NO_SLICE) return f->slices[at].first_child;
    while (at != ETS_NO_SLICE && f->slices[at].next_sibling == ETS_NO_SLICE) {
        at = f->slices[at].parent == run->slice ? ETS_NO_SLICE : f->slices[at].parent;
    }
    return at == ETS_NO_SLICE ? ETS_NO_SLICE : f->slices[at].next_sibling;
}

enum ets_status ets_foreign_number(struct ets_foreign *f, struct ets_error *error)
{
    struct ets_key_table nodes;
    struct orders orders = {.counts = NULL};
    ets_key_table_init(&nodes, &f->arena, 3);
    ets_key_table_init(&orders.seen, &f->arena, 2);
    for (uint32_t r = 0; r < f->run_count; r++) {
        const struct ets_foreign_run *run = &f->runs[r];
        for (uint32_t at = run->first_child; at != ETS_NO_SLICE;
             at = next_outer_first(f, run, at)) {
            if (f->slices[at].kind != ETS_SLICE_OPERATOR) continue;
            ETS_TRY(number_slice(f, &nodes, &orders, at, error));
        }
    }
    return ets_foreign_list_emitted(f, error);
}
