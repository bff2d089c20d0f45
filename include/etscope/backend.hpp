/*
 * backend.hpp - for who writes a backend for ExecuTorch: what its delegates do, as events.
 *
 *     Error execute(BackendExecutionContext &context, DelegateHandle *handle,
 *                   Span<EValue *> args) const override
 *     {
 *         for (const Layer &layer : static_cast<Plan *>(handle)->layers) {
 *             etscope::DelegateOp op(context, layer.name); // begins an event
 *             layer.run(args);
 *             op.output(args[layer.output]->toTensor()); // kept where intermediates are wanted
 *         }                                              // and ends it
 *         return Error::Ok;
 *     }
 *
 * Where a device measures by itself, what it measured is logged afterwards:
 *
 *     etscope::log_delegate_op(context, "conv 3", start, end); // ticks of et_pal_current_ticks()
 *
 * An event is known by a name or by a number, whichever the backend chose when it was exported: its
 * preprocess() gives them with the debug handles of the nodes that they stand for, through
 * DelegateMappingBuilder, as PreprocessResult.debug_handle_map. The ETRecord keeps that map, and
 * etscope then shows each event with its operators, modules and source lines (tie "map").
 * examples/backend is a whole backend with both halves.
 *
 * Header only, C++17, over ExecuTorch's headers; nothing of etscope is linked, and any EventTracer
 * takes the events, ExecuTorch's own too. Without a tracer each call is one branch. One context
 * belongs to one thread at a time.
 */
#ifndef ETSCOPE_BACKEND_HPP
#define ETSCOPE_BACKEND_HPP

#include <executorch/runtime/backend/backend_execution_context.h>
#include <executorch/runtime/core/event_tracer.h>

#include <cstddef>
#include <cstdint>

namespace etscope
{
/* By what an event is known: a name, which is copied, or a number from 0. */
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
     * Bytes of the backend's own to keep with the event, copied when it ends; borrowed until then.
     * Python's delegate_metadata_parser reads them.
     */
    void metadata(const void *data, size_t size)
    {
        metadata_ = data;
        metadata_size_ = size;
    }

    /* A result, for who captures intermediate values: a tensor, a list of tensors, a number. */
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

/* An operator that was measured elsewhere. Times: ticks of et_pal_current_ticks(). */
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
