/* WASI starts no programs: who asks learns that the system has no such function. */
#include "host/os/os_processes.h"

#include <errno.h>

int ets_os_start(const char *const *words, const struct ets_os_streams *streams,
                 struct ets_os_process *process_out)
{
    (void)words;
    (void)streams;
    (void)process_out;
    return ENOSYS;
}

enum ets_os_end ets_os_wait(const struct ets_os_process *process, bool waits, int *code_out)
{
    (void)process;
    (void)waits;
    *code_out = ECHILD;
    return ETS_OS_LOST;
}

void ets_os_stop(const struct ets_os_process *process)
{
    (void)process;
}

int ets_os_show_in_browser(const char *address, struct ets_os_process *process_out)
{
    (void)address;
    (void)process_out;
    return ENOSYS;
}

/* Names temporary files, whose folder no other process sees. */
long ets_os_process_number(void)
{
    return 1;
}
