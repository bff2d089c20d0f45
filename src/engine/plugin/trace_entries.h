/* Entries that the engine appends to the extra block of a finished trace; docs/SPEC.md, section 6.
 */
#ifndef ETSCOPE_ENGINE_PLUGIN_TRACE_ENTRIES_H
#define ETSCOPE_ENGINE_PLUGIN_TRACE_ENTRIES_H

#include <cstdint>
#include <string>

#include "engine/plugin/tracer.h"

namespace ets
{
/* Appends a number to `out`, little-endian. */
template <typename T>
void store(std::string *out, T value)
{
    for (size_t i = 0; i < sizeof value; i++) {
        out->push_back(static_cast<char>(static_cast<uint64_t>(value) >> 8 * i & 0xff));
    }
}

/* Appends an entry to `entries`. */
void put_entry(std::string *entries, uint32_t key, const std::string &value);

/* The dump with the entries in its extra block; unchanged if it has no extra block. */
tracer_dump append_entries(tracer_dump dump, const std::string &entries);

}  // namespace ets

#endif
