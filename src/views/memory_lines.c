/* Lists the tensors of a plan in an order, with who is alive at the peak and where they come from.
 */
#include "views/memory_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/load.h"
#include "format/program_names.h"
#include "host/text_builder.h"

struct collector {
    struct ets_arena *arena;
    const struct ets_memory_plan *plan;
    const struct ets_memory_options *options;
    struct ets_memory_lines *lines;
    uint32_t first_step, end_step; /* the method's steps in options->delegation */
    struct ets_text *names;        /* [step_count] of producers, made when first asked for */
};

static void add(struct ets_memory_sum *sum, uint64_t bytes)
{
    sum->count++;
    if (!ets_add_u64(sum->bytes, bytes, &sum->bytes)) sum->bytes = UINT64_MAX;
}

static void find_steps(struct collector *c)
{
    const struct ets_delegation *delegation = c->options->delegation;
    if (delegation == NULL) return;
    const uint32_t count = ets_delegation_count(delegation), method = c->plan->method.index;
    while (c->first_step < count &&
           ets_delegation_step_at(delegation, c->first_step)->method != method) {
        c->first_step++;
    }
    c->end_step = c->first_step;
    while (c->end_step < count &&
           ets_delegation_step_at(delegation, c->end_step)->method == method) {
        c->end_step++;
    }
}

/* "aten::addmm.out" of a kernel call, else the delegate or the kind of instruction. */
static bool name_step(struct collector *c, uint32_t step, struct ets_text *name_out)
{
    struct ets_text *name = &c->names[step];
    if (name->data == NULL) {
        struct ets_instruction call;
        ets_plan_instruction(c->plan, step, &call);
        if (call.name.data == NULL) {
            const char *kind = ets_instruction_kind_name(call.kind);
            *name = (struct ets_text){kind, strlen(kind)};
        } else if (call.overload.size == 0) {
            *name = call.name;
        } else {
            const size_t room = call.name.size + call.overload.size + 2;
            char *text = ets_arena_alloc(c->arena, room);
            if (text == NULL) return false;
            memcpy(text, call.name.data, call.name.size);
            text[call.name.size] = '.';
            memcpy(text + call.name.size + 1, call.overload.data, call.overload.size);
            *name = (struct ets_text){text, room - 1};
        }
    }
    *name_out = *name;
    return true;
}

/* Where a tensor comes from. */
static bool describe(struct collector *c, struct ets_memory_line *line)
{
    const uint32_t step = line->tensor->producer;
    if (step == ETS_PLAN_NONE) return true;
    if (!name_step(c, step, &line->producer)) return false;
    if (step >= c->end_step - c->first_step) return true;
    const struct ets_delegation_step *from =
        ets_delegation_step_at(c->options->delegation, c->first_step + step);
    return ets_operator_node_places(c->arena, from->nodes, from->node_count, &line->sources,
                                    &line->modules);
}

static bool is_at_peak(const struct ets_memory_plan *plan, const struct ets_plan_tensor *tensor)
{
    return tensor->arena != ETS_PLAN_NONE && tensor->bytes > 0 &&
           ets_plan_is_live(tensor, plan->peak_step);
}

/* Views have their bytes from another tensor, which is there as long as they are. */
static bool counts(const struct ets_plan_tensor *tensor)
{
    return tensor->base == ETS_PLAN_NONE;
}

static int compare_numbers(uint64_t left, uint64_t right)
{
    return (left > right) - (left < right);
}

static int by_value(const void *left, const void *right)
{
    const struct ets_memory_line *a = left, *b = right;
    return compare_numbers(a->tensor->value, b->tensor->value);
}

static int by_bytes(const void *left, const void *right)
{
    const struct ets_memory_line *a = left, *b = right;
    const int order = compare_numbers(b->tensor->bytes, a->tensor->bytes);
    return order != 0 ? order : by_value(left, right);
}

static int by_peak(const void *left, const void *right)
{
    const struct ets_memory_line *a = left, *b = right;
    if (a->is_at_peak != b->is_at_peak) return a->is_at_peak ? -1 : 1;
    return by_bytes(left, right);
}

static int by_offset(const void *left, const void *right)
{
    const struct ets_memory_line *a = left, *b = right;
    int order = compare_numbers(a->tensor->arena, b->tensor->arena);
    if (order == 0) order = compare_numbers(a->tensor->offset, b->tensor->offset);
    return order != 0 ? order : by_value(left, right);
}

static int by_first(const void *left, const void *right)
{
    const struct ets_memory_line *a = left, *b = right;
    const int order = compare_numbers(a->tensor->first, b->tensor->first);
    return order != 0 ? order : by_value(left, right);
}

static void sort(struct ets_memory_lines *lines, enum ets_memory_order order)
{
    static int (*const orders[])(const void *, const void *) = {by_peak, by_bytes, by_offset,
                                                                by_first, by_value};
    if (lines->count > 1) qsort(lines->items, lines->count, sizeof *lines->items, orders[order]);
}

/* How few of the tensors alive at the peak hold 90 % of what these hold; the largest come first. */
static void find_holders(struct ets_memory_lines *lines)
{
    struct ets_memory_sum *holders = &lines->holders;
    for (uint32_t i = 0; i < lines->count && lines->items[i].is_at_peak; i++) {
        if ((double)holders->bytes >= 0.9 * (double)lines->at_peak.bytes) return;
        if (counts(lines->items[i].tensor)) add(holders, lines->items[i].tensor->bytes);
    }
}

/* What a method uses that is not in its arenas. */
static void count_beside(struct ets_memory_lines *lines)
{
    const struct ets_memory_plan *plan = lines->plan;
    for (uint32_t t = 0; t < plan->tensor_count; t++) {
        const struct ets_plan_tensor *tensor = &plan->tensors[t];
        if (tensor->arena != ETS_PLAN_NONE) continue;
        if (tensor->kind == ETS_PLAN_CONSTANT) add(&lines->constants, tensor->bytes);
        else if (tensor->kind == ETS_PLAN_INPUT) add(&lines->caller_inputs, tensor->bytes);
        else if (tensor->is_output) add(&lines->caller_outputs, tensor->bytes);
    }
    for (uint32_t i = 0; i < plan->method.delegate_count; i++) {
        struct ets_delegate delegate;
        ets_method_delegate(&plan->method, i, &delegate);
        add(&lines->payloads, delegate.blob.size);
    }
}

bool ets_memory_lines_collect(struct ets_arena *arena, const struct ets_memory_plan *plan,
                              const struct ets_memory_options *options,
                              struct ets_memory_lines *lines_out)
{
    struct ets_memory_lines *lines = lines_out;
    struct collector c = {.arena = arena, .plan = plan, .options = options, .lines = lines};
    *lines = (struct ets_memory_lines){.plan = plan};
    lines->items = ets_arena_alloc_array(arena, plan->tensor_count, sizeof *lines->items);
    c.names = ets_arena_alloc_array(arena, plan->step_count, sizeof *c.names);
    if (lines->items == NULL || c.names == NULL) return false;
    find_steps(&c);
    for (uint32_t t = 0; t < plan->tensor_count; t++) {
        const struct ets_plan_tensor *tensor = &plan->tensors[t];
        if (tensor->arena == ETS_PLAN_NONE && !options->all) continue;
        struct ets_memory_line *line = &lines->items[lines->count++];
        line->tensor = tensor;
        line->is_at_peak = is_at_peak(plan, tensor);
        if (line->is_at_peak && counts(tensor)) add(&lines->at_peak, tensor->bytes);
        if (!describe(&c, line)) return false;
    }
    sort(lines, ETS_MEMORY_BY_PEAK);
    find_holders(lines);
    if (options->order != ETS_MEMORY_BY_PEAK) sort(lines, options->order);
    count_beside(lines);
    return ets_memory_findings_collect(arena, plan, &lines->findings);
}
