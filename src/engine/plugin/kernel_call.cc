/* Calls a registered kernel by name. A fault in it ends the call with an error. */
#include "engine/plugin/kernel_call.h"

#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/kernel/operator_registry.h>

#include "engine/plugin/faults.h"
#include "engine/plugin/kernel_arguments.h"
#include "engine/plugin/llama_kernels.h"
#include "engine/plugin/runtime.h"
#include "engine/plugin/threads.h"

namespace ets
{
namespace
{
et::OpFunction find_kernel(const char *name)
{
    const et::OpFunction registered = registered_kernel(name);
    return registered == nullptr ? llama_kernel(name) : registered;
}

/* The number of the signal that ended the call, or 0. The jump skips no destructors of this
 * function. */
int call_caught(et::OpFunction kernel, et::KernelRuntimeContext &context,
                et::Span<et::EValue *> stack)
{
    const single_thread_scope single;
    fault_scope faults;
    const int number = sigsetjmp(faults.place(), 0);
    if (number == 0) kernel(context, stack);
    return number;
}

enum ets_status call_found(et::OpFunction kernel, const struct ets_kernel_argument *arguments,
                           size_t argument_count, struct ets_error *error)
{
    call_memory memory;
    kernel_arguments stack(&memory);
    ETS_TRY(stack.build(arguments, argument_count, error));
    et::KernelRuntimeContext context(nullptr, &memory);
    const int fault = call_caught(kernel, context, stack.stack());
    if (fault != 0) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                        "the kernel crashed on these arguments (%s)", fault_name(fault));
    }
    const et::Error code = context.failure_state();
    if (code != et::Error::Ok) return fail_runtime(error, ETS_RUNTIME, code, "refused");
    stack.write_back();
    return ETS_OK;
}
}  // namespace

int kernel_exists(const char *name)
{
    bool found = false;
    guarded(nullptr, nullptr, [&] {
        found = name != nullptr && find_kernel(name) != nullptr;
        return ETS_OK;
    });
    return found ? 1 : 0;
}

enum ets_status kernel_call(const char *name, struct ets_kernel_argument *arguments,
                            size_t argument_count, struct ets_error *error)
{
    if (name == nullptr || (arguments == nullptr && argument_count > 0)) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                        "a kernel call needs a name and arguments");
    }
    struct ets_error cause = {};
    const enum ets_status status = guarded(&cause, nullptr, [&] {
        const et::OpFunction kernel = find_kernel(name);
        if (kernel == nullptr) {
            return ets_fail(&cause, ETS_NOT_FOUND, ETS_NO_OFFSET, "no such kernel is registered");
        }
        return call_found(kernel, arguments, argument_count, &cause);
    });
    if (status == ETS_OK) return ETS_OK;
    return ets_fail(error, status, ETS_NO_OFFSET, "%s: %s", name, cause.message);
}

}  // namespace ets
