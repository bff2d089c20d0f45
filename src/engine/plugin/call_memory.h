/* Memory for one call of a kernel. */
#ifndef ETSCOPE_ENGINE_PLUGIN_CALL_MEMORY_H
#define ETSCOPE_ENGINE_PLUGIN_CALL_MEMORY_H

#include <executorch/runtime/core/memory_allocator.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace ets
{
/*
 * The first few kilobytes are in the object itself, so that most calls need no heap. More comes
 * from the heap and is freed with the object. Kernels allocate temporary memory here.
 */
class call_memory final : public executorch::runtime::MemoryAllocator
{
  public:
    call_memory() : MemoryAllocator(0, nullptr) {}
    ~call_memory() override
    {
        while (blocks_ != nullptr) {
            block *next = blocks_->next;
            std::free(blocks_);
            blocks_ = next;
        }
    }
    call_memory(const call_memory &) = delete;
    call_memory &operator=(const call_memory &) = delete;

    /* NULL if there is no memory, or if `alignment` is not a power of two. */
    void *allocate(size_t size, size_t alignment = kDefaultAlignment) override
    {
        if (alignment == 0 || (alignment & (alignment - 1)) != 0) return nullptr;
        const size_t start = (used_ + alignment - 1) & ~(alignment - 1);
        if (alignment <= inline_alignment && start <= inline_bytes &&
            size <= inline_bytes - start) {
            used_ = start + size;
            return inline_ + start;
        }
        return allocate_block(size, alignment);
    }

    /* `count` elements of raw memory; throws std::bad_alloc. */
    template <typename T>
    T *list(size_t count)
    {
        void *memory =
            count > SIZE_MAX / sizeof(T) ? nullptr : allocate(count * sizeof(T), alignof(T));
        if (memory == nullptr) throw std::bad_alloc();
        return static_cast<T *>(memory);
    }

  private:
    static constexpr size_t inline_bytes = 4096;
    static constexpr size_t inline_alignment = 64;

    struct block {
        block *next;
    };

    void *allocate_block(size_t size, size_t alignment)
    {
        if (size > SIZE_MAX - alignment - sizeof(block)) return nullptr;
        auto *added = static_cast<block *>(std::malloc(sizeof(block) + alignment + size));
        if (added == nullptr) return nullptr;
        added->next = blocks_;
        blocks_ = added;
        const auto address = reinterpret_cast<uintptr_t>(added + 1);
        return reinterpret_cast<uint8_t *>(added + 1) + (alignment - address % alignment);
    }

    alignas(inline_alignment) uint8_t inline_[inline_bytes];
    size_t used_ = 0;
    block *blocks_ = nullptr;
};

}  // namespace ets

#endif
