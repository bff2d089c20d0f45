/*
 * executorch.hpp - ExecuTorch's EventTracer over the recorder of trace.h.
 *
 *     etscope::ETDumpTracer tracer; // where executorch::etdump::ETDumpGen was
 *     auto method = program->load_method("forward", &memory_manager, &tracer);
 *     method->execute();
 *     const etscope::ETDumpResult dump = tracer.get_etdump_data();
 *     if (dump.buf == nullptr) {
 *         printf("no trace: %s\n", tracer.why_empty());
 *     } else {
 *         fwrite(dump.buf, 1, dump.size, file);
 *         free(dump.buf);
 *     }
 *
 * Header only, C++17, for -fno-exceptions and -fno-rtti too. Link etscope_trace and ExecuTorch;
 * its devtools are not needed. ETDumpTracer owns its trace and has ETDumpGen's interface;
 * TraceAdapter records into a trace of yours, which several adapters may share.
 *
 * What differs from ETDumpGen: nothing ends the program: what cannot be kept is counted (state())
 * and the dump says so; tensors of every scalar type are kept, lists of numbers as tensors, what
 * ETDump has no place for (strings, None) in the extra block; outputs that are no tensors have
 * the output flag, too; times are nanoseconds whatever the platform's ticks are; the bundled
 * input's index is written; a dump can be asked for again; debug buffer and data sink stay after
 * a reset.
 *
 * Threads: EventTracer keeps the current instruction in the object, so one adapter serves one
 * thread at a time, and of several methods one after the other. Concurrent use is an error that
 * builds without NDEBUG assert (see ETSCOPE_MISUSE). Memory: the heap is used by an ETDumpTracer
 * without a buffer, nowhere else.
 */
#ifndef ETSCOPE_EXECUTORCH_HPP
#define ETSCOPE_EXECUTORCH_HPP

#include <cstdint>
#include <cstdlib>
#include <type_traits>

#if __has_include(<executorch/devtools/etdump/data_sinks/data_sink_base.h>)
#include <executorch/devtools/etdump/data_sinks/data_sink_base.h>
#define ETSCOPE_HAS_DATA_SINK 1
#endif

#include "etscope/trace_adapter.hpp"

namespace etscope
{
/* A dump; converts to ExecuTorch's struct of the same name, where code still says that. */
struct ETDumpResult {
    void *buf;
    size_t size;

    template <typename Other,
              typename = std::enable_if_t<std::is_same<decltype(Other::buf), void *>::value &&
                                          std::is_same<decltype(Other::size), size_t>::value>>
    operator Other() const
    {
        return Other{buf, size};
    }
};

struct ETDumpOptions {
    Clock clock = Clock::kPlatform;
    enum ets_trace_mode mode = ETS_TRACE_STOP; /* or ETS_TRACE_RING: keep the latest events */
    /* As in ets_trace_config: in a ring, fewer chunks have room for larger tensors. */
    uint32_t chunk_count = 0;
    /*
     * Of the program, for readers that are given one, at most 64 bytes; borrowed. etscope's tools
     * use 8 (ets_program_fingerprint) and compare what has as many.
     */
    struct ets_bytes fingerprint = {nullptr, 0};
    /*
     * Without a buffer: the most memory for events, 24 bytes each, and names; less is taken where
     * there is not so much. Systems with virtual memory give a page when it is first written.
     */
#if defined(__unix__) || defined(__APPLE__) || defined(_WIN32)
    size_t heap_bytes = size_t{64} << 20;
#else
    size_t heap_bytes = size_t{64} << 10;
#endif
};

/* Why a dump is empty. */
enum class Emptiness {
    kNotEmpty,
    kNothingRecorded, /* ExecuTorch never called the tracer */
    kNoMemory,        /* the heap had no room for the dump or for events */
    kNoSpace,         /* the buffer is too small for the dump or for any event */
    kNotWritten       /* the records cannot be written as an ETDump, such as over 2 GiB */
};

/*
 * An adapter with a trace of its own: in place of executorch::etdump::ETDumpGen. Memory is taken,
 * and the clock read, when the first event comes, or filters or a reducer are set; runtime_init has
 * to come before.
 */
class ETDumpTracer : public TraceAdapter
{
  public:
    /*
     * `buffer`: events and the dump are kept in it, a quarter for events and names; borrowed.
     * {nullptr, 0}: the heap is used, and the dump is the caller's to free().
     */
    ETDumpTracer(Span<uint8_t> buffer = {nullptr, static_cast<size_t>(0)},
                 const ETDumpOptions &options = ETDumpOptions())
        : buffer_(buffer), options_(options)
    {
    }
    /* On the heap. */
    explicit ETDumpTracer(const ETDumpOptions &options)
        : ETDumpTracer({nullptr, static_cast<size_t>(0)}, options)
    {
    }
    ~ETDumpTracer() override
    {
        detach();
        free(heap_);
    }

    /* After a dump: forgets it and begins anew. */
    void create_event_block(const char *name) override
    {
        if (is_done_) reset();
        TraceAdapter::create_event_block(name);
    }

    /* Where bytes of tensors go, each at a multiple of 64, from the front on; borrowed. */
    Result<bool> set_debug_buffer(Span<uint8_t> buffer)
    {
        if (buffer.data() == nullptr) return Error::InvalidArgument;
        debug_buffer_ = buffer;
        data_sink_ = {nullptr, nullptr};
        if (trace() != nullptr) apply_sinks();
        return true;
    }

    /* Where they go instead; `write` NULL: to the debug buffer, if there is one. */
    void set_data_sink(struct ets_trace_data_sink data_sink)
    {
        data_sink_ = data_sink;
        if (trace() != nullptr) ets_trace_set_data_sink(&own_, data_sink_);
    }

#ifdef ETSCOPE_HAS_DATA_SINK
    /* The same for a sink of ExecuTorch's; borrowed, or NULL. */
    void set_data_sink(executorch::etdump::DataSinkBase *data_sink)
    {
        const bool is_sink = data_sink != nullptr;
        set_data_sink({data_sink, is_sink ? write_to_sink : nullptr});
    }

    /* The sink of ExecuTorch's that was set; NULL: none. */
    executorch::etdump::DataSinkBase *get_data_sink() const
    {
        if (data_sink_.write != write_to_sink) return nullptr;
        return static_cast<executorch::etdump::DataSinkBase *>(data_sink_.context);
    }
#endif

    /* What is recorded, of what is enabled: see ets_trace_set_filters. They stay after a reset. */
    enum ets_status set_filters(const struct ets_trace_filter *filters, uint32_t count)
    {
        if (trace() == nullptr) prepare();
        return ets_trace_set_filters(&own_, filters, count);
    }

    /* Tensors become summaries: see ets_trace_set_reducer. It stays after a reset. */
    enum ets_status set_reducer(const struct ets_trace_reducer *reducer)
    {
        if (trace() == nullptr) prepare();
        return ets_trace_set_reducer(&own_, reducer);
    }

    /* Whether the dump lies in the caller's buffer. */
    bool is_static_etdump() const
    {
        return buffer_.data() != nullptr;
    }

    /*
     * Ends the trace and writes the dump. Without a buffer the caller frees it with free(), and
     * may ask again; otherwise it lies in the buffer. {nullptr, 0}: see why_empty().
     */
    ETDumpResult get_etdump_data()
    {
        if (!has_runs()) return {nullptr, 0};
        ets_trace_finish(&own_);
        is_done_ = true;
        if (is_static_etdump()) return write_to(output(), output_bytes());
        size_t size = 0;
        if (ets_trace_dump_size(&own_, &size, nullptr) != ETS_OK) {
            emptiness_ = Emptiness::kNotWritten;
            return {nullptr, 0};
        }
        void *dump = malloc(size);
        if (dump == nullptr) {
            emptiness_ = Emptiness::kNoMemory;
            return {nullptr, 0};
        }
        const ETDumpResult result = write_to(dump, size);
        if (result.buf == nullptr) free(dump);
        return result;
    }

    /* Ends the trace and hands the dump over piece by piece, without memory for it. */
    enum ets_status write(const struct ets_etdump_sink *sink, struct ets_error *error = nullptr)
    {
        if (!has_runs()) return ETS_NOT_FOUND;
        ets_trace_finish(&own_);
        is_done_ = true;
        return ets_trace_write(&own_, sink, error);
    }

    /* Why get_etdump_data gave nothing, or would. */
    Emptiness emptiness() const
    {
        if (trace() == nullptr || own_.runs == 0) {
            return trace() != nullptr && own_.chunk_count == 0 ? no_room()
                                                               : Emptiness::kNothingRecorded;
        }
        return emptiness_;
    }

    /* The same in words; NULL where it is not empty. */
    const char *why_empty() const
    {
        switch (emptiness()) {
        case Emptiness::kNothingRecorded:
            return "ExecuTorch never called the tracer: it was not handed to load_method or "
                   "Module, nothing was loaded or run since, or the runtime is built without "
                   "EXECUTORCH_ENABLE_EVENT_TRACER (which defines ET_EVENT_TRACER_ENABLED)";
        case Emptiness::kNoMemory: return "there is not enough memory for the trace";
        case Emptiness::kNoSpace: return "the tracer's buffer is too small";
        case Emptiness::kNotWritten: return "the trace cannot be written as an ETDump";
        default: return nullptr;
        }
    }

    /* Forgets all events. Levels, filter, debug buffer and data sink stay. */
    void reset()
    {
        is_done_ = false;
        emptiness_ = Emptiness::kNotEmpty;
        if (trace() == nullptr) return;
        ets_trace_reset(&own_);
        begin();
    }

  protected:
    void prepare() override
    {
        struct ets_trace_config config = {};
        config.mode = options_.mode;
        config.chunk_count = options_.chunk_count;
        config.what = kTraceEverything;
        config.fingerprint = options_.fingerprint;
        set_clock(&config, options_.clock);
        size_t bytes = buffer_.size() / 4;
        uint8_t *memory = buffer_.data();
        if (memory == nullptr) memory = take_heap(&bytes);
        /* Room for 100,000 names and more; an eighth of it is written at once. */
        constexpr size_t most_names = size_t{6} << 20;
        config.names_bytes = (bytes / 4 < most_names ? bytes / 4 : most_names) & ~size_t{63};
        config.names = config.names_bytes == 0 ? nullptr : memory;
        config.buffer = config.names_bytes == 0 ? memory : memory + config.names_bytes;
        config.buffer_bytes = bytes - config.names_bytes;
        ets_trace_init(&own_, &config);
        apply_sinks();
        begin();
    }

  private:
    /* Measures first what recording costs here, which readers can subtract then. */
    void begin()
    {
        attach(&own_);
        ets_trace_measure_cost(thread());
    }

    uint8_t *take_heap(size_t *bytes_out)
    {
        constexpr size_t least = 2048;
        size_t bytes = options_.heap_bytes < least ? least : options_.heap_bytes;
        while ((heap_ = malloc(bytes)) == nullptr && bytes / 2 >= least) bytes /= 2;
        *bytes_out = heap_ == nullptr ? 0 : bytes;
        return static_cast<uint8_t *>(heap_);
    }

    void apply_sinks()
    {
        ets_trace_set_debug_buffer(&own_, debug_buffer_.data(), debug_buffer_.size());
        ets_trace_set_data_sink(&own_, data_sink_);
    }

#ifdef ETSCOPE_HAS_DATA_SINK
    static enum ets_status write_to_sink(void *context, const void *data, size_t size,
                                         uint64_t *offset_out)
    {
        const Result<size_t> offset =
            static_cast<executorch::etdump::DataSinkBase *>(context)->write(data, size);
        if (!offset.ok()) return offset.error() == Error::OutOfResources ? ETS_NO_SPACE : ETS_IO;
        *offset_out = offset.get();
        return ETS_OK;
    }
#endif

    uint8_t *output() const
    {
        return buffer_.data() + (buffer_.size() / 4 + 7) / 8 * 8;
    }

    size_t output_bytes() const
    {
        const size_t skipped = (buffer_.size() / 4 + 7) / 8 * 8;
        return buffer_.size() > skipped ? buffer_.size() - skipped : 0;
    }

    Emptiness no_room() const
    {
        return is_static_etdump() ? Emptiness::kNoSpace : Emptiness::kNoMemory;
    }

    bool has_runs() const
    {
        return trace() != nullptr && own_.runs != 0;
    }

    ETDumpResult write_to(void *to, size_t capacity)
    {
        size_t size = 0;
        const enum ets_status status = ets_trace_write_buffer(&own_, to, capacity, &size, nullptr);
        emptiness_ = status == ETS_OK         ? Emptiness::kNotEmpty
                     : status == ETS_NO_SPACE ? no_room()
                                              : Emptiness::kNotWritten;
        if (status != ETS_OK) return {nullptr, 0};
        return {to, size};
    }

    struct ets_trace own_ = {};
    Span<uint8_t> buffer_;
    ETDumpOptions options_;
    void *heap_ = nullptr;
    Span<uint8_t> debug_buffer_ = {nullptr, static_cast<size_t>(0)};
    struct ets_trace_data_sink data_sink_ = {nullptr, nullptr};
    bool is_done_ = false;
    Emptiness emptiness_ = Emptiness::kNotEmpty;
};

}  // namespace etscope

#endif
