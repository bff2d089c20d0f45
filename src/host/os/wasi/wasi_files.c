/* Paths by WASI: files that whoever runs the program lends it, without links and permissions. */
#define _XOPEN_SOURCE 700
#include "host/os/os_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/os/os_input.h"
#include "host/os/os_sockets.h"

bool ets_os_can_read(const char *path)
{
    return ets_os_look(path).kind != ETS_OS_NOTHING;
}

bool ets_os_is_elsewhere(const char *path)
{
    (void)path;
    return false;
}

char *ets_os_follow_link(const char *path)
{
    (void)path;
    errno = 0;
    return NULL;
}

/* There are no links, and a program starts in the root. */
char *ets_os_real_path(const char *path)
{
    if (ets_os_look(path).kind == ETS_OS_NOTHING) {
        errno = ENOENT;
        return NULL;
    }
    const size_t size = strlen(path) + 2;
    char *real = malloc(size);
    if (real != NULL) snprintf(real, size, "%s%s", path[0] == '/' ? "" : "/", path);
    return real;
}

const char *ets_os_temporary_root(void)
{
    return "/tmp";
}

int ets_os_make_temporary_folder(char *path, size_t room)
{
    unsigned number = 0;
    if (!ets_os_random(&number, sizeof number)) return errno;
    const int size = snprintf(path, room, "%s/etscope-%08x", ets_os_temporary_root(), number);
    if (size < 0 || (size_t)size >= room) return ENAMETOOLONG;
    return ets_os_make_folder(path);
}
