/* etscope's own tracer, as in applications, with counts of its events. */
#ifndef ETSCOPE_ENGINE_PLUGIN_ETSCOPE_TRACER_H
#define ETSCOPE_ENGINE_PLUGIN_ETSCOPE_TRACER_H

#include "engine/plugin/tracer.h"
#include "etscope/executorch.hpp"

namespace ets
{
class etscope_tracer final : public tracer, public etscope::ETDumpTracer
{
  public:
    etscope_tracer(ets_engine_capture capture, struct ets_bytes fingerprint);

    executorch::runtime::EventTracer *event_tracer() override
    {
        return this;
    }
    void enable(bool enabled) override;
    void set_method(const char *method, uint32_t invocation) override;
    tracer_dump finish() override;
    void start() override;
    size_t heap_bytes() override;
    bool survives_abort() const override
    {
        return true;
    }

    void create_event_block(const char *name) override;
    void end_profiling(entry begun) override;
    void end_profiling_delegate(entry begun, const void *metadata, size_t metadata_bytes) override;
    void log_profiling_delegate(const char *name, delegate_id id, et_timestamp_t start,
                                et_timestamp_t end, const void *metadata,
                                size_t metadata_bytes) override;
    logged log_evalue(const evalue &value, executorch::runtime::LoggedEValueType type) override;
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
    void use_sink(debug_sink *sink) override
    {
        set_data_sink(sink);
    }
    uint32_t dropped() const
    {
        return trace() == nullptr ? 0 : trace()->dropped;
    }
    void count_profile(uint32_t dropped_before);
    bool has_room_for(const evalue &value);
    /* Whether the value becomes a debug event; strings in the extra block do not. */
    static bool is_event(const evalue &value);

    bool enabled_ = true;
};

}  // namespace ets

#endif
