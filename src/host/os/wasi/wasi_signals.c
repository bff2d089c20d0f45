/* WASI has no signals: whoever runs the program ends it, and says what ended it. */
#include "host/os/os_signals.h"

#include <unistd.h>

void ets_os_watch_interrupts(bool (*take)(int number))
{
    (void)take;
}

void ets_os_ignore_lost_readers(void) {}

bool ets_os_is_request(int number)
{
    (void)number;
    return false;
}

void ets_os_watch_faults(void (*take)(const char *what))
{
    (void)take;
}

void ets_os_forget_faults(void) {}

void ets_os_say(const char *text, size_t size)
{
    const ssize_t written = write(STDERR_FILENO, text, size);
    (void)written; /* nobody is left to be told */
}
