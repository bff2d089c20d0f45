/* What payloads tell of delegate calls: which arguments are results, and the memory beside the
 * plan. */
#include "base/load.h"
#include "base/text.h"
#include "format/vela.h"
#include "format/xnnpack.h"
#include "memory/memory_parts.h"

/* Delegates may share a payload; no honest program has its bytes read so often. */
enum { PROGRAM_TIMES = 16 };

enum ets_status ets_plan_delegates_init(struct ets_plan_delegates *delegates,
                                        const struct ets_memory_plan *plan, struct ets_arena *arena,
                                        struct ets_error *error)
{
    const uint32_t count = plan->method.delegate_count;
    *delegates = (struct ets_plan_delegates){
        .arena = arena,
        .method = &plan->method,
        .results = ets_arena_alloc_array(arena, count, sizeof *delegates->results),
        .budget = PROGRAM_TIMES * (uint64_t)plan->method.program->bytes.size,
    };
    return delegates->results != NULL ? ETS_OK : ets_fail_memory(error, "a delegate's arguments");
}

/* XNNPACK's payload numbers its inputs and outputs as the call's arguments. */
static enum ets_status read_xnnpack(struct ets_plan_delegates *delegates, struct ets_bytes blob,
                                    struct ets_plan_results *results, struct ets_error *error)
{
    struct ets_xnnpack payload;
    if (blob.size > delegates->budget) return ETS_OK;
    delegates->budget -= blob.size;
    if (ets_xnnpack_init(&payload, blob, NULL) != ETS_OK) return ETS_OK;
    uint8_t *is_result = ets_arena_alloc_array(delegates->arena, payload.external_count, 1);
    if (is_result == NULL) return ets_fail_memory(error, "a delegate's arguments");
    ets_xnnpack_mark_outputs(&payload, is_result);
    results->is_result = is_result;
    results->count = payload.external_count;
    return ETS_OK;
}

enum ets_status ets_plan_delegates_results(struct ets_plan_delegates *delegates, uint32_t index,
                                           const struct ets_plan_results **results_out,
                                           struct ets_error *error)
{
    struct ets_plan_results *results = &delegates->results[index];
    *results_out = results;
    if (results->is_read) return ETS_OK;
    results->is_read = true;
    struct ets_delegate delegate;
    ets_method_delegate(delegates->method, index, &delegate);
    if (!ets_text_is(delegate.id, ETS_XNNPACK_BACKEND)) return ETS_OK;
    return read_xnnpack(delegates, delegate.blob, results, error);
}

/* Of Ethos-U: its scratch memory is allocated when a call begins and freed when it ends. */
static uint64_t scratch_of(const struct ets_method *method, uint32_t index)
{
    struct ets_delegate delegate;
    struct ets_vela vela;
    ets_method_delegate(method, index, &delegate);
    const bool is_ethos_u = ets_text_is(delegate.id, ETS_ETHOS_U_BACKEND) ||
                            ets_text_is(delegate.id, ETS_ETHOS_U_BACKEND_BEFORE);
    if (!is_ethos_u || ets_vela_init(&vela, delegate.blob, NULL) != ETS_OK) return 0;
    return vela.scratch_bytes;
}

void ets_plan_add_scratch(struct ets_memory_plan *plan)
{
    plan->whole_peak_bytes = plan->peak_bytes;
    plan->whole_peak_step = plan->peak_step;
    for (uint32_t step = 0; step < plan->chain_step[plan->method.chain_count]; step++) {
        struct ets_instruction call;
        ets_plan_instruction(plan, step, &call);
        if (call.kind != ETS_INSTRUCTION_DELEGATE_CALL) continue;
        const uint64_t scratch = scratch_of(&plan->method, (uint32_t)call.delegate_index);
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
}
