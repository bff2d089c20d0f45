/* Findings about the memory plan and the program's bytes. */
#include <math.h>

#include "advice/finding_rules.h"

/* A plan this much above its lower bound is told. */
static const double ABOVE_BOUND = 1.1;
/* Fewer bytes are not worth a look. */
enum { LEAST_BYTES = 1 << 10 };

static bool add_of_plan(struct ets_finder *finder, const char *kind, enum ets_severity severity,
                        uint64_t saved)
{
    struct ets_finding finding = ets_finding_of(kind, severity, "memory");
    if (saved > 0) {
        finding.saving =
            (struct ets_saving){.basis = ETS_SAVING_MEMORY, .ticks = {NAN, NAN}, .bytes = saved};
        finding.confidence = ETS_CONFIDENCE_LOW;
    }
    finding.check = ETS_CHECK_MEMORY;
    finding.method = finder->subject->memory->plan->method.name;
    return ets_finding_add(finder, finding);
}

bool ets_find_plan(struct ets_finder *finder)
{
    const struct ets_memory_lines *lines = finder->subject->memory;
    if (lines == NULL || lines->plan->bound_bytes == 0) return true;
    const struct ets_memory_plan *plan = lines->plan;
    const double ratio = (double)plan->planned_bytes / (double)plan->bound_bytes;
    if (!(ratio >= ABOVE_BOUND) || plan->planned_bytes - plan->bound_bytes < LEAST_BYTES)
        return true;
    ets_find_say(finder, "the memory plan is ");
    ets_add_bytes(&finder->line, plan->planned_bytes - plan->bound_bytes);
    ets_find_say(finder, " (%.0f %%) above its lower bound of %s", 100 * (ratio - 1),
                 plan->has_branches ? "at most " : "");
    ets_add_bytes(&finder->line, plan->bound_bytes);
    ets_find_propose(finder,
                     "try another memory planning algorithm "
                     "(MemoryPlanningPass of ExecutorchBackendConfig)");
    return add_of_plan(finder, "plan_above_bound", ETS_SEVERITY_NOTE,
                       plan->planned_bytes - plan->bound_bytes);
}

bool ets_find_plan_mistakes(struct ets_finder *finder)
{
    char text[256];
    const struct ets_memory_lines *lines = finder->subject->memory;
    if (lines == NULL || lines->findings.mistakes == 0) return true;
    const struct ets_memory_findings *findings = &lines->findings;
    uint32_t first = 0;
    while (findings->items[first].kind == ETS_MEMORY_UNDECIDED) first++;
    (void)ets_memory_finding_print(lines->plan, &findings->items[first], text, sizeof text);
    ets_find_say(finder, "%u mistake%s in the memory plan: %s", findings->mistakes,
                 findings->mistakes == 1 ? "" : "s", text);
    return add_of_plan(finder, "plan_mistake", ETS_SEVERITY_BAD, 0);
}

bool ets_find_duplicates(struct ets_finder *finder)
{
    const struct ets_byte_map *map = finder->subject->bytes;
    if (map == NULL || map->duplicate_count == 0) return true;
    ets_find_say(finder, "%u duplicate%s in the program cost%s ", map->duplicate_count,
                 map->duplicate_count == 1 ? "" : "s", map->duplicate_count == 1 ? "s" : "");
    ets_add_bytes(&finder->line, map->duplicate_bytes);
    ets_find_propose(finder,
                     "use one tensor in the model where two are equal; delegates and kernels "
                     "keep copies of their own");
    struct ets_finding finding = ets_finding_of("duplicates", ETS_SEVERITY_NOTE, "size");
    finding.saving = (struct ets_saving){
        .basis = ETS_SAVING_FILE, .ticks = {NAN, NAN}, .bytes = map->duplicate_bytes};
    finding.confidence = ETS_CONFIDENCE_HIGH;
    finding.check = ETS_CHECK_SIZE;
    return ets_finding_add(finder, finding);
}

/* Constants that are in the file for nothing. */
bool ets_find_unused_constants(struct ets_finder *finder)
{
    const struct ets_byte_map *map = finder->subject->bytes;
    const struct ets_byte_item *largest = NULL;
    const bool has_record = finder->subject->record != NULL;
    uint64_t bytes = 0, left = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; map != NULL && i < map->item_count; i++) {
        const struct ets_byte_item *item = &map->items[i];
        if (item->part != ETS_BYTES_UNUSED_CONSTANT) continue;
        /* With a record, one without a name is what the export left when a delegate copied it. */
        if (has_record && item->name.data == NULL) {
            left += item->bytes;
            continue;
        }
        count++;
        bytes += item->bytes;
        if (largest == NULL || item->bytes > largest->bytes) largest = item;
    }
    if (bytes < LEAST_BYTES) return true;
    ets_find_say(finder, "no instruction reads %u constant%s of the program, ", count,
                 count == 1 ? "" : "s");
    ets_add_bytes(&finder->line, bytes);
    if (largest->name.data != NULL) {
        ets_find_evidence(finder, "%s%.*s, ",
                          count == 1 ? "" : "the largest: ", ETS_TEXT(largest->name));
    } else if (count > 1) {
        ets_find_evidence(finder, "the largest: ");
    }
    ets_add_bytes(&finder->evidence, largest->bytes);
    ets_find_evidence(finder, " at byte %llu", (unsigned long long)largest->offset);
    struct ets_finding finding = ets_finding_of("unused_constants", ETS_SEVERITY_NOTE, "size");
    if (left > 0) {
        ets_find_evidence(finder, "; others, ");
        ets_add_bytes(&finder->evidence, left);
        ets_find_evidence(finder, ", are what the export left of constants that delegates copied");
    }
    ets_find_propose(finder,
                     "delete buffers and parameters that the exported methods do not use from the "
                     "model before torch.export (del model.NAME)");
    finding.saving =
        (struct ets_saving){.basis = ETS_SAVING_FILE, .ticks = {NAN, NAN}, .bytes = bytes};
    finding.confidence = has_record ? ETS_CONFIDENCE_HIGH : ETS_CONFIDENCE_MEDIUM;
    if (!has_record) finding.doubt = "the model uses them, and a delegate has copies of its own";
    finding.check = ETS_CHECK_SIZE;
    return ets_finding_add(finder, finding);
}
