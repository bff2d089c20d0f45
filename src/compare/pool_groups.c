/*
 * Adds up the operators of a pooled block by kind or by module. What an operator takes beyond those
 * inside of it counts for itself, so that groups add up to the run.
 */
#include <stdlib.h>

#include "compare/operator_kinds.h"
#include "compare/pool_parts.h"
#include "etscope/etrecord.h"

struct grouper {
    struct ets_pool *pool;
    struct ets_pool_block *block;
    struct ets_strings names;
    bool *is_whole;   /* [operator] its time, or its parent's, is not divided */
    uint32_t *number; /* [operator] of its group's name; ETS_STRING_NONE: in no group */
};

/* The path up to which both agree. */
static struct ets_text common_path(struct ets_text left, struct ets_text right)
{
    size_t same = 0, end = 0;
    while (same < left.size && same < right.size && left.data[same] == right.data[same]) {
        if (left.data[same++] == '.') end = same - 1;
    }
    const bool left_ends = same == left.size && (same == right.size || right.data[same] == '.');
    const bool right_ends = same == right.size && (same == left.size || left.data[same] == '.');
    return (struct ets_text){left.data, left_ends || right_ends ? same : end};
}

static struct ets_text module_of(const struct ets_row *row)
{
    static const struct ets_text none = {"(no module)", 11}, model = {"(model)", 7};
    struct ets_text path = {NULL, 0};
    for (size_t i = 0; row != NULL && i < row->node_count; i++) {
        const struct ets_text other = ets_graph_module_path(row->nodes[i].node);
        if (other.data == NULL) continue;
        path = path.data == NULL ? other : common_path(path, other);
    }
    if (path.data == NULL) return none;
    return path.size == 0 ? model : path;
}

static bool find_name(struct grouper *g, const struct ets_pool_operator *op, uint32_t *number)
{
    struct ets_text name = module_of(op->row);
    if (g->pool->by == ETS_POOL_BY_OPERATOR) {
        if (ets_text_starts_with(op->name, "DELEGATE_CALL")) name = op->name;
        else if (!ets_operator_kind(&g->pool->arena, op->name, &name)) return false;
    }
    *number = ets_strings_add(&g->names, name);
    return *number != UINT32_MAX;
}

static bool classify(struct grouper *g)
{
    const struct ets_pool_block *block = g->block;
    for (uint32_t i = 0; i < block->operator_count; i++) {
        const struct ets_pool_operator *op = &block->operators[i];
        if (op->parent == ETS_NO_INDEX || op->role != ETS_POOL_INNER) continue;
        if (op->has_own_clock) g->is_whole[op->parent] = true;
    }
    for (uint32_t i = 0; i < block->operator_count; i++) { /* parents come first */
        const struct ets_pool_operator *op = &block->operators[i];
        g->number[i] = ETS_STRING_NONE;
        if (op->role != ETS_POOL_WORK && op->role != ETS_POOL_INNER) continue;
        const bool is_inside = op->role == ETS_POOL_INNER;
        if (is_inside && op->parent != ETS_NO_INDEX &&
            (g->is_whole[op->parent] || g->number[op->parent] == ETS_STRING_NONE)) {
            g->is_whole[i] = true;
            continue;
        }
        if (!find_name(g, op, &g->number[i])) return false;
    }
    return true;
}

/* Adds the operator to its group, or takes it out of the one around it, at most what it took. */
static void add(struct ets_pool_operator *group, const struct ets_pool_operator *op, bool is_out,
                uint32_t runs)
{
    double *sum = (double *)(uintptr_t)group->per_run;
    for (uint32_t r = 0; r < runs; r++) {
        sum[r] += is_out ? -op->per_run[r] - op->resolution : op->per_run[r];
    }
    group->resolution += op->resolution;
    if (!is_out) group->calls += op->calls;
}

static int by_name(const void *left, const void *right)
{
    const struct ets_pool_operator *a = left, *b = right;
    return ets_text_compare(a->name, b->name);
}

static bool make_groups(struct grouper *g, struct ets_pool_operator *groups)
{
    const struct ets_pool_block *block = g->block;
    for (uint32_t i = 1; i < g->names.count; i++) {
        groups[i - 1] = (struct ets_pool_operator){
            .role = ETS_POOL_WORK,
            .name = ets_strings_get(&g->names, i),
            .depth = 1,
            .per_run = ets_arena_alloc_array(&g->pool->arena, block->run_count, sizeof(double)),
        };
        if (groups[i - 1].per_run == NULL) return false;
    }
    for (uint32_t i = 0; i < block->operator_count; i++) {
        if (g->number[i] == ETS_STRING_NONE) continue;
        const struct ets_pool_operator *op = &block->operators[i];
        add(&groups[g->number[i] - 1], op, false, block->run_count);
        if (op->role != ETS_POOL_INNER || op->parent == ETS_NO_INDEX) continue;
        add(&groups[g->number[op->parent] - 1], op, true, block->run_count);
    }
    for (uint32_t i = 0; i + 1 < g->names.count; i++) { /* parts may take up to all of it */
        double *sum = (double *)(uintptr_t)groups[i].per_run;
        for (uint32_t r = 0; groups[i].resolution > 0 && r < block->run_count; r++) {
            if (sum[r] < 0) sum[r] = 0;
        }
    }
    qsort(groups, g->names.count - 1, sizeof *groups, by_name);
    return true;
}

/* Whether groups and the time between operators add up to a run. */
static bool is_run(const struct ets_pool_block *block)
{
    return block->total != ETS_NO_INDEX && block->operators[block->total].role == ETS_POOL_FRAME &&
           block->operators[block->operator_count - 1].role == ETS_POOL_REST;
}

/* What another runtime did outside of its runs: operators that nothing encloses. */
static bool is_outside(const struct ets_pool_block *block)
{
    for (uint32_t i = 0; i < block->operator_count; i++) {
        if (block->operators[i].role == ETS_POOL_FRAME) return false;
    }
    return block->operator_count > 0;
}

bool ets_pool_group(struct ets_pool *pool, struct ets_pool_block *block)
{
    struct grouper g = {.pool = pool, .block = block};
    const uint32_t count = block->operator_count;
    const bool has_total = pool->by != ETS_POOL_BY_NONE && is_run(block);
    if (pool->by == ETS_POOL_BY_NONE || (!has_total && !is_outside(block))) {
        return true; /* a load: nothing adds up to a run */
    }
    g.is_whole = ets_arena_alloc_array(&pool->scratch, count, sizeof *g.is_whole);
    g.number = ets_arena_alloc_array(&pool->scratch, count, sizeof *g.number);
    struct ets_pool_operator *operators =
        ets_arena_alloc_array(&pool->arena, (size_t)count + 2, sizeof *operators);
    if (g.is_whole == NULL || g.number == NULL || operators == NULL ||
        ets_strings_init(&g.names, &pool->arena) != 0 || !classify(&g) ||
        !make_groups(&g, operators + 1)) {
        return false;
    }
    if (!has_total) {
        block->operator_count = g.names.count - 1;
        for (uint32_t i = 1; i < g.names.count; i++) {
            operators[i].parent = ETS_NO_INDEX;
            operators[i].depth = 0;
        }
        block->operators = operators + 1;
        return true;
    }
    operators[0] = block->operators[block->total];
    operators[g.names.count] = block->operators[count - 1];
    operators[0].parent = ETS_NO_INDEX;
    operators[0].depth = 0;
    operators[g.names.count].parent = 0;
    operators[g.names.count].depth = 1;
    block->operators = operators;
    block->operator_count = g.names.count + 1;
    block->total = 0;
    return true;
}
