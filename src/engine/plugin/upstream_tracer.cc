/* Records with ExecuTorch's ETDumpGen, without the values that it cannot write. */
#include "engine/plugin/upstream_tracer.h"

#include <cstdio>

#include "etscope/tensor.h"

namespace ets
{
namespace
{
using executorch::runtime::ArrayRef;
using executorch::runtime::DelegateDebugIdType;
using executorch::runtime::EventTracerEntry;
using executorch::runtime::Tag;

/* Types that ETDumpGen's tensor writer supports; other types corrupt its dump. */
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

EventTracerEntry no_entry()
{
    EventTracerEntry entry = {};
    entry.event_id = -1;
    entry.delegate_event_id_type = DelegateDebugIdType::kNone;
    return entry;
}
}  // namespace

upstream_tracer::upstream_tracer(ets_engine_capture capture) : tracer(capture)
{
    choose_levels(true);
}

void upstream_tracer::enable(bool enabled)
{
    enabled_ = enabled;
    choose_levels(enabled);
}

tracer_dump upstream_tracer::finish()
{
    const executorch::etdump::ETDumpResult result = get_etdump_data();
    tracer_dump dump;
    dump.data.reset(result.buf);
    dump.size = result.buf == nullptr ? 0 : result.size;
    return dump;
}

/* Whether ETDumpGen can write all of them: type, bytes and room. */
bool upstream_tracer::accept_tensors(const tensor *tensors, size_t count)
{
    char what[64];
    for (size_t i = 0; i < count; i++) {
        const tensor &each = tensors[i];
        const bool has_bytes = each.nbytes() == 0 || each.const_data_ptr() != nullptr;
        if (is_writable_type(each.scalar_type()) && has_bytes) continue;
        snprintf(what, sizeof what, "%s tensor%s", scalar_type_name(each.scalar_type()),
                 has_bytes ? "" : " without memory");
        note_drop(&counts_.dropped_type_count, what);
        return false;
    }
    return has_room(tensors, count);
}

bool upstream_tracer::accept_value(const evalue &value)
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

void upstream_tracer::create_event_block(const char *name)
{
    if (!enabled_) return;
    ETDumpGen::create_event_block(name);
    counts_.block_count++;
    block_is_fresh_ = true;
}

tracer::entry upstream_tracer::start_profiling(const char *name, executorch::runtime::ChainID chain,
                                               executorch::runtime::DebugHandle handle)
{
    if (!recording()) return no_entry();
    block_is_fresh_ = false;
    return ETDumpGen::start_profiling(name, chain, handle);
}

void upstream_tracer::end_profiling(entry begun)
{
    if (!recording()) return;
    if (begun.delegate_event_id_type != DelegateDebugIdType::kNone) {
        counts_.dropped_invalid_count++;
        return;
    }
    ETDumpGen::end_profiling(begun);
    counts_.profile_event_count++;
}

tracer::entry upstream_tracer::start_profiling_delegate(const char *name, delegate_id id)
{
    if (!recording() || !has_one_identifier(name, id)) return no_entry();
    block_is_fresh_ = false;
    return ETDumpGen::start_profiling_delegate(name, id);
}

void upstream_tracer::end_profiling_delegate(entry begun, const void *metadata,
                                             size_t metadata_bytes)
{
    /* An entry without identifier was counted when it began. */
    if (!recording() || begun.delegate_event_id_type == DelegateDebugIdType::kNone) return;
    ETDumpGen::end_profiling_delegate(begun, metadata, metadata_bytes);
    counts_.profile_event_count++;
}

void upstream_tracer::log_profiling_delegate(const char *name, delegate_id id, et_timestamp_t start,
                                             et_timestamp_t end, const void *metadata,
                                             size_t metadata_bytes)
{
    if (!recording() || !has_one_identifier(name, id)) return;
    block_is_fresh_ = false;
    ETDumpGen::log_profiling_delegate(name, id, start, end, metadata, metadata_bytes);
    counts_.profile_event_count++;
}

void upstream_tracer::track_allocation(executorch::runtime::AllocatorID id, size_t size)
{
    if (!recording()) return;
    block_is_fresh_ = false;
    ETDumpGen::track_allocation(id, size);
}

executorch::runtime::AllocatorID upstream_tracer::track_allocator(const char *name)
{
    if (!recording()) return 0;
    if (!block_is_fresh_) {
        counts_.dropped_invalid_count++;
        return 0;
    }
    return ETDumpGen::track_allocator(name);
}

tracer::logged upstream_tracer::log_evalue(const evalue &value,
                                           executorch::runtime::LoggedEValueType type)
{
    if (!recording() || !accept_value(value)) return false;
    block_is_fresh_ = false;
    return count_logged(ETDumpGen::log_evalue(value, type));
}

tracer::logged upstream_tracer::log_intermediate_output_delegate(const char *name, delegate_id id,
                                                                 const tensor &output)
{
    if (!recording() || !has_one_identifier(name, id) || !accept_tensors(&output, 1)) return false;
    block_is_fresh_ = false;
    return count_logged(ETDumpGen::log_intermediate_output_delegate(name, id, output));
}

tracer::logged upstream_tracer::log_intermediate_output_delegate(const char *name, delegate_id id,
                                                                 const ArrayRef<tensor> output)
{
    if (!recording() || !has_one_identifier(name, id)) return false;
    if (!accept_tensors(output.data(), output.size())) return false;
    block_is_fresh_ = false;
    return count_logged(ETDumpGen::log_intermediate_output_delegate(name, id, output));
}

tracer::logged upstream_tracer::log_intermediate_output_delegate(const char *name, delegate_id id,
                                                                 const int &output)
{
    if (!recording() || !has_one_identifier(name, id)) return false;
    block_is_fresh_ = false;
    return count_logged(ETDumpGen::log_intermediate_output_delegate(name, id, output));
}

tracer::logged upstream_tracer::log_intermediate_output_delegate(const char *name, delegate_id id,
                                                                 const bool &output)
{
    if (!recording() || !has_one_identifier(name, id)) return false;
    block_is_fresh_ = false;
    return count_logged(ETDumpGen::log_intermediate_output_delegate(name, id, output));
}

tracer::logged upstream_tracer::log_intermediate_output_delegate(const char *name, delegate_id id,
                                                                 const double &output)
{
    if (!recording() || !has_one_identifier(name, id)) return false;
    block_is_fresh_ = false;
    return count_logged(ETDumpGen::log_intermediate_output_delegate(name, id, output));
}

}  // namespace ets
