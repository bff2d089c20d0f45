/* Catches processor faults in a kernel call with signal handlers. */
#include "engine/plugin/faults.h"

#include <signal.h>

#include <cstddef>
#include <mutex>

namespace ets
{
namespace
{
constexpr int numbers[] = {SIGFPE, SIGSEGV, SIGBUS};
constexpr size_t number_count = sizeof numbers / sizeof *numbers;

std::mutex installing;
size_t scope_count = 0;
struct sigaction before[number_count]; /* only changed while no handler is installed */

thread_local sigjmp_buf *current_place = nullptr;

/* Restores the previous handler; the instruction then faults again. */
void pass_on(int number, siginfo_t *info, void *context)
{
    size_t i = 0;
    while (numbers[i] != number) i++;
    const struct sigaction &action = before[i];
    if ((action.sa_flags & SA_SIGINFO) != 0) {
        action.sa_sigaction(number, info, context);
    } else if (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN) {
        action.sa_handler(number);
    } else if (info->si_code > 0 || action.sa_handler == SIG_DFL) {
        signal(number, SIG_DFL);
        if (info->si_code <= 0) raise(number);
    }
}

void take_fault(int number, siginfo_t *info, void *context)
{
    sigjmp_buf *place = current_place;
    if (place == nullptr || info->si_code <= 0) { /* of another thread, or sent by a process */
        pass_on(number, info, context);
        return;
    }
    current_place = nullptr;
    siglongjmp(*place, number);
}
}  // namespace

fault_scope::fault_scope()
{
    {
        const std::lock_guard<std::mutex> lock(installing);
        struct sigaction action = {};
        action.sa_sigaction = take_fault;
        /* The handler is left by a jump, so unblock its signal. */
        action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
        sigemptyset(&action.sa_mask);
        for (size_t i = 0; i < number_count && scope_count == 0; i++) {
            sigaction(numbers[i], &action, &before[i]);
        }
        scope_count++;
    }
    current_place = &place_;
}

fault_scope::~fault_scope()
{
    current_place = nullptr;
    const std::lock_guard<std::mutex> lock(installing);
    if (--scope_count > 0) return;
    for (size_t i = 0; i < number_count; i++) {
        struct sigaction now;
        if (sigaction(numbers[i], nullptr, &now) == 0 && now.sa_sigaction == take_fault) {
            sigaction(numbers[i], &before[i], nullptr);
        } /* else another handler was installed later, and may call ours, which passes signals on */
    }
}

const char *fault_name(int number)
{
    switch (number) {
    case SIGFPE: return "SIGFPE: integer division by zero, for example";
    case SIGSEGV: return "SIGSEGV: invalid memory address";
    default: return "SIGBUS: mapped memory past the end of its file";
    }
}
}  // namespace ets
