/* Signals by POSIX. */
#define _XOPEN_SOURCE 700
#include "host/os/os_signals.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

static const struct fault {
    int number;
    const char *what;
} faults[] = {{SIGSEGV, "SIGSEGV: invalid memory address"},
              {SIGFPE, "SIGFPE: integer division by zero, for example"},
              {SIGBUS, "SIGBUS: invalid memory address"},
              {SIGABRT, "SIGABRT: it ended itself"},
              {SIGTRAP, "SIGTRAP: it ended itself"},
              {SIGILL, "SIGILL: instruction that this processor lacks, for example"}};
enum { FAULT_COUNT = sizeof faults / sizeof *faults, STACK_BYTES = 1 << 16 };

static bool (*take_interrupt)(int number);
static void (*take_fault)(const char *what);
static char fault_stack[STACK_BYTES]; /* a fault may be the end of the thread's own */

static void end_by(int number)
{
    signal(number, SIG_DFL);
    raise(number); /* the caller sees what ended the process */
}

static void interrupted(int number)
{
    const int before = errno;
    if (!take_interrupt(number)) end_by(number);
    errno = before;
}

void ets_os_watch_interrupts(bool (*take)(int number))
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU, SIGXFSZ};
    take_interrupt = take;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction action;
        if (sigaction(numbers[i], NULL, &action) != 0 || action.sa_handler == SIG_IGN) continue;
        action = (struct sigaction){.sa_handler = interrupted, .sa_flags = SA_RESTART};
        sigemptyset(&action.sa_mask);
        sigaction(numbers[i], &action, NULL);
    }
}

void ets_os_ignore_lost_readers(void)
{
    signal(SIGPIPE, SIG_IGN);
}

bool ets_os_is_request(int number)
{
    return number == SIGINT || number == SIGTERM;
}

static void faulted(int number)
{
    const char *what = "";
    for (size_t i = 0; i < FAULT_COUNT; i++) {
        if (faults[i].number == number) what = faults[i].what;
    }
    take_fault(what);
    end_by(number);
}

void ets_os_watch_faults(void (*take)(const char *what))
{
    const stack_t alternate = {.ss_sp = fault_stack, .ss_size = sizeof fault_stack};
    take_fault = take;
    sigaltstack(&alternate, NULL);
    for (size_t i = 0; i < FAULT_COUNT; i++) {
        struct sigaction action = {.sa_handler = faulted, .sa_flags = SA_ONSTACK};
        sigemptyset(&action.sa_mask);
        sigaction(faults[i].number, &action, NULL);
    }
}

void ets_os_forget_faults(void)
{
    for (size_t i = 0; i < FAULT_COUNT; i++) signal(faults[i].number, SIG_DFL);
}

void ets_os_say(const char *text, size_t size)
{
    const ssize_t written = write(STDERR_FILENO, text, size);
    (void)written; /* nobody is left to be told */
}
