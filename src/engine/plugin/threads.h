/* The runtime's thread pool, if ExecuTorch was built with one. */
#ifndef ETSCOPE_ENGINE_PLUGIN_THREADS_H
#define ETSCOPE_ENGINE_PLUGIN_THREADS_H

#include <cstddef>
#include <functional>

#include "etscope/engine.h"

namespace ets
{
/* Number of threads of kernels and delegates, the calling one included. */
size_t thread_count();

/*
 * Sets the number of threads. Delegates keep a pointer to the pool, so no method may be open
 * (INVALID_ARGUMENT). UNSUPPORTED: there is no pool.
 */
enum ets_status set_thread_count(unsigned count, struct ets_error *error);

/*
 * Calls `task` with 0, 1, ... on each thread of the pool but the calling one, all at the same time.
 * False: some threads were not reached.
 */
bool run_on_other_threads(const std::function<void(size_t)> &task);

/* Open methods are counted, so that the pool is not changed while they use it. */
void note_method_opened();
void note_method_closed();

/*
 * While it lives, kernels run on the calling thread only. A failed assertion or fault ends the call
 * there, but would end the process on a thread of the pool.
 */
class single_thread_scope
{
  public:
    single_thread_scope();
    ~single_thread_scope();
    single_thread_scope(const single_thread_scope &) = delete;
    single_thread_scope &operator=(const single_thread_scope &) = delete;

  private:
    [[maybe_unused]] bool outer_ = false;
};

}  // namespace ets

#endif
