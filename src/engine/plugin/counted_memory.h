/* Memory that says what was taken from it: allocators that count, and planned buffers in pages. */
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
/* What was taken by one of those who took: the runtime and its kernels, or a backend. */
struct taken_memory {
    uint64_t bytes = 0; /* the most between two resets, with the padding that a pool would need */
    uint64_t count = 0; /* allocations, those before a reset too */
    uint64_t alignment = 0; /* the largest */
    int64_t chain = -1;     /* of the instruction that took `bytes`; -1: outside of any */
    uint32_t instruction = 0;
    uint64_t now = 0; /* bytes since the last reset */
};

/* Zeroed memory of its own pages, so that the system can say which of them were touched. */
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
    /* Bytes in pages that were touched, at most the size; UINT64_MAX: not known. */
    uint64_t touched() const;

  private:
    uint8_t *data_ = nullptr;
    size_t size_ = 0;
};

/*
 * Keeps count as a pool would that lies at a multiple of every alignment: one allocation behind the
 * other, all given back by reset(). Takes pages of the system, so that the heap is others' alone.
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

    /* `tracer` knows the instruction that runs; borrowed. */
    explicit counting_allocator(executorch::runtime::EventTracer *tracer);

    void *allocate(size_t size, size_t alignment = kDefaultAlignment) override;
    void reset() override;

    /* What was taken since the last call, or ever, by those who took any. */
    takers take();
    const steps &taken_by_step() const
    {
        return steps_;
    }
    uint64_t pool_bytes() const /* that would have been enough until now */
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
    size_t block_ = 0, block_used_ = 0; /* where the next allocation begins */
    uint64_t used_ = 0, peak_ = 0;
    takers takers_;
    std::vector<std::pair<const void *, size_t>> callers_; /* code address, and whose it is */
    steps steps_;
    std::vector<taken_memory *> open_; /* of `steps_`: with bytes since the last reset */
};

/* Whether `backend`'s allocations can be told from others': it has a library of its own. */
bool is_backend_apart(const char *backend);

}  // namespace ets

#endif
