/*
 * Tracers of a program: etscope's own recorder, or ExecuTorch's ETDumpGen with a guard. Both skip
 * warm-up runs and count dropped events.
 */
#ifndef ETSCOPE_ENGINE_PLUGIN_TRACER_H
#define ETSCOPE_ENGINE_PLUGIN_TRACER_H

#include <executorch/devtools/etdump/data_sinks/data_sink_base.h>
#include <executorch/runtime/core/event_tracer.h>

#include <cstdlib>
#include <memory>

#include "etscope/base.h"
#include "etscope/engine.h"

namespace ets
{
/*
 * Holds captured tensors, each at a multiple of 64 bytes as in BufferDataSink, in reserved address
 * space that takes memory page by page as it is written.
 */
class debug_sink final : public executorch::etdump::DataSinkBase
{
  public:
    debug_sink() = default;
    ~debug_sink() override;
    debug_sink(const debug_sink &) = delete;
    debug_sink &operator=(const debug_sink &) = delete;

    bool reserve(size_t limit_bytes); /* false: the system refuses this much address space */
    executorch::runtime::Result<size_t> write(const void *data, size_t size) override;
    size_t get_used_bytes() const override
    {
        return used_;
    }

    /* The value of `used` after a tensor of `size` bytes. */
    static size_t used_after(size_t used, size_t size);
    size_t limit() const
    {
        return limit_;
    }
    const uint8_t *data() const
    {
        return data_;
    }

  private:
    uint8_t *data_ = nullptr;
    size_t limit_ = 0;
    size_t used_ = 0;
};

struct dump_release {
    void operator()(void *dump) const
    {
        std::free(dump);
    }
};

/* A finished trace. */
struct tracer_dump {
    std::unique_ptr<void, dump_release> data; /* NULL: nothing was recorded */
    size_t size = 0;
};

/* The interface of both tracers, and their counts. */
class tracer
{
  public:
    using entry = executorch::runtime::EventTracerEntry;
    using tensor = executorch::aten::Tensor;
    using logged = executorch::runtime::Result<bool>;
    using delegate_id = executorch::runtime::DelegateDebugIntId;
    using evalue = executorch::runtime::EValue;

    explicit tracer(ets_engine_capture capture);
    virtual ~tracer() = default;
    tracer(const tracer &) = delete;
    tracer &operator=(const tracer &) = delete;

    virtual executorch::runtime::EventTracer *event_tracer() = 0;
    virtual void enable(bool enabled) = 0;
    /* Sets the next method, and the number of its earlier runs. `method` is borrowed. */
    virtual void set_method(const char *method, uint32_t invocation) = 0;
    virtual tracer_dump finish() = 0;
    /* Allocates its memory now instead of at the first event; and its size on the heap. */
    virtual void start() {}
    virtual size_t heap_bytes()
    {
        return 0;
    }
    /* Whether the trace stays valid if the runtime aborts during a run. */
    virtual bool survives_abort() const = 0;

    /* false: the system refuses this much address space. */
    bool reserve_debug_bytes(size_t limit_bytes);
    const debug_sink &sink() const
    {
        return sink_;
    }
    void statistics(ets_engine_trace_statistics *out) const;

  protected:
    virtual void use_sink(debug_sink *sink) = 0;

    /* Sets the levels. While tracing is suspended, the runtime then calls few hooks. */
    void choose_levels(bool enabled);
    void note_drop(uint64_t *counter, const char *what);
    /* Whether exactly one of the two is given; counts a drop otherwise. */
    bool has_one_identifier(const char *name, delegate_id id);
    /* Whether the debug buffer has room for all of them; counts a drop otherwise. */
    bool has_room(const tensor *tensors, size_t count);
    logged count_logged(logged result);

    ets_engine_trace_statistics counts_ = {};

  private:
    debug_sink sink_;
    executorch::runtime::EventTracerDebugLogLevel level_;
    size_t needed_bytes_ = 0; /* bytes needed in an unlimited buffer */
};

/* "float16" for the runtime's number; or "unknown". */
const char *scalar_type_name(executorch::aten::ScalarType type);

/* Not for ETS_TRACER_NONE. `fingerprint` is borrowed. */
std::unique_ptr<tracer> make_tracer(ets_engine_tracer kind, ets_engine_capture capture,
                                    struct ets_bytes fingerprint);

}  // namespace ets

#endif
