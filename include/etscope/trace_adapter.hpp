/*
 * trace_adapter.hpp - an EventTracer that records into your own trace, which adapters may share.
 *
 *     struct ets_trace_config config = {};
 *     config.buffer = buffer;
 *     config.buffer_bytes = sizeof buffer;
 *     config.mode = ETS_TRACE_RING;
 *     etscope::set_clock(&config, etscope::Clock::kCycleCounter); // after runtime_init
 *     ets_trace_init(&trace, &config);
 *     etscope::TraceAdapter adapter(&trace); // one per thread
 *     auto method = program->load_method("forward", &memory_manager, &adapter);
 *     method->execute();
 *     ets_trace_write(&trace, &sink, nullptr);
 *
 * Start with executorch.hpp, which describes threads, memory and the differences from ExecuTorch's
 * own tracer.
 */
#ifndef ETSCOPE_TRACE_ADAPTER_HPP
#define ETSCOPE_TRACE_ADAPTER_HPP

#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/platform/platform.h>

#include <cassert>
#include <climits>
#include <cstdint>
#include <cstring>

#if (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__)
#include <cpuid.h>
#endif

#include "etscope/trace.h"

/* Called with a message if two threads use one adapter at once. */
#ifndef ETSCOPE_MISUSE
#define ETSCOPE_MISUSE(text) assert((text) == nullptr)
#endif
#ifndef ETSCOPE_CHECK_THREADS
#if !defined(NDEBUG) && (defined(__unix__) || defined(__APPLE__) || defined(_WIN32))
#define ETSCOPE_CHECK_THREADS 1
#else /* firmware may have no thread_local: a variable of it would not link */
#define ETSCOPE_CHECK_THREADS 0
#endif
#endif

namespace etscope
{
using executorch::runtime::Error;
using executorch::runtime::Result;
using executorch::runtime::Span;

/* All bits of ets_trace_what. */
constexpr uint32_t kTraceEverything =
    ETS_TRACE_DEFAULT | ETS_TRACE_OUTPUTS | ETS_TRACE_INTERMEDIATES;

/* The clock of the platform layer, for ets_trace_config. */
inline uint64_t read_platform_clock(void *)
{
    return executorch::runtime::pal_current_ticks();
}

/* Whether ets_trace_cycles exists and runs at one constant rate on all cores. */
inline bool has_cycle_counter()
{
#if (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__)
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d >> 8 & 1) != 0;
#elif defined(__aarch64__) && defined(__GNUC__)
    return true;
#else
    return false;
#endif
}

/* Its ticks per second. 0: not known; the rate is measured with the platform's clock. */
inline uint64_t cycle_counter_hz()
{
#if defined(__aarch64__) && defined(__GNUC__)
    uint64_t hz;
    __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(hz));
    return hz;
#else
    return 0;
#endif
}

enum class Clock {
    kPlatform,    /* et_pal_current_ticks */
    kCycleCounter /* cheaper to read; if has_cycle_counter() is false, the platform's clock */
};

/* Sets the clocks of a config. Call runtime_init before. */
inline void set_clock(struct ets_trace_config *config, Clock clock)
{
    const et_tick_ratio_t ratio = executorch::runtime::pal_ticks_to_ns_multiplier();
    const bool counts_cycles = clock == Clock::kCycleCounter && has_cycle_counter();
    config->clock = read_platform_clock;
#ifdef ETS_TRACE_HAS_CYCLES
    if (counts_cycles) config->clock = ets_trace_cycles;
#endif
    config->clock_hz = counts_cycles ? cycle_counter_hz() : 0;
    config->platform_clock = counts_cycles ? read_platform_clock : nullptr;
    config->platform_ns_numerator = ratio.numerator;
    config->platform_ns_denominator = ratio.denominator;
}

/* An EventTracer that records into a trace it does not own. */
class TraceAdapter : public executorch::runtime::EventTracer
{
  public:
    using ChainID = executorch::runtime::ChainID;
    using DebugHandle = executorch::runtime::DebugHandle;
    using DelegateDebugIdType = executorch::runtime::DelegateDebugIdType;
    using DelegateDebugIntId = executorch::runtime::DelegateDebugIntId;
    using EValue = executorch::runtime::EValue;
    using Entry = executorch::runtime::EventTracerEntry;
    using LoggedEValueType = executorch::runtime::LoggedEValueType;
    using Tensor = executorch::aten::Tensor;
    template <typename T>
    using ArrayRef = executorch::aten::ArrayRef<T>;

    /*
     * `trace` must be initialised and outlive the adapter. Sets the adapter's levels to what the
     * trace records, so that ExecuTorch does not report the rest.
     */
    explicit TraceAdapter(struct ets_trace *trace)
    {
        attach(trace);
        set_levels(ets_trace_enabled(trace));
    }
    ~TraceAdapter() override
    {
        detach();
    }
    TraceAdapter(const TraceAdapter &) = delete;
    TraceAdapter &operator=(const TraceAdapter &) = delete;

    /*
     * Sets the method of the following runs, for readers of the dump. Borrowed until it is set
     * again. `invocation` is the number of earlier runs.
     */
    void set_method(const char *name, uint32_t invocation = 0)
    {
        method_ = name;
        invocation_ = invocation;
    }

    /*
     * Tells what the next execution of a language model computes: `tokens` of them from `position`
     * on. Readers then tell prefill and decode apart.
     *
     *     tracer.set_tokens(ETS_STAGE_DECODE, 1, position);
     *     module.execute("forward", inputs);
     */
    void set_tokens(enum ets_run_stage stage, uint32_t tokens, uint64_t position)
    {
        stage_ = stage;
        tokens_ = tokens;
        position_ = position;
    }

    /*
     * Sets what the whole trace records from now on (bits of ets_trace_what), and the levels of
     * this adapter. 0: nothing, not even runs; for warm-up.
     */
    void enable(uint32_t what)
    {
        what_ = what;
        if (trace_ != nullptr) ets_trace_enable(trace_, what);
        set_levels(what);
    }

    /* Lets the calling thread continue a run that another thread began. */
    void hand_over()
    {
        owner_ = this_thread();
    }

    /* Counts of kept and dropped events so far; zero before the first event. */
    struct ets_trace_state state() const
    {
        struct ets_trace_state found = {};
        if (trace_ != nullptr) ets_trace_get_state(trace_, &found);
        return found;
    }

    /* Number of run blocks so far. */
    size_t get_num_blocks() const
    {
        return blocks_;
    }

    /* The trace, for functions of trace.h. Of an ETDumpTracer: NULL before the first event. */
    struct ets_trace *trace() const
    {
        return trace_;
    }
    struct ets_trace_thread *thread()
    {
        return trace_ == nullptr ? nullptr : &thread_;
    }

    void create_event_block(const char *name) override
    {
        owner_ = this_thread();
        if (trace_ == nullptr) prepare();
        const bool executes = name != nullptr && strcmp(name, "Execute") == 0;
        struct ets_trace_run run = {};
        run.name = name;
        run.method = method_;
        run.invocation = executes ? invocation_++ : 0;
        if (executes) run.purpose = ETS_TRACE_EXECUTE;
        else if (name != nullptr && strcmp(name, "Default") == 0) run.purpose = ETS_TRACE_LOAD;
        run.is_bundled = bundled_input_index_ != executorch::runtime::kUnsetBundledInputIndex;
        run.bundled_input_index = bundled_input_index_;
        if (executes) {
            run.stage = stage_;
            run.tokens = tokens_;
            run.position = position_;
            stage_ = ETS_STAGE_NONE;
        }
        if ((ets_trace_enabled(trace_) & (kTraceEverything | ETS_TRACE_FINISHED)) == 0) return;
        ets_trace_begin_run(&thread_, &run);
        blocks_++;
    }

    /* Chain kUnsetChainId: at the current instruction. */
    Entry start_profiling(const char *name, ChainID chain = executorch::runtime::kUnsetChainId,
                          DebugHandle handle = executorch::runtime::kUnsetDebugHandle) override
    {
        get_ready();
        if (chain == executorch::runtime::kUnsetChainId) {
            chain = chain_id_;
            handle = debug_handle_;
        }
        const bool is_method = chain == executorch::runtime::kUnsetChainId || is_of_method(name);
        const uint32_t what = is_method ? ETS_TRACE_METHODS : ETS_TRACE_OPERATORS;
        const struct ets_trace_span span = ets_trace_begin_at(&thread_, what, name, chain, handle);
        return entry_of(span, is_method && ends_run(name), DelegateDebugIdType::kNone);
    }

    void end_profiling(Entry entry) override
    {
        const struct ets_trace_span span = span_of(entry);
        get_ready();
        ets_trace_end(&thread_, span);
        const bool is_of_this_trace = span.about != 0 && span.generation == thread_.generation;
        if (is_of_this_trace && (entry.chain_id & kClosesRun) != 0) end_run();
    }

    /* Give either `name` or `id`; otherwise the event is dropped and counted. */
    Entry start_profiling_delegate(const char *name, DelegateDebugIntId id) override
    {
        catch_up();
        struct ets_trace_span span = {0, 0, 0};
        if (is_one(name, id)) span = ets_trace_begin_delegate(&thread_, {name, id});
        return entry_of(span, false,
                        name != nullptr ? DelegateDebugIdType::kStr : DelegateDebugIdType::kInt);
    }

    void end_profiling_delegate(Entry entry, const void *metadata = nullptr,
                                size_t metadata_len = 0) override
    {
        catch_up();
        ets_trace_end_delegate(&thread_, span_of(entry), bytes_of(metadata, metadata_len));
    }

    void log_profiling_delegate(const char *name, DelegateDebugIntId id, et_timestamp_t start_time,
                                et_timestamp_t end_time, const void *metadata = nullptr,
                                size_t metadata_len = 0) override
    {
        catch_up();
        if (!is_one(name, id)) {
            drop();
            return;
        }
        ets_trace_log_delegate(&thread_, {name, id}, start_time, end_time,
                               bytes_of(metadata, metadata_len));
    }

    /* The number of the allocator, from 1 in each run; 0: it was not kept. */
    executorch::runtime::AllocatorID track_allocator(const char *name) override
    {
        catch_up();
        return static_cast<executorch::runtime::AllocatorID>(
            ets_trace_add_allocator(&thread_, name));
    }

    void track_allocation(executorch::runtime::AllocatorID id, size_t size) override
    {
        catch_up();
        ets_trace_log_allocation(&thread_, static_cast<int32_t>(id), size);
    }

    /* true: logged; false: its kind is not recorded; an error: why it was dropped. */
    Result<bool> log_evalue(const EValue &value,
                            LoggedEValueType type = LoggedEValueType::kIntermediateOutput) override
    {
        const int is_output = type == LoggedEValueType::kProgramOutput ? 1 : 0;
        catch_up();
        if (ets_trace_wants_value(&thread_, nullptr, is_output) == 0) return false;
        return log_value(value, is_output);
    }

    Result<bool> log_intermediate_output_delegate(const char *name, DelegateDebugIntId id,
                                                  const Tensor &output) override
    {
        return log_part(name, id, [&](const struct ets_trace_delegate &part) {
            return log_tensors(&part, &output, 1, false, 0);
        });
    }

    Result<bool> log_intermediate_output_delegate(const char *name, DelegateDebugIntId id,
                                                  const ArrayRef<Tensor> output) override
    {
        return log_part(name, id, [&](const struct ets_trace_delegate &part) {
            return log_tensors(&part, output.data(), output.size(), true, 0);
        });
    }

    Result<bool> log_intermediate_output_delegate(const char *name, DelegateDebugIntId id,
                                                  const int &output) override
    {
        return log_part(name, id, [&](const struct ets_trace_delegate &part) {
            return ets_trace_log_int(&thread_, &part, output, 0);
        });
    }

    Result<bool> log_intermediate_output_delegate(const char *name, DelegateDebugIntId id,
                                                  const bool &output) override
    {
        return log_part(name, id, [&](const struct ets_trace_delegate &part) {
            return ets_trace_log_bool(&thread_, &part, output, 0);
        });
    }

    Result<bool> log_intermediate_output_delegate(const char *name, DelegateDebugIntId id,
                                                  const double &output) override
    {
        return log_part(name, id, [&](const struct ets_trace_delegate &part) {
            return ets_trace_log_double(&thread_, &part, output, 0);
        });
    }

    /*
     * As in ETDumpGen, values of delegates that the filter matches are left out. NULL: none.
     * Borrowed. For filters that select what to record, of all kinds, see ets_trace_set_filters.
     */
    void set_delegation_intermediate_output_filter(
        executorch::runtime::EventTracerFilterBase *filter) override
    {
        filter_ = filter;
    }

  protected:
    TraceAdapter() = default; /* for subclasses that attach a trace in prepare() */

    /* Called at the first event if no trace was given. Must attach one. */
    virtual void prepare() {}

    void attach(struct ets_trace *trace)
    {
        trace_ = trace;
        ets_trace_thread_init(&thread_, trace);
        if (what_ != kTraceEverything) ets_trace_enable(trace, what_);
        blocks_ = 0;
    }

    /* Call before the memory of the trace is freed. */
    void detach()
    {
        if (trace_ != nullptr) ets_trace_thread_release(&thread_);
        trace_ = nullptr;
    }

    uint32_t what_ = kTraceEverything;

  private:
    static constexpr ChainID kClosesRun = INT32_MIN; /* in an entry */
    static constexpr size_t kTextBytes = 512;

    void get_ready()
    {
        check_thread();
        if (trace_ == nullptr) prepare();
    }

    /* Passes on the current instruction: EventTracer's setters are not virtual. */
    void catch_up()
    {
        get_ready();
        ets_trace_set_instruction(&thread_, chain_id_, debug_handle_);
    }

    static const void *this_thread()
    {
#if ETSCOPE_CHECK_THREADS
        static thread_local char here;
        return &here;
#else
        return nullptr;
#endif
    }

    void check_thread()
    {
#if ETSCOPE_CHECK_THREADS
        if (owner_ == nullptr) owner_ = this_thread();
        if (owner_ == this_thread()) return;
        ETSCOPE_MISUSE("two threads use one tracer: give each an adapter over a shared trace");
#endif
    }

    void set_levels(uint32_t what)
    {
        using executorch::runtime::EventTracerDebugLogLevel;
        using executorch::runtime::EventTracerProfilingLevel;
        set_event_tracer_profiling_level((what & ETS_TRACE_OPERATORS) != 0
                                             ? EventTracerProfilingLevel::kProfileAllEvents
                                             : EventTracerProfilingLevel::kProfileMethodOnly);
        set_event_tracer_debug_level(
            (what & ETS_TRACE_INTERMEDIATES) != 0 ? EventTracerDebugLogLevel::kIntermediateOutputs
            : (what & ETS_TRACE_OUTPUTS) != 0     ? EventTracerDebugLogLevel::kProgramOutputs
                                                  : EventTracerDebugLogLevel::kNoLogging);
    }

    /* Method::step is an event of the method, although it has an instruction. */
    static bool is_of_method(const char *name)
    {
        return name != nullptr && name[0] == 'M' && strncmp(name, "Method::", 8) == 0;
    }

    static bool ends_run(const char *name)
    {
        return name != nullptr &&
               (strcmp(name, "Method::execute") == 0 || strcmp(name, "Program::load_method") == 0);
    }

    /* Ends the run to relate both clocks. Not needed with the platform's clock alone. */
    void end_run()
    {
        if (trace_->has_platform != 0 || trace_->config.mode == ETS_TRACE_STREAM) {
            ets_trace_end_run(&thread_);
        }
    }

    /* Marks entries of this adapter: callers may pass entries of others, or ones never begun. */
    uint32_t cookie() const
    {
        return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(this)) | 1;
    }

    /*
     * Stores a span in an entry, which nobody else reads: debug_handle holds the mark, chain_id the
     * generation.
     */
    Entry entry_of(struct ets_trace_span span, bool closes_run, DelegateDebugIdType type) const
    {
        Entry entry;
        entry.event_id = static_cast<int64_t>(span.about);
        entry.chain_id = static_cast<ChainID>(span.generation) | (closes_run ? kClosesRun : 0);
        entry.debug_handle = cookie();
        entry.start_time = span.start_ticks;
        entry.delegate_event_id_type = type;
        return entry;
    }

    /* The span of an entry. Of an entry never begun: a zero span, counted when it ends. */
    struct ets_trace_span span_of(const Entry &entry) const
    {
        if (entry.debug_handle != cookie()) return {0, 0, 0};
        return {entry.start_time, static_cast<uint64_t>(entry.event_id),
                static_cast<uint32_t>(entry.chain_id & ~kClosesRun)};
    }

    static bool is_one(const char *name, DelegateDebugIntId id)
    {
        return (name != nullptr) != (id != executorch::runtime::kUnsetDelegateDebugIntId);
    }

    static struct ets_bytes bytes_of(const void *data, size_t size)
    {
        return {static_cast<const uint8_t *>(data), data == nullptr ? 0 : size};
    }

    void drop()
    {
        ets_trace_drop(trace_, ETS_INVALID_ARGUMENT);
    }

    static Result<bool> result_of(enum ets_status status)
    {
        switch (status) {
        case ETS_OK: return true;
        case ETS_NO_SPACE: return Error::OutOfResources;
        case ETS_NO_MEMORY: return Error::MemoryAllocationFailed;
        case ETS_IO: return Error::AccessFailed;
        case ETS_INVALID_ARGUMENT: return Error::InvalidArgument;
        case ETS_UNSUPPORTED: return Error::NotSupported;
        default: return Error::Internal;
        }
    }

    template <typename Log>
    Result<bool> log_part(const char *name, DelegateDebugIntId id, Log log)
    {
        catch_up();
        if (!is_one(name, id)) {
            drop();
            return Error::InvalidArgument;
        }
        if (filter_ != nullptr) {
            const Result<bool> matches = filter_->filter(name, id);
            if (!matches.ok()) return matches.error();
            if (matches.get()) return false;
        }
        const struct ets_trace_delegate part = {name, id};
        if (ets_trace_wants_value(&thread_, &part, 0) == 0) return false;
        return result_of(log(part));
    }

    Result<bool> log_value(const EValue &value, int is_output)
    {
        using executorch::runtime::Tag;
        const auto &payload = value.payload.copyable_union;
        switch (value.tag) {
        case Tag::Tensor:
            return result_of(log_tensors(nullptr, &value.payload.as_tensor, 1, false, is_output));
        case Tag::Int:
            return result_of(ets_trace_log_int(&thread_, nullptr, payload.as_int, is_output));
        case Tag::Double:
            return result_of(ets_trace_log_double(&thread_, nullptr, payload.as_double, is_output));
        case Tag::Bool:
            return result_of(ets_trace_log_bool(&thread_, nullptr, payload.as_bool, is_output));
        case Tag::String: return log_text(value.tryToString(), is_output);
        case Tag::ListTensor: return log_list(value.tryToTensorList(), is_output);
        case Tag::ListOptionalTensor: return log_list(value.tryToListOptionalTensor(), is_output);
        case Tag::ListInt: return log_numbers(value.tryToIntList(), ETS_SCALAR_LONG, is_output);
        case Tag::ListDouble:
            return log_numbers(value.tryToDoubleList(), ETS_SCALAR_DOUBLE, is_output);
        case Tag::ListBool: return log_numbers(value.tryToBoolList(), ETS_SCALAR_BOOL, is_output);
        case Tag::None:
            return result_of(ets_trace_log_string(&thread_, nullptr, "None", is_output));
        default: return result_of(ets_trace_log_string(&thread_, nullptr, "(unknown)", is_output));
        }
    }

    /* A list whose elements cannot be read is dropped and counted. */
    template <typename List>
    Result<bool> log_list(const Result<List> &list, int is_output)
    {
        if (list.ok()) {
            return result_of(
                log_tensors(nullptr, list.get().data(), list.get().size(), true, is_output));
        }
        drop();
        return list.error();
    }

    template <typename Text>
    Result<bool> log_text(const Result<Text> &text, int is_output)
    {
        char copy[kTextBytes];
        if (!text.ok()) {
            drop();
            return text.error();
        }
        const size_t size = text.get().size() < sizeof copy ? text.get().size() : sizeof copy - 1;
        memcpy(copy, text.get().data(), size);
        copy[size] = '\0';
        return result_of(ets_trace_log_string(&thread_, nullptr, copy, is_output));
    }

    /* ETDump has no lists of numbers, so they become tensors of one dimension. */
    template <typename List>
    Result<bool> log_numbers(const Result<List> &list, enum ets_scalar_type type, int is_output)
    {
        if (!list.ok()) {
            drop();
            return list.error();
        }
        struct ets_tensor tensor = {};
        tensor.scalar_type = type;
        tensor.rank = 1;
        tensor.sizes[0] = static_cast<int64_t>(list.get().size());
        tensor.strides[0] = 1;
        tensor.data = list.get().data();
        tensor.data_bytes = list.get().size() * sizeof *list.get().data();
        return result_of(ets_trace_log_tensor(&thread_, nullptr, &tensor, is_output));
    }

    static bool is_absent(const Tensor &tensor)
    {
        return tensor.unsafeGetTensorImpl() == nullptr;
    }

    /* An absent tensor looks like ExecuTorch's own placeholder for a missing result. */
    static void fill_absent(struct ets_tensor *to)
    {
        to->scalar_type = ETS_SCALAR_FLOAT;
        to->rank = 1;
        to->strides[0] = 1;
    }

    static void fill(const Tensor &from, struct ets_tensor *to)
    {
        if (is_absent(from)) {
            fill_absent(to);
            return;
        }
        const auto sizes = from.sizes();
        const auto strides = from.strides();
        to->scalar_type = static_cast<enum ets_scalar_type>(from.scalar_type());
        to->rank = static_cast<uint32_t>(sizes.size());
        for (size_t i = 0; i < sizes.size() && i < ETS_TENSOR_MAX_RANK; i++) {
            to->sizes[i] = sizes[i];
            to->strides[i] = strides[i];
        }
        to->data = from.const_data_ptr();
        to->data_bytes = from.nbytes();
    }

    template <typename Optional>
    static void fill(const Optional &from, struct ets_tensor *to)
    {
        if (from.has_value()) fill(*from, to);
        else fill_absent(to);
    }

    /* Whether its scalar type has a number in ETDump. */
    static bool is_known(const Tensor &tensor)
    {
        if (is_absent(tensor)) return true;
        const int type = static_cast<int>(tensor.scalar_type());
        return type >= 0 && type <= ETS_SCALAR_UINT64;
    }

    template <typename Optional>
    static bool is_known(const Optional &tensor)
    {
        return !tensor.has_value() || is_known(*tensor);
    }

    template <typename Source>
    static enum ets_status get_tensor(void *context, uint32_t index, struct ets_tensor *tensor_out)
    {
        fill(static_cast<const Source *>(context)[index], tensor_out);
        return ETS_OK;
    }

    template <typename Source>
    enum ets_status log_tensors(const struct ets_trace_delegate *part, const Source *sources,
                                size_t count, bool is_list, int is_output)
    {
        for (size_t i = 0; i < count; i++) {
            if (is_known(sources[i])) continue;
            return ets_trace_log_string(&thread_, part, "tensor of an unknown type", is_output);
        }
        if (count > UINT16_MAX) {
            drop();
            return ETS_INVALID_ARGUMENT;
        }
        if (!is_list) {
            struct ets_tensor tensor = {};
            fill(*sources, &tensor);
            return ets_trace_log_tensor(&thread_, part, &tensor, is_output);
        }
        const struct ets_trace_tensors list = {const_cast<Source *>(sources),
                                               static_cast<uint32_t>(count), get_tensor<Source>};
        return ets_trace_log_tensor_list(&thread_, part, &list, is_output);
    }

    struct ets_trace *trace_ = nullptr;
    struct ets_trace_thread thread_ = {};
    const char *method_ = nullptr;
    uint32_t invocation_ = 0;
    enum ets_run_stage stage_ = ETS_STAGE_NONE; /* of the next execution */
    uint32_t tokens_ = 0;
    uint64_t position_ = 0;
    size_t blocks_ = 0;
    const void *owner_ = nullptr; /* the thread that began the run */
    executorch::runtime::EventTracerFilterBase *filter_ = nullptr;
};

}  // namespace etscope

#endif
