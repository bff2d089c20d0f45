/* Memory that measures its use: counting allocators, and planned buffers in separate pages. */
#ifndef ETSCOPE_ENGINE_PLUGIN_COUNTED_MEMORY_H
#define ETSCOPE_ENGINE_PLUGIN_COUNTED_MEMORY_H

#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/core/memory_allocator.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ets
{
/* The memory taken by one owner: the runtime and its kernels, or a backend. */
struct taken_memory {
    uint64_t bytes = 0;     /* the maximum between two resets, with the padding of a pool */
    uint64_t count = 0;     /* allocations, including those before a reset */
    uint64_t alignment = 0; /* the largest */
    int64_t chain = -1;     /* of the instruction that took `bytes`; -1: outside any */
    uint32_t instruction = 0;
    uint64_t now = 0; /* bytes since the last reset */
};

/* Zeroed memory in separate pages, so that the system can report which pages were touched. */
class counted_block
{
  public:
    explicit counted_block(size_t size); /* throws std::bad_alloc */
    ~counted_block();
    counted_block(counted_block &&other) noexcept;
    counted_block(const counted_block &) = delete;
    counted_block &operator=(const counted_block &) = delete;

    uint8_t *data() const
    {
        return data_;
    }
    size_t size() const
    {
        return size_;
    }
    /* Bytes in touched pages, at most the size; UINT64_MAX: unknown. */
    uint64_t touched() const;

  private:
    uint8_t *data_ = nullptr;
    size_t size_ = 0;
};

/*
 * Counts like a pool at a multiple of every alignment: allocations are adjacent, and reset() frees
 * all. Uses pages of the system, so that it does not affect heap counts.
 */
class counting_allocator final : public executorch::runtime::MemoryAllocator
{
  public:
    struct taker {
        std::string backend; /* "": the runtime and its kernels */
        taken_memory taken;
    };
    using takers = std::vector<taker>;
    using place = std::pair<int64_t, uint32_t>; /* chain (-1: none), instruction */
    using steps = std::map<place, taken_memory>;

    /* `tracer` provides the current instruction; borrowed. */
    explicit counting_allocator(executorch::runtime::EventTracer *tracer);

    void *allocate(size_t size, size_t alignment = kDefaultAlignment) override;
    void reset() override;

    /* The owners that took memory since the last call, or ever. */
    takers take();
    const steps &taken_by_step() const
    {
        return steps_;
    }
    uint64_t pool_bytes() const /* enough until now */
    {
        return peak_;
    }

  private:
    static void add(taken_memory *taken, uint64_t bytes, uint64_t alignment, place where);
    place current_place() const;
    taken_memory *taker_at(const void *caller);

    void *allocate_pages(size_t size, size_t alignment);

    executorch::runtime::EventTracer *tracer_;
    std::vector<counted_block> blocks_;
    size_t block_ = 0, block_used_ = 0; /* start of the next allocation */
    uint64_t used_ = 0, peak_ = 0;
    takers takers_;
    std::vector<std::pair<const void *, size_t>> callers_; /* code address and its owner */
    steps steps_;
    std::vector<taken_memory *> open_; /* of `steps_`: with bytes since the last reset */
};

/* Whether `backend` has its own library, so that its allocations can be identified. */
bool is_backend_apart(const char *backend);

}  // namespace ets

#endif
