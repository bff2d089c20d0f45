#include "engine/plugin/tracer.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

namespace ets
{
namespace
{
using executorch::runtime::ArrayRef;
using executorch::runtime::DelegateDebugIdType;
using executorch::runtime::EValue;
using executorch::runtime::EventTracerDebugLogLevel;
using executorch::runtime::EventTracerEntry;
using executorch::runtime::EventTracerProfilingLevel;
using executorch::runtime::kUnsetDelegateDebugIntId;
using executorch::runtime::Tag;

constexpr size_t sink_alignment = 64;

/* What ETDumpGen's tensor writer has a case for; the others corrupt the dump being built. */
bool is_writable_type(executorch::aten::ScalarType type)
{
    switch (static_cast<int>(type)) {
    case ETS_SCALAR_BYTE:
    case ETS_SCALAR_CHAR:
    case ETS_SCALAR_SHORT:
    case ETS_SCALAR_INT:
    case ETS_SCALAR_LONG:
    case ETS_SCALAR_FLOAT:
    case ETS_SCALAR_DOUBLE:
    case ETS_SCALAR_BOOL:
    case ETS_SCALAR_BITS16:
    case ETS_SCALAR_UINT16: return true;
    default: return false;
    }
}

const char *type_name(executorch::aten::ScalarType type)
{
    switch (static_cast<int>(type)) {
#define ETS_CASE(name, number, bytes, text) \
    case number: return text;
        ETS_SCALAR_TYPE_LIST(ETS_CASE)
#undef ETS_CASE
    default: return "unknown";
    }
}

EventTracerEntry no_entry()
{
    EventTracerEntry entry = {};
    entry.event_id = -1;
    entry.delegate_event_id_type = DelegateDebugIdType::kNone;
    return entry;
}
}  // namespace

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

guarded_tracer::guarded_tracer(ets_engine_capture capture)
    : level_(capture == ETS_CAPTURE_INTERMEDIATES ? EventTracerDebugLogLevel::kIntermediateOutputs
             : capture == ETS_CAPTURE_OUTPUTS     ? EventTracerDebugLogLevel::kProgramOutputs
                                                  : EventTracerDebugLogLevel::kNoLogging)
{
    set_event_tracer_debug_level(level_);
    counts_.first_dropped_instruction = -1;
}

bool guarded_tracer::reserve_debug_bytes(size_t limit_bytes)
{
    if (!sink_.reserve(limit_bytes)) return false;
    set_data_sink(&sink_);
    return true;
}

/* While suspended the levels keep the runtime from calling most hooks at all. */
void guarded_tracer::enable(bool enabled)
{
    enabled_ = enabled;
    set_event_tracer_debug_level(enabled ? level_ : EventTracerDebugLogLevel::kNoLogging);
    set_event_tracer_profiling_level(enabled ? EventTracerProfilingLevel::kProfileAllEvents
                                             : EventTracerProfilingLevel::kProfileMethodOnly);
}

void guarded_tracer::statistics(ets_engine_trace_statistics *out) const
{
    *out = counts_;
    out->debug_bytes_used = sink_.get_used_bytes();
    out->debug_bytes_needed = needed_bytes_;
}

void guarded_tracer::note_drop(uint64_t *counter, const char *what)
{
    ++*counter;
    if (counts_.first_dropped[0] != '\0') return;
    snprintf(counts_.first_dropped, sizeof counts_.first_dropped, "%s", what);
    if (chain_id_ != executorch::runtime::kUnsetChainId) {
        counts_.first_dropped_instruction = static_cast<int32_t>(debug_handle_);
    }
}

guarded_tracer::logged guarded_tracer::count_logged(logged result)
{
    if (result.ok() && result.get()) counts_.debug_event_count++;
    return result;
}

/* ETDumpGen aborts unless exactly one of the two is there. */
bool guarded_tracer::has_one_identifier(const char *name, delegate_id id)
{
    if ((name != nullptr) != (id != kUnsetDelegateDebugIntId)) return true;
    counts_.dropped_invalid_count++;
    return false;
}

/* Whether ETDumpGen can write all of them, in type, bytes and room. */
bool guarded_tracer::accept_tensors(const tensor *tensors, size_t count)
{
    size_t used = sink_.get_used_bytes();
    char what[64];
    for (size_t i = 0; i < count; i++) {
        const tensor &each = tensors[i];
        const bool has_bytes = each.nbytes() == 0 || each.const_data_ptr() != nullptr;
        if (!is_writable_type(each.scalar_type()) || !has_bytes) {
            snprintf(what, sizeof what, "%s tensor%s", type_name(each.scalar_type()),
                     has_bytes ? "" : " without memory");
            note_drop(&counts_.dropped_type_count, what);
            return false;
        }
    }
    for (size_t i = 0; i < count; i++) {
        used = debug_sink::used_after(used, tensors[i].nbytes());
        needed_bytes_ = debug_sink::used_after(needed_bytes_, tensors[i].nbytes());
    }
    if (used <= sink_.limit()) return true;
    snprintf(what, sizeof what, "%s tensor", type_name(tensors[0].scalar_type()));
    note_drop(&counts_.dropped_space_count, what);
    return false;
}

bool guarded_tracer::accept_value(const EValue &value)
{
    switch (value.tag) {
    case Tag::Int:
    case Tag::Bool:
    case Tag::Double: return true;
    case Tag::Tensor: {
        const tensor held = value.toTensor();
        return accept_tensors(&held, 1);
    }
    case Tag::ListTensor: {
        const ArrayRef<tensor> held = value.toTensorList();
        return accept_tensors(held.data(), held.size());
    }
    case Tag::None: note_drop(&counts_.dropped_type_count, "no value"); return false;
    case Tag::String: note_drop(&counts_.dropped_type_count, "string"); return false;
    default: note_drop(&counts_.dropped_type_count, "list"); return false;
    }
}

void guarded_tracer::create_event_block(const char *name)
{
    if (!enabled_) return;
    ETDumpGen::create_event_block(name);
    counts_.block_count++;
    block_is_fresh_ = true;
}

guarded_tracer::entry guarded_tracer::start_profiling(const char *name,
                                                      executorch::runtime::ChainID chain,
                                                      executorch::runtime::DebugHandle handle)
{
    if (!recording()) return no_entry();
    block_is_fresh_ = false;
    return ETDumpGen::start_profiling(name, chain, handle);
}

void guarded_tracer::end_profiling(entry begun)
{
    if (!recording()) return;
    if (begun.delegate_event_id_type != DelegateDebugIdType::kNone) {
        counts_.dropped_invalid_count++;
        return;
    }
    ETDumpGen::end_profiling(begun);
    counts_.profile_event_count++;
}

guarded_tracer::entry guarded_tracer::start_profiling_delegate(const char *name, delegate_id id)
{
    if (!recording() || !has_one_identifier(name, id)) return no_entry();
    block_is_fresh_ = false;
    return ETDumpGen::start_profiling_delegate(name, id);
}

void guarded_tracer::end_profiling_delegate(entry begun, const void *metadata,
                                            size_t metadata_bytes)
{
    /* An entry without identifier was counted when it was begun. */
    if (!recording() || begun.delegate_event_id_type == DelegateDebugIdType::kNone) return;
    ETDumpGen::end_profiling_delegate(begun, metadata, metadata_bytes);
    counts_.profile_event_count++;
}

void guarded_tracer::log_profiling_delegate(const char *name, delegate_id id, et_timestamp_t start,
                                            et_timestamp_t end, const void *metadata,
                                            size_t metadata_bytes)
{
    if (!recording() || !has_one_identifier(name, id)) return;
    block_is_fresh_ = false;
    ETDumpGen::log_profiling_delegate(name, id, start, end, metadata, metadata_bytes);
    counts_.profile_event_count++;
}

void guarded_tracer::track_allocation(executorch::runtime::AllocatorID id, size_t size)
{
    if (!recording()) return;
    block_is_fresh_ = false;
    ETDumpGen::track_allocation(id, size);
}

executorch::runtime::AllocatorID guarded_tracer::track_allocator(const char *name)
{
    if (!recording()) return 0;
    if (!block_is_fresh_) {
        counts_.dropped_invalid_count++;
        return 0;
    }
    return ETDumpGen::track_allocator(name);
}

guarded_tracer::logged guarded_tracer::log_evalue(const EValue &value,
                                                  executorch::runtime::LoggedEValueType type)
{
    if (!recording() || !accept_value(value)) return false;
    block_is_fresh_ = false;
    return count_logged(ETDumpGen::log_evalue(value, type));
}

guarded_tracer::logged guarded_tracer::log_intermediate_output_delegate(const char *name,
                                                                        delegate_id id,
                                                                        const tensor &output)
{
    if (!recording() || !has_one_identifier(name, id) || !accept_tensors(&output, 1)) return false;
    block_is_fresh_ = false;
    return count_logged(ETDumpGen::log_intermediate_output_delegate(name, id, output));
}

guarded_tracer::logged guarded_tracer::log_intermediate_output_delegate(
    const char *name, delegate_id id, const ArrayRef<tensor> output)
{
    if (!recording() || !has_one_identifier(name, id)) return false;
    if (!accept_tensors(output.data(), output.size())) return false;
    block_is_fresh_ = false;
    return count_logged(ETDumpGen::log_intermediate_output_delegate(name, id, output));
}

guarded_tracer::logged guarded_tracer::log_intermediate_output_delegate(const char *name,
                                                                        delegate_id id,
                                                                        const int &output)
{
    if (!recording() || !has_one_identifier(name, id)) return false;
    block_is_fresh_ = false;
    return count_logged(ETDumpGen::log_intermediate_output_delegate(name, id, output));
}

guarded_tracer::logged guarded_tracer::log_intermediate_output_delegate(const char *name,
                                                                        delegate_id id,
                                                                        const bool &output)
{
    if (!recording() || !has_one_identifier(name, id)) return false;
    block_is_fresh_ = false;
    return count_logged(ETDumpGen::log_intermediate_output_delegate(name, id, output));
}

guarded_tracer::logged guarded_tracer::log_intermediate_output_delegate(const char *name,
                                                                        delegate_id id,
                                                                        const double &output)
{
    if (!recording() || !has_one_identifier(name, id)) return false;
    block_is_fresh_ = false;
    return count_logged(ETDumpGen::log_intermediate_output_delegate(name, id, output));
}

}  // namespace ets
