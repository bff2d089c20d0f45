/* Describes a method's planned memory in a sentence. */
#include <inttypes.h>

#include "host/text_builder.h"
#include "views/memory_lines.h"

#define say(builder, ...) ets_add_plain_text((builder), __VA_ARGS__)

static const char *plural(uint32_t count)
{
    return count == 1 ? "" : "s";
}

/* " (aten::addmm.out)" */
static void say_step(struct ets_text_builder *text, const struct ets_memory_plan *plan,
                     uint32_t step)
{
    struct ets_instruction call;
    ets_plan_instruction(plan, step, &call);
    say(text, "instruction %" PRIu32, step);
    if (call.name.size == 0) return;
    say(text, " (%.*s%s%.*s)", ETS_TEXT(call.name), call.overload.size > 0 ? "." : "",
        ETS_TEXT(call.overload));
}

/* The arena that is furthest above its own bound. */
static const struct ets_plan_arena *widest_gap(const struct ets_memory_plan *plan)
{
    const struct ets_plan_arena *widest = NULL;
    uint64_t gap = 0;
    for (uint32_t a = 0; a < plan->arena_count; a++) {
        const struct ets_plan_arena *arena = &plan->arenas[a];
        if (arena->planned.bytes - arena->peak_bytes <= gap) continue;
        gap = arena->planned.bytes - arena->peak_bytes;
        widest = arena;
    }
    return widest;
}

/* The tensor that ends last in the arena; NULL: none is ever live. */
static const struct ets_plan_tensor *last_tensor(const struct ets_memory_plan *plan,
                                                 const struct ets_plan_arena *arena)
{
    for (uint32_t i = 0; i < arena->tensor_count; i++) {
        const struct ets_plan_tensor *tensor = &plan->tensors[arena->tensors[i]];
        if (tensor->first == ETS_PLAN_NONE || tensor->bytes == 0) continue;
        if (tensor->offset + tensor->bytes == arena->end_bytes) return tensor;
    }
    return NULL;
}

/* How many bytes below the end of a tensor that ends last are free all its life. */
static uint64_t free_below(const struct ets_plan_arena *arena, const struct ets_plan_tensor *tensor)
{
    uint64_t most = 0;
    for (uint32_t s = tensor->first; s <= tensor->last; s++) {
        if (arena->live[s] > most) most = arena->live[s];
    }
    return arena->end_bytes - most;
}

/* Why the plan is above the bound: the parts of the gap of the arena that has the widest. */
static void say_gap(struct ets_text_builder *text, const struct ets_memory_plan *plan)
{
    const struct ets_plan_arena *arena = widest_gap(plan);
    if (arena == NULL) return;
    const uint64_t tail = arena->planned.bytes - arena->end_bytes - arena->slack_bytes;
    const struct ets_plan_tensor *tensor = last_tensor(plan, arena);
    const char *between = " because ";
    if (tensor != NULL && arena->end_bytes > arena->peak_bytes) {
        say(text, "%svalue %" PRIu32 " ends at byte %" PRIu64, between, tensor->value,
            arena->end_bytes);
        const uint64_t below = free_below(arena, tensor);
        if (below > 0) {
            say(text, " while ");
            ets_add_bytes(text, below);
            say(text, " below are free");
        }
        between = ", ";
    }
    if (arena->slack_bytes > 0) {
        say(text, "%s%" PRIu64 " B at the end are padding for XNNPACK", between,
            arena->slack_bytes);
        between = ", ";
    }
    if (tail > 0) {
        say(text, "%s", between);
        ets_add_bytes(text, tail);
        say(text, " behind the last tensor are unused");
    }
}

static void say_bound(struct ets_text_builder *text, const struct ets_memory_lines *lines)
{
    const struct ets_memory_plan *plan = lines->plan;
    const double bound = (double)lines->bound_bytes, planned = (double)plan->planned_bytes;
    if (lines->bound_bytes == 0) return;
    if (plan->planned_bytes <= lines->bound_bytes) {
        say(text, "; no plan with these lifetimes is smaller");
        return;
    }
    const double above = 100 * (planned / bound - 1);
    say(text, "; %.*f %% above the lower bound", above < 1 ? 1 : 0, above);
    say_gap(text, plan);
}

size_t ets_memory_headline(const struct ets_memory_lines *lines, char *room, size_t size)
{
    struct ets_text_builder text = {room, size, 0};
    const struct ets_memory_plan *plan = lines->plan;
    if (size > 0) room[0] = '\0';
    if (plan->planned_bytes == 0) {
        say(&text, "no planned memory");
        return text.used;
    }
    ets_add_bytes(&text, plan->planned_bytes);
    say(&text, " planned; ");
    if (plan->peak_bytes == 0) {
        say(&text, "no instruction uses any of it");
        return text.used;
    }
    say(&text, "peak %s", plan->is_upper_bound ? "at most " : "");
    ets_add_bytes(&text, plan->peak_bytes);
    say(&text, " at ");
    say_step(&text, plan, plan->peak_step);
    say(&text, "; %" PRIu32 " tensor%s hold%s %.0f %% of it", lines->holders.count,
        plural(lines->holders.count), lines->holders.count == 1 ? "s" : "",
        100 * (double)lines->holders.bytes / (double)lines->at_peak.bytes);
    say_bound(&text, lines);
    return text.used;
}

static void say_sum(struct ets_text_builder *text, const struct ets_memory_sum *sum,
                    const char *noun, const char *where)
{
    if (sum->count == 0) return;
    say(text, "%s%" PRIu32 " %s%s ", text->used > 0 ? ", " : "beside the plan: ", sum->count, noun,
        plural(sum->count));
    ets_add_bytes(text, sum->bytes);
    say(text, "%s", where);
}

size_t ets_memory_beside(const struct ets_memory_lines *lines, char *room, size_t size)
{
    struct ets_text_builder text = {room, size, 0};
    if (size > 0) room[0] = '\0';
    say_sum(&text, &lines->constants, "constant", "");
    say_sum(&text, &lines->caller_inputs, "input", " in the caller's memory");
    say_sum(&text, &lines->caller_outputs, "output", " in the caller's memory");
    say_sum(&text, &lines->payloads, "delegate payload", "");
    return text.used;
}
