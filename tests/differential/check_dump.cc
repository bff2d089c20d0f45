/* Compares a dump of random calls with what it has to hold. */
#include <stdexcept>

#include "random_calls.hpp"

namespace
{
/* What the extra block says. */
struct extra_block {
    ets_trace_facts facts;
    std::vector<beside> events;
};

std::optional<std::string> optional_of(ets_text text)
{
    if (text.data == nullptr) return std::nullopt;
    return std::string(text.data, text.size);
}

template <typename Entry>
beside read_entry(const Entry &from, int value_type)
{
    beside to = {from.run, from.next_event, {}, "", 0};
    to.event.kind = ETS_EVENT_DEBUG;
    to.event.chain = from.chain;
    to.event.instruction = static_cast<int32_t>(from.instruction);
    to.event.delegate_id = from.delegate_id;
    to.event.delegate_name = optional_of(from.delegate_name);
    to.event.is_output = from.is_output != 0;
    to.event.value_type = value_type;
    return to;
}

beside read_string(const ets_trace_extra_string &from)
{
    beside to = read_entry(from, ETS_DEBUG_STRING);
    if (from.value.size > 0) to.value.assign(from.value.data, from.value.size);
    return to;
}

beside read_tensor(const ets_trace_extra_tensor &from)
{
    beside to = read_entry(from, from.is_list ? ETS_DEBUG_TENSOR_LIST : ETS_DEBUG_TENSOR);
    to.list_index = from.list_index;
    given::tensor tensor;
    tensor.scalar_type = from.tensor.scalar_type;
    tensor.sizes.assign(from.tensor.sizes, from.tensor.sizes + from.tensor.rank);
    tensor.strides.assign(from.tensor.strides, from.tensor.strides + from.tensor.rank);
    to.event.tensors.push_back(tensor);
    return to;
}

/* Strings first, then tensors, each in the order of the file. */
extra_block read_extra(const std::string &file)
{
    extra_block block;
    ets_trace_extra extra;
    ets_error error = {};
    const ets_bytes bytes = {reinterpret_cast<const uint8_t *>(file.data()), file.size()};
    if (ets_trace_extra_init(&extra, bytes, &error) != ETS_OK) {
        throw std::runtime_error(error.message);
    }
    ets_trace_extra_facts(&extra, &block.facts);
    ets_trace_extra_string string;
    for (size_t at = 0; ets_trace_extra_next_string(&extra, &at, &string);) {
        block.events.push_back(read_string(string));
    }
    ets_trace_extra_tensor tensor;
    for (size_t at = 0; ets_trace_extra_next_tensor(&extra, &at, &tensor);) {
        block.events.push_back(read_tensor(tensor));
    }
    return block;
}

std::string describe(const beside &entry)
{
    return std::to_string(entry.run) + " " + std::to_string(entry.next_event) + " " +
           std::to_string(entry.list_index) + " '" + entry.value + "' " +
           given::to_json(entry.event);
}

/* By runs, as they are written. */
std::vector<std::string> described(const std::vector<beside> &entries)
{
    std::vector<std::string> lines;
    uint32_t runs = 0;
    for (const beside &each : entries) runs = std::max(runs, each.run + 1);
    for (const bool is_string : {true, false}) {
        for (uint32_t run = 0; run < runs; run++) {
            for (const beside &each : entries) {
                if (each.run == run && (each.event.value_type == ETS_DEBUG_STRING) == is_string) {
                    lines.push_back(describe(each));
                }
            }
        }
    }
    return lines;
}

void check_all(const caller &calls, const given::runs &found, const extra_block &extra)
{
    const ets_trace_state &state = extra.facts.state;
    if (!(found == calls.content())) differ(calls.kind(), to_json(calls.content()), to_json(found));
    const auto wanted = described(calls.beside_events()), beside = described(extra.events);
    require(wanted.size() == beside.size(), "the number of strings and shapes");
    for (size_t i = 0; i < wanted.size(); i++) {
        if (wanted[i] != beside[i]) differ("the extra block", wanted[i], beside[i]);
    }
    require(state.dropped == 0 && state.overwritten == 0 && state.unnamed == 0, "nothing is lost");
    require(state.backwards == calls.backwards(), "the number of events that ran backwards");
    require(extra.facts.mode == calls.mode(), "the mode");
}

/* Names may be missing if there was no room for them. */
bool is_kept(given::event wanted, const given::event &found, bool may_lack_names)
{
    if (may_lack_names && !found.name) wanted.name.reset();
    if (may_lack_names && !found.delegate_name) wanted.delegate_name.reset();
    return wanted == found;
}

template <typename Items, typename Same>
bool is_part(const Items &wanted, const Items &found, Same same)
{
    size_t at = 0;
    for (const auto &each : found) {
        while (at < wanted.size() && !same(wanted[at], each)) at++;
        if (at++ == wanted.size()) return false;
    }
    return true;
}

bool is_kept(const given::run &wanted, const given::run &found, bool may_lack_names)
{
    const auto event = [&](const given::event &a, const given::event &b) {
        return is_kept(a, b, may_lack_names);
    };
    const auto name = [&](const std::string &a, const std::string &b) {
        return may_lack_names || a == b;
    };
    return name(wanted.name, found.name) &&
           wanted.bundled_input_index == found.bundled_input_index &&
           is_part(wanted.allocators, found.allocators, name) &&
           is_part(wanted.events, found.events, event);
}

size_t count_events(const given::runs &runs, size_t beside)
{
    for (const given::run &run : runs) beside += run.events.size();
    return beside;
}

size_t count_allocators(const given::runs &runs)
{
    size_t count = 0;
    for (const given::run &run : runs) count += run.allocators.size();
    return count;
}

/* Of what was given each event is there in its order, or counted. */
void check_kept(const caller &calls, const given::runs &found, const extra_block &extra)
{
    const ets_trace_state &state = extra.facts.state;
    const auto same = [&](const given::run &a, const given::run &b) {
        return is_kept(a, b, state.unnamed > 0);
    };
    if (!is_part(calls.content(), found, same)) {
        differ(calls.kind(), to_json(calls.content()), to_json(found));
    }
    size_t wanted = count_events(calls.content(), calls.beside_events().size());
    size_t known = count_events(found, extra.events.size()) + state.overwritten;
    bool is_right = known <= wanted && known + state.dropped >= wanted;
    if (calls.mode() != ETS_TRACE_RING) { /* which overwrites allocators without counting them */
        wanted += count_allocators(calls.content());
        known += count_allocators(found) + state.dropped;
        is_right = found.empty() ? known >= wanted : known == wanted;
    }
    require(is_right,
            "the number of events: " + std::to_string(known) + " of " + std::to_string(wanted));
}
}  // namespace

const char *caller::kind() const
{
    static const char *const names[][3] = {
        {"calls, small buffer", "calls, small ring", "calls, small stream"},
        {"calls, buffer", "calls, ring", "calls, stream"}};
    return names[is_exact_][config_.mode];
}

given::runs check_dump(const caller &calls, const random_dump &made)
{
    given::runs found = given::read(made.file, made.debug_buffer, false);
    const given::runs whole = found;
    const extra_block extra = read_extra(made.file);
    if (!found.empty() && found.back().name == ETS_TRACE_CUT_NAME) {
        require(extra.facts.state.dropped > 0 && found.back().events.size() == 1 &&
                    found.back().events[0].name == ETS_TRACE_CUT_NAME,
                "the run that says that events were dropped");
        found.pop_back();
    }
    if (calls.is_exact()) check_all(calls, found, extra);
    else check_kept(calls, found, extra);
    return calls.is_exact() ? calls.content() : whole;
}
