/*
 * Reads ETDumps with the code that flatc makes of tests/data/schema, after FlatBuffers' verifier:
 *
 *     read_dumps FILE...
 *
 * Prints a line of JSON for each, as given_dump.hpp writes it; "refused" if the verifier does.
 */
#include <cstdio>
#include <fstream>

#include <flatbuffers/flatbuffers.h>

#include "etdump_generated.h"
#include "given_dump.hpp"

namespace
{
std::optional<std::string> text_of(const flatbuffers::String *text)
{
    if (text == nullptr) return std::nullopt;
    return text->str();
}

std::vector<int64_t> numbers_of(const flatbuffers::Vector<int64_t> *numbers)
{
    if (numbers == nullptr) return {};
    return std::vector<int64_t>(numbers->begin(), numbers->end());
}

given::tensor read_tensor(const etdump::Tensor &from)
{
    given::tensor to;
    to.scalar_type = from.scalar_type();
    to.sizes = numbers_of(from.sizes());
    to.strides = numbers_of(from.strides());
    to.offset = from.offset();
    return to;
}

void read_value(const etdump::Value &from, given::event *to)
{
    to->value_type = from.val();
    if (from.output() != nullptr) to->is_output = from.output()->bool_val();
    if (from.int_value() != nullptr) to->int_value = from.int_value()->int_val();
    if (from.bool_value() != nullptr) to->int_value = from.bool_value()->bool_val();
    if (from.float_value() != nullptr) {
        to->double_value = static_cast<double>(from.float_value()->float_val());
    }
    if (from.double_value() != nullptr) to->double_value = from.double_value()->double_val();
    if (from.tensor() != nullptr) to->tensors.push_back(read_tensor(*from.tensor()));
    if (from.tensor_list() == nullptr || from.tensor_list()->tensors() == nullptr) return;
    for (const etdump::Tensor *tensor : *from.tensor_list()->tensors()) {
        to->tensors.push_back(read_tensor(*tensor));
    }
}

given::event read_debug(const etdump::DebugEvent &from)
{
    given::event to;
    to.kind = ETS_EVENT_DEBUG;
    to.name = text_of(from.name());
    to.chain = static_cast<int64_t>(from.chain_index());
    to.instruction = from.instruction_id();
    to.delegate_id = from.delegate_debug_id_int();
    to.delegate_name = text_of(from.delegate_debug_id_str());
    if (from.debug_entry() != nullptr) read_value(*from.debug_entry(), &to);
    return to;
}

given::event read_profile(const etdump::ProfileEvent &from)
{
    given::event to;
    to.name = text_of(from.name());
    to.chain = from.chain_index();
    to.instruction = from.instruction_id();
    to.delegate_id = from.delegate_debug_id_int();
    to.delegate_name = text_of(from.delegate_debug_id_str());
    if (const auto *metadata = from.delegate_debug_metadata()) {
        to.metadata.emplace(metadata->begin(), metadata->end());
    }
    to.start = from.start_time();
    to.end = from.end_time();
    return to;
}

given::event read_event(const etdump::Event &from)
{
    if (from.profile_event() != nullptr) return read_profile(*from.profile_event());
    if (from.debug_event() != nullptr) return read_debug(*from.debug_event());
    given::event to;
    to.kind = ETS_EVENT_UNKNOWN;
    if (from.allocation_event() == nullptr) return to;
    to.kind = ETS_EVENT_ALLOCATION;
    to.allocator = from.allocation_event()->allocator_id();
    to.allocated_bytes = from.allocation_event()->allocation_size();
    return to;
}

given::run read_run(const etdump::RunData &from)
{
    given::run to;
    to.name = text_of(from.name()).value_or("");
    to.bundled_input_index = from.bundled_input_index();
    if (from.allocators() != nullptr) {
        for (const etdump::Allocator *each : *from.allocators()) {
            to.allocators.push_back(text_of(each->name()).value_or(""));
        }
    }
    if (from.events() != nullptr) {
        for (const etdump::Event *each : *from.events()) to.events.push_back(read_event(*each));
    }
    return to;
}

std::string read_file(const std::string &bytes)
{
    flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size(),
                                   64, 1000000);
    if (!etdump::VerifySizePrefixedETDumpBuffer(verifier)) return "\"refused\"";
    const etdump::ETDump *root = etdump::GetSizePrefixedETDump(bytes.data());
    given::runs runs;
    if (root->run_data() != nullptr) {
        for (const etdump::RunData *run : *root->run_data()) runs.push_back(read_run(*run));
    }
    return given::to_json(runs);
}
}  // namespace

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        std::ifstream file(argv[i], std::ios::binary);
        const std::string bytes((std::istreambuf_iterator<char>(file)), {});
        printf("%s\n", read_file(bytes).c_str());
    }
    return 0;
}
