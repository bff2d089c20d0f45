/* Lists what is wrong with a plan, and says it. */
#include "views/memory_findings.h"

#include <inttypes.h>

#include "host/text_builder.h"

#define say(builder, ...) ets_add_plain_text((builder), __VA_ARGS__)

/*
 * Arenas behind the first hold what several methods share, so that another one may write there.
 */
static bool is_unwritten(const struct ets_plan_tensor *tensor)
{
    return tensor->kind == ETS_PLAN_BUFFER && tensor->place == ETS_PLACE_PLANNED &&
           tensor->arena == 0 && tensor->producer == ETS_PLAN_NONE && tensor->reader_count > 0;
}

static bool is_elsewhere(const struct ets_memory_plan *plan, const struct ets_plan_tensor *tensor)
{
    struct ets_evalue value;
    if (tensor->arena == ETS_PLAN_NONE) return false;
    const struct ets_planned_arena *arena = &plan->arenas[tensor->arena].planned;
    ets_method_value(&plan->method, tensor->value, &value);
    return value.tensor.device_type != arena->device_type ||
           value.tensor.device_index != arena->device_index;
}

static void add(struct ets_memory_findings *findings, struct ets_memory_finding finding)
{
    findings->items[findings->count++] = finding;
    findings->mistakes += finding.kind != ETS_MEMORY_UNDECIDED;
}

bool ets_memory_findings_collect(struct ets_arena *arena, const struct ets_memory_plan *plan,
                                 struct ets_memory_findings *findings_out)
{
    struct ets_memory_findings *findings = findings_out;
    const size_t room = (size_t)plan->overlap_count + 2 * (size_t)plan->tensor_count + 1;
    *findings = (struct ets_memory_findings){.count = 0};
    findings->items = ets_arena_alloc_array(arena, room, sizeof *findings->items);
    if (findings->items == NULL) return false;
    for (uint32_t i = 0; i < plan->overlap_count; i++) {
        const struct ets_plan_overlap *overlap = &plan->overlaps[i];
        if (overlap->kind == ETS_PLAN_IN_PLACE) continue;
        add(findings,
            (struct ets_memory_finding){
                overlap->kind == ETS_PLAN_OVERWRITE ? ETS_MEMORY_OVERWRITTEN : ETS_MEMORY_UNDECIDED,
                overlap->tensor, overlap->older, overlap->step});
    }
    for (uint32_t t = 0; t < plan->tensor_count; t++) {
        const struct ets_plan_tensor *tensor = &plan->tensors[t];
        if (is_unwritten(tensor)) {
            add(findings, (struct ets_memory_finding){ETS_MEMORY_UNWRITTEN, t, ETS_PLAN_NONE,
                                                      tensor->touches[0].step});
        }
        if (is_elsewhere(plan, tensor)) {
            add(findings, (struct ets_memory_finding){ETS_MEMORY_WRONG_DEVICE, t, ETS_PLAN_NONE,
                                                      tensor->producer});
        }
    }
    if (plan->never_ends) {
        add(findings, (struct ets_memory_finding){ETS_MEMORY_NO_END, ETS_PLAN_NONE, ETS_PLAN_NONE,
                                                  ETS_PLAN_NONE});
    }
    return true;
}

/* "value 2 (bytes 24 to 31 of memory 1)" */
static void say_tensor(struct ets_text_builder *text, const struct ets_plan_tensor *tensor)
{
    say(text, "value %" PRIu32 " (bytes %" PRIu64 " to %" PRIu64 " of memory %" PRIu32 ")",
        tensor->value, tensor->offset, tensor->offset + tensor->bytes - 1, tensor->arena + 1);
}

static void say_overlap(struct ets_text_builder *text, const struct ets_memory_plan *plan,
                        const struct ets_memory_finding *finding)
{
    const struct ets_plan_tensor *older = &plan->tensors[finding->other];
    const bool is_mistake = finding->kind == ETS_MEMORY_OVERWRITTEN;
    say(text, "instruction %" PRIu32 " %s ", finding->step,
        is_mistake ? "writes" : "gives a delegate");
    say_tensor(text, &plan->tensors[finding->tensor]);
    say(text, is_mistake ? " over " : ", the bytes of ");
    say_tensor(text, older);
    say(text, ", which is needed until instruction %" PRIu32, older->last);
    if (!is_mistake) say(text, ": a view, or a mistake of the plan");
}

size_t ets_memory_finding_print(const struct ets_memory_plan *plan,
                                const struct ets_memory_finding *finding, char *room, size_t size)
{
    struct ets_text_builder text = {room, size, 0};
    const struct ets_plan_tensor *tensor =
        finding->tensor == ETS_PLAN_NONE ? NULL : &plan->tensors[finding->tensor];
    if (size > 0) room[0] = '\0';
    switch (finding->kind) {
    case ETS_MEMORY_OVERWRITTEN:
    case ETS_MEMORY_UNDECIDED: say_overlap(&text, plan, finding); break;
    case ETS_MEMORY_UNWRITTEN:
        say(&text, "instruction %" PRIu32 " reads ", finding->step);
        say_tensor(&text, tensor);
        say(&text, ", which nothing writes");
        break;
    case ETS_MEMORY_WRONG_DEVICE:
        say_tensor(&text, tensor);
        say(&text, " is for another device than its memory");
        break;
    case ETS_MEMORY_NO_END:
        say(&text, "jumps lead back for ever: no instruction ends the method");
        break;
    }
    return text.used;
}
