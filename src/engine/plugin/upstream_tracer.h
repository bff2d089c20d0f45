/* ETDumpGen with a guard: drops and counts events that would make it abort or damage its dump. */
#ifndef ETSCOPE_ENGINE_PLUGIN_UPSTREAM_TRACER_H
#define ETSCOPE_ENGINE_PLUGIN_UPSTREAM_TRACER_H

#include <executorch/devtools/etdump/etdump_flatcc.h>

#include "engine/plugin/tracer.h"

namespace ets
{
class upstream_tracer final : public tracer, public executorch::etdump::ETDumpGen
{
  public:
    explicit upstream_tracer(ets_engine_capture capture);

    executorch::runtime::EventTracer *event_tracer() override
    {
        return this;
    }
    void enable(bool enabled) override;
    void set_method(const char *, uint32_t) override {} /* its dump has no field for it */
    tracer_dump finish() override;
    bool survives_abort() const override
    {
        return false;
    }

    void create_event_block(const char *name) override;
    entry start_profiling(const char *name, executorch::runtime::ChainID chain,
                          executorch::runtime::DebugHandle handle) override;
    void end_profiling(entry begun) override;
    entry start_profiling_delegate(const char *name, delegate_id id) override;
    void end_profiling_delegate(entry begun, const void *metadata, size_t metadata_bytes) override;
    void log_profiling_delegate(const char *name, delegate_id id, et_timestamp_t start,
                                et_timestamp_t end, const void *metadata,
                                size_t metadata_bytes) override;
    void track_allocation(executorch::runtime::AllocatorID id, size_t size) override;
    executorch::runtime::AllocatorID track_allocator(const char *name) override;
    logged log_evalue(const executorch::runtime::EValue &value,
                      executorch::runtime::LoggedEValueType type) override;
    logged log_intermediate_output_delegate(const char *name, delegate_id id,
                                            const tensor &output) override;
    logged log_intermediate_output_delegate(
        const char *name, delegate_id id,
        const executorch::runtime::ArrayRef<tensor> output) override;
    logged log_intermediate_output_delegate(const char *name, delegate_id id,
                                            const int &output) override;
    logged log_intermediate_output_delegate(const char *name, delegate_id id,
                                            const bool &output) override;
    logged log_intermediate_output_delegate(const char *name, delegate_id id,
                                            const double &output) override;

  private:
    bool recording() const
    {
        return enabled_ && counts_.block_count > 0;
    }
    bool accept_tensors(const tensor *tensors, size_t count);
    bool accept_value(const evalue &value);
    void use_sink(debug_sink *sink) override
    {
        set_data_sink(sink);
    }

    bool enabled_ = true;
    bool block_is_fresh_ = false; /* only allocators since the block was made */
};

}  // namespace ets

#endif
