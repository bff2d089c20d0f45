/* Checks a plan, pair by pair, without anything of the code that makes plans. */
#include "memory/memory_replan.h"

static bool needs_memory(const struct ets_memory_plan *plan,
                         const struct ets_replan_options *options, uint32_t tensor)
{
    const struct ets_plan_tensor *t = &plan->tensors[tensor];
    if (t->arena == ETS_PLAN_NONE || t->first == ETS_PLAN_NONE || t->bytes == 0) return false;
    return !ets_replan_leaves_out(plan, options, tensor);
}

static bool overlap(uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes)
{
    return a < b + b_bytes && b < a + a_bytes;
}

static bool is_in_place_pair(const struct ets_memory_plan *plan, const struct ets_replan *replan,
                             uint32_t result, uint32_t input)
{
    return replan->in_place_of[result] == input && ets_plan_in_place_of(plan, result) == input &&
           replan->offsets[result] == replan->offsets[input];
}

/* Two tensors of one arena. */
static bool may_lie_so(const struct ets_memory_plan *plan, const struct ets_replan *replan,
                       uint32_t a, uint32_t b)
{
    const struct ets_plan_tensor *x = &plan->tensors[a], *y = &plan->tensors[b];
    const uint64_t at_x = replan->offsets[a], at_y = replan->offsets[b];
    const bool is_view = x->base == b || y->base == a;
    const bool are_live = ets_plan_live_together(x, y);
    const bool shared = overlap(x->offset, x->bytes, y->offset, y->bytes);
    if (shared && (are_live || is_view)) return at_x - at_y == x->offset - y->offset;
    if (!are_live || !overlap(at_x, x->bytes, at_y, y->bytes)) return true;
    return is_in_place_pair(plan, replan, a, b) || is_in_place_pair(plan, replan, b, a);
}

/* Whether all that shares bytes with it in the given plan is aligned by something else. */
static bool is_aligned(const struct ets_memory_plan *plan, const struct ets_replan_options *options,
                       const struct ets_replan *replan, uint32_t tensor)
{
    const uint64_t alignment = options->alignment == 0 ? ETS_REPLAN_ALIGNMENT : options->alignment;
    if (replan->offsets[tensor] % alignment == 0) return true;
    /* Inside of another tensor's bytes it lies where the exporter put it. */
    const struct ets_plan_tensor *t = &plan->tensors[tensor];
    for (uint32_t i = 0; i < plan->tensor_count; i++) {
        const struct ets_plan_tensor *other = &plan->tensors[i];
        if (i == tensor || other->arena != t->arena || !needs_memory(plan, options, i)) continue;
        if (overlap(t->offset, t->bytes, other->offset, other->bytes) &&
            replan->offsets[tensor] - replan->offsets[i] == t->offset - other->offset) {
            return true;
        }
    }
    return false;
}

bool ets_memory_replan_check(const struct ets_memory_plan *plan,
                             const struct ets_replan_options *options,
                             const struct ets_replan *replan, struct ets_replan_fault *fault_out)
{
    for (uint32_t a = 0; a < plan->tensor_count; a++) {
        if (!needs_memory(plan, options, a)) continue;
        const uint32_t arena = plan->tensors[a].arena;
        *fault_out = (struct ets_replan_fault){a, a};
        if (!is_aligned(plan, options, replan, a)) return false;
        if (replan->offsets[a] + plan->tensors[a].bytes > replan->arena_bytes[arena]) return false;
        for (uint32_t b = a + 1; b < plan->tensor_count; b++) {
            if (plan->tensors[b].arena != arena || !needs_memory(plan, options, b)) continue;
            fault_out->other = b;
            if (!may_lie_so(plan, replan, a, b)) return false;
        }
    }
    return true;
}
