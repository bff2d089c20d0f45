/*
 * Faults of the processor inside of a kernel, which end the call instead of the process.
 *
 *     const fault_scope scope;
 *     const int number = sigsetjmp(scope.place(), 0);
 *     if (number != 0) return "faulted";
 *     kernel(...);
 *
 * Kernels do not check all that a hostile file may make of their arguments. While a scope lives,
 * SIGFPE, SIGSEGV and SIGBUS that the calling thread's own instructions raise jump to its place;
 * those of other threads, and those that somebody sent, go where they went before. What the frames
 * in between held is lost, as they are never unwound; what they wrote stays written.
 */
#ifndef ETSCOPE_ENGINE_PLUGIN_FAULTS_H
#define ETSCOPE_ENGINE_PLUGIN_FAULTS_H

#include <setjmp.h>

namespace ets
{
/*
 * Any thread may have its own, which do not nest. The handlers are the process's: the first scope
 * installs them, the last puts back those that were there. Between scopes none is installed.
 */
class fault_scope
{
  public:
    fault_scope();
    ~fault_scope();
    fault_scope(const fault_scope &) = delete;
    fault_scope &operator=(const fault_scope &) = delete;

    sigjmp_buf &place()
    {
        return place_;
    }

  private:
    sigjmp_buf place_;
};

/* "SIGFPE, as of a division of integers by zero". */
const char *fault_name(int number);
}  // namespace ets

#endif
