/* Standard error by descriptors of the C library. */
#include "host/os/os_quiet.h"

#include <fcntl.h>
#include <io.h>
#include <stdio.h>

int ets_os_quiet_begin(void)
{
    fflush(stderr);
    const int saved = _dup(2);
    if (saved < 0) return -1;
    const int nothing = _open("NUL", _O_WRONLY);
    if (nothing < 0 || _dup2(nothing, 2) < 0) {
        if (nothing >= 0) _close(nothing);
        _close(saved);
        return -1;
    }
    _close(nothing);
    return saved;
}

void ets_os_quiet_end(int saved)
{
    if (saved < 0) return;
    fflush(stderr);
    _dup2(saved, 2);
    _close(saved);
}
