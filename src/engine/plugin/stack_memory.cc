/* Measures stacks with a pattern, on Linux. */
#include "engine/plugin/stack_memory.h"

#include <algorithm>
#include <cstring>

#include "engine/plugin/threads.h"

#ifdef __linux__
#include <alloca.h>
#include <pthread.h>
#endif

namespace ets
{
namespace
{
#ifdef __linux__
constexpr uint8_t pattern = 0xa5;
constexpr size_t most_bytes = size_t{512} << 10;
constexpr size_t kept_bytes = size_t{64} << 10; /* at the end of the stack: never painted */
constexpr size_t frame_bytes = 512;             /* of memset, and of what called us */

/* The lowest byte of the calling thread's stack that may be painted; NULL: unknown. */
const uint8_t *find_lowest()
{
    pthread_attr_t attributes;
    void *low = nullptr;
    size_t size = 0, guard = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return nullptr;
    const bool is_known = pthread_attr_getstack(&attributes, &low, &size) == 0 &&
                          pthread_attr_getguardsize(&attributes, &guard) == 0;
    pthread_attr_destroy(&attributes);
    if (!is_known || size <= guard + kept_bytes) return nullptr;
    return static_cast<const uint8_t *>(low) + guard + kept_bytes;
}

/* The free bytes of the calling thread's stack below `at`. */
size_t free_below(const uint8_t *at)
{
    static thread_local const uint8_t *const lowest = find_lowest(); /* it allocates: once */
    return lowest == nullptr || at < lowest ? 0 : static_cast<size_t>(at - lowest);
}
#endif
}  // namespace

#ifdef __linux__
__attribute__((noinline)) painted_stack paint_stack()
{
    const size_t room = free_below(static_cast<const uint8_t *>(__builtin_frame_address(0)));
    if (room <= 4 * frame_bytes) return {};
    const size_t size = std::min(room - frame_bytes, most_bytes);
    auto *block = static_cast<uint8_t *>(alloca(size));
    memset(block, pattern, size);
    asm volatile("" : : "r"(block) : "memory"); /* the compiler must not drop it */
    return {block, block + size};
}

uint64_t used_stack(const painted_stack &stack)
{
    if (stack.low == nullptr) return UINT64_MAX;
    const uint8_t *at = stack.low;
    asm volatile("" : "+r"(at) : : "memory");
    while (at < stack.high && *at == pattern) at++;
    return at == stack.low ? UINT64_MAX : static_cast<uint64_t>(stack.high - at);
}
#else
painted_stack paint_stack()
{
    return {};
}

uint64_t used_stack(const painted_stack &)
{
    return UINT64_MAX;
}
#endif

void stack_meter::start()
{
    pool_.assign(thread_count() - 1, {});
    if (!run_on_other_threads([this](size_t number) { pool_[number] = paint_stack(); })) {
        std::fill(pool_.begin(), pool_.end(), painted_stack());
    }
    start_caller();
}

void stack_meter::start_caller()
{
    caller_ = paint_stack();
}

uint64_t stack_meter::pool_bytes() const
{
    uint64_t most = 0;
    for (const painted_stack &each : pool_) most = std::max(most, used_stack(each));
    return most;
}

}  // namespace ets
