/*
 * What an ETDump holds, as values: what its writer was given, and what a reader found. Both are
 * compared here, and as JSON with what other readers find (test_random_dumps.py).
 */
#ifndef ETSCOPE_TESTS_GIVEN_DUMP_HPP
#define ETSCOPE_TESTS_GIVEN_DUMP_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow" /* in C a struct and a function may have one name */
extern "C" {
#include "etscope/etdump.h"
}
#pragma GCC diagnostic pop

namespace given
{
struct tensor {
    int scalar_type = 0;
    std::vector<int64_t> sizes, strides;
    std::optional<int64_t> offset; /* if the writer was given one */
    std::string bytes;             /* if not */
    bool operator==(const tensor &other) const;
};

/* Fields that an event's kind does not have keep their defaults, which are those of the schema. */
struct event {
    ets_event_kind kind = ETS_EVENT_PROFILE;
    std::optional<std::string> name, delegate_name, metadata;
    int64_t chain = 0;
    int32_t instruction = -1, delegate_id = -1;
    uint64_t start = 0, end = 0;
    int32_t allocator = 0;
    uint64_t allocated_bytes = 0;
    int value_type = ETS_DEBUG_NULL;
    bool is_output = false;
    int64_t int_value = 0; /* also of BOOL */
    double double_value = 0;
    std::vector<tensor> tensors;
    bool operator==(const event &other) const;
};

struct run {
    std::string name;
    int32_t bundled_input_index = -1;
    std::vector<std::string> allocators;
    std::vector<event> events;
    bool operator==(const run &other) const;
};

using runs = std::vector<run>;

/* Reads with etscope's reader. Throws std::runtime_error with its message. */
runs read(const std::string &file, const std::string &debug_buffer, bool has_offsets);

std::string to_json(const runs &all);
std::string to_json(const event &event);
}  // namespace given

#endif
