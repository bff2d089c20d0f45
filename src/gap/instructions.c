/* Lists the instructions of a run with their captured values, and finds their nodes. */
#include "gap/instructions.h"

#include "gap/argument_pairs.h"
#include "gap/copies.h"
#include "gap/unlogged_rows.h"
#include "inspect/names.h"
#include "operators/operator_traits.h"

bool ets_gap_value_fits(const struct ets_graph_value *expected, const struct ets_tensor *tensor)
{
    if (expected == NULL || expected->rank != tensor->rank) return false;
    if (expected->scalar_type >= 0 && expected->scalar_type != (int)tensor->scalar_type) {
        return false;
    }
    for (uint32_t i = 0; i < expected->rank; i++) {
        const bool is_open = expected->size_texts != NULL && expected->size_texts[i].data != NULL;
        if (!is_open && expected->sizes[i] != tensor->sizes[i]) return false;
    }
    return true;
}

/* A kernel's own event has more details than the one around it. */
static bool tells_more(const struct ets_row *row, const struct gap_instruction *known)
{
    return known->row == NULL || ets_text_is(row->name, "DELEGATE_CALL") ||
           (!known->is_call && ets_row_kernel(row).data != NULL);
}

static void set_row(struct gap_instruction *instruction, const struct ets_row *row)
{
    struct ets_text kernel = ets_row_kernel(row);
    if (kernel.data == NULL && row->kernel.size > 0) {
        kernel = row->kernel; /* "aten::add.out" */
        for (size_t i = 0; i < row->kernel.size; i++) {
            if (row->kernel.data[i] != ':') continue;
            kernel = (struct ets_text){row->kernel.data + i + 1, row->kernel.size - i - 1};
        }
    }
    instruction->row = row;
    instruction->is_call = ets_text_is(row->name, "DELEGATE_CALL");
    instruction->kernel = kernel.data == NULL ? kernel : ets_operator_base_name(kernel);
}

static enum ets_status add_row(struct gap_instructions *s, const struct ets_row *row,
                               struct ets_error *error)
{
    const uint64_t key[] = {(uint64_t)row->chain, (uint64_t)(uint32_t)row->instruction};
    const uint32_t known = s->known.count;
    const uint32_t at = ets_key_table_add(&s->known, key);
    if (at == ETS_KEY_NONE) return gap_fail_memory(error);
    if (at == known) {
        s->items[at] = (struct gap_instruction){.node = GAP_NONE, .first_value = GAP_NONE};
        s->count++;
    }
    if (tells_more(row, &s->items[at])) set_row(&s->items[at], row);
    return ETS_OK;
}

/* Instructions that logged events, then those with values only. */
static enum ets_status list_instructions(struct gap_instructions *s, struct ets_gap_report *report,
                                         struct ets_error *error)
{
    const struct ets_inspection *inspection = report->options.inspection;
    const struct ets_block *block = ets_inspection_block(inspection, report->block);
    const struct ets_row *row;
    for (uint32_t i = 0; i < block->row_count; i++) {
        row = ets_inspection_row(inspection, block->first_row + i);
        if (row->chain >= 0 && !row->is_delegated) ETS_TRY(add_row(s, row, error));
    }
    for (uint32_t i = 0; i < report->value_count; i++) {
        const struct ets_captured_value *value = &report->values[i].captured;
        const uint64_t key[] = {(uint64_t)value->chain, (uint64_t)(uint32_t)value->instruction};
        if (!ets_gap_value_is_of_instruction(value)) continue;
        if (ets_key_table_find(&s->known, key) != ETS_KEY_NONE) continue;
        ETS_TRY(ets_gap_unlogged_row(report, value, &row, error));
        if (row != NULL) ETS_TRY(add_row(s, row, error));
    }
    return ETS_OK;
}

static void find_values(struct gap_instructions *s, const struct ets_gap_report *report)
{
    for (uint32_t i = 0; i < report->value_count; i++) {
        const struct ets_captured_value *value = &report->values[i].captured;
        const uint64_t key[] = {(uint64_t)value->chain, (uint64_t)(uint32_t)value->instruction};
        s->of_value[i] = GAP_NONE;
        if (!ets_gap_value_is_of_instruction(value)) continue;
        const uint32_t at = ets_key_table_find(&s->known, key);
        if (at == ETS_KEY_NONE) continue;
        s->of_value[i] = at;
        if (s->items[at].first_value == GAP_NONE) s->items[at].first_value = i;
        if (report->values[i].inside != ETS_NO_INDEX) continue; /* no argument of the program's */
        if (value->index >= s->items[at].values_per_run) {
            s->items[at].values_per_run = value->index + 1;
        }
    }
}

/* Users of a handle that may conflict. */
enum { A_CALL = 1, UNKNOWN = 2 };

/* Finds instructions that share handles. */
static enum ets_status find_sharing(struct gap_instructions *s, struct ets_gap_report *report,
                                    struct ets_error *error)
{
    struct ets_key_table handles, pairs; /* handle; handle and instruction */
    ets_key_table_init(&handles, &report->arena, 1);
    ets_key_table_init(&pairs, &report->arena, 2);
    size_t room = 0;
    for (uint32_t i = 0; i < s->count; i++) room += s->items[i].row->handle_count;
    uint32_t *users = ets_arena_alloc_array(&report->arena, room, sizeof *users);
    uint8_t *kinds = ets_arena_alloc_array(&report->arena, room, sizeof *kinds);
    if (users == NULL || kinds == NULL) return gap_fail_memory(error);
    for (int counting = 1; counting >= 0; counting--) {
        for (uint32_t i = 0; i < s->count; i++) {
            struct gap_instruction *item = &s->items[i];
            const struct ets_row *row = item->row;
            const uint8_t kind = item->is_call ? A_CALL : item->kernel.data == NULL ? UNKNOWN : 0;
            for (size_t h = 0; h < row->handle_count; h++) {
                const uint64_t key[] = {(uint64_t)row->handles[h], i};
                const uint32_t at = ets_key_table_add(&handles, key);
                const uint32_t known = pairs.count;
                if (at == ETS_KEY_NONE) return gap_fail_memory(error);
                if (!counting) {
                    item->is_shared = item->is_shared || users[at] > 1;
                    item->is_unsure =
                        item->is_unsure || (kind != 0 && kinds[at] == (A_CALL | UNKNOWN));
                } else if (ets_key_table_add(&pairs, key) == ETS_KEY_NONE) {
                    return gap_fail_memory(error);
                } else if (pairs.count > known) {
                    users[at]++;
                    kinds[at] |= kind;
                    item->handle_kinds++;
                }
            }
        }
    }
    return ETS_OK;
}

/* Whether the instruction's first captured values can be the node's outputs. */
static bool outputs_fit(const struct gap_instructions *s, const struct ets_gap_report *report,
                        uint32_t instruction, uint32_t node)
{
    uint32_t at = s->items[instruction].first_value;
    for (; at < report->value_count && s->of_value[at] == instruction; at++) {
        const struct ets_captured_value *value = &report->values[at].captured;
        if (report->values[at].occurrence > 0) break;
        if (!value->has_tensor || value->type != ETS_DEBUG_TENSOR) continue;
        const struct ets_graph_argument *output =
            ets_gap_output(report->edge.nodes[node], value->index);
        const struct ets_graph_value *expected =
            ets_gap_output_value(&report->edge, node, value->index);
        if (output != NULL && output->kind != ETS_ARGUMENT_TENSOR) return false; /* a size */
        if (expected != NULL && !ets_gap_value_fits(expected, &value->tensor)) return false;
    }
    return true;
}

enum strictness {
    BY_OVERLOAD_AND_SHAPE, /* as the next, and not of another overload */
    BY_KERNEL_AND_SHAPE,   /* the node's operator is the kernel's, and its outputs fit */
    BY_KERNEL,
    BY_HANDLE /* nothing else has the handle */
};

/* A kernel of sizes, such as executorch_prim::mul.Scalar, or a node of them: "_operator.mul". */
static bool is_of_sizes(struct ets_text name)
{
    return ets_text_starts_with(name, "executorch_prim::") ||
           ets_text_starts_with(name, "_operator.") || ets_text_starts_with(name, "builtins.");
}

static struct ets_text overload_of(struct ets_text name)
{
    size_t end = name.size;
    while (end > 0 && name.data[end - 1] != '.') end--;
    return end == 0 ? (struct ets_text){NULL, 0}
                    : (struct ets_text){name.data + end, name.size - end};
}

/* Whether the overloads exclude each other: "Scalar_out" and "Tensor". */
static bool has_other_overload(const struct gap_instruction *item,
                               const struct ets_graph_node *node)
{
    struct ets_text kernel = ets_row_kernel(item->row), op = overload_of(node->op);
    if (kernel.data == NULL) kernel = item->row->kernel;
    kernel = overload_of(kernel);
    if (kernel.size < 4 || memcmp(kernel.data + kernel.size - 4, "_out", 4) != 0) return false;
    kernel.size -= 4;
    return kernel.size > 0 && op.size > 0 && !ets_text_equal(kernel, op);
}

/* Whether the instruction's kernel can be that of the node. */
static bool has_kernel(const struct gap_instruction *item, const struct ets_graph_node *node,
                       enum strictness strictness)
{
    if (!ets_text_equal(ets_operator_base_name(node->op), item->kernel)) return false;
    if (is_of_sizes(item->row->kernel) != is_of_sizes(node->op)) return false;
    return strictness != BY_OVERLOAD_AND_SHAPE || !has_other_overload(item, node);
}

/* Whether another node fits as well, so that only the order chose. */
static bool is_ambiguous(const struct gap_instructions *s, const struct ets_gap_report *report,
                         uint32_t instruction, enum strictness strictness)
{
    const struct gap_instruction *item = &s->items[instruction];
    if (!item->is_shared || item->kernel.data == NULL) return false;
    for (size_t i = 0; i < item->row->handle_node_count; i++) {
        const struct ets_graph_node *node = item->row->handle_nodes[i].node;
        const uint32_t number = ets_gap_graph_number(&report->edge, node);
        if (number == GAP_NONE || number == item->node || s->is_sure[number]) continue;
        if (!has_kernel(item, node, strictness)) continue;
        if (strictness == BY_KERNEL || outputs_fit(s, report, instruction, number)) return true;
    }
    return false;
}

static uint32_t choose_node(struct gap_instructions *s, const struct ets_gap_report *report,
                            uint32_t instruction, enum strictness strictness)
{
    const struct gap_instruction *item = &s->items[instruction];
    uint32_t found = GAP_NONE;
    for (size_t i = 0; i < item->row->handle_node_count && s->budget > 0; i++, s->budget--) {
        const struct ets_graph_node *node = item->row->handle_nodes[i].node;
        const uint32_t number = ets_gap_graph_number(&report->edge, node);
        if (number == GAP_NONE) continue;
        if (s->done_by[number] != GAP_NONE && !item->row->is_inferred) continue;
        if (strictness == BY_HANDLE) {
            if (found != GAP_NONE) return GAP_NONE;
            found = number;
            continue;
        }
        const bool is_unknown = item->kernel.data == NULL; /* then match in order, by shape */
        if (is_unknown ? strictness > BY_KERNEL_AND_SHAPE : !has_kernel(item, node, strictness)) {
            continue;
        }
        if (strictness == BY_KERNEL || outputs_fit(s, report, instruction, number)) return number;
    }
    return found;
}

static bool can_be(const struct gap_instructions *s, const struct ets_gap_report *report,
                   uint32_t instruction, uint32_t node)
{
    return has_kernel(&s->items[instruction], report->edge.nodes[node], BY_OVERLOAD_AND_SHAPE) &&
           outputs_fit(s, report, instruction, node);
}

static void take_nodes(struct gap_instructions *s, const struct ets_gap_report *report,
                       enum strictness strictness)
{
    for (uint32_t i = 0; i < s->count; i++) {
        struct gap_instruction *item = &s->items[i];
        if (item->is_call || item->is_unsure) continue;
        if (item->node != GAP_NONE || item->row->handle_node_count == 0) continue;
        if (strictness == BY_HANDLE && item->is_shared && item->kernel.data != NULL) continue;
        item->node = choose_node(s, report, i, strictness);
        if (item->node == GAP_NONE) continue;
        s->done_by[item->node] = i;
        s->is_by_order[item->node] =
            strictness != BY_HANDLE && is_ambiguous(s, report, i, strictness);
    }
}

/*
 * Marks the nodes of the call that the order of calls chose: their handle leads to more nodes
 * without a kernel than the call's list has. Copies of one dequantized value are alike.
 */
static void find_choices(struct gap_instructions *s, const struct ets_gap_report *report,
                         const struct ets_row *row, const struct ets_key_table *handles,
                         const uint32_t *quota, uint32_t *counts)
{
    uint32_t from;
    for (int marking = 0; marking < 2; marking++) {
        for (size_t i = 0; i < row->handle_node_count; i++) {
            const uint32_t node = ets_gap_graph_number(&report->edge, row->handle_nodes[i].node);
            const uint64_t key = (uint64_t)row->handle_nodes[i].handle;
            const uint32_t at = ets_key_table_find(handles, &key);
            if (node == GAP_NONE || at == ETS_KEY_NONE) continue;
            const bool is_of_kernel = s->done_by[node] != GAP_NONE && s->part[node] == GAP_NONE;
            if (is_of_kernel || ets_gap_is_copy(&report->edge, node, &from)) continue;
            if (marking) s->is_by_order[node] |= counts[at] > quota[at];
            else counts[at]++;
        }
    }
}

/* The remaining count of a handle in the call's list. */
static enum ets_status fill_partition(struct gap_instructions *s, struct ets_gap_report *report,
                                      uint32_t call, struct ets_error *error)
{
    const struct ets_row *row = s->items[call].row;
    struct ets_key_table handles;
    ets_key_table_init(&handles, &report->arena, 1);
    uint32_t *quota = ets_arena_alloc_array(&report->arena, row->handle_count, sizeof *quota);
    uint32_t *counts = ets_arena_alloc_array(&report->arena, row->handle_count, sizeof *counts);
    if (quota == NULL || counts == NULL) return gap_fail_memory(error);
    for (size_t i = 0; i < row->handle_count; i++) {
        const uint64_t key = (uint64_t)row->handles[i];
        const uint32_t at = ets_key_table_add(&handles, &key);
        if (at == ETS_KEY_NONE) return gap_fail_memory(error);
        quota[at]++;
    }
    find_choices(s, report, row, &handles, quota, counts);
    for (int with_views = 0; with_views < 2; with_views++) { /* views are often outside of calls */
        for (size_t i = 0; i < row->handle_node_count; i++) {
            const uint32_t node = ets_gap_graph_number(&report->edge, row->handle_nodes[i].node);
            const uint64_t key = (uint64_t)row->handle_nodes[i].handle;
            const uint32_t at = ets_key_table_find(&handles, &key);
            if (node == GAP_NONE || at == ETS_KEY_NONE || quota[at] == 0) continue;
            if (s->done_by[node] != GAP_NONE) continue;
            if (!with_views && ets_gap_is_view(report->edge.nodes[node])) continue;
            s->done_by[node] = s->part[node] = call;
            quota[at]--;
        }
    }
    return ETS_OK;
}

enum ets_status ets_gap_instructions_find(struct gap_instructions *s, struct ets_gap_report *report,
                                          struct ets_error *error)
{
    struct ets_arena *arena = &report->arena;
    const uint32_t nodes = report->edge.node_count;
    const struct ets_block *block = ets_inspection_block(report->options.inspection, report->block);
    *s = (struct gap_instructions){.budget = 100 * 1000 * 1000};
    ets_key_table_init(&s->known, arena, 2);
    s->items = ets_arena_alloc_array(arena, (size_t)block->row_count + report->value_count,
                                     sizeof *s->items);
    s->of_value = ets_arena_alloc_array(arena, report->value_count, sizeof *s->of_value);
    s->part = ets_arena_alloc_array(arena, nodes, sizeof *s->part);
    s->done_by = ets_arena_alloc_array(arena, nodes, sizeof *s->done_by);
    s->is_by_order = ets_arena_alloc_array(arena, nodes, sizeof *s->is_by_order);
    s->is_sure = ets_arena_alloc_array(arena, nodes, sizeof *s->is_sure);
    if (s->items == NULL || s->of_value == NULL || s->part == NULL || s->done_by == NULL ||
        s->is_by_order == NULL || s->is_sure == NULL) {
        return gap_fail_memory(error);
    }
    for (uint32_t i = 0; i < nodes; i++) s->part[i] = s->done_by[i] = GAP_NONE;
    ETS_TRY(list_instructions(s, report, error));
    find_values(s, report);
    ETS_TRY(find_sharing(s, report, error));
    ETS_TRY(ets_gap_arguments_pair(s, report, can_be, error));
    take_nodes(s, report, BY_OVERLOAD_AND_SHAPE);
    take_nodes(s, report, BY_KERNEL_AND_SHAPE);
    take_nodes(s, report, BY_KERNEL);
    take_nodes(s, report, BY_HANDLE);
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->items[i].is_call) ETS_TRY(fill_partition(s, report, i, error));
    }
    return ets_gap_copies_settle(s, report, error);
}
