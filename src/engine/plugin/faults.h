/*
 * Makes processor faults in a kernel end the call instead of the process.
 *
 *     const fault_scope scope;
 *     const int number = sigsetjmp(scope.place(), 0);
 *     if (number != 0) return "faulted";
 *     kernel(...);
 *
 * Kernels do not validate all arguments, which may come from a hostile file. While a scope lives,
 * SIGFPE, SIGSEGV and SIGBUS raised by instructions of the calling thread jump to its place.
 * Signals of other threads, and signals sent by processes, go to the previous handlers. The frames
 * in between are not unwound: their memory is lost, and their writes stay.
 */
#ifndef ETSCOPE_ENGINE_PLUGIN_FAULTS_H
#define ETSCOPE_ENGINE_PLUGIN_FAULTS_H

#include <setjmp.h>

namespace ets
{
/*
 * Each thread may have a scope; scopes do not nest. Handlers belong to the process: the first scope
 * installs them, and the last restores the previous ones. Outside scopes none is installed.
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

/* "SIGFPE: integer division by zero, for example". */
const char *fault_name(int number);
}  // namespace ets

#endif
