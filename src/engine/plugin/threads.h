/* The runtime's thread pool, where that ExecuTorch has one. */
#ifndef ETSCOPE_ENGINE_PLUGIN_THREADS_H
#define ETSCOPE_ENGINE_PLUGIN_THREADS_H

#include <cstddef>

#include "etscope/engine.h"

namespace ets
{
/* Threads that kernels and delegates run on, the calling one included. */
size_t thread_count();

/*
 * Makes it `count`. Delegates keep a pointer to the pool, hence no method may be open:
 * INVALID_ARGUMENT otherwise; UNSUPPORTED without a pool.
 */
enum ets_status set_thread_count(unsigned count, struct ets_error *error);

/* Methods are counted so that the pool is not changed under them. */
void note_method_opened();
void note_method_closed();

/*
 * While it lives, kernels of the calling thread use no other: what a kernel asserts, or faults
 * over, ends the call on the calling thread alone, and the process on a thread of the pool.
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
