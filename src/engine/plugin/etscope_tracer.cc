/* Records with etscope's own tracer, and counts events and drops. */
#include "engine/plugin/etscope_tracer.h"

#include <new>

namespace ets
{
using executorch::runtime::ArrayRef;
using executorch::runtime::Tag;

namespace
{
etscope::ETDumpOptions tracer_options(struct ets_bytes fingerprint)
{
    etscope::ETDumpOptions options;
    options.fingerprint = fingerprint;
    /* Address space for 11 million events; pages take memory when they are written. */
    options.heap_bytes = size_t{256} << 20;
    return options;
}
}  // namespace

etscope_tracer::etscope_tracer(ets_engine_capture capture, struct ets_bytes fingerprint)
    : tracer(capture), ETDumpTracer(tracer_options(fingerprint))
{
    choose_levels(true);
}

void etscope_tracer::enable(bool enabled)
{
    enabled_ = enabled;
    ETDumpTracer::enable(enabled ? etscope::kTraceEverything : 0);
    choose_levels(enabled);
}

void etscope_tracer::set_method(const char *method, uint32_t invocation)
{
    ETDumpTracer::set_method(method, invocation);
}

void etscope_tracer::start()
{
    if (trace() == nullptr) prepare();
}

size_t etscope_tracer::heap_bytes()
{
    return trace() == nullptr ? 0 : trace()->config.buffer_bytes + trace()->config.names_bytes;
}

tracer_dump etscope_tracer::finish()
{
    const etscope::ETDumpResult result = get_etdump_data();
    if (emptiness() == etscope::Emptiness::kNoMemory) throw std::bad_alloc();
    tracer_dump dump;
    dump.data.reset(result.buf);
    dump.size = result.size;
    return dump;
}

void etscope_tracer::create_event_block(const char *name)
{
    ETDumpTracer::create_event_block(name);
    counts_.block_count = get_num_blocks();
}

void etscope_tracer::count_profile(uint32_t dropped_before)
{
    if (dropped() == dropped_before) counts_.profile_event_count++;
    else counts_.dropped_invalid_count++;
}

void etscope_tracer::end_profiling(entry begun)
{
    const uint32_t before = dropped();
    ETDumpTracer::end_profiling(begun);
    if (enabled_) count_profile(before);
}

void etscope_tracer::end_profiling_delegate(entry begun, const void *metadata,
                                            size_t metadata_bytes)
{
    const uint32_t before = dropped();
    ETDumpTracer::end_profiling_delegate(begun, metadata, metadata_bytes);
    if (enabled_) count_profile(before);
}

void etscope_tracer::log_profiling_delegate(const char *name, delegate_id id, et_timestamp_t start,
                                            et_timestamp_t end, const void *metadata,
                                            size_t metadata_bytes)
{
    const uint32_t before = dropped();
    ETDumpTracer::log_profiling_delegate(name, id, start, end, metadata, metadata_bytes);
    if (enabled_) count_profile(before);
}

bool etscope_tracer::has_room_for(const evalue &value)
{
    if (value.tag == Tag::Tensor) {
        const tensor held = value.toTensor();
        return has_room(&held, 1);
    }
    if (value.tag != Tag::ListTensor) return true;
    const auto held = value.tryToTensorList();
    return !held.ok() || has_room(held->data(), held->size());
}

bool etscope_tracer::is_event(const evalue &value)
{
    return value.tag != Tag::String && value.tag != Tag::None;
}

tracer::logged etscope_tracer::log_evalue(const evalue &value,
                                          executorch::runtime::LoggedEValueType type)
{
    if (!enabled_ || !has_room_for(value)) return false;
    if (!is_event(value)) return ETDumpTracer::log_evalue(value, type);
    return count_logged(ETDumpTracer::log_evalue(value, type));
}

tracer::logged etscope_tracer::log_intermediate_output_delegate(const char *name, delegate_id id,
                                                                const tensor &output)
{
    if (!enabled_ || (has_one_identifier(name, id) && !has_room(&output, 1))) return false;
    return count_logged(ETDumpTracer::log_intermediate_output_delegate(name, id, output));
}

tracer::logged etscope_tracer::log_intermediate_output_delegate(const char *name, delegate_id id,
                                                                const ArrayRef<tensor> output)
{
    if (!enabled_) return false;
    if (has_one_identifier(name, id) && !has_room(output.data(), output.size())) return false;
    return count_logged(ETDumpTracer::log_intermediate_output_delegate(name, id, output));
}

tracer::logged etscope_tracer::log_intermediate_output_delegate(const char *name, delegate_id id,
                                                                const int &output)
{
    if (!enabled_) return false;
    (void)has_one_identifier(name, id); /* counted here, refused by the adapter */
    return count_logged(ETDumpTracer::log_intermediate_output_delegate(name, id, output));
}

tracer::logged etscope_tracer::log_intermediate_output_delegate(const char *name, delegate_id id,
                                                                const bool &output)
{
    if (!enabled_) return false;
    (void)has_one_identifier(name, id); /* counted here, refused by the adapter */
    return count_logged(ETDumpTracer::log_intermediate_output_delegate(name, id, output));
}

tracer::logged etscope_tracer::log_intermediate_output_delegate(const char *name, delegate_id id,
                                                                const double &output)
{
    if (!enabled_) return false;
    (void)has_one_identifier(name, id); /* counted here, refused by the adapter */
    return count_logged(ETDumpTracer::log_intermediate_output_delegate(name, id, output));
}

}  // namespace ets
