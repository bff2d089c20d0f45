/* Code shared by both tracers: the debug sink, capture levels, counts of drops. */
#include "engine/plugin/tracer.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

#include "engine/plugin/etscope_tracer.h"
#include "engine/plugin/upstream_tracer.h"
#include "etscope/tensor.h"

namespace ets
{
namespace
{
using executorch::runtime::EventTracerDebugLogLevel;
using executorch::runtime::EventTracerProfilingLevel;

constexpr size_t sink_alignment = 64;
}  // namespace

const char *scalar_type_name(executorch::aten::ScalarType type)
{
    switch (static_cast<int>(type)) {
#define ETS_CASE(name, number, bytes, text) \
    case number: return text;
        ETS_SCALAR_TYPE_LIST(ETS_CASE)
#undef ETS_CASE
    default: return "unknown";
    }
}

debug_sink::~debug_sink()
{
    if (data_ != nullptr) munmap(data_, limit_);
}

bool debug_sink::reserve(size_t limit_bytes)
{
    void *data = mmap(nullptr, limit_bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (data == MAP_FAILED) return false;
    data_ = static_cast<uint8_t *>(data);
    limit_ = limit_bytes;
    return true;
}

size_t debug_sink::used_after(size_t used, size_t size)
{
    if (size == 0) return used;
    const size_t start = (used + sink_alignment - 1) / sink_alignment * sink_alignment;
    return size > SIZE_MAX / 2 - start ? SIZE_MAX / 2 : start + size;
}

executorch::runtime::Result<size_t> debug_sink::write(const void *data, size_t size)
{
    if (size == 0) return used_;
    const size_t end = used_after(used_, size);
    if (end > limit_) return executorch::runtime::Error::OutOfResources;
    memcpy(data_ + (end - size), data, size);
    used_ = end;
    return end - size;
}

tracer::tracer(ets_engine_capture capture)
    : level_(capture == ETS_CAPTURE_INTERMEDIATES ? EventTracerDebugLogLevel::kIntermediateOutputs
             : capture == ETS_CAPTURE_OUTPUTS     ? EventTracerDebugLogLevel::kProgramOutputs
                                                  : EventTracerDebugLogLevel::kNoLogging)
{
    counts_.first_dropped_instruction = -1;
}

bool tracer::reserve_debug_bytes(size_t limit_bytes)
{
    if (!sink_.reserve(limit_bytes)) return false;
    use_sink(&sink_);
    return true;
}

void tracer::choose_levels(bool enabled)
{
    executorch::runtime::EventTracer *target = event_tracer();
    target->set_event_tracer_debug_level(enabled ? level_ : EventTracerDebugLogLevel::kNoLogging);
    target->set_event_tracer_profiling_level(enabled
                                                 ? EventTracerProfilingLevel::kProfileAllEvents
                                                 : EventTracerProfilingLevel::kProfileMethodOnly);
}

void tracer::statistics(ets_engine_trace_statistics *out) const
{
    *out = counts_;
    out->debug_bytes_used = sink_.get_used_bytes();
    out->debug_bytes_needed = needed_bytes_;
}

void tracer::note_drop(uint64_t *counter, const char *what)
{
    ++*counter;
    if (counts_.first_dropped[0] != '\0') return;
    snprintf(counts_.first_dropped, sizeof counts_.first_dropped, "%s", what);
    executorch::runtime::EventTracer *target = event_tracer();
    if (target->current_chain_id() != executorch::runtime::kUnsetChainId) {
        counts_.first_dropped_instruction = static_cast<int32_t>(target->current_debug_handle());
    }
}

bool tracer::has_one_identifier(const char *name, delegate_id id)
{
    if ((name != nullptr) != (id != executorch::runtime::kUnsetDelegateDebugIntId)) return true;
    counts_.dropped_invalid_count++;
    return false;
}

bool tracer::has_room(const tensor *tensors, size_t count)
{
    size_t used = sink_.get_used_bytes();
    for (size_t i = 0; i < count; i++) {
        used = debug_sink::used_after(used, tensors[i].nbytes());
        needed_bytes_ = debug_sink::used_after(needed_bytes_, tensors[i].nbytes());
    }
    if (used <= sink_.limit()) return true;
    char what[64];
    snprintf(what, sizeof what, "%s tensor", scalar_type_name(tensors[0].scalar_type()));
    note_drop(&counts_.dropped_space_count, what);
    return false;
}

tracer::logged tracer::count_logged(logged result)
{
    if (result.ok() && result.get()) counts_.debug_event_count++;
    return result;
}

std::unique_ptr<tracer> make_tracer(ets_engine_tracer kind, ets_engine_capture capture,
                                    struct ets_bytes fingerprint)
{
    if (kind == ETS_TRACER_UPSTREAM) return std::make_unique<upstream_tracer>(capture);
    return std::make_unique<etscope_tracer>(capture, fingerprint);
}

}  // namespace ets
