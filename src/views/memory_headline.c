/* Describes a method's planned memory in a sentence. */
#include <inttypes.h>

#include "host/text_builder.h"
#include "views/memory_lines.h"

/* Steps that are looked at to find who holds the end of an arena. */
enum { LOOKED_AT = 1 << 22 };

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
        if (arena->planned.bytes - arena->bound_bytes <= gap) continue;
        gap = arena->planned.bytes - arena->bound_bytes;
        widest = arena;
    }
    return widest;
}

/* How many bytes below the end of the arena's tensors are free all the time that one lives. */
static uint64_t free_below(const struct ets_plan_arena *arena, const struct ets_plan_tensor *tensor)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < tensor->piece_count; i++) {
        for (uint32_t s = tensor->pieces[i].first; s <= tensor->pieces[i].last; s++) {
            if (arena->live[s] > most) most = arena->live[s];
        }
    }
    return arena->end_bytes - most;
}

/*
 * Of the tensors that end last in the arena the one that leaves least room below: what would have
 * to move first. Looks at a part of them where there are very many.
 */
static const struct ets_plan_tensor *last_tensor(const struct ets_memory_plan *plan,
                                                 const struct ets_plan_arena *arena,
                                                 uint64_t *below_out)
{
    const struct ets_plan_tensor *found = NULL;
    uint64_t budget = LOOKED_AT;
    for (uint32_t i = 0; i < arena->tensor_count && budget > 0; i++) {
        const struct ets_plan_tensor *tensor = &plan->tensors[arena->tensors[i]];
        if (tensor->first == ETS_PLAN_NONE || tensor->bytes == 0) continue;
        if (tensor->offset + tensor->bytes != arena->end_bytes) continue;
        const uint64_t below = free_below(arena, tensor), cost = tensor->last - tensor->first + 1;
        budget -= cost < budget ? cost : budget;
        if (found != NULL && below >= *below_out) continue;
        *below_out = below;
        found = tensor;
    }
    return found;
}

/* A tensor that no instruction names and that ends last; NULL: there is none. */
static const struct ets_plan_tensor *last_unused(const struct ets_memory_plan *plan,
                                                 const struct ets_plan_arena *arena)
{
    for (uint32_t i = 0; i < arena->tensor_count; i++) {
        const struct ets_plan_tensor *tensor = &plan->tensors[arena->tensors[i]];
        if (tensor->first != ETS_PLAN_NONE || tensor->bytes == 0) continue;
        if (tensor->offset + tensor->bytes == arena->end_bytes) return tensor;
    }
    return NULL;
}

/* Why the plan is above the bound: the parts of the gap of the arena that has the widest. */
static void say_gap(struct ets_text_builder *text, const struct ets_memory_plan *plan)
{
    uint64_t below = 0;
    const struct ets_plan_arena *arena = widest_gap(plan);
    if (arena == NULL) return;
    const uint64_t rest = arena->end_bytes % plan->alignment;
    const uint64_t behind = arena->planned.bytes - arena->end_bytes - arena->slack_bytes;
    const uint64_t padding = rest == 0 ? 0 : plan->alignment - rest;
    const struct ets_plan_tensor *tensor = last_tensor(plan, arena, &below);
    const struct ets_plan_tensor *unused = tensor == NULL ? last_unused(plan, arena) : NULL;
    const char *between = " because ";
    if (unused != NULL) {
        say(text, "%svalue %" PRIu32 ", which no instruction names, takes ", between,
            unused->value);
        ets_add_bytes(text, unused->bytes);
        between = ", ";
    }
    if (tensor != NULL && below >= plan->alignment) {
        say(text, "%svalue %" PRIu32 " ends at byte %" PRIu64 " while ", between, tensor->value,
            arena->end_bytes);
        ets_add_bytes(text, below);
        say(text, " below are free");
        between = ", ";
    }
    if (arena->slack_bytes > 0) {
        say(text, "%s%" PRIu64 " B at the end are padding for XNNPACK", between,
            arena->slack_bytes);
        between = ", ";
    }
    if (behind > padding) {
        say(text, "%s", between);
        ets_add_bytes(text, behind - padding);
        say(text, " behind the last tensor are unused");
    }
}

static void say_bound(struct ets_text_builder *text, const struct ets_memory_lines *lines)
{
    const struct ets_memory_plan *plan = lines->plan;
    const char *at_least = "";
    const double bound = (double)plan->bound_bytes, planned = (double)plan->planned_bytes;
    if (plan->bound_bytes == 0) return;
    if (plan->planned_bytes <= plan->bound_bytes) {
        say(text, "; no plan with these lifetimes is smaller");
        return;
    }
    if (plan->has_branches) at_least = "at least ";
    const double above = 100 * (planned / bound - 1);
    if (above < 0.05) {
        say(text, "; %sless than 0.1 %% above the lower bound", at_least);
        return;
    }
    if (above >= 1000) say(text, "; %s%.0f times the lower bound", at_least, planned / bound);
    else say(text, "; %s%.*f %% above the lower bound", at_least, above < 1 ? 1 : 0, above);
    say_gap(text, plan);
}

static void say_mistakes(struct ets_text_builder *text, uint32_t count)
{
    if (count > 0) say(text, "; %" PRIu32 " mistake%s in the plan", count, plural(count));
}

/* "; 3 tensors hold 95 % of it"; 100 % only where they are all of it. */
static void say_holders(struct ets_text_builder *text, const struct ets_memory_lines *lines)
{
    const uint32_t count = lines->holders.count;
    const double share = 100 * (double)lines->holders.bytes / (double)lines->at_peak.bytes;
    say(text, "; %" PRIu32 " tensor%s hold%s ", count, plural(count), count == 1 ? "s" : "");
    if (share >= 99.95 && share < 100) say(text, "over 99.9 %% of it");
    else say(text, "%.*f %% of it", share > 99 && share < 100 ? 1 : 0, share);
}

/* What comes on top of the plan, and what both take at the worst instruction. */
static void say_scratch(struct ets_text_builder *text, const struct ets_memory_plan *plan)
{
    if (plan->scratch_bytes == 0) return;
    say(text, "peak %s", ets_plan_at_most(plan));
    ets_add_bytes(text, plan->whole_peak_bytes);
    say(text, " at ");
    say_step(text, plan, plan->whole_peak_step);
    say(text, ", with the delegate's scratch, up to ");
    ets_add_bytes(text, plan->scratch_bytes);
    say(text, " beside the plan; ");
}

size_t ets_memory_headline(const struct ets_memory_lines *lines, char *room, size_t size)
{
    struct ets_text_builder text = {room, size, 0};
    const struct ets_memory_plan *plan = lines->plan;
    say(&text, "%.*s: ", ETS_TEXT(plan->method.name));
    say_scratch(&text, plan);
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
    say(&text, "peak %s", ets_plan_at_most(plan));
    ets_add_bytes(&text, plan->peak_bytes);
    say(&text, " at ");
    say_step(&text, plan, plan->peak_step);
    say_holders(&text, lines);
    say_bound(&text, lines);
    if (plan->has_branches) say(&text, "; branches count together");
    say_mistakes(&text, lines->findings.mistakes);
    return text.used;
}

size_t ets_memory_arena_note(const struct ets_memory_plan *plan, uint32_t index, char *room,
                             size_t size)
{
    struct ets_text_builder text = {room, size, 0};
    const struct ets_plan_arena *arena = &plan->arenas[index];
    const struct ets_planned_arena *planned = &arena->planned;
    if (size > 0) room[0] = '\0';
    if (planned->bytes == 0) return 0;
    if (plan->planned_bytes == planned->bytes && planned->device_type == ETS_DEVICE_CPU) return 0;
    say(&text, "memory %" PRIu32, planned->memory_id);
    if (planned->device_type == ETS_DEVICE_CUDA) {
        say(&text, " (CUDA %" PRId32 ")", planned->device_index);
    } else if (planned->device_type != ETS_DEVICE_CPU) {
        say(&text, " (device type %" PRId32 ", %" PRId32 ")", planned->device_type,
            planned->device_index);
    }
    say(&text, ": ");
    ets_add_bytes(&text, planned->bytes);
    say(&text, " planned, ");
    if (arena->peak_bytes == 0) {
        say(&text, "never used");
        return text.used;
    }
    say(&text, "peak %s", ets_plan_at_most(plan));
    ets_add_bytes(&text, arena->peak_bytes);
    say(&text, " at instruction %" PRIu32, arena->peak_step);
    return text.used;
}

size_t ets_memory_choices(const struct ets_memory_plan *plan, char *room, size_t size)
{
    enum { MOST = 8 };
    struct ets_text_builder text = {room, size, 0};
    uint32_t count = 0, said = 0;
    if (size > 0) room[0] = '\0';
    for (uint32_t t = 0; t < plan->tensor_count; t++) count += plan->tensors[t].is_conditional;
    for (uint32_t t = 0; t < plan->tensor_count && said < MOST; t++) {
        if (!plan->tensors[t].is_conditional) continue;
        const char *between = said == 0 ? "" : said + 1 == count ? " and " : ", ";
        say(&text, "%s%" PRIu32, said == 0 ? count == 1 ? "value " : "values " : between,
            plan->tensors[t].value);
        said++;
    }
    if (count == 0) return 0;
    if (count > said) say(&text, " and %" PRIu32 " more", count - said);
    say(&text, ": whether they are live behind a branch is known only when it has run");
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
    if (lines->plan->device_bytes > 0) {
        say(&text, "; the delegates' own plan takes at least ");
        ets_add_bytes(&text, lines->plan->device_bytes);
        say(&text, " on their device");
    }
    if (lines->payloads.count > 0) say(&text, "; not counted: what delegates allocate themselves");
    return text.used;
}
