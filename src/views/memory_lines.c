/*
 * Lists the tensors of a plan in an order, with those alive at the peak and where they come from.
 */
#include "views/memory_lines.h"

#include <stdlib.h>

#include "base/load.h"
#include "views/memory_makers.h"

static void add(struct ets_memory_sum *sum, uint64_t bytes)
{
    sum->count++;
    sum->bytes = ets_add_saturated_u64(sum->bytes, bytes);
}

/* Where a tensor comes from. */
static bool describe(struct ets_memory_makers *makers, struct ets_memory_line *line)
{
    struct ets_memory_maker maker;
    if (line->tensor->producer == ETS_PLAN_NONE) return true;
    if (!ets_memory_maker(makers, line->tensor->producer, &maker)) return false;
    line->producer = maker.name;
    line->sources = maker.sources;
    line->modules = maker.modules;
    return true;
}

static bool holds_bytes(const struct ets_plan_tensor *tensor, uint32_t step)
{
    return tensor->arena != ETS_PLAN_NONE && tensor->bytes > 0 && ets_plan_is_live(tensor, step);
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

static int compare_sizes(const void *left, const void *right)
{
    return compare_numbers(*(const uint64_t *)right, *(const uint64_t *)left);
}

/* How few of the tensors alive at the peak hold 90 % of what these hold: the largest. */
static bool find_holders(struct ets_arena *arena, struct ets_memory_lines *lines)
{
    const struct ets_memory_plan *plan = lines->plan;
    struct ets_memory_sum *holders = &lines->holders;
    uint32_t count = 0;
    uint64_t *sizes = ets_arena_alloc_array(arena, lines->at_peak.count, sizeof *sizes);
    if (sizes == NULL) return false;
    for (uint32_t t = 0; t < plan->tensor_count; t++) {
        const struct ets_plan_tensor *tensor = &plan->tensors[t];
        if (!holds_bytes(tensor, plan->peak_step) || !counts(tensor)) continue;
        sizes[count++] = tensor->bytes;
    }
    if (count > 1) qsort(sizes, count, sizeof *sizes, compare_sizes);
    for (uint32_t i = 0; i < count; i++) {
        if ((double)holders->bytes >= 0.9 * (double)lines->at_peak.bytes) break;
        add(holders, sizes[i]);
    }
    return true;
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

/* [tensor_count] whose bytes each takes over in place, or NONE; NULL: no memory. */
static const uint32_t *find_in_place(struct ets_arena *arena, const struct ets_memory_plan *plan)
{
    uint32_t *in_place_of = ets_arena_alloc_array(arena, plan->tensor_count, sizeof *in_place_of);
    if (in_place_of == NULL) return NULL;
    for (uint32_t t = 0; t < plan->tensor_count; t++) in_place_of[t] = ETS_PLAN_NONE;
    for (uint32_t i = 0; i < plan->overlap_count; i++) {
        const struct ets_plan_overlap *overlap = &plan->overlaps[i];
        if (overlap->kind == ETS_PLAN_IN_PLACE) in_place_of[overlap->tensor] = overlap->older;
    }
    return in_place_of;
}

/* Whether a tensor gets a line. */
static bool is_wanted(const struct ets_memory_options *options,
                      const struct ets_plan_tensor *tensor)
{
    if (options->only_at) return holds_bytes(tensor, options->at);
    return options->all || tensor->arena != ETS_PLAN_NONE;
}

bool ets_memory_lines_collect(struct ets_arena *arena, const struct ets_memory_plan *plan,
                              const struct ets_memory_options *options,
                              struct ets_memory_lines *lines_out)
{
    struct ets_memory_makers makers;
    struct ets_memory_lines *lines = lines_out;
    *lines = (struct ets_memory_lines){.plan = plan, .step = plan->peak_step};
    if (options->only_at) lines->step = options->at;
    lines->items = ets_arena_alloc_array(arena, plan->tensor_count, sizeof *lines->items);
    const uint32_t *in_place_of = find_in_place(arena, plan);
    if (lines->items == NULL || in_place_of == NULL) return false;
    if (!ets_memory_makers_init(&makers, arena, plan, options->delegation)) return false;
    for (uint32_t t = 0; t < plan->tensor_count; t++) {
        const struct ets_plan_tensor *tensor = &plan->tensors[t];
        if (holds_bytes(tensor, plan->peak_step) && counts(tensor)) {
            add(&lines->at_peak, tensor->bytes);
        }
        if (!is_wanted(options, tensor)) continue;
        struct ets_memory_line *line = &lines->items[lines->count++];
        line->tensor = tensor;
        line->in_place_of = in_place_of[t];
        line->is_at_peak = holds_bytes(tensor, lines->step);
        if (!describe(&makers, line)) return false;
    }
    sort(lines, ETS_MEMORY_BY_PEAK);
    if (!find_holders(arena, lines)) return false;
    if (options->order != ETS_MEMORY_BY_PEAK) sort(lines, options->order);
    count_beside(lines);
    return ets_memory_findings_collect(arena, plan, &lines->findings);
}
