/*
 * ETDumpGen with a guard in front: what it would abort on or garble its dump with is dropped and
 * counted, and warm-up runs are not recorded at all.
 */
#ifndef ETSCOPE_ENGINE_TRACER_H
#define ETSCOPE_ENGINE_TRACER_H

#include <executorch/devtools/etdump/etdump_flatcc.h>

#include "etscope/engine.h"

namespace ets
{
/*
 * Captured tensors, each at a multiple of 64 bytes as BufferDataSink has it, in reserved address
 * space that takes memory page by page as it is written.
 */
class debug_sink final : public executorch::etdump::DataSinkBase
{
 public:
    debug_sink() = default;
    ~debug_sink() override;
    debug_sink(const debug_sink &) = delete;
    debug_sink &operator=(const debug_sink &) = delete;

    bool reserve(size_t limit_bytes); /* false: the system refuses so much address space */
    executorch::runtime::Result<size_t> write(const void *data, size_t size) override;
    size_t get_used_bytes() const override { return used_; }

    /* Where `used` would be after a tensor of `size` bytes. */
    static size_t used_after(size_t used, size_t size);
    size_t limit() const { return limit_; }
    const uint8_t *data() const { return data_; }

 private:
    uint8_t *data_ = nullptr;
    size_t limit_ = 0;
    size_t used_ = 0;
};

class guarded_tracer final : public executorch::etdump::ETDumpGen
{
 public:
    using entry = executorch::runtime::EventTracerEntry;
    using tensor = executorch::aten::Tensor;
    using logged = executorch::runtime::Result<bool>;
    using delegate_id = executorch::runtime::DelegateDebugIntId;

    explicit guarded_tracer(ets_engine_capture capture);

    bool reserve_debug_bytes(size_t limit_bytes);
    void enable(bool enabled);
    void statistics(ets_engine_trace_statistics *out) const;
    const debug_sink &sink() const { return sink_; }

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
    bool recording() const { return enabled_ && counts_.block_count > 0; }
    bool has_one_identifier(const char *name, delegate_id id);
    bool accept_tensors(const tensor *tensors, size_t count);
    bool accept_value(const executorch::runtime::EValue &value);
    void note_drop(uint64_t *counter, const char *what);
    logged count_logged(logged result);

    debug_sink sink_;
    executorch::runtime::EventTracerDebugLogLevel level_;
    bool enabled_ = true;
    bool block_is_fresh_ = false; /* nothing but allocators since the block was made */
    size_t needed_bytes_ = 0;     /* as if the buffer had no end */
    ets_engine_trace_statistics counts_ = {};
};

}  // namespace ets

#endif
