/*
 * Lists the instructions of a program: delegate calls with their units, kernels, and input and
 * output bytes.
 */
#include "etscope/experimental/delegates.h"
#include "format/program_lists.h"
#include "record/record_maps.h"

#include <stdbool.h>
#include <string.h>

#include "base/load.h"
#include "inspect/delegates/call_check.h"
#include "inspect/delegates/delegate_units.h"
#include "inspect/inspection.h"
#include "inspect/names.h"
#include "payload/payload_store.h"
#include "record/etrecord_internal.h"

/* The same limits as in inspection_open.c and delegate_ties.c. */
#define ARENA_LIMIT ((size_t)8 << 30)
enum { PROGRAM_TIMES = 16 };

struct ets_delegation {
    struct ets_arena arena;
    struct ets_delegation_options options;
    struct ets_delegation_step *steps;
    uint32_t count;
    struct ets_payload_store payloads;
    uint64_t budget, check_budget;
};

/* One method while its instructions are listed. */
struct lister {
    struct ets_delegation *all;
    struct ets_method method;
    struct ets_chain chain;
    const char *name;
    bool in_record;
    struct ets_handle_index nodes; /* empty without a graph */
    bool *is_written;              /* [value] by an earlier instruction, or from the start */
    uint32_t *stamp;               /* [value] the last instruction that named it, from 1 */
    uint32_t partition_count;
};

static bool is_constant(const struct ets_program_tensor *tensor)
{
    return tensor->place == ETS_PLACE_CONSTANT || tensor->place == ETS_PLACE_EXTERNAL_CONSTANT;
}

static bool has_start_value(const struct ets_program_tensor *tensor)
{
    return is_constant(tensor) || tensor->place == ETS_PLACE_PLANNED_STATE ||
           tensor->place == ETS_PLACE_EXTERNAL_STATE;
}

static bool find_start_values(struct lister *l)
{
    struct ets_arena *arena = &l->all->arena;
    l->is_written = ets_arena_alloc_array(arena, l->method.value_count, sizeof *l->is_written);
    l->stamp = ets_arena_alloc_array(arena, l->method.value_count, sizeof *l->stamp);
    if (l->is_written == NULL || l->stamp == NULL) return false;
    struct ets_evalue value;
    for (uint32_t i = 0; i < l->method.value_count; i++) {
        ets_method_value(&l->method, i, &value);
        l->is_written[i] = value.kind == ETS_EVALUE_TENSOR && has_start_value(&value.tensor);
    }
    for (uint32_t i = 0; i < l->method.input_count; i++) {
        ets_method_input(&l->method, i, &value);
        l->is_written[value.index] = true;
    }
    return true;
}

/* Counts a tensor, or those of a list, once per instruction. `is_output` -1: unknown. */
static void cross(struct lister *l, uint32_t index, int is_output, struct ets_delegation_step *step)
{
    struct ets_evalue value;
    ets_method_value(&l->method, index, &value);
    if (l->stamp[index] == step->instruction + 1) return;
    l->stamp[index] = step->instruction + 1;
    if (ets_evalue_is_tensor_list(&value)) {
        if (value.item_count > l->all->budget) return; /* ordinary programs do not repeat so many */
        l->all->budget -= value.item_count;
        for (uint32_t i = 0; i < value.item_count; i++) {
            const int32_t item = ets_evalue_item(&value, i);
            struct ets_evalue inner;
            if (item < 0) continue;
            ets_method_value(&l->method, (uint32_t)item, &inner);
            if (inner.kind == ETS_EVALUE_TENSOR) cross(l, (uint32_t)item, is_output, step);
        }
        return;
    }
    if (value.kind != ETS_EVALUE_TENSOR || is_constant(&value.tensor)) return;
    const bool gives = is_output < 0 ? !l->is_written[index] : is_output != 0;
    uint64_t *bytes = gives ? &step->output_bytes : &step->input_bytes;
    *(gives ? &step->output_count : &step->input_count) += 1;
    *bytes = ets_add_saturated_u64(*bytes, value.tensor.tensor_bytes);
    if (value.tensor.dynamism != ETS_SHAPE_STATIC) step->is_upper_bound = 1;
    if (gives) l->is_written[index] = true;
}

static void measure_border(struct lister *l, const struct ets_instruction *instruction,
                           const struct ets_delegate_units *units, struct ets_delegation_step *step)
{
    if (instruction->kind != ETS_INSTRUCTION_DELEGATE_CALL &&
        instruction->kind != ETS_INSTRUCTION_KERNEL_CALL) {
        return;
    }
    const bool is_known = units != NULL && units->argument_count == instruction->argument_count;
    for (uint32_t i = 0; i < instruction->argument_count; i++) {
        cross(l, ets_instruction_argument(instruction, i), is_known ? units->is_output[i] : -1,
              step);
    }
}

static const char NAMELESS[] =
    "its payload does not tell which of the call's operators its nodes are made of: they have no "
    "lines of their own";

static enum ets_status find_nodes(struct lister *l, const int64_t *handles, size_t count,
                                  const struct ets_row_node **nodes_out, size_t *count_out,
                                  struct ets_error *error)
{
    struct ets_node_list list;
    const enum ets_status status =
        ets_handle_index_list(&l->all->arena, &l->nodes, handles, count, &list, error);
    if (status == ETS_LIMIT) return ets_etrecord_blame(l->all->options.record, status, error);
    ETS_TRY(status);
    *nodes_out = list.nodes;
    *count_out = list.count;
    return ETS_OK;
}

/* If only the call's nodes are known: one unit per node. */
static enum ets_status units_of_graph(struct lister *l, struct ets_delegation_step *step,
                                      struct ets_delegate_units *units, struct ets_error *error)
{
    units->items = ets_arena_alloc_array(&l->all->arena, step->node_count, sizeof *units->items);
    if (units->items == NULL) return ets_fail_unit_memory(error);
    for (size_t i = 0; i < step->node_count; i++) {
        units->items[i] = (struct ets_delegate_unit){
            .tie = ETS_TIE_CALL,
            .handles = &step->nodes[i].handle,
            .handle_count = 1,
            .nodes = &step->nodes[i],
            .node_count = 1,
        };
    }
    units->count = (uint32_t)step->node_count;
    return ETS_OK;
}

/* Whether the record knows the call's nodes, but not which of the payload's are made of them. */
static bool is_nameless(const struct ets_delegate_call *call,
                        const struct ets_delegate_units *units)
{
    for (uint32_t i = 0; i < units->count; i++) {
        if (units->items[i].handle_count > 0) return false;
    }
    return call->handle_count > 0;
}

static enum ets_status check_call(struct lister *l, const struct ets_delegate_call *call,
                                  struct ets_error *error)
{
    struct ets_error reason;
    const enum ets_status status =
        ets_delegate_call_check(&l->all->arena, call, &l->all->check_budget, &reason);
    if (status == ETS_MISMATCH) {
        return ets_fail(error, status, ETS_NO_OFFSET,
                        "the ETRecord does not belong to this program: %s", reason.message);
    }
    if (status != ETS_OK && error != NULL) *error = reason;
    return status;
}

static enum ets_status list_units(struct lister *l, const struct ets_instruction *instruction,
                                  struct ets_delegation_step *step,
                                  struct ets_delegate_units *units, struct ets_error *error)
{
    const struct ets_delegate_call call = {
        .record = l->in_record ? l->all->options.record : NULL,
        .method = l->name,
        .instruction = step->instruction,
        .backend = instruction->name,
        .payload = ets_payload_of(&l->chain, step->instruction),
        .handles = step->handles,
        .handle_count = step->handle_count,
        .nodes = &l->nodes,
        .payloads = &l->all->payloads,
        .budget = &l->all->budget,
    };
    ETS_TRY(check_call(l, &call, error));
    ETS_TRY(ets_delegate_units_read(&l->all->arena, &call, units, error));
    for (uint32_t i = 0; i < units->count; i++) {
        struct ets_delegate_unit *unit = &units->items[i];
        ETS_TRY(find_nodes(l, unit->handles, unit->handle_count, &unit->nodes, &unit->node_count,
                           error));
    }
    if (units->count == 0) ETS_TRY(units_of_graph(l, step, units, error));
    step->units = units->items;
    step->unit_count = units->count;
    /* Operators are known; that events are not does not matter here. */
    const bool is_unforetold = units->count > 0 && units->items[0].payload_node_count > 0 &&
                               ets_payload_knowledge(instruction->name) == ETS_PAYLOAD_READABLE;
    if (!is_unforetold || units->is_noted) step->reason = units->reason;
    else if (is_nameless(&call, units)) step->reason = NAMELESS;
    return ETS_OK;
}

/* One of the nodes that the record has at a kernel's instruction must have become that kernel. */
static enum ets_status check_kernel(const struct lister *l, const struct ets_delegation_step *step,
                                    const struct ets_instruction *instruction,
                                    struct ets_error *error)
{
    const struct ets_text name = instruction->name;
    for (size_t i = 0; i < step->node_count; i++) {
        const struct ets_text node = ets_node_operator(step->nodes[i].node);
        if (ets_node_runs_as(node, name) != ETS_NAMES_DIFFER) return ETS_OK;
    }
    if (step->node_count == 0 || name.size == 0) return ETS_OK;
    const struct ets_text other = step->nodes[0].node->op;
    return ets_fail(error, ETS_MISMATCH, ETS_NO_OFFSET,
                    "the ETRecord does not belong to this program: instruction %u of %s is %.*s in "
                    "the record but %.*s in the program",
                    step->instruction, l->name, ETS_TEXT(other), ETS_TEXT(name));
}

static enum ets_status list_step(struct lister *l, uint32_t index, struct ets_delegation_step *step,
                                 struct ets_error *error)
{
    struct ets_instruction instruction;
    ets_chain_instruction(&l->chain, index, &instruction);
    if (l->in_record) {
        ETS_TRY(ets_etrecord_check_backend(l->all->options.record, l->name, &instruction, error));
    }
    *step = (struct ets_delegation_step){
        .method = l->method.index,
        .method_name = l->name,
        .instruction = index,
        .kind = instruction.kind,
        .partition = ETS_NO_INDEX,
        .delegate = instruction.delegate_index,
        .name = instruction.name,
    };
    if (instruction.kind == ETS_INSTRUCTION_KERNEL_CALL) {
        ETS_TRY(ets_operator_name(&l->all->arena, &instruction, &step->name, error));
    }
    if (l->in_record) {
        ets_etrecord_call_handles(l->all->options.record, l->name, index, &step->handles,
                                  &step->handle_count);
        ETS_TRY(find_nodes(l, step->handles, step->handle_count, &step->nodes, &step->node_count,
                           error));
    }
    if (instruction.kind == ETS_INSTRUCTION_KERNEL_CALL) {
        ETS_TRY(check_kernel(l, step, &instruction, error));
    }
    struct ets_delegate_units units = {.count = 0};
    if (instruction.kind == ETS_INSTRUCTION_DELEGATE_CALL) {
        step->partition = l->partition_count++;
        ETS_TRY(list_units(l, &instruction, step, &units, error));
    }
    measure_border(l, &instruction, &units, step);
    return ETS_OK;
}

static enum ets_status know_graph(struct lister *l, struct ets_error *error)
{
    struct ets_etrecord *record = l->all->options.record;
    for (size_t i = 0; record != NULL && i < ets_etrecord_method_count(record); i++) {
        if (strcmp(ets_etrecord_method_name(record, i), l->name) == 0) l->in_record = true;
    }
    if (!l->in_record) return ETS_OK;
    const struct ets_graph *graph = NULL;
    struct ets_error reason;
    const enum ets_status status = ets_etrecord_edge_graph(record, l->name, &graph, &reason);
    if (status == ETS_NOT_FOUND) return ETS_OK;
    if (status != ETS_OK) {
        if (error != NULL) *error = reason;
        return status;
    }
    if (ets_graph_is_emitted(graph)) return ETS_OK;
    return ets_handle_index_build(&l->all->arena, graph, 1, &l->nodes, error);
}

static enum ets_status list_method(struct ets_delegation *all, const struct ets_method *method,
                                   struct ets_error *error)
{
    struct lister l = {.all = all, .method = *method};
    l.name = ets_arena_copy_text(&all->arena, method->name.data, method->name.size);
    if (l.name == NULL || !find_start_values(&l)) return ets_fail_unit_memory(error);
    ETS_TRY(know_graph(&l, error));
    ets_method_chain(method, 0, &l.chain);
    if (l.in_record) {
        ETS_TRY(ets_etrecord_check_size(all->options.record, l.name, &l.chain, error));
        ETS_TRY(ets_etrecord_infer_chain(all->options.record, l.name, &l.chain, error));
    }
    for (uint32_t i = 0; i < l.chain.instruction_count; i++) {
        ETS_TRY(list_step(&l, i, &all->steps[all->count++], error));
    }
    return ETS_OK;
}

static enum ets_status list_all(struct ets_delegation *all, struct ets_error *error)
{
    const struct ets_program *program = all->options.program;
    const char *wanted = all->options.method;
    struct ets_method method;
    size_t room = 0;
    if (wanted != NULL) ETS_TRY(ets_program_find_method(program, wanted, &method, error));
    for (int filling = 0; filling < 2; filling++) {
        for (uint32_t i = 0; i < program->method_count; i++) {
            struct ets_chain chain;
            ets_program_method(program, i, &method);
            if (method.chain_count == 0) continue;
            if (wanted != NULL && !ets_text_is(method.name, wanted)) continue;
            ets_method_chain(&method, 0, &chain);
            if (filling) ETS_TRY(list_method(all, &method, error));
            else room += chain.instruction_count;
        }
        if (filling) break;
        all->steps = ets_arena_alloc_array(&all->arena, room, sizeof *all->steps);
        if (all->steps == NULL) return ets_fail_unit_memory(error);
    }
    return ETS_OK;
}

enum ets_status ets_delegation_open(const struct ets_delegation_options *options,
                                    struct ets_delegation **delegations_out,
                                    struct ets_error *error)
{
    struct ets_arena arena;
    ets_arena_init(&arena, options->allocator, ARENA_LIMIT);
    struct ets_delegation *all = ets_arena_alloc(&arena, sizeof *all);
    if (all == NULL) return ets_fail_unit_memory(error);
    all->arena = arena;
    all->options = *options;
    ets_payload_store_init(&all->payloads, &all->arena, options->program);
    all->check_budget = ETS_CALL_CHECK_BUDGET;
    all->budget = PROGRAM_TIMES * (uint64_t)options->program->bytes.size;
    const enum ets_status status = list_all(all, error);
    if (status != ETS_OK) {
        ets_delegation_close(all);
        return status;
    }
    *delegations_out = all;
    return ETS_OK;
}

void ets_delegation_close(struct ets_delegation *delegations)
{
    if (delegations == NULL) return;
    struct ets_arena arena = delegations->arena; /* holds the object itself */
    ets_arena_reset(&arena);
}

uint32_t ets_delegation_count(const struct ets_delegation *delegations)
{
    return delegations->count;
}

const struct ets_delegation_step *ets_delegation_step_at(const struct ets_delegation *delegations,
                                                         uint32_t index)
{
    return &delegations->steps[index];
}
