/* Lists the operators of a pooled block as a tree, with names, roles and the total. */
#include "compare/pool_parts.h"
#include "etscope/experimental/row_filter.h"
#include "inspect/time_details.h"

/* Rows of a block as a tree, without wrappers of kernels that report themselves. */
struct tree {
    struct ets_arena *arena;
    const struct ets_inspection *inspection;
    const struct ets_block *block;
    uint32_t *first_child, *next_sibling; /* [row of the block] in order of execution */
    uint32_t first_root;
    bool *is_hidden;       /* [row of the block] */
    uint32_t *operator_of; /* [row of the block]; for a hidden row, that of its nearest parent */
    uint32_t *stack;
};

static const struct ets_row *row_at(const struct tree *tree, uint32_t index)
{
    return ets_inspection_row(tree->inspection, tree->block->first_row + index);
}

static uint32_t parent_of(const struct tree *tree, uint32_t index)
{
    const uint32_t parent = row_at(tree, index)->parent;
    return parent == ETS_NO_INDEX ? ETS_NO_INDEX : parent - tree->block->first_row;
}

static bool plant(struct tree *tree)
{
    const uint32_t count = tree->block->row_count;
    const size_t bytes = sizeof(uint32_t);
    tree->first_child = ets_arena_alloc_array(tree->arena, count, bytes);
    tree->next_sibling = ets_arena_alloc_array(tree->arena, count, bytes);
    tree->operator_of = ets_arena_alloc_array(tree->arena, count, bytes);
    tree->stack = ets_arena_alloc_array(tree->arena, (size_t)count + 1, bytes);
    tree->is_hidden = ets_arena_alloc_array(tree->arena, count, sizeof *tree->is_hidden);
    if (tree->first_child == NULL || tree->next_sibling == NULL || tree->operator_of == NULL ||
        tree->stack == NULL || tree->is_hidden == NULL) {
        return false;
    }
    tree->first_root = ETS_NO_INDEX;
    for (uint32_t i = 0; i < count; i++) tree->first_child[i] = ETS_NO_INDEX;
    for (uint32_t i = count; i-- > 0;) { /* backwards, so that lists come out in order */
        const uint32_t parent = parent_of(tree, i);
        uint32_t *head = parent == ETS_NO_INDEX ? &tree->first_root : &tree->first_child[parent];
        tree->next_sibling[i] = *head;
        *head = i;
        if (parent != ETS_NO_INDEX && ets_text_is(row_at(tree, parent)->name, "OPERATOR_CALL")) {
            tree->is_hidden[parent] = true;
        }
    }
    return true;
}

/* "addmm.out" of "native_call_addmm.out", "DELEGATE_CALL XnnpackBackend"; absent: no memory. */
static struct ets_text name_of(struct ets_arena *arena, const struct ets_row *row)
{
    if (!ets_text_is(row->name, "DELEGATE_CALL") || row->backend == NULL) {
        const struct ets_text name = ets_row_operator(row);
        return name.data == NULL ? (struct ets_text){"", 0} : name;
    }
    const size_t room = row->name.size + strlen(row->backend) + 2;
    char *text = ets_arena_alloc(arena, room);
    if (text == NULL) return (struct ets_text){NULL, 0};
    return (struct ets_text){text, ets_print_text(text, room, "DELEGATE_CALL %s", row->backend)};
}

static enum ets_pool_role role_of(const struct ets_row *row, const struct ets_pool_operator *parent)
{
    if (row->is_delegated) return ETS_POOL_INNER;
    if (row->chain == -1 || ets_text_is(row->name, "Method::step")) return ETS_POOL_FRAME;
    return parent != NULL && parent->role != ETS_POOL_FRAME ? ETS_POOL_INNER : ETS_POOL_WORK;
}

/* Adds the operator of a row; false: no memory. */
static bool add_operator(const struct tree *tree, uint32_t index, struct ets_pool_block *block)
{
    struct ets_pool_operator *operators = (struct ets_pool_operator *)(uintptr_t)block->operators;
    const struct ets_row *row = row_at(tree, index);
    const uint32_t above = parent_of(tree, index);
    const uint32_t parent = above == ETS_NO_INDEX ? ETS_NO_INDEX : tree->operator_of[above];
    tree->operator_of[index] = tree->is_hidden[index] ? parent : block->operator_count;
    if (tree->is_hidden[index]) return true;
    struct ets_pool_operator *op = &operators[block->operator_count++];
    *op = (struct ets_pool_operator){
        .role = role_of(row, parent == ETS_NO_INDEX ? NULL : &operators[parent]),
        .name = name_of(tree->arena, row),
        .parent = parent,
        .depth = parent == ETS_NO_INDEX ? 0 : operators[parent].depth + 1,
        .calls = row->calls_per_run,
        .row = row,
        .row_offset = index,
    };
    return op->name.data != NULL;
}

static bool add_all(const struct tree *tree, struct ets_pool_block *block)
{
    uint32_t at = tree->first_root, used = 0;
    while (at != ETS_NO_INDEX || used > 0) {
        if (at == ETS_NO_INDEX) {
            at = tree->stack[--used];
            continue;
        }
        if (!add_operator(tree, at, block)) return false;
        tree->stack[used++] = tree->next_sibling[at];
        at = tree->first_child[at];
    }
    return true;
}

/* The row that encloses all others: the last frame at the top, Method::execute for example. */
static void find_total(const struct tree *tree, uint32_t total_row, struct ets_pool_block *block)
{
    block->total = ETS_NO_INDEX;
    if (total_row != ETS_NO_INDEX) {
        block->total = tree->operator_of[total_row - tree->block->first_row];
        return;
    }
    for (uint32_t i = 0; i < block->operator_count; i++) {
        const struct ets_pool_operator *op = &block->operators[i];
        if (op->role == ETS_POOL_FRAME && op->depth == 0) block->total = i;
    }
}

enum ets_status ets_pool_list_operators(struct ets_pool *pool, struct ets_pool_block *block,
                                        const struct ets_pool_found *first, struct ets_error *error)
{
    const struct ets_pool_part *part = &first->part;
    struct tree tree = {.arena = &pool->arena, .inspection = first->inspection};
    tree.block = ets_inspection_block(tree.inspection, part->block);
    struct ets_pool_operator *operators =
        ets_arena_alloc_array(&pool->arena, (size_t)tree.block->row_count + 1, sizeof *operators);
    block->operators = operators;
    if (operators == NULL || !plant(&tree) || !add_all(&tree, block)) return ets_fail_pool(error);
    const uint32_t total_row = ets_inspection_total_row(tree.inspection, part->block);
    find_total(&tree, total_row, block);
    if (total_row == ETS_NO_INDEX || tree.block->row_count == 1) return ETS_OK;
    operators[block->operator_count++] = (struct ets_pool_operator){
        .role = ETS_POOL_REST,
        .name = ets_text_of(ETS_REST_BETWEEN),
        .parent = block->total,
        .depth = operators[block->total].depth + 1,
    };
    return ETS_OK;
}
