/* Heap blocks with the alignment that kernels and delegates expect. */
#ifndef ETSCOPE_ENGINE_PLUGIN_MEMORY_H
#define ETSCOPE_ENGINE_PLUGIN_MEMORY_H

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "etscope/base.h"

namespace ets
{
/* `size` zeroed bytes at a multiple of `alignment`; untouched pages cost no memory. */
class aligned_block
{
  public:
    static constexpr size_t alignment = 64;

    aligned_block() = default;
    explicit aligned_block(size_t size)
        : block_(size > SIZE_MAX - alignment ? nullptr : std::calloc(1, size + alignment)),
          size_(size)
    {
        if (block_ == nullptr) throw std::bad_alloc();
        const auto address = reinterpret_cast<uintptr_t>(block_.get());
        const size_t crooked = address % alignment;
        data_ = static_cast<uint8_t *>(block_.get()) + (crooked == 0 ? 0 : alignment - crooked);
    }

    uint8_t *data() const
    {
        return data_;
    }
    size_t size() const
    {
        return size_;
    }

  private:
    struct release {
        void operator()(void *block) const
        {
            std::free(block);
        }
    };
    std::unique_ptr<void, release> block_;
    uint8_t *data_ = nullptr;
    size_t size_ = 0;
};

/* A caller's file: used in place, or copied if it is not aligned enough for the runtime. */
class aligned_file
{
  public:
    explicit aligned_file(struct ets_bytes bytes) : bytes_(bytes)
    {
        if (reinterpret_cast<uintptr_t>(bytes.data) % aligned_block::alignment == 0) return;
        copy_ = aligned_block(bytes.size);
        memcpy(copy_.data(), bytes.data, bytes.size);
        bytes_.data = copy_.data();
    }

    const uint8_t *data() const
    {
        return bytes_.data;
    }
    size_t size() const
    {
        return bytes_.size;
    }

  private:
    aligned_block copy_;
    struct ets_bytes bytes_;
};

}  // namespace ets

#endif
