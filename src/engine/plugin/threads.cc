/* Sets the number of threads of the runtime's pool. */
#include "engine/plugin/threads.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "engine/plugin/runtime.h"
#include "host/os/os_quiet.h"

#ifdef ETS_ENGINE_HAS_THREADPOOL
#if __has_include(<executorch/extension/threadpool/threadpool_guard.h>)
#include <executorch/extension/threadpool/threadpool_guard.h>
#else
namespace executorch::extension::threadpool
{
struct NoThreadPoolGuard {
    static bool is_enabled();
    static void set_enabled(bool enabled);
};
}  // namespace executorch::extension::threadpool
#endif
#if __has_include(<executorch/extension/threadpool/threadpool.h>)
#include <executorch/extension/threadpool/threadpool.h>
#else
#include <executorch/runtime/core/function_ref.h>
/* The packaged runtime exports these functions without their header. */
namespace executorch::extension::threadpool
{
class ThreadPool
{
  public:
    size_t get_thread_count() const;
    bool _unsafe_reset_threadpool(uint32_t new_thread_count);
    void run(executorch::runtime::FunctionRef<void(size_t)> fn, size_t range);
};
ThreadPool *get_threadpool();
}  // namespace executorch::extension::threadpool
#endif
#endif

namespace ets
{
namespace
{
std::atomic<size_t> open_methods{0};

#ifdef ETS_ENGINE_HAS_THREADPOOL
/* Holds each thread until all have come, so that none takes a second turn. */
class meeting
{
  public:
    explicit meeting(size_t count) : expected_(count) {}

    /* False: not all came within a second. */
    bool wait()
    {
        std::unique_lock<std::mutex> lock(mutex_);
        if (++come_ == expected_) all_.notify_all();
        /* Not wait_for, whose pthread_cond_clockwait glibc has from 2.30 on. */
        const auto end = std::chrono::system_clock::now() + std::chrono::seconds(1);
        return all_.wait_until(lock, end, [&] { return come_ == expected_; });
    }

  private:
    std::mutex mutex_;
    std::condition_variable all_;
    size_t expected_, come_ = 0;
};
#endif
}  // namespace

size_t thread_count()
{
#ifdef ETS_ENGINE_HAS_THREADPOOL
    auto *pool = executorch::extension::threadpool::get_threadpool();
    const size_t count = pool == nullptr ? 1 : pool->get_thread_count();
    return count == 0 ? 1 : count;
#else
    return 1;
#endif
}

enum ets_status set_thread_count(unsigned count, struct ets_error *error)
{
    if (count == 0 || count == thread_count()) return ETS_OK;
    if (open_methods.load() > 0) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                        "the runtime has %zu threads; %u cannot be set while methods are open",
                        thread_count(), count);
    }
#ifdef ETS_ENGINE_HAS_THREADPOOL
    auto *pool = executorch::extension::threadpool::get_threadpool();
    const int saved =
        ets_os_quiet_begin(); /* it prints "Resetting threadpool", past the log hook */
    const bool is_reset = pool != nullptr && pool->_unsafe_reset_threadpool(count);
    ets_os_quiet_end(saved);
    if (is_reset && thread_count() == count) return ETS_OK;
#endif
    return ets_fail(error, ETS_UNSUPPORTED, ETS_NO_OFFSET,
                    "this ExecuTorch runtime cannot use %u threads", count);
}

bool run_on_other_threads([[maybe_unused]] const std::function<void(size_t)> &task)
{
    const size_t count = thread_count();
    if (count == 1) return true;
#ifdef ETS_ENGINE_HAS_THREADPOOL
    meeting everyone(count);
    const std::thread::id caller = std::this_thread::get_id();
    std::atomic<size_t> next{0}, missed{0};
    auto turn = [&](size_t) {
        if (!everyone.wait()) missed++;
        else if (std::this_thread::get_id() != caller) task(next++);
    };
    executorch::extension::threadpool::get_threadpool()->run(turn, count);
    return missed == 0;
#else
    return false;
#endif
}

/* The pool is not used while the runtime's "guard" is on. */
single_thread_scope::single_thread_scope()
{
#ifdef ETS_ENGINE_HAS_THREADPOOL
    using executorch::extension::threadpool::NoThreadPoolGuard;
    outer_ = NoThreadPoolGuard::is_enabled();
    NoThreadPoolGuard::set_enabled(true);
#endif
}

single_thread_scope::~single_thread_scope()
{
#ifdef ETS_ENGINE_HAS_THREADPOOL
    executorch::extension::threadpool::NoThreadPoolGuard::set_enabled(outer_);
#endif
}

void note_method_opened()
{
    open_methods.fetch_add(1);
}

void note_method_closed()
{
    open_methods.fetch_sub(1);
}

}  // namespace ets
