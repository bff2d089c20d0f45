/* New files by WASI, which has no permissions. */
#define _POSIX_C_SOURCE 200809L
#include "host/os/os_output.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int ets_os_permissions_of(const char *path, struct ets_os_permissions *permissions_out)
{
    struct stat info;
    *permissions_out = (struct ets_os_permissions){0666, lstat(path, &info) == 0};
    return 0;
}

FILE *ets_os_create_new(const char *path, struct ets_os_permissions permissions)
{
    const int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL, permissions.mode);
    if (descriptor < 0) return NULL;
    FILE *stream = fdopen(descriptor, "wb");
    if (stream != NULL) return stream;
    const int code = errno;
    close(descriptor);
    unlink(path);
    errno = code;
    return NULL;
}
