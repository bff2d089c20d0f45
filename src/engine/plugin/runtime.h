/*
 * The layer between the engine and ExecuTorch: turns its log lines into error messages, and its
 * aborts into exceptions that end the call instead of the process.
 */
#ifndef ETSCOPE_ENGINE_PLUGIN_RUNTIME_H
#define ETSCOPE_ENGINE_PLUGIN_RUNTIME_H

#include <executorch/runtime/core/error.h>

#include <exception>
#include <new>

#include "etscope/engine.h"

extern "C" {
#include "base/error.h"
}

namespace ets
{
namespace et = ::executorch::runtime;

/* Thrown from the runtime's abort hook. Not a std::exception, so that nothing else catches it. */
struct runtime_abort {
};

/* Installs the log and abort hooks and initialises the runtime, once per process. */
void start_runtime();

/* Takes the log back from ExecuTorch's Python module, if that was loaded since. */
void keep_log();

/* Marks the calling thread as inside the runtime, where an abort may throw. Clears the log. */
class call_scope
{
  public:
    call_scope();
    ~call_scope();
    call_scope(const call_scope &) = delete;
    call_scope &operator=(const call_scope &) = delete;

  private:
    bool outer_;
};

/* "InvalidArgument" for Error::InvalidArgument. */
const char *error_name(et::Error code);

/*
 * Fills `error` with the attempted action, the runtime's error name and number, and its log: the
 * missing operators or backend, the instruction, the first reason.
 */
enum ets_status fail_runtime(struct ets_error *error, enum ets_status status, et::Error code,
                             const char *format, ...) ETS_PRINTF(4, 5);

/* The same for an abort. */
enum ets_status fail_abort(struct ets_error *error);

/* Whether a line logged in this call contains `part`. */
bool log_mentions(const char *part);

/* Runs `body`, which returns an ets_status, so that no exception leaves the plug-in. */
template <typename Body>
enum ets_status guarded(struct ets_error *error, bool *aborted, Body body)
{
    const call_scope scope;
    try {
        return body();
    } catch (const runtime_abort &) {
        if (aborted != nullptr) *aborted = true;
        return fail_abort(error);
    } catch (const std::bad_alloc &) {
        return ets_fail_memory(error, "the runtime");
    } catch (const std::exception &thrown) {
        if (aborted != nullptr) *aborted = true;
        return ets_fail(error, ETS_RUNTIME, ETS_NO_OFFSET, "the runtime threw: %s", thrown.what());
    }
}

}  // namespace ets

#endif
