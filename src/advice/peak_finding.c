/* The finding about the peak of the memory plan: which tensors make it. */
#include <inttypes.h>
#include <math.h>

#include "advice/finding_rules.h"
#include "base/text.h"
#include "inspect/recorded_memory.h"
#include "views/memory_makers.h"

/* Tensors of one size that are told by name. */
enum { TOLD = 2 };

static bool is_at_peak(const struct ets_memory_plan *plan, const struct ets_plan_tensor *tensor)
{
    return tensor->arena != ETS_PLAN_NONE && tensor->base == ETS_PLAN_NONE &&
           ets_plan_is_live(tensor, plan->peak_step);
}

/* The trace's row of an instruction of the plan's method; ETS_NO_INDEX: none. */
static uint32_t find_row(const struct ets_finder *finder, const struct ets_instruction *call)
{
    const struct ets_inspection *inspection = finder->subject->inspection;
    const struct ets_memory_plan *plan = finder->subject->memory->plan;
    for (uint32_t i = 0; inspection != NULL && i < ets_inspection_row_count(inspection); i++) {
        const struct ets_row *row = ets_inspection_row(inspection, i);
        const char *method = ets_inspection_block(inspection, row->block)->method;
        if (row->chain == call->chain_index && !row->is_delegated &&
            row->instruction == (int64_t)call->instruction_id && method != NULL &&
            ets_text_is(plan->method.name, method)) {
            return i;
        }
    }
    return ETS_NO_INDEX;
}

/* The source lines of an instruction, as far as the trace knows them. */
static bool find_sources(const struct ets_finder *finder, const struct ets_instruction *call,
                         struct ets_text_list *sources_out)
{
    struct ets_text_list modules;
    const uint32_t number = find_row(finder, call);
    *sources_out = (struct ets_text_list){NULL, 0};
    if (number == ETS_NO_INDEX) return true;
    const struct ets_row *row = ets_inspection_row(finder->subject->inspection, number);
    return row->node_count == 0 ||
           ets_operator_row_places(finder->arena, row, sources_out, &modules);
}

/* "aten::cumsum.out (models/net.py:15)", "value 3" of what no instruction makes */
static bool say_tensor(struct ets_finder *finder, struct ets_memory_makers *makers,
                       const struct ets_plan_tensor *tensor)
{
    struct ets_memory_maker maker;
    struct ets_instruction call;
    struct ets_text_list sources;
    if (tensor->producer == ETS_PLAN_NONE) {
        ets_find_say(finder, "%s value %" PRIu32, ets_plan_kind_name(tensor->kind), tensor->value);
        return true;
    }
    ets_plan_instruction(makers->plan, tensor->producer, &call);
    if (!ets_memory_maker(makers, tensor->producer, &maker) ||
        !find_sources(finder, &call, &sources)) {
        return false;
    }
    ets_find_say(finder, "%.*s", ETS_TEXT(maker.name));
    if (sources.count == 0) return true;
    ets_find_say(finder, " (%.*s", ETS_TEXT(sources.items[0]));
    if (sources.count > 1) ets_find_say(finder, " and %zu more", (size_t)sources.count - 1);
    ets_find_say(finder, ")");
    return true;
}

/* The largest tensors of the peak: "64.0 KiB of aten::cumsum.out (...), 40 %". */
static bool say_largest(struct ets_finder *finder, const struct ets_memory_plan *plan)
{
    struct ets_memory_makers makers;
    uint64_t most = 0;
    uint32_t count = 0, told = 0;
    for (uint32_t i = 0; i < plan->tensor_count; i++) {
        const struct ets_plan_tensor *tensor = &plan->tensors[i];
        if (!is_at_peak(plan, tensor) || tensor->bytes < most) continue;
        count = tensor->bytes == most ? count + 1 : 1;
        most = tensor->bytes;
    }
    if (count == 0 || most == 0) return true;
    if (!ets_memory_makers_init(&makers, finder->arena, plan, NULL)) return false;
    ets_find_say(finder, count == 1 ? "; its largest tensor, " : "; its %" PRIu32 " largest, each ",
                 count);
    ets_add_bytes(&finder->line, most);
    ets_find_say(finder, " (%.1f %%), %s ", 100 * fmin((double)most / (double)plan->peak_bytes, 1),
                 count == 1 ? "is of" : "are of");
    for (uint32_t i = 0; i < plan->tensor_count && told < TOLD; i++) {
        const struct ets_plan_tensor *tensor = &plan->tensors[i];
        if (!is_at_peak(plan, tensor) || tensor->bytes != most) continue;
        if (told++ > 0) ets_find_say(finder, count > TOLD ? ", " : " and ");
        if (!say_tensor(finder, &makers, tensor)) return false;
    }
    if (count > TOLD) ets_find_say(finder, " and %" PRIu32 " more", count - TOLD);
    return true;
}

static bool has_delegate(const struct ets_memory_plan *plan)
{
    struct ets_instruction call;
    for (uint32_t step = 0; step < plan->step_count && plan->method.chain_count > 0; step++) {
        ets_plan_instruction(plan, step, &call);
        if (call.kind == ETS_INSTRUCTION_DELEGATE_CALL) return true;
    }
    return false;
}

/* Bytes of the peak that are planned for upper bounds, and the largest such tensor. */
static uint64_t dynamic_bytes(const struct ets_memory_plan *plan,
                              const struct ets_plan_tensor **largest_out)
{
    uint64_t sum = 0;
    *largest_out = NULL;
    for (uint32_t i = 0; i < plan->tensor_count; i++) {
        const struct ets_plan_tensor *tensor = &plan->tensors[i];
        if (!is_at_peak(plan, tensor) || !tensor->is_upper_bound) continue;
        sum += tensor->bytes;
        if (*largest_out == NULL || tensor->bytes > (*largest_out)->bytes) *largest_out = tensor;
    }
    return sum;
}

/* Most of a peak that dynamic shapes make is what inputs as large as the upper bound need. */
static void say_dynamic(struct ets_finder *finder, struct ets_finding *finding)
{
    enum { LEAST_BYTES = 64 << 10 };
    const struct ets_memory_plan *plan = finder->subject->memory->plan;
    const struct ets_plan_tensor *largest;
    const uint64_t bytes = dynamic_bytes(plan, &largest);
    struct ets_evalue value;
    if (largest == NULL || 2 * bytes < plan->peak_bytes) return;
    ets_method_value(&plan->method, largest->value, &value);
    if (value.kind != ETS_EVALUE_TENSOR) return;
    ets_find_say(finder, "; %.0f %% of it is of dynamic shapes, planned for their upper bounds: ",
                 100 * fmin((double)bytes / (double)plan->peak_bytes, 1));
    for (uint32_t i = 0; i < value.tensor.tensor.rank; i++) {
        ets_find_say(finder, "%s%" PRId64, i == 0 ? "" : " x ", value.tensor.tensor.sizes[i]);
    }
    ets_find_say(finder, " for the largest");
    if (plan->peak_bytes < LEAST_BYTES) return;
    ets_find_propose(finder,
                     "lower the upper bound of the export if inputs are smaller: "
                     "torch.export.Dim(..., max=)");
    finding->confidence = ETS_CONFIDENCE_LOW;
}

/* What delegates take by themselves lies beside the plan. */
static bool say_heap(struct ets_finder *finder)
{
    const struct ets_memory_plan *plan = finder->subject->memory->plan;
    struct ets_recorded_memory memory = {.held_count = 0};
    uint64_t bytes = 0;
    bool is_known = false;
    if (!has_delegate(plan)) return true;
    if (finder->subject->inspection != NULL &&
        ets_recorded_memory_read(finder->arena, finder->subject->inspection, &memory, NULL) !=
            ETS_OK) {
        return false;
    }
    for (uint32_t i = 0; i < memory.held_count; i++) {
        const struct ets_held_memory *held = &memory.held[i];
        if (held->owner != ETS_MEMORY_HEAP || held->bytes == ETS_MEMORY_UNKNOWN ||
            !ets_text_equal(held->method, plan->method.name)) {
            continue;
        }
        bytes = bytes > UINT64_MAX - held->bytes ? UINT64_MAX : bytes + held->bytes;
        is_known = true;
    }
    if (!is_known) {
        ets_find_say(finder, "; what delegates allocate themselves is not counted");
        return true;
    }
    ets_find_say(finder, "; delegates and kernels take about ");
    ets_add_bytes(&finder->line, bytes);
    ets_find_say(finder, " of heap beside it, as measured");
    return true;
}

bool ets_find_peak(struct ets_finder *finder)
{
    const struct ets_memory_lines *lines = finder->subject->memory;
    struct ets_instruction call;
    if (lines == NULL || lines->plan->peak_bytes == 0) return true;
    const struct ets_memory_plan *plan = lines->plan;
    struct ets_finding finding = ets_finding_of("memory_peak", ETS_SEVERITY_NOTE, "memory");
    finding.method = plan->method.name;
    ets_plan_instruction(plan, plan->peak_step, &call);
    ets_find_say(finder, "the memory peak is %s", ets_plan_at_most(plan));
    ets_add_bytes(&finder->line, plan->peak_bytes);
    ets_find_say(finder, ", at instruction %" PRIu32, call.instruction_id);
    finding.check = ETS_CHECK_MEMORY;
    finding.row = find_row(finder, &call);
    if (!say_largest(finder, plan)) return false;
    say_dynamic(finder, &finding);
    if (!say_heap(finder)) return false;
    return ets_finding_add(finder, finding);
}
