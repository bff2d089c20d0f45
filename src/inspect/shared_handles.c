/*
 * Operators that an export took apart share one debug handle: an LSTM's 384 kernels have one. A row
 * has of its handle's nodes those of its own kernel; if a block calls a kernel as often as the
 * handle has nodes of it, each call has its own, because nodes are emitted in order. A delegate's
 * rows have the others.
 */
#include <stdbool.h>

#include "base/text.h"
#include "host/strings.h"
#include "inspect/inspection.h"
#include "operators/operator_traits.h"
#include "record/operator_names.h"

/* Calls and nodes of one kernel under one handle. */
struct kernel {
    uint32_t calls, nodes;
    uint32_t first; /* of `nodes` */
    uint32_t next;  /* call, then node, that is met */
};

struct sharer {
    struct ets_inspection *inspection;
    const struct ets_block *block;
    struct ets_strings names;
    struct ets_key_table keys;    /* handle, number of the kernel's name */
    struct ets_key_table handles; /* that several nodes share */
    struct ets_key_table instructions;
    struct kernel *kernels; /* by number of the key */
    uint32_t kernel_room;
    uint32_t *givers; /* by number of the handle: a row that has its nodes */
    uint32_t giver_room;
    uint32_t *callers; /* by number of the instruction: the row of its kernel */
    uint32_t caller_room;
    struct ets_row_node *nodes; /* by kernel, in order */
    struct ets_key_table owned; /* nodes that calls of kernels have, one each */
};

/* Memory planning turns views of no copy into a kernel of its own. */
static struct ets_text plain_name(struct ets_text operator)
{
    const struct ets_text base = ets_operator_base_name(operator);
    return ets_text_is(base, "et_view") ? ets_text_of("view") : base;
}

static bool is_shared(const struct ets_row *row)
{
    return !row->is_delegated && row->chain == 0 && row->instruction >= 0 &&
           row->handle_count == 1 && row->node_count > 1;
}

static uint32_t key_of(const struct sharer *s, int64_t handle, struct ets_text name)
{
    const uint32_t number = ets_strings_find(&s->names, name);
    const uint64_t key[2] = {(uint64_t)handle, number};
    return number == UINT32_MAX ? ETS_KEY_NONE : ets_key_table_find(&s->keys, key);
}

static bool add_call(struct sharer *s, uint32_t at)
{
    struct ets_arena *arena = &s->inspection->arena;
    const struct ets_row *row = &s->inspection->rows[at];
    const uint64_t handle = (uint64_t)row->handles[0], instruction = (uint64_t)row->instruction;
    const uint32_t name = ets_strings_add(&s->names, plain_name(ets_row_kernel(row)));
    const uint64_t key[2] = {handle, name};
    const uint32_t kernel = ets_key_table_add(&s->keys, key);
    const uint32_t giver = ets_key_table_add(&s->handles, &handle);
    const uint32_t caller = ets_key_table_add(&s->instructions, &instruction);
    if (name == UINT32_MAX || kernel == ETS_KEY_NONE || giver == ETS_KEY_NONE ||
        caller == ETS_KEY_NONE) {
        return false;
    }
    s->kernels = ets_arena_grow(arena, s->kernels, kernel, &s->kernel_room, sizeof *s->kernels);
    s->givers = ets_arena_grow(arena, s->givers, giver, &s->giver_room, sizeof *s->givers);
    s->callers = ets_arena_grow(arena, s->callers, caller, &s->caller_room, sizeof *s->callers);
    if (s->kernels == NULL || s->givers == NULL || s->callers == NULL) return false;
    s->kernels[kernel].calls++;
    s->givers[giver] = at;
    s->callers[caller] = at;
    return true;
}

/* Counts the nodes of each kernel; with room for them, lists them. */
static void add_nodes(struct sharer *s)
{
    for (uint32_t h = 0; h < s->handles.count; h++) {
        const struct ets_row *row = &s->inspection->rows[s->givers[h]];
        for (size_t i = 0; i < row->node_count; i++) {
            const struct ets_row_node *node = &row->nodes[i];
            const uint32_t at =
                key_of(s, row->handles[0], plain_name(ets_node_operator(node->node)));
            if (at == ETS_KEY_NONE) continue;
            struct kernel *kernel = &s->kernels[at];
            if (s->nodes == NULL) kernel->nodes++;
            else s->nodes[kernel->first + kernel->next++] = *node;
        }
    }
}

static bool list_nodes(struct sharer *s)
{
    uint32_t total = 0;
    add_nodes(s);
    for (uint32_t i = 0; i < s->keys.count; i++) {
        s->kernels[i].first = total;
        total += s->kernels[i].nodes;
    }
    s->nodes = ets_arena_alloc_array(&s->inspection->arena, (size_t)total + 1, sizeof *s->nodes);
    if (s->nodes == NULL) return false;
    add_nodes(s);
    for (uint32_t i = 0; i < s->keys.count; i++) s->kernels[i].next = 0;
    return true;
}

static uint64_t identity(const struct ets_row_node *node)
{
    return (uint64_t)(uintptr_t)node->node;
}

static bool give_own(struct sharer *s, struct ets_row *row)
{
    const uint32_t at = key_of(s, row->handles[0], plain_name(ets_row_kernel(row)));
    struct kernel *kernel = &s->kernels[at];
    const bool is_exact = kernel->calls == kernel->nodes;
    if (kernel->nodes == 0) return true;
    row->nodes = &s->nodes[kernel->first + (is_exact ? kernel->next++ : 0)];
    row->node_count = is_exact ? 1 : kernel->nodes;
    const uint64_t key = identity(row->nodes);
    return !is_exact || ets_key_table_add(&s->owned, &key) != ETS_KEY_NONE;
}

static bool is_owned(const struct sharer *s, const struct ets_row_node *node)
{
    const uint64_t key = identity(node);
    return ets_key_table_find(&s->owned, &key) != ETS_KEY_NONE;
}

/* What kernels outside have, a delegate does not: its rows keep the other nodes of the handle. */
static bool leave_to_kernels(const struct sharer *s, struct ets_row *row)
{
    size_t count = 0;
    for (size_t i = 0; i < row->node_count; i++) count += is_owned(s, &row->nodes[i]) ? 0 : 1;
    if (count == 0 || count == row->node_count) return true;
    struct ets_row_node *kept = ets_arena_alloc_array(&s->inspection->arena, count, sizeof *kept);
    if (kept == NULL) return false;
    size_t at = 0;
    for (size_t i = 0; i < row->node_count; i++) {
        if (!is_owned(s, &row->nodes[i])) kept[at++] = row->nodes[i];
    }
    row->nodes = kept;
    row->node_count = count;
    return true;
}

static bool give_nodes(struct sharer *s)
{
    struct ets_row *rows = &s->inspection->rows[s->block->first_row];
    for (uint32_t i = 0; i < s->block->row_count; i++) {
        struct ets_row *row = &rows[i];
        const bool is_kernel = is_shared(row) && ets_row_kernel(row).data != NULL;
        if (is_kernel && !give_own(s, row)) return false;
    }
    for (uint32_t i = 0; i < s->block->row_count && s->owned.count > 0; i++) {
        struct ets_row *row = &rows[i];
        const bool is_delegate = row->is_delegated || row->backend != NULL;
        if (is_delegate && row->chain == 0 && !leave_to_kernels(s, row)) return false;
    }
    return true;
}

/* Rows around a kernel's, "OPERATOR_CALL", have its nodes. */
static void give_callers(const struct sharer *s)
{
    for (uint32_t i = 0; i < s->block->row_count; i++) {
        struct ets_row *row = &s->inspection->rows[s->block->first_row + i];
        const uint64_t instruction = (uint64_t)row->instruction;
        if (!is_shared(row) || ets_row_kernel(row).data != NULL) continue;
        const uint32_t at = ets_key_table_find(&s->instructions, &instruction);
        if (at == ETS_KEY_NONE) continue;
        const struct ets_row *kernel = &s->inspection->rows[s->callers[at]];
        row->nodes = kernel->nodes;
        row->node_count = kernel->node_count;
    }
}

enum ets_status ets_rows_share_handles(struct ets_inspection *inspection, uint32_t block,
                                       struct ets_error *error)
{
    struct sharer s = {.inspection = inspection, .block = &inspection->blocks[block]};
    ets_key_table_init(&s.keys, &inspection->arena, 2);
    ets_key_table_init(&s.handles, &inspection->arena, 1);
    ets_key_table_init(&s.instructions, &inspection->arena, 1);
    ets_key_table_init(&s.owned, &inspection->arena, 1);
    if (ets_strings_init(&s.names, &inspection->arena) != 0) {
        return ets_fail_memory(error, "the nodes of operators");
    }
    const uint32_t end = s.block->first_row + s.block->row_count;
    for (uint32_t i = s.block->first_row; i < end; i++) {
        const struct ets_row *row = &inspection->rows[i];
        if (!is_shared(row) || ets_row_kernel(row).data == NULL) continue;
        if (!add_call(&s, i)) return ets_fail_memory(error, "the nodes of operators");
    }
    if (s.keys.count == 0) return ETS_OK;
    if (!list_nodes(&s)) return ets_fail_memory(error, "the nodes of operators");
    if (!give_nodes(&s)) return ets_fail_memory(error, "the nodes of operators");
    give_callers(&s);
    return ETS_OK;
}
