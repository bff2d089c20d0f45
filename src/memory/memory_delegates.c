/* What payloads tell of delegate calls: which arguments are results, and the memory beside the
 * plan. */
#include "base/load.h"
#include "memory/memory_parts.h"

enum ets_status ets_plan_delegates_init(struct ets_plan_delegates *delegates,
                                        const struct ets_memory_plan *plan, struct ets_arena *arena,
                                        struct ets_error *error)
{
    const uint32_t count = plan->method.delegate_count;
    *delegates = (struct ets_plan_delegates){
        .arena = arena,
        .method = &plan->method,
        .results = ets_arena_alloc_array(arena, count, sizeof *delegates->results),
    };
    ets_payload_store_init(&delegates->payloads, arena, plan->method.program);
    return delegates->results != NULL ? ETS_OK : ets_fail_memory(error, "a delegate's arguments");
}

/* Readable payloads number their inputs and outputs as the call's arguments. */
enum ets_status ets_plan_delegates_results(struct ets_plan_delegates *delegates, uint32_t index,
                                           const struct ets_plan_results **results_out,
                                           struct ets_error *error)
{
    struct ets_plan_results *results = &delegates->results[index];
    *results_out = results;
    if (results->is_read) return ETS_OK;
    results->is_read = true;
    struct ets_delegate delegate;
    const struct ets_payload_graph *graph;
    ets_method_delegate(delegates->method, index, &delegate);
    ETS_TRY(ets_payload_store_read(&delegates->payloads, &delegate, &graph, NULL, error));
    if (graph == NULL) return ETS_OK;
    results->is_result = graph->is_output;
    results->count = graph->argument_count;
    return ETS_OK;
}

/* What delegates plan on their devices; each has its own, which is kept between calls. */
static enum ets_status add_device_memory(struct ets_memory_plan *plan,
                                         struct ets_payload_store *payloads,
                                         struct ets_error *error)
{
    for (uint32_t i = 0; i < plan->method.delegate_count; i++) {
        struct ets_delegate delegate;
        const struct ets_payload_graph *graph;
        ets_method_delegate(&plan->method, i, &delegate);
        ETS_TRY(ets_payload_store_read(payloads, &delegate, &graph, NULL, error));
        if (graph == NULL) continue;
        plan->device_bytes = ets_add_saturated_u64(plan->device_bytes, graph->device_bytes);
    }
    return ETS_OK;
}

enum ets_status ets_plan_add_scratch(struct ets_memory_plan *plan, struct ets_arena *arena,
                                     struct ets_error *error)
{
    struct ets_payload_store payloads;
    ets_payload_store_init(&payloads, arena, plan->method.program);
    plan->whole_peak_bytes = plan->peak_bytes;
    plan->whole_peak_step = plan->peak_step;
    for (uint32_t step = 0; step < plan->chain_step[plan->method.chain_count]; step++) {
        struct ets_instruction call;
        ets_plan_instruction(plan, step, &call);
        if (call.kind != ETS_INSTRUCTION_DELEGATE_CALL) continue;
        struct ets_delegate delegate;
        ets_method_delegate(&plan->method, (uint32_t)call.delegate_index, &delegate);
        uint64_t scratch;
        ETS_TRY(ets_payload_store_scratch(&payloads, &delegate, &scratch, error));
        if (scratch == 0) continue;
        const uint64_t whole = ets_add_saturated_u64(plan->live[step], scratch);
        if (scratch > plan->scratch_bytes) {
            plan->scratch_bytes = scratch;
            plan->scratch_step = step;
        }
        if (whole <= plan->whole_peak_bytes) continue;
        plan->whole_peak_bytes = whole;
        plan->whole_peak_step = step;
    }
    return add_device_memory(plan, &payloads, error);
}
