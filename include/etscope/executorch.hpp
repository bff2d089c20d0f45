/*
 * executorch.hpp - a tracer for ExecuTorch programs that records with trace.h.
 *
 *     etscope::ETDumpTracer tracer; // replaces executorch::etdump::ETDumpGen
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
 * Header only, C++17; works with -fno-exceptions and -fno-rtti. Link etscope_trace and ExecuTorch;
 * ExecuTorch's devtools are not needed. ETDumpTracer owns its trace and has ETDumpGen's interface.
 * TraceAdapter records into your own trace, which several adapters may share.
 *
 * Differences from ETDumpGen: nothing ends the program; events that cannot be kept are counted
 * (state()), and the dump says so. Tensors of all scalar types are kept, lists of numbers become
 * tensors, and values that ETDump has no field for (strings, None) go to the extra block. Outputs
 * that are not tensors also have the output flag. Times are nanoseconds for any platform tick. The
 * index of the bundled input is written. You can ask for a dump several times. Debug buffer and
 * data sink stay after a reset.
 *
 * Threads: EventTracer keeps the current instruction in the object. Use an adapter from one thread
 * at a time, and for one method at a time. Builds without NDEBUG assert this (see ETSCOPE_MISUSE).
 * Memory: only an ETDumpTracer without a buffer uses the heap.
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
/* A dump. Converts to ExecuTorch's struct of the same name. */
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
    /* As in ets_trace_config. In a ring, fewer chunks have room for larger tensors. */
    uint32_t chunk_count = 0;
    /*
     * Identifies the program, at most 64 bytes, borrowed. etscope's tools compare a fingerprint of
     * 8 bytes (ets_program_fingerprint) with the program that they are given.
     */
    struct ets_bytes fingerprint = {nullptr, 0};
    /*
     * The most memory for events (24 bytes each) and names if there is no buffer. If the heap has
     * less, less is used. With virtual memory, a page is taken when it is first written.
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
    kNotWritten       /* the records do not fit in an ETDump: over 2 GiB, for example */
};

/*
 * An adapter with its own trace, to use instead of executorch::etdump::ETDumpGen. It allocates
 * memory and reads the clock at the first event, or when filters or a reducer are set. Call
 * runtime_init before that.
 */
class ETDumpTracer : public TraceAdapter
{
  public:
    /*
     * `buffer` holds events and names (a quarter of it) and the dump; borrowed. {nullptr, 0}: use
     * the heap; free the dump with free().
     */
    ETDumpTracer(Span<uint8_t> buffer = {nullptr, static_cast<size_t>(0)},
                 const ETDumpOptions &options = ETDumpOptions())
        : buffer_(buffer), options_(options)
    {
    }
    /* Uses the heap. */
    explicit ETDumpTracer(const ETDumpOptions &options)
        : ETDumpTracer({nullptr, static_cast<size_t>(0)}, options)
    {
    }
    ~ETDumpTracer() override
    {
        detach();
        free(heap_);
    }

    /* After a dump, forgets it and starts a new trace. */
    void create_event_block(const char *name) override
    {
        if (is_done_) reset();
        TraceAdapter::create_event_block(name);
    }

    /* Sets the buffer for bytes of tensors, each at a multiple of 64. Borrowed. */
    Result<bool> set_debug_buffer(Span<uint8_t> buffer)
    {
        if (buffer.data() == nullptr) return Error::InvalidArgument;
        debug_buffer_ = buffer;
        data_sink_ = {nullptr, nullptr};
        if (trace() != nullptr) apply_sinks();
        return true;
    }

    /* Sets a sink to use instead. `write` NULL: use the debug buffer, if there is one. */
    void set_data_sink(struct ets_trace_data_sink data_sink)
    {
        data_sink_ = data_sink;
        if (trace() != nullptr) ets_trace_set_data_sink(&own_, data_sink_);
    }

#ifdef ETSCOPE_HAS_DATA_SINK
    /* Sets a sink of ExecuTorch's; borrowed. NULL: none. */
    void set_data_sink(executorch::etdump::DataSinkBase *data_sink)
    {
        const bool is_sink = data_sink != nullptr;
        set_data_sink({data_sink, is_sink ? write_to_sink : nullptr});
    }

    /* The current sink of ExecuTorch's; NULL: none. */
    executorch::etdump::DataSinkBase *get_data_sink() const
    {
        if (data_sink_.write != write_to_sink) return nullptr;
        return static_cast<executorch::etdump::DataSinkBase *>(data_sink_.context);
    }
#endif

    /* Filters enabled events, see ets_trace_set_filters. Filters stay after a reset. */
    enum ets_status set_filters(const struct ets_trace_filter *filters, uint32_t count)
    {
        if (trace() == nullptr) prepare();
        return ets_trace_set_filters(&own_, filters, count);
    }

    /* Records tensors as statistics, see ets_trace_set_reducer. Stays after a reset. */
    enum ets_status set_reducer(const struct ets_trace_reducer *reducer)
    {
        if (trace() == nullptr) prepare();
        return ets_trace_set_reducer(&own_, reducer);
    }

    /* Whether the dump is in the caller's buffer. */
    bool is_static_etdump() const
    {
        return buffer_.data() != nullptr;
    }

    /*
     * Ends the trace and writes the dump, into the buffer if there is one. Otherwise free it with
     * free(); each call returns a new copy. {nullptr, 0}: see why_empty().
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

    /* Ends the trace and writes the dump to a sink piece by piece, without memory for all of it. */
    enum ets_status write(const struct ets_etdump_sink *sink, struct ets_error *error = nullptr)
    {
        if (!has_runs()) return ETS_NOT_FOUND;
        ets_trace_finish(&own_);
        is_done_ = true;
        return ets_trace_write(&own_, sink, error);
    }

    /* Why get_etdump_data returns nothing. */
    Emptiness emptiness() const
    {
        if (trace() == nullptr || own_.runs == 0) {
            return trace() != nullptr && own_.chunk_count == 0 ? no_room()
                                                               : Emptiness::kNothingRecorded;
        }
        return emptiness_;
    }

    /* The same in words; NULL if the dump is not empty. */
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
        /* Room for over 100,000 names. An eighth of it is written at the start. */
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
    /* First measures the cost of recording, so that readers can subtract it. */
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
