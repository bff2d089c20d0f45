/* Standard error by descriptors of POSIX. */
#define _POSIX_C_SOURCE 200809L
#include "host/os/os_quiet.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int ets_os_quiet_begin(void)
{
    fflush(stderr);
    const int saved = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (saved < 0) return -1; /* standard error is closed: there is nothing to silence */
    const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nothing < 0 || dup2(nothing, STDERR_FILENO) < 0) {
        if (nothing >= 0) close(nothing);
        close(saved);
        return -1;
    }
    close(nothing);
    return saved;
}

void ets_os_quiet_end(int saved)
{
    if (saved < 0) return;
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
}
