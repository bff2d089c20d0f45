/*
 * The stack that the runtime takes below a call, by painting what is free and looking later how far
 * the paint is gone.
 *
 *     ets::stack_meter meter;
 *     meter.start();
 *     method->execute();
 *     uint64_t bytes = meter.caller_bytes();
 */
#ifndef ETSCOPE_ENGINE_PLUGIN_STACK_MEMORY_H
#define ETSCOPE_ENGINE_PLUGIN_STACK_MEMORY_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ets
{
/* Painted stack of one thread: [low, high). Empty: the system does not tell its bounds. */
struct painted_stack {
    const uint8_t *low = nullptr, *high = nullptr;
};

/* Paints up to 512 KiB of the calling thread's free stack. */
painted_stack paint_stack();
/* Bytes that were used since; UINT64_MAX: unknown, or more than was painted. */
uint64_t used_stack(const painted_stack &stack);

/* The stacks of the calling thread and of the runtime's other threads. */
class stack_meter
{
  public:
    void start();
    void start_caller(); /* the calling thread alone, once more */
    uint64_t caller_bytes() const
    {
        return used_stack(caller_);
    }
    /* The most of one thread; UINT64_MAX: unknown. */
    uint64_t pool_bytes() const;
    /* Without the calling one. */
    size_t pool_threads() const
    {
        return pool_.size();
    }

  private:
    painted_stack caller_;
    std::vector<painted_stack> pool_;
};

}  // namespace ets

#endif
