/* Compares ETDumps by their values, reads them with etscope's reader, and writes them as JSON. */
#include "given_dump.hpp"

#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <stdexcept>

namespace given
{
bool tensor::operator==(const tensor &other) const
{
    return scalar_type == other.scalar_type && sizes == other.sizes && strides == other.strides &&
           offset == other.offset && bytes == other.bytes;
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

bool event::operator==(const event &other) const
{
    return kind == other.kind && name == other.name && delegate_name == other.delegate_name &&
           metadata == other.metadata && chain == other.chain && instruction == other.instruction &&
           delegate_id == other.delegate_id && start == other.start && end == other.end &&
           allocator == other.allocator && allocated_bytes == other.allocated_bytes &&
           value_type == other.value_type && is_output == other.is_output &&
           int_value == other.int_value && bits_of(double_value) == bits_of(other.double_value) &&
           tensors == other.tensors;
}

bool run::operator==(const run &other) const
{
    return name == other.name && bundled_input_index == other.bundled_input_index &&
           allocators == other.allocators && events == other.events;
}

static std::string string_of(ets_text text)
{
    return text.size == 0 ? std::string() : std::string(text.data, text.size);
}

static std::optional<std::string> optional_of(ets_text text)
{
    if (text.data == nullptr) return std::nullopt;
    return string_of(text);
}

static tensor read_tensor(const ets_etdump &of, const ets_debug_value &value, uint32_t index,
                          const std::string &debug_buffer, bool has_offsets)
{
    ets_tensor from = {};
    ets_error error = {};
    int64_t offset = 0;
    if (ets_etdump_tensor(&of, &value, index, &from, &offset, &error) != ETS_OK) {
        throw std::runtime_error(error.message);
    }
    tensor to;
    to.scalar_type = from.scalar_type;
    to.sizes.assign(from.sizes, from.sizes + from.rank);
    to.strides.assign(from.strides, from.strides + from.rank);
    if (has_offsets) {
        to.offset = offset;
        return to;
    }
    const ets_bytes bytes = {reinterpret_cast<const uint8_t *>(debug_buffer.data()),
                             debug_buffer.size()};
    if (ets_etdump_tensor_data(bytes, offset, &from, &error) != ETS_OK) {
        throw std::runtime_error(error.message);
    }
    if (from.data_bytes > 0) {
        to.bytes.assign(static_cast<const char *>(from.data), from.data_bytes);
    }
    return to;
}

static void read_value(const ets_etdump &of, size_t payload_at, const std::string &debug_buffer,
                       bool has_offsets, event *to)
{
    ets_debug_value value = {};
    ets_etdump_debug_value(&of, payload_at, &value);
    if (!value.is_present) throw std::runtime_error("a debug event has no value");
    to->value_type = value.type;
    to->is_output = value.is_output != 0;
    to->int_value = value.int_value;
    to->double_value = value.double_value;
    for (uint32_t i = 0; i < value.tensor_count; i++) {
        to->tensors.push_back(read_tensor(of, value, i, debug_buffer, has_offsets));
    }
}

static event read_event(const ets_etdump &of, const struct ets_etdump_event &from,
                        const std::string &debug_buffer, bool has_offsets)
{
    event to;
    to.kind = from.kind;
    if (from.kind == ETS_EVENT_ALLOCATION) {
        to.allocator = from.allocator;
        to.allocated_bytes = from.allocated_bytes;
        return to;
    }
    to.name = optional_of(from.name);
    to.chain = from.chain;
    to.instruction = from.instruction;
    to.delegate_id = from.delegate_id;
    to.delegate_name = optional_of(from.delegate_name);
    if (from.kind == ETS_EVENT_DEBUG) {
        read_value(of, from.payload_at, debug_buffer, has_offsets, &to);
        return to;
    }
    if (from.metadata.data != nullptr) {
        to.metadata.emplace(reinterpret_cast<const char *>(from.metadata.data), from.metadata.size);
    }
    to.start = from.start_ticks;
    to.end = from.end_ticks;
    return to;
}

runs read(const std::string &file, const std::string &debug_buffer, bool has_offsets)
{
    ets_etdump from;
    ets_error error = {};
    const ets_bytes bytes = {reinterpret_cast<const uint8_t *>(file.data()), file.size()};
    if (ets_etdump_init(&from, bytes, &error) != ETS_OK) throw std::runtime_error(error.message);
    runs to(from.run_count);
    for (uint32_t i = 0; i < from.run_count; i++) {
        struct ets_etdump_run of;
        ets_etdump_run(&from, i, &of);
        to[i].name = string_of(of.name);
        to[i].bundled_input_index = of.bundled_input_index;
        for (uint32_t j = 0; j < of.allocator_count; j++) {
            to[i].allocators.push_back(string_of(ets_etdump_allocator_name(&from, &of, j)));
        }
        for (uint32_t j = 0; j < of.event_count; j++) {
            struct ets_etdump_event event;
            ets_etdump_event(&from, &of, j, &event);
            to[i].events.push_back(read_event(from, event, debug_buffer, has_offsets));
        }
    }
    return to;
}

/* Bytes as hexadecimal digits: JSON has no other way for texts that are not UTF-8. */
static std::string hex_of(const std::string &bytes)
{
    std::string text = "\"";
    char digits[3];
    for (const char each : bytes) {
        snprintf(digits, sizeof digits, "%02x", static_cast<unsigned>(each) & 0xff);
        text += digits;
    }
    return text + "\"";
}

static std::string hex_of(const std::optional<std::string> &bytes)
{
    return bytes ? hex_of(*bytes) : "null";
}

template <typename Items, typename Convert>
std::string list_of(const Items &items, Convert convert)
{
    std::string text = "[";
    for (const auto &item : items) {
        if (text.size() > 1) text += ", ";
        text += convert(item);
    }
    return text + "]";
}

static std::string tensor_to_json(const tensor &tensor)
{
    const auto number = [](int64_t each) { return std::to_string(each); };
    return "{\"scalar_type\": " + std::to_string(tensor.scalar_type) +
           ", \"sizes\": " + list_of(tensor.sizes, number) +
           ", \"strides\": " + list_of(tensor.strides, number) +
           (tensor.offset ? ", \"offset\": " + std::to_string(*tensor.offset)
                          : ", \"bytes\": " + hex_of(tensor.bytes)) +
           "}";
}

std::string to_json(const event &event)
{
    static const char *const kinds[] = {"profile", "debug", "allocation", "unknown"};
    char text[512];
    snprintf(text, sizeof text,
             "\"chain\": %" PRId64 ", \"instruction\": %" PRId32 ", \"delegate_id\": %" PRId32
             ", \"start\": %" PRIu64 ", \"end\": %" PRIu64 ", \"allocator\": %" PRId32
             ", \"allocated_bytes\": %" PRIu64
             ", \"value_type\": %d, \"is_output\": %d, \"int_value\": %" PRId64
             ", \"double_bits\": %" PRIu64,
             event.chain, event.instruction, event.delegate_id, event.start, event.end,
             event.allocator, event.allocated_bytes, event.value_type, event.is_output,
             event.int_value, bits_of(event.double_value));
    return "{\"kind\": \"" + std::string(kinds[event.kind]) +
           "\", \"name\": " + hex_of(event.name) +
           ", \"delegate_name\": " + hex_of(event.delegate_name) +
           ", \"metadata\": " + hex_of(event.metadata) + ", " + text +
           ", \"tensors\": " + list_of(event.tensors, tensor_to_json) + "}";
}

std::string to_json(const runs &all)
{
    return list_of(all, [](const run &run) {
        return "{\"name\": " + hex_of(run.name) +
               ", \"bundled_input_index\": " + std::to_string(run.bundled_input_index) +
               ", \"allocators\": " +
               list_of(run.allocators, [](const std::string &name) { return hex_of(name); }) +
               ", \"events\": " +
               list_of(run.events, [](const event &event) { return to_json(event); }) + "}";
    });
}
}  // namespace given
