/* Grows the extra block of a finished trace. */
#include "engine/plugin/trace_entries.h"

#include <cstdlib>
#include <cstring>
#include <new>

extern "C" {
#include "base/crc32.h"
}

namespace ets
{
namespace
{
template <typename T>
T load(const uint8_t *at)
{
    uint64_t value = 0;
    for (size_t i = 0; i < sizeof(T); i++) value |= static_cast<uint64_t>(at[i]) << 8 * i;
    return static_cast<T>(value);
}
}  // namespace

void put_entry(std::string *entries, uint32_t key, const std::string &value)
{
    store<uint32_t>(entries, key);
    store<uint32_t>(entries, static_cast<uint32_t>(value.size()));
    entries->append(value);
    entries->append(-entries->size() & 7, '\0');
}

/* The extra block ends with 16 bytes: length, checksum, version, magic. */
tracer_dump append_entries(tracer_dump dump, const std::string &entries)
{
    constexpr size_t footer_bytes = 16;
    constexpr char magic[] = "ETSX";
    const auto *old = static_cast<const uint8_t *>(dump.data.get());
    if (dump.size < footer_bytes + 4 || memcmp(old + dump.size - 4, magic, 4) != 0) {
        return dump;
    }
    const size_t body = dump.size - footer_bytes;
    const uint8_t *footer = old + body;
    const uint32_t before = load<uint32_t>(footer);
    if (before > body || entries.size() > UINT32_MAX - dump.size) return dump;
    auto *grown = static_cast<uint8_t *>(std::malloc(dump.size + entries.size()));
    if (grown == nullptr) throw std::bad_alloc();
    std::string ends, prefix;
    store(&ends, static_cast<uint32_t>(before + entries.size()));
    store(&ends, ets_crc32(load<uint32_t>(footer + 4), entries.data(), entries.size()));
    store(&prefix, static_cast<uint32_t>(load<uint32_t>(old) + entries.size()));
    memcpy(grown, old, body);
    memcpy(grown, prefix.data(), prefix.size());
    memcpy(grown + body, entries.data(), entries.size());
    memcpy(grown + body + entries.size(), ends.data(), ends.size());
    memcpy(grown + body + entries.size() + ends.size(), footer + 8, 8);
    dump.data.reset(grown);
    dump.size += entries.size();
    return dump;
}

}  // namespace ets
