/* Buffers that runs leave to later ones: where a run takes them from, and what it leaves. */
#include "base/error.h"
#include "base/text.h"
#include "reference/reference_run.h"
#include "reference/reference_state.h"

static const char other_shape[] = "an earlier run left the buffer in another shape";

static bool has_shape(const struct ets_tensor *tensor, const struct ets_graph_value *described)
{
    if (described == NULL || described->scalar_type < 0) return true;
    if (tensor->rank != described->rank) return false;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        const bool is_text = described->size_texts != NULL && described->size_texts[i].data != NULL;
        if (!is_text && tensor->sizes[i] != described->sizes[i]) return false;
    }
    return true;
}

/* In the record's type, unless runs compute in doubles. */
static enum ets_status take_tensor(struct reference_run *run, const struct ets_tensor *tensor,
                                   const struct ets_graph_value *described,
                                   struct reference_value *value_out)
{
    struct ets_reference *reference = run->reference;
    const int type = described != NULL && described->scalar_type >= 0 ? described->scalar_type
                                                                      : (int)tensor->scalar_type;
    if (type == (int)tensor->scalar_type || reference->calls.use_double) {
        return ets_reference_tensor_borrow(&reference->memory, tensor, value_out, run->error);
    }
    ETS_TRY(ets_reference_tensor_new(&reference->memory, type, tensor->rank, tensor->sizes,
                                     value_out, run->error));
    return ets_reference_tensor_copy(tensor, &value_out->as.tensor.view, run->error);
}

enum ets_status ets_reference_start_buffer(struct reference_run *run,
                                           const struct ets_graph_input *input,
                                           const struct ets_graph_value *described,
                                           struct reference_value *value_out, bool *is_taken_out)
{
    const struct ets_reference_state *start = run->reference->options.start;
    const struct ets_reference_buffer *buffer =
        input->role == ETS_INPUT_BUFFER ? ets_reference_state_find(start, input->source) : NULL;
    *is_taken_out = buffer != NULL;
    if (buffer == NULL) return ETS_OK;
    if (buffer->reason == NULL && has_shape(&buffer->tensor, described)) {
        return take_tensor(run, &buffer->tensor, described, value_out);
    }
    *value_out = reference_unavailable(buffer->reason != NULL ? buffer->reason : other_shape);
    return ETS_OK;
}

static enum ets_status leave(struct reference_run *run, struct ets_text name,
                             const struct reference_value *value)
{
    const bool is_tensor = value->kind == REFERENCE_TENSOR;
    const char *reason = value->kind == REFERENCE_UNAVAILABLE ? value->as.reason : NULL;
    return ets_reference_state_put(run->reference->options.end, name,
                                   is_tensor ? &value->as.tensor.view : NULL, reason, run->error);
}

/* Buffers that the graph works on in place. */
static enum ets_status leave_written(struct reference_run *run, const struct reference_plan *plan)
{
    for (uint32_t i = 0; i < plan->graph->input_count; i++) {
        const struct ets_graph_input *input = &plan->graph->inputs[i];
        const uint32_t slot = plan->inputs[i];
        if (input->role != ETS_INPUT_BUFFER || input->source.data == NULL) continue;
        if (slot == REFERENCE_NO_SLOT) continue;
        if (!plan->is_written[ets_reference_plan_storage(plan, slot)]) continue;
        ETS_TRY(leave(run, input->source, &plan->values[slot]));
    }
    return ETS_OK;
}

enum ets_status ets_reference_leave_buffers(struct reference_run *run)
{
    const struct reference_plan *plan = &run->reference->program.plans[0];
    if (run->reference->options.end == NULL) return ETS_OK;
    ETS_TRY(leave_written(run, plan));
    for (uint32_t i = 0; i < plan->graph->output_count; i++) {
        const struct ets_graph_output *output = &plan->graph->outputs[i];
        if (output->role != ETS_OUTPUT_BUFFER_MUTATION || output->target.data == NULL) continue;
        ETS_TRY(leave(run, output->target, &plan->values[plan->outputs[i]]));
    }
    return ETS_OK;
}
