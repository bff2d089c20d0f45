#include "engine/plugin/kernel_call.h"

#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/kernel/operator_registry.h>

#include <string_view>
#include <unordered_map>

#include "engine/plugin/kernel_arguments.h"
#include "engine/plugin/runtime.h"

namespace ets
{
namespace
{
/*
 * The registry's look-up compares hundreds of names one by one; this table is as old as the last
 * library that registered some. NULL: no such kernel, or only for some types of tensors.
 */
et::OpFunction find_kernel(const char *name)
{
    static std::unordered_map<std::string_view, et::OpFunction> table;
    static size_t seen = 0;
    const auto kernels = et::get_registered_kernels();
    for (; seen < kernels.size(); seen++) {
        const et::Kernel &kernel = kernels[seen];
        if (kernel.kernel_key_.is_fallback()) table.emplace(kernel.name_, kernel.op_);
    }
    const auto found = table.find(name);
    return found == table.end() ? nullptr : found->second;
}

enum ets_status call_checked(const char *name, const struct ets_kernel_argument *arguments,
                             size_t argument_count, struct ets_error *error)
{
    const et::OpFunction kernel = find_kernel(name);
    if (kernel == nullptr) {
        return ets_fail(error, ETS_NOT_FOUND, ETS_NO_OFFSET, "no kernel is registered for %s",
                        name);
    }
    call_memory memory;
    kernel_arguments stack(&memory);
    ETS_TRY(stack.build(arguments, argument_count, error));
    et::KernelRuntimeContext context(nullptr, &memory);
    kernel(context, stack.stack());
    const et::Error code = context.failure_state();
    if (code != et::Error::Ok) return fail_runtime(error, ETS_RUNTIME, code, "%s", name);
    stack.write_back();
    return ETS_OK;
}
}  // namespace

int kernel_exists(const char *name)
{
    return name != nullptr && find_kernel(name) != nullptr ? 1 : 0;
}

enum ets_status kernel_call(const char *name, struct ets_kernel_argument *arguments,
                            size_t argument_count, struct ets_error *error)
{
    if (name == nullptr || (arguments == nullptr && argument_count > 0)) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                        "a kernel's call needs its name and its arguments");
    }
    return guarded(error, nullptr,
                   [&] { return call_checked(name, arguments, argument_count, error); });
}

}  // namespace ets
