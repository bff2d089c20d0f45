/*
 * backend.hpp - reports what a delegate does as events, for authors of ExecuTorch backends.
 *
 *     Error execute(BackendExecutionContext &context, DelegateHandle *handle,
 *                   Span<EValue *> args) const override
 *     {
 *         for (const Layer &layer : static_cast<Plan *>(handle)->layers) {
 *             etscope::DelegateOp op(context, layer.name); // begins an event
 *             layer.run(args);
 *             op.output(args[layer.output]->toTensor()); // kept if intermediates are recorded
 *         }                                              // ends the event
 *         return Error::Ok;
 *     }
 *
 * If the device measures times itself, log them afterwards:
 *
 *     etscope::log_delegate_op(context, "conv 3", start, end); // ticks of et_pal_current_ticks()
 *
 * A name or a number identifies an event. The backend chooses it at export: its preprocess() passes
 * it to DelegateMappingBuilder with the debug handles of the event's nodes, and returns the result
 * as PreprocessResult.debug_handle_map. The ETRecord keeps that map, and etscope then shows each
 * event with its operators, modules and source lines (tie "map"). examples/backend is a complete
 * backend.
 *
 * Header only, C++17, over ExecuTorch's headers. It needs no library of etscope, and works with any
 * EventTracer, ExecuTorch's own included. Without a tracer each call is one branch. Use a context
 * from one thread at a time.
 */
#ifndef ETSCOPE_BACKEND_HPP
#define ETSCOPE_BACKEND_HPP

#include <executorch/runtime/backend/backend_execution_context.h>
#include <executorch/runtime/core/event_tracer.h>

#include <cstddef>
#include <cstdint>

namespace etscope
{
/* The identifier of an event: a name, which is copied, or a number from 0. */
class DelegateId
{
  public:
    DelegateId(const char *name)
        : name_(name), number_(executorch::runtime::kUnsetDelegateDebugIntId)
    {
    }
    DelegateId(int32_t number)
        : name_(nullptr), number_(static_cast<executorch::runtime::DelegateDebugIntId>(number))
    {
    }
    const char *name() const
    {
        return name_;
    }
    executorch::runtime::DelegateDebugIntId number() const
    {
        return number_;
    }

  private:
    const char *name_;
    executorch::runtime::DelegateDebugIntId number_;
};

/* One operator of a delegate: an event from here to end(), or to the end of the scope. */
class DelegateOp
{
  public:
    DelegateOp(executorch::runtime::BackendExecutionContext &context, DelegateId id)
        : tracer_(context.event_tracer()), id_(id)
    {
        if (tracer_ != nullptr) {
            entry_ = tracer_->start_profiling_delegate(id.name(), id.number());
        }
    }
    ~DelegateOp()
    {
        end();
    }
    DelegateOp(const DelegateOp &) = delete;
    DelegateOp &operator=(const DelegateOp &) = delete;

    /*
     * Attaches bytes of the backend to the event. They are copied when it ends and must stay valid
     * until then. Python's delegate_metadata_parser reads them.
     */
    void metadata(const void *data, size_t size)
    {
        metadata_ = data;
        metadata_size_ = size;
    }

    /* Logs a result (a tensor, a list of tensors or a number) if intermediate values are recorded.
     */
    template <typename Value>
    void output(const Value &value)
    {
        using Level = executorch::runtime::EventTracerDebugLogLevel;
        if (tracer_ == nullptr ||
            tracer_->event_tracer_debug_level() < Level::kIntermediateOutputs) {
            return;
        }
        (void)tracer_->log_intermediate_output_delegate(id_.name(), id_.number(), value);
    }

    void end()
    {
        if (tracer_ == nullptr || is_ended_) return;
        tracer_->end_profiling_delegate(entry_, metadata_, metadata_size_);
        is_ended_ = true;
    }

  private:
    executorch::runtime::EventTracer *tracer_;
    DelegateId id_;
    executorch::runtime::EventTracerEntry entry_{};
    const void *metadata_ = nullptr;
    size_t metadata_size_ = 0;
    bool is_ended_ = false;
};

/* Logs an operator that the device measured. Times are ticks of et_pal_current_ticks(). */
inline void log_delegate_op(executorch::runtime::BackendExecutionContext &context, DelegateId id,
                            et_timestamp_t start, et_timestamp_t end,
                            const void *metadata = nullptr, size_t metadata_size = 0)
{
    if (context.event_tracer() == nullptr) return;
    context.event_tracer()->log_profiling_delegate(id.name(), id.number(), start, end, metadata,
                                                   metadata_size);
}
}  // namespace etscope

#endif
