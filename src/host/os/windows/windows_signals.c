/* Ctrl-C by the console, faults by signals of the C library. */
#include "host/os/os_signals.h"

#include <io.h>
#include <signal.h>
#include <windows.h>

static const struct fault {
    int number;
    const char *what;
} faults[] = {{SIGSEGV, "invalid memory address"},
              {SIGFPE, "integer division by zero, for example"},
              {SIGABRT, "it ended itself"},
              {SIGILL, "instruction that this processor lacks, for example"}};
enum { FAULT_COUNT = sizeof faults / sizeof *faults };

static bool (*take_interrupt)(int number);
static void (*take_fault)(const char *what);

/*
 * In a thread of its own. Where the console closes, Windows ends the process when this returns, so
 * it leaves the command the seconds that Windows gives.
 */
static BOOL WINAPI interrupted(DWORD event)
{
    const bool is_request = event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT;
    const bool goes_on = take_interrupt(is_request ? SIGINT : SIGTERM);
    if (goes_on && !is_request) Sleep(INFINITE);
    return goes_on;
}

void ets_os_watch_interrupts(bool (*take)(int number))
{
    const bool is_first = take_interrupt == NULL;
    take_interrupt = take;
    if (is_first) SetConsoleCtrlHandler(interrupted, TRUE);
}

void ets_os_ignore_lost_readers(void) {}

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
    signal(number, SIG_DFL);
    raise(number);
}

void ets_os_watch_faults(void (*take)(const char *what))
{
    take_fault = take;
    for (size_t i = 0; i < FAULT_COUNT; i++) signal(faults[i].number, faulted);
}

void ets_os_forget_faults(void)
{
    for (size_t i = 0; i < FAULT_COUNT; i++) signal(faults[i].number, SIG_DFL);
}

void ets_os_say(const char *text, size_t size)
{
    const int written = _write(2, text, (unsigned)size);
    (void)written; /* nobody is left to be told */
}
