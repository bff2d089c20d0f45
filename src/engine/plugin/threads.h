/* The runtime's thread pool, where that ExecuTorch has one. */
#ifndef ETSCOPE_ENGINE_THREADS_H
#define ETSCOPE_ENGINE_THREADS_H

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

}  // namespace ets

#endif
